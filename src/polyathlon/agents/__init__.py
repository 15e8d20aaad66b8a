"""Agents: baselines, people, and language models in a harness."""
