"""A limit of less than a megabyte is not read as none."""

from __future__ import annotations

import pytest

from desktop_app.domain.ports import ReferenceRule
from desktop_app.domain.ports.capabilities import in_mb


@pytest.mark.parametrize(
    ("size", "read"),
    [
        (250_000, "0.25"),
        (250_001, "0.26"),
        (1, "0.01"),
        (3_900_000, "3.9"),
        (3_900_001, "4"),
        (10_000_000, "10"),
        (50_000_000, "50"),
        (50_000_001, "51"),
    ],
)
def test_megabytes_as_a_person_reads_them(size: int, read: str) -> None:
    assert in_mb(size) == read
    assert ReferenceRule(1, max_bytes=size).most_mb == read
