from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.ports.manifest import ListedLast
from desktop_app.exports.manifest import ManifestFiles
from tests.exports.results_for_test import names

resource = pytest.importorskip("resource", reason="a small disk is played by a limit of the system")


def record(result: int, n: int = 1, of: int = 1, batch: int = 1) -> dict[str, Any]:
    return {
        "result": result,
        "n": n,
        "of": of,
        "task_id": f"t{result}",
        "batch": batch,
        "file": f"红/{result}-{n}.png",
        "prompt": "红\n" * 40_000 if result == 3 else "p",
    }


def results(file: Path) -> list[int]:
    return [json.loads(line)["result"] for line in file.read_bytes().splitlines()]


async def test_lines_are_added_and_the_last_one_of_a_batch_is_found(tmp_path: Path) -> None:
    files, out = ManifestFiles(), str(tmp_path)
    assert await files.last(out, 1) == ListedLast(there=False)
    assert await files.append(out, [record(1), record(2, batch=2)])
    assert await files.append(out, [record(3, batch=2)])
    assert await ManifestFiles().last(out, 1) == ListedLast(True, 1, "t1")
    assert await ManifestFiles().last(out, 2) == ListedLast(True, 3, "t3")
    assert await ManifestFiles().last(out, 9) == ListedLast(there=True)
    listed = await files.listed(out, 1)
    assert ("t1", "红/1-1.png") in listed
    for other in (("t1", "红/1-2.png"), ("t2", "红/2-1.png"), ("t3", "红/3-1.png")):
        assert other not in listed
    assert results(tmp_path / "manifest.jsonl") == [1, 2, 3]


async def test_a_long_list_is_known_without_holding_its_lines(tmp_path: Path) -> None:
    files, out = ManifestFiles(), str(tmp_path)
    for result in range(1_000):
        await files.append(out, [{**record(result), "prompt": "p" * 2_000}])
    tracemalloc.start()
    try:
        listed = await files.listed(out, 1)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all((f"t{result}", f"红/{result}-1.png") in listed for result in range(1_000))
    assert most < (tmp_path / "manifest.jsonl").stat().st_size // 4


async def test_half_a_line_of_a_crash_is_cut_off_wherever_it_ended(tmp_path: Path) -> None:
    file, out = tmp_path / "manifest.jsonl", str(tmp_path)
    await ManifestFiles().append(out, [record(1), record(2)])
    whole = file.read_bytes()
    first = len(whole) // 2
    for cut in range(len(whole) + 1):
        file.write_bytes(whole[:cut])
        last = await ManifestFiles().last(out, 1)
        assert last is not None
        assert last.result == (2 if cut == len(whole) else 1 if cut >= first else 0), cut
        assert await ManifestFiles().append(out, [record(9)])
        assert results(file)[-1] == 9
        assert names(tmp_path) == ["manifest.jsonl"]


@pytest.mark.parametrize("left", [1, 2])
async def test_a_result_of_which_not_all_files_are_listed_is_listed_anew(
    tmp_path: Path, left: int
) -> None:
    out = str(tmp_path)
    await ManifestFiles().append(out, [record(1), *(record(2, n, 3) for n in range(1, left + 1))])
    assert await ManifestFiles().last(out, 1) == ListedLast(True, 1, "t1")


async def test_a_list_that_a_person_changed_is_left_alone(tmp_path: Path) -> None:
    file, out = tmp_path / "manifest.jsonl", str(tmp_path)
    for theirs in (b"mine\n", b"{}\n", b"notes without an end", b"\xff\xfe{\0"):
        file.write_bytes(theirs)
        assert await ManifestFiles().append(out, [record(1)])
        assert file.read_bytes() == theirs
        assert results(tmp_path / "manifest-2.jsonl") == [1]
        (tmp_path / "manifest-2.jsonl").unlink()


@pytest.mark.parametrize(
    "edited", [{"n": "one", "of": 2}, {"n": None}, {"n": -1}, {"n": 3, "of": 1}, {"result": "x"}]
)
async def test_a_line_that_a_person_edited_is_none_of_ours(
    tmp_path: Path, edited: dict[str, Any]
) -> None:
    file, out = tmp_path / "manifest.jsonl", str(tmp_path)
    theirs = json.dumps(record(1)) + "\n" + json.dumps({**record(2), **edited}) + "\n"
    file.write_text(theirs, "utf-8")
    assert await ManifestFiles().append(out, [record(3)])
    assert file.read_text("utf-8") == theirs
    assert results(tmp_path / "manifest-2.jsonl") == [3]
    file.write_text(theirs + json.dumps(record(4, batch=2)) + "\n", "utf-8")
    assert await ManifestFiles().last(out, 1) == ListedLast(True, 1, "t1")


async def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    files, file = ManifestFiles(), tmp_path / "manifest.jsonl"
    assert not await files.append(str(tmp_path / "gone"), [record(1)])
    assert await files.last(str(tmp_path / "gone"), 1) is None
    assert names(tmp_path) == []
    await files.append(str(tmp_path), [record(1)])
    before = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, hard))  # a disk with little room
    try:
        assert not await files.append(str(tmp_path), [record(2), record(4)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == before
    assert await files.append(str(tmp_path), [record(2)])
    assert results(file) == [1, 2]
