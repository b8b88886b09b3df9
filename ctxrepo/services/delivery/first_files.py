"""The notes and files that come first for a project: what sessions touched, and how it is selected."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.domain.tape import selection
from ctxrepo.domain.tape.anchors import anchors_of
from ctxrepo.domain.tape.selection import SelectionRules, is_below_one, is_ignored
from ctxrepo.domain.tape.touched_files import FirstFile, Touch, focus, kind_of, summary
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.packet.presets import MD
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.session_settings import settings_by_owner
from ctxrepo.storage.cache.computed import RECENT, put_first_files, stamp_of_part
from ctxrepo.storage.cache.entries import listed_notes
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.compiled import CompiledCheckout, read_checkouts
from ctxrepo.storage.state.usage import AccessLog
from ctxrepo.storage.user.code import ignored

MOST_ACCESSES = 4000
"""How many of the newest lines of the log count."""


def update_recent_files(memory: Memory) -> bool:
    """Update what the cache says comes first, from the access log; False where nothing has changed."""
    may_doubt = memory.settings.project.trust == "open"
    known = read_checkouts(memory.places.state)
    checkouts = [c for c in known if c.project and (may_doubt or not c.claim)]
    settings, is_md = settings_by_owner(memory), memory.settings.delivery.preset == MD
    log = AccessLog(memory.state.access)
    wanted = [*sorted((c.top, c.project, c.folder) for c in checkouts), settings, is_md, memory.cache.head]
    stamp = f"{log.stamp} {digest_of(repr(wanted))}"
    if memory.cache.ask(stamp_of_part, RECENT) == stamp:
        return False
    touches = _with_real_paths(memory, _touches(log), [c.top for c in checkouts])
    firsts: dict[tuple[str, str], Sequence[FirstFile]] = {}
    choose = select_for_md if is_md else select
    for home, uses in _by_project(memory, touches, checkouts):
        for owner, tape in settings.items():
            tops = tuple(top for top in home.tops if not is_below_one(top, tape.exclude_dirs))
            firsts[home.project, owner] = choose(memory, replace(home, tops=tops), uses, tape) if tops else ()
    memory.cache.change(put_first_files, firsts, stamp)
    return True


def _touches(log: AccessLog) -> list[Touch]:
    newest, end = islice(log.newest(), MOST_ACCESSES), log.written
    found = []
    for access in (access for access in newest if access.at >= 0):
        at = min(access.at, end)  # a clock that was ahead would keep what it dated first for as long
        kind = kind_of(access.tool, only_reads(access.agent, access.tool))
        session = f"{access.agent} {access.session}" if access.session else ""
        found.append(Touch(at, access.path, kind, access.ranges, session))
    found.reverse()
    return sorted(found, key=lambda touch: touch.at)


def _with_real_paths(memory: Memory, touches: Sequence[Touch], tops: Sequence[str]) -> list[Touch]:
    """The touches of files that still exist, by their paths without links; none in a folder that hangs."""

    def folder(path: str) -> Path:
        return next((Path(top) for top in tops if is_below_one(path, (top,))), Path(path).parent)

    found = memory.outside.ask_each(dict.fromkeys(touch.path for touch in touches), _found, folder)
    real = {path: there for path, there in found if there}
    return [replace(touch, path=real[touch.path]) for touch in touches if touch.path in real]


def _found(path: str) -> str:
    return os.path.realpath(path) if os.path.isfile(path) else ""


def _by_project(
    memory: Memory, touches: Sequence[Touch], checkouts: Sequence[CompiledCheckout]
) -> "Iterable[tuple[ProjectHome, list[Touch]]]":
    """Each project with its touches, oldest first; none where only the lists of the settings tell."""
    root = os.path.realpath(memory.root)
    tops = {c.top: c.project for c in checkouts}
    folders = {c.folder: c.project for c in checkouts if c.folder}
    keys = dict.fromkeys(touch.session for touch in touches if touch.session)
    sessions = {key: _project_of(memory, key, tops, folders) for key in keys}
    found: dict[str, list[Touch]] = {c.project: [] for c in checkouts}
    for touch in touches:
        # A touch counts for the project of its session, and of the checkout which the file is in; a note that
        # nobody's session touched counts for its own project.
        session = sessions.get(touch.session, "")
        if is_below_one(touch.path, (root,)):
            counting = {session or folders.get(touch.path[len(root) + 1 :].partition("/")[0], "")}
        else:
            counting = {session, tops.get(top_of(touch.path, tops), "")}
        for project in counting & found.keys():
            found[project].append(touch)
    of_project = {project: folder for folder, project in folders.items()}
    for project, uses in found.items():
        own = tuple(top for top, its in tops.items() if its == project and os.path.isabs(top))
        yield ProjectHome(project, of_project.get(project, ""), own, root), uses


def _project_of(memory: Memory, key: str, tops: Mapping[str, str], folders: Mapping[str, str]) -> str:
    """The id of the project that a session is in, as its ledger says; '' where nobody knows."""
    agent, _, session = key.partition(" ")
    record = read_ledger(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    if record.project and record.project in folders:
        return folders[record.project]
    return tops.get(top_of(f"{record.cwd}/.", tops), "") if record.cwd else ""


def top_of(path: str, tops: Iterable[str]) -> str:
    """The nearest checkout that the file at `path` is in, or ''."""
    known = {*tops}
    while (parent := os.path.dirname(path)) != path:
        path = parent
        if path in known:
            return path
    return ""


WHITE = "on the white list"
"""Why a note is here that no session touched."""

_MOST_LISTED = 100
"""Files that a list may bring, at most."""

_LOOKED_AT = 300
"""Files of which it is asked whether they may come first, at most."""

_SPANS_OF_MD = 5


@dataclass(frozen=True)
class ProjectHome:
    """A project's id, its folder in the memory ('' for none), the tops of its checkouts, and the memory's
    folder; without links."""

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
    """The notes that the index puts first and the files that the packet names, each up to its limit; what is
    on the white list comes first."""
    rules = _rules(memory, home, settings)
    white = _white(memory, rules)
    order, uses = _order(memory, home, rules, touches, settings, newest_first=True)
    indexed = memory.cache.ask(listed_notes, filter(None, map(home.note, (*white, *order))))
    notes = [path for path in order if home.note(path) in indexed]
    files = [path for path in order if not home.note(path)]
    distinct: dict[str, str] = {}
    for path in files:  # without those that another checkout of the project has before them
        distinct.setdefault(home.first(path, 0, "").path, path)
    best = [*notes[: settings.file_limit], *[*distinct.values()][: settings.file_limit]]
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


def select_for_md(
    memory: Memory, home: ProjectHome, touches: Sequence[Touch], settings: TapeSettings
) -> list[FirstFile]:
    """The notes and files that pi-memory-md delivers with its tape, in its order: one limit for both, core
    notes by their date where nothing was touched, and before all what is on the white list and not chosen."""
    rules = _rules(memory, home, settings)
    order, uses = _order(memory, home, rules, touches, settings, newest_first=False)
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
    white, black = (selection.listed(entries, bases) for entries in (settings.whitelist, settings.blacklist))
    return SelectionRules(folders, home.tops, white, black)


def _order(
    memory: Memory,
    home: ProjectHome,
    rules: SelectionRules,
    touches: Sequence[Touch],
    settings: TapeSettings,
    *,
    newest_first: bool,
) -> tuple[list[str], Mapping[str, Sequence[Touch]]]:
    """The files that may come first, in order, and what was done with each. Time is counted back from the
    last use: nothing changes while nothing is done."""
    if not touches or settings.strategy != "smart":
        return [], {}
    now = touches[-1].at
    used = selection.window(touches, now, settings.scan_hours, settings.scan_hours_max)
    uses: dict[str, list[Touch]] = {}
    for touch in used:
        uses.setdefault(touch.path, []).append(touch)
    since = min(used[0].at, now - settings.scan_hours * 3600)
    left = selection.boosts([*_handoffs(memory, home, since, now)], used)
    order = selection.ranked(selection.scores(used, left, now, newest_first=newest_first))[:_LOOKED_AT]
    silent = _ignored(memory, home, [path for path in order if rules.must_be_asked(path)])
    return [path for path in order if rules.lets_in(path, path in silent)], uses


def _handoffs(memory: Memory, home: ProjectHome, since: float, now: float) -> Iterator[tuple[float, bool]]:
    """When handoffs of the project were left since then, and whether a keyword asked for them."""
    files = memory.worktree.scan(TAPES).files if home.folder else {}
    of_home = {path: stamp for path, stamp in files.items() if tape_folder(path) == home.folder}
    recent = [path for path, stamp in of_home.items() if stamp.mtime_ns >= since * 1e9]
    shared = (
        anchor for path in recent for anchor in anchors_of(decode(memory.worktree.read(path) or b""), now)
    )
    for anchor in chain(shared, LocalTape(memory.state).handoffs(home.folder) if home.folder else ()):
        if anchor.type == "handoff" and (at := anchor.moment) >= since:
            yield at, anchor.trigger == "keyword"


def _ignored(memory: Memory, home: ProjectHome, paths: Sequence[str]) -> set[str]:
    """Those of these files that git ignores in their checkout; none where git can't be asked, or it hangs."""
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
