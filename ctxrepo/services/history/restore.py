"""A note or entry that was forgotten, archived or edited is brought back: which version, and to where."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.guard.refusals import WAYS, check_file
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.entry import Entry, added, entries_of, moved, normalised
from ctxrepo.domain.note.note import bump_updated, decode_exactly, encode
from ctxrepo.domain.project.layout import ARCHIVE, REGISTRY, is_archived, is_note
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.project.target import Target, ids_meant
from ctxrepo.domain.records.evidence import fate, marks, renamed
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import NotFound, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import TargetHistory, commit_named
from ctxrepo.services.history.versions import PastPlace, follow, whereabouts
from ctxrepo.services.locate.identify import Project, read_registry
from ctxrepo.services.notes.placing import completed, move
from ctxrepo.services.notes.requests import RestoreRequest
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.find import (
    destination_of,
    find_entry,
    places_of,
    scope_named,
    spelt,
    undeleted,
)
from ctxrepo.services.reading.marks import evidence_at, marks_now, named_in_evidence
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.describe import lines_of_change
from ctxrepo.services.saving.evidence import record, settle_keys, unforget
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED
from ctxrepo.storage.memory import Memory

_SUPERSEDED = "* it is superseded, as it was; `ctxrepo restore ^{}` once more has it hold"


@dataclass(frozen=True)
class RestoreResult:
    """Where it is now, the entry's `id` ('' for a note), its `source`; `existing`: it was there, and nothing
    was written. Where it took the place of something, `lines` tell what came (`+ `), went (`- `) or changed
    (`~ `)."""

    at: str
    id: str = field(default="", metadata=ENTRY_ID)
    source: str = ""
    existing: bool = False
    lines: tuple[str, ...] = ()


def restore(
    memory: Memory, request: RestoreRequest, project: Project | None, origin: Origin, now: datetime
) -> RestoreResult:
    """Bring back a note or an entry. NotFound when nobody knows of it; UsageError when the note is there and
    no version is asked for."""
    commit(memory, now)
    was = bygone(memory, request.target, project, request.version)
    work = _Restore(memory, request, project, origin, now, was)
    return work.note() if was.entry is None else work.entry(was.entry)


@dataclass(frozen=True)
class Bygone:
    """The note at `path` as it was, and the entry of it that is meant, if one is; `now` is its path by now,
    or its last one."""

    path: str
    text: str
    now: str
    entry: Entry | None = None
    is_gone: bool = True
    """Whether no note is at `now`."""
    masked: tuple[str, ...] = ()
    """Its lines in which a secret was masked, as `~ text`."""
    pinned: frozenset[str] = frozenset()
    """The ids of pinned entries, where reviewers declined all that says so."""


@dataclass(frozen=True)
class _Restore:
    memory: Memory
    request: RestoreRequest
    project: Project | None
    origin: Origin
    now: datetime
    was: Bygone

    def note(self) -> RestoreResult:
        path = self.was.now
        if not (self.was.is_gone or self.request.version):
            if is_archived(path):
                folder, _, rest = path.partition("/")
                return self._out_of_archive(Target(folder, rest), path)
            if path in undeleted(self.memory):
                raise Refused(f"what a hand deleted of {path} is held back", f"{WAYS}.")
            raise self._is_there(path)
        path = self._destination(path)
        with drafting(self.memory, "restore", self.origin, self.now) as draft:
            there = draft.there(path)
            if there not in (None, self.was.text) and not (self.request.version and self.request.to is None):
                raise Refused(f"there is a note {path} already", "`--to PATH` brings it back elsewhere.")
            draft.saying = path
            draft.put(path, self.was.text)
            before, after = (entries_of(p, self.was.text) for p in (self.was.path, path))
            named = named_in_evidence(self.memory, (entry.id for entry in before))
            unforget(draft, {entry.id for entry in before})
            self._as_sent(draft, after)
            for old, new in zip(before, after, strict=True):
                if old.id != new.id and old.id in named:
                    record(draft, "moved", old.id, path, self.now, to=new.id)
            lines = (*self.was.masked, *_lines(path, draft), *settle_keys(draft, self.now, comes_first=False))
            return RestoreResult(path, source=self.was.path, existing=there == self.was.text, lines=lines)

    def entry(self, old: Entry) -> RestoreResult:
        entry = None if self.request.version else self._entry_now(old)
        if entry is not None and is_archived(entry.path):
            return self._out_of_archive(Target(entry_id=entry.id), entry.path)
        if entry is not None and (entry.id == old.id or normalised(entry.text) == normalised(old.text)):
            is_struck = entry.id in marks_now(self.memory, [entry.id]).struck
            lines = self._state(entry) if is_struck else ()  # it was superseded, and holds again
            with drafting(self.memory, "restore", self.origin, self.now) as draft:
                draft.saying = normalised(entry.text)[:100]
                is_back = draft.put_back(entry)
            existing = not (is_struck or is_back)
            return RestoreResult(entry.at, entry.id, source=entry.at, existing=existing, lines=lines)
        path = self._destination(self.was.now)
        with drafting(self.memory, "restore", self.origin, self.now) as draft:
            draft.saying = normalised(old.text)[:100]
            there = draft.text(path)
            known = entries_of(path, there or "")
            successor = None if self.request.to else entry or self._edited(old, known)
            if successor is not None:
                return self._instead(draft, successor, old)
            content = normalised(old.text), old.heading
            if same := [e for e in known if (normalised(e.text), e.heading) == content]:
                return RestoreResult(same[0].at, same[0].id, existing=True)
            draft.put(path, bump_updated(_with_entry(path, there, old, self.was.text), day(self.now)))
            new = added(known, entries_of(path, draft.after[path] or ""))
            is_asked_for = bool(self.request.version or self.request.to)
            is_struck = self._comes_again(draft, old, new, holds=is_asked_for)
            self._as_sent(draft, [new])
            lines = (_SUPERSEDED.format(new.id),) if is_struck else ()
            lines = lines or settle_keys(draft, self.now, comes_first=True)
            return RestoreResult(new.at, new.id, source=self.was.path, lines=lines)

    def _entry_now(self, old: Entry) -> Entry | None:
        """The entry as it is by now, under whatever id, or what has its key now, if that is anywhere. What
        superseded it without its key is another fact."""
        evidence = evidence_in_view(self.memory).about([old.id])
        edited = fate((record for record in evidence if record.kind != "superseded"), old.id)[1]
        for entry_id in dict.fromkeys((old.id, edited, fate(evidence, old.id)[1])):
            with suppress(NotFound):
                entry = find_entry(self.memory, entry_id, self.project)[1]
                if entry_id in (old.id, edited) or _has_key_of(old, entry):
                    return entry
        return None

    def _edited(self, old: Entry, known: list[Entry]) -> Entry | None:
        """What the entry was edited to by hand; nothing tells of that but how alike the two are."""
        kind, _ = fate(evidence_in_view(self.memory).about([old.id]), old.id)
        was = entries_of(self.was.now, self.was.text)
        number = [e.first_line for e in entries_of(self.was.path, self.was.text)].index(old.first_line)
        pairs = () if kind else moved(was, known)
        new = next((new for before, new in pairs if before.id == was[number].id), None)
        return new if new and (not old.key or _has_key_of(old, new)) else None

    def _state(self, entry: Entry) -> tuple[str, ...]:
        """From now on the entry holds that was superseded, and not what has its key: a line about that."""
        with drafting(self.memory, "restore", self.origin, self.now) as draft:
            draft.saying = normalised(entry.text)[:100]
            record(draft, "stated", entry.id, entry.path, self.now)
            return settle_keys(draft, self.now, [entry], comes_first=True)

    def _instead(self, draft: Draft, successor: Entry, old: Entry) -> RestoreResult:
        """The entry takes its place back from what it was edited to, or what replaced it."""
        if normalised(successor.text) == normalised(old.text):
            return RestoreResult(successor.at, successor.id, existing=True)
        text = draft.text(successor.path) or ""
        number = [e.first_line for e in entries_of(successor.path, text)].index(successor.first_line)
        new_text = bump_updated(compose.replace(text, successor, old.text), day(self.now))
        draft.put(successor.path, new_text)
        new = entries_of(successor.path, new_text)[number]
        if fate(evidence_in_view(self.memory).about([old.id]), old.id)[0] == "superseded":
            record(draft, "superseded", successor.id, successor.path, self.now, to=new.id)
        self._comes_again(draft, old, new, holds=True)
        return RestoreResult(new.at, new.id, source=successor.at, lines=_lines(successor.path, draft))

    def _comes_again(self, draft: Draft, old: Entry, new: Entry, *, holds: bool) -> bool:
        """What was said of the entry is said again; whether it is superseded, as it was before it went. Where
        it `holds` by this, it is no more."""
        evidence = evidence_in_view(self.memory).about([old.id, new.id])
        unforget(draft, {old.id, new.id})
        if old.id != new.id and old.id in named_in_evidence(self.memory, [old.id]):
            record(draft, "moved", old.id, new.path, self.now, to=new.id)
        is_struck = bool({old.id, new.id} & marks(e for e in evidence if e.kind != "forgotten").struck)
        if is_struck and holds:
            record(draft, "stated", new.id, new.path, self.now)
        return is_struck and not holds

    def _as_sent(self, draft: Draft, entries: Sequence[Entry]) -> None:
        """Reviewers may have declined the pins, and the project of the folder, too."""
        for entry in entries:
            if entry.id in self.was.pinned:
                record(draft, "pinned", entry.id, entry.path, self.now)
        if self.project and any(entry.path.startswith(f"{self.project.folder}/") for entry in entries):
            draft.register(self.project)

    def _out_of_archive(self, target: Target, path: str) -> RestoreResult:
        renames = [] if target.entry_id else evidence_in_view(self.memory).renames()
        former = renamed(renames).get(path, [])
        folder, _, rest = (former[-1] if former else path).partition("/")
        to = self.request.to or Target(folder, rest.removeprefix(f"{ARCHIVE}/"))
        is_struck = target.entry_id in marks_now(self.memory, [target.entry_id]).struck
        result = move(self.memory, target, to, self.project, self.origin, self.now)
        lines = self._state(find_entry(self.memory, result.id, self.project)[1]) if is_struck else ()
        return RestoreResult(result.at, result.id, source=result.before, lines=(*result.lines, *lines))

    def _is_there(self, path: str) -> UsageError:
        former_paths = [p for p in (self.request.target.path, self.was.path) if p and not path.endswith(p)]
        if former_paths:
            return UsageError(f"{former_paths[0]} was moved to {path}", "`ctxrepo move` takes it back.")
        earlier = before_last_change(self.memory, self.request.target, self.project)
        hint = "`ctxrepo history` of it shows its versions; `--at COMMIT` brings one back."
        if earlier:
            hint = f"`--at {earlier[:10]}` is the version before its last change. {hint}"
        return UsageError(f"{path} is there; say which version you want", hint)

    def _destination(self, path: str) -> str:
        """Where it goes: to the note that is named, else back to `path`; not into the archive."""
        folder, _, rest = path.partition("/")
        if self.request.to is None:
            rest = rest if self.request.version else rest.removeprefix(f"{ARCHIVE}/")
            return spelt(self.memory, f"{_folder_by_now(self.memory, folder)}/{rest}")
        to = destination_of(self.memory, completed(self.request.to, rest), self.project)
        return spelt(self.memory, f"{scope_named(self.memory, to.scope, self.project).folder}/{to.path}")


def _lines(path: str, draft: Draft) -> tuple[str, ...]:
    """What a draft changes in a note that was there."""
    before, after = draft.before[path], draft.after[path]
    return tuple(lines_of_change(path, encode(before), encode(after or ""))) if before else ()


def _has_key_of(old: Entry, new: Entry) -> bool:
    return bool(old.key) and new.key.casefold() == old.key.casefold()


def _folder_by_now(memory: Memory, folder: str) -> str:
    """What a project's folder is called now that was lately called this; itself if none was, or one is."""
    registry, objects = read_registry(memory), memory.objects
    if folder not in (memory.global_folder, *registry.projects.values()):
        for key in dict.fromkeys(objects.recent_keys(memory.head, REGISTRY)):
            then = parse(decode_exactly(objects.data_or_empty(key or ""))).projects
            if now := next((registry.folder_of(p) for p, name in then.items() if name == folder), ""):
                return now
    return folder


