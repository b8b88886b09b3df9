"""What happened to the memory, to one note, or to one entry, newest first."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice

from ctxrepo.domain.git.commit import MAX_LINE, Writers, lines_of, subject_of, writers_of
from ctxrepo.domain.guard.bounds import FILE_BYTES
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import is_archived, is_note, shown
from ctxrepo.domain.project.target import Target, ids_meant, resolve_id
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.history.versions import (
    PastEntry,
    PastPlace,
    Step,
    changes,
    find_past_entry,
    follow,
    former_paths,
    renamed_to,
    whereabouts,
)
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import note_paths, places_of
from ctxrepo.services.reading.marks import records_about, records_made
from ctxrepo.services.reading.targets import resolve
from ctxrepo.services.saving.describe import lines_of_change
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects

MAX_LINES = 12
"""Lines that tell what a commit did to a file; a note of a thousand entries is not told entry by entry."""

_START = lazy_pattern(r"[0-9a-fA-F]{1,40}")


@dataclass(frozen=True)
class CommitSummary:
    """What one commit did: to the memory, or (with `path`) to the file or entry that was asked for. `lines`
    tell of entries: added (`+ `), edited (`~ `), removed (`- `), of the memory's only the first, and `more`
    counts further ones. `author` is git's; `writers` is empty for a commit made by hand."""

    commit: str
    when: datetime
    author: str
    writers: Writers
    subject: str
    path: str = ""
    lines: tuple[str, ...] = ()
    more: int = 0


@dataclass(frozen=True)
class Old:
    """A version as `commit` has it: the bytes of the note at `path`, or of the entry that was asked for."""

    commit: str
    path: str
    data: bytes


def history(
    memory: Memory, target: Target | None, project: Project | None, limit: int
) -> list[CommitSummary]:
    """The last `limit` commits, or those that changed what the target names; NotFound when none did."""
    tip = memory.head
    objects = memory.objects
    if target is None:
        commits = (commit for commit, _, _ in objects.walk(tip)) if tip else iter(())
        return deeds(memory, islice(commits, limit))
    past = TargetHistory(memory, target, project)
    summaries = list(islice(past.deeds(), limit))
    if not summaries:
        raise NotFound(f"no commit has {past.name} yet", "`ctxrepo sync` commits what is written.")
    return summaries


def deeds(memory: Memory, commits: Iterable[str]) -> list[CommitSummary]:
    """What each of these commits did to the memory."""
    objects = memory.objects
    pairs = ((commit, lines_of(objects.header_of(commit).message)) for commit in commits)
    return [_deed(objects, commit, lines=lines, room=1) for commit, lines in pairs]


def version(memory: Memory, target: Target, project: Project | None, start: str) -> Old:
    """What the target names as it was in the commit whose id begins with `start`, under the name that its
    note had there. NotFound when it isn't there; UsageError when `start` is no such beginning."""
    commit = commit_named(memory, start)
    past = TargetHistory(memory, target, project)
    place = past.place_at(commit)
    entry = past.entry.at(place) if past.entry else None
    data = encode(f"{entry.text}\n") if entry else memory.objects.data(str(place.key))
    return Old(commit, place.path, data)


def records_of(memory: Memory, deed: CommitSummary) -> list[Evidence]:
    """What was recorded with a commit of the entries that it made or changed; nothing where no session has a
    part in it."""
    if not deed.writers.sessions:
        return []
    parents = [] if deed.commit in memory.refs.shallow() else memory.objects.parents(deed.commit)
    return records_made(memory.objects, deed.commit, parents)


def deed_by_record(
    deed: CommitSummary, records: Iterable[Evidence], ids: Collection[str], *, is_origin: bool = False
) -> CommitSummary:
    """A commit as it is told of the entry with these ids: of several that wrote what it holds only the one
    whom the last of its `records` names that is about it; the first record of its origin. Of what an agent's
    tool or an editor removed there is none."""
    whose = deed.writers
    entry_records = [record for record in records if {record.entry, record.to} & {*ids}]
    if not entry_records:
        return deed
    record = entry_records[0 if is_origin else -1]
    if record.session and record.session not in whose.sessions:
        return deed
    is_sure = len(whose.sessions) == 1 and bool(record.session)
    narrow = replace(
        whose,
        sessions=(record.session,) if record.session else (),
        agents=whose.agents if is_sure else (),
        hosts=(record.host,) if record.host else whose.hosts,
    )
    return replace(deed, writers=narrow)


