from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.ports import Content
from desktop_app.domain.text import OperatorError
from desktop_app.exports import placing, steps
from desktop_app.exports.placing import note_of
from desktop_app.exports.temp_files import part_of, writing_of
from tests.exports.results_for_test import claim, keeper, names, picture, png, shown, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])


class Crash(BaseException):
    """The program ends here."""


@BOTH_WAYS
async def test_a_picture_is_kept_and_nothing_else_is_left(tmp_path: Path, links: bool) -> None:
    files, task, content = keeper(links=links), claim(tmp_path / "new" / "out"), png()
    kept = await files.keep(task, content, flags=("length",))
    assert kept.path == "0042_sku.png"
    assert (kept.mime, kept.width, kept.height, kept.text) == ("image/png", 40, 30, None)
    assert (kept.size, kept.flags) == (len(content.data), ("length",))
    assert kept.sha256 == hashlib.sha256(content.data).hexdigest()
    out = Path(task.out_dir)
    assert (out / kept.path).read_bytes() == content.data
    await files.settled(task)
    await files.settled(task)
    assert names(out) == ["0042_sku.png"]


@pytest.mark.parametrize(
    ("kind", "suffix"), [("PNG", ".png"), ("JPEG", ".jpg"), ("WEBP", ".webp"), ("GIF", ".gif")]
)
async def test_the_bytes_decide_the_extension(tmp_path: Path, kind: str, suffix: str) -> None:
    kept = await keeper().keep(claim(tmp_path), Content(picture(kind), "image/x-claimed"))
    assert kept.path == f"0042_sku{suffix}"


@pytest.mark.parametrize(
    ("answer", "name", "mime"),
    [
        ("一双红色的鞋\n", "0042_sku.txt", "text/plain"),
        ('{"a": [1, 2]}', "0042_sku.txt", "text/plain"),
        ("2 * 3 ** 2 - a line", "0042_sku.txt", "text/plain"),
        ("# Title\n\ntext", "0042_sku.md", "text/markdown"),
        ("- one\n- two", "0042_sku.md", "text/markdown"),
        ("a **bold** word", "0042_sku.md", "text/markdown"),
        ("|a|b|\n|---|---|\n|1|2|", "0042_sku.md", "text/markdown"),
    ],
)
async def test_texts_are_kept_as_text(tmp_path: Path, answer: str, name: str, mime: str) -> None:
    kept = await keeper().keep(claim(tmp_path), text(answer))
    assert (kept.path, kept.mime, kept.text) == (name, mime, answer)
    assert (tmp_path / name).read_bytes() == answer.encode()


@pytest.mark.parametrize(
    "content",
    [
        Content(b"", "image/png"),
        Content(b"<html>502</html>", "image/png"),
        Content(picture()[:-1], "image/png"),
        Content(picture()[:60], "image/png"),
        Content(picture("JPEG")[:-2], "image/jpeg"),
        Content(picture("WEBP")[:-1], "image/webp"),
        Content(picture("GIF")[:-1], "image/gif"),
        Content(picture()[:50] + b"\0\0\0\0" + picture()[54:], "image/png"),
        text(" \n"),
        Content(b"\xff\xfe", "text/plain"),
    ],
)
async def test_half_a_result_is_none_and_leaves_nothing(tmp_path: Path, content: Content) -> None:
    files = keeper()
    with pytest.raises(BadResult):
        await files.keep(claim(tmp_path), content)
    assert names(tmp_path) == []
    assert await files.find(claim(tmp_path)) is None


@BOTH_WAYS
async def test_s14_equal_names_never_overwrite(tmp_path: Path, links: bool) -> None:
    files = keeper(links=links)
    (tmp_path / "0042_sku.png").write_bytes(b"someone else's")
    kept = []
    for number, colour in enumerate(("red", "blue", "green"), start=1):
        task = claim(tmp_path, attempt_no=number)
        kept.append((await files.keep(task, png(colour))).path)
        await files.settled(task)
    assert kept == ["0042_sku-2.png", "0042_sku-3.png", "0042_sku-4.png"]
    assert (tmp_path / "0042_sku.png").read_bytes() == b"someone else's"
    assert (tmp_path / kept[1]).read_bytes() == png("blue").data


