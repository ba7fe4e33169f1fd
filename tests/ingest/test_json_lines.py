from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.ingest.json_lines import MOST_COLUMNS, column_name
from tests.helpers.examples import sharing_fixtures
from tests.ingest.sheets_for_test import cells, opened, rows, write


def refused(path: Path) -> str:
    with pytest.raises(OperatorError) as caught:
        rows(path)
    return Translator().say(caught.value.message)


def problems(path: Path) -> dict[int, str]:
    say = Translator().say
    return {row.row_no: say(row.problem) for row in rows(path) if row.problem is not None}


def test_keys_become_columns_in_the_order_of_their_first_appearance(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", '{"b": "1", "prompt": "x"}\n{"z": "2"}\n{"prompt":"y","a":""}'
    )
    info = opened(path)
    assert info.columns == ("b", "prompt", "z", "a")
    assert (info.rows, info.guess, info.warnings) == (3, {"prompt": "prompt"}, ())
    assert (info.encoding, info.delimiter, info.header) == ("utf-8", None, None)
    assert cells(path) == [("1", "x", "", ""), ("", "", "2", ""), ("", "y", "", "")]


def test_values_stay_as_they_were_written(tmp_path: Path) -> None:
    big = "1234567890" * 900 + ".10"
    path = write(
        tmp_path / "a.jsonl",
        '{"a": 1.10, "b": 1E+5, "c": BIG, "d": true, "e": null, "f": {"x": [1.0,  2], "y":"红"}, '
        '"g": "\\u7ea2\\n", "h": -0}'.replace("BIG", big),
    )
    assert cells(path) == [
        ("1.10", "1E+5", big, "true", "", '{"x": [1.0,  2], "y":"红"}', "红\n", "-0")
    ]


def test_a_line_that_is_no_object_spoils_itself_alone(tmp_path: Path) -> None:
    deep = "[" * 100_000
    path = write(
        tmp_path / "a.jsonl",
        '{"prompt": "a"}\n{"prompt": "b"\n["c"]\n{"prompt": 1, "prompt": 2}\n{"prompt": NaN}\n'
        f'{{"prompt": {deep}\n{{"prompt": "\\ud800"}}\n'
        '{"prompt": "a\\u0000b"}\n{"prompt": "z"}x\n'
        '{"prompt": 01}\n{"prompt": "last"}\n',
    )
    said = problems(path)
    assert said == {
        2: "Row 2 is not valid JSON; correct the line.",
        3: 'Row 3 is JSON but not an object; write it as {"prompt": "..."}.',
        4: "Row 4 has the same key twice; keep one of them.",
        5: "Row 5 is not valid JSON; correct the line.",
        6: "Row 6 is not valid JSON; correct the line.",
        7: "Row 7 holds bytes that are not utf-8: choose another encoding, or type the row again.",
        8: "Row 8 holds NUL characters; remove them or type the row again.",
        9: "Row 9 is not valid JSON; correct the line.",
        10: "Row 10 is not valid JSON; correct the line.",
    }
    found = cells(path)
    assert (found[0], found[1], found[-1]) == (("a",), ('{"prompt": "b"',), ("last",))
    assert opened(path).rows == 11


def test_blank_lines_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '\n{"prompt": "a"}\r\n \r\n{"prompt": "b"}\r\n')
    assert [row.row_no for row in rows(path)] == [2, 4]
    assert [Translator().say(w) for w in opened(path).warnings] == [
        "Blank lines are left out: 2 (rows 1, 3)."
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "gb18030"])
def test_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "a.ndjson", '{"提示词": "红色运动鞋,白色背景"}\n' * 3, encoding)
    assert cells(path) == [("红色运动鞋,白色背景",)] * 3


def test_objects_under_a_text_name_are_objects(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", '\n{"prompt": "a, b"}\n')
    assert cells(path) == [("a, b",)]
    assert cells(path, delimiter="\n", header=False) == [('{"prompt": "a, b"}',)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n \n", "is empty"),
        ("prompt\na red shoe\n", "holds no JSON objects"),
        ("{}\n{}\n", "holds no JSON objects"),
    ],
)
def test_what_holds_no_objects_gets_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(write(tmp_path / "a.jsonl", text))


def test_a_file_with_data_for_keys_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"k{n}": 1}}\n' for n in range(MOST_COLUMNS + 1)))
    assert "more than 16,384 different keys" in refused(path)


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))


@given(
    st.lists(st.dictionaries(TEXT, TEXT, min_size=1, max_size=4), min_size=1, max_size=6),
    st.booleans(),
)
@sharing_fixtures()
def test_any_objects_come_back_exactly(
    tmp_path: Path, table: list[dict[str, str]], ascii_only: bool
) -> None:
    text = "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in table)
    path = write(tmp_path / "any.jsonl", text)
    columns = opened(path, encoding="utf-8").columns
    assert list(columns) == list(dict.fromkeys(column_name(k) for row in table for k in row))
    named = [{column_name(key): value for key, value in row.items()} for row in table]
    found = cells(path, encoding="utf-8")
    assert found == [tuple(row.get(name, "") for name in columns) for row in named]
