"""What is on screen and in exports is what is stored."""

from __future__ import annotations

from array import array
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.attempt import Kept, Outcome
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import Request, TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.domain.wording import codes
from desktop_app.store import page_ids
from desktop_app.store.dead_groups import advice
from tests.store.store_kit import CENT, Kit, draft, failure

S = TaskState


def states(*wanted: S) -> frozenset[S]:
    return frozenset(wanted)


async def mixed(kit: Kit, rows: int = 9) -> int:
    """Rows from 2 on: success, failed, pending, and so on in turn."""
    batch_id = await kit.batch(rows)
    for claim in await kit.claim(batch_id):
        to = (S.SUCCESS, S.FAILED, S.PENDING)[(claim.row_no - 2) % 3]
        why = failure(FailureClass.REFUSED, "mod") if to is S.FAILED else None
        outcome = Outcome.NOT_SENT if to is S.PENDING else None
        await kit.end(claim, to, outcome=outcome, failure=why, ended_at=1_000.0 + claim.row_no)
    return batch_id


async def order(
    kit: Kit, which: TaskFilter, sort: Sort = Sort.ROW, down: bool = False
) -> list[int]:
    pks = await kit.store.pages.ids(which, sort, down)
    assert isinstance(pks, array)
    assert pks.typecode == "q"
    return [row.row_no for row in await kit.store.pages.rows(pks)]


async def test_tries_count_what_was_sent(kit: Kit) -> None:
    batch_id = await mixed(kit, 3)  # done, failed, given back before a byte left
    for claim in await kit.claim(batch_id):
        await kit.end(claim, S.PENDING, outcome=Outcome.OFFLINE)
    which = TaskFilter(batch_id=batch_id)
    rows = await kit.store.pages.rows(list(await kit.store.pages.ids(which)))
    assert [(row.attempt_no, row.tries) for row in rows] == [(1, 1), (1, 1), (2, 0)]
    (sheet,) = [chunk async for chunk in kit.store.pages.export_rows(which)]
    assert [row.attempts for row in sheet] == [1, 1, 0]
    assert await order(kit, which, Sort.TRIES, down=True) == [2, 3, 4]
    found = await kit.store.pages.detail(rows[2].pk)
    assert found is not None
    assert [attempt.sent for attempt in found.attempts] == [False, False]


@pytest.mark.parametrize("chunk", [2, 1_000])
async def test_ids_come_in_order_whatever_the_chunk(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(page_ids, "CHUNK", chunk)
    monkeypatch.setattr(page_ids, "FIRST", min(chunk, 3))
    batch_id = await mixed(kit)
    every = TaskFilter(batch_id=batch_id)
    some = TaskFilter(batch_id=batch_id, states=states(S.SUCCESS, S.FAILED))
    assert await order(kit, every) == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert await order(kit, every, down=True) == [10, 9, 8, 7, 6, 5, 4, 3, 2]
    assert await order(kit, some) == [2, 3, 5, 6, 8, 9]
    assert await order(kit, some, down=True) == [9, 8, 6, 5, 3, 2]
    assert await order(kit, every, Sort.STATE) == [4, 7, 10, 2, 5, 8, 3, 6, 9]
    assert await order(kit, every, Sort.TIME, down=True) == [9, 8, 6, 5, 3, 2, 4, 7, 10]
    assert await order(kit, every, Sort.PROMPT) == [10, 2, 3, 4, 5, 6, 7, 8, 9]
    assert await order(kit, some, Sort.TRIES) == [2, 3, 5, 6, 8, 9]


async def test_all_batches_are_one_list(kit: Kit) -> None:
    await kit.batch(2)
    await kit.batch(2)
    assert await order(kit, TaskFilter()) == [2, 3, 2, 3]
    assert await order(kit, TaskFilter(batch_id=77)) == []


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("红", [2]),
        ("SNEAKER", [2, 3]),
        ("%", [4]),
        ("_", []),
        ("sku-9", [3]),
        ("4", [4]),
        ("#3", [3]),
    ],
)
async def test_find_looks_in_prompt_key_and_row_number(
    kit: Kit, text: str, rows: list[int]
) -> None:
    drafts = [
        draft(2, prompt="红 sneaker"),
        draft(3, prompt="blue sneaker", key="SKU-9"),
        draft(4, prompt="100% wool"),
    ]
    batch_id = await kit.batch(drafts)
    which = TaskFilter(batch_id=batch_id, text=text)
    assert await order(kit, which) == rows
    assert await kit.store.pages.count(which) == len(rows)


