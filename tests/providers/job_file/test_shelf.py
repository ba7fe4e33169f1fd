"""Provider files where they lie: shipped ones and the operator's own, changed, faulty and gone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from desktop_app.domain.connection import Connection, RateUnit
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Job
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Answer
from desktop_app.domain.text import OperatorError
from desktop_app.providers.job_file.shelf import MOST_BYTES, JobFiles
from tests.contract.cases import DATA_URL, KEY, call
from tests.contract.server import json_reply
from tests.providers.job_file.desk import ENGLISH, SHIPPED, at_desk, registry
from tests.providers.job_file.test_reading import GOOD

NAMES = ("bfl", "dashscope-qwen-image", "dashscope-wan", "fal", "replicate")


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_shipped_and_own_files_are_presets(tmp_path: Path) -> None:
    write(tmp_path, "shop.toml", GOOD)
    write(tmp_path, ".shop.toml", "leave me alone")
    write(tmp_path, "notes.txt", "no provider")
    presets = {preset.id: preset for preset in JobFiles(SHIPPED, tmp_path).presets()}
    assert tuple(presets) == (*NAMES, "shop")
    assert presets["shop"].models == ("m-1",)
    assert presets["dashscope-wan"].currency == "CNY"
    assert all(preset.adapter == "http-job" for preset in presets.values())
    assert all(preset.base_url.startswith("https://") for preset in presets.values())


def test_they_stand_beside_the_built_in_presets(tmp_path: Path) -> None:
    ids = [preset.id for preset in registry(own=tmp_path).presets()]
    assert ids[-5:] == list(NAMES)
    assert "openai-images" in ids
    assert len(set(ids)) == len(ids)


@pytest.mark.expect_log("openai-chat.toml has the name of a built-in one")
def test_an_own_file_wins_over_a_shipped_one_but_not_over_a_built_in_one(tmp_path: Path) -> None:
    write(tmp_path, "replicate.toml", GOOD)
    write(tmp_path, "openai-chat.toml", GOOD)
    files = JobFiles(SHIPPED, tmp_path)
    presets = {preset.id: preset for preset in files.presets()}
    assert presets["replicate"].label == "Shop"
    assert "openai-chat" not in presets
    assert files.of("openai-chat") is None
    assert files.of(None) is None
    assert files.of("nobody") is None


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path, "shop.toml", GOOD)
    files = JobFiles(None, tmp_path)
    first = files.of("shop")
    assert first is files.of("shop")
    file.write_text(GOOD.replace("Shop", "Other shop"), "utf-8")
    os.utime(file, ns=(1, 1))
    second = files.of("shop")
    assert second is not None
    assert second.preset.label == files.presets()[0].label == "Other shop"


def test_no_folder_is_no_trouble(tmp_path: Path) -> None:
    assert JobFiles(tmp_path / "no", tmp_path / "where").presets() == ()
    assert JobFiles().presets() == ()


def test_a_faulty_file_is_a_preset_all_the_same(tmp_path: Path) -> None:
    write(tmp_path, "bad.toml", "[provider\n")
    write(tmp_path, "worse.toml", "[provider]\nmodels = 3\nname = 4\nconcurrency = true\n")
    (tmp_path / "folder.toml").mkdir()
    presets = {preset.id: preset for preset in JobFiles(None, tmp_path).presets()}
    assert {preset.label for preset in presets.values()} == {"bad", "worse", "folder"}
    assert {preset.base_url for preset in presets.values()} == {""}


@pytest.mark.parametrize("unit", ['"picture"', "5", "[]", "{ a = 1 }"])
def test_a_unit_that_is_none_leaves_the_usual_one(tmp_path: Path, unit: str) -> None:
    write(tmp_path, "bad.toml", f"[provider]\nlimits_unit = {unit}\n[price]\nunit = {unit}\n")
    (preset,) = JobFiles(None, tmp_path).presets()
    assert (RateUnit(preset.limits_unit), PriceUnit(preset.price_unit)) == ("rpm", "image")


async def test_a_faulty_file_sends_nothing_and_its_test_tells_every_mistake(tmp_path: Path) -> None:
    bad = GOOD.replace("[poll]", "[pol]").replace('"{size}"', '"{sise}"')
    write(tmp_path, "bad.toml", bad)
    connection = Connection("c", "http-job", "http://127.0.0.1:9", "m-1", preset="bad")
    found = registry(own=tmp_path)
    assert found.capabilities("http-job", connection).jobs
    adapter = found.open(connection, KEY)
    report = await adapter.test()
    assert not report.ok
    said = [ENGLISH.say(one) for one in report.said]
    assert [one.partition(": ")[0] for one in said] == ["bad.toml, line 12", "bad.toml, line 15"]
    made = call()
    with pytest.raises(ProviderFailure) as caught:
        await adapter.submit(made)
    failure = caught.value.failure
    assert (failure.kind, failure.code, failure.sent) == (F.ACCOUNT, "bad_job_file", False)
    assert "has 2 mistakes. Nothing was sent. The first: bad.toml, line 12:" in ENGLISH.say(
        failure.said
    )
    assert not made.begun
    # A job that runs meanwhile waits for the file.
    with pytest.raises(ProviderFailure) as caught:
        await adapter.poll([Job("j1")])  # type: ignore[attr-defined]
    assert caught.value.failure.kind is F.ACCOUNT
    await adapter.close()


async def test_a_mended_file_counts_at_once(tmp_path: Path) -> None:
    text = (SHIPPED / "dashscope-qwen-image.toml").read_text("utf-8")
    async with at_desk("mine", "", "m", own=write(tmp_path, "mine.toml", "[oops").parent) as desk:
        assert not (await desk.adapter.test()).ok
        with pytest.raises(ProviderFailure):
            await desk.adapter.submit(call())
        assert desk.server.seen == []
        write(tmp_path, "mine.toml", text)
        desk.server.on("/api/v1/tasks", json_reply({"data": []}))
        assert (await desk.adapter.test()).ok
        assert not desk.adapter.capabilities.jobs
        path = "/api/v1/services/aigc/multimodal-generation/generation"
        found = {"output": {"choices": [{"message": {"content": [{"image": DATA_URL}]}}]}}
        desk.server.on(path, json_reply(found))
        assert isinstance(await desk.adapter.submit(call()), Answer)
        write(tmp_path, "mine.toml", text + "\n# worse\n[oops")
        with pytest.raises(ProviderFailure) as caught:
            await desk.adapter.submit(call())
        assert caught.value.failure.code == "bad_job_file"


async def test_a_file_that_is_gone_is_told_with_its_folder(tmp_path: Path) -> None:
    connection = Connection("c", "http-job", "http://127.0.0.1:9", "m-1", preset="gone")
    adapter = registry(own=tmp_path).open(connection, KEY)
    (said,) = (await adapter.test()).said
    assert ENGLISH.say(said).startswith("The provider file gone.toml of this connection is not")
    assert str(tmp_path) in ENGLISH.say(said)
    with pytest.raises(ProviderFailure) as caught:
        await adapter.submit(call())
    assert caught.value.failure.code == "no_job_file"
    await adapter.close()


def test_a_file_is_taken_in(tmp_path: Path) -> None:
    file = write(tmp_path / "downloads", "shop.toml", GOOD)
    files = JobFiles(SHIPPED, tmp_path / "data" / "providers")
    assert files.check(file) == ()
    assert files.take_in(file) == "shop"
    assert files.take_in(file) == "shop"  # the same one again
    loaded = files.of("shop")
    assert loaded is not None
    assert loaded.job is not None
    file.write_text(GOOD.replace("Shop", "Other"), "utf-8")
    with pytest.raises(OperatorError) as caught:
        files.take_in(file)
    assert "another shop.toml" in ENGLISH.say(caught.value.message)
    assert (tmp_path / "data" / "providers" / "shop.toml").read_text("utf-8") == GOOD


@pytest.mark.skipif(sys.platform == "win32", reason="no limit to the size of files")
def test_a_file_that_the_disk_took_half_of_is_not_in_the_way(tmp_path: Path) -> None:
    import resource

    file = write(tmp_path, "shop.toml", GOOD)
    files = JobFiles(None, tmp_path / "own")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(GOOD) // 2, usual[1]))
    try:
        with pytest.raises(OperatorError) as caught:
            files.take_in(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert caught.value.message.code == "job_files.not_kept"
    assert files.presets() == ()
    assert files.take_in(file) == "shop"


def test_what_is_wrong_with_a_file_is_told_before_it_is_taken_in(tmp_path: Path) -> None:
    files = JobFiles(SHIPPED, tmp_path / "own")
    bad = write(tmp_path, "bad.toml", GOOD.replace("[poll]", "[pol]"))
    assert [ENGLISH.say(said) for said in files.check(bad)] == [
        "bad.toml, line 15: pol is not known here. Known: poll."
    ]
    taken = write(tmp_path, "openai-chat.toml", GOOD)
    assert "a built-in provider is called openai-chat" in ENGLISH.say(files.check(taken)[0])
    with pytest.raises(OperatorError):
        files.check(tmp_path / "absent.toml")
    huge = write(tmp_path, "huge.toml", "#" * (MOST_BYTES + 1))
    assert "was not read" in ENGLISH.say(files.check(huge)[0])
