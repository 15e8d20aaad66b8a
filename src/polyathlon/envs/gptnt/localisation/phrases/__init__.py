"""Instructions about what can be pressed, by module."""
