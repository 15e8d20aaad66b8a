"""What GPTNT publishes, computed from traces: games, failures, talk, actions, probes."""
