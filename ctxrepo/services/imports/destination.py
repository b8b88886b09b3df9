"""Where what a source holds goes: planned note by note, shown, then put by the way that every write goes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ctxrepo.domain.formats.moment import counted, day
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.supplement import closed_note, gist
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import decode, decode_exactly, encode, utf16
from ctxrepo.domain.project.layout import TAPES, tape_folder, tapes_of
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import Anchor, to_line
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.leave_anchor import append_to_tape
from ctxrepo.services.imports.bookkeeping import (
    PlannedFile,
    RecordsHere,
    brought_back,
    planned_files,
    records_here,
)
from ctxrepo.services.imports.fitting import FittedNote, KnownEntries, fitted
from ctxrepo.services.inbox.staging import require_person
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.projects.sparse import widen_to_named
from ctxrepo.services.repository.configure import change, setting_now
from ctxrepo.services.saving.evidence import new_record, record_all
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.sources.source import SourceContents, SourceNote, SourceSetting, SourceTape
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class PlannedNote:
    """A note of the source, and what it comes to here."""

    note: SourceNote
    fitted: FittedNote


@dataclass(frozen=True)
class PlannedTape:
    """A tape of the source; the anchors in `new` aren't on ours, and `refused` more hold a secret."""

    tape: SourceTape
    new: tuple[Anchor, ...]
    refused: int = 0


@dataclass(frozen=True)
class PlannedSetting:
    """A change of config.toml; `kept` says why there is none, or ''."""

    setting: SourceSetting
    was: str
    kept: str = ""


