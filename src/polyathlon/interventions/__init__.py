"""Interventions: what an experiment changes in a message before it becomes signal."""
