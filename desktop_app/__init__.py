"""Batchwright: batches of AI prompts from a sheet, each row a durable task."""

__version__ = "0.1.0"
