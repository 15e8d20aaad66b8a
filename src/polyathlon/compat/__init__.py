"""Bridges to other libraries' environments. Each module needs the extra of its library."""
