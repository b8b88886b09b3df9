"""What was decided in some sessions, and how people ask for it later: read from `*.topics`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_NAME = re.compile(r"\[([\w-]+)\] (\w\w)")
_DECISION = re.compile(r"\[\[(.*?)\]\]")
_WHO = {"u": "user", "a": "agent"}


@dataclass(frozen=True)
class Topic:
    """`talk` is what was said, (who, text) each; `decision` the sentence of it that decides. `asides` say
    other things in the same words."""

    name: str
    language: str
    question: str
    keywords: str
    talk: Sequence[tuple[str, str]]
    decision: str
    asides: Sequence[str]


@dataclass
class _Block:
    question: str = ""
    keywords: str = ""
    decision: str = ""
    talk: list[tuple[str, str]] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)


def read_topics(file: Path) -> Iterator[Topic]:
    for text in re.split(r"\n\s*\n", file.read_text("utf-8")):
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        head = _NAME.fullmatch(lines[0]) if lines else None
        if not head:
            continue
        block = _Block()
        for line in lines[1:]:
            _add(block, *line.split(" ", 1))
        assert block.decision, f"{head[1]} decides nothing"
        yield Topic(
            head[1], head[2], block.question, block.keywords, block.talk, block.decision, block.asides
        )


def _add(block: _Block, mark: str, text: str) -> None:
    if mark == "?":
        block.question = text
    elif mark == "=":
        block.keywords = text
    elif mark == "~":
        block.asides.append(text)
    else:
        if decision := _DECISION.search(text):
            block.decision = decision[1]
        block.talk.append((_WHO[mark], _DECISION.sub(r"\1", text).replace("\\n", "\n")))