class TargetHistory:
    """The past of a file, or of an entry of it (`id`, all of it, else ''). `path` is where it is, or was last
    as far as its name tells."""

    def __init__(self, memory: Memory, target: Target, project: Project | None) -> None:
        self._objects = memory.objects
        self._tip = memory.head
        self.entry: PastEntry | None = None
        self.id = ""
        self.path, name = "", target.entry_id
        if not name and not target.lines:
            self.path = self._there(places_of(memory, target, project)[1])
        if not name and not self.path:
            self.path, name = _now(memory, target, project)
        self.name = f"^{name}" if name else self.path
        if name:
            self.path, ids = find_past_entry(memory, name, project)
            self.id = max((known for known in ids if known.startswith(name)), key=len)
            moves = (e for e in records_about(memory, ids, ()) if e.kind == "moved")
            self.entry = PastEntry(self._objects, ids, {e.entry for e in moves})

    def deeds(self) -> Iterator[CommitSummary]:
        for step, entry_lines in self.steps():
            if lines := entry_lines if self.entry else _lines(self._objects, step):
                yield self.deed_of(step, lines)

    def deed_of(self, step: Step, lines: Sequence[str] = ()) -> CommitSummary:
        """What a step did, in these `lines`, else in some that are made now."""
        return _deed(self._objects, step.commit, step.now.path, lines or _lines(self._objects, step))

    def place_at(self, commit: str) -> PastPlace:
        """The file that has it in `commit`; NotFound where none has."""
        tree = str(self._objects.tree_of(commit))
        names = {self.path: None}
        for step, _ in self.steps():
            names |= {place.path: None for place in (step.now, *step.before)}
        places = (PastPlace(name, self._objects.key_at(tree, name)) for name in names)
        # A note that the entry came to later may have been there before it.
        if place := next((place for place in places if self._has(place)), None):
            return place
        raise NotFound(f"{self.name} is not in {commit[:10]}", "`ctxrepo history` of it shows where it is.")

    def places(self) -> Iterator[PastPlace]:
        """Every file that has it, the newest first."""
        for step, _ in self.steps():
            yield from (place for place in (step.now, *step.before) if self._has(place))

    def _has(self, place: PastPlace) -> bool:
        return place.key is not None and (self.entry is None or self.entry.at(place) is not None)

    def steps(self) -> Iterator[tuple[Step, list[str]]]:
        """Each step, the newest first, and what it did to the entry; then those of the note it came from."""
        tip, path = self._tip, self.path
        while tip and path:
            steps, tip = follow(self._objects, tip, path), None
            for step in steps:
                lines = self.entry.lines(step) if self.entry else []
                is_new = bool(lines) and lines[0].startswith("+")
                if self.entry and is_new and (former := self.entry.came_from(step)):
                    yield step, [f"* moved from {former}", *lines]
                    tip, path = step.parents[0], former
                    break
                yield step, lines

    def _there(self, paths: Sequence[str]) -> str:
        """The first of the paths that is in the newest commit, else the first that ever was in one, or ''."""
        for tip in (self._tip,) if self._tip else ():
            tree = str(self._objects.tree_of(tip))
            for path in paths:
                if self._objects.key_at(tree, path) is not None:
                    return path
            for path in chain(paths, former_paths(self._objects, tip, paths)):
                if next(follow(self._objects, tip, path), None) is not None:
                    return path
        return ""


