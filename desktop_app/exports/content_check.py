"""One verdict on a result of either kind, picture or text."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.domain.text import message
from desktop_app.exports.picture_check import check_picture, is_picture
from desktop_app.exports.text_check import check_text

_TEXT_SUFFIXES = frozenset({".txt", ".md", ".markdown", ".json", ".csv"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What verified bytes are; ``text`` is set for texts, width and height for pictures."""

    suffix: str
    mime: str
    text: str | None = None
    width: int | None = None
    height: int | None = None


def check_content(data: bytes, content: Content) -> Checked:
    """``data`` as read back, of the kind the provider promised. Raises BadResult."""
    if content.text is not None:
        return _text(content.text)
    if content.mime.startswith("text/"):
        return _text(_decoded(data))
    return _picture(data)


def check_any(data: bytes, suffix: str) -> Checked:
    """Bytes of a kind nobody promised: a picture by its magic, a text by its suffix. Raises
    BadResult."""
    if is_picture(data) or suffix.lower() not in _TEXT_SUFFIXES:
        return _picture(data)
    return _text(_decoded(data))


def _picture(data: bytes) -> Checked:
    picture = check_picture(data)
    return Checked(picture.suffix, picture.mime, width=picture.width, height=picture.height)


def _text(text: str) -> Checked:
    suffix, mime = check_text(text)
    return Checked(suffix, mime, text=text)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadResult(message("exports.not_utf8", size=len(data))) from error
