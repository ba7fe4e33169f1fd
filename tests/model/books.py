"""The ledger, the attempts and the money, counted once more by other means than the program's."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from desktop_app.domain.budget import day_of
from desktop_app.domain.task import TaskState
from tests.model.shop import Shop, Submission

if TYPE_CHECKING:
    from tests.model.rules import Rules

S = TaskState
NOT_SENT = frozenset({"not_sent", "offline"})

HELD = "CASE a.billed WHEN 'no' THEN 0 ELSE coalesce(a.cost_nano, a.reserved_nano, 0) END"
OPEN = "CASE a.outcome WHEN 'open' THEN coalesce(a.reserved_nano, 0) ELSE 0 END"
PURSE = f"""
SELECT a.batch_id, a.day, a.currency, sum({HELD}), sum({OPEN}) FROM attempt a
WHERE a.currency IS NOT NULL GROUP BY 1, 2, 3"""

DOUBLES = """
SELECT coalesce(sum(n - 1), 0) FROM (
  SELECT count(*) AS n FROM attempt
  WHERE sent = 1 AND outcome <> 'open' AND billed <> 'no' GROUP BY task_pk, edition)"""

GIVEN_UP = """
SELECT count(*) FROM (
  SELECT 1 FROM attempt a JOIN task t ON t.id = a.task_pk WHERE a.edition < t.edition AND a.sent = 1
  GROUP BY a.task_pk, a.edition
  HAVING max(a.outcome = 'unknown' AND a.billed = 'maybe') = 1 AND max(a.billed = 'yes') = 0)"""


def check_ledger(rules: Rules, states: dict[int, S]) -> None:
    """What the store counts as it goes is what a recount finds."""
    tally = Counter(dict(rules.sql("SELECT state, sum(n) FROM tally GROUP BY 1")))
    assert +tally == Counter(int(s) for s in states.values()), "the ledger is wrong"
    [counted] = rules.sql(
        "SELECT sum(attempts), sum(throttled), sum(unpriced), sum(maybe_double), sum(given_up) "
        "FROM calls"
    )
    [recount] = rules.sql(
        "SELECT coalesce(sum(sent), 0), coalesce(sum(outcome = 'throttled'), 0), "
        f"coalesce(sum(billed = 'yes' AND cost_nano IS NULL), 0), ({DOUBLES}), ({GIVEN_UP}) "
        "FROM attempt"
    )
    assert counted == recount, "the calls are counted wrongly"
    spent = rules.sql("SELECT batch_id, currency, nano FROM spent WHERE nano <> 0 ORDER BY 1, 2")
    costs = rules.sql(
        "SELECT batch_id, currency, sum(cost_nano) FROM attempt "
        "WHERE billed <> 'no' AND cost_nano IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"
    )
    assert spent == costs, "the money does not add up"
    purse = rules.sql("SELECT batch_id, day, currency, held_nano, open_nano FROM purse")
    assert _filled(purse) == _filled(rules.sql(PURSE)), "the caps hold other sums than the attempts"


def _filled(purse: list[Any]) -> set[Any]:
    return {row for row in purse if row[3] or row[4]}


def check_attempts(rules: Rules, shop: Shop) -> None:
    """What is written of each attempt is what the shop saw of it."""
    open_ = rules.sql("SELECT task_pk, id FROM attempt WHERE outcome = 'open' ORDER BY 1")
    running = rules.sql("SELECT id, attempt_id FROM task WHERE state = 1 ORDER BY 1")
    assert open_ == running, "open attempts and running rows differ"
    submissions = {s.attempt_pk: s for s in shop.sent}
    for pk, outcome, sent, billed, reserved, edition_key in rules.sql(
        "SELECT id, outcome, sent, billed, reserved_nano, idempotency_key FROM attempt"
    ):
        submission = submissions.get(pk)
        if outcome == "open":
            assert reserved == rules.nano, f"attempt {pk} holds no price"
            continue
        if submission is None:
            assert not sent, f"attempt {pk} was not sent"
            assert outcome in NOT_SENT, f"attempt {pk} was not sent and is {outcome}"
            assert billed == "no", f"attempt {pk} was not sent and may be billed"
            continue
        # Whoever was asked may say that a call never arrived.
        assert sent or (shop.askable and not submission.billed), f"attempt {pk} was sent"
        assert submission.key == edition_key, f"attempt {pk} was sent under another key"
        assert not (submission.billed and billed == "no"), f"attempt {pk} was billed: {submission}"
        honest = submission.billed or billed != "yes" or shop.idempotent_s is not None
        assert honest, f"attempt {pk} was not billed: {submission}"


class Caps:
    """Whether what the shop bills stays within what was allowed when it was sent."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._allowed: dict[int, int] = {}
        self._changed_at: dict[int, int] = {}

    def changed(self, batch_id: int) -> None:
        """What was on its way when a cap was lowered may still arrive."""
        [(held,)] = self._rules.sql(
            f"SELECT coalesce(sum({HELD}), 0) FROM attempt a WHERE a.batch_id = ?", batch_id
        )
        [(newest,)] = self._rules.sql("SELECT coalesce(max(id), 0) FROM attempt")
        self._allowed[batch_id] = held
        self._changed_at[batch_id] = newest

    def sent(self, submission: Submission, batch_id: int) -> None:
        """One more call, which may be billed."""
        [(cap, cap_currency, max_calls)] = self._rules.sql(
            "SELECT budget_nano, budget_currency, max_calls FROM batch WHERE id = ?", batch_id
        )
        [(day, currency, reserved)] = self._rules.sql(
            "SELECT day, currency, reserved_nano FROM attempt WHERE id = ?", submission.attempt_pk
        )
        assert reserved == self._rules.nano, "sent without a reservation"
        spec, shop = self._rules.world.spec, self._rules.world.shop
        calls = sum(1 for s in shop.sent if spec.batch_of(s.row) == batch_id)
        assert max_calls is None or calls <= max_calls, f"batch {batch_id} makes too many calls"
        if cap is not None:
            is_old = submission.attempt_pk <= self._changed_at.get(batch_id, 0)
            assert is_old or currency == cap_currency, "sent in another currency than the cap's"
            most = max(cap, self._allowed.get(batch_id, 0))
            bill = self._bill("a.batch_id = ? AND a.currency = ?", batch_id, currency)
            assert bill <= most, f"batch {batch_id} overshoots its cap"
        day_cap = spec.day_cap
        if day_cap is not None and self._rules.world.caps_stand:
            where = "a.day = ? AND a.currency = ? AND b.connection_id = ?"
            bill = self._bill(where, day, currency, submission.connection.id)
            assert bill <= day_cap * self._rules.nano, f"{day} overshoots its cap"

    def _bill(self, where: str, *values: Any) -> int:
        """What the shop asks for the calls of these attempts, the newest among them."""
        pks = self._rules.sql(
            f"SELECT a.id FROM attempt a JOIN batch b ON b.id = a.batch_id WHERE {where}", *values
        )
        shop = self._rules.world.shop
        found = (shop.by(pk) for (pk,) in pks)
        return sum(
            self._rules.nano for submission in found if submission is not None and submission.billed
        )

    def check_reached(self) -> None:
        """A batch that was paused by a cap has no room for one call more under it."""
        for batch_id, reason, cap, spec in self._rules.sql(
            "SELECT b.id, b.pause_reason, b.budget_currency, c.spec FROM batch b "
            "JOIN connection c ON c.id = b.connection_id "
            "WHERE b.run_state = 2 AND b.finished_at IS NULL"
        ):
            priced_in = json.loads(spec)["price"][2]
            if "store.budget_other_currency" in (reason or ""):
                assert cap not in (None, priced_in), f"batch {batch_id}: its cap can be kept"
            if "store.budget_day" in (reason or "") and cap in (None, priced_in):
                self._check_day(batch_id, priced_in)  # else it can't be kept, and nobody resumes
            if "store.budget_batch" not in (reason or ""):
                continue
            [(left, currency)] = self._rules.sql(
                f"SELECT b.budget_nano - (SELECT coalesce(sum({HELD} - {OPEN}), 0) FROM attempt a "
                "WHERE a.batch_id = b.id AND a.currency = b.budget_currency), b.budget_currency "
                "FROM batch b WHERE b.id = ?",
                batch_id,
            )
            if f'"{currency}"' not in reason or currency != priced_in:
                continue  # the cap has changed since, and can't be kept as it is now
            assert left < self._rules.nano, (
                f"batch {batch_id} is paused though its cap leaves {left}"
            )

    def _check_day(self, batch_id: int, currency: str) -> None:
        world = self._rules.world
        [(held,)] = self._rules.sql(
            f"SELECT coalesce(sum({HELD} - {OPEN}), 0) FROM attempt a "
            "JOIN batch b ON b.id = a.batch_id "
            "WHERE b.connection_id = ? AND a.day = ? AND a.currency = ?",
            batch_id,
            day_of(world.alive.clock.now()),
            currency,
        )
        left = (world.spec.day_cap or 0) * self._rules.nano - held
        assert left < self._rules.nano, f"batch {batch_id} is paused though its day leaves {left}"
