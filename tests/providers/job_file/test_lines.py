"""Each key of a TOML file by its line, however the file is written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from desktop_app.providers.job_file.lines import Lines

TEXT = '''\
# a comment
[provider]
name = "x"  # [not.a.table]
models = [
  "a",   # b = 1
  "b",
]

text = """
[fake]
key = "in a text"
"""
a.b.c = 1
"quoted key" = 2

[errors]
otherwise = "invalid"

[[errors.rules]]
means = "refused"

[[errors.rules]]
codes = ["x"]
means = "invalid"

[submit]
headers = { A = "1", B = "2" }
content = [
  { image = "{reference}" },
  { text = "{prompt}" },
]
[submit.body.input]
prompt = "{prompt}"
'''


def line(text: str) -> int:
    return TEXT.split("\n").index(text) + 1


def test_each_key() -> None:
    lines = Lines(TEXT)
    assert lines.of(("provider",)) == 2
    assert lines.of(("provider", "name")) == 3
    assert lines.of(("provider", "models")) == 4
    assert lines.of(("provider", "text")) == line('text = """')
    assert lines.of(("provider", "a", "b", "c")) == line("a.b.c = 1")
    assert lines.of(("provider", "quoted key")) == line('"quoted key" = 2')
    assert lines.of(("errors", "rules", 0, "means")) == line('means = "refused"')
    assert lines.of(("errors", "rules", 1, "means")) == line('means = "invalid"')
    assert lines.of(("errors", "rules", 1)) == line('codes = ["x"]') - 1
    assert lines.of(("submit", "headers", "B")) == line('headers = { A = "1", B = "2" }')
    assert lines.of(("submit", "content", 0, "image")) == line('  { image = "{reference}" },')
    assert lines.of(("submit", "content", 1, "text")) == line('  { text = "{prompt}" },')
    assert lines.of(("submit", "body", "input", "prompt")) == line('prompt = "{prompt}"')


def test_what_is_missing_is_told_at_the_table_that_lacks_it() -> None:
    lines = Lines(TEXT)
    assert lines.of(("provider", "base_url")) == 2
    assert lines.of(("errors", "rules", 1, "text")) == line('codes = ["x"]') - 1
    assert lines.of(("nowhere", "at", "all")) == 1


def test_columns() -> None:
    lines = Lines(TEXT)
    assert lines.column(3, "x") == 9
    assert lines.column(3, "absent") is None
    assert lines.column(99, "x") is None


def test_texts_and_brackets_that_only_look_like_an_end() -> None:
    lines = Lines(
        "\n".join(
            (
                'a = """one ]',
                '\\""" still"""""  # " [',  # two marks of its own before the three
                "b = '''C:\\",
                "''' # it's [ one line",
                "c = [ # ]",
                '  \'[\', "]\\"[",',
                "]",
                "d = 1",
            )
        )
    )
    assert [lines.of((key,)) for key in "abcd"] == [1, 3, 5, 8]


def test_a_long_list_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(text: str) -> Any:
        read.append(text.count("\n") + 1)
        return loads(text)

    loads = tomllib.loads
    monkeypatch.setattr(tomllib, "loads", counted)
    many = 500
    lines = Lines("a = [\n" + '["x"],\n' * many + "]\nb = 1\n")
    assert lines.of(("b",)) == many + 3
    assert sum(read) <= many + 10
