"""SQLite's full-text search as it comes: porter stems, any word of the prompt, bm25 as it is set."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from bench.peers.base import MOST, Found, Memory, Peer, Tools, timed
from bench.peers.words import words


def peers() -> list[Peer]:
    return [
        Peer("FTS5 porter, any word", "file", _version, _files),
        Peer("FTS5 porter, any word", "entry", _version, _entries),
    ]


def _version(tools: Tools) -> str:
    return f"SQLite {sqlite3.sqlite_version} in one process"


def _files(tools: Tools, memory: Memory) -> Iterator[Found]:
    return _ask(memory, memory.notes.items())


def _entries(tools: Tools, memory: Memory) -> Iterator[Found]:
    return _ask(memory, ((entry.at, entry.text) for entry in memory.entries))


def _ask(memory: Memory, documents: Iterable[tuple[str, str]]) -> Iterator[Found]:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table said using fts5(place unindexed, text, tokenize = 'porter unicode61')")
    db.executemany("insert into said values (?, ?)", documents)

    def find(prompt: str) -> Sequence[str]:
        asked = " OR ".join(f'"{word}"' for word in words(prompt))
        query = "select place from said where said match ? order by bm25(said), rowid limit ?"
        return [row[0] for row in db.execute(query, (asked, MOST))] if asked else []

    yield from timed(memory, find)
    db.close()
