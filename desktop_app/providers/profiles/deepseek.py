"""DeepSeek: plain statuses; 402 is an empty purse."""

from __future__ import annotations

from desktop_app.providers.profiles.chat import STREAMS
from desktop_app.providers.profiles.rule import Profile

DEEPSEEK = Profile("deepseek", hosts=("api.deepseek.com",), needs_key=True, chat=STREAMS)
