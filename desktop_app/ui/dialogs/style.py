"""The few looks that dialogs and their tabs need beyond the window's own style sheet."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.ui.theme import Theme

GAP = 8
"""The rhythm, in logical pixels."""

MARGIN = 24

MENU_MARK = " ▾"
"""Behind the word of a chip that opens a menu."""

_SHEET = """
QDialog {{ background: {window}; }}
QWidget[pane="card"] {{
  background: {surface}; border: 1px solid {border}; border-radius: {radius}px;
}}
QWidget[pane="card"][open="true"] {{ border-color: {border_strong}; }}
QWidget[pane="clear"], QScrollArea > QWidget > QWidget[pane="clear"] {{ background: transparent; }}
QFrame[pane="strip"][tone="error"] {{ background: {error_bg}; border-radius: {radius}px; }}
QFrame[pane="strip"][tone="warning"] {{ background: {warning_bg}; border-radius: {radius}px; }}
QFrame[pane="strip"][tone="info"] {{ background: {info_bg}; border-radius: {radius}px; }}
QFrame[pane="strip"][tone="ok"] {{ background: {sunken}; border-radius: {radius}px; }}
QFrame[pane="strip"][tone="error"] QLabel {{ color: {error_fg}; }}
QFrame[pane="strip"][tone="warning"] QLabel {{ color: {warning_fg}; }}
QFrame[pane="strip"][tone="info"] QLabel {{ color: {info_fg}; }}
QFrame[pane="strip"][tone="info"] QRadioButton {{ color: {info_fg}; }}
QRadioButton:disabled, QFrame[pane="strip"][tone="info"] QRadioButton:disabled {{
  color: {faint};
}}
QFrame[pane="rule"] {{ background: {border}; border: none; max-height: 1px; min-height: 1px; }}
QPlainTextEdit[look="sunken"], QTextEdit[look="sunken"] {{
  background: {sunken}; border: 1px solid {border};
}}
QDialog QTabWidget::pane {{
  background: {surface}; border: 1px solid {border}; border-radius: {radius}px; top: -1px;
}}
QToolButton[look="chip"]::menu-indicator {{ image: none; }}
QTableView::item {{ padding: 0 5px; }}
QHeaderView::section:vertical {{
  color: {faint}; border: none; border-right: 1px solid {border}; padding: 0 8px;
}}
QTableCornerButton::section {{
  background: {surface}; border: none; border-bottom: 1px solid {border};
}}
QRadioButton {{ spacing: 8px; }}
QRadioButton::indicator {{
  width: 14px; height: 14px; border-radius: 8px; border: 1px solid {faint};
  background: {surface};
}}
QRadioButton::indicator:hover {{ border-color: {accent}; }}
QRadioButton::indicator:checked {{
  width: 6px; height: 6px; border: 5px solid {accent}; background: {on_accent};
}}
QRadioButton::indicator:checked:disabled {{ border-color: {faint}; }}
QRadioButton:focus {{ color: {accent}; }}
QListView[look="gallery"] {{ padding-left: 8px; }}
QToolButton[look="disclose"] {{
  background: transparent; border: 1px solid transparent; border-radius: 4px;
  color: {muted}; padding: 3px 6px 3px 2px; font-weight: 600;
}}
QToolButton[look="disclose"]:hover {{ color: {text}; }}
QToolButton[look="disclose"]:focus {{ border-color: {accent}; }}
"""


def sheet_style(theme: Theme) -> str:
    """The supplement for the scheme in force, to be set on a dialog or tab."""
    values = {name: theme.color(name).name() for name in theme.tokens()}
    return _SHEET.format(radius=theme.size("radius"), **values)


def set_tone(widget: QWidget, tone: str) -> None:
    """Colour it as what it says: muted, info, ok, warning or error."""
    set_look(widget, "tone", tone)


def set_look(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet goes by."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    # A property selector is looked at, and its face measured, only when it is polished anew.
    for each in (widget, *widget.findChildren(QWidget)):
        each.style().unpolish(each)
        each.style().polish(each)
    widget.updateGeometry()
