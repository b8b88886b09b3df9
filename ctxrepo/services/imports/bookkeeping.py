"""The files of another memory of ours that are no notes: what was said of entries, tapes, the projects. What
this memory lacks of them is added."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from ctxrepo.domain.formats.jsonl import TOMBSTONE, canonical, record, text_of, with_room
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import EVIDENCE, REGISTRY, TAPES, is_evidence
from ctxrepo.domain.project.registry import parse, with_alias, with_project
from ctxrepo.domain.records.evidence import Evidence, evidence_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.fitting import FittedNote, KnownEntries, Reader
from ctxrepo.sources.source import SourceContents, SourceFile, SourceNote

NoteFit = tuple[SourceNote, FittedNote]

_ADDITIONS = ("stated", "reinforced", "pinned", "verified")
"""Records that take nothing from an entry."""


@dataclass(frozen=True)
class PlannedFile:
    """A file of the source, and the `text` that the one at `path` is to have; `new` lines of it are new.
    `refused` is why the guard holds it back, and `remark` what of it stays."""

    file: SourceFile
    path: str
    text: str
    new: int = 0
    refused: str = ""
    remark: str = ""


def planned_files(
    contents: SourceContents, notes: Sequence[NoteFit], known: KnownEntries, read: Reader
) -> Iterator[PlannedFile]:
    """What becomes of the files of `contents`, whose notes become these; `read` gives files as they are. Each
    is read when it is asked for: whoever writes it before the next one is asked for loses nothing."""
    own = _Bookkeeping(contents, notes, known, read)
    return map(own.planned, contents.files)


@dataclass
class _Bookkeeping:
    """The files of a source beside those of the memory."""

    contents: SourceContents
    notes: Sequence[NoteFit]
    known: KnownEntries
    read: Reader

    def planned(self, file: SourceFile) -> PlannedFile:
        there = self.read(file.path)
        if file.path == REGISTRY:
            plan = self._registry(file, there)
        elif file.path.startswith((f"{EVIDENCE}/", f"{TAPES}/")):
            plan = self._records(file, there)
        elif there is None:
            plan = PlannedFile(file, file.path, file.text, 1)
        else:
            remark = "" if there == file.text else "it is another one here, and stays so"
            plan = PlannedFile(file, file.path, there, remark=remark)
        refusals = check_file(plan.path, encode(plan.text), self.known.allow) if plan.new else ()
        if refusals:
            return PlannedFile(file, plan.path, there or "", refused=refusals[0].message)
        return plan

    def _registry(self, file: SourceFile, there: str | None) -> PlannedFile:
        """Projects that have no folder here get theirs. A registry in which nobody wrote yet becomes theirs
        to the byte."""
        moved = any(here != folder for folder, here in self.contents.folders.items())
        theirs, ours = parse(file.text), parse(there or "")
        if there in (None, self.known.begun.get(REGISTRY)) and not moved and not theirs.problem:
            return PlannedFile(file, REGISTRY, file.text, int(there != file.text))
        text, new = there or "", 0
        free = {*self.contents.folders.values()} - {*ours.projects.values()}
        for name, folder in theirs.projects.items() if not ours.problem else ():
            here = self.contents.folders.get(folder)
            if here in free and not ours.folder_of(name):
                text, new = with_project(text, name, here), new + 1
        for alias, name in theirs.aliases.items() if not ours.problem else ():
            if not ours.folder_of(alias) and parse(text).folder_of(name):
                text, new = with_alias(text, alias, name), new + 1
        return PlannedFile(file, REGISTRY, text, new)

    def _records(self, file: SourceFile, there: str | None) -> PlannedFile:
        """Lines whose ids no file of the kind has, or has had."""
        ids = self._evidence_ids if is_evidence(file.path) else self._anchor_ids
        lines = [line for line in file.text.split("\n") if line.strip()]
        lacking = [line for line in lines if self._is_lacking(line, ids) and self._is_taken(file, line)]
        if there is None and len(lacking) == len(lines):
            return PlannedFile(file, file.path, file.text, len(lines))
        start = there or ""
        path = file.path
        if lacking and there is not None and not path.endswith("__anchors.jsonl"):
            path = with_room(path.removesuffix(".jsonl"), self.read)
            start = self.read(path) or ""
        start += "" if not start or start.endswith("\n") else "\n"
        return PlannedFile(file, path, start + "".join(f"{line}\n" for line in lacking), len(lacking))

    def _is_lacking(self, line: str, ids: frozenset[tuple[str, bool]]) -> bool:
        """Whether neither the record nor its deletion is here. What deletes a record of this memory stays."""
        fields = record(line)
        name = text_of(fields, "id") if fields else ""
        if not name:
            return (canonical(line), False) not in ids
        return (name, False) not in ids and (name, True) not in ids

    def _is_taken(self, file: SourceFile, line: str) -> bool:
        """Whether what a line says of an entry takes nothing from one that lives here: all comes about a note
        that is here as in the source, else only additions, and what is about entries that aren't here."""
        if not is_evidence(file.path):
            return True
        return all(
            one.kind in _ADDITIONS or one.path in self._same or one.entry not in self._living(one)
            for one in evidence_of(line)
        )

    def _living(self, one: Evidence) -> frozenset[str]:
        """The entries of the note that a record is about, as they were here before the import."""
        if one.path not in self._kept:
            text = self.read(one.path) or ""
            self._kept[one.path] = frozenset(entry.id for entry in entries_of(one.path, text))
        return self._kept[one.path]

    @cached_property
    def _kept(self) -> dict[str, frozenset[str]]:
        return {fit.path: fit.kept for _, fit in self.notes}

    @cached_property
    def _same(self) -> frozenset[str]:
        return frozenset(fit.path for note, fit in self.notes if fit.text == note.text)

    @cached_property
    def _evidence_ids(self) -> frozenset[tuple[str, bool]]:
        return self._ids_in(EVIDENCE)

    @cached_property
    def _anchor_ids(self) -> frozenset[tuple[str, bool]]:
        return self._ids_in(TAPES)

    def _ids_in(self, folder: str) -> frozenset[tuple[str, bool]]:
        """(id, whether it is deleted) of each record in a folder's files; the line where it has no id."""
        paths = (path for path in self.known.memory.worktree.scan(folder).files if path.endswith(".jsonl"))
        texts = (self.read(path) or "" for path in sorted(paths))
        return frozenset(_named(line) for text in texts for line in text.split("\n") if line.strip())


def _named(line: str) -> tuple[str, bool]:
    fields = record(line) or {}
    return text_of(fields, "id") or canonical(line), TOMBSTONE in fields
