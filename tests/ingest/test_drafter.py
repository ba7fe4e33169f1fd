from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import Capabilities, Param, SheetInfo, SheetRow
from desktop_app.domain.task import Draft
from desktop_app.domain.text import Message, OperatorError, Translator, message
from desktop_app.ingest import drafter as drafter_module
from desktop_app.ingest.drafter import LONGEST_PROMPT, RowDrafter
from tests.helpers.examples import sharing_fixtures

COLUMNS = ("sku", "prompt", "size", "n", "t", "hd", "who", "rank")
INFO = SheetInfo(Path("a.csv"), Path("copy"), "0" * 64, COLUMNS, 1, "utf-8", ",", None)
CAPS = Capabilities(
    "picture",
    600,
    params=(
        Param("size", "choice", ("1024x1024", "auto")),
        Param("n", "int"),
        Param("t", "float"),
        Param("hd", "bool"),
        Param("style", "text"),
    ),
)
PROMPT = SheetMapping(prompt_column="prompt")


def draft(mapping: SheetMapping = PROMPT, **cells: str) -> Draft:
    cells = {"prompt": "a red shoe", **cells}
    row = SheetRow(42, tuple(cells.get(column, "") for column in COLUMNS))
    return RowDrafter().draft(INFO, mapping, CAPS, row)


def said(found: Draft) -> str:
    assert found.request is None
    assert isinstance(found.problem, Message)
    assert Message.load(found.problem.dump()) == found.problem
    return Translator().say(found.problem)


def test_the_prompt_is_the_cell_unchanged() -> None:
    text = ' """Foo"""\r\n00123\t'
    found = draft(prompt=text)
    assert found.request is not None
    assert found.request.prompt == text
    assert (found.row_no, found.problem, found.lane, found.priority) == (42, None, None, 0)


def test_a_template_is_filled_exactly_and_once() -> None:
    mapping = SheetMapping(template="{{ sku }}: {{prompt}} {{{{size}}}}, {{ SKU }}!")
    with pytest.raises(OperatorError):
        RowDrafter().check(INFO, mapping)
    mapping = SheetMapping(template="{{ sku }}: {{prompt}} {size} {{ SKU }}!")
    found = draft(mapping, sku="{{prompt}}", prompt="\\1 $x {{n}}")
    assert found.request is not None
    assert found.request.prompt == "{{prompt}}: \\1 $x {{n}} {size} {{prompt}}!"


@given(st.text(), st.text())
def test_any_cell_stands_in_a_template_as_it_is(sku: str, size: str) -> None:
    found = draft(SheetMapping(template="<{{sku}}|{{size}}>"), sku=sku, size=size)
    if found.request is not None:
        assert found.request.prompt == f"<{sku}|{size}>"
    else:
        assert not sku.strip()
        assert not size.strip()


@pytest.mark.parametrize(
    "mapping",
    [
        SheetMapping(prompt_column="nope"),
        SheetMapping(template="{{nope}}"),
        SheetMapping(prompt_column="prompt", lane_column="nope"),
        SheetMapping(prompt_column="prompt", key_column="nope"),
        SheetMapping(prompt_column="prompt", priority_column="nope"),
        SheetMapping(prompt_column="prompt", params={"size": "@nope"}),
    ],
)
def test_an_unknown_column_is_named_with_those_there_are(mapping: SheetMapping) -> None:
    with pytest.raises(OperatorError) as caught:
        RowDrafter().check(INFO, mapping)
    assert Translator().say(caught.value.message) == (
        'There is no column "nope"; there are: sku, prompt, size, n, t, hd, who, rank.'
    )


@pytest.mark.parametrize(
    "mapping",
    [
        SheetMapping(),
        SheetMapping(prompt_column="prompt", template="x"),
        SheetMapping(template=" "),
    ],
)
def test_exactly_one_source_of_prompts_is_needed(mapping: SheetMapping) -> None:
    with pytest.raises(OperatorError) as caught:
        RowDrafter().check(INFO, mapping)
    assert "a text with {{column}}" in Translator().say(caught.value.message)


def test_a_column_is_found_by_its_name_in_another_case() -> None:
    RowDrafter().check(INFO, SheetMapping(prompt_column=" Prompt"))


