"""S20: whatever is logged, by whomever, the key is nowhere."""

from __future__ import annotations

import errno
import io
import logging
from pathlib import Path

import pytest

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import message
from desktop_app.settings.logs import PatientRotation, Redactor, start_logs

KEY = "0b7a9c1e-55d3-4f0e-9d55-ark0key0of0mine"


@pytest.fixture
def redactor() -> Redactor:
    made = Redactor()
    made.add(KEY)
    return made


def _logged(folder: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in folder.iterdir())


@pytest.mark.expect_log("went wrong|not a number")
def test_s20_a_registered_key_is_masked_in_arguments_and_tracebacks(
    tmp_path: Path, redactor: Redactor
) -> None:
    shown = io.StringIO()
    stop = start_logs(tmp_path, redactor, stderr=shown)
    log = logging.getLogger("desktop_app.providers")
    log.info("sending %s", {"headers": [("x", KEY)]})
    try:
        int(KEY)
    except ValueError:
        log.exception("it went wrong")
    stop()
    for text in (_logged(tmp_path), shown.getvalue()):
        assert KEY not in text
        assert "it went wrong" in text
        assert "ValueError" in text
    assert "sending" not in shown.getvalue()


@pytest.mark.expect_log("upkeep failed|took long|broke")
def test_this_machine_s_trouble_and_warnings_are_for_the_file_alone(
    tmp_path: Path, redactor: Redactor
) -> None:
    shown = io.StringIO()
    stop = start_logs(tmp_path, redactor, stderr=shown)
    log = logging.getLogger("desktop_app.engine")
    log.warning("it took long")
    try:
        try:
            raise LocalTrouble(message("store.busy"))
        except LocalTrouble as trouble:
            raise RuntimeError from trouble
    except RuntimeError:
        log.exception("upkeep failed")
    try:
        int("x")
    except ValueError:
        log.exception("a flight broke")
    stop()
    for said in ("it took long", "upkeep failed", "a flight broke"):
        assert said in _logged(tmp_path)
        assert (said in shown.getvalue()) == (said == "a flight broke")


@pytest.mark.expect_log("it failed")
def test_an_error_that_is_its_own_cause_is_logged_like_any_other(
    tmp_path: Path, redactor: Redactor
) -> None:
    shown = io.StringIO()
    stop = start_logs(tmp_path, redactor, stderr=shown)
    error = RuntimeError("ring")
    error.__cause__ = error
    logging.getLogger("desktop_app.engine").error("it failed", exc_info=error)
    stop()
    assert "it failed" in shown.getvalue()


def test_s20_http_libraries_are_silenced_at_info(tmp_path: Path, redactor: Redactor) -> None:
    stop = start_logs(tmp_path, redactor, level=logging.DEBUG)
    logging.getLogger("httpx").info("HTTP Request: POST https://a.example/?key=%s", KEY)
    logging.getLogger("httpcore.http11").debug("send_request_headers %s", KEY)
    logging.getLogger("desktop_app").info("mine")
    stop()
    text = _logged(tmp_path)
    assert "HTTP Request" not in text
    assert "send_request" not in text
    assert "mine" in text


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer {}",
        "{{'Authorization': 'Bearer {}'}}",
        "[(b'authorization', b'Bearer {}')]",
        '{{"api_key": "{}", "model": "m"}}',
        "api-key={}",
        "X-API-Key: {}",
        "GET https://a.example/v1?model=m&key={}&x=1",
        "proxy http://{}@proxy.example:8080 used",
        "sk-{} is wrong",
        "sk-proj-{}",
    ],
)
def test_s20_what_looks_like_a_key_is_masked_unregistered(line: str) -> None:
    unknown = "Zz91kqPLmN0_abcdEFGH"
    cleaned = Redactor().clean(line.format(unknown))
    assert unknown not in cleaned
    assert "***" in cleaned


@pytest.mark.parametrize(
    "line",
    [
        "task 3f2c8a52-9b1d-4a55-8a6e-0a4e62f7d1aa sent",
        "a key visual of a red sneaker, basket of tokens",
        "rate limit: 60 requests",
        "sheet C:\\Users\\li\\秋季.xlsx, 200 rows",
    ],
)
def test_plain_lines_stay_as_they_are(line: str) -> None:
    assert Redactor().clean(line) == line


def test_keys_are_masked_as_urls_and_json_spell_them() -> None:
    redactor = Redactor()
    redactor.add('a+b/c"d=eé')
    assert redactor.clean("x a%2Bb%2Fc%22d%3De%C3%A9 y") == "x *** y"
    assert redactor.clean('{"v": "a+b/c\\"d=e\\u00e9"}') == '{"v": "***"}'


def test_a_key_that_begins_like_another_leaves_no_tail() -> None:
    redactor = Redactor()
    redactor.add("abcdefgh")
    redactor.add("abcdefghijkl")
    assert redactor.clean("abcdefghijkl") == "***"


def test_the_file_rotates(tmp_path: Path, redactor: Redactor) -> None:
    stop = start_logs(tmp_path, redactor)
    log = logging.getLogger("desktop_app")
    for _ in range(3):
        log.info("x" * 900_000)
    stop()
    assert len(list(tmp_path.iterdir())) == 2
    assert all(file.stat().st_size <= 2_000_000 for file in tmp_path.iterdir())


def test_a_log_that_cannot_be_renamed_is_written_on(
    tmp_path: Path, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_args: object) -> None:
        raise PermissionError("in use")

    monkeypatch.setattr("os.rename", held)
    stop = start_logs(tmp_path, redactor)
    for _ in range(3):
        logging.getLogger("desktop_app").info("x" * 1_000_000)
    logging.getLogger("desktop_app").info("the last line")
    stop()
    assert "the last line" in _logged(tmp_path)


def test_stopping_puts_logging_back(tmp_path: Path, redactor: Redactor) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogger("httpx").level)
    start_logs(tmp_path, redactor)()
    assert (list(root.handlers), root.level, logging.getLogger("httpx").level) == before


def test_a_disk_that_takes_no_line_is_no_page_of_tracebacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = start_logs(tmp_path, Redactor())
    (file,) = [h for h in logging.getLogger().handlers if isinstance(h, PatientRotation)]
    logging.getLogger("full").info("opens the file")
    assert file.stream is not None

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(file, "flush", full)
        logging.getLogger("full").info("finds no room")
        stop()
    assert capsys.readouterr().err == ""
    assert file not in logging.getLogger().handlers


@pytest.mark.expect_log("odd|POST")
def test_the_word_in_a_callback_address_is_masked_wherever_it_is_logged(tmp_path: Path) -> None:
    token = "17-0123456789abcdef-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE"
    stop = start_logs(tmp_path, Redactor(), stderr=io.StringIO())
    logging.getLogger("odd").warning("odd: %s", {"webhook": f"https://me/callbacks/{token}"})
    logging.getLogger("x").warning("POST /tunnel/callbacks/%s HTTP/1.1", token)
    stop()
    found = _logged(tmp_path)
    assert "0123456789abcdef" not in found
    assert "Zm9v" not in found
    assert found.count("/callbacks/***") == 2
