"""The items of each kind of module, category by category."""