def test_parameters_are_typed_and_empty_ones_not_sent() -> None:
    params = {"size": "@size", "n": "@n", "t": "@t", "hd": "@hd", "style": " vivid "}
    mapping = SheetMapping(prompt_column="prompt", params=params)
    found = draft(mapping, size="1024×1024", n="3.0", t="0.5", hd="是")
    assert found.request is not None
    assert found.request.params == {
        "size": "1024x1024",
        "n": 3,
        "t": 0.5,
        "hd": True,
        "style": " vivid ",
    }
    assert type(found.request.params["n"]) is int
    empty = draft(mapping, hd=" ")
    assert empty.request is not None
    assert empty.request.params == {"style": " vivid "}


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("n", "three", 'Row 42, n: "three" is not a whole number.'),
        ("n", "1.5", 'Row 42, n: "1.5" is not a whole number.'),
        ("n", "1e999", 'Row 42, n: "1e999" is not a whole number.'),
        ("t", "nan", 'Row 42, t: "nan" is not a number.'),
        ("hd", "perhaps", 'Row 42, hd: "perhaps" is neither yes nor no.'),
        ("size", "big", 'Row 42, size: "big" is not one of: 1024x1024, auto.'),
    ],
)
def test_a_wrong_value_is_its_rows_problem(column: str, value: str, sentence: str) -> None:
    mapping = SheetMapping(prompt_column="prompt", params={column: f"@{column}"})
    found = draft(mapping, **{column: value})
    assert said(found) == sentence
    assert value in found.cells


def test_where_all_rows_have_one_model_a_column_for_it_is_said_to_be_none() -> None:
    mapping = SheetMapping(prompt_column="prompt", params={"model": "@who"})
    with pytest.raises(OperatorError) as caught:
        RowDrafter().check(INFO, mapping, Capabilities("picture", 60.0))
    assert caught.value.message.code == "ingest.no_row_model"
    named = Capabilities("picture", 60.0, params=(Param("model", "text"),))
    RowDrafter().check(INFO, mapping, named)


def test_an_unknown_parameter_is_said_and_not_dropped() -> None:
    mapping = SheetMapping(prompt_column="prompt", params={"mood": "dark"})
    assert said(draft(mapping)) == (
        'Row 42, mood: this connection has no parameter "mood", only: size, n, t, hd, style.'
    )


def test_lane_key_and_priority() -> None:
    mapping = SheetMapping(
        prompt_column="prompt", lane_column="who", key_column="sku", priority_column="rank"
    )
    found = draft(mapping, who=" ann ", sku="A/7", rank="5")
    assert (found.lane, found.key, found.priority, found.stem) == ("ann", "A/7", 5, "0042_A_7")
    assert draft(mapping).lane is None
    assert said(draft(mapping, rank="high")) == 'Row 42, rank: "high" is not a whole number.'


def test_rows_that_cannot_be_used_keep_their_cells() -> None:
    assert said(draft(prompt=" \n")) == "Row 42 has no prompt."
    assert said(draft(prompt="x" * (LONGEST_PROMPT + 1))) == (
        "Row 42 has a prompt of 1,000,001 characters; at most 1,000,000 can be sent."
    )
    template = SheetMapping(template="a photo of {{sku}}")
    assert said(draft(template)) == "Row 42 is blank in every column that the text uses."
    broken = SheetRow(42, ("",) * len(COLUMNS), message("ingest.nul", row=42))
    found = RowDrafter().draft(INFO, PROMPT, CAPS, broken)
    assert said(found).startswith("Row 42 holds NUL")


def test_s14_the_stem_is_legal_and_tells_the_row() -> None:
    assert draft(prompt="红色/运动鞋:白底?" * 40).stem == "0042_" + ("红色_运动鞋_白底_" * 3)[:24]
    assert draft(prompt="???").stem == "0042____"
    assert draft(prompt="\u200b.").stem == "0042"
    assert draft(SheetMapping(prompt_column="prompt", key_column="sku")).stem == "0042_a red shoe"
    long = draft(SheetMapping(prompt_column="prompt", key_column="sku"), sku="👨‍👩‍👧‍👦" * 90)
    assert len(long.stem.encode()) <= 125
    assert long.stem.endswith("👦")