KINDS = [
    ("text/markdown", "no marks", "0042_sku.md"),
    ("application/json", '{"a": "**bold** and `code`"}', "0042_sku.json"),
]


@BOTH_WAYS
@pytest.mark.parametrize(("mime", "words", "name"), KINDS)
async def test_a_text_wanted_as_something_is_found_as_such(
    tmp_path: Path, links: bool, mime: str, words: str, name: str
) -> None:
    task = claim(tmp_path)
    plain = Content(b"", mime, text=words)
    kept = await keeper(links=links).keep(task, plain)
    assert (kept.path, kept.mime, kept.text) == (name, mime, words)
    assert await keeper(links=links).find(task) == kept
    assert shown(tmp_path) == [name]


@BOTH_WAYS
@pytest.mark.parametrize("taken", [False, True])
async def test_after_a_crash_before_the_commit_the_file_is_found(
    tmp_path: Path, links: bool, taken: bool
) -> None:
    if taken:
        (tmp_path / "0042_sku.png").write_bytes(picture(colour="blue"))
    task = claim(tmp_path)
    kept = await keeper(links=links).keep(task, png())
    found = await keeper(links=links).find(task)
    assert found == kept
    assert len(shown(tmp_path)) == 1 + taken
    assert await keeper(links=links).find(claim(tmp_path, attempt_no=2)) is None
    assert await keeper(links=links).find(claim(tmp_path, edition=2)) is None


@BOTH_WAYS
async def test_a_finished_file_without_its_name_is_adopted(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*args: object, **kwargs: object) -> None:
        raise Crash

    task = claim(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(placing, "_rename_new", crash)
        patch.setattr(os, "link", crash)
        with pytest.raises(Crash):
            await keeper(links=links).keep(task, png())
    assert shown(tmp_path) == []
    found = await keeper(links=links).find(task)
    assert found is not None
    assert (tmp_path / found.path).read_bytes() == png().data


async def test_a_crash_between_reserving_the_name_and_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.replace

    def crash(self: Path, target: Path) -> Path:
        if target.name == "0042_sku.png":
            raise Crash
        return real(self, target)

    task = claim(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", crash)
        with pytest.raises(Crash):
            await keeper(links=False).keep(task, png())
    assert (tmp_path / "0042_sku.png").read_bytes() == b""
    found = await keeper(links=False).find(task)
    assert found is not None
    assert shown(tmp_path) == [found.path] == ["0042_sku.png"]


async def test_a_file_half_written_at_the_crash_is_not_adopted(tmp_path: Path) -> None:
    task = claim(tmp_path)
    writing_of(part_of(task)).write_bytes(b"half of a te")
    assert await keeper().find(task) is None
    part_of(task).write_bytes(picture()[:50])
    assert await keeper().find(task) is None
    assert names(tmp_path) == []


async def test_a_foreign_file_at_the_reserved_name_is_never_adopted(tmp_path: Path) -> None:
    task = claim(tmp_path)
    (tmp_path / "0042_sku.png").write_bytes(picture())
    assert await keeper().find(task) is None
    placing.write_note(note_of(part_of(task)), Path("0042_sku.png"), "0" * 64)
    assert await keeper(links=False).find(task) is None


@BOTH_WAYS
async def test_kept_twice_gives_the_same_file(tmp_path: Path, links: bool) -> None:
    files, task = keeper(links=links), claim(tmp_path)
    first = await files.keep(task, png())
    assert await files.keep(task, png()) == first
    assert shown(tmp_path) == ["0042_sku.png"]
    other = await files.keep(task, png("blue"))
    assert other.path == "0042_sku-2.png"


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK])
async def test_a_file_system_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def no_link(*args: object, **kwargs: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", no_link)
    task = claim(tmp_path)
    kept = await keeper().keep(task, png())
    assert await keeper().find(task) == kept
    await keeper().settled(task)
    assert names(tmp_path) == ["0042_sku.png"]


async def test_a_full_disk_is_this_machines_trouble_and_the_result_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, task = keeper(), claim(tmp_path)

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(LocalTrouble) as caught:
            await files.keep(task, png())
    assert caught.value.message.code == "exports.disk_full"
    assert names(tmp_path) == []
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", full)
        with pytest.raises(LocalTrouble):
            await files.keep(task, png())
    assert names(tmp_path) == [part_of(task).name]
    kept = await files.keep(task, png())
    assert shown(tmp_path) == [kept.path]


async def test_a_disk_that_reads_back_other_bytes_is_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "_read_back", lambda file: b"rotten")
    with pytest.raises(LocalTrouble) as caught:
        await keeper().keep(claim(tmp_path), png())
    assert caught.value.message.code == "exports.disk_error"


