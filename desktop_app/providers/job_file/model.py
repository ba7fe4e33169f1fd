"""A provider file as it is understood: every part a call needs, checked, and nothing of TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop_app.domain.ports import (
    CallbackRule,
    Capabilities,
    Param,
    Preset,
    ReferenceRule,
)
from desktop_app.providers.job_file.paths import Path
from desktop_app.providers.job_file.template import Template
from desktop_app.providers.profiles.rule import Profile, Rule


class State(StrEnum):
    """What a vendor's word for a job's state means."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


class Signature(StrEnum):
    """How a callback proves that it comes from the vendor."""

    NONE = "none"
    SVIX = "svix"
    HMAC_SHA256 = "hmac-sha256"
    ED25519_JWKS = "ed25519-jwks"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a call goes: to an address that an answer handed out (``url``), else to ``path`` behind
    the base address, with ``query``. ``body``: the JSON it carries; a submit has one of its own."""

    method: str
    path: Template | None = None
    url: Template | None = None
    query: Mapping[str, Template] = field(default_factory=dict)
    body: Template | None = None


@dataclass(frozen=True, slots=True)
class Submit:
    """``rest``: where in the body parameters go that have no place of their own. ``job_id``: where
    the answer has it; None where the answer is the result. ``keep``: what else of the answer is
    kept with the id. ``hint``: seconds until it is worth asking. ``idempotent_s``: how long a call
    is known again by its key, so that nothing is made twice; None where it isn't."""

    target: Target
    body: Template
    rest: Sequence[str] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    job_id: Path | None = None
    keep: Mapping[str, Path] = field(default_factory=dict)
    hint: Path | None = None
    idempotent_s: float | None = None


@dataclass(frozen=True, slots=True)
class Many:
    """``most`` jobs in one call: ``{ids}`` is their ids with ``between``; ``jobs`` lists them in
    the answer, each with its ``job_id``."""

    target: Target
    most: int
    jobs: Path
    job_id: Path
    between: str = ","


@dataclass(frozen=True, slots=True)
class Poll:
    """``failed_when``: finds something in an answer whose state says done, though it failed.
    ``lost``: error answers that say plainly that there is no such job."""

    target: Target
    status: Path
    states: Mapping[str, State]
    failed_when: Path | None = None
    hint: Path | None = None
    lost: Sequence[Rule] = ()
    many: Many | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """Exactly one of ``urls``, ``base64`` and ``text`` is given. ``fetch``: the call whose answer
    holds it, where the poll's does not; one of ``verdicts`` (HTTP statuses) is the job's failure.
    ``flagged``: true, or a list beside the results, for what was blurred or blackened. ``total``:
    how many were asked for; ``gone``: finds something once the result was deleted; ``cut``: once
    it ends early; ``model``: who answered."""

    urls: Path | None = None
    base64: Path | None = None
    text: Path | None = None
    fetch: Target | None = None
    verdicts: frozenset[int] = frozenset()
    flagged: Path | None = None
    total: Path | None = None
    gone: Path | None = None
    cut: Path | None = None
    model: Path | None = None


@dataclass(frozen=True, slots=True)
class Cancel:
    """``counts``: the statuses with which the wish was heard. ``billed``: of a cancelled job."""

    target: Target
    counts: frozenset[int]
    billed: bool | None = None


@dataclass(frozen=True, slots=True)
class Callback:
    """``body`` and ``query`` are laid over the submit's where the provider is to call; ``rule``:
    how its calls are known. ``job_id``: where a call's body has it. ``secret``: where the answer of
    ``secret_from`` has what all calls are signed with; ``entered``: a person enters it;
    ``keys_url``: the vendor publishes its public keys there."""

    body: Template
    query: Mapping[str, Template]
    rule: CallbackRule
    job_id: Path | None = None
    secret_from: Target | None = None
    secret: Path | None = None
    entered: bool = False
    keys_url: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """The cheapest call. ``proves``: statuses besides 2xx that only a good key gets; ``shows``:
    what the answer holds if it is this provider's; ``model_target``: a call that finds the
    model."""

    target: Target | None = None
    proves: frozenset[int] = frozenset()
    shows: Path | None = None
    model_target: Target | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """Where the answer tells what it counted."""

    images: Path | None = None
    tokens: Path | None = None
    usage: Path | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Where the vendor's structured words and its sentence are, besides the usual places."""

    codes: Sequence[Path] = ()
    says: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class JobFile:
    """A whole one. ``file`` is its name on disk; ``profile`` judges calls,
    ``job_profile`` jobs that failed; ``bare_pictures``: pictures go in plain base64."""

    file: str
    preset: Preset
    capabilities: Capabilities
    profile: Profile
    job_profile: Profile
    words: Words
    key_hosts: Sequence[str]
    key_header: str
    key_prefix: str
    headers: Mapping[str, str]
    submit: Submit
    result: Result
    poll: Poll | None = None
    cancel: Cancel | None = None
    callback: Callback | None = None
    probe: Probe = field(default_factory=Probe)
    figures: Figures = field(default_factory=Figures)
    bare_pictures: bool = False

    @property
    def reference_rule(self) -> ReferenceRule | None:
        """Which reference pictures it takes."""
        return next(iter(self.capabilities.references), None)

    @property
    def params(self) -> tuple[Param, ...]:
        """The declared ones."""
        return self.capabilities.params


Found = Mapping[str, Any]