def test_rows_with_the_same_texts_share_parameters_and_no_others_do() -> None:
    drafter = RowDrafter()
    mapping = SheetMapping(prompt_column="prompt", params={"n": "@n", "t": "@t", "style": "new"})

    def params(caps: Capabilities = CAPS, **cells: str) -> object:
        cells = {"prompt": "x", **cells}
        row = SheetRow(42, tuple(cells.get(column, "") for column in COLUMNS))
        request = drafter.draft(INFO, mapping, caps, row).request
        return None if request is None else request.params

    one = params(n="1", t="2")
    assert one == {"style": "new", "n": 1, "t": 2.0}
    assert params(n="1", t="2") is one
    assert params(n="2", t="1") == {"style": "new", "n": 2, "t": 1.0}
    assert params(n="1", t="") == {"style": "new", "n": 1}
    assert params(n="x", t="2") is None
    assert params(n="x", t="2") is None
    other = Capabilities("picture", 600, params=(Param("style", "text"), Param("n", "text")))
    assert params(other, n="1") == {"style": "new", "n": "1"}
    assert params(n="1", t="2") == one


def test_a_sheet_of_ever_new_values_is_not_kept_in_memory() -> None:
    drafter = RowDrafter()
    mapping = SheetMapping(prompt_column="prompt", params={"n": "@n"})
    for n in range(2_500):
        row = SheetRow(n, ("s", "p", "", str(n), "", "", "", ""))
        request = drafter.draft(INFO, mapping, CAPS, row).request
        assert request is not None
        assert request.params == {"n": n}
    assert drafter._last_params is not None
    assert len(drafter._last_params[2]._made) <= 1_000


def test_plain_values_say_what_the_drafts_say() -> None:
    mapping = SheetMapping(
        prompt_column="prompt", params={"n": "@n"}, lane_column="who", key_column="sku",
        priority_column="rank",
    )  # fmt: skip
    lines = [
        (2, ["K 1", "a shoe", "", "2", "", "", " ann ", "7"], None),
        (3, ["", " ", "", "", "", "", "", ""], None),
        (4, ["K 1", "a shoe", "", "two", "", "", "", ""], None),
        (5, ["", "a shoe", "", "", "", "", "", "high"], None),
        (6, ["", "a \ufffd", "", "", "", "", "", ""], message("ingest.nul", row=6)),
    ]
    drafter = RowDrafter()
    found = list(drafter.values(INFO, mapping, CAPS, lines))
    drafts = [
        drafter.draft(INFO, mapping, CAPS, SheetRow(row_no, tuple(cells), problem))
        for row_no, cells, problem in lines
    ]
    assert [(row_no, tuple(cells), *rest) for row_no, cells, *rest in found] == [
        draft.values() for draft in drafts
    ]
    assert [draft.problem is None for draft in drafts] == [True, False, False, False, False]
    assert (drafts[0].priority, drafts[0].lane, drafts[0].key) == (7, "ann", "K 1")


_CELLS = {
    "sku": st.sampled_from(
        ["SKU-0001", "K 1", "con", "a\nb", "你", " SKU-0002 ", "", " ", "x" * 130]
    ),
    "prompt": st.sampled_from(["a shoe", " a\n", "你好", "", " ", "x" * 30]),
    "size": st.sampled_from(["auto", "1024X1024", "", "wide"]),
    "n": st.sampled_from(["1", "2", "", "two"]),
    "who": st.sampled_from(["", " ann ", "bob"]),
    "rank": st.sampled_from(["", "7", "high"]),
}


