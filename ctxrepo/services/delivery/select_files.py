"""Which notes and files come first in the packets of a project: by what sessions did with them, within the
lists of the settings. pi-memory-md's way of choosing stands beside ours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.domain.tape.anchor import Anchor, anchors_of
from ctxrepo.domain.tape.candidates import SelectionRules, is_below_one, is_ignored, listed
from ctxrepo.domain.tape.first import FirstFile
from ctxrepo.domain.tape.focus import Touch, focus, summary
from ctxrepo.domain.tape.selection import MD, OWN, Profile, boosts, ranked, scores, window
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.tape.local_tape import LocalTape
from ctxrepo.storage.user.code import ignored

WHITE = "on the white list"
"""Why a note is here that no session touched."""

_MOST_LISTED = 100
"""Files that a list may bring, at most."""

_LOOKED_AT = 300
"""Files of which it is asked whether they may come first, at most."""

_SPANS_OF_MD = 5


@dataclass(frozen=True)
class ProjectHome:
    """Where a project is: its id, its folder in the memory ('' for none yet), the tops of its checkouts, and
    the memory's own folder; all without links."""

    project: str
    folder: str
    tops: tuple[str, ...]
    root: str

    def note(self, path: str) -> str:
        """The path relative to the memory, '' for a file outside it."""
        return path[len(self.root) + 1 :] if is_below_one(path, (self.root,)) else ""

    def first(self, path: str, rank: int, why: str) -> FirstFile:
        """The file as a packet names it."""
        if note := self.note(path):
            return FirstFile("", note, rank, why)
        top = max((t for t in self.tops if is_below_one(path, (t,))), key=len, default="/")
        return FirstFile(top, path if top == "/" else os.path.relpath(path, top), rank, why)


def select(
    memory: Memory, home: ProjectHome, touches: Sequence[Touch], settings: TapeSettings
) -> list[FirstFile]:
    """The notes that the index puts first, and the files that the packet names, each up to the limit of the
    settings; what is on the white list comes before them."""
    rules = _rules(memory, home, settings)
    white = _white(memory, rules)
    order, uses = _order(memory, home, rules, touches, settings, OWN)
    indexed = memory.cache.indexed(note for path in (*white, *order) if (note := home.note(path)))
    notes = [path for path in order if home.note(path) in indexed]
    files = [path for path in order if not home.note(path)]
    best = [*notes[: settings.file_limit], *_distinct(home, files)[: settings.file_limit]]
    ranks = {path: rank for rank, path in enumerate(best, 1)}
    found: dict[str, FirstFile] = {}
    for path in (*white, *best):
        done, note = uses.get(path, ()), home.note(path)
        if note and note not in indexed:
            continue
        why = WHITE if path not in ranks else summary(done) if note else ", ".join(focus(done))
        first = home.first(path, ranks.get(path, 0), why)
        found.setdefault(first.path, first)
    return list(found.values())


def _distinct(home: ProjectHome, files: Sequence[str]) -> list[str]:
    """The files without those that another checkout of the project has before them."""
    found: dict[str, str] = {}
    for path in files:
        found.setdefault(home.first(path, 0, "").path, path)
    return list(found.values())


def select_for_md(
    memory: Memory, home: ProjectHome, touches: Sequence[Touch], settings: TapeSettings
) -> list[FirstFile]:
    """The notes and files that pi-memory-md delivers with its tape, in its order: one limit for both, core
    notes by their date where nothing was touched, and before all what is on the white list and not chosen."""
    rules = _rules(memory, home, settings)
    order, uses = _order(memory, home, rules, touches, settings, MD)
    if not uses:
        newest = _newest_core(memory, home)[: settings.file_limit]
        order, uses = [path for path in newest if rules.lets_in(path)], {}
    chosen = order[: settings.file_limit]
    spans = {path: ", ".join(focus(uses.get(path, ()), _SPANS_OF_MD)) for path in chosen}
    white = [path for path in _white(memory, rules) if path not in spans]
    return [
        *(home.first(path, 0, "") for path in white),
        *(home.first(path, rank, spans[path]) for rank, path in enumerate(chosen, 1)),
    ]