async def test_count_agrees_with_ids(kit: Kit) -> None:
    batch_id = await mixed(kit)
    for which in (
        TaskFilter(),
        TaskFilter(batch_id=batch_id),
        TaskFilter(states=states(S.FAILED)),
        TaskFilter(batch_id=batch_id, cause="mod"),
        TaskFilter(pks=(1, 2)),
    ):
        assert await kit.store.pages.count(which) == len(await kit.store.pages.ids(which))


async def test_rows_come_in_the_order_asked_and_lose_what_vanished(kit: Kit) -> None:
    await kit.batch([draft(2, prompt="长" * 500), draft(3)])
    rows = await kit.store.pages.rows([2, 99, 1])
    assert [row.pk for row in rows] == [2, 1]
    assert rows[1].prompt == "长" * 200


async def test_a_row_shows_its_last_failure_and_what_was_spent(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    await kit.end(claim, S.RETRYING, cost=CENT, currency="USD", due_at=1_000.0)
    row = await kit.row(batch_id, 2)
    assert (row.state, row.due_at, row.note) == (S.RETRYING, 1_000.0, failure().said)
    assert (row.retries_max, row.elapsed_s, row.output) == (3, 5.0, None)
    claim = await kit.claim_one(batch_id)
    kept = Kept("0002_sku2.txt", 5, "text/plain", text="hello", flags=("length",))
    await kit.end(claim, S.SUCCESS, kept=kept, cost=Decimal(12), currency="CNY")
    row = await kit.row(batch_id, 2)
    assert (row.note, row.cost) == (None, "12.00 CNY + 0.04 USD")
    assert row.flags == ("length",)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("partial",), message("store.in_part")),
        (("length",), message("store.cut_off")),
        (("not_json",), message("store.not_json")),
        (
            ("length", "other_model", "partial"),
            message(
                "store.and_also",
                first=message(
                    "store.and_also",
                    first=message("store.in_part"),
                    second=message("store.cut_off"),
                ),
                second=message("store.other_model"),
            ),
        ),
    ],
)
async def test_an_export_says_what_is_amiss_with_a_result(
    kit: Kit, flags: tuple[str, ...], said: Message
) -> None:
    batch_id = await kit.batch(1)
    kept = Kept("0002_sku2.png", 5, "image/png", flags=flags)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS, kept=kept)
    chunks = [c async for c in kit.store.pages.export_rows(TaskFilter(batch_id=batch_id))]
    assert chunks[0][0].error == said
    assert said.code in codes()


async def test_detail_tells_everything(kit: Kit) -> None:
    rows = [draft(2, lane="a", cells=("s", "p", "beyond the header"))]
    batch_id = await kit.batch(rows)
    claim = await kit.claim_one(batch_id)
    why = failure(http_status=429, request_id="req-1", body="x" * 5_000)
    await kit.end(
        claim, S.PENDING, outcome=Outcome.THROTTLED, failure=why, delay_s=2.0, due_at=1_000.0
    )
    detail = await kit.store.pages.detail(claim.task_pk)
    assert detail is not None
    assert detail.prompt == "prompt 2"
    assert detail.params == {"size": "1024x1024"}
    assert detail.cells == (("sku", "s"), ("prompt", "p"), ("", "beyond the header"))
    assert (detail.lane, detail.file_stem) == ("a", "0002_sku2")
    (attempt,) = detail.attempts
    assert (attempt.http_status, attempt.request_id, len(attempt.body)) == (429, "req-1", 2_000)
    assert attempt.wait_reason == message("store.wait_asked", seconds="2")
    assert attempt.idempotency_key == claim.idempotency_key
    assert await kit.store.pages.detail(99) is None