def _with_entry(path: str, there: str | None, old: Entry, before: str) -> str:
    """The note with the entry where it stood, which `before` tells; with the head it had when it is gone."""
    title = old.heading[-1] if old.heading else ""
    if there is None:
        return compose.append(frontmatter.split(before)[0] + "\n", old.text, title)
    without = compose.replace(before, old, "")
    merged = merge_file(path, encode(without), encode(there), encode(before))
    text = decode_exactly(merged.data or b"")
    is_whole = len(entries_of(path, text)) == len(entries_of(path, there)) + 1
    return text if is_whole and not merged.conflict_copies else compose.append(there, old.text, title)


def bygone(memory: Memory, target: Target, project: Project | None, start: str = "") -> Bygone:
    """What the target names as it was last, or in the commit whose id begins with `start`. What no commit
    held is found among the last operations. NotFound where no version is known."""
    try:
        past = TargetHistory(memory, target, project)
    except NotFound as missing:
        with suppress(NotFound):
            return _on_no_branch(memory, target, project, start)
        raise missing
    was = past.entry
    places = past.places() if was and not start else ()
    # The last version that has the entry under the very id that was asked for.
    place = next((p for p in places if was and (e := was.at(p)) and e.id == past.id), None)
    place = past.place_at(commit_named(memory, start)) if start else place
    if place is None and was:
        return _on_no_branch(memory, target, project, start)
    past_path = place.path if place else past.path
    path, last = whereabouts(memory, past_path)
    if place is None and last is not None and (removed := _as_removed(memory, last.path)):
        return removed
    place = place or last or PastPlace(path, memory.objects.key_at(str(memory.head_tree), path))
    text = decode_exactly(memory.objects.data_or_empty(place.key or ""))
    entry = was.at(place) if was else None
    return Bygone(place.path, text, path, entry, is_gone=last is not None)


