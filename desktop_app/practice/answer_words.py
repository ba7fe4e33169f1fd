"""What the practice server says to a question: that it is practice, and what was asked, in the
language of who asks."""

from __future__ import annotations

import re

_HAN = re.compile(r"[\u4e00-\u9fff]")

_MORE = (
    "No model wrote this: it comes from the practice server on your own computer, word by word, so "
    "that you can watch how an answer grows. With a real provider its own words would stand here. "
    "As soon as the server says that this was all, the answer is kept in a file, and from then on "
    "nothing can take it away: not a lost network, not a closed lid, not a full day's work on "
    "something else. "
    "In the result sheet it stands beside your own columns, in the row that asked for it."
)
_MORE_ZH = (
    "这段文字不是模型写的：它由您自己电脑上的练习服务器逐字发来，让您看到回答是怎样一点点出现的。"
    "换成真正的服务商，这里就是它的回答。服务器一说明回答到此为止，回答就存进文件，从此断网、合上电脑、"
    "忙别的事，都不会让它丢失。在结果表里，它就在提问的那一行，排在您自己的各列旁边。"
)


_ERRORS_ZH = {
    "quota": "当前配额已用完，请检查套餐和账单信息。",
    "softquota": "本秒的请求配额已用完，请 1 秒后重试。",
    "500": "服务器处理您的请求时出错。",
    "503": "服务当前负载过高，请稍后重试。",
    "504": "上游服务未能及时响应。",
    "moderate": "您的请求被我们的安全系统拒绝。",
    "model_error": "模型因出错而停止。",
}


def answer_to(prompt: str, number: str, *, at_length: bool) -> str:
    """One answer, in Chinese to who asks in Chinese; ``number`` tells several apart. ``at_length``:
    with more words."""
    if _HAN.search(prompt):
        head, more = f"练习回答{number}。您问的是：{prompt}", _MORE_ZH
    else:
        head, more = f"Practice answer{number}. You asked: {prompt}", _MORE
    return f"{head}\n\n{more}" if at_length else head


def error_to(prompt: str, kind: str) -> str | None:
    """What went wrong, to who asks in Chinese; None where the usual words serve."""
    return _ERRORS_ZH.get(kind) if _HAN.search(prompt) else None