@dataclass(frozen=True)
class ImportPlan:
    """What would be done for one place of a source, which has these `contents`."""

    contents: SourceContents
    notes: tuple[PlannedNote, ...]
    tapes: tuple[PlannedTape, ...] = ()
    files: tuple[PlannedFile, ...] = ()
    settings: tuple[PlannedSetting, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        notes = any(note.fitted.changes for note in self.notes)
        settings = any(not setting.kept for setting in self.settings)
        lines = (*(tape.new for tape in self.tapes), *(file.new for file in self.files))
        return notes or settings or any(lines)

    @property
    def refused(self) -> bool:
        """Whether the write guard holds something back."""
        notes = any(note.fitted.refused for note in self.notes)
        files = any(file.refused for file in self.files)
        return notes or files or any(tape.refused for tape in self.tapes)


@dataclass(frozen=True)
class MemoryDestination:
    """The memory; `project` is that of the current folder, `interpreter` the Python that hooks start.
    `commit_pending` commits what waits, and tells where it can't."""

    memory: Memory
    origin: Origin
    now: datetime
    interpreter: str
    commit_pending: Callable[[], object]
    project: Project | None = None

    def plan(self, places: Sequence[SourceContents]) -> list[ImportPlan]:
        """What an import of these would do to the memory. What lives here is looked up in the cache: for that
        a sparse clone brings the projects that these are of, and what waits is committed."""
        folders = {note.path.partition("/")[0] for contents in places for note in contents.notes}
        folders.update(folder for contents in places for folder in contents.folders.values())
        widen_to_named(self.memory, folders, self.now)
        self.commit_pending()
        known = KnownEntries(self.memory, day(self.now))
        return [self._planned(contents, known) for contents in places]

    def _planned(self, contents: SourceContents, known: KnownEntries) -> ImportPlan:
        read = partial(_text, self.memory)
        return ImportPlan(
            contents,
            tuple(PlannedNote(note, fitted(note, known, read)) for note in contents.notes),
            tuple(_planned_tape(self.memory, tape) for tape in contents.tapes),
            tuple(planned_files(contents, known, read)),
            tuple(_setting(self.memory, setting) for setting in contents.settings),
        )

    def put(self, plans: Sequence[ImportPlan]) -> list[ImportPlan]:
        """Write files, notes and anchors in one operation, and settings into config.toml. The plans are made
        anew under the write lock: somebody may have written meanwhile."""
        changing = [plan for plan in plans if plan.changes]
        put = changing
        if any(plan.notes or plan.tapes or plan.files for plan in changing):
            with drafting(self.memory, "import", self.origin, self.now) as draft:
                known = KnownEntries(self.memory, day(self.now))
                put = [_put(draft, plan, known, self.now) for plan in changing]
                entries = sum(note.fitted.new for plan in put for note in plan.notes)
                anchors = sum(len(tape.new) for plan in put for tape in plan.tapes)
                parts = [counted(entries, "entry", "entries")] if entries or not anchors else []
                parts += [counted(anchors, "anchor")] if anchors else []
                draft.saying = f"{' and '.join(parts)} from {changing[0].contents.source}"
                if (project := self.project) is not None:
                    own = (f"{project.folder}/", f"{tapes_of(project.folder)}/")
                    draft.register(project if any(path.startswith(own) for path in draft.after) else None)
        for planned in (setting for plan in changing for setting in plan.settings if not setting.kept):
            key, value = planned.setting.key, planned.setting.value
            change(self.memory.places, self.memory.env, key, value, self.interpreter)
        new_plans = iter(put)
        return [next(new_plans) if plan.changes else plan for plan in plans]


def _put(draft: Draft, plan: ImportPlan, known: KnownEntries, now: datetime) -> ImportPlan:
    """The plan made anew beside what is there by then, and put into the draft. What was said of entries comes
    first, on the disk too: of a run that is killed no entry is left without it."""
    require_person(draft.memory, draft.agent, plan.contents.folders.values(), "what was said of entries")
    files = []
    for file in planned_files(plan.contents, known, draft.there):
        if file.new:
            draft.put(file.path, file.text)
        files.append(file)
    notes = _put_notes(draft, plan, known, now)
    tapes = tuple(_put_anchors(draft, tape, now) for tape in plan.tapes)
    return replace(plan, files=tuple(files), notes=notes, tapes=tapes)


def _planned_tape(memory: Memory, tape: SourceTape) -> PlannedTape:
    """The anchors that no tape of the scope has or has had, but for those that the guard holds back."""
    here = _records_of(memory, tape)
    known = here.known - here.taken_back.keys()
    new: dict[str, Anchor] = {}
    refused = 0
    for anchor in tape.anchors:
        if anchor.id in known or anchor.id in new:
            continue
        if check_file(tape.origin, encode(to_line(anchor)), memory.settings.secrets.allow_secret):
            refused += 1
        else:
            new[anchor.id] = anchor
    return PlannedTape(tape, tuple(new.values()), refused)


def _records_of(memory: Memory, tape: SourceTape) -> RecordsHere:
    paths = [path for path in memory.worktree.scan(TAPES).files if tape_folder(path) == tape.folder]
    return records_here((path, decode(memory.worktree.read(path) or b"")) for path in paths)


def _setting(memory: Memory, setting: SourceSetting) -> PlannedSetting:
    now, _ = setting_now(memory.places, setting.key)
    was = str(now.value)
    kept = ""
    if was == setting.value:
        kept = "it is so already"
    elif now.origin != "default":
        kept = f"{now.origin} sets it to {was}"
    return PlannedSetting(setting, was, kept)


def _text(memory: Memory, path: str) -> str | None:
    data = memory.worktree.read(path)
    if data is None and memory.worktree.exists(path):
        raise Refused(f"{path} is there and is no readable file")
    return None if data is None else _exact(path, data)


def _exact(path: str, data: bytes) -> str:
    """The text of a note that is to be added to; Refused for UTF-16, as what we add has another encoding."""
    if utf16(data):
        raise Refused(f"{path} is UTF-16: `ctxrepo check --fix` saves it as UTF-8")
    return decode_exactly(data)


def _in_draft(draft: Draft, path: str) -> str | None:
    text = draft.there(path)
    return None if text is None else _exact(path, encode(text))


def _put_notes(draft: Draft, plan: ImportPlan, known: KnownEntries, now: datetime) -> tuple[PlannedNote, ...]:
    """The notes put into the draft, with records of which entries came. Notes of another memory of ours have
    their own past: of their entries only other ids are recorded, and that one which an undo gave a former
    id has its own again."""
    read = partial(_in_draft, draft)
    notes = []
    records: list[Evidence] = []
    for note in (planned.note for planned in plan.notes):
        fit = fitted(note, known, read)
        if fit.new or fit.is_new:
            before = entries_of(fit.path, draft.there(fit.path) or "")
            draft.put(fit.path, fit.text)
            stated = _stated(draft, note, before, entries_of(fit.path, fit.text), now)
            records += [
                replace(fact, source=plan.contents.source) for fact in stated if fact.to or not note.is_own
            ]
            records += _moved_back(draft, note, before, fit, known, now)
        records += [new_record(draft, "pinned", entry, fit.path, now) for entry in fit.pins]
        notes.append(PlannedNote(note, fit))
    record_all(draft, records, now)
    return tuple(notes)


def _moved_back(
    draft: Draft,
    note: SourceNote,
    before: Sequence[Entry],
    fit: FittedNote,
    known: KnownEntries,
    now: datetime,
) -> Iterator[Evidence]:
    """Records that entries which came with their past are no more what an undo of their moves made of them:
    else their marks would stay with what is not here."""
    ids = {entry.id for entry in before}
    come = entries_of(fit.path, fit.text) if note.is_own else ()
    for entry in come:
        was = known.moved_away.get(entry.id, entry.id)
        if entry.id not in ids and was != entry.id and not known.lives(was):
            yield new_record(draft, "moved", was, fit.path, now, entry.id)


def _stated(
    draft: Draft, note: SourceNote, before: Sequence[Entry], after: Sequence[Entry], now: datetime
) -> Iterator[Evidence]:
    """Records of which entries came from the source, so that one that was edited, forgotten or superseded
    here is known there. One below another heading than in the source reads as moved."""
    path = note.path
    days = {gist(bullet): day for bullet, day in note.days.items()}
    theirs: dict[str, list[str]] = {}
    for text in note.bullets or (closed_note(note.text),):
        for entry in entries_of(path, text):
            theirs.setdefault(gist(entry.text), []).append(entry.id)
    known = {entry.id for entry in before}
    for entry in after:
        words = gist(entry.text)
        was = theirs.get(words)
        if entry.id in known or not was:
            continue
        source_id = was.pop(0)
        stated = (
            new_record(draft, "stated", entry.id, entry.path, now)
            if source_id == entry.id
            else new_record(draft, "moved", source_id, entry.path, now, entry.id)
        )
        yield replace(stated, day=days.get(words, ""), key=entry.key)


def _put_anchors(draft: Draft, planned: PlannedTape, now: datetime) -> PlannedTape:
    tape = _planned_tape(draft.memory, planned.tape)
    back: dict[str, dict[str, str]] = {}
    taken_back = _records_of(draft.memory, tape.tape).taken_back
    for anchor in (anchor for anchor in tape.new if anchor.id in taken_back):
        back.setdefault(taken_back[anchor.id], {})[anchor.id] = to_line(anchor)
    for path, lines in back.items():
        draft.put(path, brought_back(draft.text(path) or "", lines))
    new = (to_line(anchor) for anchor in tape.new if anchor.id not in taken_back)
    append_to_tape(draft, tapes_of(tape.tape.folder), new, now)
    return tape
