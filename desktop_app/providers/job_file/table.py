"""Takes values out of a TOML table by name and type; what is not as it should be becomes a mistake,
and reading goes on, so that a person sees all of them at once."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from desktop_app.domain.text import message
from desktop_app.providers.job_file.lines import Place
from desktop_app.providers.job_file.mistakes import Mistakes, dotted
from desktop_app.providers.job_file.paths import BadPath, Path
from desktop_app.providers.job_file.template import BadTemplate, Template

T = TypeVar("T")
Found = Mapping[str, Any]


class Table:
    """One table. ``close`` tells the keys that nobody asked for."""

    def __init__(self, mistakes: Mistakes, place: Place, found: Found, *, there: bool = True):
        self.mistakes = mistakes
        self.place = place
        self.found = found
        self.there = there
        self._known: list[str] = []

    # --- plain values ------------------------------------------------------------------------

    def text(self, key: str, default: str = "", *, needed: bool = False) -> str:
        """A text that is not blank."""
        found = self._of(key, str, "text", needed=needed)
        if found is not None and not found.strip() and needed:
            self.wrong(key, "missing", key=self._dotted(key))
        return default if found is None else found

    def choice(self, key: str, known: Collection[str], default: str = "", **more: bool) -> str:
        """One of these words."""
        found = self.text(key, default, **more)
        if key in self.found and isinstance(self.found[key], str) and found not in known:
            said = ", ".join(known)
            self.wrong(key, "not_one_of", key=self._dotted(key), value=found, known=said)
            return default
        return found

    def number(self, key: str, default: float | None = None, *, most: float = 1e9) -> float | None:
        """A number above 0."""
        found = self._of(key, (int, float), "number")
        if found is None or isinstance(found, bool):
            return default
        if not 0 < found <= most:
            self.wrong(key, "out_of_range", key=self._dotted(key), least=0, most=f"{most:g}")
            return default
        return float(found)

    def whole(self, key: str, default: int, *, most: int = 10_000) -> int:
        """A whole number of at least 1."""
        found = self._of(key, int, "whole")
        if found is None:
            return default
        if not 1 <= found <= most:
            self.wrong(key, "out_of_range", key=self._dotted(key), least=1, most=most)
            return default
        return int(found)

    def flag(self, key: str, default: T) -> bool | T:
        """True or false."""
        found = self._of(key, bool, "flag")
        return default if found is None else bool(found)

    def texts(self, key: str, *, needed: bool = False) -> tuple[str, ...]:
        """A list of texts; where it is needed, at least one, and none blank."""
        found = self._list(key, str, "texts", needed=needed)
        if (
            needed
            and isinstance(self.found.get(key), list)
            and not all(map(str.strip, found or [""]))
        ):
            self.wrong(key, "missing", key=self._dotted(key))
        return found

    def choices(self, key: str, known: Collection[str]) -> tuple[str, ...]:
        """A list of some of these words."""
        found = self.texts(key)
        for one in found:
            if one not in known:
                said = ", ".join(known)
                self.wrong(key, "not_one_of", key=self._dotted(key), value=one, known=said)
        return found

    def statuses(self, key: str) -> tuple[int, ...]:
        """A list of HTTP statuses."""
        found = self._list(key, int, "wholes")
        if any(not 100 <= status <= 599 for status in found):
            self.wrong(key, "out_of_range", key=self._dotted(key), least=100, most=599)
            return ()
        return found

    def words(self, key: str) -> dict[str, str]:
        """A table of texts."""
        table = self.table(key)
        found = {name: table.text(name) for name in table.found}
        table.close()
        return found

    # --- what has a language of its own --------------------------------------------------------

    def path(self, key: str, *, needed: bool = False) -> Path | None:
        """A JMESPath expression."""
        found = self.text(key, needed=needed)
        return self.path_of(key, found) if found else None

    def paths(self, key: str) -> tuple[Path, ...]:
        """One, or a list of them."""
        listed = isinstance(self.found.get(key), list)
        sources = self.texts(key) if listed else (self.text(key),)
        made = (self.path_of(key, source) for source in sources if source)
        return tuple(path for path in made if path is not None)

    def path_of(self, key: str, source: str) -> Path | None:
        """The expression ``source`` at ``key``."""
        try:
            return Path.of(source)
        except BadPath as trouble:
            line = self.mistakes.lines.of((*self.place, key))
            begins = self.mistakes.lines.column(line, source) or 1
            self.mistakes.at(
                line,
                "bad_path" if trouble.text else "path_ends",
                key=self._dotted(key),
                column=begins + (trouble.at or 0),
                near=trouble.text,
            )
            return None

    def template(self, key: str, known: Collection[str]) -> Template:
        """A pattern of JSON whose fields are all among ``known``."""
        self._known.append(key)
        return self._template(self.found.get(key, {}), (*self.place, key), known)

    def line(self, key: str, known: Collection[str]) -> Template | None:
        """A pattern of one text."""
        found = self.text(key)
        return self._template(found, (*self.place, key), known) if found else None

    def lines(self, key: str, known: Collection[str]) -> dict[str, Template]:
        """A table of patterns, such as a query."""
        table = self.table(key)
        found = {name: table.line(name, known) for name in table.found}
        table.close()
        return {name: pattern for name, pattern in found.items() if pattern is not None}

    def pattern(self, key: str) -> str:
        """A regular expression."""
        found = self.text(key)
        try:
            re.compile(found)
        except re.error as trouble:
            self.wrong(key, "bad_pattern", key=self._dotted(key), text=str(trouble))
            return ""
        return found

    # --- tables ------------------------------------------------------------------------------

    def table(self, key: str, *, needed: bool = False) -> Table:
        """The table of that name; an empty one where there is none."""
        found = self._of(key, Mapping, "table", needed=needed)
        there = found is not None
        return Table(self.mistakes, (*self.place, key), found if there else {}, there=there)

    def tables(self, key: str) -> list[Table]:
        """A list of tables."""
        found = self._list(key, Mapping, "tables")
        places = ((*self.place, key, at) for at in range(len(found)))
        return [Table(self.mistakes, at, one) for at, one in zip(places, found, strict=True)]

    def close(self) -> None:
        """Tell every key that was not asked for."""
        for key in self.found:
            if key not in self._known:
                known = get_close_matches(key, self._known, 3, 0.4) or self._known
                said = ", ".join(known)
                self.wrong(key, "unknown_key", key=self._dotted(key), known=said)

    def wrong(self, key: str, code: str, /, **values: Any) -> None:
        """A mistake at this key."""
        self.mistakes.add((*self.place, key), code, **values)

    # --- inside --------------------------------------------------------------------------------

    def _template(self, found: Any, place: Place, known: Collection[str]) -> Template:
        if isinstance(found, Mapping | list):
            inside = found.items() if isinstance(found, Mapping) else enumerate(found)
            for step, value in inside:
                self._template(value, (*place, step), known)
            try:
                return Template.of(found)
            except BadTemplate:
                return Template({})  # told by the text that has it
        try:
            made = Template.of(found)
        except BadTemplate:
            self.mistakes.add(place, "bad_field", key=dotted(place), text=str(found))
            return Template({})
        if not isinstance(found, str | bool | int | float) or not _is_number(found):
            self.mistakes.add(place, "not_json", key=dotted(place), value=str(found))
        for name in sorted(made.fields - set(known)):
            said = ", ".join(f"{{{one}}}" for one in known) or "-"
            self.mistakes.add(place, "no_field", key=dotted(place), field=f"{{{name}}}", known=said)
        return made

    def _of(self, key: str, kind: Any, name: str, *, needed: bool = False) -> Any:
        self._known.append(key)
        found = self.found.get(key)
        if found is None:
            if needed:
                self.mistakes.add(self.place, "missing", key=self._dotted(key))
            return None
        is_flag = isinstance(found, bool) and kind is not bool
        if is_flag or not isinstance(found, kind):
            self._wrong_type(key, name)
            return None
        return found

    def _list(self, key: str, kind: Any, name: str, *, needed: bool = False) -> tuple[Any, ...]:
        found = self._of(key, list, name, needed=needed)
        if found is None:
            return ()
        if any(not isinstance(one, kind) or isinstance(one, bool) for one in found):
            self._wrong_type(key, name)
            return ()
        return tuple(found)

    def _wrong_type(self, key: str, name: str) -> None:
        kind = message(f"job_files.kind_{name}")
        self.wrong(key, "wrong_type", key=self._dotted(key), kind=kind)

    def _dotted(self, key: str) -> str:
        return dotted((*self.place, key))


def _is_number(found: Any) -> bool:
    """Whether it is no number, or one that JSON knows."""
    return not isinstance(found, float) or math.isfinite(found)