async def test_what_came_of_a_paid_answer_that_broke_off_is_kept_at_length(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    claim = await kit.claim_one(batch_id)
    why = failure(FailureClass.UNKNOWN, "cut_body", body="x" * 90_000, billed=True)
    await kit.end(claim, S.UNCERTAIN, outcome=Outcome.UNKNOWN, failure=why)
    detail = await kit.store.pages.detail(claim.task_pk)
    assert detail is not None
    assert len(detail.attempts[0].body) == 64 * 1024


async def test_what_a_model_thought_goes_with_the_result_that_came_of_it(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    claims = await kit.claim(batch_id)
    usages: list[dict[str, Any]] = [
        {"total_tokens": 7, "reasoning": "because"},
        {},
        {"reasoning": 12},  # what a vendor counts
    ]
    for claim, used in zip(claims, usages, strict=True):
        kept = Kept(f"{claim.file_stem}.txt", 5, "text/plain", text="42")
        await kit.end(claim, S.SUCCESS, kept=kept, usage=used)
    details = [await kit.store.pages.detail(claim.task_pk) for claim in claims]
    assert [detail and detail.thinking for detail in details] == ["because", "", ""]
    chunks = [c async for c in kit.store.pages.export_rows(TaskFilter(batch_id=batch_id))]
    assert [row.thinking for row in chunks[0]] == ["because", None, None]


async def test_dead_letters_are_grouped_by_cause_largest_first(kit: Kit) -> None:
    batch_id = await kit.batch(9)
    claims = await kit.claim(batch_id)
    for claim in claims[:6]:
        await kit.end(claim, S.FAILED, failure=failure(FailureClass.REFUSED, "mod"))
    await kit.end(claims[6], S.UNCERTAIN, outcome=Outcome.UNKNOWN)
    await kit.end(claims[7], S.DEAD, failure=failure())
    await kit.end(claims[8], S.SUCCESS)
    for which in (batch_id, None):
        groups = await kit.store.pages.dead_groups(which)
        assert [(g.count, g.code) for g in groups] == [
            (6, "mod"),
            (1, "http_500"),
            (1, "store.unknown"),
        ]
        assert groups[0].sample == tuple(c.task_pk for c in claims[:5])
        assert groups[0].said == failure(code="mod").said
        assert groups[0].advice == message("store.advice_refused")
        assert groups[0].batch_id == which
        assert groups[2].advice == message("store.advice_uncertain")


def test_every_cause_has_an_advice_that_is_worded() -> None:
    for kind in (*FailureClass, "something new"):
        for state in (S.FAILED, S.DEAD, S.UNCERTAIN):
            assert advice(state, kind).code in codes()


async def test_export_streams_every_row_in_sheet_order(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.store.pages.EXPORT_CHUNK", 4)
    batch_id = await mixed(kit)
    chunks = [c async for c in kit.store.pages.export_rows(TaskFilter(batch_id=batch_id))]
    assert [len(c) for c in chunks] == [4, 4, 1]
    rows = [row for chunk in chunks for row in chunk]
    assert [row.row_no for row in rows] == list(range(2, 11))
    assert rows[0].cells == ("sku2", "prompt 2")
    assert rows[0].output == "/out/0002_sku2.png"
    assert (rows[1].error_class, rows[1].attempts, rows[1].ended_at) == ("refused", 1, 1_003.0)
    assert await kit.store.pages.pk_of(rows[0].task_id) == 1
    assert await kit.store.pages.pk_of("nobody") is None


async def test_pages_of_odd_cells_come_back_byte_for_byte(kit: Kit) -> None:
    odd = ('"""Foo"""', "00123\r", "=HYPERLINK(1)", "a\x00b", "🙂")
    batch_id = await kit.batch([draft(2, cells=odd, request=Request(odd[3], {"k": odd[0]}))])
    (chunk,) = [c async for c in kit.store.pages.export_rows(TaskFilter(batch_id=batch_id))]
    assert chunk[0].cells == odd
    assert (await kit.claim_one(batch_id)).request == Request(odd[3], {"k": odd[0]})
