"""One frozen config for the practice server, so that a bench, a test and a demo say what they mean.

A config file is JSON or TOML (by suffix ``.toml``) with any of these keys; an unknown key is
refused. Nominal seconds times ``time_scale`` are real seconds, and every rate is divided by it:
a nominal ``qps`` of 3 at ``time_scale`` 0.1 is 30 calls a real second.

| key | default | meaning |
|---|---|---|
| ``profile`` | ``plain`` | start from ``plain`` (the defaults), ``demo`` (3% 500, 2% moderate), ``gentle`` (no limits, short) or ``stormy`` (tight limits, much trouble); other keys change it |
| ``concurrency`` | 10 | calls at once; one more is refused (429, no Retry-After); 0 = no limit |
| ``qps`` | 3 | calls per nominal second; faster is refused (429, Retry-After); 0 = no limit |
| ``burst`` | 6 | calls that may come at once before ``qps`` applies |
| ``mean_s`` | 28 | mean latency, nominal seconds |
| ``sigma`` | 0.35 | spread of the latency (lognormal); 0 = always the mean |
| ``quick_s`` | 1.5 | nominal seconds until a call that makes nothing is answered |
| ``slow_factor`` | 10 | how much longer a ``slow`` call takes |
| ``time_scale`` | 0.09 | real seconds per nominal second |
| ``trouble`` | none | kind -> probability (0 to 1); kinds in ``trouble.py`` |
| ``schedule`` | none | list of ``{"at_s": 30, "qps": 1.5}``: limits from then on, nominal seconds after the first call; may name ``concurrency``, ``qps``, ``burst`` |
| ``callback_late_s`` | 300 | nominal seconds after a job's end at which a ``callback-late`` comes |
| ``idempotency`` | false | honour ``Idempotency-Key``: the same key is answered and billed once |
| ``tell_limits`` | true | send ``x-ratelimit-*`` headers |
| ``seed`` | 12 | the same seed, prompt and attempt have the same latency and trouble |
"""  # noqa: E501 - a table's row cannot be broken

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from desktop_app.domain.text import OperatorError, message
from desktop_app.practice.trouble import KINDS


@dataclass(frozen=True, slots=True)
class Change:
    """Limits from ``at_s`` (nominal seconds after the first call) on; None leaves one as it is."""

    at_s: float
    concurrency: int | None = None
    qps: float | None = None
    burst: int | None = None


@dataclass(frozen=True, slots=True)
class PracticeConfig:
    """See the module's table; the values are checked when made by ``from_mapping``."""

    concurrency: int = 10
    qps: float = 3.0
    burst: int = 6
    mean_s: float = 28.0
    sigma: float = 0.35
    quick_s: float = 1.5
    slow_factor: float = 10.0
    time_scale: float = 0.09
    callback_late_s: float = 300.0
    trouble: Mapping[str, float] = field(default_factory=dict)
    schedule: tuple[Change, ...] = ()
    idempotency: bool = False
    tell_limits: bool = True
    seed: int = 12


PROFILES: Mapping[str, PracticeConfig] = {
    "plain": PracticeConfig(),
    "demo": PracticeConfig(trouble={"500": 0.03, "moderate": 0.02}),
    "gentle": PracticeConfig(concurrency=0, qps=0, mean_s=8.0),
    "stormy": PracticeConfig(
        concurrency=6,
        qps=2.0,
        burst=3,
        trouble={
            "500": 0.10,
            "moderate": 0.04,
            "drop": 0.03,
            "html502": 0.03,
            "truncated": 0.02,
            "badimage": 0.02,
            "badjson": 0.02,
            "empty": 0.02,
            "slow": 0.03,
        },
        schedule=(Change(60, qps=1.0), Change(180, qps=2.0)),
    ),
}
"""Named starting points: the defaults, the demo, one without limits, one with much trouble."""


