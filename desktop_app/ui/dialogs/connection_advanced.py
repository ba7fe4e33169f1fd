"""Proxy, patience and the rule for unknown outcomes: set once by the few who need them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.connection import Connection, OnUnknown, parts_of
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.fields import FieldError, FieldGrid, decimal_of, plain, whole_of

_PROXIES = ("system", "none", "url")


class AdvancedFields(QWidget):
    """Everything a connection has beyond account, limits and price."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.burst = QLineEdit(self)
        self.headroom = QLineEdit("80", self)
        self.proxy = QComboBox(self)
        for kind in _PROXIES:
            self.proxy.addItem("", kind)
        self.proxy_url = QLineEdit(self)
        self.proxy_url.setPlaceholderText("http://127.0.0.1:7890")
        self.timeout = QLineEdit(self)
        self.retries = QLineEdit("3", self)
        self.on_unknown = QComboBox(self)
        for policy in (None, *OnUnknown):
            self.on_unknown.addItem("", policy)
        self.below = QLineEdit(self)
        self.extra = QPlainTextEdit(self)
        self.extra.setTabChangesFocus(True)
        self.extra.setFixedHeight(80)
        self.extra.setProperty("tall", True)
        self.extra.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.grid = FieldGrid(self)
        for field in (
            self.headroom,
            self.burst,
            self.proxy,
            self.proxy_url,
            self.timeout,
            self.retries,
            self.on_unknown,
            self.below,
            self.extra,
        ):
            label = self.grid.add(field)
            if field is self.proxy_url:
                self._proxy_label = label
            if field is self.below:
                self._below_label = label
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.grid)
        self.proxy.currentIndexChanged.connect(self._toggle)
        self.on_unknown.currentIndexChanged.connect(self._toggle)
        self._toggle()

    def show_extra(self, extra: Mapping[str, Any]) -> None:
        """Show further JSON fields."""
        text = json.dumps(dict(extra), ensure_ascii=False, indent=2) if extra else ""
        self.extra.setPlainText(text)

    def show_connection(self, connection: Connection) -> None:
        """Show stored values."""
        self.burst.setText(str(connection.limits.burst or ""))
        self.headroom.setText(plain(round(connection.limits.headroom * 100)))
        kind = connection.proxy if connection.proxy in ("system", "none") else "url"
        self.proxy.setCurrentIndex(self.proxy.findData(kind))
        self.proxy_url.setText(connection.proxy if kind == "url" else "")
        self.timeout.setText(plain(connection.timeout_s) if connection.timeout_s else "")
        self.retries.setText(str(connection.retries))
        policies = (None, *OnUnknown)
        self.on_unknown.setCurrentIndex(policies.index(connection.on_unknown))
        self.below.setText(f"{connection.resend_below:f}" if connection.resend_below else "")
        self.show_extra(connection.extra)

    def limit_values(self) -> dict[str, Any]:
        """``burst`` and ``headroom``. Raises FieldError."""
        tr = self._context.tr
        share = whole_of(
            self.headroom, tr("Use of the limits is a share from 1 to 100 percent."), high=100
        )
        burst = whole_of(self.burst, tr("Burst must be a whole number, 1 or more."))
        return {"burst": burst, "headroom": (80 if share is None else share) / 100}

    def values(self) -> dict[str, Any]:
        """The fields of a Connection: proxy, timeout_s, retries, on_unknown, resend_below, extra.
        Raises FieldError."""
        policy = (None, *OnUnknown)[self.on_unknown.currentIndex()]
        tr = self._context.tr
        below = None
        if policy is OnUnknown.RESEND_BELOW:
            wrong = tr("Enter the price below which a call is sent again, such as 0.01.")
            below = decimal_of(self.below, wrong)
            if below is None:
                raise FieldError(wrong, self.below)
        timeout = whole_of(self.timeout, tr("The wait must be 1 to 86,400 seconds."), high=86_400)
        retries = whole_of(self.retries, tr("Retries must be 0 to 20."), low=0, high=20)
        return {
            "proxy": self._proxy(),
            "timeout_s": float(timeout) if timeout is not None else None,
            "retries": 3 if retries is None else retries,
            "on_unknown": policy,
            "resend_below": below,
            "extra": self._extra(),
        }

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.grid.name(
            tr("Use of limits (%)"),
            tr("Burst"),
            tr("Proxy"),
            tr("Proxy address"),
            tr("Longest wait (s)"),
            tr("Retries"),
            tr("If billing is unclear"),
            tr("Send again below"),
            tr("Further JSON"),
        )
        for place, word in enumerate((tr("As the system"), tr("None"), tr("This address:"))):
            self.proxy.setItemText(place, word)
        for place, word in enumerate(
            (
                tr("Ask me where a call costs money, else send again"),
                tr("Always ask me: never pays twice"),
                tr("Always send again: may pay twice"),
                tr("Send again if a call costs less than"),
            )
        ):
            self.on_unknown.setItemText(place, word)
        self.burst.setPlaceholderText(tr("Not stated"))
        self.timeout.setPlaceholderText(tr("The usual: pictures 600, texts 300"))
        self.headroom.setPlaceholderText("80")
        self.retries.setPlaceholderText("3")
        self.below.setPlaceholderText("0.01")
        self.extra.setPlaceholderText('{"watermark": false}')
        self.headroom.setToolTip(
            tr("Share of the stated limits to use, so that other programs on the account fit in.")
        )
        self.extra.setToolTip(tr("Sent along in every request, as it is."))

    def _proxy(self) -> str:
        kind = str(self.proxy.currentData())
        if kind != "url":
            return kind
        url = self.proxy_url.text().strip()
        parts = parts_of(url)
        if parts.scheme not in ("http", "https", "socks5", "socks5h") or not parts.hostname:
            raise FieldError(
                self._context.tr("A proxy address looks like http://127.0.0.1:7890."),
                self.proxy_url,
            )
        return url

    def _extra(self) -> Mapping[str, Any]:
        text = self.extra.toPlainText().strip()
        if not text:
            return {}
        tr = self._context.tr
        try:
            found = json.loads(text)
        except ValueError as error:
            line = getattr(error, "lineno", 1)
            raise FieldError(
                tr("Further JSON can't be read: look at line {line}.", line=line), self.extra
            ) from None
        if not isinstance(found, dict):
            raise FieldError(
                tr("Further JSON must be an object such as {example}.", example='{"seed": 7}'),
                self.extra,
            )
        return found

    def _toggle(self) -> None:
        proxied = self.proxy.currentData() == "url"
        self.proxy_url.setVisible(proxied)
        self._proxy_label.setVisible(proxied)
        priced = self.on_unknown.currentIndex() == 3
        self.below.setVisible(priced)
        self._below_label.setVisible(priced)