@sharing_fixtures(300)
@given(
    rows=st.lists(
        st.tuples(st.fixed_dictionaries(_CELLS), st.sampled_from([None, None, None, "spoilt"])),
        max_size=12,
    ),
    first=st.sampled_from([2, 995, 1_000]),
    key=st.sampled_from([None, "sku"]),
    lane=st.sampled_from([None, "who"]),
    priority=st.sampled_from([None, None, "rank"]),
    params=st.sampled_from([{}, {"size": "@size"}, {"size": "@size", "n": "@n", "hd": "yes"}]),
    together=st.sampled_from([1, 3, 256]),
)
def test_rows_made_together_are_what_each_makes_by_itself(
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[dict[str, str], str | None]],
    first: int,
    key: str | None,
    lane: str | None,
    priority: str | None,
    params: dict[str, str],
    together: int,
) -> None:
    monkeypatch.setattr(drafter_module, "_TOGETHER", together)
    mapping = SheetMapping(
        prompt_column="prompt", params=params, lane_column=lane, key_column=key,
        priority_column=priority,
    )  # fmt: skip
    lines = [
        (
            row_no,
            [cells.get(column, "") for column in COLUMNS],
            None if said is None else message("ingest.nul", row=row_no),
        )
        for row_no, (cells, said) in enumerate(rows, first)
    ]
    drafter = RowDrafter()
    found = list(drafter.values(INFO, mapping, CAPS, lines))
    assert [(row_no, tuple(cells), *rest) for row_no, cells, *rest in found] == [
        drafter.draft(INFO, mapping, CAPS, SheetRow(row_no, tuple(cells), problem)).values()
        for row_no, cells, problem in lines
    ]


def test_a_row_that_its_text_cannot_be_filled_with_is_its_own_problem() -> None:
    mapping = SheetMapping(template="{{ 10 / n|int }} pieces")
    assert said(draft(mapping, n="0")) == (
        "Row 42: the text can't be filled with its cells (division by zero)."
    )
    found = draft(mapping, n="5")
    assert found.request is not None
    assert found.request.prompt == "2.0 pieces"


@pytest.mark.parametrize(
    ("pattern", "subfolder", "stem"),
    [
        ("{sku}_{row}", None, "A_7_0042"),
        ("{who}/{sku}-{n}", None, "ann/A_7-8"),  # a column of that name comes first
        (None, "@who", "ann/0042_a red shoe"),
        (None, "spring/2026/..", "spring/2026/0042_a red shoe"),
        ("{SKU}", "@who", "ann/A_7"),
        ("{prompt}", "", "a red shoe"),
    ],
)
def test_files_are_named_and_filed_as_the_mapping_says(
    pattern: str | None, subfolder: str | None, stem: str
) -> None:
    mapping = SheetMapping(prompt_column="prompt", output_name=pattern, subfolder=subfolder)
    assert draft(mapping, sku="A/7", who="ann", n="8").stem == stem


def test_results_are_counted_in_the_name_and_no_folder() -> None:
    info = replace(INFO, columns=("sku", "prompt"))
    row = SheetRow(42, ("A/7", "a red shoe"))
    mapping = SheetMapping(prompt_column="prompt", output_name="{sku}-{n}")
    assert RowDrafter().draft(info, mapping, CAPS, row).stem == "A_7-1"
    before = replace(mapping, output_name="{n}-{sku}")
    assert RowDrafter().draft(info, before, CAPS, row).stem == "1-A_7"
    with pytest.raises(OperatorError) as caught:
        RowDrafter().check(info, replace(mapping, output_name="{n}/{sku}"))
    assert Translator().say(caught.value.message) == (
        'The pattern for file names asks for "n"; there are: sku, prompt, and row, prompt, and n '
        "in the name behind the last slash."
    )


def test_a_row_that_cannot_be_used_is_named_all_the_same() -> None:
    mapping = SheetMapping(prompt_column="prompt", output_name="{who}/{sku}", subfolder="@size")
    found = draft(mapping, prompt="", sku="7", who="ann")
    assert said(found) == "Row 42 has no prompt."
    assert found.stem == "ann/7"


@pytest.mark.parametrize("pattern", ["{nope}", "{sku}/{nope}/x"])
def test_a_pattern_that_asks_for_no_column_is_said(pattern: str) -> None:
    with pytest.raises(OperatorError) as caught:
        RowDrafter().check(INFO, SheetMapping(prompt_column="prompt", output_name=pattern))
    assert "The pattern for file names asks for" in Translator().say(caught.value.message)


def test_an_unknown_subfolder_column_is_said() -> None:
    with pytest.raises(OperatorError) as caught:
        RowDrafter().check(INFO, SheetMapping(prompt_column="prompt", subfolder="@nope"))
    assert 'There is no column "nope"' in Translator().say(caught.value.message)
