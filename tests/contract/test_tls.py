"""Trust is the operating system's: a company's own authority works once the computer knows it,
and whoever cannot prove its identity gets neither key nor prompt."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import trustme

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.text import Translator
from tests.contract.cases import Case, call, failing
from tests.contract.conftest import Open
from tests.contract.server import ScriptedServer, json_reply

DAY = datetime.timedelta(days=1)
Serve = Callable[..., Awaitable[ScriptedServer]]


@pytest.fixture(scope="module")
def company() -> trustme.CA:
    """An authority that no computer knows."""
    return trustme.CA(organization_name="Example Company")


@pytest.fixture
async def serve(company: trustme.CA) -> AsyncIterator[Serve]:
    """``serve(*names, **options of the certificate)``; closed afterwards."""
    made: list[ScriptedServer] = []

    async def start(*names: str, **options: object) -> ScriptedServer:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        company.issue_cert(*names, **options).configure_cert(context)  # type: ignore[arg-type]
        made.append(ScriptedServer(context))
        await made[-1].start()
        return made[-1]

    yield start
    for server in made:
        await server.close()


@pytest.fixture
def trusted(company: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The company's authority is among those that the computer trusts."""
    file = tmp_path / "company.pem"
    company.cert_pem.write_to_path(file)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))


async def test_an_authority_that_the_computer_does_not_know_gets_nothing(
    case: Case, serve: Serve, open_adapter: Open
) -> None:
    server, made = await serve("127.0.0.1"), call()
    failure = await failing(open_adapter(case.connection(server.url)), made)
    assert (failure.kind, failure.code, failure.sent) == (F.OFFLINE, "tls_unknown", False)
    assert (made.begun, server.seen) == (False, [])
    said = Translator().say(failure.said)
    assert "IT department" in said
    assert "SSL_CERT_FILE" in said


@pytest.mark.usefixtures("trusted")
async def test_a_company_s_own_authority_works_once_the_computer_knows_it(
    case: Case, serve: Serve, open_adapter: Open
) -> None:
    server = await serve("127.0.0.1")
    case.serve(server)
    server.on(case.path, json_reply(case.good))
    answer = await open_adapter(case.connection(server.url)).submit(call())
    assert answer.contents[0].data == case.result


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("name", "options", "code", "word"),
    [
        ("api.example", {}, "tls_other_name", "another name"),
        ("10.0.0.1", {}, "tls_other_name", "another name"),
        ("127.0.0.1", {"not_after": -DAY, "not_before": -2 * DAY}, "tls_expired", "has expired"),
        ("127.0.0.1", {"not_before": DAY}, "tls_not_yet", "not valid yet"),
    ],
    ids=["name", "address", "expired", "early"],
)
async def test_each_fault_of_a_certificate_has_its_own_sentence_and_nothing_is_sent(
    case: Case,
    serve: Serve,
    open_adapter: Open,
    name: str,
    options: dict[str, datetime.timedelta],
    code: str,
    word: str,
) -> None:
    now = datetime.datetime.now(datetime.UTC)
    server = await serve(name, **{key: now + shift for key, shift in options.items()})
    made = call()
    adapter = open_adapter(case.connection(server.url))
    failure = await failing(adapter, made)
    assert (failure.kind, failure.code, failure.sent) == (F.OFFLINE, code, False)
    assert (made.begun, server.seen) == (False, [])
    assert word in Translator().say(failure.said)
    report = await adapter.test()
    assert [said.code for said in report.said] == [f"providers.{code}"]
