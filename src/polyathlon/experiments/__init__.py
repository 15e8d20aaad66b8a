"""Plans of episodes, run directories, and the runner."""
