"""Which files of the memory are exported, and their bytes: never what the write guard holds back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, text_of
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.note.note import decode, decode_exactly, encode
from ctxrepo.domain.project.layout import (
    CONFLICTS,
    INBOX,
    REGISTRY,
    TAPES,
    archived_tape_folder,
    is_evidence,
    is_note,
    scope_of,
    shown,
    tape_folder,
)
from ctxrepo.domain.project.registry import is_global_folder
from ctxrepo.domain.records.evidence import Evidence, evidence_of
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.reading.find import NamedScope, read_data, undeleted
from ctxrepo.storage.memory import Memory

_GIT_FILES = (".gitattributes", ".gitignore")
"""They tell git what to do with files, and no other memory is to get that from a file of lines."""


@dataclass(frozen=True)
class ExportedFiles:
    """The files of one scope, or of all without one. `skipped` gets path -> why of those that stay, while
    they are read."""

    memory: Memory
    scope: NamedScope | None
    skipped: dict[str, str] = field(default_factory=dict)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The folders of the scopes, the global one first."""
        if self.scope:
            return (self.scope.folder,)
        own = self.memory.global_folder
        tops = {path.partition("/")[0] for path in self._there if "/" in path}
        return tuple(sorted(filter(self._is_scope, tops), key=lambda folder: (folder != own, folder)))

    @cached_property
    def projects(self) -> Mapping[str, str]:
        """The folders of the projects among them, by each of a project's names, its id first."""
        registry = read_registry(self.memory)
        folders: dict[str, str] = {}
        for project, folder in sorted(registry.projects.items()):
            if folder in self.folders:
                folders |= dict.fromkeys([project, *registry.names_of(project)], folder)
        return {name: folder for name, folder in folders.items() if name == mask(name)}

    def notes(self) -> Iterator[tuple[str, bytes]]:
        """The files in the folders of the scopes, by their path in the memory."""
        yield from self._read(path for path in self._there if path.partition("/")[0] in self.folders)

    def all(self) -> Iterator[tuple[str, bytes]]:
        """What was said of their entries, then by path these, their tapes, and which projects they are of."""
        yield from self._evidence_files.items()
        others = (path for path in self._there if not is_evidence(path))
        yield from self._read(path for path in others if self._is_wanted(path))

    def evidence(self) -> Iterator[Evidence]:
        """What was said of entries, as far as it is exported."""
        return (record for data in self._evidence_files.values() for record in evidence_of(decode(data)))

    @cached_property
    def _evidence_files(self) -> Mapping[str, bytes]:
        return dict(self._read(path for path in self._there if is_evidence(path)))

    @cached_property
    def _there(self) -> Sequence[str]:
        scan = self.memory.worktree.scan()
        skipped = {path: why for path, why in scan.skipped.items() if self._is_wanted(path)}
        waiting = {path.partition("/")[0] for path in scan.files} & {INBOX, CONFLICTS}
        skipped |= {f"{top}/": "waits for a decision of yours" for top in sorted(waiting) if not self.scope}
        self.skipped.update({shown(mask(path)): why for path, why in skipped.items()})
        return sorted(scan.files.keys() | undeleted(self.memory))

    def _is_scope(self, top: str) -> bool:
        if self.scope:
            return top == self.scope.folder
        return top == self.memory.global_folder or is_global_folder(top)

    def _is_wanted(self, path: str) -> bool:
        top, slash, name = path.partition("/")
        if path == REGISTRY:
            return self.scope is None
        if top == TAPES:
            return self._is_scope(tape_folder(path) or archived_tape_folder(path))
        is_note_or_beside = bool(slash) and name.rpartition("/")[2] not in _GIT_FILES
        return is_evidence(path) or (is_note_or_beside and self._is_scope(top))

    def _read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            try:
                data = read_data(self.memory, path)
            except Unreadable as error:
                self.skipped[shown(mask(path))] = f"can't be read ({error.message})"
                continue
            if self.scope and data is not None and is_evidence(path):
                data = _lines_about(data, self.scope.folder)
            if data is not None:  # it may have gone away meanwhile
                yield from self.guarded(path, data)

    def guarded(self, path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        """The file with what the write guard lets through: of a note all or nothing, of others the lines."""
        refusals = check_file(path, data, self.memory.settings.secrets.allow_secret)
        if not refusals:
            yield path, data
            return
        name = shown(mask(path))
        numbers = {refusal.line for refusal in refusals}
        if is_note(path) or 0 in numbers:
            self.skipped[name] = f"is held back: {refusals[0].message}"
            return
        self.skipped[f"{counted(len(numbers), 'line')} of {name}"] = f"held back: {refusals[0].message}"
        lines = decode_exactly(data).split("\n")
        yield path, encode("\n".join(line for number, line in enumerate(lines, 1) if number not in numbers))


def _lines_about(data: bytes, folder: str) -> bytes | None:
    """The lines about the notes of a folder, and those that delete one of these; None without any."""
    lines = [(line, record(line) or {}) for line in decode_exactly(data).split("\n")]
    own = {text_of(fields, "id") for _, fields in lines if scope_of(text_of(fields, "path")) == folder}
    own_lines = [
        line
        for line, fields in lines
        if scope_of(text_of(fields, "path")) == folder
        or (TOMBSTONE in fields and text_of(fields, "id") in own)
    ]
    return encode("".join(f"{line}\n" for line in own_lines)) or None
