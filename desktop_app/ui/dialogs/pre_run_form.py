"""The left half of the pre-run sheet: everything a person decides about a new batch."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from PySide6.QtCore import QRegularExpression, Signal
from PySide6.QtGui import QIntValidator, QRegularExpressionValidator
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.mapping_file import MappingPreset
from desktop_app.domain.ports import SheetInfo
from desktop_app.services.import_batch import ImportPlan
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.disclosure import Disclosure
from desktop_app.ui.dialogs.fields import FieldGrid, PathChoice
from desktop_app.ui.dialogs.form_area import FormArea
from desktop_app.ui.dialogs.pre_run_columns import OrderForm
from desktop_app.ui.dialogs.pre_run_connection import ConnectionPicker
from desktop_app.ui.dialogs.pre_run_names import NamesForm
from desktop_app.ui.dialogs.pre_run_params import ParamForm
from desktop_app.ui.dialogs.pre_run_prompt import PromptForm
from desktop_app.ui.dialogs.style import GAP

_MONEY = QRegularExpression(r"\d{0,9}([.,]\d{0,6})?")


class PreRunForm(FormArea):
    """Prompt, connection, parameters, folder, further options. ``changed`` fires on every edit."""

    changed = Signal()
    folder_wanted = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._info: SheetInfo | None = None
        self._out_dir: str | None = None
        self._proposed: Mapping[str, str] = {}
        inside = self.inside
        self.prompt = PromptForm(context, inside)
        self.picker = ConnectionPicker(context, inside)
        self.params = ParamForm(context, inside)
        place = PathChoice(inside)
        self.folder, self.change_folder = place.field, place.change
        self.names = NamesForm(context, inside)
        self.order = OrderForm(context, inside)
        self.max_calls = QLineEdit(inside)
        self.max_calls.setValidator(QIntValidator(1, 10_000_000, self.max_calls))
        self.budget = QLineEdit(inside)
        self.budget.setValidator(QRegularExpressionValidator(_MONEY, self.budget))
        self._caps = FieldGrid(inside, label_width=118)
        self._caps.add(self.max_calls)
        self._caps.add(self.budget)
        more = QWidget(inside)
        rows = QVBoxLayout(more)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(GAP // 2)
        rows.addWidget(self.names)
        rows.addWidget(self.order)
        rows.addWidget(self._caps)
        self.more = Disclosure(context, more, inside)

        self._titles = tuple(QLabel(inside) for _ in range(4))
        for title in self._titles:
            title.setProperty("tone", "heading")
        whole = self.column
        self._top = QHBoxLayout()
        self._top.addWidget(self._titles[0], 1)
        whole.addLayout(self._top)
        for title, part in zip(
            self._titles, (self.prompt, self.picker, self.params, place), strict=True
        ):
            if title is not self._titles[0]:
                whole.addWidget(title)
            whole.addWidget(part)
            whole.addSpacing(GAP)
        whole.addWidget(self.more)
        whole.addStretch(1)
        self._titles[2].hide()
        self.guard_wheel()

        for form in (self.prompt, self.params, self.names, self.order):
            form.changed.connect(self.changed)
        self.max_calls.textChanged.connect(self.changed)
        self.budget.textChanged.connect(self.changed)
        self.more.toggled.connect(lambda shown: self.reveal(self.more) if shown else None)
        self.picker.chosen.connect(self._use_connection)
        self.change_folder.clicked.connect(self.folder_wanted)

    def add_to_top(self, widget: QWidget) -> None:
        """Put it beside the first title."""
        self._top.addWidget(widget)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the sheet; empty before it is read."""
        return self._info.columns if self._info is not None else ()

    def show_info(self, info: SheetInfo) -> MappingPreset | None:
        """Offer the columns of this sheet, mapped as they were the last time, which is returned,
        else as their names make likely."""
        is_known = set(self.columns) == set(info.columns)
        self._info = info
        self.prompt.fill(info.columns, info.guess.get("prompt"))
        self.order.fill(info.columns, info.guess)
        self.names.fill(info.columns)
        last = None if is_known else self._context.services.mappings.last(info.columns)
        if last is not None:
            self.choose(last)
        elif not is_known:
            self._proposed = {name: f"@{column}" for name, column in info.guess.items()}
        self._use_connection()
        return last

    def choose(self, preset: MappingPreset) -> tuple[str, ...]:
        """Show a mapping that fits this sheet; returns the parameters in it that the connection
        does not have."""
        mapping = preset.mapping
        self.prompt.choose(mapping.prompt_column, mapping.template)
        self.order.choose(mapping, preset.lane_on_dead)
        self.names.choose(mapping.output_name, mapping.subfolder)
        self._proposed = mapping.params
        if mapping.output_name or mapping.subfolder or mapping.lane_column:
            self.more.open()
        return self.params.choose(mapping.params) if self.picker.connection is not None else ()

    def preset(self, name: str) -> MappingPreset | None:
        """The mapping as chosen now, under this name; None while it has no prompt."""
        mapping = self.mapping()
        if mapping.prompt_column is None and mapping.template is None:
            return None
        row = self._info.header_row if self._info is not None else None
        return MappingPreset(name, mapping, self.order.lane_on_dead(), row)

    def set_folder(self, out_dir: str, *, chosen: bool) -> None:
        """Show where the files will go; ``chosen`` by a person, else the proposal of now."""
        if chosen:
            self._out_dir = out_dir
        self.folder.show_path(out_dir)
        if chosen:
            self.changed.emit()

    def set_parent_folder(self, parent: str) -> None:
        """Put the batch's own new folder inside this one."""
        self.set_folder(str(Path(parent) / Path(self.folder.path).name), chosen=True)

    def mapping(self) -> SheetMapping:
        """How the columns become requests, as chosen now."""
        return SheetMapping(
            prompt_column=self.prompt.prompt_column(),
            template=self.prompt.text(),
            params=self.params.params(),
            lane_column=self.order.lane_column(),
            key_column=self.order.key_column(),
            priority_column=self.order.priority_column(),
            output_name=self.names.output_name(),
            subfolder=self.names.subfolder_said(),
        )

    def plan(self) -> ImportPlan | None:
        """The batch as chosen now; None while a prompt or a connection is missing."""
        mapping, connection = self.mapping(), self.picker.connection
        if self._info is None or connection is None:
            return None
        if mapping.prompt_column is None and mapping.template is None:
            return None
        return ImportPlan(
            info=self._info,
            mapping=mapping,
            connection_id=connection.id,
            out_dir=self._out_dir,
            lane_on_dead=self.order.lane_on_dead(),
            max_calls=int(self.max_calls.text().replace(",", "") or 0) or None,
            budget=self._budget(),
            remember_out=True,
        )

    def missing(self) -> str:
        """What has to be chosen before anything can be checked; empty where nothing is missing."""
        tr, mapping = self._context.tr, self.mapping()
        if mapping.prompt_column is None and mapping.template is None:
            if self.prompt.by_template.isChecked():
                return tr("Write the text of the prompt, with the columns that fill it.")
            return tr("Choose the column that holds the prompts.")
        if self.picker.connection is None:
            if self.picker.is_taking:
                return tr("Getting the connection ready…")
            return tr("Choose a connection.")
        return ""

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        words = (tr("Prompt"), tr("Connection"), tr("Parameters"), tr("Save to"))
        for title, word in zip(self._titles, words, strict=True):
            title.setText(word)
        for part in (self.prompt, self.picker, self.params, self.names, self.order):
            part.retranslate()
        self.folder.setAccessibleName(tr("Output folder"))
        self.change_folder.setText(tr("Change…"))
        self.change_folder.setAccessibleName(tr("Change the output folder"))
        self.more.set_title(tr("Names, order and limits"))
        self._caps.name(tr("Most calls"), tr("Most money"))
        self.max_calls.setAccessibleName(tr("Stop after this many calls"))
        self.max_calls.setPlaceholderText(tr("No cap"))
        self.budget.setToolTip(
            tr("What the calls may cost in all, those that may have been billed included.")
        )
        self._name_currency()

    def _budget(self) -> Decimal | None:
        """The cap of money; the field takes nothing but figures."""
        text = self.budget.text().replace(",", ".").strip(".")
        return Decimal(text) if text else None

    def _name_currency(self) -> None:
        connection, tr = self.picker.connection, self._context.tr
        price = connection.price if connection is not None else None
        currency = tr("No cap ({currency})", currency=price.currency) if price else tr("No cap")
        self.budget.setPlaceholderText(currency)

    def _use_connection(self) -> None:
        connection = self.picker.connection
        self._name_currency()
        if connection is not None and self._info is not None:
            known = self._context.services.connections.params(connection.adapter, connection)
            of_connection = {"model": connection.model, **connection.params}
            self.params.fill(known, self._info.columns, self._proposed, of_connection)
            self._titles[2].setVisible(bool(known))
            self.guard_wheel()
        self.changed.emit()
