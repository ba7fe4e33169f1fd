"""Texts with columns: the plain form byte for byte, logic in a sandbox, faults by line and row."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.ingest.template import PlainTemplate, Unfilled, all_blank, make_template

COLUMNS = ("sku", "商品 名", "size", "价格(元)", "tags", "not", "a|upper", "Row no")
CELLS = ("A-7", "红色 鞋", "", "19.9", "red, soft,, new", "kept", "pipe", "5")


def filled(text: str, cells: tuple[str, ...] = CELLS) -> str:
    return make_template(text, COLUMNS).fill(cells)


def refused(text: str) -> str:
    with pytest.raises(OperatorError) as caught:
        make_template(text, COLUMNS)
    return Translator().say(caught.value.message)


def failed(text: str, cells: tuple[str, ...] = CELLS) -> str:
    with pytest.raises(Unfilled) as caught:
        filled(text, cells)
    return Translator().say(message(caught.value.code, row=3, **caught.value.values))


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (
            "{{商品 名}}, {{ SKU }}: {{价格(元)}} {{not}} {{a|upper}}",
            "红色 鞋, A-7: 19.9 kept pipe",
        ),
        ("50% {of} {# {{sku}}\r\n", "50% {of} {# A-7\r\n"),
        ("no column at all", "no column at all"),
    ],
)
def test_the_plain_form_is_exact_and_takes_any_name(text: str, prompt: str) -> None:
    template = make_template(text, COLUMNS)
    assert isinstance(template, PlainTemplate)
    assert template.fill(CELLS) == prompt


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ('{{ row["商品 名"] }} {{ row["SKU"] }} {{ row.sku }}', "红色 鞋 A-7 A-7"),
        ("{{ sku|lower }} {{ SKU[0] }} {{ sku[2:] }}", "a-7 A 7"),
        ("{% if size %}in {{size}}{% else %}any size{% endif %}: {{商品 名}}", "any size: 红色 鞋"),
        ('{{ size|default("1024") }} {{ sku|d("x") }}', "1024 A-7"),
        (
            '{% for t in tags|split(",") %}{{ loop.index }}={{ t }};{% endfor %}',
            "1=red;2=soft;3=new;",
        ),
        ('{{ tags|split(",")|join(" + ") }}', "red + soft + new"),
        ("{% set sku = sku|replace('-', '_') %}{{ sku }} {{价格(元)}}", "A_7 19.9"),
        ("{% for size in [1, 2] %}{{ size }}{% endfor %}{{ size ~ sku }}", "12A-7"),
        ("{{ (row['价格(元)']|float * 2)|int + 1 }}", "40"),
        ("{% for i in range(3) %}{{ i }}{% endfor %}{{ none }}{{ 7 % 4 }}", "0123"),
        ("{# left out #}{% raw %}{{sku}}{% endraw %}\n", "{{sku}}\n"),
        ('{{ "{{" }}{{sku}}', "{{A-7"),
        ("{{ sku if sku else 'none' }}{{ 'A' in sku and not size }}", "A-7True"),
        ("{{ row['Row no'] }}{{Row no}}{{ sku|upper }}", "55A-7"),
    ],
)
def test_logic(text: str, prompt: str) -> None:
    assert filled(text) == prompt


@given(st.text(), st.text())
def test_any_cell_is_text_and_nothing_else(sku: str, size: str) -> None:
    cells = (sku, "", size, "", "", "", "", "")
    assert filled("<{{sku}}|{{size}}>", cells) == f"<{sku}|{size}>"
    assert filled('{% if true %}<{{ row["sku"] }}|{{size}}>{% endif %}', cells) == f"<{sku}|{size}>"


def test_a_cell_s_own_braces_stay_text() -> None:
    cells = ("{{ 7*7 }}{% if x %}", *CELLS[1:])
    assert filled("{% if sku %}{{ sku }}{% endif %}", cells) == cells[0]


THERE_ARE = "there are: sku, 商品 名, size, 价格(元), tags, not, a|upper, Row no."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{{colour}}", f'There is no column "colour"; {THERE_ARE}'),
        ("{{商品 种类}}", f'There is no column "商品 种类"; {THERE_ARE}'),
        ("{% if colour %}x{% endif %}", f'There is no column "colour"; {THERE_ARE}'),
        ("a\nb {{ row['colour'] }}", f'Line 2 of the text asks for a column "colour"; {THERE_ARE}'),
        (
            "{{商品\n名|upper}}\n\n{{ sku|upper }}{{ what?! }}",
            f'Line 1 of the text asks for a column "商品\n名|upper"; {THERE_ARE}',
        ),
        (
            "{% if sku %}\n{{ sku }}{{ nope|upper }}\n{% endif %}",
            f'Line 2 of the text asks for a column "nope"; {THERE_ARE}',
        ),
        (
            "a {{sku}}\nb {{sku} c",
            "Line 2 of the text can't be understood: b {{sku} c - a column is written {{name}}, "
            "a condition {% if name %} ... {% endif %}.",
        ),
        (
            "x\n{% if sku %}\ny",
            "Line 2 of the text can't be understood: {% if sku %} - a column is written {{name}}, "
            "a condition {% if name %} ... {% endif %}.",
        ),
    ],
)
def test_faults_name_the_line_and_the_columns(text: str, sentence: str) -> None:
    assert refused(text) == sentence


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{{ sku.upper() }}", "upper()"),
        ("{{ sku.__class__ }}", ".__class__"),
        ("{{ row.__class__ }}", ".__class__"),
        ("{{ loop.__init__ }}", ".__init__"),
        ("{% for x in sku %}{{ loop.cycle }}{% endfor %}", ".cycle"),
        ("{{ sku|attr('x') }}", "|attr"),
        ("{{ sku|format(1) }}", "|format"),
        ("{{ sku|center(1000000000) }}", "|center"),
        ("{{ 9 ** 9 ** 9 }}", "pow"),
        ("{{ lipsum() }}", "lipsum()"),
        ("{% macro f() %}{{ sku }}{% endmacro %}", "macro"),
        ("{% include 'x' %}", "include"),
        ("{% set x %}{{sku}}{% endset %}{{ x }}", "assignblock"),
        ("{% for x in sku recursive %}{{ loop(x) }}{% endfor %}", "loop()"),
        ("{{ range(*[1]) }}", "range()"),
        ("{{ sku is foo }}", "is foo"),
        ("{{ '%0999999999d' is odd }}", "is odd"),
        ("{{ '%0999999999d' is divisibleby(1) }}", "is divisibleby"),
        ("{% set row = 1 %}{{sku|upper}}", "row"),
    ],
)
def test_nothing_but_columns_and_plain_logic_can_be_used(text: str, what: str) -> None:
    assert f'uses "{what}", which can\'t be used here' in refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(5000) %}x{% endfor %}{{ sku|upper }}",
        "{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}",
        "{% for i in range(900) %}{{ sku }}{{ tags }}{% for j in range(9) %}{{sku}}{% endfor %}"
        "{% endfor %}",
        "{% set x = sku %}" + "{% set x = x ~ x %}" * 60 + "{{ x }}",
        "{% set x = sku %}" + "{% set x = x + x %}" * 60 + "{{ x }}",
        "{% set x = 9 %}" + "{% set x = x * x %}" * 60 + "{{ x }}",
        "{% set x = sku|replace('', sku) %}" + "{% set x = x|replace('', x) %}" * 9 + "{{ x }}",
        "{% set x = sku|replace('7', sku) %}{% for i in range(99) %}{{ x|list|sort|length }}"
        "{% endfor %}",
        "{% for i in range(999) %}{{ sku|unique|list|length }}{{ sku|upper|reverse|list|length }}"
        "{% endfor %}",
    ],
)
def test_no_row_runs_for_ever_or_fills_the_memory(text: str) -> None:
    assert failed(text, ("A-7" * 200, *CELLS[1:])) == (
        "Row 3: the text grows beyond 1,000,000 characters, or its loops take more than "
        "10,000 rounds."
    )


@pytest.mark.parametrize("word", ["self", "loop", "range"])
def test_a_word_of_the_language_that_stands_alone_is_a_column(word: str) -> None:
    text = "{% for x in [1] %}{{" + word + "|lower}}{% endfor %}"
    assert make_template(text, (word,)).fill(("CELL",)) == "cell"
    assert f'no column "{word}"' in refused(text)


def test_no_list_of_lists_grows_unseen() -> None:
    text = "{% set x = [sku] %}" + "{% set x = [x, x] %}" * 60 + "{{ x }}"
    assert "can't be filled" in failed(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{{ 1 / size|int }}", "division by zero"),
        ("{{ sku * 3 }}", "str * int"),
        ("{{ '%999999999d' % 1 }}", "str % int"),
        ("{{ sku[99] }}", "str object has no element 99"),
        ("{{ sku['upper'] }}", "'str object' has no attribute 'upper'"),
        ("{{ sku + 1 }}", "str + int"),
        ("{{ 'a' if '1'['x'] }}", "'str object' has no attribute 'x'"),
        ("{{ 'a'|replace('') }}", "_replace() missing 1 required positional argument: 'new'"),
    ],
)
def test_what_fails_is_the_row_s_trouble(text: str, why: str) -> None:
    assert failed(text) == f"Row 3: the text can't be filled with its cells ({why})."


@pytest.mark.parametrize("text", ["{{sku}} {{商品 名}}", "{{sku|lower}} {{商品 名}}"])
def test_a_template_can_be_sent_to_another_process(text: str) -> None:
    template = make_template(text, COLUMNS)
    sent = pickle.loads(pickle.dumps(template))
    assert sent.fill(CELLS) == template.fill(CELLS)
    assert sent.places == template.places


def test_a_row_blank_in_all_columns_that_are_used_is_seen_in_every_form() -> None:
    blank = ("", "", "x", "x", "x", "x", "x", "x")
    for text in ("a {{sku}}", "{% if sku %}x{% endif %} {{商品 名}}", "{{ row['商品 名'] ~ SKU }}"):
        template = make_template(text, COLUMNS)
        assert all_blank(template, blank)
        assert not all_blank(template, CELLS)


def test_a_long_text_with_logic_and_a_deep_one_are_refused() -> None:
    assert "100,000 characters" in refused("{% if sku %}" + "x" * 100_000 + "{% endif %}")
    assert "can't be understood" in refused("{{ " + "(" * 5_000 + "sku" + ")" * 5_000 + " }}")
    nested = "{% for x in sku %}" * 30 + "{% endfor %}" * 30
    assert "can't be understood" in refused(nested)


_WRITTEN = (
    "{{ }} {% %} {# #} {{sku}} {{ sku| row [ ] ' \" ( ) if for sku endif endfor set = range( 9 x "
    "~ + * % | . , upper split join default replace raw endraw - loop loop.index recursive not in "
    "is defined : else macro block include {%set x=sku%} {%if sku%} {%endif%} {%for x in sku%} "
    "{%endfor%} __class__ lower first true none == 商品 名 \n"
)
_PIECES = st.sampled_from(_WRITTEN.split(" "))


@given(st.lists(_PIECES, max_size=25).map(" ".join), st.text(max_size=20))
def test_whatever_is_written_is_filled_or_refused_in_words(text: str, cell: str) -> None:
    said = "filled"
    try:
        filled(text, (cell, *CELLS[1:]))
    except OperatorError as error:
        said = Translator().say(error.message)
    except Unfilled as error:
        said = Translator().say(message(error.code, row=3, **error.values))
    assert said
