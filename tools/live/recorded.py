"""What an agent sent to the model, where in it a text stands, and whether each request continues the last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_BLOCK = re.compile(r'<ctxrepo-memory tag="(\w+)">\n(.*?)</ctxrepo-memory tag="\1">', re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """A request as the model reads it: each part in one spelling, so that equal means the same."""

    system: str
    tools: str
    messages: tuple[str, ...]
    texts: tuple[tuple[str, tuple[str, ...]], ...]
    """(role, its texts in order), one for each message."""

    @property
    def offers_tools(self) -> bool:
        return self.tools != "[]"


@dataclass(frozen=True)
class Request:
    """One call of the model; `at` and `answered` are moments of the monotonic clock, in seconds."""

    number: int
    at: float
    prompt: Prompt


def break_between(before: Prompt, after: Prompt) -> str:
    """'' when `after` is `before` and more behind it, which is what a provider's cache of prompts can use;
    else what isn't as it was."""
    if before.system != after.system:
        return f"the system prompt changed at character {_parting(before.system, after.system)}"
    if before.tools != after.tools:
        return f"the tools changed at character {_parting(before.tools, after.tools)}"
    for number, message in enumerate(before.messages):
        if number >= len(after.messages):
            return f"only {number} of {len(before.messages)} messages are left"
        if after.messages[number] != message:
            at = _parting(message, after.messages[number])
            return f"message {number} changed at character {at}: {message[max(0, at - 20) : at + 40]!r}"
    return ""


def is_more_of(before: Prompt, after: Prompt) -> bool:
    """Whether `after` has the messages of `before` and more behind them, whatever tools it offers."""
    return after.messages[: len(before.messages)] == before.messages


def breaks(prompts: Sequence[Prompt]) -> list[str]:
    """All breaks along a conversation, each with the number of the prompt where it came."""
    gaps = [break_between(before, after) for before, after in pairwise(prompts)]
    return [f"request {number}: {what}" for number, what in enumerate(gaps, 2) if what]


def blocks(texts: Sequence[str]) -> list[str]:
    """The contents of our blocks in these texts; one whose seal isn't closed as it was opened is none."""
    return [match[2] for text in texts for match in _BLOCK.finditer(text)]


def without_blocks(texts: Sequence[str]) -> list[str]:
    """These texts without our blocks."""
    return [_BLOCK.sub("", text) for text in texts]


def added(before: Prompt | None, after: Prompt) -> list[str]:
    """The texts of the messages that are behind those of `before`, in order, the model's own left out."""
    known = len(before.messages) if before else 0
    return [text for role, texts in after.texts[known:] if role != "assistant" for text in texts]


def place_of(words: str, texts: Sequence[str]) -> int:
    """Which text holds these words first; -1 for none."""
    return next((number for number, text in enumerate(texts) if words in text), -1)


def _parting(before: str, other: str) -> int:
    return next(
        (i for i, (a, b) in enumerate(zip(before, other, strict=False)) if a != b),
        min(len(before), len(other)),
    )
