"""S15: a key is stored, or kept and said so, or refused and said why; never empty, never shown."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback

import pytest
from keyring.errors import InitError, KeyringLocked, NoKeyringError

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.settings import long_secrets
from desktop_app.settings.secrets import KeyringEntries, KeyringSecrets, checked, variable
from tests.settings.conftest import FakeEntries, Make

KEY = "sk-" + "k" * 40


async def test_a_key_is_stored_read_and_forgotten(make: Make, entries: FakeEntries) -> None:
    secrets = make()
    assert await secrets.get("火山 Ark") is None
    assert await secrets.set("火山 Ark", f"  {KEY}\r\n") is True
    assert await make().get("火山 Ark") == KEY
    await secrets.delete("火山 Ark")
    assert await secrets.get("火山 Ark") is None
    assert entries.stored == {}
    await secrets.delete("火山 Ark")  # once more is no error


async def test_every_call_is_on_the_one_worker(make: Make, entries: FakeEntries) -> None:
    secrets = make()
    await asyncio.gather(*(secrets.get(f"c{n}") for n in range(20)))
    await secrets.set("c", KEY)
    await secrets.available()
    assert entries.threads == {"keyring"}


async def test_the_environment_wins(make: Make, environ: dict[str, str]) -> None:
    secrets = make()
    await secrets.set("my conn-1", KEY)
    environ["BATCHWRIGHT_KEY_MY_CONN_1"] = "from-the-environment"
    assert await secrets.get("my conn-1") == "from-the-environment"
    environ["BATCHWRIGHT_KEY_MY_CONN_1"] = " "
    assert await secrets.get("my conn-1") == KEY


def test_the_variables_name() -> None:
    assert variable("OpenAI main-2") == "BATCHWRIGHT_KEY_OPENAI_MAIN_2"
    # Beyond plain names it is the name's UTF-8, so that no two are alike.
    assert variable("火山方舟") == "BATCHWRIGHT_KEY__E781ABE5B1B1E696B9E8889F"
    names = ["火山方舟", "阿里百炼", "a.b", "a b", "a-b", "A b", "_a b", " ", "e781", "_E781"]
    assert len({variable(name, names) for name in names}) == len(names)
    assert variable("a-b", ["a-b", "c"]) == "BATCHWRIGHT_KEY_A_B"
    assert variable("a-b", ["a-b", "a b"]) == "BATCHWRIGHT_KEY__612D62"


async def test_a_shared_variable_serves_nobody(make: Make, environ: dict[str, str]) -> None:
    async def names() -> list[str]:
        return ["a-b", "a b"]

    secrets = make(names=names)
    environ["BATCHWRIGHT_KEY_A_B"] = KEY
    assert await secrets.get("a-b") is None
    assert await secrets.get("a b") is None
    environ["BATCHWRIGHT_KEY__612D62"] = KEY
    assert await secrets.get("a-b") == KEY
    assert await secrets.get("a b") is None


async def test_s15_no_store_keeps_the_key_until_closing(make: Make, entries: FakeEntries) -> None:
    entries.trouble = NoKeyringError()
    secrets = make()
    said = await secrets.available()
    assert said is not None
    assert said.code == "settings.no_store"
    assert await secrets.get("c") is None
    assert await secrets.set("c", KEY) is False
    assert await secrets.get("c") == KEY
    secrets.close()
    assert await secrets.get("c") is None


async def test_s15_a_store_that_cannot_be_opened_for_the_first_time_is_none(
    make: Make, entries: FakeEntries
) -> None:
    entries.trouble = InitError("Failed to create the collection: Prompt dismissed..")
    secrets = make()
    assert await secrets.get("c") is None
    assert await secrets.set("c", KEY) is False
    assert await secrets.get("c") == KEY


async def test_s15_a_locked_store_is_not_taken_for_no_key(make: Make, entries: FakeEntries) -> None:
    secrets = make()
    await secrets.set("c", KEY)
    entries.trouble = KeyringLocked("locked")
    with pytest.raises(OperatorError) as caught:
        await secrets.get("c")
    assert caught.value.message.code == "settings.store_locked"
    said = await secrets.available()
    assert said is not None
    assert said.code == "settings.store_locked"
    # A key typed in meanwhile is used, and not lost.
    assert await secrets.set("c", KEY + "2") is False
    assert await secrets.get("c") == KEY + "2"
    entries.trouble = None
    assert await secrets.set("c", KEY + "2") is True
    assert entries.stored == {"c": KEY + "2"}


@pytest.mark.expect_log("the password store failed: FileNotFoundError$")
async def test_s15_a_vanished_bus_is_said_plainly(make: Make, entries: FakeEntries) -> None:
    entries.trouble = FileNotFoundError(2, "No such file or directory", "/run/user/0/bus")
    secrets = make()
    with pytest.raises(OperatorError) as caught:
        await secrets.get("c")
    assert caught.value.message.code == "settings.store_failed"
    assert "Error" not in Translator().say(caught.value.message)
    with pytest.raises(OperatorError):
        await secrets.delete("c")
    assert await secrets.set("c", KEY) is False
    assert await secrets.get("c") == KEY


async def test_s15_an_unlock_dialog_is_waiting_for_you_not_a_failure(
    make: Make, entries: FakeEntries
) -> None:
    entries.stored["c"] = KEY
    entries.gate.clear()
    heard: list[bool] = []

    def hear(waiting: bool) -> None:
        heard.append(waiting)
        if waiting:
            entries.gate.set()  # the operator answers the dialog

    secrets = make(on_waiting=hear, answer_s=0.01, unlock_s=30)
    assert await secrets.get("c") == KEY
    assert heard == [True, False]


async def test_s15_a_dialog_nobody_answers_ends_in_words(make: Make, entries: FakeEntries) -> None:
    entries.gate.clear()
    secrets = make(answer_s=0.01, unlock_s=0.01)
    with pytest.raises(OperatorError) as caught:
        await secrets.get("c")
    assert caught.value.message.code == "settings.store_waiting"
    assert await secrets.set("c", KEY) is False
    assert await secrets.get("c") == KEY


async def test_s15_a_store_that_hangs_is_waited_for_once(make: Make, entries: FakeEntries) -> None:
    entries.stored["c"] = KEY
    entries.gate.clear()
    heard: list[bool] = []
    secrets = make(on_waiting=heard.append, answer_s=0.01, unlock_s=0.02)
    for _ in range(3):
        with pytest.raises(OperatorError) as caught:
            await secrets.get("c")
        assert caught.value.message.code == "settings.store_waiting"
    assert heard == [True, False]
    entries.gate.set()
    patient = make()
    assert await patient.get("c") == KEY


async def test_a_cancelled_caller_disturbs_nobody(make: Make, entries: FakeEntries) -> None:
    entries.gate.clear()
    secrets = make()
    waiting = asyncio.ensure_future(secrets.get("c"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    entries.gate.set()
    assert await secrets.set("c", KEY) is True


def test_a_stuck_store_does_not_hold_up_the_end(entries: FakeEntries) -> None:
    entries.gate.clear()
    secrets = KeyringSecrets(environ={}, entries=entries, answer_s=0.01, unlock_s=0.01)

    async def ask() -> None:
        with pytest.raises(OperatorError):
            await secrets.get("c")

    asyncio.run(ask())
    stuck = [thread for thread in threading.enumerate() if thread.name == "keyring"]
    assert [thread.daemon for thread in stuck] == [True]
    entries.gate.set()  # answers after the loop is gone: nobody listens, nothing breaks
    secrets.close()
    assert not stuck[0].is_alive()


@pytest.mark.parametrize(
    ("secret", "code"),
    [
        ("", "settings.key_empty"),
        ("  \n", "settings.key_empty"),
        ("sk-ab cd", "settings.key_odd"),
        ("sk-ab\r\nX-Evil: 1", "settings.key_odd"),
        ("密钥", "settings.key_odd"),
        ("k" * 20_001, "settings.key_too_long"),
    ],
)
async def test_s15_what_is_no_key_is_refused(
    make: Make, entries: FakeEntries, secret: str, code: str
) -> None:
    with pytest.raises(OperatorError) as caught:
        await make().set("c", secret)
    assert caught.value.message.code == code
    assert secret.strip() not in str(caught.value.message.values) or not secret.strip()
    assert entries.stored == {}


async def test_s15_a_3000_character_key_fits_a_store_of_1280(
    make: Make, entries: FakeEntries
) -> None:
    entries.longest = 1280
    secrets = make()
    long = "".join(chr(ord("a") + n % 26) for n in range(3000))
    assert await secrets.set("c", long) is True
    assert await make().get("c") == long
    assert await secrets.set("c", long[::-1]) is True
    assert await secrets.get("c") == long[::-1]
    assert len(entries.stored) == 4  # the parts of the former key are gone
    await secrets.delete("c")
    assert entries.stored == {}


async def test_s15_a_long_key_that_lost_a_part_is_never_sent_short(
    make: Make, entries: FakeEntries
) -> None:
    secrets = make()
    await secrets.set("c", "k" * 3000)
    part = next(user for user in entries.stored if user != "c")
    del entries.stored[part]
    with pytest.raises(OperatorError) as caught:
        await secrets.get("c")
    assert caught.value.message.code == "settings.key_damaged"
    assert caught.value.message.values == {"connection": "c"}


def test_a_long_key_replaces_the_former_in_one_write(entries: FakeEntries) -> None:
    long_secrets.write(entries, "c", "old")
    written: list[str] = []
    real = entries.write

    def failing_at_the_last(user: str, secret: str) -> None:
        if user == "c":
            raise KeyringLocked
        written.append(user)
        real(user, secret)

    entries.write = failing_at_the_last  # type: ignore[method-assign]
    with pytest.raises(KeyringLocked):
        long_secrets.write(entries, "c", "k" * 3000)
    assert len(written) == 1 + 3  # a note of the parts comes first
    assert long_secrets.read(entries, "c") == "old"


def test_a_key_that_looks_like_our_own_mark_comes_back_as_it_was(entries: FakeEntries) -> None:
    odd = "batchwright-parts:0a1b2c3d:3"
    long_secrets.write(entries, "c", odd)
    assert long_secrets.read(entries, "c") == odd


@pytest.mark.expect_log("the password store failed: RuntimeError$")
async def test_s20_the_key_is_in_no_repr_traceback_or_log(
    make: Make, entries: FakeEntries, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    entries.trouble = RuntimeError(f"cannot store {KEY}")
    heard: list[str] = []
    secrets = make(on_secret=heard.append)
    await secrets.set("c", KEY)
    assert heard == [KEY]  # the logs are told what to mask
    told = repr(secrets) + repr(await secrets.available())
    try:
        await secrets.delete("c")
    except OperatorError as error:
        told += "".join(traceback.TracebackException.from_exception(error).format())
    assert KEY not in told
    assert KEY not in caplog.text


def test_checked_returns_the_bare_key() -> None:
    assert checked("\t" + KEY + " \n") == KEY


# --- the real keyring package, without a store ---------------------------------------------------


async def test_s15_the_keyring_package_without_a_backend_is_no_store() -> None:
    secrets = KeyringSecrets(environ={})  # the tests' environment names the failing backend
    said = await secrets.available()
    assert said is not None
    assert said.code == "settings.no_store"
    assert await secrets.get("c") is None
    assert await secrets.set("c", KEY) is False
    assert await secrets.get("c") == KEY
    await secrets.delete("c")
    secrets.close()


def test_s15_a_backend_that_swallows_keys_is_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backends import null

    monkeypatch.setattr(keyring, "get_keyring", null.Keyring)
    with pytest.raises(NoKeyringError):
        KeyringEntries().write("c", KEY)
