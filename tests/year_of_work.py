"""Builder: a home in which four agents worked for a year in two projects, with what they remember of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import year_memories
from machines import Machine
from other_programs import claude_mem
from pisources import write
from repositories import make_checkout

SESSIONS = 300
SHARES = {"claude": 140, "codex": 90, "gemini": 40, "pi": 30}
"""Sessions of each agent."""

_FIRST = datetime(2025, 11, 20, 8, tzinfo=UTC)
_URL = "https://git.example.org/ada/site.git"

_TALK = {
    "shop": (
        ("the {page} page is slow, where does the time go?", "Its query had no index; {file} has one now."),
        ("add a filter by {thing} to the {page} page", "Done in {file}, with a test."),
        ("why is {thing} empty for orders of guests?", "Guests have none; the template shows a dash now."),
        ("rename {thing} to {other} everywhere", "Renamed in {file} and eleven other files."),
        ("the linter complains about {file}", "It was an unused import. It passes now."),
        ("write a migration that drops {thing}", "Written. It keeps {other} until the next release."),
        ("explain what {file} does", "It computes {thing} from {other}, and caches it for an hour."),
        ("can you review my last commit?", "One remark: {thing} may be None in {file}."),
        ("customers see {other} twice in the {page} page", "A join lacked distinct; it is mended in {file}."),
        ("make the {page} page work without scripts", "It is a plain form now, enhanced by {file}."),
    ),
    "site": (
        ("the menu overlaps the {page} page on phones", "The grid had a fixed width; {file} is mended."),
        ("add a redirect from the old {page} page", "Added to {file}."),
        ("make a list of pages that mention {thing}", "There are seven, and two of them are drafts."),
        ("the link checker fails on {other}", "That page moved; I changed the link in {file}."),
        ("shorten the introduction of {file}", "It has two paragraphs now."),
        ("which pages have no description?", "Nine. I wrote one for each, from their first sentence."),
        ("the feed has {thing} twice", "It listed sections too; {file} filters them."),
        ("use the new logo in the {page} page", "Replaced, and the old one is removed."),
        ("explain how {file} chooses a layout", "By the section first, then by the kind of page."),
        ("sort the {page} page by date", "Done in {file}."),
    ),
}
"""What is said in sessions of each project, which nobody would want to remember."""

_WORDS = {
    "shop": {
        "page": ("cart", "checkout", "account", "product", "search", "order"),
        "thing": ("vat_number", "discount", "stock_level", "shipping_zone", "voucher", "wish_list"),
        "other": ("customer_group", "gift_card", "parcel", "refund", "supplier", "currency"),
        "file": ("cart/views.py", "orders/models.py", "catalogue/search.py", "accounts/forms.py"),
    },
    "site": {
        "page": ("landing", "pricing", "help", "team", "changelog", "imprint"),
        "thing": ("webhooks", "returns", "accounts", "vouchers", "shipping", "payments"),
        "other": ("the glossary", "the api reference", "the first steps", "the status page"),
        "file": ("layouts/list.html", "content/help/_index.md", "assets/main.css", "config/menus.toml"),
    },
}


@dataclass(frozen=True)
class Turn:
    """What a person asked, what the agent answered, and the file that it changed, of the checkout."""

    asked: str
    answered: str
    file: str


@dataclass(frozen=True)
class PastSession:
    """A session: `project` is the folder of its checkout in the home."""

    id: str
    project: str
    began: datetime
    turns: tuple[Turn, ...]

    def moment(self, number: int) -> str:
        """When its line of this number was written."""
        return (self.began + timedelta(seconds=40 * number)).strftime("%Y-%m-%dT%H:%M:%S.123Z")


def year_of_work(machine: Machine) -> Machine:
    """Give a machine before `init` the year: a second checkout, settings, transcripts, memories."""
    home = machine.home
    make_checkout(home / "site", _URL)
    write(home, year_memories.SETTINGS)
    for agent, sessions in past_sessions().items():
        for session in sessions:
            file, lines = _WRITERS[agent](home, session)
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            write(file.parent, {file.name: text})
            last = session.began.timestamp() + 600
            os.utime(file, (last, last))
    year_memories.leave(home)
    claude_mem(machine)
    return machine


def past_sessions() -> Mapping[str, list[PastSession]]:
    """The sessions of each agent, spread over the year; the same ones each time."""
    random = Random(300)
    agents = [agent for agent, share in SHARES.items() for _ in range(share)]
    random.shuffle(agents)
    sessions: dict[str, list[PastSession]] = {agent: [] for agent in SHARES}
    for number, agent in enumerate(agents):
        project = random.choice(("shop", "shop", "site"))
        began = _FIRST + timedelta(days=365 * number / SESSIONS, minutes=random.randrange(600))
        talk = random.sample(_TALK[project], random.randint(2, 5))
        name = str(UUID(int=random.getrandbits(128), version=4))
        sessions[agent].append(
            PastSession(name, project, began, tuple(_turn(random, project, t) for t in talk))
        )
    return sessions


def _turn(random: Random, project: str, talk: tuple[str, str]) -> Turn:
    words = {kind: random.choice(these) for kind, these in _WORDS[project].items()}
    return Turn(talk[0].format(**words), talk[1].format(**words), words["file"])


Lines = Iterable[Mapping[str, Any]]


def dashed(folder: Path) -> str:
    """A folder as Claude Code calls it."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in str(folder.resolve()))


