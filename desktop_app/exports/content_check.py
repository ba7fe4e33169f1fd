"""One verdict on a result of either kind, picture or text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.domain.text import message
from desktop_app.exports.picture_check import check_picture, is_picture
from desktop_app.exports.text_check import TEXT_MIMES, check_text, is_text

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
        return _text(content.text, content.mime)
    if is_text(content.mime):
        return _text(_decoded(data), content.mime)
    return _picture(data)


def check_attached(data: bytes, suffix: str, makes: str | None) -> Checked:
    """A file that a person says is the result of a call that ``makes`` this. Raises BadResult."""
    if makes is None:
        return check_any(data, suffix)
    if makes == "text":
        return _text(_decoded(data), TEXT_MIMES.get(suffix.lower(), ""))
    return _picture(data)


def check_any(data: bytes, suffix: str) -> Checked:
    """Bytes of a kind nobody promised: a picture by its magic, a text by its suffix. Raises
    BadResult."""
    if is_picture(data) or suffix.lower() not in _TEXT_SUFFIXES:
        return _picture(data)
    return _text(_decoded(data))


def under_other_names(checked: Checked) -> tuple[Checked, ...]:
    """The same first as it would be named now, then as it may have been named: whether a text is
    Markdown was the provider's or the operator's word."""
    if checked.text is None:
        return (checked,)
    others = (replace(checked, suffix=suffix, mime=mime) for suffix, mime in TEXT_MIMES.items())
    return (checked, *(other for other in others if other != checked))


def _picture(data: bytes) -> Checked:
    picture = check_picture(data)
    return Checked(picture.suffix, picture.mime, width=picture.width, height=picture.height)


def _text(text: str, mime: str = "") -> Checked:
    suffix = check_text(text, mime)
    return Checked(suffix, TEXT_MIMES[suffix], text=text)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadResult(message("exports.not_utf8", size=len(data))) from error
