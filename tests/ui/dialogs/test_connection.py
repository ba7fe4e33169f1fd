"""The connection dialog: presets, figures, faults, and a key that is nowhere once it is closed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.domain.connection import Connection, OnUnknown, RateUnit
from desktop_app.domain.limits import working
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Preset
from desktop_app.domain.ports import TestReport as Report
from desktop_app.domain.text import Message, message
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.fields import FieldError
from tests.ui.dialogs.dialog_fakes import PAID, PRACTICE, Desk, plain, settle, until

LEFT = Qt.MouseButton.LeftButton
KEY = "sk-secret-000111"


def opened(desk: Desk, connection: Connection | None = None) -> ConnectionDialog:
    dialog = ConnectionDialog(desk.context, connection, desk.window)
    dialog.open()
    return dialog


def choose(qtbot: QtBot, dialog: ConnectionDialog, place: int) -> None:
    dialog.account.preset.setCurrentIndex(place)
    dialog.account.preset.activated.emit(place)


async def test_a_preset_fills_the_form(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    choose(qtbot, dialog, 1)

    assert dialog.account.url.text() == "https://ark.cn-beijing.volces.com/api/v3"
    assert dialog.account.model.currentText() == "doubao-seedream-4-5-251128"
    assert dialog.account.name.text() == "Volcengine Ark Seedream"
    assert dialog.limits.unit.currentData() == RateUnit.IPM
    assert dialog.limits.currency.currentText() == "CNY"
    assert "https://console.volcengine.com/ark" in dialog.account.console.text()
    assert '"watermark": false' in dialog.advanced.extra.toPlainText()


async def test_saves_what_was_entered(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    saved: list[int] = []
    dialog.saved.connect(saved.append)
    qtbot.keyClicks(dialog.account.key, KEY)
    qtbot.keyClicks(dialog.limits.concurrency, "10")
    qtbot.keyClicks(dialog.limits.rate, "50")
    qtbot.keyClicks(dialog.limits.tokens, "30000")
    qtbot.keyClicks(dialog.limits.images, "60")
    qtbot.keyClicks(dialog.limits.price, "0,04")
    qtbot.keyClicks(dialog.limits.day_budget, "20")
    dialog.more.open()
    dialog.advanced.headroom.clear()
    qtbot.keyClicks(dialog.advanced.headroom, "90")
    dialog.advanced.on_unknown.setCurrentIndex(3)
    qtbot.keyClicks(dialog.advanced.below, "0.01")
    qtbot.mouseClick(dialog.save, LEFT)
    await until(lambda: saved == [11])

    made, secret = desk.connections.saved[0]
    assert secret == KEY
    assert (made.limits.concurrency, made.limits.rate) == (10, 50.0)
    assert made.limits.rate_unit is RateUnit.IPM
    assert (made.limits.tokens_per_minute, made.limits.images_per_minute) == (30_000, 60)
    assert made.limits.headroom == 0.9
    assert made.price == Price(Decimal("0.04"), PriceUnit.IMAGE, "USD")
    assert made.day_budget == Decimal(20)
    assert made.on_unknown is OnUnknown.RESEND_BELOW
    assert made.resend_below == Decimal("0.01")
    assert made.preset == "openai"
    assert not dialog.isVisible()


async def test_models_that_rows_name_have_prices_of_their_own(desk: Desk, qtbot: QtBot) -> None:
    priced = Price(Decimal("0.04"), PriceUnit.CALL, "USD", (("a=b", Decimal("0.17")),))
    dialog = opened(desk, replace(PAID, price=priced))
    field = dialog.limits.model_prices
    assert field.text() == "a=b = 0.17"
    assert dialog.connection().price == priced
    field.setText(" big ＝ 0,5；a=b=1 ; ")
    made = dialog.connection().price
    assert made is not None
    assert made.models == (("big", Decimal("0.5")), ("a=b", Decimal(1)))
    for wrong in ("big", "= 1", "big = x", "big = -1", "big = NaN"):
        field.setText(wrong)
        with pytest.raises(FieldError) as caught:
            dialog.connection()
        assert caught.value.widget is field
    field.setText("big = 1")
    dialog.limits.price.clear()
    with pytest.raises(FieldError) as caught:
        dialog.connection()
    assert caught.value.widget is dialog.limits.price


async def test_nothing_stated_is_found_out_or_the_presets_calls_at_once(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = opened(desk)

    made = dialog.connection()

    assert made.price is None
    assert (made.limits.concurrency, made.limits.rate, made.limits.burst) == (None, None, None)
    choose(qtbot, dialog, 2)
    own = dialog.connection().limits
    assert (own.concurrency, working(own, 9, 64).slots) == (1, 1)
    assert (made.timeout_s, made.on_unknown, made.retries) == (None, None, 3)
    assert made.proxy == "system"


async def test_the_key_is_nowhere_once_closed(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    qtbot.keyClicks(dialog.account.key, KEY)
    assert dialog.account.key.displayText() != KEY

    shown = [repr(dialog), repr(dialog.account), dialog.windowTitle(), repr(dialog.connection())]
    dialog.reject()

    assert dialog.account.key.text() == ""
    dialog.account.key.undo()
    assert dialog.account.key.text() == ""
    assert all(KEY not in text for text in shown)
    assert all(KEY not in repr(value) for value in vars(dialog).values())


async def test_limits_by_the_minute_are_shown_and_kept(desk: Desk, qtbot: QtBot) -> None:
    limits = replace(PAID.limits, tokens_per_minute=30_000.0, images_per_minute=7.5)
    stated = replace(PAID, limits=limits)
    dialog = opened(desk, stated)
    assert (dialog.limits.tokens.text(), dialog.limits.images.text()) == ("30000", "7.5")
    assert dialog.connection() == stated
    dialog.limits.tokens.clear()
    dialog.limits.images.clear()
    assert dialog.connection() == PAID


async def test_changing_keeps_the_stored_key_and_figures(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk, PAID)
    assert dialog.limits.rate.text() == "50"
    assert dialog.account.key.text() == ""

    qtbot.mouseClick(dialog.save, LEFT)
    await until(lambda: bool(desk.connections.saved))

    assert desk.connections.saved[0] == (PAID, None)


async def test_an_unlisted_preset_survives_a_change(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk, PRACTICE)

    made = dialog.connection()

    assert (made.preset, made.adapter) == ("practice", "openai-images")


async def test_another_host_needs_its_own_key(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk, PAID)
    dialog.account.url.setText("https://evil.example/v1")

    qtbot.mouseClick(dialog.save, LEFT)
    await settle()

    assert "another host" in dialog.notice.text
    assert desk.connections.saved == []


async def test_a_key_typed_for_one_provider_does_not_go_to_another(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = opened(desk)
    said = "The key field was emptied: a key is for one provider only."
    qtbot.keyClicks(dialog.account.key, KEY)
    choose(qtbot, dialog, dialog.account.preset.currentIndex())
    assert dialog.account.secret() == KEY, "the same provider again"
    assert dialog.notice.text != said
    choose(qtbot, dialog, 1)
    assert dialog.account.key.text() == ""
    assert not dialog.account.key.isUndoAvailable()
    assert dialog.notice.text == said
    choose(qtbot, dialog, dialog.account.preset.count() - 1)
    assert dialog.notice.text != said, "there was no key to take away"


async def test_half_an_address_is_named_and_no_fault(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    dialog.account.url.clear()
    qtbot.keyClicks(dialog.account.url, "http://[::1")
    with pytest.raises(FieldError) as wrong:
        dialog.connection()
    assert wrong.value.said == "The address must start with https://."
    qtbot.keyClicks(dialog.account.url, "]:8080/v1")
    dialog.advanced.proxy.setCurrentIndex(dialog.advanced.proxy.findData("url"))
    qtbot.keyClicks(dialog.advanced.proxy_url, "http://[")
    with pytest.raises(FieldError) as wrong:
        dialog.connection()
    assert wrong.value.widget is dialog.advanced.proxy_url


async def test_plain_http_must_be_agreed_to(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    dialog.account.url.setText("http://10.0.0.8:8000/v1")
    assert dialog.unsafe.isVisible()
    assert dialog.unsafe.text() == "Send my key unencrypted to 10.0.0.8"

    qtbot.mouseClick(dialog.test, LEFT)
    await settle()
    assert desk.connections.tested == []
    assert "without encryption" in dialog.notice.text

    qtbot.mouseClick(dialog.unsafe, LEFT)
    qtbot.mouseClick(dialog.test, LEFT)
    await until(lambda: bool(desk.connections.tested))
    dialog.account.url.setText("http://10.0.0.9:8000/v1")
    assert not dialog.unsafe.isChecked()


async def test_only_what_is_found_out_is_said_to_be(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    assert "as many as are taken" in dialog.limits.concurrency.placeholderText()
    assert "found out" in dialog.limits.rate.placeholderText()
    choose(qtbot, dialog, 2)  # a server of one's own lets calls wait and refuses none
    assert dialog.limits.concurrency.placeholderText() == "Not stated: 1 at once"


async def test_loopback_needs_no_agreement(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    choose(qtbot, dialog, 2)

    assert not dialog.unsafe.isVisible()
    assert dialog.account.key.placeholderText() == "Not needed"


@pytest.mark.parametrize(
    ("ask_key", "said"),
    [(True, "Paste the key here"), (False, "Leave empty to keep the stored key")],
)
async def test_who_opens_it_for_the_key_is_told_of_no_stored_one(
    desk: Desk, qtbot: QtBot, ask_key: bool, said: str
) -> None:
    dialog = ConnectionDialog(desk.context, PAID, desk.window, ask_key=ask_key)
    dialog.open()
    await settle()
    assert dialog.account.key.placeholderText() == said
    dialog.reject()


async def test_test_shows_sentences_and_models(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    qtbot.keyClicks(dialog.account.key, KEY)

    qtbot.mouseClick(dialog.test, LEFT)
    await until(lambda: "The key works." in dialog.notice.text)

    assert desk.connections.tested[0][1] == KEY
    assert dialog.notice.text.count("400 ms") == 1  # the report says it; the dialog adds nothing
    assert dialog.account.model.findText("gpt-image-2") >= 0
    assert dialog.account.model.currentText() == "gpt-image-1.5"
    assert not dialog.busy.isVisible()


async def test_a_renamed_connection_is_tested_with_its_stored_key(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk, PAID)
    dialog.account.name.setText("Another name")

    qtbot.mouseClick(dialog.test, LEFT)
    await until(lambda: bool(desk.connections.tested))

    assert desk.connections.tested[0][0].name == "OpenAI"


async def test_a_failed_test_is_an_error(desk: Desk, qtbot: QtBot) -> None:
    said = plain("Can't reach api.openai.com in 10 s. Set a proxy?")
    desk.connections.report = Report(False, (said,))
    dialog = opened(desk)

    qtbot.mouseClick(dialog.test, LEFT)
    await until(lambda: "Set a proxy?" in dialog.notice.text)

    assert dialog.notice.property("tone") == "error"


@pytest.mark.parametrize(
    ("text", "said"),
    [('{"a": ', "line 1"), ("[1]", "must be an object"), ('{\n"a": 1,\n,}', "line 3")],
)
async def test_bad_json_is_named_and_kept(desk: Desk, qtbot: QtBot, text: str, said: str) -> None:
    dialog = opened(desk)
    dialog.advanced.extra.setPlainText(text)

    qtbot.mouseClick(dialog.save, LEFT)
    await settle()

    assert said in dialog.notice.text
    assert dialog.advanced.extra.isVisible()
    assert dialog.advanced.extra.toPlainText() == text
    assert desk.connections.saved == []


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("concurrency", "0", "whole number"),
        ("rate", "fast", "figure above zero"),
        ("rate", "0", "figure above zero"),
        ("tokens", "0", "such as 30000"),
        ("images", "many", "Images a minute must be"),
        ("price", "NaN", "such as 0.04"),
        ("price", "-1", "such as 0.04"),
        ("day_budget", "much", "such as 20"),
        ("day_budget", "20", "needs the price"),
    ],
)
async def test_bad_figures_are_named(
    desk: Desk, qtbot: QtBot, field: str, text: str, said: str
) -> None:
    dialog = opened(desk)
    getattr(dialog.limits, field).setText(text)

    qtbot.mouseClick(dialog.save, LEFT)
    await settle()

    assert said in dialog.notice.text
    assert desk.connections.saved == []


async def test_a_bad_proxy_is_named(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    dialog.advanced.proxy.setCurrentIndex(2)
    dialog.advanced.proxy_url.setText("localhost:7890")

    qtbot.mouseClick(dialog.save, LEFT)
    await settle()

    assert "proxy address" in dialog.notice.text


async def test_no_password_store_is_said(desk: Desk, qtbot: QtBot) -> None:
    desk.connections.trouble = message("services.key_until_close")
    dialog = opened(desk)
    await until(lambda: "kept until you close" in dialog.account.key_note.text())


async def test_a_refused_save_keeps_what_was_typed(desk: Desk, qtbot: QtBot) -> None:
    desk.connections.save_error = message("services.name_taken", name="OpenAI")
    dialog = opened(desk)
    qtbot.keyClicks(dialog.account.key, KEY)

    qtbot.mouseClick(dialog.save, LEFT)
    await until(lambda: "already a connection" in dialog.notice.text)

    assert dialog.isVisible()
    assert dialog.account.secret() == KEY
    assert dialog.save.isEnabled()


async def test_a_doubt_of_the_test_is_a_warning(desk: Desk, qtbot: QtBot) -> None:
    doubt = message("providers.test_model_missing", model="gpt-image-1.5", n=3)
    desk.connections.report = Report(True, (plain("The key works."), doubt), 0.4)
    dialog = opened(desk)

    qtbot.mouseClick(dialog.test, LEFT)
    await until(lambda: "not among" in dialog.notice.text)

    assert dialog.notice.property("tone") == "warning"


# --- providers that a file describes ------------------------------------------------------------

MINE = Preset("mine", "My shop", "http-job", "https://api.shop.example", ("m-1",), currency="CNY")
OF_A_FILE = replace(
    PAID, adapter="http-job", base_url="https://api.shop.example", model="m-1", preset="mine"
)


async def test_a_provider_of_a_file_fills_the_form_and_has_no_nameless_server(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = (*desk.connections.presets(), MINE)
    monkeypatch.setattr(desk.connections, "presets", lambda: known)
    dialog = opened(desk)
    preset = dialog.account.preset
    offered = [preset.itemData(place) for place in range(preset.count())]
    assert [one.adapter for one in offered if not one.id] == ["openai-images", "openai-chat"]
    choose(qtbot, dialog, offered.index(MINE))
    assert dialog.account.url.text() == "https://api.shop.example"
    assert preset.currentText() == "My shop"
    assert dialog.limits.currency.currentText() == "CNY"


async def test_a_connection_whose_file_is_gone_stays_what_it_is(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk, OF_A_FILE)
    saved: list[int] = []
    dialog.saved.connect(saved.append)
    assert dialog.account.preset.currentText() == "mine"
    qtbot.keyClicks(dialog.account.name, " 2")
    qtbot.mouseClick(dialog.save, LEFT)
    await until(lambda: len(saved) == 1)
    made, _ = desk.connections.saved[0]
    assert (made.adapter, made.preset, made.model) == ("http-job", "mine", "m-1")


async def test_a_provider_that_calls_may_be_let(desk: Desk, qtbot: QtBot) -> None:
    made = replace(PAID, preset="calls")
    desk.callbacks.calling = {"calls", "signs"}
    desk.callbacks.signing = {"signs"}
    dialog = opened(desk, made)
    assert not dialog.callbacks.isHidden()
    assert not dialog.connection().callbacks
    qtbot.mouseClick(dialog.callbacks.wanted, LEFT)
    assert dialog.callbacks.secret_field.isHidden()
    assert dialog.connection().callbacks
    dialog.callbacks.look_at("http-job", "silent")
    assert dialog.callbacks.isHidden()
    assert not dialog.connection().callbacks
    dialog.reject()


async def test_the_secret_of_calls_goes_to_the_keyring_alone(desk: Desk, qtbot: QtBot) -> None:
    desk.callbacks.calling = desk.callbacks.signing = {"signs"}
    dialog = opened(desk, replace(PAID, preset="signs", callbacks=True))
    assert dialog.callbacks.wanted.isChecked()
    assert not dialog.callbacks.secret_field.isHidden()
    qtbot.keyClicks(dialog.callbacks.secret_field, KEY)
    qtbot.mouseClick(dialog.save, LEFT)
    await until(lambda: bool(desk.callbacks.secrets))
    assert list(desk.callbacks.secrets.values()) == [KEY]
    await until(lambda: dialog.callbacks.secret_field.text() == "")
    assert all(KEY not in repr(saved) for saved in desk.connections.saved)


# --- files that a connection is made from -------------------------------------------------------


async def test_a_provider_is_added_from_its_file_and_chosen(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = list(desk.connections.presets())
    taken: list[Path] = []

    async def take_in(file: Path) -> tuple[str, tuple[()]]:
        taken.append(file)
        known.append(MINE)
        return MINE.id, ()

    monkeypatch.setattr(desk.connections, "presets", lambda: tuple(known))
    monkeypatch.setattr(desk.connections, "add_provider_file", take_in, raising=False)
    dialog = opened(desk)
    dialog.files.take_in("/somewhere/mine.toml")
    await until(lambda: dialog.account.preset.currentText() == "My shop")
    assert taken == [Path("/somewhere/mine.toml")]
    assert dialog.account.url.text() == "https://api.shop.example"
    assert dialog.notice.text == ""


async def test_what_is_wrong_with_a_provider_s_file_is_said_and_nothing_changes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_file: Path) -> tuple[None, tuple[Message, ...]]:
        return None, (plain("mine.toml, line 3: this."), plain("mine.toml, line 5: that."))

    monkeypatch.setattr(desk.connections, "add_provider_file", refuse, raising=False)
    dialog = opened(desk)
    before = dialog.account.url.text()
    dialog.files.take_in("/somewhere/mine.toml")
    await until(lambda: bool(dialog.notice.text))
    assert dialog.notice.text == "mine.toml, line 3: this.\nmine.toml, line 5: that."
    assert dialog.notice.property("tone") == "error"
    assert dialog.account.url.text() == before


async def test_a_model_that_is_a_file_can_be_looked_for(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = Preset(
        "g", "Graphs", "g", "http://127.0.0.1:1", ("w.json",), model_files="*.json",
        model_hint="A graph",
    )  # fmt: skip
    known = (*desk.connections.presets(), graph)
    monkeypatch.setattr(desk.connections, "presets", lambda: known)
    dialog = opened(desk)
    assert dialog.account.find_model.isHidden()
    choose(qtbot, dialog, len(known) - 1)
    assert not dialog.account.find_model.isHidden()
    # A file that nobody has chosen is not there.
    assert dialog.account.model.currentText() == ""
    assert dialog.account.model.lineEdit().placeholderText() == "A graph"
    qtbot.mouseClick(dialog.test, LEFT)
    assert dialog.notice.text == "Choose the file of the model to use."
    qtbot.mouseClick(dialog.account.find_model, LEFT)
    chooser = dialog.findChild(QFileDialog)
    assert chooser is not None
    assert chooser.nameFilters() == ["*.json"]
    chooser.fileSelected.emit("/somewhere/shoe.json")
    assert dialog.account.model.currentText() == "/somewhere/shoe.json"
    chooser.close()
    stored = Connection("Shoes", "g", "http://127.0.0.1:1", "shoe", preset="g")
    again = opened(desk, stored)
    assert (again.account.model.currentText(), again.account.model.count()) == ("shoe", 0)


async def test_what_a_test_found_goes_with_the_provider_it_was_of(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    qtbot.mouseClick(dialog.test, LEFT)
    await until(lambda: "The key works." in dialog.notice.text)
    choose(qtbot, dialog, 1)
    assert dialog.notice.text == ""


async def test_empty_fields_say_what_belongs_there(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    choose(qtbot, dialog, dialog.account.preset.count() - 1)
    assert dialog.account.url.text() == ""
    assert dialog.account.url.placeholderText() == "https://api.example.com/v1"
    hint = dialog.account.model.lineEdit().placeholderText()
    assert hint == "Its name at the provider; Test lists those there are"


async def test_who_needs_no_key_is_not_sent_looking_for_one(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Preset(
        "o", "Own", "openai-chat", "http://127.0.0.1:1", ("m",), "https://models.example",
        needs_key=False,
    )  # fmt: skip
    known = (*desk.connections.presets(), own)
    monkeypatch.setattr(desk.connections, "presets", lambda: known)
    dialog = opened(desk)
    assert "Where do I find my limits and key?" in dialog.account.console.text()
    choose(qtbot, dialog, len(known) - 1)
    assert "Which models are there?" in dialog.account.console.text()


async def test_a_nameless_server_s_price_is_for_what_it_makes(desk: Desk, qtbot: QtBot) -> None:
    dialog = opened(desk)
    places = range(dialog.account.preset.count())
    nameless = [place for place in places if not dialog.account.preset.itemData(place).id]
    units = []
    for place in nameless:
        choose(qtbot, dialog, place)
        units.append(dialog.limits.per.currentData())
    assert units == [PriceUnit.IMAGE, PriceUnit.MTOKENS]


async def test_the_keyboard_goes_through_the_fields_as_they_stand(desk: Desk) -> None:
    account = opened(desk).account
    stand = [account.preset, account.add_provider, account.name, account.url, account.model]
    stand += [account.find_model, account.key]
    found, widget = [], account.preset.nextInFocusChain()
    while widget is not account.preset:
        found += [widget] if widget in stand else []
        widget = widget.nextInFocusChain()
    assert [account.preset, *found] == stand
