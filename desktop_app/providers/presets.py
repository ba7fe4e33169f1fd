"""Known providers, so that an operator only has to bring a key."""

from __future__ import annotations

from desktop_app.domain.ports import Preset
from desktop_app.domain.wording.providers import N_

PRESETS: tuple[Preset, ...] = (
    Preset(
        id="openai-images",
        label=N_("OpenAI (images)"),
        adapter="openai-images",
        base_url="https://api.openai.com/v1",
        models=("gpt-image-1.5", "gpt-image-1", "gpt-image-1-mini", "gpt-image-2", "dall-e-3"),
        console_url="https://platform.openai.com/settings/organization/limits",
        limits_unit="ipm",
    ),
    Preset(
        id="openai-chat",
        label=N_("OpenAI (text)"),
        adapter="openai-chat",
        base_url="https://api.openai.com/v1",
        models=("gpt-5-mini", "gpt-5", "gpt-4.1-mini", "gpt-4.1", "gpt-4o-mini"),
        console_url="https://platform.openai.com/settings/organization/limits",
        price_unit="1k-tokens",
        concurrency=8,
    ),
    Preset(
        id="ark-seedream",
        label=N_("Volcengine Ark Seedream (火山方舟)"),
        adapter="openai-images",
        base_url="https://ark.cn-beijing.volces.com/api/v3",
        models=("doubao-seedream-4-5-251128", "doubao-seedream-4-0-250828"),
        console_url="https://console.volcengine.com/ark",
        limits_unit="ipm",
        currency="CNY",
        params={"size": "2K"},
        extra={"watermark": False},
    ),
    Preset(
        id="dashscope-chat",
        label=N_("DashScope (阿里云百炼)"),
        adapter="openai-chat",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        models=("qwen-plus", "qwen-max", "qwen-turbo", "qwen-long"),
        console_url="https://bailian.console.aliyun.com/",
        price_unit="1k-tokens",
        currency="CNY",
        concurrency=8,
    ),
    Preset(
        id="deepseek",
        label=N_("DeepSeek"),
        adapter="openai-chat",
        base_url="https://api.deepseek.com/v1",
        models=("deepseek-chat", "deepseek-reasoner"),
        console_url="https://platform.deepseek.com/usage",
        price_unit="1k-tokens",
        currency="CNY",
        concurrency=8,
    ),
    Preset(
        id="ollama",
        label=N_("Ollama (this computer)"),
        adapter="openai-chat",
        base_url="http://127.0.0.1:11434/v1",
        models=("qwen3", "llama3.2", "gemma3"),
        console_url="https://ollama.com/library",
        needs_key=False,
        price_unit="call",
        concurrency=1,
    ),
    Preset(
        id="comfyui",
        label=N_("ComfyUI (this computer)"),
        adapter="comfyui",
        base_url="http://127.0.0.1:8188",
        models=("workflow_api.json",),
        needs_key=False,
        # One is worked on, and the next one waits there.
        concurrency=2,
    ),
    Preset(
        id="llamacpp",
        label=N_("llama.cpp (this computer)"),
        adapter="openai-chat",
        base_url="http://127.0.0.1:8080/v1",
        models=("default",),
        needs_key=False,
        price_unit="call",
        concurrency=1,
    ),
)


def preset_of(preset_id: str | None) -> Preset | None:
    """The preset of that id."""
    return next((preset for preset in PRESETS if preset.id == preset_id), None)
