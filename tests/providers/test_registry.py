from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Adapters
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.providers import registry as module
from desktop_app.providers.profiles import GENERIC, profile_of
from desktop_app.providers.registry import GROUP, AdapterRegistry

BUILT_IN = (
    "anthropic-messages",
    "comfyui",
    "gemini",
    "http-job",
    "openai-chat",
    "openai-images",
)


def test_it_is_what_the_port_asks_for() -> None:
    registry: Adapters = AdapterRegistry()
    assert registry.names() == BUILT_IN
    assert registry.capabilities("openai-images").makes == "picture"
    assert registry.capabilities("openai-chat").makes == "text"
    assert registry.capabilities("openai-images").default_timeout_s == 600
    assert registry.capabilities("openai-chat").default_timeout_s == 300


def test_a_checkout_that_was_never_installed_has_the_built_in_adapters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "entry_points", lambda group: EntryPoints())
    assert AdapterRegistry().names() == BUILT_IN
    assert AdapterRegistry().capabilities("openai-chat").makes == "text"


def test_a_package_beside_this_one_brings_its_own_adapter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = "desktop_app.providers.adapters.openai_chat:ADAPTER"
    found = EntryPoints([EntryPoint("mine", other, GROUP), EntryPoint("gone", "no.such:X", GROUP)])
    monkeypatch.setattr(module, "entry_points", lambda group: found)
    registry = AdapterRegistry()
    assert registry.names() == tuple(sorted((*BUILT_IN, "gone", "mine")))
    assert registry.capabilities("mine").makes == "text"
    with pytest.raises(OperatorError) as caught:
        registry.capabilities("gone")
    assert "can't be loaded" in Translator().say(caught.value.message)


def test_an_unknown_adapter_is_said_with_what_there_is() -> None:
    with pytest.raises(OperatorError) as caught:
        AdapterRegistry().open(Connection("c", "nobody", "http://x", "m"), None)
    assert "openai-chat, openai-images" in Translator().say(caught.value.message)


def test_presets_are_whole() -> None:
    presets = {preset.id: preset for preset in AdapterRegistry().presets()}
    assert set(presets) == {
        "openai-images",
        "openai-chat",
        "anthropic",
        "ark-chat",
        "ark-seedream",
        "comfyui",
        "dashscope-chat",
        "deepseek",
        "gemini-images",
        "gemini-text",
        "imagen",
        "openrouter",
        "litellm",
        "vllm",
        "ollama",
        "llamacpp",
    }
    for preset in presets.values():
        connection = Connection("c", preset.adapter, preset.base_url, preset.models[0])
        assert preset.models
        assert preset.currency in ("USD", "CNY")
        assert preset.limits_unit in ("qps", "rpm", "ipm")
        assert preset.price_unit in ("call", "image", "1k-tokens", "1m-tokens")
        assert preset.needs_key is (profile_of(connection) is not GENERIC)
        assert preset.needs_key is not connection.is_loopback
    assert presets["ark-seedream"].extra == {"watermark": False}
    assert presets["ark-seedream"].params == {"size": "2K"}


@pytest.mark.parametrize(
    ("url", "preset", "name"),
    [
        ("https://api.openai.com/v1", None, "openai"),
        ("https://ark.ap-southeast.bytepluses.com/api/v3", None, "ark"),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "openai-chat", "dashscope"),
        ("https://openrouter.ai/api/v1", None, "openrouter"),
        ("https://evilapi.openai.com.example/v1", None, "generic"),
        ("http://10.0.0.5:8080/v1", "llamacpp", "llamacpp"),
        ("http://127.0.0.1:11434/v1", "ollama", "ollama"),
        ("http://127.0.0.1:5000/v1", None, "generic"),
    ],
)
def test_the_vendor_is_known_by_its_host(url: str, preset: str | None, name: str) -> None:
    assert profile_of(Connection("c", "a", url, "m", preset=preset)).name == name
