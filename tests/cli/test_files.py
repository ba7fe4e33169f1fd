from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.cli.files import parted
from desktop_app.cli.parser import parse

VERBS = {"run", "status"}


def test_files_in_the_place_of_a_verb_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words").write_text("")
    here = str(tmp_path)
    for argv, options, files in (
        (["a.csv", "春季.XLSX"], [], [f"{here}/a.csv", f"{here}/春季.XLSX"]),
        (
            ["--data-dir", "d", "--demo", "/x/a.jsonl"],
            ["--data-dir", "d", "--demo"],
            ["/x/a.jsonl"],
        ),
        (["words"], [], [f"{here}/words"]),
        (["--", "-odd"], [], [f"{here}/-odd"]),
        (["run", "a.csv"], ["run", "a.csv"], []),
        (["rnu", "a.csv"], ["rnu", "a.csv"], []),
        (["--data-dir", "a.csv"], ["--data-dir", "a.csv"], []),
        (["x" * 5000], ["x" * 5000], []),
        ([], [], []),
    ):
        assert parted(argv, VERBS) == (options, files)


def test_the_command_line_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    args = parse(["--language", "en", "a.csv"])
    assert (args.verb, args.language, args.files) == (None, "en", [str(tmp_path / "a.csv")])
    assert parse(["status"]).files == []
    with pytest.raises(SystemExit) as ended:
        parse(["nonsense"])
    assert ended.value.code == 2
