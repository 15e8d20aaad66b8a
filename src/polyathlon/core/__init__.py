"""The nouns: small types and protocols that every other room speaks in."""
