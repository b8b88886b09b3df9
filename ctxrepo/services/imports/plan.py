"""What an import would do: note by note, how much is new, how much is there already, and what is refused."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.note.note import decode, decode_exactly, encode, utf16
from ctxrepo.domain.project.layout import TAPES, tape_folder
from ctxrepo.domain.tape.anchor import Anchor, to_line
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.fitting import FittedNote, KnownEntries, fitted
from ctxrepo.services.imports.values import NotTaken, SourceContents, SourceNote, SourceSetting, SourceTape
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.repository.configure import setting_now
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
    """What would be done for one place of a source."""

    source: str
    place: str
    notes: tuple[PlannedNote, ...]
    tapes: tuple[PlannedTape, ...] = ()
    settings: tuple[PlannedSetting, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    project: Project | None = field(default=None, compare=False)

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        notes = any(one.fitted.changes for one in self.notes)
        settings = any(not one.kept for one in self.settings)
        return notes or settings or any(one.new for one in self.tapes)

    @property
    def refused(self) -> bool:
        """Whether the write guard holds something back."""
        return any(one.fitted.refused for one in self.notes) or any(one.refused for one in self.tapes)


def plan(memory: Memory, contents: SourceContents, now: datetime) -> ImportPlan:
    """What an import of `contents` would do to `memory`, which is only read."""
    known = KnownEntries(memory, day(now))
    notes = [PlannedNote(n, fitted(n, known, lambda path: _text(memory, path))) for n in contents.notes]
    return ImportPlan(
        contents.source,
        contents.place,
        tuple(notes),
        tuple(planned_tape(memory, tape) for tape in contents.tapes),
        tuple(_setting(memory, one) for one in contents.settings),
        contents.not_taken,
        contents.project,
    )


def planned_tape(memory: Memory, tape: SourceTape) -> PlannedTape:
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
    """The file as it is; None when there is none."""
    data = memory.worktree.read(path)
    if data is None and memory.worktree.exists(path):
        raise Refused(f"{path} is there and is no readable file")
    return None if data is None else exact(path, data)


def exact(path: str, data: bytes) -> str:
    """The text of a note that is to be added to; Refused for UTF-16, as what we add has another encoding."""
    if utf16(data):
        raise Refused(f"{path} is UTF-16: `ctxrepo check --fix` saves it as UTF-8")
    return decode_exactly(data)
