"""``connection``: accounts by name; keys go through stdin or a hidden prompt, never argv."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app.cli.exits import Exit
from desktop_app.cli.run import parse_extra
from desktop_app.cli.run_connection import price_named, price_of, unknown_connection
from desktop_app.cli.say import Say
from desktop_app.domain.connection import Connection, Limits, OnUnknown, RateUnit, callback_entry
from desktop_app.domain.money import Price, figure
from desktop_app.domain.ports import Preset
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.wiring import House, HouseOptions, key_variable, open_house


async def connection(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """One of add, list, show, remove, resume, test, set-key."""
    async with open_house(options, shared=True) as house:
        if args.act == "list":
            return await _list(house, say)
        if args.act == "add":
            return await _add(house, args, say)
        found = await house.services.connections.by_name(args.name)
        if found is None:
            raise OperatorError(await unknown_connection(house.services.connections, args.name))
        match args.act:
            case "show":
                _show(say, found)
            case "remove":
                await house.services.connections.remove(found.id)
                await house.tell_others(found.id)
                _done(say, args.name)
            case "set-key":
                return await _set_key(house, say, found, signs=args.callback)
            case "test":
                return await _test(house, say, found)
            case "resume":
                return await _resume(house, say, found)
        return Exit.OK


async def _list(house: House, say: Say) -> Exit:
    views = await house.services.connections.views()
    say.document(
        [
            {"name": v.name, "adapter": v.adapter, "model": v.model, "base_url": v.base_url}
            for v in views
        ]
    )
    say.table(
        [say.tr("Name"), say.tr("Adapter"), say.tr("Model"), say.tr("Address")],
        [(v.name, v.adapter, v.model, v.base_url) for v in views],
    )
    return Exit.OK


async def _add(house: House, args: argparse.Namespace, say: Say) -> Exit:
    described = args.preset
    if args.job_file is not None:
        file = Path(args.job_file).absolute()
        described, wrong = await house.services.connections.add_provider_file(file)
        if wrong:
            return _mistakes(say, wrong)
    preset = _preset(house, described)
    adapter = args.adapter or (preset.adapter if preset else None)
    base_url = args.base_url or (preset.base_url if preset else None)
    model = args.model or (preset.models[0] if preset and preset.models else None)
    if not adapter or not base_url or not model:
        raise OperatorError(message("services.connection_needs"))
    found = await house.services.connections.by_name(args.name)
    wanted = Connection(
        name=args.name,
        adapter=adapter,
        base_url=base_url,
        model=model,
        id=found.id if found else 0,
        preset=preset.id if preset else None,
        limits=_limits(args).or_preset(preset.concurrency) if preset else _limits(args),
        price=_price(args, preset),
        retries=args.retries,
        timeout_s=args.timeout,
        on_unknown=_policy(args),
        resend_below=args.resend_below,
        day_budget=args.day_budget,
        proxy=args.proxy,
        callbacks=args.callbacks,
        params=preset.params if preset else {},
        extra={**(preset.extra if preset else {}), **parse_extra(args.extra)},
    )
    _check_encrypted(wanted, agreed=args.allow_http)
    saved = await house.services.connections.save(wanted)
    await house.tell_others(saved.id)
    if found is not None:
        say.aside(say.tr("{name} was there already; it is now as shown.", name=saved.name))
    _show(say, saved)
    return Exit.OK


def _mistakes(say: Say, wrong: Sequence[Message]) -> Exit:
    """Everything that is wrong with a provider file."""
    said = [say.tr.say(one) for one in wrong]
    say.document({"error": said[0], "code": wrong[0].code, "mistakes": said})
    for text in said:
        say.aside(text)
    return Exit.USAGE


def _check_encrypted(wanted: Connection, *, agreed: bool) -> None:
    """As in the window, a key goes through the network in clear text only if a person says so."""
    clear = wanted.base_url.strip().lower().startswith("http:") and not wanted.is_loopback
    if clear and wanted.host and not agreed:
        raise OperatorError(message("services.clear_text", host=wanted.host))


def _preset(house: House, wanted: str | None) -> Preset | None:
    if wanted is None:
        return None
    presets = {p.id: p for p in house.services.connections.presets()}
    if wanted not in presets:
        known = sorted(presets)
        raise OperatorError(message("services.unknown_preset", preset=wanted, known=known))
    return presets[wanted]


def _limits(args: argparse.Namespace) -> Limits:
    limits = Limits(
        args.concurrency,
        burst=args.burst,
        headroom=args.headroom,
        tokens_per_minute=args.tpm,
    )
    for unit in (RateUnit.QPS, RateUnit.RPM):
        stated = getattr(args, unit.value)
        if stated is not None:
            return replace(limits, rate=stated, rate_unit=unit, images_per_minute=args.ipm)
    return limits if args.ipm is None else replace(limits, rate=args.ipm, rate_unit=RateUnit.IPM)


def _price(args: argparse.Namespace, preset: Preset | None) -> Price | None:
    if args.price is None:
        if args.model_price:
            raise OperatorError(message("services.model_price_alone"))
        if args.unit is not None or args.currency is not None:
            raise OperatorError(message("services.price_alone"))
        return None
    amount, unit = price_named(args)
    price = price_of(amount, unit, args.currency, preset)
    return replace(price, models=tuple(dict(args.model_price).items()))


def _policy(args: argparse.Namespace) -> OnUnknown | None:
    if args.resend_below is not None:
        return OnUnknown.RESEND_BELOW
    return OnUnknown(args.on_unknown) if args.on_unknown else None


def _show(say: Say, c: Connection) -> None:
    limits = c.limits
    said: dict[str, Any] = {
        "id": c.id,
        "name": c.name,
        "adapter": c.adapter,
        "preset": c.preset,
        "base_url": c.base_url,
        "model": c.model,
        "concurrency": limits.concurrency,
        "rate": limits.rate,
        "rate_unit": limits.rate_unit.value if limits.rate is not None else None,
        "tokens_per_minute": limits.tokens_per_minute,
        "images_per_minute": limits.images_per_minute,
        "burst": limits.burst,
        "headroom": limits.headroom,
        "price": f"{figure(c.price.amount)} {c.price.currency}/{c.price.unit}" if c.price else None,
        "model_prices": {name: figure(amount) for name, amount in c.price.models if c.price}
        if c.price
        else {},
        "day_budget": figure(c.day_budget) if c.day_budget is not None else None,
        "retries": c.retries,
        "timeout_s": c.timeout_s,
        "on_unknown": c.unknown_policy.value,
        "proxy": _without_password(c.proxy),
        "callbacks": c.callbacks,
        "params": dict(c.params),
        "extra": dict(c.extra),
    }
    say.document(said)
    say.facts(said)


def _without_password(proxy: str) -> str:
    """A proxy's address as it may be shown."""
    head, at, tail = proxy.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at and "://" in head else tail


