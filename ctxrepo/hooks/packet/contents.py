"""What memory holds for a session that begins, as far as a preset's lanes ask for it."""

import _sqlite3

from ctxrepo.domain.text.block import day_of
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import EntryHit, box_of, faults_of
from ctxrepo.hooks.known.notes import (
    PacketEntry,
    body_of,
    by_category,
    daily_notes,
    entries_at,
    first_entries,
    handoff_of,
    index_of,
    pinned_of,
    recent_of,
)
from ctxrepo.hooks.packet.presets import CATEGORIES, Lane
from ctxrepo.hooks.packet.sections import Scope

_SHORTEST_LINE = 12
_MOST_TOLD = 300
"""Characters of an item that a handoff tells."""

_LOG_DAYS = 7
"""The last log before today's is shown when it is no older."""

_CORRECTS = ("don't", "do not", "never", "avoid", "not ", "instead of", "rather than", "stop ")


class Held:
    """`entries` are by `lane/folder`; what memory doesn't hold stays empty and has no lane."""

    def __init__(self, preamble: str = "") -> None:
        self.preamble = preamble
        self.scopes: list[Scope] = []
        self.entries: dict[str, list[PacketEntry]] = {}
        self.handoff: tuple[str, str, str] | None = None
        self.faults: list[str] = []
        self.files: list[tuple[str, str]] = []
        self.recalled: list[EntryHit] = []
        self.ticked: list[str] = []
        """What the checklists say is done."""

    def body_of(self, folder: str) -> str:
        return next((body for name, body, _, _ in self.scopes if name == folder), "")

    def folders_of(self, lane: str) -> list[str]:
        """The scopes that have something for a lane; [''] where it isn't a scope's."""
        if lane == "memory":
            return [folder for folder, body, _, _ in self.scopes if body]
        single = {
            "preamble": self.preamble,
            "caveat": "always",
            "faults": self.faults,
            "handoff": self.handoff,
            "files": self.files,
            "recall": self.recalled,
            "index": [1 for *_, count in self.scopes if count],
        }
        if lane in single:
            return [""] if single[lane] else []
        start = f"{lane}/"
        return [key[len(start) :] for key, found in self.entries.items() if found and key.startswith(start)]


def hold(
    held: Held,
    cache: _sqlite3.Connection,
    lanes: tuple[Lane, ...],
    scopes: list[str],
    project: str,
    budget: int,
) -> list[tuple[str, str]]:
    """Fill `held` with what `scopes`, the global one first, hold for `lanes`; the faults there are.

    `project` is the id of the project one is in, or ''.
    """
    names = frozenset([lane[0] for lane in lanes])
    for scope in scopes:
        rows, count = index_of(cache, scope, budget // _SHORTEST_LINE) if "index" in names else ([], 0)
        body = body_of(cache, scope) if "memory" in names else ""
        held.scopes.append((scope, body, rows, count))
        if body:
            held.entries[f"memory/{scope}"] = entries_at(cache, f"{scope}/MEMORY.md")
        if "scratchpad" in names:
            items = entries_at(cache, f"{scope}/SCRATCHPAD.md")
            held.entries[f"scratchpad/{scope}"] = [item for item in items if box_of(item.text) == " "]
            held.ticked += [said for item in items for box, said in wordings(item.text) if box in "xX"]
        if "today" in names:
            _logs(held, cache, scope, today())
    if "pinned" in names:
        pinned = [row for scope in scopes for row in pinned_of(cache, scope)]
        held.entries["pinned/"] = _not_shown(held, pinned)
    if "facts" in names:
        _categories(held, cache, scopes)
    if "handoff" in names:
        held.handoff = handoff_of(cache, scopes[-1])
    if "files" in names and project:
        held.files = recent_of(cache, project)
    return faults_of(cache) if "faults" in names else []


def wordings(text: str) -> list[tuple[str, str]]:
    """(box, words) of all items in an entry of a checklist, as a handoff may tell of them: on one line, from
    the box to the end of any of the item's lines, cut where they are long."""
    found = []
    box = said = ""
    for line in text.split("\n"):
        words = " ".join(line.split())
        if here := box_of(line):
            box, said = here, words.partition("] ")[2]
        else:
            said = f"{said} {words}".rstrip()
        if box:
            found.append((box, said if len(said) <= _MOST_TOLD else said[: _MOST_TOLD - 1].rstrip() + "…"))
    return found


def _logs(held: Held, cache: _sqlite3.Connection, scope: str, now: int) -> None:
    """Today's log, with one that a machine further east has begun for tomorrow, and the last before it."""
    newest = [(day_of(path[-13:-3]), path) for path in daily_notes(cache, scope)]
    dated = [(day, path) for day, path in newest if day is not None and path[-3:] == ".md"]
    current = [path for day, path in dated if now <= day <= now + 1]
    before = [path for day, path in dated if now - _LOG_DAYS <= day < now]
    for path in current[::-1]:
        held.entries[f"today/{path}"] = entries_at(cache, path)
    for last in before[:1]:
        held.entries[f"yesterday/{last}"] = entries_at(cache, last)


def _not_shown(held: Held, pinned: list[PacketEntry]) -> list[PacketEntry]:
    """Without those of a MEMORY.md, which is shown itself, or is cut from its end."""
    bodies = [f"{folder}/MEMORY.md" for folder, body, _, _ in held.scopes if body]
    return [entry for entry in pinned if entry.path not in bodies]


def _categories(held: Held, cache: _sqlite3.Connection, scopes: list[str]) -> None:
    for lane, names in CATEGORIES.items():
        found = [row for scope in scopes[::-1] for row in by_category(cache, scope, names)]
        if lane == "lessons":  # what was corrected before what proved right
            found.sort(key=_confirms)
        held.entries[f"{lane}/"] = found
    taken = [name for names in CATEGORIES.values() for name in names]
    held.entries["facts/"] = first_entries(cache, scopes[-1], taken) if len(scopes) > 1 else []


def _confirms(entry: PacketEntry) -> bool:
    said = entry.text.lower()
    return not [word for word in _CORRECTS if word in said]
