"""GPTNT in reports: its tables and figures from own runs, beside the published ones."""
