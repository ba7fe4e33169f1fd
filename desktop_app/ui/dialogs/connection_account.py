"""Whom to talk to and with which key; a preset knows the rest."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.connection import LOOPBACK, Connection, parts_of
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Preset
from desktop_app.domain.text import Message
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.connection_notes import KeyNotes
from desktop_app.ui.dialogs.fields import FieldError, FieldGrid, one_line
from desktop_app.ui.dialogs.style import GAP

COMPATIBLE = frozenset({"openai-images", "openai-chat"})
"""Adapters whose manner many servers share; such a server needs no preset of its own."""


class AccountFields(QWidget):
    """Preset, name, address, model, key. ``preset_chosen`` carries the Preset; ``moved`` fires
    when the address changes; ``key_dropped`` when a typed key went since it was for another host.
    """

    preset_chosen = Signal(object)
    moved = Signal()
    key_dropped = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._presets = context.services.connections.presets()
        self._hint: str | None = None
        self._stored = False
        self._trouble: Message | None = None
        self.preset = QComboBox(self)
        self.add_provider = QPushButton(self)
        self.name = QLineEdit(self)
        self.url = QLineEdit(self)
        self.url.setPlaceholderText("https://api.example.com/v1")
        self.model = QComboBox(self)
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.find_model = QPushButton(self)
        for button in (self.add_provider, self.find_model):
            button.setAutoDefault(False)
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setMaxLength(100_000)
        self.notes = KeyNotes(context, self)
        self.key_note, self.console = self.notes.about_key, self.notes.console
        self.grid = FieldGrid(self)
        provider = one_line(self, self.preset, self.add_provider)
        model = one_line(self, self.model, self.find_model)
        for field in (provider, self.name, self.url, model, self.key):
            self.grid.add(field)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP // 2)
        whole.addWidget(self.grid)
        whole.addWidget(self.notes)
        self._offer()
        self.preset.activated.connect(lambda _place: self._use_preset())
        self.url.textChanged.connect(self.moved)

    # --- presets -----------------------------------------------------------------------------

    def _offer(self) -> None:
        for preset in self._presets:
            self.preset.addItem("", preset)
        for adapter in dict.fromkeys(preset.adapter for preset in self._presets):
            if adapter in COMPATIBLE:
                self.preset.addItem("", self._nameless(adapter))

    def _nameless(self, adapter: str) -> Preset:
        picture = self._context.services.connections.makes(adapter) == "picture"
        unit = PriceUnit.IMAGE if picture else PriceUnit.MTOKENS
        return Preset("", "", adapter, "", (), price_unit=unit)

    def offer_anew(self, chosen: str) -> None:
        """A provider was added: offer them all again, and choose it."""
        self._presets = self._context.services.connections.presets()
        self.preset.clear()
        self._offer()
        self.retranslate()
        places = range(self.preset.count())
        self.preset.setCurrentIndex(
            next((place for place in places if self.preset.itemData(place).id == chosen), 0)
        )
        self._use_preset()

    def _use_preset(self) -> None:
        preset = self.chosen()
        if preset is None:
            return
        tr = self._context.tr
        others = {tr(preset.label) for preset in self._presets}
        if not self.name.text().strip() or self.name.text() in others:
            self.name.setText(tr(preset.label))
        before = self._host()
        self.url.setText(preset.base_url)
        models = _listed(preset)
        self.offer_models(models, models[0] if models else "")
        self._words()
        self.preset_chosen.emit(preset)
        if self.secret() is not None and self._host() != before:
            self.forget_key()
            self.key_dropped.emit()

    def _host(self) -> str | None:
        return parts_of(self.url.text()).hostname

    def chosen(self) -> Preset | None:
        """The preset in the chooser; one without id stands for any server of its adapter."""
        found = self.preset.currentData()
        return found if isinstance(found, Preset) else None

    def offer_models(self, models: tuple[str, ...], current: str | None = None) -> None:
        """List these models, keeping what is written unless ``current`` is given."""
        text = self.model.currentText() if current is None else current
        self.model.clear()
        self.model.addItems(list(models))
        self.model.setEditText(text)

    # --- what is there -----------------------------------------------------------------------

    def begin_new(self) -> None:
        """Start from the first preset."""
        self.preset.setCurrentIndex(0)
        self._use_preset()

    def show_connection(self, connection: Connection) -> None:
        """Show a stored connection; its key stays in the keyring."""
        for place in range(self.preset.count()):
            preset = self.preset.itemData(place)
            # The nameless ones come last and stand for every preset that is not listed.
            if preset.adapter == connection.adapter and preset.id in (connection.preset, ""):
                self.preset.setCurrentIndex(place)
                break
        else:
            self._add_unlisted(connection)
        known = self.chosen()
        self.name.setText(connection.name)
        self.url.setText(connection.base_url)
        self.offer_models(_listed(known) if known else (), connection.model)
        self._stored = True
        self._words()

    def _add_unlisted(self, connection: Connection) -> None:
        """Whatever it was made with, such as a file that is gone, it stays that."""
        name = connection.preset or ""
        gone = Preset(name, name or connection.adapter, connection.adapter, "", ())
        self.preset.addItem(gone.label, gone)
        self.preset.setCurrentIndex(self.preset.count() - 1)

    def show_key_store(
        self, trouble: Message | None, hint: str | None, *, missing: bool = False
    ) -> None:
        """Say where the key goes: ``trouble`` is why it can't be stored, ``hint`` its end;
        ``missing``: there is none to keep, or none that is of use."""
        self._trouble, self._hint = trouble, hint
        self._stored = self._stored and not missing
        self._words()

    def forget_key(self) -> None:
        """Empty the key field and its undo history."""
        self.key.setText("")

    # --- what was said -----------------------------------------------------------------------

    def secret(self) -> str | None:
        """The key as typed, None where the stored one is to stay."""
        return self.key.text().strip() or None

    def check(self) -> None:
        """Raise FieldError for the first field that can't be used."""
        tr = self._context.tr
        if not self.name.text().strip():
            raise FieldError(tr("Give the connection a name."), self.name)
        parts = parts_of(self.url.text())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FieldError(tr("The address must start with https://."), self.url)
        if parts.username or parts.password:
            raise FieldError(tr("Put the key into its own field, not into the address."), self.url)
        if not self.model.currentText().strip():
            preset = self.chosen()
            is_file = preset is not None and bool(preset.model_files)
            said = tr("Choose the file of the model to use.") if is_file else None
            raise FieldError(said or tr("Name the model to use."), self.model)

    def clear_text_host(self) -> str | None:
        """The host that would get the key unencrypted, or None."""
        parts = parts_of(self.url.text())
        if parts.scheme != "http" or not parts.hostname or parts.hostname in LOOPBACK:
            return None
        return parts.hostname

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.grid.name(tr("Provider"), tr("Name"), tr("Address"), tr("Model"), tr("API key"))
        self.preset.setAccessibleName(tr("Provider"))
        self.model.setAccessibleName(tr("Model"))
        self.add_provider.setText(tr("From a file…"))
        self.add_provider.setToolTip(tr("Add a provider that a .toml file describes"))
        self.find_model.setText(tr("Choose…"))
        makes = self._context.services.connections.makes
        for place in range(self.preset.count()):
            preset = self.preset.itemData(place)
            if preset.label:
                self.preset.setItemText(place, tr(preset.label))
            else:
                picture = makes(preset.adapter) == "picture"
                self.preset.setItemText(
                    place,
                    tr("Another server for pictures (OpenAI-compatible)")
                    if picture
                    else tr("Another server for texts (OpenAI-compatible)"),
                )
        self._words()

    def _words(self) -> None:
        tr, preset = self._context.tr, self.chosen()
        self.find_model.setVisible(preset is not None and bool(preset.model_files))
        written = self.model.lineEdit()
        if written is not None:
            written.setPlaceholderText(
                tr(preset.model_hint)
                if preset is not None and preset.model_hint
                else tr("Its name at the provider; Test lists those there are")
            )
        if self._stored and self._hint:
            self.key.setPlaceholderText(
                tr("Stored ({hint}). Leave empty to keep it", hint=self._hint)
            )
        elif self._stored:
            self.key.setPlaceholderText(tr("Leave empty to keep the stored key"))
        elif preset is not None and not preset.needs_key:
            self.key.setPlaceholderText(tr("Not needed"))
        else:
            self.key.setPlaceholderText(tr("Paste the key here"))
        self.notes.say(self._trouble, preset)


def _listed(preset: Preset) -> tuple[str, ...]:
    """The models to choose from; a file is none that is there before a person has named it."""
    return () if preset.model_files else preset.models
