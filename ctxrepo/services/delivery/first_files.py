"""The notes and files that come first for a project: what sessions touched, and how it is selected."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.domain.tape import selection
from ctxrepo.domain.tape.anchors import anchors_of
from ctxrepo.domain.tape.selection import SelectionRules, is_below_one, is_ignored, nearest
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

_MOST_ACCESSES = 4000
"""So many of the newest lines of the log count."""

_WHITE = "on the white list"
"""Why a note is here that no session touched."""

_MOST_LISTED = 100
"""At most so many files come from a list."""

_MOST_ASKED = 300
"""Of at most so many files it is asked whether they may come first."""

_SPANS_OF_MD = 5


def update_recent_files(memory: Memory) -> bool:
    """Update what the cache says comes first, from the access log; False where nothing has changed."""
    may_doubt = memory.settings.project.trust == "open"
    known = read_checkouts(memory.places.state)
    checkouts = [c for c in known if c.project and (may_doubt or not c.claim)]
    settings, is_md = settings_by_owner(memory), memory.settings.delivery.preset == MD
    log = AccessLog(memory.state.access)
    sources = [*sorted((c.top, c.project, c.folder) for c in checkouts), settings, is_md, memory.cache.head]
    stamp = f"{log.stamp} {digest_of(repr(sources))}"
    if memory.cache.ask(stamp_of_part, RECENT) == stamp:
        return False
    touches = _with_real_paths(memory, _touches(log), [c.top for c in checkouts])
    firsts: dict[tuple[str, str], Sequence[FirstFile]] = {}
    for home, of_project in _by_project(memory, touches, checkouts):
        for owner, tape in settings.items():
            tops = tuple(top for top in home.tops if not is_below_one(top, tape.exclude_dirs))
            selector = _Selector(memory, replace(home, tops=tops), of_project, tape)
            files = (selector.for_md() if is_md else selector.for_index()) if tops else ()
            firsts[home.project, owner] = files
    memory.cache.change(put_first_files, firsts, stamp)
    return True


def _touches(log: AccessLog) -> list[Touch]:
    """What the newest accesses of the log did with files, the oldest first."""
    newest, end = islice(log.newest(), _MOST_ACCESSES), log.written
    touches = []
    for access in (access for access in newest if access.at >= 0):
        at = min(access.at, end)  # a clock that was ahead would keep what it dated first for as long
        kind = kind_of(access.tool, only_reads(access.agent, access.tool))
        session = f"{access.agent} {access.session}" if access.session else ""
        touches.append(Touch(at, access.path, kind, access.ranges, session))
    touches.reverse()
    return sorted(touches, key=lambda touch: touch.at)


def _with_real_paths(memory: Memory, touches: Sequence[Touch], tops: Sequence[str]) -> list[Touch]:
    """The touches of files that still exist, by their paths without links; none in a folder that hangs."""

    def folder(path: str) -> Path:
        return next((Path(top) for top in tops if is_below_one(path, (top,))), Path(path).parent)

    paths = dict.fromkeys(touch.path for touch in touches)
    real = {path: target for path, target in memory.outside.ask_each(paths, _real_path, folder) if target}
    return [replace(touch, path=real[touch.path]) for touch in touches if touch.path in real]


def _real_path(path: str) -> str:
    """The path of a file without links; '' where there is no file."""
    return os.path.realpath(path) if os.path.isfile(path) else ""


def _by_project(
    memory: Memory, touches: Sequence[Touch], checkouts: Sequence[CompiledCheckout]
) -> "Iterable[tuple[ProjectHome, list[Touch]]]":
    """Each project with its touches, oldest first; [] where only the lists of the settings tell."""
    root = os.path.realpath(memory.root)
    tops = {c.top: c.project for c in checkouts}
    folders = {c.folder: c.project for c in checkouts if c.folder}
    keys = dict.fromkeys(touch.session for touch in touches if touch.session)
    sessions = {key: _project_of(memory, key, tops, folders) for key in keys}
    by_project: dict[str, list[Touch]] = {c.project: [] for c in checkouts}
    for touch in touches:
        # A touch counts for the project of its session, and of the checkout which the file is in; a note that
        # nobody's session touched counts for its own project.
        session = sessions.get(touch.session, "")
        if is_below_one(touch.path, (root,)):
            projects = {session or folders.get(touch.path[len(root) + 1 :].partition("/")[0], "")}
        else:
            projects = {session, tops.get(nearest(touch.path, tops), "")}
        for project in projects & by_project.keys():
            by_project[project].append(touch)
    folder_of = {project: folder for folder, project in folders.items()}
    for project, of_project in by_project.items():
        own = tuple(top for top, its in tops.items() if its == project and os.path.isabs(top))
        yield ProjectHome(project, folder_of.get(project, ""), own, root), of_project


def _project_of(memory: Memory, key: str, tops: Mapping[str, str], folders: Mapping[str, str]) -> str:
    """The id of the project that a session is in, as its ledger says; '' where nobody knows."""
    agent, _, session = key.partition(" ")
    record = read_ledger(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    if record.project and record.project in folders:
        return folders[record.project]
    return tops.get(nearest(record.cwd, tops), "") if record.cwd else ""


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
        top = nearest(path, self.tops) or "/"
        return FirstFile(top, path if top == "/" else os.path.relpath(path, top), rank, why)


@dataclass(frozen=True)
class _Selector:
    """Selects what comes first for a project from its touches, oldest first, by the settings of one owner."""

    memory: Memory
    home: ProjectHome
    touches: Sequence[Touch]
    settings: TapeSettings

    def for_index(self) -> list[FirstFile]:
        """The notes that the index puts first and the files that the packet names, each up to its limit; what
        is on the white list comes first."""
        home, limit, white = self.home, self.settings.file_limit, self._white()
        order, uses = self._order(newest_first=True)
        indexed = self.memory.cache.ask(listed_notes, filter(None, map(home.note, (*white, *order))))
        notes = [path for path in order if home.note(path) in indexed]
        files: dict[str, str] = {}
        for path in order:  # without those that another checkout of the project has before them
            if not home.note(path):
                files.setdefault(home.first(path, 0, "").path, path)
        best = [*notes[:limit], *[*files.values()][:limit]]
        ranks = {path: rank for rank, path in enumerate(best, 1)}
        firsts: dict[str, FirstFile] = {}
        for path in (*white, *best):
            touches, note = uses.get(path, ()), home.note(path)
            if note and note not in indexed:
                continue
            why = _WHITE if path not in ranks else summary(touches) if note else ", ".join(focus(touches))
            first = home.first(path, ranks.get(path, 0), why)
            firsts.setdefault(first.path, first)
        return list(firsts.values())

    def for_md(self) -> list[FirstFile]:
        """The notes and files that pi-memory-md delivers with its tape, in its order: one limit for both,
        core notes by their date where nothing was touched, and before all what is on the white list and not
        chosen."""
        home, limit = self.home, self.settings.file_limit
        order, uses = self._order(newest_first=False)
        if not uses:
            order = [path for path in self._newest_core()[:limit] if self._rules.lets_in(path)]
        spans = {path: ", ".join(focus(uses.get(path, ()), _SPANS_OF_MD)) for path in order[:limit]}
        return [
            *(home.first(path, 0, "") for path in self._white() if path not in spans),
            *(home.first(path, rank, why) for rank, (path, why) in enumerate(spans.items(), 1)),
        ]

    @cached_property
    def _rules(self) -> SelectionRules:
        home, settings = self.home, self.settings
        folders = tuple(f"{home.root}/{name}" for name in (home.folder, self.memory.global_folder) if name)
        bases = (*folders[:1], home.root, *home.tops)
        white, black = (selection.listed(paths, bases) for paths in (settings.whitelist, settings.blacklist))
        return SelectionRules(folders, home.tops, white, black)

    def _order(self, *, newest_first: bool) -> tuple[list[str], Mapping[str, Sequence[Touch]]]:
        """The files that may come first, in order, and what was done with each. Time is counted back from the
        last use: nothing changes while nothing is done."""
        settings = self.settings
        if not self.touches or settings.strategy != "smart":
            return [], {}
        now = self.touches[-1].at
        window = selection.window(self.touches, now, settings.scan_hours, settings.scan_hours_max)
        uses: dict[str, list[Touch]] = {}
        for touch in window:
            uses.setdefault(touch.path, []).append(touch)
        since = min(window[0].at, now - settings.scan_hours * 3600)
        boosts = selection.boosts([*self._handoffs(since, now)], window)
        scores = selection.scores(window, boosts, now, newest_first=newest_first)
        order = selection.ranked(scores)[:_MOST_ASKED]
        ignored_files = self._ignored([path for path in order if self._rules.must_be_asked(path)])
        return [path for path in order if self._rules.lets_in(path, path in ignored_files)], uses

    def _handoffs(self, since: float, now: float) -> Iterator[tuple[float, bool]]:
        """When handoffs of the project were left since then, and whether a keyword asked for them."""
        folder, worktree = self.home.folder, self.memory.worktree
        if not folder:
            return
        files = worktree.scan(TAPES).files.items()
        recent = [p for p, stamp in files if tape_folder(p) == folder and stamp.mtime_ns >= since * 1e9]
        shared = (anchor for path in recent for anchor in anchors_of(decode(worktree.read(path) or b""), now))
        for anchor in chain(shared, LocalTape(self.memory.state).handoffs(folder)):
            if anchor.type == "handoff" and (at := anchor.moment) >= since:
                yield at, anchor.trigger == "keyword"

    def _ignored(self, paths: Sequence[str]) -> set[str]:
        """Those of these files that git ignores in their checkout; none where git doesn't answer."""
        ignored_files: set[str] = set()
        for top in self.home.tops:
            inside = [path for path in paths if self.home.first(path, 0, "").top == top]
            if inside:
                question = partial(ignored, Path(top), inside, self.memory.env)
                with suppress(CtxrepoError):
                    ignored_files |= self.memory.outside.ask(Path(top), question)
        return ignored_files

    def _newest_core(self) -> list[str]:
        """The project's core notes, the one first that was written last."""
        core = f"{self.home.folder}/core"
        files = self.memory.worktree.scan(core).files if self.home.folder else {}
        notes = [path for path in files if path.endswith(".md") and not is_ignored(path, core)]
        return [f"{self.home.root}/{path}" for path in sorted(notes, key=lambda p: (-files[p].mtime_ns, p))]

    def _white(self) -> list[str]:
        """The files that the white list brings and the black list leaves, in the order of the list."""
        rules = self._rules
        files = dict(self.memory.outside.ask_each(rules.white, _files_at, lambda path: Path(path).parent))
        paths = dict.fromkeys(path for place in rules.white for path in files.get(place, ()))
        return [path for path in paths if not rules.is_listed_out(path)][:_MOST_LISTED]


def _files_at(place: str) -> list[str]:
    """The file itself, or those in a folder without what is ignored everywhere."""
    if os.path.isfile(place):
        return [os.path.realpath(place)]
    return sorted(_below(os.path.realpath(place)))[:_MOST_LISTED]


def _below(folder: str) -> Iterable[str]:
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_ignored(f"{at}/{name}", at))
        yield from (f"{at}/{name}" for name in names if not is_ignored(f"{at}/{name}", at))