def load(source: str | Path) -> PracticeConfig:
    """A profile by name, or a config file. Raises OperatorError with one clear sentence."""
    if str(source) in PROFILES:
        return PROFILES[str(source)]
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(message("practice.config_unreadable", file=path.name)) from error
    try:
        data = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except ValueError as error:
        said = message("practice.config_not_parsed", file=path.name, why=str(error))
        raise OperatorError(said) from error
    return from_mapping(data)


def from_mapping(data: Any) -> PracticeConfig:
    """A checked config from parsed JSON or TOML. Raises OperatorError for anything unknown."""
    if not isinstance(data, Mapping):
        raise OperatorError(message("practice.config_no_table"))
    values = dict(data)
    profile = values.pop("profile", "plain")
    if profile not in PROFILES:
        raise _wrong("profile", ", ".join(PROFILES))
    known = {f.name for f in fields(PracticeConfig)}
    for name in values:
        if name not in known:
            said = message("practice.config_unknown", key=str(name), known=", ".join(sorted(known)))
            raise OperatorError(said)
    for name, value in list(values.items()):
        values[name] = _CHECKS[name](name, value)
    return replace(PROFILES[profile], **values)


def to_mapping(config: PracticeConfig) -> dict[str, Any]:
    """JSON-able; ``from_mapping`` reads it back as the same config."""
    data = {f.name: getattr(config, f.name) for f in fields(config)}
    data["trouble"] = dict(config.trouble)
    data["schedule"] = [
        {f.name: v for f in fields(c) if (v := getattr(c, f.name)) is not None}
        for c in config.schedule
    ]
    return data


def _wrong(key: str, wanted: str) -> OperatorError:
    return OperatorError(message("practice.config_value", key=key, wanted=wanted))


def _number(key: str, value: Any) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < 0:
        raise _wrong(key, "0, 0.5, 3")
    return float(value)


def _positive(key: str, value: Any) -> float:
    if _number(key, value) == 0:
        raise _wrong(key, "0.1, 1, 10")
    return float(value)


def _count(key: str, value: Any) -> int:
    if _number(key, value) != int(value):
        raise _wrong(key, "0, 1, 10")
    return int(value)


def _switch(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(key, "true, false")
    return value


def _burst(key: str, value: Any) -> int:
    if _count(key, value) < 1:
        raise _wrong(key, "1, 6")
    return int(value)


def _trouble(key: str, value: Any) -> Mapping[str, float]:
    if not isinstance(value, Mapping):
        raise _wrong(key, '{"500": 0.03}')
    found = {}
    for kind, share in value.items():
        if kind not in KINDS:
            said = message("practice.config_kind", kind=str(kind), known=", ".join(KINDS))
            raise OperatorError(said)
        found[str(kind)] = _number(f"{key}.{kind}", share)
    if sum(found.values()) > 1:
        raise _wrong(key, "0 - 1")
    return found


def _schedule(key: str, value: Any) -> tuple[Change, ...]:
    if not isinstance(value, list):
        raise _wrong(key, '[{"at_s": 30, "qps": 1.5}]')
    checks: Mapping[str, Any] = {
        "at_s": _number,
        "concurrency": _count,
        "qps": _number,
        "burst": _burst,
    }
    changes = []
    for item in value:
        if not isinstance(item, Mapping) or "at_s" not in item or set(item) - set(checks):
            raise _wrong(key, '[{"at_s": 30, "qps": 1.5}]')
        changes.append(Change(**{n: checks[n](f"{key}.{n}", v) for n, v in item.items()}))
    return tuple(sorted(changes, key=lambda change: change.at_s))


_CHECKS: Mapping[str, Any] = {
    "concurrency": _count,
    "qps": _number,
    "burst": _burst,
    "mean_s": _number,
    "sigma": _number,
    "quick_s": _number,
    "slow_factor": _number,
    "time_scale": _positive,
    "callback_late_s": _number,
    "trouble": _trouble,
    "schedule": _schedule,
    "idempotency": _switch,
    "tell_limits": _switch,
    "seed": _count,
}
