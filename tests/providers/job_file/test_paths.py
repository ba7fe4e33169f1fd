"""JMESPath expressions are understood before the first call, or it is said where they are not."""

from __future__ import annotations

import pytest

from desktop_app.providers.job_file.paths import BadPath, Path


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("a..b", 2),
        ("a[", None),
        ("a.b)", 3),
        ("", None),
        ("a b", 2),
        ("images[?", None),
        ("'unclosed", 0),
        ("nosuch(a)", 0),
        ("a.lenght(@)", 2),
        ("length()", 0),
        ("length(a, b)", 0),
        ("join(',')", 0),
        ("a[::0]", 3),
        ("{x: b[1:5: 0 ]}", 9),
        ("(" * 2000 + "a" + ")" * 2000, 0),
    ],
)
def test_what_can_not_be_understood_is_told_with_its_place(source: str, at: int | None) -> None:
    with pytest.raises(BadPath) as caught:
        Path.of(source)
    if at is not None:
        assert caught.value.at == at


def test_what_is_found() -> None:
    answer = {"a": {"b": [1, "x", None]}, "s": " word ", "n": 7, "t": True}
    assert Path.of("a.b[1]").find(answer) == "x"
    assert Path.of("a.c.d").find(answer) is None
    assert Path.of("s").word(answer) == "word"
    assert Path.of("n").word(answer) == "7"
    assert Path.of("t").word(answer) == ""
    assert Path.of("a.b").every(answer) == [1, "x", None]
    assert Path.of("n").every(answer) == [7]
    assert Path.of("z").every(answer) == []
    assert Path.of("not_null(z, n)").find(answer) == 7


def test_an_answer_of_another_shape_finds_nothing() -> None:
    assert Path.of("join(',', a)").find({"a": None}) is None
    assert Path.of("length(a)").find({"a": 7}) is None
    assert Path.of("a.b").find("text") is None
    assert Path.of("a").find(None) is None


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("max_by(a, &b)", {"a": [{"b": 1}, {"b": "x"}]}),
        ("merge(a, b)", {"a": {"b": 1}}),
        ("merge(a, b)", {"a": {"b": 1}, "b": "x"}),
        ("ceil(a)", {"a": float("inf")}),
        ("a < b", {"a": "xyz", "b": 3}),
        ("a[?b < 'x']", {"a": [{"b": 1}]}),
    ],
)
def test_what_the_library_itself_stumbles_over_is_nothing_found(
    source: str, answer: object
) -> None:
    path = Path.of(source)
    assert path.find(answer) is None
    assert path.word(answer) == ""
    assert path.every(answer) == []
