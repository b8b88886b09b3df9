"""The notes of the scopes in view as pages, and how much of each fits into a working set."""

from collections import Counter
from collections.abc import Iterator, Mapping

from ctxrepo.domain.note.links import spots
from ctxrepo.domain.note.markdown import split_blocks
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import CHECKLIST, DAILY, MEMORY, is_aside
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.score.residency import Page, PageKind, Residency, resident
from ctxrepo.domain.score.standing import EntryStanding
from ctxrepo.domain.text import index_line, size
from ctxrepo.domain.words.categories import category_of
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import note_paths, read_note, search_order
from ctxrepo.storage.cache.computed import all_standings, entries_to_score
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import storable

_TOKEN = 4
"""Bytes that count as a token."""

_KINDS: Mapping[str, PageKind] = {
    "decision": "decision", "done": "log",
    "preference": "procedure", "lesson": "procedure", "pattern": "procedure", "mistake": "procedure",
}  # fmt: skip
"""Category of an entry -> the kind of a page whose entries are mostly such."""


def pages(memory: Memory, scope: str, project: Project | None, budget: int) -> Residency:
    """The residency of the notes of one scope, or of the project and global, within so many tokens. Scores
    must be up to date: call `update_scores` first."""
    standings, evidence = memory.cache.ask(all_standings), memory.cache.ask(entry_evidence)
    pinned = {entry.id for entry in memory.cache.ask(entries_to_score) if entry.is_pinned}
    paths = [path for path in note_paths(memory, search_order(memory, project, scope)) if not is_aside(path)]
    notes = (note for path in paths if (note := read_note(memory, path)) is not None)
    return resident([_page(note, standings, evidence, pinned) for note in notes], budget)


def _page(
    note: Note,
    standings: Mapping[str, EntryStanding],
    evidence: Mapping[str, EntryEvidence],
    pinned: set[str],
) -> Page:
    ids = [entry.id for entry in note.entries]
    places = [standings[name].position for name in ids if name in standings]
    verified = [evidence[name].verified[:10] for name in ids if name in evidence]
    head = note.head
    pointer = index_line(note.path, head.description, ", ".join(head.tags), "")
    forms = ("", pointer, pointer + "".join(_structure(note.body)), pointer + note.body)
    return Page(
        id=digest_of(storable(note.path)),
        path=note.path,
        kind=_kind(note),
        is_pinned=not pinned.isdisjoint(ids),
        hash=digest_of(storable(note.text)),
        title=head.description or next((e.heading[0] for e in note.entries if e.heading), ""),
        updated=head.updated or head.created,
        confirmed=max(verified, default=""),
        place=min(places, default=len(standings)),
        sizes=tuple(-(-size(storable(form)) // _TOKEN) for form in forms),
    )


def _structure(body: str) -> Iterator[str]:
    """The headings of a body, and the first line of each bullet."""
    for block in split_blocks(body):
        if block.kind in ("heading", "bullet"):
            yield block.text.partition("\n")[0] + "\n"


def _kind(note: Note) -> PageKind:
    """What a note is for, by its name and by what most of its entries are."""
    rest = note.path.partition("/")[2]
    if rest == MEMORY:
        return "index"
    if rest in (CHECKLIST, "core/TASK.md"):
        return "task"
    if rest.startswith(f"{DAILY}/"):
        return "log"
    if "evidence" in (*note.head.tags, *rest.removesuffix(".md").split("/")):
        return "evidence"
    if note.entries and all(spots(entry.text) for entry in note.entries):
        return "pointer"
    kinds = Counter(_KINDS.get(category_of(entry.category), "fact") for entry in note.entries)
    return kinds.most_common(1)[0][0] if kinds else "fact"
