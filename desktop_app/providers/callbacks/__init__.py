"""Hears providers call when a job has ended."""