def _on_no_branch(memory: Memory, target: Target, project: Project | None, start: str) -> Bygone:
    """What no commit of the memory held: a command took it away first, or reviewers declined it."""
    try:
        return _uncommitted(memory, target, project, start)
    except NotFound:
        if version := _declined(memory, target, project):
            return version
        raise


def _declined(memory: Memory, target: Target, project: Project | None) -> Bygone | None:
    """The note or entry as it was sent to reviewers, who struck it out, the last of them first."""
    objects, head = memory.objects, memory.head_tree
    paths = [] if target.entry_id else places_of(memory, target, project)[1]
    refs = memory.refs.all(DECLINED) | memory.refs.all(DISMISSED)
    for _, tip in sorted(refs.items(), key=lambda ref: ref[0].rpartition("/")[2], reverse=True):
        tree = objects.tree_of(tip)
        for path, (was, key) in objects.diff(head, tree).items():
            if not key or not is_note(path):
                continue
            text = decode_exactly(objects.data_or_empty(key))
            entries = {entry.id: entry for entry in entries_of(path, text)}
            ids = ids_meant(target.entry_id, entries) if target.entry_id else []
            if path in paths or len(ids) == 1:
                pinned = marks(evidence_at(objects, tree)).pinned
                entry = entries[ids[0]] if ids else None
                return Bygone(path, text, path, entry, is_gone=was is None, pinned=pinned)
    return None


