"""The trial of a frozen program fails where a key does not come back whole."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import smoke

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script of Unix stands in")

PROGRAM = """#!{python}
import sys, pathlib, urllib.request
data, (verb, act, *rest) = pathlib.Path(sys.argv[2]), sys.argv[4:]
data.mkdir(exist_ok=True)
if act == "add":
    (data / "address").write_text(rest[rest.index("--base-url") + 1])
if act == "set-key":
    (data / "key").write_text(sys.stdin.readline().strip(){cut})
    sys.exit({code})
if act == "test":
    key = (data / "key").read_text()
    asked = urllib.request.Request(
        (data / "address").read_text() + "/models", headers={{"Authorization": "Bearer " + key}}
    )
    urllib.request.urlopen(asked).read()
print("{{}}")
"""


@pytest.mark.parametrize(
    ("cut", "code", "works"),
    [("", 0, True), ("[:1280]", 0, False), ("", 2, False)],
    ids=["kept", "cut", "refused"],
)
def test_a_long_key_has_to_come_back(tmp_path: Path, cut: str, code: int, works: bool) -> None:
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(python=sys.executable, cut=cut, code=code))
    program.chmod(0o755)
    assert smoke.keeps_a_key(program, tmp_path / "data") is works