async def _set_key(house: House, say: Say, found: Connection, *, signs: bool) -> Exit:
    """``signs``: not the key, but with what the provider signs its calls."""
    if sys.stdin.isatty():
        asked = say.tr("Secret (not shown): ") if signs else say.tr("Key (not shown): ")
        secret = await asyncio.to_thread(getpass.getpass, asked)
    else:
        secret = (await asyncio.to_thread(sys.stdin.readline)).strip()
    services = house.services
    keep = services.callbacks.set_secret if signs else services.connections.set_key
    note = await keep(found.id, secret)
    await house.tell_others(found.id)
    if note is not None:
        # A verb ends at once, and what is kept until then is not kept.
        why = await house.services.connections.key_store_trouble()
        if why is not None and why.code != "settings.no_store":
            raise OperatorError(why)
        entry = callback_entry(found.name) if signs else found.name
        variable = key_variable(entry, await house.services.connections.names())
        raise OperatorError(message("services.key_not_kept", variable=variable))
    _done(say, found.name)
    return Exit.OK


async def _test(house: House, say: Say, found: Connection) -> Exit:
    report = await house.services.connections.test(found)
    heard = list(report.said)
    if any(m.code == "providers.no_key" for m in heard):
        variable = key_variable(found.name, await house.services.connections.names())
        heard.append(message("services.key_how", name=found.name, variable=variable))
    said = [say.tr.say(m) for m in heard]
    say.document({"ok": report.ok, "said": said, "latency_s": report.latency_s})
    for text in said:
        say.line(text)
    return Exit.OK if report.ok else Exit.PAUSED


async def _resume(house: House, say: Say, found: Connection) -> Exit:
    why = await house.services.runs.retry_account(found.id)
    if why is not None:
        say.error(why)
        return Exit.PAUSED
    await house.tell_others(found.id)
    _done(say, found.name)
    return Exit.OK


def _done(say: Say, name: str) -> None:
    say.document({"ok": True, "name": name})
    say.line(say.tr("Done."))
