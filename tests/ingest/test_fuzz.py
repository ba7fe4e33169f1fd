"""Whatever bytes a file holds: it is refused in one sentence, or every row of it is there, or named
with a reason."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import WHOLE_LINES, SheetOptions, SheetRow
from desktop_app.domain.text import OperatorError
from desktop_app.ingest.sheet import SheetReader
from tests.helpers.examples import sharing_fixtures

FIXTURES = Path(__file__).parent / "fixtures"
SHEETS = [path for path in sorted(FIXTURES.iterdir()) if path.suffix not in {".md", ".py"}]
TEXTS = [
    b'prompt\na red shoe, white\n"quoted"\n',
    b'{"prompt": "a", "n": 1.50}\n{"prompt": "b", "o": {"x": [1, 2]}}\n',
    'sep=;\r\n货号;提示词\r\n1;"红\r\n蓝"\r\n;;\r\n2;c;surplus\r\n'.encode(),
]
FILES = [(path.suffix, path.read_bytes()) for path in SHEETS if path.is_file()]
FILES += [(suffix, text) for text in TEXTS for suffix in (".csv", ".txt", ".jsonl")]
SUFFIXES = [".csv", ".txt", ".jsonl", ".xlsx", ".xls", ".ods", ".tsv"]

OPTIONS = st.builds(
    SheetOptions,
    encoding=st.sampled_from([None, None, "utf-8", "utf-16", "gb18030", "big5", "cp932"]),
    delimiter=st.sampled_from([None, None, ",", "\t", WHOLE_LINES]),
    quoting=st.sampled_from([None, None, True, False]),
    header=st.sampled_from([None, None, True, False]),
    hidden=st.sampled_from([None, True]),
)
FUZZ = sharing_fixtures(150)


def read(path: Path, options: SheetOptions) -> list[SheetRow] | None:
    """The rows, which hold together; None for a file that is refused."""
    reader = SheetReader()
    try:
        info = reader.open(path, path.parent / "copies", options)
    except OperatorError:
        return None
    found = list(reader.rows(info))  # what could be opened is read to its end
    assert len(found) == info.rows
    numbers = [row.row_no for row in found]
    assert numbers == sorted(set(numbers))
    assert len(set(info.columns)) == len(info.columns)
    assert all(column.strip() for column in info.columns)
    for row in found:
        assert len(row.cells) == len(info.columns)
        for cell in row.cells:
            cell.encode()
            assert "\0" not in cell
    return found


@st.composite
def mutants(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[str, bytes]:
    """A sheet with a few places changed, cut out or put in, or cut short."""
    suffix, data = draw(st.sampled_from(FILES))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        new = draw(
            st.binary(max_size=4)
            | st.sampled_from([b"\0", b'"', b"\r", b"\n\n", b"\xff", b"\\", b"}"])
        )
        data = data[:at] + new + data[at + draw(st.integers(0, 4)) :]
    if draw(st.integers(0, 4)) == 0:
        data = data[: draw(st.integers(0, len(data)))]
    return suffix, data


@given(st.sampled_from(SUFFIXES), st.binary(max_size=300), OPTIONS)
@FUZZ
def test_any_bytes(tmp_path: Path, suffix: str, data: bytes, options: SheetOptions) -> None:
    path = tmp_path / f"any{suffix}"
    path.write_bytes(data)
    read(path, options)


@given(mutants(), OPTIONS)
@FUZZ
def test_any_damage(tmp_path: Path, mutant: tuple[str, bytes], options: SheetOptions) -> None:
    suffix, data = mutant
    path = tmp_path / f"any{suffix}"
    path.write_bytes(data)
    read(path, options)


XML = {
    "shown.xlsx": ["xl/worksheets/sheet1.xml", "xl/styles.xml", "xl/workbook.xml"],
    "shown.ods": ["content.xml"],
}
PIECES = [b"", b' hidden="1"', b' r="B7"', b' s="99"', b' s="-1"', b"<row/>", b"<c><f>1</f></c>"]
PIECES += [b"00000", b"&#0;", b"<text:s text:c='9'/>", b' table:visibility="collapse"', b"\xff"]


@st.composite
def broken_books(draw: Callable[[st.SearchStrategy[Any]], Any]) -> tuple[str, bytes]:
    """A workbook whole as an archive, with one part of it changed inside."""
    name, part = draw(st.sampled_from([(name, part) for name in XML for part in XML[name]]))
    made = io.BytesIO()
    with zipfile.ZipFile(FIXTURES / name) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            data = old.read(each)
            if each == part:
                at = draw(st.sampled_from([found.start() for found in re.finditer(b"[ />]", data)]))
                data = (
                    data[:at] + draw(st.sampled_from(PIECES)) + data[at + draw(st.integers(0, 2)) :]
                )
            new.writestr(each, data)
    return Path(name).suffix, made.getvalue()


@given(broken_books(), st.sampled_from([None, True]))
@FUZZ
def test_workbooks_broken_inside(
    tmp_path: Path, mutant: tuple[str, bytes], hidden: bool | None
) -> None:
    suffix, data = mutant
    path = tmp_path / f"any{suffix}"
    path.write_bytes(data)
    read(path, SheetOptions(hidden=hidden))


LINE = st.text(st.sampled_from('{}":,[] \t\\u0ab1e+-."prompt红'), max_size=30)
OBJECT = st.dictionaries(st.sampled_from(["prompt", "", "a"]), LINE | st.none() | st.floats())
ENDS = re.compile("\r\n|\r|\n")


@given(st.lists(LINE | OBJECT.map(json.dumps), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
@FUZZ
def test_every_line_that_is_not_blank_is_a_row(tmp_path: Path, lines: list[str], end: str) -> None:
    text = end.join(lines)
    filled = [at for at, line in enumerate(ENDS.split(text), start=1) if line.strip()]
    for name, options in (
        ("a.jsonl", SheetOptions("utf-8")),
        ("a.txt", SheetOptions("utf-8", WHOLE_LINES, header=False)),
    ):
        (tmp_path / name).write_bytes(text.encode())
        found = read(tmp_path / name, options)
        if found is not None:
            assert [row.row_no for row in found] == filled
        elif name == "a.txt":
            assert not filled


HEADER = st.lists(
    st.sampled_from(["prompt", "a", "a", "a (2)", "", " ", "Column 2", "bw", "1"]) | LINE,
    min_size=1,
    max_size=6,
)
CELL = st.text(st.sampled_from('ab ",;\n红|\t='), max_size=8)


@given(HEADER, st.lists(st.lists(CELL, max_size=8), max_size=6))
@FUZZ
def test_ragged_rows_under_odd_headers_lose_nothing(
    tmp_path: Path, header: list[str], table: list[list[str]]
) -> None:
    def line(row: list[str]) -> str:
        return ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n"

    path = tmp_path / "any.csv"
    path.write_text("".join(map(line, [header, *table])), encoding="utf-8", newline="")
    found = read(path, SheetOptions("utf-8", ","))
    if found is None:
        return
    table = [header, *table] if not any(cell.strip() for cell in header) else table
    rows = [row for row in table if "".join(row).strip()]
    rows = rows if any(cell.strip() for cell in header) else rows[1:]
    assert len(found) == len(rows)
    for row, cells in zip(found, rows, strict=True):
        kept = list(row.cells)
        if row.problem is None:
            wanted = cells[: len(kept)]
            assert kept == wanted + [""] * (len(kept) - len(wanted))
            assert not any(cells[len(kept) :])
        else:
            assert row.problem.code == "ingest.too_many_cells"
            assert kept == cells[: len(kept)]


def test_a_thousand_columns(tmp_path: Path) -> None:
    header = [f"c{n}" for n in range(999)] + ["prompt"]
    lines = [",".join(header)] + [",".join(f"{y}-{x}" for x in range(1000)) for y in range(50)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = read(path, SheetOptions())
    assert found is not None
    assert [row.cells[999] for row in found] == [f"{y}-999" for y in range(50)]
    keys = ", ".join(f'"k{n}": {n}' for n in range(1000))
    (tmp_path / "wide.jsonl").write_text(f"{{{keys}}}\n" * 50, encoding="utf-8")
    objects = read(tmp_path / "wide.jsonl", SheetOptions())
    assert objects is not None
    assert objects[49].cells == tuple(str(n) for n in range(1000))
