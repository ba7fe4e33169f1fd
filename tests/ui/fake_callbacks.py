"""Who lets providers call, without anybody who listens."""

from __future__ import annotations

from dataclasses import dataclass, field

from desktop_app.domain.text import Message


@dataclass
class FakeCallbacks:
    """Presets named in ``calling`` call, those in ``signing`` with a secret that is entered."""

    calling: set[str] = field(default_factory=set)
    signing: set[str] = field(default_factory=set)
    trouble: Message | None = None
    applied: int = 0
    secrets: dict[int, str] = field(default_factory=dict)

    def can_call(self, adapter: str, preset: str | None) -> bool:
        return preset in self.calling

    def wants_secret(self, adapter: str, preset: str | None) -> bool:
        return preset in self.signing

    async def apply(self) -> Message | None:
        self.applied += 1
        return self.trouble

    async def set_secret(self, connection_id: int, secret: str) -> Message | None:
        self.secrets[connection_id] = secret
        return None
