"""What changed in the memory: between two commits or moments, up to now, or by one session."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.commit import Writers, writers_of
from ctxrepo.domain.project.layout import INBOX, REGISTRY, TAPES
from ctxrepo.domain.project.target import Target, resolve_id
from ctxrepo.errors import NotFound, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import CommitSummary, TargetHistory, deed_by_record, deeds, records_of
from ctxrepo.services.history.net_changes import ChangedFile, Files, NetChange, NetChanges
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.targets import resolve
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.state.committed_records import KeptOutFile

_COMMITS = 5_000
"""Commits that are looked through for who made a change."""

_SLOP = 5
"""So many commits in a row must be older than a moment: clocks of machines differ."""


@dataclass(frozen=True)
class CommitSpan:
    """From a commit, None for before the first one, to another, or to what is on disk (`is_now`)."""

    start: str | None
    end: str | None
    is_now: bool = False
    is_cut: bool = False
    """The history on this machine begins later than it was asked for."""


@dataclass(frozen=True)
class MemoryChanges:
    """What changed, by file. `contents` are the files that differ: former path, path, bytes before, after."""

    files: Sequence[ChangedFile]
    contents: Sequence[tuple[str, str, bytes | None, bytes | None]]
    others: Sequence[str] = ()
    """Other sessions that the same commits name: of what no record tells apart, some may be theirs."""


@dataclass(frozen=True)
class Wanted:
    """What is looked at: all, or a note by the `paths` that it had, of it an entry by its `ids`."""

    paths: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()

    def of(self, files: Sequence[ChangedFile]) -> list[ChangedFile]:
        """What of these files is wanted."""
        if self.ids:
            parts = (replace(f, changes=[c for c in f.changes if c.ids & self.ids]) for f in files)
            return [file for file in parts if file.changes]
        return [f for f in files if not self.paths or {f.path, f.former} & self.paths]

    def has(self, path: str) -> bool:
        """Whether a file may be of it."""
        return not self.paths or path in self.paths


def wanted(memory: Memory, target: Target | None, project: Project | None) -> Wanted:
    """What a target names, through its moves; NotFound where nothing is or was called so."""
    if target is None:
        return Wanted()
    try:
        past = TargetHistory(memory, target, project)
    except NotFound:
        note, entry = resolve(memory, target, project, follows=True)
        return Wanted(frozenset({note.path}), frozenset({entry.id} if entry else ()))
    places = [place for step, _ in past.steps() for place in (step.now, *step.before)]
    if past.entry is None:
        return Wanted(frozenset({past.path, *(place.path for place in places if place.key)}))
    paths = {place.path for place in places if past.entry.at(place)}
    ids = {entry.id for place in places if (entry := past.entry.at(place))}
    return Wanted(frozenset({past.path, *paths}), frozenset({past.id, *ids}))


def commit_at(memory: Memory, moment: datetime) -> tuple[str | None, bool]:
    """The commit that the branch was at in a moment: from the newest back along first parents the first one
    that isn't younger. None for before all; then also whether older ones are not on this machine."""
    objects, commit, younger, older = memory.objects, memory.head, None, 0
    candidate: str | None = None
    while commit and older < _SLOP:
        if objects.header_of(commit).when > moment:
            younger, older, candidate = commit, 0, None
        else:
            older += 1
            candidate = candidate or commit
        is_cut = commit in memory.refs.shallow() if younger == commit else False
        parents = [] if is_cut else objects.parents(commit)
        if not parents:
            return candidate, is_cut and candidate is None
        commit = parents[0]
    return candidate, False


def changes(memory: Memory, span: CommitSpan, wanted: Wanted) -> MemoryChanges:
    """What is different between the two ends."""
    waiting = _not_committed(memory) if span.is_now else []
    net = NetChanges()
    net.add(_files(memory, span, waiting, wanted))
    files = wanted.of(net.files())
    changed_files = _attributed(memory, span, files, waiting)
    changed_files = _by_records(memory, changed_files)
    return MemoryChanges(changed_files, _contents(net, files))


def session_changes(memory: Memory, name: str, wanted: Wanted) -> tuple[str, MemoryChanges]:
    """The session whose id begins so, and what it left: all that the commits with its trailer did, whatever
    others did between them. NotFound or UsageError where none or several are meant."""
    objects = memory.objects
    commits: list[tuple[str, Writers]] = []
    for commit, _, _ in objects.walk(memory.head) if memory.head else ():
        writers = writers_of(objects.header_of(commit).message)
        if any(session.startswith(name) for session in writers.sessions):
            commits.append((commit, writers))
    waiting = {s.by.session for s in memory.journal.read() if s.by.session.startswith(name)}
    sessions = {s for _, w in commits for s in w.sessions if s.startswith(name)} | waiting
    hint = "`ctxrepo history` shows which sessions wrote."
    session = resolve_id(name, sessions, f"no commit names a session {name}", hint)
    own = [commit for commit, writers in commits if session in writers.sessions]
    net = NetChanges()
    for deed in reversed(deeds(memory, own)):
        net.add(_files_of(objects, deed.commit), deed)
    saves = [s for s in memory.journal.read() if s.by.session == session and _is_shown(s.path)]
    for save in saves:
        net.add({save.path: (save.base, save.after)})
    paths = {save.path for save in saves}
    files = [replace(file, is_waiting=file.path in paths) for file in wanted.of(net.files())]
    parts = [_of_session(session, file) for file in _by_records(memory, files)]
    files = [part for part, file in zip(parts, files, strict=True) if part.changes or not file.changes]
    others = {s for _, w in commits for s in w.sessions if session in w.sessions} - {session}
    contents = _contents(net, files)
    return session, MemoryChanges(files, contents, sorted(others))


