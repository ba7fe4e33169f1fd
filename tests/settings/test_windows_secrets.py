"""Keys of every length in Windows' store, through the keyring package's own code for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import keyring
import pytest
from keyring.backends import Windows

from desktop_app.domain.text import OperatorError
from desktop_app.settings.long_secrets import Damaged, delete, read, write
from desktop_app.settings.secrets import KeyringEntries, KeyringSecrets
from tests.settings.wincred import Error, PyWinTypes, Win32Cred

LENGTHS = [1, 999, 1000, 1001, 1279, 1280, 1281, 2560, 5000, 20_000]
ME, OTHER = "火山 Ark", "OpenAI"


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Win32Cred]:
    api = Win32Cred()
    monkeypatch.setattr(Windows, "win32cred", api, raising=False)
    monkeypatch.setattr(Windows, "pywintypes", PyWinTypes, raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(Windows.WinVaultKeyring())  # type: ignore[no-untyped-call]
    yield api
    keyring.set_keyring(before)


Start = Callable[[], KeyringSecrets]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """The program, started once more."""
    made: list[KeyringSecrets] = []

    def build() -> KeyringSecrets:
        made.append(KeyringSecrets(environ={}))
        return made[-1]

    yield build
    for each in made:
        each.close()


def key(length: int, first: int = 0) -> str:
    return "".join(chr(ord("!") + (first + at * 7) % 94) for at in range(length))


def test_the_store_itself_refuses_one_sign_more_than_1280(vault: Win32Cred) -> None:
    entries = KeyringEntries()
    entries.write(ME, "k" * 1280)
    assert entries.read(ME) == "k" * 1280
    with pytest.raises(Error) as caught:
        entries.write(ME, "k" * 1281)
    assert caught.value.winerror == 1783


@pytest.mark.parametrize("length", LENGTHS)
async def test_a_key_of_any_length_comes_back_whole_and_goes_whole(
    vault: Win32Cred, start: Start, length: int
) -> None:
    assert await start().set(OTHER, key(40)) is True
    assert await start().set(ME, key(length)) is True
    assert await start().get(ME) == key(length)
    assert await start().get(OTHER) == key(40)
    await start().delete(ME)
    assert await start().get(ME) is None
    assert await start().get(OTHER) == key(40)
    assert vault.users() == {OTHER}


@pytest.mark.parametrize("before", LENGTHS)
@pytest.mark.parametrize("after", [1, 1000, 1001, 5000])
async def test_a_replaced_key_leaves_nothing_of_itself(
    vault: Win32Cred, start: Start, before: int, after: int
) -> None:
    await start().set(ME, key(before))
    await start().set(ME, key(after, first=3))
    assert await start().get(ME) == key(after, first=3)
    parts = 0 if after <= 1000 else -(-after // 1000)
    assert len(vault.users()) == 1 + parts


@pytest.mark.parametrize("signs", ["密钥", "kéy", "k\ufeffy", "🔑" * 700, "k" * 20_001])
async def test_what_is_no_key_is_refused_before_the_store_is_asked(
    vault: Win32Cred, start: Start, signs: str
) -> None:
    with pytest.raises(OperatorError) as caught:
        await start().set(ME, signs)
    code = caught.value.message.code
    assert code == ("settings.key_too_long" if signs.isascii() else "settings.key_odd")
    assert vault.stored == {}


@pytest.mark.expect_log("the password store failed: Error$")
async def test_a_name_longer_than_the_store_takes_keeps_the_key_until_the_end(
    vault: Win32Cred, start: Start
) -> None:
    secrets = start()
    assert await secrets.set("n" * 600, key(40)) is False
    assert await secrets.get("n" * 600) == key(40)
    assert vault.stored == {}


@pytest.mark.parametrize("missing", [1, 3, 5])
async def test_a_key_that_lost_a_part_is_said_to_be_broken_and_mended_by_a_new_one(
    vault: Win32Cred, start: Start, missing: int
) -> None:
    await start().set(ME, key(5000))
    part = next(user for user in vault.users() if user.endswith(f" {missing}]"))
    KeyringEntries().delete(part)
    with pytest.raises(OperatorError) as caught:
        await start().get(ME)
    assert caught.value.message.code == "settings.key_damaged"
    assert await start().set(ME, key(50)) is True
    assert await start().get(ME) == key(50)
    assert vault.users() == {ME}


@pytest.mark.parametrize("before", [0, 50, 3000])
@pytest.mark.parametrize("after", [50, 4000])
def test_wherever_a_write_is_cut_short_one_whole_key_is_read_and_the_next_leaves_no_parts(
    vault: Win32Cred, before: int, after: int
) -> None:
    entries = KeyringEntries()
    old, new = key(before) or None, key(after, first=3)
    for calls in range(60):
        vault.stored.clear()
        vault.left = None
        if old:
            write(entries, ME, old)
        write(entries, OTHER, key(40))
        vault.left = calls
        try:
            write(entries, ME, new)
        except Error:
            cut_short = True
        else:
            cut_short = False
        vault.left = None
        assert read(entries, ME) in ((old, new) if cut_short else (new,))
        write(entries, ME, "next")
        assert read(entries, ME) == "next"
        assert read(entries, OTHER) == key(40)
        assert vault.users() == {ME, OTHER}
        if not cut_short:
            return
    raise AssertionError("a write takes too many calls")


@pytest.mark.parametrize("length", [50, 3000])
def test_wherever_a_deletion_is_cut_short_the_next_leaves_nothing(
    vault: Win32Cred, length: int
) -> None:
    entries = KeyringEntries()
    for calls in range(60):
        vault.left = None
        write(entries, ME, key(length))
        vault.left = calls
        try:
            delete(entries, ME)
        except Error:
            cut_short = True
        else:
            cut_short = False
        vault.left = None
        try:
            assert read(entries, ME) in (key(length), None)
        except Damaged:
            pytest.fail("a part went before the key")
        delete(entries, ME)
        assert vault.users() == set()
        if not cut_short:
            return
    raise AssertionError("a deletion takes too many calls")
