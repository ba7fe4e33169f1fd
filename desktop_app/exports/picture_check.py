"""Whether bytes are a whole picture: what passes here counts as paid for and delivered."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from desktop_app.domain.errors import BadResult
from desktop_app.domain.text import message

_KINDS = {
    "PNG": (".png", "image/png"),
    "JPEG": (".jpg", "image/jpeg"),
    "WEBP": (".webp", "image/webp"),
    "GIF": (".gif", "image/gif"),
}
PICTURE_MIMES = dict(_KINDS.values())

MAX_PIXELS = 89_478_485
"""Width x height x frames; more is taken for a decompression bomb. (Pillow warns from here on.)"""


@dataclass(frozen=True, slots=True)
class Picture:
    """What the bytes really are, whatever the provider called them."""

    suffix: str
    mime: str
    width: int
    height: int


def is_picture(data: bytes) -> bool:
    """Whether the first bytes are those of a kind of picture we keep."""
    return _kind(data) is not None


def check_picture(data: bytes) -> Picture:
    """Decode every pixel. Raises BadResult: no picture, half a picture, or a bomb."""
    name = _kind(data)
    if name is None:
        raise BadResult(message("exports.not_a_picture", size=len(data)))
    if not _has_end(name, data):
        raise BadResult(message("exports.half_a_picture", size=len(data)))
    try:
        with Image.open(BytesIO(data), formats=[name]) as image:
            width, height = image.size
            frames = getattr(image, "n_frames", 1)
            if width * height * frames > MAX_PIXELS:
                raise BadResult(message("exports.picture_too_large", width=width, height=height))
            for frame in range(frames):
                image.seek(frame)
                image.load()
    except BadResult:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadResult(message("exports.picture_too_large", width=0, height=0)) from error
    except Exception as error:
        # Decoders raise whatever the bytes lead them to: OSError, SyntaxError, struct.error ...
        raise BadResult(message("exports.half_a_picture", size=len(data))) from error
    return Picture(*_KINDS[name], width, height)


def _kind(data: bytes) -> str | None:
    """Pillow's name, by the magic bytes."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "GIF"
    return None


def _has_end(name: str, data: bytes) -> bool:
    """Decoders forgive a missing tail; a body that was cut short must not pass."""
    if name == "PNG":
        return b"IEND\xaeB`\x82" in data
    if name == "JPEG":
        return data.rfind(b"\xff\xd9") > data.rfind(b"\xff\xda")
    if name == "WEBP":
        return len(data) >= int.from_bytes(data[4:8], "little") + 8
    return data.rstrip(b"\0").endswith(b";")
