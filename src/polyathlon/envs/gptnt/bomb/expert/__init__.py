"""Two players who solve bombs by words alone: one has the manual's rules, the other the bomb."""
