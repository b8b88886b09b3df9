"""The tools that a host is offered: each is an operation, or two, and what of its result is told.

What a host is told of them is in tools.json. One that reads answers a quotation from memory; one that writes
answers a line that names the place, and the same as fields."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.project.layout import GLOBAL, PROJECT, scope_of, visible
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.faces.mcp.answers import MOST_BYTES, ToolAnswer, lines_of, quotation
from ctxrepo.faces.mcp.arguments import checked
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

Arguments = Mapping[str, Any]

HITS = 20
"""Hits of a search that are looked for unless a host says how many."""

INDEX, HANDOFF = "index", "handoff"
"""What `read` takes beside notes and entries."""


@dataclass(frozen=True)
class Tool:
    """A tool: what hosts are told of it, and what it does with checked arguments."""

    definition: Mapping[str, Any]
    run: Callable[[Desk, Arguments], ToolAnswer]

    @property
    def reads(self) -> bool:
        """Whether it only reads."""
        return bool(self.definition["annotations"]["readOnlyHint"])


@dataclass(frozen=True)
class ToolRequest:
    """A tool, and the arguments that a host passes to it, as they came."""

    tool: Tool
    arguments: Arguments


def perform(desk: Desk, request: ToolRequest) -> ToolAnswer:
    """Run a tool; UsageError for arguments that don't fit, and what its operation raises."""
    tool = request.tool
    return tool.run(desk, checked(tool.definition["inputSchema"], request.arguments))


def read_tools(file: str, runs: Mapping[str, Callable[[Desk, Arguments], ToolAnswer]]) -> dict[str, Tool]:
    """The tools of which a file beside this one tells, by name, in its order."""
    text = Path(__file__).with_name(file).read_text("utf-8")
    return {each["name"]: Tool(each, runs[each["name"]]) for each in json.loads(text)}


def recall(desk: Desk, arguments: Arguments) -> ToolAnswer:
    """Entries that bear on a task."""
    from ctxrepo.app.sessions.recall import MemoryRecallRequest, recall
    from ctxrepo.app.views.hits import recalled_entries
    from ctxrepo.services.recall.recall import LIMIT, Question

    question = Question(arguments["text"], limit=arguments.get("limit", LIMIT), budget=MOST_BYTES)
    result = desk.perform(recall, MemoryRecallRequest(question, arguments.get("scope", "")))
    if result.error:
        raise result.error
    if not result.value.hits:
        return quotation(desk, f"Nothing was recalled: {result.value.reason}.", [])
    return quotation(desk, "", recalled_entries(result.value), unit="")


def search(desk: Desk, arguments: Arguments, unit: str = "hit") -> ToolAnswer:
    """Words in notes, or in past sessions. `unit` as in `quotation`."""
    if arguments.get("where") == "sessions":
        return _search_sessions(desk, arguments)
    from ctxrepo.app.notes import browsing
    from ctxrepo.app.views.hits import hit_line
    from ctxrepo.services.reading.searching import SearchQuery

    first, limit = arguments.get("from", 1), arguments.get("limit", HITS)
    tags = (arguments["tag"],) if "tag" in arguments else ()
    query = SearchQuery(arguments["query"], tags, arguments.get("scope", ""))
    try:
        hits = desk.perform(browsing.search, browsing.SearchRequest(query, first - 1 + limit)).value
    except NotFound as nothing:
        return quotation(desk, sentence(nothing.message), [])
    return quotation(desk, "", [*map(hit_line, hits)], first, unit)


