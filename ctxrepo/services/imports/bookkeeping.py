"""The files of another memory of ours that are no notes: what was said of entries, tapes, the projects. What
this memory lacks of them is added, and takes nothing from what lives here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from ctxrepo.domain.formats.jsonl import TOMBSTONE, canonical, record, render, text_of, with_room
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import ANCHORS_FILE, EVIDENCE, REGISTRY, TAPES, scope_of, shown
from ctxrepo.domain.project.registry import parse, with_alias, with_project
from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.fitting import KnownEntries, Reader
from ctxrepo.sources.source import SourceContents, SourceFile
from ctxrepo.storage.cache.entries import entry_by_id, hash_since

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


def planned_files(contents: SourceContents, known: KnownEntries, read: Reader) -> Iterator[PlannedFile]:
    """What becomes of the files of `contents` beside those that `read` gives. Each is read when it is asked
    for: whoever writes it before the next one is asked for loses nothing."""
    return chain.from_iterable(map(_Bookkeeping(contents, known, read).planned, contents.files))


@dataclass(frozen=True)
class RecordsHere:
    """What the records in some files are known by: all of them, the deleted ones too, and for each that an
    undo took back, and nobody deleted, the file that says so."""

    known: frozenset[str]
    taken_back: Mapping[str, str]


def records_here(files: Iterable[tuple[str, str]]) -> RecordsHere:
    """The same for files by path and text."""
    known, stay = set[str](), set[str]()
    undone: dict[str, str] = {}
    for path, text in files:
        lines = [line for line in text.split("\n") if line.strip()]
        back = {_name(line) for line in lines if _is_undo(line)}
        stay |= {_name(line) for line in lines if TOMBSTONE in (record(line) or {}) and not _is_undo(line)}
        alive = {_name(line) for line in lines} - back
        known |= alive | back
        stay |= alive
        undone |= dict.fromkeys(back, path)
    return RecordsHere(frozenset(known), {name: path for name, path in undone.items() if name not in stay})


def brought_back(text: str, lines: Mapping[str, str]) -> str:
    """The file with these lines, by their ids, that an undo took back: without what deletes them. A merge may
    have dropped them."""
    rest = [line for line in text.splitlines(keepends=True) if not (_name(line) in lines and _is_undo(line))]
    there = {_name(line) for line in rest}
    text = "".join(rest)
    text += "" if not text or text.endswith("\n") else "\n"
    return text + "".join(f"{line}\n" for name, line in lines.items() if name not in there)


def _is_undo(line: str) -> bool:
    """Whether a line takes a record back as undo does it, and no command that deletes by itself."""
    fields = record(line) or {}
    return render(fields) == render({"id": text_of(fields, "id"), TOMBSTONE: True})


@dataclass
class _Bookkeeping:
    """The files of a source beside those of the memory."""

    contents: SourceContents
    known: KnownEntries
    read: Reader

    def planned(self, file: SourceFile) -> Iterator[PlannedFile]:
        if file.path.startswith((f"{EVIDENCE}/", f"{TAPES}/")):
            for path, lines in self._taken_back(file).items():
                text = brought_back(self.read(path) or "", lines)
                yield self._guarded(PlannedFile(file, path, text, len(lines)))
        yield self._planned(file)

    def _planned(self, file: SourceFile) -> PlannedFile:
        path, there, remark = file.path, self.read(file.path), ""
        if path == REGISTRY:
            text, names = self._registry(file, there)
            new = max(1, len(names)) if text != (there or "") else 0
            remark = shown(f"a folder for {', '.join(names)}", 400) if names else ""
        elif path.startswith((f"{EVIDENCE}/", f"{TAPES}/")):
            path, text, new = self._records(file, there)
        else:
            text, new = (file.text, 1) if there is None else (there, 0)
            remark = "" if text == file.text else "it is another one here, and stays so"
        return self._guarded(PlannedFile(file, path, text, new, remark=remark))

    def _guarded(self, plan: PlannedFile) -> PlannedFile:
        refusals = check_file(plan.path, encode(plan.text), self.known.allow) if plan.new else ()
        return replace(plan, new=0, remark="", refused=refusals[0].message) if refusals else plan

    def _taken_back(self, file: SourceFile) -> dict[str, dict[str, str]]:
        """path of a file here -> the lines of the source, by id, that an undo took back in it, and that are
        about nothing that lives here."""
        lines: dict[str, dict[str, str]] = {}
        for line in file.text.split("\n"):
            path = self._here.taken_back.get(name := _name(line)) if line.strip() else None
            fields = record(line) or {}
            if path and TOMBSTONE not in fields and not self._living(fields):
                lines.setdefault(path, {})[name] = line
        return lines

    def _registry(self, file: SourceFile, there: str | None) -> tuple[str, Sequence[str]]:
        """The registry in which projects that have no folder here get theirs, and further names; and which
        names these are. One in which nobody wrote yet becomes theirs to the byte."""
        folders, ours, theirs = self.contents.folders, parse(there or ""), parse(file.text)
        is_here = not theirs.problem and all(folders.get(name) == name for name in theirs.projects.values())
        if file.text and is_here and there in (None, self.known.begun.get(REGISTRY)):
            return file.text, [*theirs.projects, *theirs.aliases] if there != file.text else []
        names = [name for name in self.contents.projects if not (ours.problem or ours.folder_of(name))]
        text = there or ""
        for name in names:
            folder = self.contents.projects[name]
            owner = next((key for key, place in parse(text).projects.items() if place == folder), "")
            text = with_alias(text, name, owner) if owner else with_project(text, name, folder)
        return text, names

    def _records(self, file: SourceFile, there: str | None) -> tuple[str, str, int]:
        """The path, the text and the number of lines whose ids no file here has, or has had."""
        lines = [line for line in file.text.split("\n") if line.strip()]
        new = [line for line in lines if _name(line) not in self._here.known and self._takes_nothing(line)]
        if there is None and new == lines:
            return file.path, file.text, len(new)
        is_whole = file.path.endswith(ANCHORS_FILE)  # in one file, however large
        path = file.path if is_whole else with_room(file.path.removesuffix(".jsonl"), self.read)
        start = self.read(path) or ""
        start += "" if not start or start.endswith("\n") else "\n"
        return path, start + "".join(f"{line}\n" for line in new), len(new)

    def _takes_nothing(self, line: str) -> bool:
        """Whether a line says nothing of entries that live here, wherever it says that they are, or only adds
        to them, and these are in scopes that the source has. A kind that nobody knows yet adds nothing."""
        fields = record(line) or {}
        living, own = self._living(fields), {*self.contents.folders.values()}
        adds = text_of(fields, "kind") in _ADDITIONS
        return not living or (adds and own.issuperset(map(scope_of, living)))

    def _living(self, fields: Mapping[str, object]) -> list[str]:
        """The paths of what lives here of that which a record is about."""
        ask, kind = self.known.memory.cache.ask, text_of(fields, "kind")
        ids = [text_of(fields, key) for key in ("entry", "to") if key == "entry" or kind == "moved"]
        living = [row.entry.path for row in (ask(entry_by_id, name) for name in ids) if row]
        if kind == "renamed" and ask(hash_since, path := text_of(fields, "path")):
            living.append(path)
        return living

    @cached_property
    def _here(self) -> RecordsHere:
        scan = self.known.memory.worktree.scan
        paths = (path for folder in (EVIDENCE, TAPES) for path in scan(folder).files)
        return records_here((path, self.read(path) or "") for path in paths if path.endswith(".jsonl"))


def _name(line: str) -> str:
    """The id of a record, which its deletion has, too; of a line without one all that it says."""
    return text_of(record(line) or {}, "id") or canonical(line)
