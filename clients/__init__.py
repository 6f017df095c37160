"""Thin clients: they speak the wire, and hold what the reader opened by hand, nothing else of their own."""
