"""The small style sheet is made from tokens, so that no colour is written twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.ui.theme import Theme

# Prompts, file names and answers of providers come from anybody: Qt would take what looks like
# HTML for it, in labels and tool tips alike. Text of our own with a link says rich="true".
_SHEET = """
QLabel, QToolTip {{ qproperty-textFormat: PlainText; }}
QLabel[rich="true"] {{ qproperty-textFormat: RichText; }}
QToolTip {{
  background: {raised}; color: {text}; border: 1px solid {border_strong}; padding: 4px 6px;
}}
QMenuBar {{ background: {window}; border-bottom: 1px solid {border}; padding: 0 4px; }}
QMenuBar::item {{ padding: 5px 10px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {hover}; }}
QMenu {{ background: {raised}; border: 1px solid {border_strong}; padding: 4px; }}
QMenu::item {{ padding: 6px 28px 6px 12px; border-radius: 4px; }}
QMenu::item:selected {{ background: {accent_soft}; color: {text}; }}
QMenu::item:disabled {{ color: {faint}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 8px; }}

QPushButton, QToolButton[look="button"] {{
  background: {raised}; color: {text}; border: 1px solid {border_strong};
  border-radius: {radius}px; padding: 4px 12px; min-height: 20px;
}}
QPushButton:hover, QToolButton[look="button"]:hover {{ background: {hover}; }}
QPushButton:pressed, QToolButton[look="button"]:pressed {{ background: {sunken}; }}
QPushButton:focus, QToolButton[look="button"]:focus {{ border: 1px solid {accent}; }}
QPushButton:disabled, QToolButton[look="button"]:disabled {{
  color: {faint}; background: {window}; border-color: {border};
}}
QMessageBox QPushButton:default, QFileDialog QPushButton:default,
QPushButton[look="primary"], QToolButton[look="primary"] {{
  background: {accent}; color: {on_accent}; border: 1px solid {accent};
  border-radius: {radius}px; padding: 4px 14px; min-height: 20px; font-weight: 600;
}}
QMessageBox QPushButton:default:hover, QFileDialog QPushButton:default:hover,
QPushButton[look="primary"]:hover, QToolButton[look="primary"]:hover {{
  background: {accent_hover}; border-color: {accent_hover};
}}
QMessageBox QPushButton:default:focus, QFileDialog QPushButton:default:focus,
QPushButton[look="primary"]:focus, QToolButton[look="primary"]:focus {{
  border: 1px solid {text};
}}
QMessageBox QPushButton:default:disabled, QFileDialog QPushButton:default:disabled,
QPushButton[look="primary"]:disabled, QToolButton[look="primary"]:disabled {{
  background: {sunken}; color: {faint}; border-color: {border};
}}
QPushButton, QToolButton, QRadioButton, QCheckBox {{ outline: none; }}
QPushButton[size="large"] {{ min-height: 32px; padding: 4px 16px; }}
QPushButton[look="danger"] {{ color: {state_failed}; }}
QPushButton[look="link"] {{
  background: transparent; border: none; color: {accent}; padding: 2px 4px;
}}
QPushButton[look="link"]:hover {{ color: {accent_hover}; text-decoration: underline; }}
QToolButton[look="button"][popupMode="1"] {{ padding-right: 28px; }}
QToolButton[look="button"]::menu-button {{
  border: none; border-left: 1px solid {border}; width: 20px;
}}
QToolButton[look="button"]::menu-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}
QToolButton[look="quiet"] {{
  background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 3px;
}}
QToolButton[look="quiet"]:hover {{ background: {hover}; }}
QToolButton[look="quiet"]:checked {{ background: {accent_soft}; }}
QToolButton[look="quiet"]:focus {{ border-color: {accent}; }}
QToolButton[look="quiet"][popupMode="2"] {{ padding-right: 18px; }}
QToolButton[look="quiet"]::menu-indicator {{
  image: url("{chevron}"); width: 12px; height: 12px;
  subcontrol-origin: padding; subcontrol-position: right center; right: 3px;
}}

