"""A log as it may be sent to a stranger: where something failed is told, and not with what, since
what an exception says may quote a prompt."""

from __future__ import annotations

import re

from desktop_app.settings.fault_words import named_place

_RECORD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ (?P<logger>\S+): ")
_LOOPS = re.compile(r"asyncio|qasync\b.*")
"""Their sentences end with what was called, and with what."""

_WORDS = re.compile(r"[A-Za-z' ]*")
_TRACE = re.compile(r"(?:Exception Group )?Traceback \(most recent call last\):")
_FILE = re.compile(r'  File "(?P<file>[^"]*)", line (?P<line>\d+)(?:, in (?P<name>.*))?')
_REPEATED = re.compile(r"  \[Previous line repeated \d+ more times?\]")
_CHAIN = re.compile(
    r"The above exception was the direct cause of the following exception:"
    r"|During handling of the above exception, another exception occurred:"
)
_KIND = re.compile(r"(?P<kind>[A-Za-z_][\w.]*)(?P<said>: .*)?", re.ASCII)
_MARGIN = re.compile(r" *[|+] ?(?=[^-+]|$)")
"""The line that runs down beside the members of a group."""

_RULE = re.compile(r" *\+[-+ 0-9.]*")
_CODE_LINES = 2  # the line itself, and the marks below it


def without_sentences(log: str) -> str:
    """The first line of each record; of what follows it only places in the program and kinds."""
    reader = _Reader()
    return "".join(kept for line in log.splitlines(keepends=True) if (kept := reader.read(line)))


class _Reader:
    def __init__(self) -> None:
        self._in_record = False
        self._code = 0  # lines of code that may follow
        self._kind_due = False

    def read(self, line: str) -> str:
        """What is kept of the next line."""
        text = line.rstrip("\r\n")
        margin = _MARGIN.match(text)
        bare = text[margin.end() :] if margin else text
        if (record := _RECORD.match(text)) is not None:
            self._in_record = self._kind_due = True
            if _LOOPS.fullmatch(record["logger"]) is None:
                return line
            words = _WORDS.match(text, record.end())
            return text[: words.end() if words else record.end()].rstrip() + "\n"
        if not self._in_record:
            return line
        if _TRACE.fullmatch(bare) or _RULE.fullmatch(text) or _CHAIN.fullmatch(bare):
            self._kind_due = True
            return line
        kept = self._kept(bare)
        return "" if kept is None else text[: len(text) - len(bare)] + kept + "\n"

    def _kept(self, bare: str) -> str | None:
        code, self._code = self._code, 0
        if (frame := _FILE.fullmatch(bare)) is not None:
            place, is_ours = named_place(frame["file"])
            self._code = _CODE_LINES if is_ours else 0
            return f'  File "{place}", line {frame["line"]}, in {_name(frame["name"])}'
        if code and bare.startswith("    "):
            self._code = code - 1
            return bare
        if not bare or _REPEATED.fullmatch(bare):
            return bare
        if self._kind_due and (kind := _KIND.fullmatch(bare)) is not None:
            self._kind_due = False
            return kind["kind"] + (": …" if kind["said"] else "")
        return None


def _name(name: str | None) -> str:
    return name if name and re.fullmatch(r"<?[A-Za-z_]\w*>?", name, re.ASCII) else "?"
