"""``requeue --from``: a failure sheet, edited outside, goes back by the terminal."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Verbs
from tests.cli.test_control import dead, killed, rows


def edited(verbs: Verbs, path: Path, old: str, new: str) -> Path:
    done = verbs.run("export", "failures", "--batch", "1", "--to", path)
    assert done.code == 0, done.err
    text = path.read_text("utf-8-sig").replace(old, new, 1)
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_a_sheet_goes_back_once(verbs: Verbs, tmp_path: Path) -> None:
    dead(verbs, tmp_path, 3)
    sheet = edited(verbs, tmp_path / "failures.csv", "thing 1 [[moderate]]", "a cup")
    first = verbs.run("--json", "requeue", "--from", sheet)
    assert first.code == 0, first.err
    assert (first.json["count"], first.json["edited"], first.json["refused"]) == (3, 1, [])
    assert [row["prompt"] for row in rows(verbs)][1] == "a cup"
    second = verbs.run("requeue", "--from", sheet)
    assert second.code == 0, second.err
    assert "Row 2 waits to be sent already." in second.out
    assert "Nothing was requeued" in second.out
    assert {row["state"] for row in rows(verbs)} == {"pending"}


def test_what_may_be_paid_twice_is_priced_before_it_is_sent(verbs: Verbs, tmp_path: Path) -> None:
    with killed(verbs, tmp_path):
        assert verbs.run("pause", "--batch", "1").code == 0  # settles what was on the wire
        sheet = edited(verbs, tmp_path / "failures.csv", "cup 0", "mug 0")
        left = verbs.run("--json", "requeue", "--from", sheet)
        assert (left.code, left.json["count"], left.json["left_uncertain"]) == (0, 0, 2)
        assert left.json["may_cost"] == [{"amount": "0.50", "currency": "USD"}]
        lines = verbs.run("requeue", "--from", sheet).out.splitlines()
        assert [line.split()[:3] for line in lines[-2:]] == [
            ["2", "rows", "may"],
            ["It", "may", "be"],
        ]
        said = verbs.refused("requeue", "--from", sheet, "--state", "uncertain")
        assert "up to 0.50 USD more" in said
        sent = verbs.run("--json", "requeue", "--from", sheet, "--state", "uncertain", "--yes")
        assert (sent.code, sent.json["count"]) == (0, 2), sent.err


def test_another_sheet_is_refused(verbs: Verbs, tmp_path: Path) -> None:
    dead(verbs, tmp_path, 1)
    assert "is no failure sheet" in verbs.refused("requeue", "--from", tmp_path / "t.csv")


def test_how_many_went_back_is_said_in_a_sentence(verbs: Verbs, tmp_path: Path) -> None:
    dead(verbs, tmp_path, 3)
    sheet = edited(verbs, tmp_path / "failures.csv", "thing 1 [[moderate]]", "a cup")
    assert verbs.run("requeue", "--from", sheet).out.splitlines() == [
        "3 rows were requeued.",
        "They are sent once you give: resume --batch 1",
    ]