def before_last_change(memory: Memory, target: Target, project: Project | None) -> str:
    """The last commit in which the note read otherwise than now, '' when none did, or when a merge brought
    two versions together: neither has what the other had."""
    past = TargetHistory(memory, target, project)
    now = memory.objects.key_at(str(memory.head_tree), past.path)
    versions = (step for step, _ in past.steps() if step.is_version)
    step = next((s for s in versions if {was.key for was in s.before} - {None, now}), None)
    had = [commit for commit, was in zip(step.parents, step.before, strict=True) if was.key] if step else []
    return had[0] if len(had) == 1 else ""


def _as_removed(memory: Memory, path: str) -> Bygone | None:
    """The note as a command found it that removed it, with its secrets masked; what it wrote shortly before
    may be in no commit."""
    tip = memory.head
    assert tip is not None  # the note was in it
    removal = next((s for s in follow(memory.objects, tip, path) if s.now.key is None and s.is_version), None)
    for operation in memory.done_log.newest():
        for write in operation.writes if removal and operation.commit == removal.commit else ():
            if write.path == path and write.after is None and write.before is not None:
                # The write guard may refuse it: it was held back for its secrets, so no commit has it.
                refusals = check_file(path, encode(write.before), memory.settings.secrets.allow_secret)
                secret = {refusal.line for refusal in refusals if refusal.rule == "secret"}
                lines = enumerate(write.before.split("\n"), 1)
                masked = {number: mask(line) if number in secret else line for number, line in lines}
                notices = tuple(f"~ {masked[number].lstrip('-*+ ')}" for number in sorted(secret - {0}))
                return Bygone(path, "\n".join(masked.values()), path, masked=notices)
    return None


def _uncommitted(memory: Memory, target: Target, project: Project | None, start: str) -> Bygone:
    if start:
        raise NotFound("no commit ever had it", "`ctxrepo history` shows what happened.")
    paths = [] if target.entry_id else places_of(memory, target, project)[1]
    for operation in memory.done_log.newest():
        for write in operation.writes:
            if not is_note(write.path) or not write.before:
                continue
            entries = {e.id: e for e in entries_of(write.path, write.before)}
            ids = ids_meant(target.entry_id or target.word, entries)
            if target.lines and write.path in paths:  # the place at which it was forgotten
                ids = [e.id for e in entries.values() if e.first_line == target.lines[0]]
            if write.path in paths and write.after is None:
                return Bygone(write.path, write.before, write.path)
            if len(ids) == 1 and ids[0] not in {e.id for e in entries_of(write.path, write.after or "")}:
                there = memory.worktree.exists(write.path)
                return Bygone(write.path, write.before, write.path, entries[ids[0]], is_gone=not there)
    raise NotFound(
        "no commit has it, and no recent command took it away", "`ctxrepo history` shows what happened."
    )
