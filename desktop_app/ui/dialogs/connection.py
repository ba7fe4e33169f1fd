"""One dialog makes or changes a connection; its key goes to the password store and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Preset, TestReport
from desktop_app.domain.text import Message
from desktop_app.domain.views import AccountState
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.connection_account import AccountFields
from desktop_app.ui.dialogs.connection_advanced import AdvancedFields
from desktop_app.ui.dialogs.connection_callbacks import CallbackFields
from desktop_app.ui.dialogs.connection_files import ConnectionFiles
from desktop_app.ui.dialogs.connection_limits import LimitFields
from desktop_app.ui.dialogs.disclosure import Disclosure
from desktop_app.ui.dialogs.fields import FieldError
from desktop_app.ui.dialogs.form_area import FormArea
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.tick_box import TickBox
from desktop_app.ui.room import room_for

_DOUBTS = frozenset(
    {"providers.test_model_missing", "providers.test_unlisted", "job_files.no_test"}
)


class ConnectionDialog(Sheet):
    """Preset, account, limits, price, advanced; Test and Save. ``saved`` carries the id.
    ``ask_key``: it is opened for the key, which may be pasted at once."""

    saved = Signal(int)

    def __init__(
        self,
        context: UiContext,
        connection: Connection | None,
        parent: QWidget | None = None,
        *,
        ask_key: bool = False,
    ) -> None:
        super().__init__(context, parent, width=640)
        self._connection = connection
        self._asks_key = ask_key
        self._params: dict[str, Any] = dict(connection.params) if connection else {}
        area = FormArea(self)
        inside = area.inside
        self.account = AccountFields(context, inside)
        self.unsafe = TickBox(context, inside)
        self.limits = LimitFields(context, inside)
        self.callbacks = CallbackFields(context, inside)
        self.advanced = AdvancedFields(context, inside)
        self.more = Disclosure(context, self.advanced, inside)
        area.column.addWidget(self.account)
        area.column.addWidget(self.unsafe)
        area.add_rule()
        for part in (self.limits, self.callbacks, self.more):
            area.column.addWidget(part)
        area.column.addStretch(1)
        area.guard_wheel()
        self.busy = QProgressBar(self)
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.hide()
        self.body.addWidget(area, 1)
        self.body.addWidget(self.busy)
        self.test = self.button()
        self.cancel = self.button()
        self.save = self.button(primary=True)
        self.footer.addWidget(self.test)
        self.footer.addStretch(1)
        self.footer.addWidget(self.cancel)
        self.footer.addWidget(self.save)
        self.resize(QSize(660, 680).boundedTo(room_for(self)))

        self.account.preset_chosen.connect(self._use_preset)
        self.account.moved.connect(self._look_at_address)
        self.account.key_dropped.connect(self._say_key_dropped)
        self.files = ConnectionFiles(self, self.account)
        self.more.toggled.connect(lambda shown: area.reveal(self.more) if shown else None)
        self.test.clicked.connect(self._test)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self.finished.connect(self.account.forget_key)
        self.finished.connect(self.callbacks.forget)

        if connection is None:
            self.account.begin_new()
        else:
            self.account.show_connection(connection)
            self.limits.show_values(connection.limits, connection.price, connection.day_budget)
            self.advanced.show_connection(connection)
            self.callbacks.show_connection(connection)
            self.callbacks.look_at(connection.adapter, connection.preset)
        self._look_at_address()
        self.retranslate()
        (self.account.key if ask_key or not connection else self.account.name).setFocus()
        self.run(self._ask_key_store)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        title = tr("Change the connection") if self._connection else tr("Connect an account")
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.lead.setText(
            tr("Enter the limits as the provider's console states them; leave unknown ones empty.")
        )
        for part in (self.account, self.limits, self.callbacks, self.advanced):
            part.retranslate()
        self.more.set_title(tr("Advanced"))
        self.test.setText(tr("Test"))
        self.cancel.setText(tr("Cancel"))
        self.save.setText(tr("Save"))
        self._look_at_address()

    # --- filling -----------------------------------------------------------------------------

    async def _ask_key_store(self) -> None:
        connections = self.context.services.connections
        trouble = await connections.key_store_trouble()
        known = None
        if self._connection is not None:
            views = await connections.views()
            known = next((view for view in views if view.id == self._connection.id), None)
        self.account.show_key_store(
            trouble,
            known.key_hint if known else None,
            missing=self._asks_key or (known is not None and known.state is AccountState.NO_KEY),
        )

    def _use_preset(self, preset: Preset) -> None:
        self.notice.clear()  # what was said was of another
        self._params = dict(preset.params)
        self.limits.use_preset(preset)
        self.callbacks.look_at(preset.adapter, preset.id)
        self.advanced.show_extra(preset.extra)

    def _say_key_dropped(self) -> None:
        self.notice.say(
            self.context.tr("The key field was emptied: a key is for one provider only."), "info"
        )

    def _look_at_address(self) -> None:
        host = self.account.clear_text_host()
        self.unsafe.setVisible(host is not None)
        self.unsafe.setText(
            self.context.tr("Send my key unencrypted to {host}", host=host) if host else ""
        )
        # Agreed to for one host only.
        if self.unsafe.property("host") != host:
            self.unsafe.setChecked(False)
            self.unsafe.setProperty("host", host)

    # --- reading -----------------------------------------------------------------------------

    def connection(self) -> Connection:
        """The connection as entered. Raises FieldError for the first field that can't be used."""
        tr = self.context.tr
        self.account.check()
        host = self.account.clear_text_host()
        if host is not None and not self.unsafe.isChecked():
            raise FieldError(
                tr("{host} is reached without encryption: agree to it, or use https.", host=host),
                self.unsafe,
            )
        before = self._connection
        preset = self.account.chosen()
        limits = self.limits.limits(**self.advanced.limit_values())
        made = Connection(
            id=before.id if before else 0,
            name=self.account.name.text().strip(),
            adapter=preset.adapter if preset else before.adapter if before else "",
            base_url=self.account.url.text().strip().rstrip("/"),
            model=self.account.model.currentText().strip(),
            preset=(preset.id if preset else "") or (before.preset if before else None),
            limits=limits.or_preset(preset.concurrency) if preset and preset.id else limits,
            price=self.limits.read_price(),
            day_budget=self.limits.read_day_budget(),
            params=self._params,
            callbacks=self.callbacks.chosen(),
            **self.advanced.values(),
        )
        moved = before is not None and made.host != before.host and not made.is_loopback
        if moved and self.account.secret() is None:
            # The stored key belongs to the old host and must not be sent to another one.
            raise FieldError(
                tr("The address leads to another host: enter the key for it."), self.account.key
            )
        return made

    def _read(self) -> Connection | None:
        try:
            return self.connection()
        except FieldError as wrong:
            if self.advanced.isAncestorOf(wrong.widget):
                self.more.open()
            self.notice.say(wrong.said, "error")
            wrong.widget.setFocus()
            return None

    # --- doing -------------------------------------------------------------------------------

    def _test(self) -> None:
        connection = self._read()
        if connection is not None:
            self.run(partial(self._try, connection))

    async def _try(self, connection: Connection) -> None:
        self._working_now(True)
        self.notice.say(self.context.tr("Asking {host}…", host=connection.host), "info")
        if self._connection is not None:
            # The stored key is filed under the stored name, not under one not saved yet.
            connection = replace(connection, name=self._connection.name)
        try:
            report = await self.context.services.connections.test(connection, self.account.secret())
        finally:
            self._working_now(False)
            self.test.setFocus()  # a button that is switched off loses the focus to Cancel
        self._show_report(report)

    def _show_report(self, report: TestReport) -> None:
        tr = self.context.tr
        said = [tr.say(sentence) for sentence in report.said]
        doubt = any(sentence.code in _DOUBTS for sentence in report.said)
        tone = "error" if not report.ok else "warning" if doubt else "ok"
        self.notice.say("\n".join(said), tone)
        if report.models:
            self.account.offer_models(report.models)

    def _save(self) -> None:
        connection = self._read()
        if connection is not None:
            self.run(partial(self._store, connection))

    async def _store(self, connection: Connection) -> None:
        # A keyring may show its own unlock dialog: nothing is torn while it waits for a person.
        self.locked = True
        self._working_now(True)
        try:
            services, signs = self.context.services, self.callbacks.secret()
            saved = await services.connections.save(connection, self.account.secret())
            if signs is not None:
                await services.callbacks.set_secret(saved.id, signs)
        finally:
            self.locked = False
            self._working_now(False)
        self.saved.emit(saved.id)
        self.accept()

    def _working_now(self, on: bool) -> None:
        self.busy.setVisible(on)
        self.test.setEnabled(not on)
        self.save.setEnabled(not on)

    def failed(self, said: Message) -> None:
        """Show why it did not work, beside everything that was entered."""
        self._working_now(False)
        super().failed(said)
