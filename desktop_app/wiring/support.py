"""The support file without a house: it is wanted most when the store can't be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.services.export_batch import Language
from desktop_app.settings.logs import Redactor
from desktop_app.settings.paths import Paths, paths
from desktop_app.wiring.options import HouseOptions, translator

if TYPE_CHECKING:
    from desktop_app.services.support_bundle import SupportBundle


def support_bundle(where: Paths, redactor: Redactor, language: Language) -> SupportBundle:
    """Over one data folder; ``redactor`` knows the keys in use, if there are any."""
    # Imported once it is wanted: a start has no use for any of it.
    from desktop_app.services.support_bundle import SupportBundle
    from desktop_app.settings.support import MachineFacts, SupportZip
    from desktop_app.store.support import StoreFacts

    sources = (MachineFacts(where), StoreFacts(where.database))
    return SupportBundle(sources, SupportZip(redactor), language)


def lone_support(options: HouseOptions) -> SupportBundle:
    """Whoever works on the folder, and whatever state it is in."""
    language = Language(translator(options))
    return support_bundle(paths(options.data_dir), Redactor(), language)
