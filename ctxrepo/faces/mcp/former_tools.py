"""The tools of samfoy/pi-memory under their own names, for prompts and habits that still use them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import scope_of
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.faces.mcp import tools
from ctxrepo.faces.mcp.answers import ToolAnswer, quotation
from ctxrepo.faces.mcp.tools import Arguments, Tool

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

LESSON = "lesson"


def _search(desk: Desk, arguments: Arguments) -> ToolAnswer:
    return tools.search(desk, {"limit": 10, **arguments}, unit="")


def _remember(desk: Desk, arguments: Arguments) -> ToolAnswer:
    if arguments["type"] == LESSON:
        rule = _needed(arguments, "rule")
        text = f"Don't: {rule}" if arguments.get("negative") else rule
        tags = {"tags": (arguments["category"],)} if "category" in arguments else {}
        return tools.remember(desk, {"text": text, "category": LESSON, **tags})
    return tools.remember(desk, {"text": _needed(arguments, "value"), "key": _needed(arguments, "key")})


def _forget(desk: Desk, arguments: Arguments) -> ToolAnswer:
    from ctxrepo.app.notes import writing
    from ctxrepo.app.notes.targets import TargetRequest
    from ctxrepo.domain.project.target import Target, parse_entry

    if arguments["type"] == LESSON:
        target = parse_entry(_needed(arguments, "id"))
    else:
        target = Target(entry_id=_id_of(desk, _needed(arguments, "key")))
    result = desk.perform(writing.forget, TargetRequest(target))
    entry = result.value
    return tools.written(desk, result, f"forgotten: ^{entry.id}", scope_of(entry.at))


def _id_of(desk: Desk, key: str) -> str:
    """The id of the entry in view that has this key, the project's before the global one."""
    from ctxrepo.services.reading.find import entries_of_key

    folders = [desk.project.folder] if desk.project else []
    for folder in (*folders, desk.memory.global_folder):
        for entry in entries_of_key(desk.memory, folder, key):
            return entry.id
    raise NotFound(f"no entry has the key {key}", "`memory_search` finds entries by their words.")


def _lessons(desk: Desk, arguments: Arguments) -> ToolAnswer:
    from ctxrepo.app.notes import browsing
    from ctxrepo.app.views.hits import hit_line
    from ctxrepo.services.reading.searching import SearchQuery

    tags = (arguments["category"],) if "category" in arguments else ()
    request = browsing.SearchRequest(SearchQuery("", tags, category=LESSON), arguments.get("limit", 50))
    try:
        hits = desk.perform(browsing.search, request).value
    except NotFound:
        return quotation(desk, "No lessons yet.", [])
    return quotation(desk, "", [*map(hit_line, hits)], unit="")


def _stats(desk: Desk, _: Arguments) -> ToolAnswer:
    from ctxrepo.app.notes.browsing import ListRequest, list_notes

    notes = desk.perform(list_notes, ListRequest()).value
    entries = counted(sum(note.entries for note in notes), "entry", "entries")
    where = f"{tools.place_of(desk)}, in {desk.memory.root}"
    return quotation(desk, f"{counted(len(notes), 'note')} with {entries} in view of {where}.", [])


def _needed(arguments: Arguments, name: str) -> str:
    if name not in arguments:
        raise UsageError(f"`{name}` is missing", f"A {arguments['type']} needs it.")
    return str(arguments[name])


_RUNS: Mapping[str, Callable[[Desk, Arguments], ToolAnswer]] = {
    "memory_search": _search,
    "memory_remember": _remember,
    "memory_forget": _forget,
    "memory_lessons": _lessons,
    "memory_stats": _stats,
}


def former_tools() -> Mapping[str, Tool]:
    """These tools by name."""
    return tools.read_tools("former_tools.json", _RUNS)
