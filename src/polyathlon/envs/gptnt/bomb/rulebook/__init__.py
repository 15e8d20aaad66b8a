"""The rules of the bomb's modules as data, and the pure functions that interpret them."""
