"""Notes of a form of their own: the checklist of a scope, and its daily notes, a line each."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.note.entry import added as added_entry
from ctxrepo.domain.note.note import bump_updated
from ctxrepo.domain.project.layout import CHECKLIST, shown
from ctxrepo.domain.project.target import ids_meant
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.working.checklist import Item, added, cleared, item_line, items_of, ticked
from ctxrepo.domain.working.daily import day_of, line, logged, path_of
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.hooks.own_files import append_rolling
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.requests import TickRequest
from ctxrepo.services.reading.daily_logs import LOGGED_BYTES
from ctxrepo.services.reading.find import NamedScope, read_note, scope_named
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Scratch:
    """One item, in the note at `path`."""

    path: str
    item: Item
    existing: bool = False

    @property
    def at(self) -> str:
        return f"{self.path}#L{self.item.line + 1}"

    @property
    def data(self) -> dict[str, Any]:
        """The item as a program is told it."""
        item = self.item
        place = {"id": f"^{item.id}", "at": self.at}
        return {**place, "text": item.text, "done": item.is_done, "depth": item.depth}


@dataclass(frozen=True)
class ClearResult:
    """`stays` are items that are done, and something under them isn't."""

    path: str
    gone: Sequence[Item]
    stays: Sequence[Item]


def add(
    memory: Memory, text: str, scope: str, project: Project | None, origin: Origin, now: datetime
) -> Scratch:
    """Add an item; one that is open already is not added again."""
    line = item_line(text)
    wording = normalised(items_of("", line)[0].text)
    place = scope_named(memory, scope, project)
    path = f"{place.folder}/{CHECKLIST}"
    with drafting(memory, "scratch add", origin, now) as draft:
        before = draft.text(path)
        same = [i for i in items_of(path, before or "") if not i.is_done and normalised(i.text) == wording]
        if same:
            return Scratch(path, same[0], existing=True)
        after = bump_updated(added(_new(now) if before is None else before, line), day(now))
        draft.saying = normalised(line)
        draft.put(path, after)
        draft.register(place.project)
    fresh = [i for i in items_of(path, after) if not i.is_done and normalised(i.text) == wording]
    return Scratch(path, fresh[-1])


def tick(
    memory: Memory, request: TickRequest, project: Project | None, origin: Origin, now: datetime
) -> Scratch:
    """Tick an item or make it open again. NotFound when none is in the other state, UsageError when several
    are meant."""
    named, is_done = request.named, request.is_done
    if not named.strip():
        raise UsageError("no item is named", "Give its ^id, or some of its words.")
    path = f"{scope_named(memory, request.scope, project).folder}/{CHECKLIST}"
    with drafting(memory, f"scratch {'done' if is_done else 'undo'}", origin, now) as draft:
        text = draft.text(path) or ""
        items = items_of(path, text)
        matches = _meant(named, path, [i for i in items if i.is_done != is_done])
        if not matches:
            state = "open" if is_done else "done"
            hint = f"It is {'done' if is_done else 'open'} already."
            if not _meant(named, path, items):
                hint = "`ctxrepo scratch list --all` shows what there is."
            raise NotFound(f"nothing that is {state} in {path} has {shown(named, 60)!r} in it", hint)
        if len(matches) > 1:
            ids = "; ".join(f"^{item.id} {shown(normalised(item.text), 60)}" for item in matches[:5])
            message = f"{len(matches)} items have {shown(named, 60)!r} in them"
            raise UsageError(message, f"Name one by id: {ids}")
        draft.saying = normalised(matches[0].text)
        after = ticked(text, matches[0], is_done)
        draft.put(path, bump_updated(after, day(now)))
    (item,) = (i for i in items_of(path, after) if i.line == matches[0].line)
    return Scratch(path, item)


def clear_done(
    memory: Memory, scope: str, project: Project | None, origin: Origin, now: datetime
) -> ClearResult:
    """Take out the items that are done, each with what goes with it."""
    path = f"{scope_named(memory, scope, project).folder}/{CHECKLIST}"
    with drafting(memory, "scratch clear-done", origin, now) as draft:
        text = draft.text(path)
        after, gone, stays = cleared(path, text or "")
        if text is not None and gone:
            draft.saying = f"{len(gone)} items"
            draft.put(path, bump_updated(after, day(now)))
    return ClearResult(path, gone, stays)


def items(memory: Memory, scope: str, project: Project | None) -> list[Scratch]:
    """The items of a scope as they are now, in their order."""
    return items_in(memory, scope_named(memory, scope, project))


def items_in(memory: Memory, scope: NamedScope) -> list[Scratch]:
    path = f"{scope.folder}/{CHECKLIST}"
    note = read_note(memory, path)
    return [Scratch(path, item) for item in items_of(path, note.text)] if note else []


def _new(now: datetime) -> str:
    """A head that two machines write alike when both make the note before they meet."""
    today = day(now)
    head = {"description": "What is to be done", "created": today, "updated": today}
    return frontmatter.render(head) + "\n# Scratchpad\n\n"


def _meant(named: str, path: str, items: Sequence[Item]) -> list[Item]:
    """The item with this id or the beginning of it, or at this place, else those with these words in them."""
    if named.strip().startswith("^"):
        ids = ids_meant(named.strip()[1:], (i.id for i in items))
        return [i for i in items if i.id in ids]
    at_place = [i for i in items if named.strip() == f"{path}#L{i.line + 1}"]
    whole = [i for i in items if _wording(named) == _wording(i.text)]
    return at_place or whole or [i for i in items if _wording(named) in _wording(i.text)]


def _wording(text: str) -> str:
    """What counts for being the same words, whatever the case."""
    return normalised(text).casefold()


def log(
    memory: Memory, text: str, scope: str, project: Project | None, origin: Origin, now: datetime
) -> Entry:
    """Write a line into the note of the day that it is for whoever writes: `now` has their offset."""
    entry = line(text, now)
    place = scope_named(memory, scope, project)
    path = path_of(place.folder, day_of(now))
    with drafting(memory, "log", origin, now) as draft:
        before = draft.text(path)
        after = logged(before, entry, day_of(now))
        draft.saying = normalised(entry)
        draft.put(path, after)
        draft.register(place.project)
    new_entry = added_entry(entries_of(path, before or ""), entries_of(path, after))
    if origin.session:
        record = json.dumps({"session": origin.session, "id": new_entry.id})
        append_rolling(str(memory.state.logged), f"{record}\n", LOGGED_BYTES)
    return new_entry
