"""What the banner line and the sidebar say about accounts, limits and this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import spoken_name
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import Banner, BannerAction
from desktop_app.engine.breaker import Breaker, Standing
from desktop_app.engine.lines import Account, Line

THROTTLED_LONG_S = 300.0

_KEY_ACTIONS = (BannerAction.ENTER_KEY, BannerAction.TRY_AGAIN)
_PROBING = {
    Standing.OFFLINE: "engine.offline",
    Standing.TROUBLED: "engine.troubled",
}


def banners(lines: Iterable[Line], trouble: Message | None, clock: Clock) -> tuple[Banner, ...]:
    """The most serious first: this machine, then accounts, then single connections."""
    found: list[Banner] = []
    if trouble is not None:
        said = message("engine.local", why=trouble)
        found.append(Banner("local", "error", said, (BannerAction.TRY_AGAIN,)))
    seen: set[str] = set()
    for line in lines:
        if line.account.key not in seen:
            seen.add(line.account.key)
            found.extend(_of_account(line, clock))
        if line.stopped is not None:
            name = spoken_name(line.connection.name)
            found.append(
                Banner(
                    f"connection:{line.connection.id}",
                    "error",
                    message("engine.all_invalid", name=name, why=line.stopped),
                    (BannerAction.TRY_AGAIN,),
                    connection_id=line.connection.id,
                )
            )
    return tuple(sorted(found, key=lambda banner: banner.severity != "error"))


def _of_account(line: Line, clock: Clock) -> Iterable[Banner]:
    account, id_ = line.account, line.connection.id
    name = spoken_name(line.connection.name)
    breaker = account.breaker
    key = f"account:{account.key}"
    why = breaker.reason
    if breaker.standing is Standing.NO_KEY and why is not None:
        yield Banner(key, "error", why, (BannerAction.ENTER_KEY,), connection_id=id_)
    elif breaker.standing is Standing.PAUSED and why is not None:
        said = message("engine.account_paused", name=name, why=why)
        yield Banner(key, "error", said, _KEY_ACTIONS, connection_id=id_)
    elif breaker.standing in _PROBING and why is not None:
        said = message(_PROBING[breaker.standing], name=name, why=why)
        yield Banner(key, "warning", said, (BannerAction.TRY_AGAIN,), connection_id=id_)
    since = account.limiter.refused_since
    if since is not None and not _is_stopped(breaker):
        lasted = clock.monotonic() - since
        if lasted >= THROTTLED_LONG_S:
            said = message("engine.throttled_long", name=name, minutes=int(lasted // 60))
            yield Banner(f"throttled:{account.key}", "warning", said, connection_id=id_)


def _is_stopped(breaker: Breaker) -> bool:
    return breaker.standing in (Standing.PAUSED, Standing.NO_KEY)


def rates(accounts: Iterable[Account], clock: Clock) -> Mapping[str, Any]:
    """``rate`` and ``allowed_rate`` in calls a second (None: no cap), ``concurrency`` calls in
    flight allowed, ``typical_s`` the usual time of one answer; over all. ``slowed_rate`` and
    ``slowed_number`` are those of accounts that providers hold below what was stated,
    ``slowed_until`` (epoch seconds) when they take calls again, ``throttle_reason`` a Message;
    ``waits_for`` another one, where a limit by the minute has held rows back for long."""
    known = list(accounts)
    allowed = [account.limiter.allowed_rate for account in known]
    slow = [account.limiter for account in known if account.limiter.is_slowed]
    slow.sort(key=lambda limiter: limiter.slowed_until or 0.0)
    cut = [limiter.slowed_to for limiter in slow]
    until = slow[-1].slowed_until if slow else None
    return {
        "rate": sum(account.limiter.rate() for account in known),
        "allowed_rate": sum(r for r in allowed if r) if known and all(allowed) else None,
        "concurrency": sum(a.limiter.concurrency for a in known) if known else None,
        "slowed_until": None if until is None else clock.now() + until - clock.monotonic(),
        "slowed_rate": sum(rate for rate, _ in cut if rate) or None,
        "slowed_number": sum(number for _, number in cut if number) or None,
        "throttle_reason": slow[-1].reason if slow else None,
        "waits_for": next((w for a in known if (w := a.limiter.allowances.waits_for)), None),
        "typical_s": max((median(a.latencies) for a in known if a.latencies), default=None),
    }
