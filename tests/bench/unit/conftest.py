"""Fixtures shared with the practice room's tests."""

from __future__ import annotations

from tests.practice.conftest import start

__all__ = ["start"]
