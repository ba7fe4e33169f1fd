"""Which of the program's languages to speak, without Qt, since the terminal asks as well."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

LANGUAGES = ("en", "zh_CN")


def pick(setting: str | None, system: str | None = None) -> str:
    """``setting`` where it names a language, else what the system speaks (``system`` for tests)."""
    if setting in LANGUAGES:
        return setting
    spoken = system_locale() if system is None else system
    return "zh_CN" if spoken.lower().startswith("zh") else "en"


def system_locale(environ: Mapping[str, str] = os.environ) -> str:
    """The locale's name as the system gives it, e.g. ``zh_CN.UTF-8``; empty where it says nothing.

    The environment comes first on every system, so that one start can be told otherwise.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environ.get(name):
            # LANGUAGE ranks the languages, but only where a locale is set at all.
            first = environ.get("LANGUAGE", "").partition(":")[0]
            return environ[name] if environ[name] in ("C", "POSIX") or not first else first
    if sys.platform == "win32":
        import ctypes

        chinese = 0x04
        primary = ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF
        return "zh" if primary == chinese else ""
    if sys.platform == "darwin":
        return _apple_language()
    return ""


def _apple_language() -> str:
    try:
        done = subprocess.run(
            ["/usr/bin/defaults", "read", "-g", "AppleLocale"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
