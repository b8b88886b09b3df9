"""Codex' memories: a handbook in groups of tasks, each for the folder that it says it applies to.

The form is that of openai/codex, codex-rs/memories/write/templates/memories/consolidation.md, of
August 2026."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from ctxrepo.agents.codex.install import folder
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.lazy import lazy_pattern
from ctxrepo.sources.facts import SourceFact, contents_of_facts, read_text_file, words_of
from ctxrepo.sources.source import NotTaken, SourceContents, SourceSearch, source_at

NAME = "codex-memory"

HANDBOOK = "MEMORY.md"

_SECTIONS = {
    "user preferences": "preference",
    "reusable knowledge": "fact",
    "failures and how to do differently": "gotcha",
}
"""The sections of a group whose bullets are facts, and the category of each."""

_GROUP = lazy_pattern(r"(?m)^# Task Group:.*$")
_HEADING = lazy_pattern(r"(?m)^## .*$")
_FOLDER = lazy_pattern(r"(?m)^applies_to:.*?\bcwd=(.+?)(?:;|(?<![ \t])[ \t]++and[ \t]|$)")
_KEYWORDS = lazy_pattern(r"(?m)^### keywords[ \t]*\n+-[ \t]+(.+)$")
_MOMENT = lazy_pattern(r"updated_at=([0-9T:.+-]+Z?)")
_TASK = lazy_pattern(r" ?\[(?:Task[ \t]+(\d+)|ad-hoc note)\]")

_MOST_TAGS = 3
"""Keywords of its tasks that an entry gets as tags."""

_REST = NotTaken(
    "its summary, rollout summaries, raw memories and skills",
    "what its handbook was made from, or says shorter",
)


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """What is in the handbook in this folder, or in the file itself."""
    is_folder = search.files.is_folder(place)
    text = read_text_file(search, place / HANDBOOK if is_folder else place) or ""
    facts = [fact for group in _between(_GROUP, text) for fact in _facts(group)]
    return contents_of_facts(search, NAME, place, facts, [_REST] if is_folder and facts else [])


SOURCES = (source_at(NAME, lambda search: [folder(search.home, search.env) / "memories"], read),)


def _between(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """The parts of a text that begin with what the pattern finds."""
    starts = [match.start() for match in pattern.finditer(text)]
    yield from (text[start:end] for start, end in pairwise([*starts, len(text)]))


def _facts(group: str) -> Iterator[SourceFact]:
    """The facts of a group of tasks, which says for which folder they are."""
    applies = _FOLDER.search(group)
    when = max(_MOMENT.findall(group), default="")
    keywords: dict[str, list[str]] = {}
    for section in _between(_HEADING, group):
        heading, _, body = section.partition("\n")
        title = heading.lstrip("# ").strip().casefold()
        if title.startswith("task "):
            match = _KEYWORDS.search(section)
            keywords[title.split()[1].rstrip(":")] = words_of(match[1]) if match else []
        for entry in entries_of("", body) if title in _SECTIONS else ():
            tasks = [number for number in _TASK.findall(entry.plain) if number]
            tags = [tag for number in tasks for tag in keywords.get(number, ()) if tag.isalnum()]
            yield SourceFact(
                _TASK.sub("", entry.plain),
                category=_SECTIONS[title],
                tags=tags[:_MOST_TAGS],
                project=applies[1].strip(" `\"'") if applies else "",
                when=when,
            )
