"""How a vendor's chat differs from the others', as data, so that no vendor is named in code."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatWays:
    """What a server understands beyond a plain question. The values here are those of one that
    nobody knows: it is asked for nothing that a strict server would refuse.

    ``streams``: answers come word by word unless somebody wants them whole. ``stream_usage``: it
    counts tokens in a stream too where ``stream_options`` asks for it; without, streaming would
    leave a paid call without its price. ``unstreamed``: a pattern of models that are not streamed
    unless somebody wants it. ``json_schema``: it takes a schema in ``response_format``; else the
    model is told it in words. ``counts_one``: of several answers it counts the words of one.
    ``cuts_prompts``: it leaves out what is too long of a prompt, and says nothing of it.
    """

    streams: bool = False
    stream_usage: bool = False
    unstreamed: str = ""
    json_schema: bool = False
    counts_one: bool = False
    cuts_prompts: bool = False

    def streams_by_itself(self, model: str) -> bool:
        """Whether this model's answers are streamed where nobody said how."""
        if not (self.streams and self.stream_usage):
            return False
        return not (self.unstreamed and re.search(self.unstreamed, model, re.IGNORECASE))


ASKED_FOR_NOTHING = ChatWays()
STREAMS = ChatWays(streams=True, stream_usage=True)
STREAMS_AND_SCHEMAS = ChatWays(streams=True, stream_usage=True, json_schema=True)
