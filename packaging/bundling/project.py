"""What only the owner of the program knows, read from its one place, and whether it is set yet."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from places import ROOT

FILE = Path("resources") / "project.toml"
# RFC 2606 keeps this name for what must never be reached.
_NOBODY = re.compile(r"\binvalid\b")
_PAGE = r"https://[\w.-]+\.\w+(/\S*)?"
_FORMS = {
    "app_id": r"[A-Za-z][\w-]*(\.[A-Za-z_][\w-]*){2,}",
    "home_page": _PAGE,
    "releases": _PAGE,
    "maintainer": r"[^<>]*[^<>\s] <[^<>@\s]+@[^<>@\s]+>",
}


@dataclass(frozen=True, slots=True)
class Project:
    """``app_id``: reversed domain name; ``home_page`` and ``releases``: https addresses;
    ``maintainer``: ``NAME <MAIL>``."""

    app_id: str
    home_page: str
    releases: str
    maintainer: str

    def unset(self) -> list[str]:
        """The names of what the owner has still to say."""
        return [name for name, value in asdict(self).items() if _NOBODY.search(value)]

    def misshapen(self) -> list[str]:
        """The names of what is said in no form that systems take."""
        said = asdict(self).items()
        return [name for name, value in said if not re.fullmatch(_FORMS[name], value, re.ASCII)]


def read(root: Path = ROOT) -> Project:
    """The values of a checkout. Raises TypeError where a value is missing or not known."""
    return Project(**tomllib.loads((root / FILE).read_text(encoding="utf-8")))
