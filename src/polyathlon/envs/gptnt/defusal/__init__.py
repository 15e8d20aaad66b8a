"""The bomb and its manual."""