def _rules(memory: Memory, home: ProjectHome, settings: TapeSettings) -> SelectionRules:
    folders = tuple(f"{home.root}/{name}" for name in (home.folder, memory.global_folder) if name)
    bases = (*folders[:1], home.root, *home.tops)
    white, black = (listed(entries, bases) for entries in (settings.whitelist, settings.blacklist))
    return SelectionRules(folders, home.tops, white, black)


def _order(
    memory: Memory,
    home: ProjectHome,
    rules: SelectionRules,
    touches: Sequence[Touch],
    settings: TapeSettings,
    profile: Profile,
) -> tuple[list[str], Mapping[str, Sequence[Touch]]]:
    """The files that may come first, those before others that matter more, and what was done with each.

    Time is counted back from the last use, so that nothing changes while nothing is done.
    """
    if not touches or settings.strategy != "smart":
        return [], {}
    now = touches[-1].at
    used = window(touches, now, settings.scan_hours, settings.scan_hours_max)
    uses: dict[str, list[Touch]] = {}
    for touch in used:
        uses.setdefault(touch.path, []).append(touch)
    since = min(used[0].at, now - settings.scan_hours * 3600)
    left = boosts([*_handoffs(memory, home, since)], used)
    order = ranked(scores(used, left, now, profile))[:_LOOKED_AT]
    silent = _ignored(memory, home, [path for path in order if rules.must_be_asked(path)])
    return [path for path in order if rules.lets_in(path, path in silent)], uses


def _handoffs(memory: Memory, home: ProjectHome, since: float) -> Iterator[tuple[float, bool]]:
    """When handoffs of the project were left since then, and whether a keyword asked for them."""
    for anchor in _anchors(memory, home.folder, since) if home.folder else ():
        if anchor.type == "handoff" and (at := _unix(anchor.timestamp)) >= since:
            yield at, anchor.trigger == "keyword"


def _anchors(memory: Memory, folder: str, since: float) -> Iterator[Anchor]:
    """The anchors of a scope in files that were written since then, and the handoffs that stay here."""
    for path, stamp in memory.worktree.scan(TAPES).files.items():
        if tape_folder(path) == folder and stamp.mtime_ns >= since * 1e9:
            yield from anchors_of(decode(memory.worktree.read(path) or b""))
    yield from LocalTape(memory.state).handoffs(folder)


def _unix(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _ignored(memory: Memory, home: ProjectHome, paths: Sequence[str]) -> set[str]:
    """Those of these files that git ignores in their checkout. A checkout that hangs, or in which git can't
    be asked, ignores none."""
    found: set[str] = set()
    for top in home.tops:
        inside = [path for path in paths if home.first(path, 0, "").top == top]
        if not inside:
            continue
        try:
            found |= memory.outside.ask(Path(top), partial(ignored, Path(top), inside, memory.env))
        except CtxrepoError:
            continue
    return found


def _newest_core(memory: Memory, home: ProjectHome) -> list[str]:
    """The project's core notes, the one first that was written last."""
    core = f"{home.folder}/core"
    files = memory.worktree.scan(core).files if home.folder else {}
    notes = [path for path in files if path.endswith(".md") and not is_ignored(path, core)]
    return [f"{home.root}/{path}" for path in sorted(notes, key=lambda p: (-files[p].mtime_ns, p))]


def _white(memory: Memory, rules: SelectionRules) -> list[str]:
    """The files that the white list brings and the black list leaves, in the order of the list."""
    if not rules.white:
        return []
    found = dict(memory.outside.ask_each(rules.white, _files_at, lambda path: Path(path).parent))
    paths = (path for place in rules.white for path in found.get(place, ()))
    return [p for p in dict.fromkeys(paths) if not rules.is_listed_out(p)][:_MOST_LISTED]


def _files_at(place: str) -> list[str]:
    """The file itself, or those in a folder without what is ignored everywhere."""
    if os.path.isfile(place):
        return [os.path.realpath(place)]
    return sorted(_below(os.path.realpath(place)))[:_MOST_LISTED]


def _below(folder: str) -> Iterable[str]:
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_ignored(f"{at}/{name}", at))
        yield from (f"{at}/{name}" for name in names if not is_ignored(f"{at}/{name}", at))
