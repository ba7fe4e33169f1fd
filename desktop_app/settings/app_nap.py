"""macOS slows a program down whose window nobody sees, and its requests with it: it is told that
the operator waits for them."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable
from typing import Any

_log = logging.getLogger(__name__)

# NSActivityUserInitiated of NSProcessInfo.h: no App Nap, and no sleep by itself.
USER_INITIATED = 0x00FFFFFF

_ID = ctypes.c_void_p
_CLASS_OF = ctypes.CFUNCTYPE(_ID, ctypes.c_char_p)
_SEND = ctypes.CFUNCTYPE(_ID, _ID, _ID)
_SEND_TEXT = ctypes.CFUNCTYPE(_ID, _ID, _ID, ctypes.c_char_p)
_SEND_OBJECT = ctypes.CFUNCTYPE(_ID, _ID, _ID, _ID)
_SEND_BEGIN = ctypes.CFUNCTYPE(_ID, _ID, _ID, ctypes.c_uint64, _ID)


def load_foundation() -> Any:
    """The library through which Objective-C is spoken, with Foundation's classes in it. Raises
    OSError elsewhere than on macOS."""
    ctypes.CDLL("/System/Library/Frameworks/Foundation.framework/Foundation")
    return ctypes.CDLL("/usr/lib/libobjc.A.dylib")


class Activity:
    """One activity of this process. Where it can't be begun nothing happens, and nothing fails."""

    def __init__(self, load: Callable[[], Any] = load_foundation) -> None:
        self._load = load
        self._objc: Any = None
        self._token: int | None = None

    def begin(self, reason: str) -> None:
        """Tell the system, unless it was told already."""
        if self._token is not None:
            return
        try:
            self._objc = self._objc or self._load()
            text = self._send(self._class(b"NSString"), b"alloc")
            text = self._as(_SEND_TEXT)(text, self._name(b"initWithUTF8String:"), reason.encode())
            begin = self._as(_SEND_BEGIN)
            selector = self._name(b"beginActivityWithOptions:reason:")
            token = begin(self._process(), selector, USER_INITIATED, text)
            self._send(text, b"release")
            if token:
                # It belongs to a pool that is emptied before the activity ends.
                self._token = self._send(token, b"retain")
        except (OSError, AttributeError, ctypes.ArgumentError) as error:
            _log.info("the system can't be told what runs: %s", type(error).__name__)

    def end(self) -> None:
        """It is over, if it was begun."""
        token, self._token = self._token, None
        if token is not None:
            self._as(_SEND_OBJECT)(self._process(), self._name(b"endActivity:"), token)
            self._send(token, b"release")

    def _process(self) -> int:
        return self._send(self._class(b"NSProcessInfo"), b"processInfo")

    def _class(self, name: bytes) -> int:
        return int(ctypes.cast(self._objc.objc_getClass, _CLASS_OF)(name) or 0)

    def _name(self, selector: bytes) -> int:
        return int(ctypes.cast(self._objc.sel_registerName, _CLASS_OF)(selector) or 0)

    def _send(self, receiver: int, selector: bytes) -> int:
        return int(self._as(_SEND)(receiver, self._name(selector)) or 0)

    def _as(self, kind: Any) -> Any:
        """``objc_msgSend`` takes each message's own arguments: on ARM a common form would not."""
        return ctypes.cast(self._objc.objc_msgSend, kind)
