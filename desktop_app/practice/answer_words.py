"""What the practice server says to a question: that it is practice, and what was asked."""

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


def answer_to(prompt: str, number: str, *, at_length: bool) -> str:
    """One answer; ``number`` tells several apart. ``at_length``: with more words, in Chinese to who
    asks in Chinese."""
    if not at_length:
        return f"Practice answer{number}. You asked: {prompt}"
    if _HAN.search(prompt):
        return f"练习回答{number}。您问的是：{prompt}\n\n{_MORE_ZH}"
    return f"Practice answer{number}. You asked: {prompt}\n\n{_MORE}"
