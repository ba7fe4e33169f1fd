"""Finds the vendor behind a connection, whose words are then taken in the vendor's sense."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from desktop_app.domain.connection import Connection
from desktop_app.providers.http.proxies import is_loopback
from desktop_app.providers.profiles.anthropic import ANTHROPIC
from desktop_app.providers.profiles.ark import ARK
from desktop_app.providers.profiles.dashscope import DASHSCOPE
from desktop_app.providers.profiles.deepseek import DEEPSEEK
from desktop_app.providers.profiles.gemini import GEMINI
from desktop_app.providers.profiles.litellm import LITELLM
from desktop_app.providers.profiles.local import LLAMACPP, OLLAMA
from desktop_app.providers.profiles.openai import OPENAI
from desktop_app.providers.profiles.openrouter import OPENROUTER
from desktop_app.providers.profiles.rule import Profile
from desktop_app.providers.profiles.vllm import VLLM

GENERIC = Profile("generic", rules=(*OLLAMA.rules, *LLAMACPP.rules, *LITELLM.rules, *VLLM.rules))
"""A server nobody introduced: all words whose sense is the same wherever they are said."""

PROFILES: tuple[Profile, ...] = (
    OPENAI,
    ANTHROPIC,
    GEMINI,
    ARK,
    DASHSCOPE,
    DEEPSEEK,
    OPENROUTER,
    OLLAMA,
    LLAMACPP,
    LITELLM,
    VLLM,
)

_BY_PRESET = {"ollama": OLLAMA, "llamacpp": LLAMACPP, "litellm": LITELLM, "vllm": VLLM}


def profile_of(connection: Connection) -> Profile:
    """The vendor by host; then by preset, for servers that may run anywhere; else GENERIC."""
    name = urlsplit(connection.base_url).hostname or ""
    if not is_loopback(name):
        for profile in PROFILES:
            if any(name == host or name.endswith(f".{host}") for host in profile.hosts):
                return profile
    return _BY_PRESET.get(connection.preset or "", GENERIC)


def seen_in(headers: Mapping[str, str], known: Profile) -> Profile:
    """A generic server that gives its name in an answer is judged by that name."""
    if known is not GENERIC:
        return known
    if headers.get("server", "").startswith("llama.cpp"):
        return LLAMACPP
    return LITELLM if "x-litellm-call-id" in headers else known