def _now(memory: Memory, target: Target, project: Project | None) -> tuple[str, str]:
    """(path, id of the entry or '') of what a target names today, when no commit has a note of its path."""
    try:
        note, entry = resolve(memory, target, project)
    except NotFound as error:
        if target.lines:
            raise
        if path := gone_note(memory, target, project):
            return path, ""
        if target.word:
            return "", target.word
        raise NotFound(
            f"no commit has or had {' or '.join(places_of(memory, target, project)[1])}",
            "`ctxrepo list` shows the notes there are; one that is gone is found by its name as well.",
        ) from error
    return note.path, entry.id if entry else ""


def gone_note(memory: Memory, target: Target, project: Project | None) -> str:
    """The path of the archived or removed note of this name, with or without its folders; '' for none.
    UsageError where several may be meant, NotFound naming the note of another scope."""
    folders, _ = places_of(memory, target, project)
    paths = [path for path in note_paths(memory) if is_archived(path)]
    file_changes = changes(memory.objects, memory.head)  # the last one first
    removed = (path for path, old, new in file_changes if old and not new and is_note(path))
    removed = (path for path in removed if not memory.worktree.exists(path))
    candidates = [path for path in (*paths, *removed) if path.endswith(f"/{target.path}")]
    candidates = [path for path in candidates if path in paths or whereabouts(memory, path)[0] not in paths]
    here = list(dict.fromkeys(path for path in candidates if path.partition("/")[0] in folders))
    if len(here) > 1:
        raise UsageError(
            f"{len(here)} notes that are gone are named {target.path}", f"They are {', '.join(here)}."
        )
    if candidates and not here:
        scope, _, rest = candidates[0].partition("/")
        raise NotFound(
            f"no note {target.path} was in {' or '.join(folders)}", f"You may mean {scope}:{rest}."
        )
    return here[0] if here else ""


def _lines(objects: Objects, step: Step) -> list[str]:
    """What a version of a file changed against what it was made from: of a merge, what neither side had."""
    if not step.is_version:
        return []
    now = step.now
    before, *others = [place for place in step.before if place.key] or [PastPlace(now.path, None)]
    if any(place.key and objects.is_large(place.key) for place in (before, now, *others)):
        return [f"* larger than {FILE_BYTES.most // 2**20} MiB, here or before"]

    def lines_since(place: PastPlace) -> list[str]:
        was, new = (None if side.key is None else objects.data(side.key) for side in (place, now))
        return lines_of_change(now.path, was, new)

    lines = lines_since(before)
    if before.key is None:
        return ["* new", *lines]
    if now.key is None:
        there = renamed_to(objects, step)
        return [f"* renamed to {there}"] if there else ["* removed", *lines]
    if others:
        sides = [lines_since(other) for other in others]
        return ["* merged", *(line for line in lines if all(line in side for side in sides))]
    if before.path != now.path:
        return [f"* renamed from {before.path}", *lines]
    return lines or ["* what is no entry: its head, headings or blank lines"]


def _deed(
    objects: Objects, commit: str, path: str = "", lines: Sequence[str] = (), room: int = 0
) -> CommitSummary:
    header = objects.header_of(commit)
    room = room or (MAX_LINES if len(lines) <= MAX_LINES else MAX_LINES - 1)
    return CommitSummary(
        commit=commit,
        when=header.when,
        author=header.author,
        writers=writers_of(header.message),
        subject=subject_of(header.message),
        path=path,
        lines=tuple(shown(line, MAX_LINE) for line in lines[:room]),
        more=len(lines) - len(lines[:room]),
    )


def commit_named(memory: Memory, start: str) -> str:
    """The one commit whose id begins so, of the branch or, if that has none, of those made here lately."""
    tip = memory.head
    if not _START.fullmatch(start):
        raise UsageError(
            f"{shown(start, 60)} is no commit", "An id is hex digits, as `ctxrepo history` shows."
        )
    start = start.lower()
    commits = ids_meant(start, (c for c, _, _ in memory.objects.walk(tip)) if tip else ())
    commits = commits or [c for c in ids_meant(start, memory.verdicts.read().own) if memory.objects.has(c)]
    missing = f"there is no commit {start} in the memory"
    return resolve_id(start, commits, missing, "`ctxrepo history` shows them.")
