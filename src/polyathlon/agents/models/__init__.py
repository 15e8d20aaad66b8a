"""Clients of models; what is peculiar to a provider lives here and nowhere else."""
