"""Programs of the system that this one starts (a browser, systemd-inhibit, locale) must load the
system's libraries, not those that lie in the bundle; its own children must load the bundle's."""

import os

_NAME = "LD_LIBRARY_PATH"
_before = os.environ.pop(f"{_NAME}_ORIG", None)
if _before:
    os.environ[_NAME] = _before
else:
    os.environ.pop(_NAME, None)
# Else a child takes itself for a part of this process, whose libraries it would find set already.
os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
