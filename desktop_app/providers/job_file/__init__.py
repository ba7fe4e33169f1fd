"""Providers that a file describes: how it is read, how it asks and how it understands."""