async def test_a_folder_that_was_there_is_not_made_again_elsewhere(tmp_path: Path) -> None:
    files, out = keeper(), tmp_path / "drive"
    await files.keep(claim(out), png())
    await files.settled(claim(out))
    (out / "0042_sku.png").unlink()
    out.rmdir()
    with pytest.raises(LocalTrouble) as caught:
        await files.keep(claim(out), png())
    assert caught.value.message.code == "exports.folder_gone"
    await files.settled(claim(out))


async def test_stems_with_folders_stay_inside(tmp_path: Path) -> None:
    out = tmp_path / "out"
    kept = await keeper().keep(claim(out, "shoes/red/0042"), png())
    assert kept.path == "shoes/red/0042.png"
    for number, stem in enumerate(("../../evil", "/evil", "a/../../../evil", "..", ""), start=2):
        kept = await keeper().keep(claim(out, stem, attempt_no=number), png())
        assert (out / kept.path).is_file()
    assert {name.split("/")[0] for name in names(tmp_path)} == {"out"}


async def test_a_stem_with_dots_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "0042_v1.5.png").write_bytes(b"")
    kept = await keeper().keep(claim(tmp_path, "0042_v1.5"), png())
    assert kept.path == "0042_v1.5-2.png"


@BOTH_WAYS
async def test_sweep_drops_what_is_spent_and_keeps_what_nobody_claimed(
    tmp_path: Path, links: bool
) -> None:
    old = keeper(links=links)
    await old.keep(claim(tmp_path), png())
    unclaimed, half = claim(tmp_path, attempt_no=2), claim(tmp_path, attempt_no=3)
    part_of(unclaimed).write_bytes(picture())
    writing_of(part_of(half)).write_bytes(b"ha")
    assert await keeper(links=links).sweep(str(tmp_path)) == 2
    assert names(tmp_path) == sorted(["0042_sku.png", part_of(unclaimed).name])


async def test_sweep_leaves_what_this_process_wrote(tmp_path: Path) -> None:
    files = keeper()
    await files.keep(claim(tmp_path), png())
    later = files._born + 10
    os.utime(part_of(claim(tmp_path)), (later, later))
    assert await files.sweep(str(tmp_path)) == 0


async def test_attach_verifies_like_any_other(tmp_path: Path) -> None:
    out = tmp_path / "out"
    source = tmp_path / "found by hand.dat"
    source.write_bytes(picture("JPEG"))
    files = keeper()
    assert (await files.attach(str(out), "0042_sku", source)).path == "0042_sku.jpg"
    assert (await files.attach(str(out), "0042_sku", source)).path == "0042_sku-2.jpg"
    answer = tmp_path / "answer.md"
    answer.write_text("# 标题", encoding="utf-8")
    kept = await files.attach(str(out), "0043", answer)
    assert (kept.path, kept.text) == ("0043.md", "# 标题")
    source.write_bytes(b"no picture")
    with pytest.raises(BadResult):
        await files.attach(str(out), "0044", source)
    with pytest.raises(OperatorError):
        await files.attach(str(out), "0044", tmp_path / "gone.png")
    assert names(out) == ["0042_sku-2.jpg", "0042_sku.jpg", "0043.md"]
    assert source.exists()
