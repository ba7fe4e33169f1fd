"""Tests of the providers room that need no socket; the wire itself is in ``tests/contract``."""