def _search_sessions(desk: Desk, arguments: Arguments) -> ToolAnswer:
    if "tag" in arguments:
        raise UsageError("no session has a tag", "`tag` is about notes.")
    from ctxrepo.app.sessions.past_search import FRAME, SessionsRequest, search_sessions
    from ctxrepo.app.views.hits import session_hits
    from ctxrepo.services.sessions.session_search import SessionQuery

    first, limit = arguments.get("from", 1), arguments.get("limit", HITS // 2)
    # Every session is of a project, so that "global" is every project's.
    folders = {PROJECT: desk.project.folder if desk.project else "", GLOBAL: ""}
    scope: str = arguments.get("scope", "")
    query = SessionQuery(arguments["query"], project=folders.get(scope, scope), limit=first - 1 + limit)
    try:
        sessions = desk.perform(search_sessions, SessionsRequest(query)).value
    except NotFound as nothing:
        return quotation(desk, sentence(nothing.message), [], frame=FRAME)
    return quotation(desk, "", session_hits(sessions), first, "hit", FRAME)


def read(desk: Desk, arguments: Arguments) -> ToolAnswer:
    """A note, an entry, the list of notes, or the newest handoff."""
    first, target = arguments.get("from", 1), arguments["target"]
    if target.casefold() == INDEX:
        return _read_index(desk, first)
    if target.casefold() == HANDOFF:
        return _read_handoff(desk, first)
    from ctxrepo.app.notes import browsing
    from ctxrepo.app.notes.targets import TargetRequest
    from ctxrepo.domain.project.target import parse_target

    reading = desk.perform(browsing.read, TargetRequest(parse_target(target))).value
    place = f"^{reading.entry.id} at {reading.entry.at}" if reading.entry else reading.note.path
    updated = reading.note.head.updated
    head = f"{place}, updated {updated}:" if updated else f"{place}:"
    return quotation(desk, head, reading.text.rstrip("\n").split("\n"), first)


def _read_index(desk: Desk, first: int) -> ToolAnswer:
    from ctxrepo.app.notes.browsing import ListRequest, list_notes
    from ctxrepo.app.views.notes import note_line

    notes = desk.perform(list_notes, ListRequest()).value
    head = f"The notes of {place_of(desk)}:" if notes else "No notes yet: `remember` writes the first."
    return quotation(desk, head, [*map(note_line, notes)], first, "note")


def _read_handoff(desk: Desk, first: int) -> ToolAnswer:
    from ctxrepo.app.sessions.anchor_operations import NewestHandoffRequest, read_handoff

    try:
        handoff = desk.perform(read_handoff, NewestHandoffRequest()).value
    except NotFound as nothing:
        return quotation(desk, sentence(nothing.message), [])
    return quotation(desk, f"{handoff.name}, {handoff.ts}:", handoff.text.split("\n"), first)


def remember(desk: Desk, arguments: Arguments) -> ToolAnswer:
    """Keep one fact."""
    from ctxrepo.app.notes import writing
    from ctxrepo.domain.project.target import parse_entry
    from ctxrepo.services.notes.requests import Fact

    supersedes = parse_entry(arguments["supersedes"]) if "supersedes" in arguments else None
    names = ("category", "scope", "key", "tags")  # the last two are former tools'
    values = {name: arguments[name] for name in names if name in arguments}
    result = desk.perform(writing.remember, Fact(arguments["text"], supersedes=supersedes, **values))
    outcome = result.value
    if outcome.staged:
        result = replace(result, proposed=(outcome.id,))
    verb = "in memory already" if outcome.existing else "remembered"
    return written(desk, result, f"{verb}: ^{outcome.id} at {outcome.at}", outcome.scope)


def edit(desk: Desk, arguments: Arguments) -> ToolAnswer:
    """Replace a passage of a note or an entry."""
    from ctxrepo.app.notes import writing
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.services.notes.changing import EditRequest, Passage

    passage = Passage(arguments["old"], arguments["new"])
    result = desk.perform(writing.edit, EditRequest(parse_target(arguments["target"]), passage))
    change = result.value
    verb = "edited" if change.changed else "unchanged"
    name = f"^{change.id} at {change.at}" if change.id else change.at
    return written(desk, result, f"{verb}: {name}", scope_of(change.path))


def handoff(desk: Desk, arguments: Arguments) -> ToolAnswer:
    """Leave what the next session needs."""
    from ctxrepo.app.sessions.anchor_operations import hand_over
    from ctxrepo.domain.tape.handoff_parts import Handoff
    from ctxrepo.services.anchors.leave_anchor import AnchorRequest
    from ctxrepo.services.anchors.session_anchors import NAME

    lines = {name: _lines_of(name, text) for name, text in arguments.items()}
    step, *rest = lines["next"]
    goal = " ".join(lines.get("goal", ()))
    parts = Handoff(goal, tuple(lines.get("done", ())), tuple(rest), step)
    result = desk.perform(hand_over, AnchorRequest(NAME, handoff=parts))
    handoff = result.value.result
    verb = "handed over already" if handoff.existing else "handed over"
    name = f"{handoff.anchor.name} ^{handoff.anchor.id}"
    return written(desk, result, f"{verb}: {name}", handoff.folder)


def _lines_of(name: str, text: str) -> list[str]:
    """The lines of an argument, each an item; UsageError for one that a handoff would cut."""
    from ctxrepo.domain.tape.handoff_parts import MAX_WORDS

    lines = [line.strip().removeprefix("- ") for line in text.splitlines() if line.strip()]
    if (longest := max(map(len, lines), default=0)) > MAX_WORDS:
        hint = "Write shorter lines, an item each; `remember` keeps what is longer."
        raise UsageError(f"`{name}` has a line of {longest} characters, of at most {MAX_WORDS}", hint)
    return lines or [""]


_TOLD = ("id", "ids", "at", "path", "hash", "existing", "changed", "staged", "replaced", "near")
"""Data of a write that are told; no texts of memory, which only stand in quotations."""


def written(desk: Desk, result: Result[Any], line: str, scope: str) -> ToolAnswer:
    """What a tool tells of a write: the line, the scope whose folder was written to, what is worth knowing
    besides, and the same as fields."""
    if result.proposed:
        verb = "proposed already" if result.data.get("existing") else "proposed"
        line = f"{verb}, and not written before a person accepts it: {', '.join(result.proposed)}"
    fields = {name: result.data[name] for name in _TOLD if result.data.get(name)}
    if "replaced" in fields:
        fields["replaced"] = [f"^{name}" for name in fields["replaced"]]
    name = GLOBAL if scope == desk.memory.global_folder else f"project {scope}"
    notices = lines_of(desk.take_notices())
    fields |= {"scope": name, **({"notices": notices} if notices else {})}
    return ToolAnswer("\n".join([f"{visible(line)} ({visible(name)})", *notices]), fields)


def sentence(message: str) -> str:
    """A message as a sentence."""
    return f"{message[:1].upper()}{message[1:].rstrip('.')}."


def place_of(desk: Desk) -> str:
    """Which project a call is about, in words."""
    project = desk.project
    return f"project {posixpath.basename(project.folder)}" if project else "no project, so global"


_RUNS: Mapping[str, Callable[[Desk, Arguments], ToolAnswer]] = {
    "recall": recall,
    "search": search,
    "read": read,
    "remember": remember,
    "edit": edit,
    "handoff": handoff,
}


def tools() -> Mapping[str, Tool]:
    """The tools that hosts are offered."""
    return read_tools("tools.json", _RUNS)
