"""The banner lines that follow from what the store holds, so that they survive a restart."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.domain.batch import RunState
from desktop_app.domain.text import message
from desktop_app.domain.views import Banner, BannerAction, BatchSummary

RESTARTED = "engine.restarted"
TRIAL_DONE = "engine.trial_done"
CAPPED = frozenset({"engine.max_calls", "store.budget_batch"})


def run_banners(summaries: Sequence[BatchSummary], news_since: float) -> tuple[Banner, ...]:
    """At most one line for a restart, then one a batch that waits for a word. What finished
    before ``news_since`` (epoch seconds) is no news any more."""
    shown: list[Banner] = []
    restarted = [s for s in summaries if _reason(s) == RESTARTED and s.ledger.unfinished]
    if restarted:
        waiting = sum(s.ledger.unfinished for s in restarted)
        uncertain = sum(s.ledger.uncertain for s in restarted)
        code = "services.restarted_uncertain" if uncertain else "services.restarted"
        actions = (
            (BannerAction.RESUME, BannerAction.REVIEW, BannerAction.STAY_PAUSED)
            if uncertain
            else (BannerAction.RESUME, BannerAction.STAY_PAUSED)
        )
        only = restarted[0].batch.id if len(restarted) == 1 else None
        shown.append(
            Banner(
                "restarted",
                "warning",
                message(code, waiting=f"{waiting:,}", uncertain=f"{uncertain:,}"),
                actions,
                batch_id=only,
            )
        )
    for s in summaries:
        shown.extend(_batch_banner(s, news_since))
    return tuple(shown)


def _batch_banner(s: BatchSummary, news_since: float) -> list[Banner]:
    ledger, batch = s.ledger, s.batch
    key = f"batch-{batch.id}"
    if _reason(s) == TRIAL_DONE and ledger.pending:
        need, rest = ledger.dead_letters, ledger.pending
        code = "services.trial_done_some" if need else "services.trial_done"
        said = message(code, done=f"{ledger.success:,}", n=f"{need:,}", rest=f"{rest:,}")
        said = message("services.of_batch", name=batch.name, why=said)
        act = (BannerAction.RUN_REST,)
        return [Banner(key, "info", said, act, batch_id=batch.id, count=rest)]
    reason = batch.pause_reason
    if batch.run_state is RunState.PAUSED and ledger.unfinished and reason is not None:
        if reason.code in {RESTARTED, "services.paused_by_you"}:
            return []
        action = BannerAction.RAISE_CAP if reason.code in CAPPED else BannerAction.RESUME
        said = message("services.of_batch", name=batch.name, why=reason)
        return [Banner(key, "warning", said, (action,), batch_id=batch.id)]
    if ledger.unfinished or batch.run_state is RunState.IDLE or not ledger.imported:
        return []
    if (batch.finished_at or 0.0) < news_since:
        return []
    if ledger.success == 0 and ledger.dead_letters:
        said = message("services.all_failed", name=batch.name, n=f"{ledger.dead_letters:,}")
        return [Banner(key, "error", said, (BannerAction.NEEDS_YOU,), batch_id=batch.id)]
    values = {"name": batch.name, "done": f"{ledger.success:,}", "part": f"{s.in_part:,}"}
    part = "_part" if s.in_part else ""
    if ledger.dead_letters:
        said = message(f"services.finished_some{part}", **values, n=f"{ledger.dead_letters:,}")
        actions = (BannerAction.NEEDS_YOU, BannerAction.OPEN_FOLDER)
        return [Banner(key, "warning", said, actions, batch_id=batch.id)]
    said = message(f"services.finished{part}", **values)
    severity = "warning" if part else "info"
    return [Banner(key, severity, said, (BannerAction.OPEN_FOLDER,), batch_id=batch.id)]


def _reason(s: BatchSummary) -> str | None:
    return s.batch.pause_reason.code if s.batch.pause_reason else None
