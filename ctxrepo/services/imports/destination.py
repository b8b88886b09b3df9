"""Where what a source holds goes: planned note by note, shown, then put by the way that every write goes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.formats.jsonl import in_parts, record, text_of, with_room
from ctxrepo.domain.formats.moment import counted, day, month
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.supplement import closed_note, gist
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import decode, decode_exactly, encode, utf16
from ctxrepo.domain.project.layout import TAPES, tape_folder, tapes_of
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.domain.tape.anchors import Anchor, to_line
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.fitting import FittedNote, KnownEntries, fitted
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.repository.configure import change, setting_now
from ctxrepo.services.saving.evidence import made, record_all
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.sources.source import NotTaken, SourceContents, SourceNote, SourceSetting, SourceTape
from ctxrepo.storage.memory import Memory

_TOGETHER = 200
"""Notes that are written in one operation; a run that is killed leaves whole ones, and the next goes on."""


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
    """What would be done for one place of a source."""

    source: str
    place: str
    notes: tuple[PlannedNote, ...]
    tapes: tuple[PlannedTape, ...] = ()
    settings: tuple[PlannedSetting, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    is_for_project: bool = False
    """Whether something goes to the folder of the project that the destination is for."""

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        notes = any(note.fitted.changes for note in self.notes)
        settings = any(not setting.kept for setting in self.settings)
        return notes or settings or any(tape.new for tape in self.tapes)

    @property
    def refused(self) -> bool:
        """Whether the write guard holds something back."""
        return any(note.fitted.refused for note in self.notes) or any(tape.refused for tape in self.tapes)


@dataclass(frozen=True)
class MemoryDestination:
    """The memory; `project` is that of the current folder, `interpreter` the Python that hooks start."""

    memory: Memory
    origin: Origin
    now: datetime
    interpreter: str
    project: Project | None = None

    def plan(self, contents: SourceContents) -> ImportPlan:
        """What an import of `contents` would do to the memory, which is only read."""
        memory = self.memory
        known = KnownEntries(memory, day(self.now))
        notes = [PlannedNote(n, fitted(n, known, lambda path: _text(memory, path))) for n in contents.notes]
        return ImportPlan(
            contents.source,
            contents.place,
            tuple(notes),
            tuple(_planned_tape(memory, tape) for tape in contents.tapes),
            tuple(_setting(memory, setting) for setting in contents.settings),
            contents.not_taken,
            contents.is_for_project,
        )

    def put(self, plan: ImportPlan) -> ImportPlan:
        """Write notes and anchors, and settings into config.toml. The plan is made anew under the write lock:
        somebody may have written meanwhile."""
        memory = self.memory
        notes: list[PlannedNote] = []
        for start in range(0, len(plan.notes), _TOGETHER):
            batch = plan.notes[start : start + _TOGETHER]
            with drafting(memory, "import", self.origin, self.now) as draft:
                notes += _put_notes(draft, batch, self.now)
                self._finish(draft, plan)
        tapes: list[PlannedTape] = []
        if plan.tapes:
            with drafting(memory, "import", self.origin, self.now) as draft:
                tapes += [_put_anchors(draft, tape, self.now) for tape in plan.tapes]
                self._finish(draft, plan)
        for planned in plan.settings:
            if not planned.kept:
                key, value = planned.setting.key, planned.setting.value
                change(memory.places, memory.env, key, value, self.interpreter)
        return replace(plan, notes=tuple(notes), tapes=tuple(tapes))

    def _finish(self, draft: Draft, plan: ImportPlan) -> None:
        """Register the project that something was written for, and say where it all comes from."""
        draft.saying = f"{draft.saying} from {plan.source}"
        project = self.project if plan.is_for_project else None
        own = (f"{project.folder}/", f"{tapes_of(project.folder)}/") if project else ()
        if any(path.startswith(own) for path in draft.after):
            draft.register(project)


def _planned_tape(memory: Memory, tape: SourceTape) -> PlannedTape:
    """The anchors that no tape of the scope has or has had, but for those that the guard holds back."""
    known: set[str] = set()
    for path in memory.worktree.scan(TAPES).files:
        if tape_folder(path) == tape.folder:
            lines = decode(memory.worktree.read(path) or b"").split("\n")
            known |= {text_of(fields, "id") for fields in map(record, lines) if fields}
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


def _setting(memory: Memory, wanted: SourceSetting) -> PlannedSetting:
    now, _ = setting_now(memory.places, wanted.key)
    was = str(now.value)
    kept = ""
    if was == wanted.value:
        kept = "it is so already"
    elif now.origin != "default":
        kept = f"{now.origin} sets it to {was}"
    return PlannedSetting(wanted, was, kept)


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


def _put_notes(draft: Draft, planned: Sequence[PlannedNote], now: datetime) -> list[PlannedNote]:
    known = KnownEntries(draft.memory, day(now))

    def read(path: str) -> str | None:
        text = draft.there(path)
        return None if text is None else _exact(path, encode(text))

    written = []
    records: list[Evidence] = []
    new = 0
    for note in (entry.note for entry in planned):
        fit = fitted(note, known, read)
        if fit.new or fit.is_new:
            before = entries_of(fit.path, draft.there(fit.path) or "")
            draft.put(fit.path, fit.text)
            records += _stated(draft, note, before, entries_of(fit.path, fit.text), now)
        records += [made(draft, "pinned", entry, fit.path, now) for entry in fit.pins]
        new += fit.new
        written.append(PlannedNote(note, fit))
    record_all(draft, records, now)
    draft.saying = counted(new, "entry", "entries")
    return written


def _stated(
    draft: Draft, note: SourceNote, before: Sequence[Entry], after: Sequence[Entry], now: datetime
) -> Iterator[Evidence]:
    """Records of which entries came from the source, so that one that was edited, forgotten or superseded
    here is known there. One below another heading than in the source reads as moved."""
    path = note.path
    theirs: dict[str, list[str]] = {}
    for text in note.bullets or (closed_note(note.text),):
        for entry in entries_of(path, text):
            theirs.setdefault(gist(entry.text), []).append(entry.id)
    known = {entry.id for entry in before}
    for entry in after:
        was = theirs.get(gist(entry.text))
        if entry.id in known or not was:
            continue
        source_id = was.pop(0)
        if source_id == entry.id:
            yield made(draft, "stated", entry.id, entry.path, now)
        else:
            yield made(draft, "moved", source_id, entry.path, now, entry.id)


def _put_anchors(draft: Draft, planned: PlannedTape, now: datetime) -> PlannedTape:
    tape = _planned_tape(draft.memory, planned.tape)
    start = f"{tapes_of(tape.tape.folder)}/{draft.memory.host}-{month(now)}"
    for lines in in_parts(map(to_line, tape.new)):
        draft.append_line(with_room(start, draft.there), lines)
    draft.saying = counted(len(tape.new), "anchor")
    return tape