def _by_records(memory: Memory, files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """The files, each change by whom its record names, where its commit holds what several wrote."""
    shared = {c.deed.commit: c.deed for f in files for c in f.changes if c.deed}
    made = {commit: records_of(memory, deed) for commit, deed in shared.items()}

    def by_record(change: NetChange) -> NetChange:
        deed = change.deed
        return replace(change, deed=deed_by_record(deed, made[deed.commit], {change.id})) if deed else change

    return [replace(file, changes=[by_record(change) for change in file.changes]) for file in files]


def _of_session(session: str, file: ChangedFile) -> ChangedFile:
    """The file without changes that others made, by what records say of commits that they share."""
    own = [c for c in file.changes if c.deed is None or session in c.deed.writers.sessions]
    return replace(file, changes=own)


def _contents(
    net: NetChanges, files: Sequence[ChangedFile]
) -> list[tuple[str, str, bytes | None, bytes | None]]:
    paths = {file.path for file in files}
    return [content for content in net.contents() if content[1] in paths]


def _is_shown(path: str) -> bool:
    """Whether a file is memory and no bookkeeping: records, anchors, the registry and proposals are."""
    return "/" in path and not path.startswith((".", f"{TAPES}/", f"{INBOX}/")) and path != REGISTRY


def _files(memory: Memory, span: CommitSpan, waiting: Sequence[str], wanted: Wanted) -> Files:
    objects = memory.objects
    old, new = objects.tree_of(span.start), objects.tree_of(span.end)
    changes = {p: keys for p, keys in objects.diff(old, new).items() if _is_shown(p) and wanted.has(p)}
    files = {
        p: (objects.file_or_none(was), objects.file_or_none(now)) for p, (was, now) in sorted(changes.items())
    }
    for path in filter(wanted.has, waiting):
        try:
            data = memory.worktree.read(path)
        except Unreadable:
            continue
        before = files[path][0] if path in files else objects.find(old, path)
        files.pop(path, None)
        if before != data:
            files[path] = (before, data)
    return files


def _not_committed(memory: Memory) -> list[str]:
    """The files that no commit holds as they are on disk: what is held back, and what was just written."""
    from ctxrepo.services.saving.committed import committed_already

    paths = {hold.refusal.path for hold in KeptOutFile(memory.state.held).read().held}
    if memory.why_read_only or not committed_already(memory):
        from ctxrepo.services.saving.pending import find_pending  # slow to import, and rarely anything waits

        paths |= find_pending(memory, memory.head_tree).grounds.keys()
    return sorted(filter(_is_shown, paths))


def _files_of(objects: Objects, commit: str, among: Collection[str] | None = None) -> Files:
    """What a commit did to each file (`among` these); of a merge only what it left as no parent has it."""
    changes = {path: keys for path, keys in objects.changed_by(commit).items() if _is_shown(path)}
    if among is not None:  # and what a note that came may have been called before
        has_come = any(was is None for path, (was, _) in changes.items() if path in among)
        changes = {p: k for p, k in changes.items() if p in among or (has_come and k[1] is None)}
    return _read(objects, changes)


def _read(
    objects: Objects, files: Mapping[str, tuple[Key | None, Key | None]]
) -> dict[str, tuple[bytes | None, bytes | None]]:
    read = objects.file_or_none
    return {path: (read(was), read(now)) for path, (was, now) in sorted(files.items())}


def _attributed(
    memory: Memory, span: CommitSpan, files: Sequence[ChangedFile], waiting: Collection[str]
) -> list[ChangedFile]:
    """The files with the newest commit that left each entry so, through renames; of what is `waiting` only
    what a commit has just so."""
    objects = memory.objects
    ends = {name: {f.path} for f in files for name in (f.path, f.former) if name}  # -> its paths at the end
    touched: dict[str, str] = {}
    by_sign: dict[tuple[str, str, bool], str] = {}
    unknown = {_sign(f.path, c) for f in files for c in f.changes} | {(f.path, "", False) for f in files}
    commits = objects.new_commits(span.end, span.start) if span.end and files else iter(())
    for commit in islice(commits, _COMMITS):
        if not unknown:
            break
        net = NetChanges()
        net.add(_files_of(objects, commit, ends.keys()))
        for part in net.files():
            for path in ends.get(part.path, ()):
                touched.setdefault(path, commit)
                for sign in {*(_sign(path, change) for change in part.changes), (path, "", False)} & unknown:
                    by_sign[sign] = commit
                    unknown.discard(sign)
            if part.former:
                ends.setdefault(part.former, set()).update(ends.get(part.path, ()))
    summaries = {deed.commit: deed for deed in deeds(memory, {*by_sign.values(), *touched.values()})}

    def deed_of(path: str, sign: tuple[str, str, bool]) -> CommitSummary | None:
        return summaries.get(by_sign.get(sign) or ("" if path in waiting else touched.get(path, "")))

    return [
        replace(
            file,
            changes=[replace(c, deed=deed_of(file.path, _sign(file.path, c))) for c in file.changes],
            deed=deed_of(file.path, (file.path, "", False)),
            is_waiting=file.path in waiting,
        )
        for file in files
    ]


def _sign(path: str, change: NetChange) -> tuple[str, str, bool]:
    """By which a change is known again in the commit that made it."""
    return path, change.after or change.before, not change.after