QToolButton[look="chip"] {{
  background: transparent; color: {muted}; border: 1px solid {border};
  border-radius: 12px; padding: 2px 8px; min-height: 18px;
}}
QToolButton[look="chip"]:hover {{ background: {hover}; color: {text}; }}
QToolButton[look="chip"]:checked {{
  background: {accent_soft}; color: {accent}; border-color: {accent};
}}
QToolButton[look="chip"]:focus {{ border-color: {accent}; }}

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
  background: {surface}; color: {text}; border: 1px solid {border_strong};
  border-radius: {radius}px; padding: 4px 8px; selection-background-color: {accent};
  selection-color: {on_accent};
}}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus {{ border: 1px solid {accent}; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled {{
  color: {faint}; background: {window};
}}
QComboBox::drop-down {{ border: none; width: 22px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox QAbstractItemView {{
  background: {raised}; border: 1px solid {border_strong}; outline: none; padding: 4px;
  selection-background-color: {accent_soft}; selection-color: {text};
}}
QComboBox QAbstractItemView::item {{ min-height: 26px; padding: 0 8px; border-radius: 4px; }}
QComboBox QAbstractItemView::item:selected {{ background: {accent_soft}; color: {text}; }}
QPlainTextEdit[look="plain"] {{ border: none; background: transparent; padding: 0; }}

QTabWidget::pane {{ border: none; border-top: 1px solid {border}; background: {surface}; }}
QTabWidget::tab-bar {{ left: 8px; }}
QTabBar {{ background: transparent; qproperty-drawBase: 0; }}
QTabBar::tab {{
  background: transparent; color: {muted}; padding: 9px 12px 8px 12px; margin-right: 4px;
  border: none; border-bottom: 2px solid transparent;
}}
QTabBar::tab:hover {{ color: {text}; }}
QTabBar::tab:selected {{ color: {text}; font-weight: 600; border-bottom: 2px solid {accent}; }}
QTabBar::tab:focus {{ color: {accent}; }}

QHeaderView {{ background: {surface}; border: none; }}
QHeaderView::section {{
  background: {surface}; color: {muted}; border: none; border-bottom: 1px solid {border};
  padding: 5px 8px; font-weight: 500;
}}
QHeaderView::section:hover {{ color: {text}; }}
QHeaderView::down-arrow {{ image: url("{chevron}"); width: 10px; height: 10px; }}
QHeaderView::up-arrow {{ image: url("{chevron_up}"); width: 10px; height: 10px; }}
QTreeView::item {{ height: 26px; padding: 0 4px; }}
QTreeView::item:selected {{ background: {selected}; color: {text}; }}
QTreeView QHeaderView::section {{ padding: 4px 4px; }}
QTableView, QTreeView, QListView {{
  background: {surface}; border: none; outline: none;
  selection-background-color: {selected}; selection-color: {text};
}}
QTableView[look="boxed"], QTreeView[look="boxed"], QListView[look="boxed"] {{
  border: 1px solid {border}; border-radius: {radius}px;
}}

QFileDialog {{
  backward-icon: url("{icons}/arrow-left-{shade}.svg");
  forward-icon: url("{icons}/arrow-right-{shade}.svg");
  filedialog-parent-directory-icon: url("{icons}/arrow-up-{shade}.svg");
  filedialog-new-directory-icon: url("{icons}/folder-plus-{shade}.svg");
  filedialog-listview-icon: url("{icons}/view-grid-{shade}.svg");
  filedialog-detailedview-icon: url("{icons}/view-rows-{shade}.svg");
}}
QFileDialog QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QFileDialog QTreeView::item {{ padding: 0; }}

QSplitter::handle {{ background: {border}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:hover {{ background: {accent}; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {border_strong}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QScrollArea {{ border: none; background: transparent; }}
QProgressBar {{
  background: {track}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px;
}}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QGroupBox {{
  border: 1px solid {border}; border-radius: {radius}px; margin-top: 10px; padding-top: 8px;
}}
QGroupBox::title {{ subcontrol-origin: margin; left: 10px; padding: 0 4px; color: {muted}; }}

QWidget[pane="toolbar"] {{ background: {window}; border-bottom: 1px solid {border}; }}
QWidget[pane="side"] {{ background: {window}; }}
QWidget[pane="side"] QListView {{ background: {window}; }}
QWidget[pane="surface"] {{ background: {surface}; }}
QWidget[pane="footer"] {{ background: {window}; border-top: 1px solid {border}; }}
QLabel[tone="muted"] {{ color: {muted}; }}
QLabel[tone="faint"] {{ color: {faint}; }}
QLabel[tone="accent"] {{ color: {accent}; }}
QLabel[tone="error"] {{ color: {error_fg}; }}
QLabel[tone="warning"] {{ color: {warning_fg}; }}
QLabel[tone="ok"] {{ color: {state_done}; }}
QLabel[tone="heading"] {{ color: {faint}; font-weight: 600; }}
"""


def sheet(theme: Theme, icons_dir: Path) -> str:
    """The style sheet for the scheme in force."""
    values = {name: theme.color(name).name() for name in theme.tokens()}
    shade = "light" if theme.dark else "dark"
    icons = icons_dir.as_posix()
    return _SHEET.format(
        radius=theme.size("radius"),
        icons=icons,
        shade=shade,
        chevron=f"{icons}/chevron-down-{shade}.svg",
        chevron_up=f"{icons}/chevron-up-{shade}.svg",
        **values,
    )
