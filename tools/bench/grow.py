"""Transcripts grown from real ones: their lines again and again, with other ids, moments and words.

A session is the lines of a real one: those before its first prompt once, those from there on `TURNS` times.
In each turn what the user said becomes 25 words, what the agent said 60, a command gets 8 words more, and
what a tool gave back becomes 500. All else stays.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.corpus import Author
from ctxrepo.agents.known import transcripts_of
from ctxrepo.agents.recorded import Message
from ctxrepo.storage.disk.recent import rows_of

TURNS = 40

_USER, _AGENT, _COMMAND, _RESULT = 25, 60, 8, 500
_HEAVY = 1000
"""Characters of a line that stands once in a session, if it is neither a message nor a result: instructions,
lists of tools, snapshots of a prompt."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHORT = re.compile(r'(?<="id":")[0-9a-f]{8}(?=")|(?<="parentId":")[0-9a-f]{8}(?=")')
_KEYED = re.compile(r"(?:ses|msg|prt)_[0-9a-zA-Z]{12,40}")
_DAY = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d")
_RESULTS = (
    '"tool_result"',
    '_call_output"',
    '"CommandExecution"',
    '"functionResponse"',
    '"tool.execution_complete"',
    '"toolResult"',
)
"""What stands in lines that hold what a tool gave back."""


@dataclass
class Words:
    """Words as rare as in real text, from a seed."""

    chance: random.Random = field(default_factory=lambda: random.Random(22))
    author: Author = field(default_factory=Author)

    def some(self, count: int) -> str:
        at = self.chance.randrange(len(self.author._run) - count)
        return " ".join(self.author._run[at : at + count])


def grow(agent: str, source: Path, folder: Path, size: int, words: Words) -> int:
    """Fill `folder`, the agent's own, with about `size` bytes of transcripts like `source`; how many."""
    return (_grow_rows if source.suffix == ".db" else _grow_files)(agent, source, folder, size, words)


def _grow_files(agent: str, source: Path, folder: Path, size: int, words: Words) -> int:
    lines = source.read_text("utf-8").splitlines()
    known = transcripts_of(agent)
    assert known
    messages = list(known.messages(lines))
    first = next(m.line for m in messages if m.who == "user")
    behind = list(enumerate(lines))[first:]
    kept = {m.line for m in messages} | {n for n, line in behind if any(mark in line for mark in _RESULTS)}
    turn = [line for n, line in behind if n in kept or len(line) <= _HEAVY]
    head = lines[:first] + [line for n, line in behind if n not in kept and len(line) > _HEAVY]
    session, changes = known.head(lines).id or source.stem, _Changes.of(messages, turn)
    done = count = 0
    while done < size:
        name = _other(session, words.chance)
        ids = {session: name}
        text = "\n".join(_renewed(line, ids, count, words.chance) for line in head) + "\n"
        for number in range(TURNS):
            ids = {session: name}
            changed = changes.drawn(words)
            text += "".join(
                _renewed(_replaced(line, changed), ids, count * TURNS + number, words.chance) + "\n"
                for line in turn
            )
        place = folder / _place(agent, source, session, name, count)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        done += len(text)
        count += 1
    return count


def _grow_rows(agent: str, source: Path, folder: Path, size: int, words: Words) -> int:
    """The same in a database: what is there is copied, and then the session is grown there."""
    known = transcripts_of(agent)
    assert known
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / source.name
    with closing(sqlite3.connect(source)) as db, closing(sqlite3.connect(place)) as copy:
        db.backup(copy)
    session = next(iter(rows_of(place, known.SESSIONS, {})))[0]
    lines = [row[0] for row in rows_of(place, known.QUERY, {"session": session, "since": "", "until": ""})]
    done = count = 0
    with closing(sqlite3.connect(place)) as db, db:
        tables = {
            "session": db.execute("select * from session where id = ?", (session,)).fetchall(),
            "message": db.execute(
                "select * from message where session_id = ? order by id", (session,)
            ).fetchall(),
            "part": db.execute("select * from part where session_id = ? order by id", (session,)).fetchall(),
        }
        texts = [str(cell) for row in tables["part"] for cell in row]
        changes = _Changes.of(list(known.messages(lines)), texts, ('"output"',))
        while done < size:
            name = _other(session, words.chance)
            for number in range(TURNS):
                ids, changed = {session: name}, changes.drawn(words)
                for table, rows in tables.items():
                    for row in rows if table != "session" or not number else ():
                        cells = [
                            _renewed(_replaced(c, changed), ids, count, words.chance, number)
                            if isinstance(c, str)
                            else c
                            for c in row
                        ]
                        done += sum(len(c) for c in cells if isinstance(c, str))
                        db.execute(f"insert into {table} values ({', '.join('?' * len(cells))})", cells)
            count += 1
    return count


@dataclass(frozen=True)
class _Changes:
    """Texts as JSON spells them, with how many words take the place of each; of a command they are added."""

    texts: Mapping[str, int]
    commands: Sequence[str]
    paths: Sequence[str]

    @classmethod
    def of(
        cls, messages: Sequence[Message], turn: Sequence[str], marks: Sequence[str] = _RESULTS
    ) -> _Changes:
        texts = {_spelled(m.text): _USER if m.who == "user" else _AGENT for m in messages if m.text}
        commands = [_spelled(tool.command) for m in messages for tool in m.tools if tool.command]
        paths = [_spelled(path) for m in messages for tool in m.tools for path in tool.paths]
        for line in turn:
            if any(mark in line for mark in marks):
                prose = [text for text in _strings(line) if _spelled(text) not in (*texts, *commands, *paths)]
                texts |= {_spelled(max(prose, key=len)): _RESULT} if prose else {}
        return cls(texts, commands, paths)

    def drawn(self, words: Words) -> list[tuple[str, str]]:
        """What is to be replaced in a turn by what, the longest first."""
        pairs = [(text, words.some(count)) for text, count in self.texts.items()]
        pairs += [(command, f"{command} {words.some(_COMMAND)}") for command in self.commands]
        pairs += [(path, f"{Path(path).parent}/{words.some(1)}.py") for path in self.paths]
        return sorted(dict(pairs).items(), key=lambda pair: -len(pair[0]))


def _strings(line: str) -> Iterator[str]:
    """All texts of a line with a blank or a line's end in them."""
    waiting: list[Any] = [json.loads(line)] if line.startswith(("{", "[")) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, str) and re.search(r"\s", node):
            yield node
        elif isinstance(node, dict | list):
            waiting += node.values() if isinstance(node, dict) else node