def _claude(home: Path, session: PastSession) -> tuple[Path, Lines]:
    cwd = home / session.project
    numbers, before = count(), None

    def line(kind: str, content: object, **more: object) -> Mapping[str, Any]:
        nonlocal before
        number = next(numbers)
        name = f"{session.id[:24]}{number:012}"
        about = {"parentUuid": before, "isSidechain": False, "userType": "external", "cwd": str(cwd)}
        about |= {"sessionId": session.id, "version": "2.1.328", "gitBranch": "main", "type": kind}
        before = name
        message = {"role": kind, "content": content, **more}
        return about | {"message": message, "uuid": name, "timestamp": session.moment(number)}

    def lines() -> Iterator[Mapping[str, Any]]:
        for number, turn in enumerate(session.turns):
            yield line("user", turn.asked)
            tool, given = f"toolu_{session.id[:8]}{number}", {"file_path": str(cwd / turn.file)}
            call = {"type": "tool_use", "id": tool, "name": "Edit", "input": given}
            yield line("assistant", [call], id=f"msg_{session.id[:8]}{number}", model="claude-opus-4-6")
            yield line(
                "user", [{"type": "tool_result", "tool_use_id": tool, "content": "The file was updated."}]
            )
            text = [{"type": "text", "text": turn.answered}]
            yield line("assistant", text, id=f"msg_{session.id[:8]}{number}b", model="claude-opus-4-6")

    return home / ".claude/projects" / dashed(cwd) / f"{session.id}.jsonl", lines()


def _codex(home: Path, session: PastSession) -> tuple[Path, Lines]:
    cwd, turn_id = str(home / session.project), f"{session.id[:24]}ffffffffffff"
    numbers = count()

    def line(kind: str, payload: Mapping[str, object]) -> Mapping[str, Any]:
        number = next(numbers)
        return {"timestamp": session.moment(number), "ordinal": number, "type": kind, "payload": payload}

    def message(who: str, name: str, text: str) -> Mapping[str, Any]:
        form = "text" if who == "UserMessage" else "Text"
        item = {"type": who, "id": name, "content": [{"type": form, "text": text}]}
        about = {"type": "item_completed", "thread_id": session.id, "turn_id": turn_id, "item": item}
        return line("event_msg", about)

    def lines() -> Iterator[Mapping[str, Any]]:
        about = {"session_id": session.id, "id": session.id, "timestamp": session.moment(0), "cwd": cwd}
        yield line("session_meta", {**about, "originator": "codex_cli", "cli_version": "0.169.0"})
        for number, turn in enumerate(session.turns):
            yield message("UserMessage", f"{session.id}-u{number}", turn.asked)
            patch = f"*** Begin Patch\n*** Update File: {turn.file}\n@@\n-a\n+b\n*** End Patch"
            call = {"type": "custom_tool_call", "status": "completed", "call_id": f"call_{number}"}
            yield line("response_item", {**call, "name": "apply_patch", "input": patch})
            yield message("AgentMessage", f"msg_{session.id[:8]}{number}", turn.answered)

    day, moment = session.began.strftime("%Y/%m/%d"), session.began.strftime("%Y-%m-%dT%H-%M-%S")
    return home / f".codex/sessions/{day}/rollout-{moment}-{session.id}.jsonl", lines()


def _gemini(home: Path, session: PastSession) -> tuple[Path, Lines]:
    cwd = str(home / session.project)

    def lines() -> Iterator[Mapping[str, Any]]:
        began = session.moment(0)
        yield {"sessionId": session.id, "startTime": began, "lastUpdated": began, "kind": "main"}
        for number, turn in enumerate(session.turns):
            at, name = session.moment(number), f"{session.id[:24]}{number:011}"
            yield {"id": f"{name}0", "timestamp": at, "type": "user", "content": [{"text": turn.asked}]}
            edit = {"file_path": f"{cwd}/{turn.file}", "old_string": "a", "new_string": "b"}
            call = {
                "id": f"replace_{number}",
                "name": "replace",
                "status": "success",
                "timestamp": at,
                "args": edit,
            }
            answer = {"id": f"{name}1", "timestamp": at, "type": "gemini", "model": "gemini-2.5-flash"}
            yield {**answer, "content": turn.answered, "toolCalls": [call]}
            yield {"$set": {"lastUpdated": at}}

    moment = session.began.strftime("%Y-%m-%dT%H-%M")
    chats = home / f".gemini/tmp/{session.project}/chats"
    return chats / f"session-{moment}-{session.id[:8]}.jsonl", lines()


def _pi(home: Path, session: PastSession) -> tuple[Path, Lines]:
    cwd = str(home / session.project)

    def lines() -> Iterator[Mapping[str, Any]]:
        yield {"type": "session", "version": 3, "id": session.id, "timestamp": session.moment(0), "cwd": cwd}
        before = None
        for number, turn in enumerate(session.turns):
            call = {"type": "toolCall", "id": f"t{number}", "name": "edit", "arguments": {"path": turn.file}}
            spoken = (("user", [turn.asked]), ("assistant", [call, turn.answered]))
            for who, parts in spoken:
                name = f"{session.id[:6]}{number}{who[0]}"
                blocks = [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]
                about = {
                    "type": "message",
                    "id": name,
                    "parentId": before,
                    "timestamp": session.moment(number),
                }
                yield {**about, "message": {"role": who, "content": blocks}}
                before = name

    moment = session.began.strftime("%Y-%m-%dT%H-%M-%S-123Z")
    folder = f"--{cwd.strip('/').replace('/', '-')}--"
    return home / f".pi/agent/sessions/{folder}/{moment}_{session.id}.jsonl", lines()


_WRITERS: Mapping[str, Callable[[Path, PastSession], tuple[Path, Lines]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "pi": _pi,
}
"""Of each agent how it keeps a session: the file, and its lines."""
