"""The world of the family: bombs, their manual, and how they look and sound. No env."""
