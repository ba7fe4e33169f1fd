"""What an expression names, and which of its licences we take."""

from __future__ import annotations

import pytest
import spdx


@pytest.mark.parametrize(
    ("expression", "taken"),
    [
        ("MIT", ("MIT",)),
        ("IJG AND BSD-3-Clause", ("IJG", "BSD-3-Clause")),
        ("MIT OR Apache-2.0", ("Apache-2.0",)),
        ("Zlib OR Apache-2.0 OR MIT", ("Zlib",)),
        ("MPL-2.0 OR LGPL-2.1-or-later", ("MPL-2.0",)),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", ("LGPL-3.0-only",)),
        ("GPL-2.0-only OR FTL", ("FTL",)),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", ("Apache-2.0", "Unicode-3.0")),
        # AND binds more strongly than OR, whichever comes first.
        ("CC0-1.0 AND GPL-3.0-only OR MIT", ("MIT",)),
        ("MIT OR CC0-1.0 AND GPL-3.0-only", ("MIT",)),
        ("MIT AND Zlib AND MIT", ("MIT", "Zlib")),
        (
            "GPL-2.0-or-later WITH Bootloader-exception AND Apache-2.0",
            ("GPL-2.0-or-later", "Bootloader-exception", "Apache-2.0"),
        ),
    ],
)
def test_all_of_it_is_taken_and_of_a_choice_the_lightest(
    expression: str, taken: tuple[str, ...]
) -> None:
    assert spdx.taken(expression) == taken
    assert spdx.is_expression(expression)


@pytest.mark.parametrize(
    "wording",
    ["", "BSD License", "see its words", "MIT/Apache-2.0", "MIT, see LICENSE", "MIT # or not",
     "MIT AND", "(MIT", "MIT AND Their own", "MIT or", "'MIT'"],
)  # fmt: skip
def test_loose_wording_is_no_expression(wording: str) -> None:
    assert not spdx.is_expression(wording)
    with pytest.raises(ValueError, match="SPDX expression"):
        spdx.taken(wording)
