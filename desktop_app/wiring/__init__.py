"""Builds every room once and hands each what it needs: the only place that knows them all."""

from __future__ import annotations

from desktop_app.settings.paths import resources_dir
from desktop_app.settings.secrets import variable as key_variable
from desktop_app.wiring.faults import is_logged
from desktop_app.wiring.guest import LEFT_S, Guest, hand_over, hangs, is_left, open_guest
from desktop_app.wiring.house import House
from desktop_app.wiring.opening import open_house
from desktop_app.wiring.options import FolderInUse, HouseOptions, translator
from desktop_app.wiring.practice import serve_practice
from desktop_app.wiring.restore import StoreDamaged, bring_back, met_damage, told
from desktop_app.wiring.support import lone_support
from desktop_app.wiring.watched import watched

__all__ = [
    "LEFT_S",
    "FolderInUse",
    "Guest",
    "House",
    "HouseOptions",
    "StoreDamaged",
    "bring_back",
    "hand_over",
    "hangs",
    "is_left",
    "is_logged",
    "key_variable",
    "lone_support",
    "met_damage",
    "open_guest",
    "open_house",
    "resources_dir",
    "serve_practice",
    "told",
    "translator",
    "watched",
]
