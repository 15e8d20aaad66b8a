"""Questions about pictures, by what they are about."""
