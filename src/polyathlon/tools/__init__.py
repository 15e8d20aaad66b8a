"""Tools that agents may call while they think."""
