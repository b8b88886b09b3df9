"""The notes of all scopes, each with its text, what is known of its entries, and what happened to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.moment import counted, times
from ctxrepo.faces.page.markup import (
    NOTHING,
    Html,
    badge,
    copied,
    counts,
    diff,
    empty,
    entry_lines,
    join,
    moment,
    prose,
    section,
    tag,
)

if TYPE_CHECKING:
    from ctxrepo.app.report.report_values import EntryNotes, MemoryReport, NoteBody, ReportedNote
    from ctxrepo.services.history.recent_changes import NoteChange

_MANY = 300
"""With more notes a browser lays out only those that are seen, which moves the others a little."""

_DEEDS = {"new": "written", "edited": "edited", "moved": "moved", "gone": "deleted"}


def notes_section(report: MemoryReport) -> Html:
    """The tree: scopes, their folders, their notes."""
    anchors = anchors_of(report.notes)
    lead = "By scope. Open one to see its text, what is known of each entry, and its history."
    if any(note.body is None for note in report.notes):
        lead += " Of those that changed longest ago only the command is here that shows them."
    field = tag("input", type_="search", id="filter", placeholder="Filter notes", autocomplete="off")
    label = tag("label", "Filter notes", for_="filter", class_="unseen")
    count = tag("output", id="shown", aria_live="polite")
    tools = tag("div", label, field, tag("kbd", "/"), count, class_="tools", hidden=True)
    scopes = [
        _scope(report, scope, list(notes), anchors)
        for scope, notes in groupby(report.notes, key=lambda note: note.scope)
    ]
    kind = "many" if len(report.notes) > _MANY else ""
    none = [empty("No note was written yet.")]
    return section("notes", "Notes", lead, tools, *(scopes or none), class_=kind)


def anchors_of(notes: Sequence[ReportedNote]) -> Mapping[str, str]:
    """path of a note -> where on the page it is."""
    return {note.path: f"n{number}" for number, note in enumerate(notes, 1)}


def who(change: NoteChange) -> str:
    """`claude on laptop-1a2b`, or git's author."""
    return " on ".join(filter(None, (", ".join(change.writers.agents), change.who)))


def _scope(
    report: MemoryReport, scope: str, notes: Sequence[ReportedNote], anchors: Mapping[str, str]
) -> Html:
    project = report.scopes.get(scope, "")
    name = join(tag("strong", scope), tag("span", project, class_="project") if project else NOTHING)
    size = tag("span", counted(len(notes), "note"), class_="size")
    folders = groupby(sorted(notes, key=_folder), key=_folder)
    inner: list[Html] = []
    for folder, of_folder in folders:
        inner.append(tag("h3", f"{folder}/", class_="folder") if folder else NOTHING)
        inner += [_note(report, note, anchors[note.path]) for note in of_folder]
    return tag("details", tag("summary", name, size), *inner, class_="scope", open=True)


def _folder(note: ReportedNote) -> str:
    return note.path.partition("/")[2].rpartition("/")[0]


def _note(report: MemoryReport, note: ReportedNote, anchor: str) -> Html:
    title = [tag("span", note.path.rpartition("/")[2], class_="file")]
    if note.description:
        title.append(tag("span", note.description, class_="about"))
    marks = [badge("pinned", "pin")] * note.is_pinned + [badge("faulty", "wrong")] * bool(note.problem)
    if note.body is None:
        command = tag("span", tag("code", f"ctxrepo read {note.target}"), class_="command")
        head = tag("span", *title, *marks, class_="title")
        return tag("div", head, command, id=anchor, class_="note item-row lean", tabindex=-1)
    latest = note.changes[0].when if note.changes else None
    side = tag("span", f"{latest.astimezone():%d %b}" if latest else note.updated, class_="day")
    summary = tag("summary", tag("span", *title, *marks, class_="title"), side)
    return tag("details", summary, _opened(report, note, note.body), id=anchor, class_="note item-row")


def _opened(report: MemoryReport, note: ReportedNote, text: NoteBody) -> Html:
    aside = tag("aside", tag("dl", *_facts(note)), copied(f"ctxrepo read {note.target}"))
    badges = {line: html for line, entry in note.entries.items() if (html := _badges(entry))}
    body = prose(text.text, text.first_line, badges)
    body = join(body, empty("The rest is left out here.")) if text.is_cut else body
    history = tag("div", *_history(report, note), class_="history")
    return tag("div", tag("article", body, class_="prose"), aside, history, class_="opened")


def _facts(note: ReportedNote) -> Iterator[Html]:
    last = max((entry.last for entry in note.entries.values()), default="")
    given = sum(entry.delivered for entry in note.entries.values())
    used = sum(entry.used for entry in note.entries.values())
    facts = {
        "Scope": note.scope,
        "Entries": str(note.count),
        "Tags": note.tags,
        "Updated": note.updated,
        "Last use": last and f"{last}; given {times(given)}, used {times(used)}",
        "Fault": note.problem,
    }
    for name, value in facts.items():
        if value:
            yield tag("div", tag("dt", name), tag("dd", value))


def _badges(entry: EntryNotes) -> Html:
    """What is known of an entry, behind its text."""
    badges = [badge("pinned", "pin")] * entry.is_pinned
    badges += [badge("superseded", "old")] * entry.is_superseded
    badges += [badge(f"key {entry.key}", "key")] * bool(entry.key)
    badges += [badge(f"used {times(entry.used)}", "used")] * bool(entry.used)
    return join(*(part for html in badges for part in (html, Html(" "))))


def _history(report: MemoryReport, note: ReportedNote) -> Iterator[Html]:
    if not note.changes:
        return
    yield tag("h4", "History")
    for change in note.changes[:12]:
        date = moment(change.when, report.made)
        source = tag("span", f"{_DEEDS[change.deed]} by {who(change)}", class_="by")
        head = tag("summary", date, " ", source, " ", counts(change.came, change.changed, change.went))
        more = [tag("p", f"moved from {change.former}")] if change.former else []
        body = [diff(change.diff) or entry_lines(change.lines)]
        command = f"ctxrepo history {note.target} --show {change.commit[:10]}"
        yield tag("details", head, *more, *body, copied(command), class_="version")
    if len(note.changes) > 12:
        yield copied(f"ctxrepo history {note.target}", f"{len(note.changes) - 12} earlier changes")
