"""What an adapter can do, told as data, so that nobody asks for its name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from desktop_app.domain.money import PriceUnit
from desktop_app.domain.references import is_reference


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter an adapter understands: its name, type and the values a form may offer.
    ``hidden``: another name of one that the form offers already. ``models``: a pattern of the names
    of models that take it; where several of one name fit a model, the first does."""

    name: str
    kind: str  # "text", "int", "float", "choice", "bool", "json", "reference"
    choices: tuple[str, ...] = ()
    label: str = ""
    hidden: bool = False
    models: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceRule:
    """Which reference pictures models take whose name holds the pattern ``models``: at most
    ``most`` a request (0: none), each of one of ``mimes`` and at most ``max_bytes`` large;
    ``square``: as wide as it is high. ``urls``: the provider fetches an address itself; where it
    doesn't, the adapter does before the call."""

    most: int
    mimes: tuple[str, ...] = ()
    max_bytes: int = 0
    square: bool = False
    urls: bool = False
    models: str = ""

    @property
    def most_mb(self) -> str:
        """``max_bytes`` as a person reads it: some models take less than one megabyte."""
        return in_mb(self.max_bytes)


def in_mb(size: int) -> str:
    """Bytes as megabytes, rounded up so that what is larger never reads as the same."""
    step = 1_000_000 if size >= 10_000_000 else 100_000 if size >= 1_000_000 else 10_000
    return f"{-(-size // step) * step / 1_000_000:g}"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an adapter can do; the engine decides from this, never from the adapter's name.

    ``idempotent_s``: how long the provider honours an idempotency key, None where it doesn't.
    ``makes``: ``picture`` or ``text``. ``default_timeout_s``: the hard read deadline, which for a
    job ends with its ``submit``.

    ``several_results``: parameter ``n`` asks for that many results of one call, so that fewer are
    told as a result in part.

    ``stream``: answers may be heard while they come, see ``Call.peek``.

    ``references``: the first rule that fits a model says which reference pictures it takes.

    ``jobs``: ``submit`` may return a Job, and the adapter is a JobAdapter; ``cancel``: a job can
    be cancelled; ``calls_back``: it is a CallbackAdapter; ``askable``: it is an AskableAdapter. Of
    jobs: ``polls_many`` of them fit in one ``poll``; one usually takes ``typical_job_s``; where the
    provider calls back, it is polled after ``poll_after_s`` all the same; ``job_deadline_s`` after
    its start nobody waits any longer; a provider that says for ``lost_after_s`` that it knows no
    such job has lost it (longer than it may take until a new job is seen everywhere; 0: at once).
    ``callback_secret_entered``: a person enters with what it signs its calls, as they enter a key.

    ``price_units``: for what a price can be counted, since an answer tells how much there was.

    ``tells_limits``: the headers of an answer tell the account's limits, see ``RateNews``.
    """

    makes: str
    default_timeout_s: float
    idempotent_s: float | None = None
    askable: bool = False
    cancel: bool = False
    jobs: bool = False
    calls_back: bool = False
    params: tuple[Param, ...] = ()
    polls_many: int = 1
    typical_job_s: float = 30.0
    poll_after_s: float = 180.0
    job_deadline_s: float = 86_400.0
    lost_after_s: float = 600.0
    several_results: bool = False
    stream: bool = False
    references: tuple[ReferenceRule, ...] = ()
    callback_secret_entered: bool = False
    price_units: tuple[PriceUnit, ...] = tuple(PriceUnit)
    tells_limits: bool = False

    def of(self, model: str) -> Capabilities:
        """What this model can do: with the one rule for reference pictures that is its own, or
        with none, with the parameters that it takes, and no more of them for pictures than it
        takes pictures."""
        fitting = (r for r in self.references if re.search(r.models, model, re.IGNORECASE))
        rule = next(fitting, ReferenceRule(0))
        shown = [param.name for param in self.params if is_reference(param.name)]
        gone = set(shown[rule.most :])
        taken: dict[str, Param] = {}
        for param in self.params:
            if param.name not in gone and re.search(param.models, model, re.IGNORECASE):
                taken.setdefault(param.name, param)
        params = tuple(taken.values())
        return replace(
            self,
            references=(rule,) if rule.most else (),
            params=self.params if params == self.params else params,
        )
