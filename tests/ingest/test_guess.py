from __future__ import annotations

import pytest

from desktop_app.ingest.guess import guess_columns


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        (("SKU", "Prompt", "Size"), {"prompt": "Prompt", "key": "SKU", "size": "Size"}),
        (("货号", "提示词", "尺寸"), {"prompt": "提示词", "key": "货号", "size": "尺寸"}),
        (("ID", "描述", "质量"), {"prompt": "描述", "key": "ID", "quality": "质量"}),
        (("编码", "商品提示词"), {"prompt": "商品提示词", "key": "编码"}),
        (("negative prompt", "image_prompt"), {"prompt": "image_prompt"}),
        (("反向提示词", "标题"), {}),
        (("system prompt", "question"), {"prompt": "question", "system": "system prompt"}),
        (("text", "prompt", "lane", "user"), {"prompt": "prompt"}),
        (("尺寸 (px)", "Prompt:"), {"prompt": "Prompt:", "size": "尺寸 (px)"}),
        (("番号", "プロンプト", "サイズ"), {"prompt": "プロンプト"}),
        (("ネガティブプロンプト", "画像プロンプト"), {"prompt": "画像プロンプト"}),
        (("提示語", "備考"), {"prompt": "提示語"}),
        (("指令", "备注"), {"prompt": "指令"}),
        (("Prompts", "note"), {"prompt": "Prompts"}),
        (("image prompt", "note"), {"prompt": "image prompt"}),
        (("anything",), {"prompt": "anything"}),
        (("Model", "Prompt", "模型"), {"prompt": "Prompt"}),
        (("a", "b"), {}),
    ],
)
def test_names_tell_what_columns_mean(columns: tuple[str, ...], guess: dict[str, str]) -> None:
    assert guess_columns(columns) == guess
