"""Every mistake in a provider file is told: by file, by line, in a plain sentence, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import Param
from desktop_app.providers.job_file.model import State
from desktop_app.providers.job_file.reading import Loaded, load
from tests.providers.job_file.desk import CHINESE, ENGLISH, SHIPPED

GOOD = """\
[provider]
name = "Shop"
base_url = "https://api.shop.example/v2"
models = ["m-1"]

[params.size]
choices = ["s", "l"]

[submit]
path = "/jobs"
job_id = "data.id"
body = { prompt = "{prompt}", size = "{size}" }
keep = { poll = "data.poll_url" }

[poll]
path = "/jobs/{id}"
status = "data.state"
states = { waiting = "running", ready = "done", bad = "failed" }

[result]
urls = "data.images[].url"

[[errors.rules]]
means = "no_money"
codes = ["BROKE"]
"""


def told(text: str) -> list[str]:
    return [ENGLISH.say(said) for said in load("shop.toml", text.encode()).wrong]


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_sound_file() -> None:
    job = load("shop.toml", GOOD.encode()).job
    assert job is not None
    assert job.preset.label == "Shop"
    assert job.capabilities.params == (Param("size", "choice", ("s", "l"), "size"),)
    assert (job.capabilities.jobs, job.capabilities.cancel) == (True, False)
    assert job.poll is not None
    assert job.poll.states == {
        "waiting": State.RUNNING,
        "ready": State.DONE,
        "bad": State.FAILED,
    }
    assert (job.profile.rules[0].kind, job.profile.rules[0].codes) == (F.ACCOUNT, ("broke",))
    assert (job.key_header, job.key_prefix) == ("Authorization", "Bearer ")


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_the_shipped_ones_are_sound(file: Path) -> None:
    loaded = load(file.name, file.read_bytes())
    assert [ENGLISH.say(said) for said in loaded.wrong] == []
    assert loaded.job is not None
    for param in loaded.job.capabilities.params:
        assert CHINESE(param.label) != param.label, f"{param.label} has no Chinese"


MISTAKES = [
    ("[poll]", "[pol]", 15, "pol is not known here. Known: poll."),
    (
        'status = "data',
        'statos = "data',
        17,
        "poll.statos is not known here. Known: status, states",
    ),
    ('status = "data.state"', "", 15, "poll.status is missing."),
    (
        'path = "/jobs"',
        'url = "https://api.shop.example/jobs"',
        10,
        "submit.url is not known here. Known: path.",
    ),
    ('name = "Shop"', "name = 7", 2, "provider.name must be a text in quotes."),
    ('name = "Shop"', 'name = ""', 2, "provider.name is missing."),
    ('models = ["m-1"]', 'models = "m-1"', 4, "provider.models must be a list of texts."),
    ('models = ["m-1"]', "models = [1]", 4, "provider.models must be a list of texts."),
    ('models = ["m-1"]', "", 1, "provider.models is missing."),
    (
        'base_url = "https://api.shop.example/v2"',
        'base_url = "http://api.shop.example"',
        3,
        'provider.base_url: "http://api.shop.example" is no address that can be called. It must '
        "begin with https://.",
    ),
    (
        'name = "Shop"',
        'name = "Shop"\nconcurrency = 0',
        3,
        "provider.concurrency must lie between 1 and 10000.",
    ),
    (
        'name = "Shop"',
        'name = "Shop"\nneeds_key = 1',
        3,
        "provider.needs_key must be true or false.",
    ),
    ('name = "Shop"', 'name = "Shop"\ntypical_s = "1"', 3, "provider.typical_s must be a number."),
    (
        'name = "Shop"',
        'name = "Shop"\nkey_hosts = ["*.com"]',
        3,
        'provider.key_hosts: "*.com" is no host. Write api.example.com, or *.example.com for all '
        "below it.",
    ),
    (
        'status = "data.state"',
        'status = "data..state"',
        17,
        'poll.status is no JMESPath expression: column 16, at ".", can\'t be understood.',
    ),
    (
        'urls = "data.images[].url"',
        'urls = "lenght(data)"',
        21,
        'result.urls is no JMESPath expression: column 9, at "lenght()", can\'t be understood.',
    ),
    (
        'ready = "done"',
        'ready = "finished"',
        18,
        'poll.states.ready is "finished"; it must be one of: running, done, failed, cancelled, '
        "lost.",
    ),
    (
        'ready = "done"',
        'ready = "running"',
        18,
        "no state means done, so that no job would ever end.",
    ),
    (
        'size = "{size}"',
        'size = "{sise}"',
        12,
        "submit.body.size: nothing fills {sise}. Known here: {prompt}, {model}, {size}. A column "
        "can fill what is declared under params.",
    ),
    (
        'path = "/jobs/{id}"',
        'path = "/jobs/{key}"',
        16,
        "poll.path: nothing fills {key}. Known here: {id}, {model}, {model_app}, {poll}. A column "
        "can fill what is declared under params.",
    ),
    (
        'size = "{size}"',
        'size = "{size"',
        12,
        'submit.body.size: a brace in "{size" belongs to no field. A brace that is meant is '
        "written twice.",
    ),
    (
        'path = "/jobs/{id}"',
        'path = "jobs/{id}"',
        16,
        'poll.path: "jobs/{id}" must begin with a slash.',
    ),
    ('path = "/jobs/{id}"', "", 15, "poll needs a path or a url."),
    (
        'path = "/jobs/{id}"',
        'url = "https://other.example/{id}"',
        16,
        "poll.url: other.example is not the provider's own host. The key goes there only if "
        "other.example is listed in provider.key_hosts.",
    ),
    (
        'path = "/jobs/{id}"',
        'url = "{poll}.evil.example"',
        16,
        'poll.url: "{poll}.evil.example" is no address that can be called. It must begin with '
        "https://.",
    ),
    ('job_id = "data.id"', "", 15, "a job that is asked for needs submit.job_id."),
    ('urls = "data.images[].url"', "", 20, "exactly one of urls, base64 and text must say where"),
    (
        'urls = "data.images[].url"',
        'text = "data.text"',
        21,
        'result.text is for a provider with makes = "text".',
    ),
    (
        'means = "no_money"',
        'means = "poor"',
        24,
        'errors.rules.means is "poor"; it must be one of: slow_down,',
    ),
    ('codes = ["BROKE"]', "", 23, "this rule says neither codes nor statuses nor text."),
    ('codes = ["BROKE"]', 'text = "("', 25, "errors.rules.text is no regular expression ("),
    ('codes = ["BROKE"]', "statuses = [1000]", 25, "errors.rules.statuses must lie between 100"),
    ("[params.size]", "[params.prompt]", 6, "params.prompt: this name has a meaning of its own."),
    (
        'choices = ["s", "l"]',
        'kind = "number"',
        7,
        'params.size.kind is "number"; it must be one of:',
    ),
    ("[submit]", "[key]\nheader = 'a b'\n[submit]", 10, "key.header can't be a header."),
    ("[submit]", "[key]\nheader = 'Host'\n[submit]", 10, "key.header can't be a header."),
    (
        "[submit]",
        "[key]\nheader = 'x-key'\n[submit]\nheaders = { X-Key = 'mine' }",
        12,
        "headers.X-Key can't be a header.",
    ),
    (
        'path = "/jobs"',
        'path = "/jobs"\nheaders = { AUTHORIZATION = "x" }',
        11,
        "headers.AUTHORIZATION can't be a header.",
    ),
    (
        "[submit]",
        "[references]\nmost = 1\n[submit]",
        14,
        "where references are declared, submit.body shows {reference} once.",
    ),
    (
        "[submit]",
        "[price]\nunit = '1k-tokens'\n[submit]",
        10,
        "price.unit is 1k-tokens: price.tokens must say where the answer tells them.",
    ),
    (
        "[submit]",
        "[price]\ncurrency = 'dollar'\n[submit]",
        10,
        'price.currency is "dollar"; it must have three letters, such as CNY.',
    ),
    ('models = ["m-1"]', "models = []", 4, "provider.models is missing."),
    ('models = ["m-1"]', 'models = ["m-1", " "]', 4, "provider.models is missing."),
    (
        'base_url = "https://api.shop.example/v2"',
        'base_url = "https://{region}.shop.example"',
        3,
        'provider.base_url: "https://{region}.shop.example" is no address',
    ),
    ('choices = ["s", "l"]', 'kind = "choice"', 6, "params.size.choices is missing."),
    (
        'size = "{size}" }',
        'size = "{size}", at = 2026-01-01 }',
        12,
        "submit.body.at: 2026-01-01 can't be sent as it is. Write it as a text, in quotes.",
    ),
    ('size = "{size}" }', "size = nan }", 12, "submit.body.size: nan can't be sent as it is."),
    (
        'size = "{size}" }',
        'size = "{size}", deep = [{ x = [-inf] }] }',
        12,
        "submit.body.deep.x: -inf can't be sent as it is.",
    ),
    (
        'prompt = "{prompt}"',
        'prompt = "a shoe"',
        12,
        "{prompt} is nowhere in submit.body, so that all rows would ask for the same.",
    ),
    (
        'poll = "data.poll_url"',
        'id = "data.poll_url"',
        13,
        "submit.keep.id: this name has a meaning of its own. Choose another.",
    ),
    (
        'poll = "data.poll_url"',
        'model = "data.poll_url"',
        13,
        "submit.keep.model: this name has a meaning of its own. Choose another.",
    ),
    (
        'poll = "data.poll_url"',
        'poll-url = "data.poll_url"',
        13,
        "submit.keep.poll-url: a name has letters, digits and _ only.",
    ),
    (
        'path = "/jobs/{id}"',
        'path = "/jobs/id"',
        16,
        "poll.path holds neither {id} nor anything that submit.keep kept, so that one job would be "
        "taken for another.",
    ),
    (
        'path = "/jobs/{id}"',
        'url = "https://api.shop.example/{model}"',
        16,
        "poll.url holds neither {id} nor",
    ),
    (
        'path = "/jobs/{id}"',
        'url = "{poll}"\npath = "/jobs"',
        17,
        "poll.path holds neither {id} nor",
    ),
    (
        'urls = "data.images[].url"',
        'urls = "data.images[].url"\nfetch = { path = "/results" }',
        22,
        "result.fetch.path holds neither {id} nor",
    ),
    (
        "[[errors.rules]]",
        '[cancel]\npath = "/interrupt"\n[[errors.rules]]',
        24,
        "cancel.path holds neither {id} nor",
    ),
    (
        '[poll]\npath = "/jobs/{id}"\nstatus = "data.state"\n'
        'states = { waiting = "running", ready = "done", bad = "failed" }\n',
        "",
        11,
        "submit.job_id is for jobs, and there is no part [poll] that says how a job is asked for.",
    ),
    (
        'path = "/jobs/{id}"',
        'path = "/jobs/{id}"\nbody = { id = "{id}" }',
        17,
        "poll.body is not sent with GET: give the call the method POST.",
    ),
    (
        'path = "/jobs/{id}"',
        'method = "POST"\npath = "/jobs"\nbody = { id = "{idd}" }',
        18,
        "poll.body.id: nothing fills {idd}. Known here: {id},",
    ),
    (
        'path = "/jobs/{id}"',
        'method = "POST"\npath = "/jobs"\nbody = { id = "id" }',
        17,
        "poll.path holds neither {id} nor",
    ),
    (
        "[submit]",
        '[references]\nmimes = ["image/png", "jpg"]\n[submit]',
        10,
        'references.mimes is "jpg"; it must be one of: image/png, image/jpeg,',
    ),
    ('urls = "data.images[].url"', 'urls = "a[::0]"', 21, "result.urls is no JMESPath expression"),
    (
        'urls = "data.images[].url"',
        'urls = "data.images["',
        21,
        "result.urls is no JMESPath expression: something is missing at its end (column 21).",
    ),
    ("[submit]", "[callback]\n[submit]", 9, "{callback_url} is missing."),
    (
        "[submit]",
        "[callback]\nbody = { u = '{callback_url}' }\nsignature = 'hmac-sha256'\n[submit]",
        11,
        "the signature hmac-sha256 needs callback.header.",
    ),
    (
        "[submit]",
        "[callback]\nbody = { u = '{callback_url}' }\nsignature = 'svix'\n[submit]",
        11,
        "the signature svix needs {callback_secret} / callback.secret_from.",
    ),
]


@pytest.mark.parametrize(("old", "new", "line", "sentence"), MISTAKES)
def test_each_mistake_by_its_line(old: str, new: str, line: int, sentence: str) -> None:
    said = told(changed(old, new))
    wanted = f"shop.toml, line {line}: {sentence}"
    assert any(one.startswith(wanted) for one in said), said


@pytest.mark.parametrize("part", ["cancel", "callback", "result.fetch"])
def test_what_is_for_jobs_needs_a_way_to_ask_for_them(part: str) -> None:
    text = GOOD[: GOOD.index("[poll]")] + GOOD[GOOD.index("[result]") :]
    text = text.replace('job_id = "data.id"\n', "")
    assert told(text) == []
    more = f'[{part}]\npath = "/x/{{id}}"\nbody = {{ u = "{{callback_url}}" }}\n'
    wanted = f"{part} is for jobs, and there is no part [poll] that says how a job is asked for."
    assert any(wanted in one for one in told(text + more))


def test_a_query_may_name_the_job() -> None:
    text = changed('path = "/jobs/{id}"', 'path = "/job"\nquery = { id = "{id}" }')
    assert told(text) == []


def test_all_mistakes_are_told_at_once_in_the_order_of_the_lines() -> None:
    text = changed('name = "Shop"', "name = 7").replace('"{size}"', '"{x}"').replace("BROKE", "")
    text = text.replace('urls = "data.images[].url"', 'urls = "a..b"')
    lines = [int(one.partition("line ")[2].partition(":")[0]) for one in told(text)]
    assert lines == sorted(lines)
    assert {2, 12, 21} <= set(lines)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"[provider\n", "shop.toml, line 1: this can't be read as TOML ("),
        (b"[provider]\nname = \n", "shop.toml, line 2: this can't be read as TOML ("),
        (b"a = 1\na = 2\n", "shop.toml, line 2: this can't be read as TOML ("),
        (b"[provider]\nname = 'x", "shop.toml, line 2: this can't be read as TOML ("),
        (b"\xff\xfe", "shop.toml is not written in UTF-8."),
        (b"#" * 300_000, "shop.toml is larger than 256 KB and was not read."),
    ],
)
def test_what_is_no_toml(raw: bytes, sentence: str) -> None:
    loaded = load("shop.toml", raw)
    assert ENGLISH.say(loaded.wrong[0]).startswith(sentence)
    assert loaded.job is None
    assert (loaded.preset.id, loaded.preset.label) == ("shop", "shop")


def test_an_empty_file_lacks_its_parts() -> None:
    said = told("")
    assert "shop.toml, line 1: provider is missing." in said
    assert "shop.toml, line 1: submit is missing." in said
    assert "shop.toml, line 1: result is missing." in said


def test_a_mark_at_the_beginning_and_windows_lines_are_no_mistake() -> None:
    raw = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert load("shop.toml", raw).wrong == ()


def test_what_is_known_of_a_faulty_file_fills_the_dialog() -> None:
    loaded = load("shop.toml", changed("[poll]", "[pol]").encode())
    assert loaded.preset.base_url == "https://api.shop.example/v2"
    assert loaded.preset.models == ("m-1",)
    assert loaded.preset.adapter == "http-job"


def test_the_sentences_are_there_in_chinese() -> None:
    for old, new, _line, _sentence in MISTAKES:
        for said in load("shop.toml", changed(old, new).encode()).wrong:
            chinese = CHINESE.say(said)
            assert "行：" in chinese
            assert "line" not in chinese.partition("：")[0]


@given(raw=st.binary(max_size=400) | st.text(max_size=400).map(lambda text: text.encode()))
def test_no_file_makes_the_reading_fail(raw: bytes) -> None:
    loaded = load("x.toml", raw)
    assert isinstance(loaded, Loaded)
    assert loaded.wrong  # none of these is a provider


@given(
    cut=st.integers(0, len(GOOD)),
    more=st.integers(0, 40),
    put=st.text("[]{}=\"'.,abc\n 1", max_size=8),
)
def test_no_damage_makes_the_reading_fail(cut: int, more: int, put: str) -> None:
    text = GOOD[:cut] + put + GOOD[cut + more :]
    loaded = load("x.toml", text.encode())
    assert (loaded.job is None) is bool(loaded.wrong)
    for said in loaded.wrong:
        assert ENGLISH.say(said) != said.code