def _spelled(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _replaced(text: str, changed: Sequence[tuple[str, str]]) -> str:
    for number, (old, _) in enumerate(changed):
        if old:
            text = text.replace(f'"{old}"', f'"\0{number}\0"').replace(old, f"\0{number}\0")
    return re.sub("\0(\\d+)\0", lambda match: changed[int(match[1])][1], text)


def _renewed(text: str, ids: dict[str, str], minute: int, chance: random.Random, order: int = 0) -> str:
    """The text with other ids, the same for the same, and at another moment."""

    def other(match: re.Match[str]) -> str:
        return ids.setdefault(match[0], _other(match[0], chance, order))

    for pattern in (_UUID, _SHORT, _KEYED):
        text = pattern.sub(other, text)
    day, rest = divmod(minute, 600)
    moment = f"2026-{1 + day // 28 % 10:02}-{1 + day % 28:02}T{8 + rest // 60:02}:{rest % 60:02}"
    return _DAY.sub(moment, text)


def _other(name: str, chance: random.Random, order: int = 0) -> str:
    """An id of the same form; those of a database come in the order of their turns."""
    if "_" in name:
        kind, _, rest = name.partition("_")
        return f"{kind}_{order:04}{rest[4:-8]}{chance.getrandbits(32):08x}"
    return re.sub(r"[0-9a-f]", lambda _: f"{chance.getrandbits(4):x}", name)


def _place(agent: str, source: Path, session: str, name: str, count: int) -> Path:
    """Where a session's file belongs below its agent's folder."""
    return {
        "claude": Path("projects", f"-home-ada-p{count % 20}", f"{name}.jsonl"),
        "codex": Path(
            "sessions", "2026", "10", f"{1 + count % 28:02}", f"rollout-2026-10-01T10-00-00-{name}.jsonl"
        ),
        "gemini": Path(f"p{count % 20}", "chats", f"session-2026-10-01T10-{count:05}-{name[:8]}.jsonl"),
        "copilot": Path("session-state", name, "events.jsonl"),
        "pi": Path(f"--home-ada-p{count % 20}--", f"2026-10-01T10-00-00-000Z_{name}.jsonl"),
    }[agent]
