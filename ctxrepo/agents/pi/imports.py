"""The memory programs of pi whose notes can be brought here. The first is pi-memory-md: its repository holds
the notes of a global folder and of projects, and tapes."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.pi import pi_memory_source
from ctxrepo.agents.pi.memory_settings import PROGRAM, file, read
from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import ANCHORS_FILE, CONFLICTS, INBOX, RESERVED, TAPES
from ctxrepo.domain.tape.anchors import anchor_of, anchors_of
from ctxrepo.errors import Unreadable
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import NotTaken, Source, SourceContents, SourceSearch, SourceTape

MAX_TAPE_BYTES = 64 * 1024 * 1024

_DEFAULT_GLOBAL = "global"

_OURS = frozenset({CONFLICTS, INBOX})
"""Folders at the top of a repository that ctxrepo has served, which hold no notes of a project."""


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What is in the repository that pi's settings name, or in the folder that was named."""
    files = search.files
    fields, _ = files.read_fields(file(search.home, search.env))
    own = read(fields or {}, search.home)
    root = search.chosen or (Path(own.local_path) if own else None)
    if root is None or not root.is_absolute() or not files.is_folder(root):
        return
    if search.memory_root and files.real(root) == files.real(search.memory_root):
        return
    is_set_up = own is not None and files.real(Path(own.local_path)) == files.real(root)
    theirs = own.global_folder if own and is_set_up else ""
    folder = files.read_folder(root)
    tops = {path.partition("/")[0] for path in (*folder.notes, *folder.others) if "/" in path}
    scopes = _scopes(search, tops, theirs or _DEFAULT_GLOBAL)

    def target(path: str) -> str:
        top, slash, rest = path.partition("/")
        return f"{scopes[top]}/{rest}" if slash and top in scopes else ""

    notes, others = markdown_of(folder, target, ((f"{TAPES}/", "tapes: their anchors are told apart"),))
    tapes = tuple(_tapes(search, root, folder.others, scopes))
    not_taken = [n for n in others if not n.what.startswith(f"{TAPES}/")]
    not_taken += _nobodys(list(folder.notes), scopes)
    yield SourceContents(PROGRAM, search.shown(root), notes, tapes, not_taken=tuple(not_taken))


SOURCES = (
    Source(PROGRAM, find),
    Source(pi_memory_source.NAME, pi_memory_source.find),
    Source(pi_memory_source.SCORED, pi_memory_source.find_scored),
)


def _scopes(search: SourceSearch, tops: set[str], theirs: str) -> Mapping[str, str]:
    """Folder there -> folder here. A project keeps its name; that of the current folder goes to where this
    memory has it. `theirs` is the folder of global notes there."""
    scopes = {}
    for top in sorted(tops):
        if top == theirs:
            scopes[top] = search.global_folder
        elif search.project and search.checkout and top == search.checkout.name:
            scopes[top] = search.project
        elif top.casefold() not in RESERVED | {search.global_folder.casefold()}:
            scopes[top] = top
    return scopes


def _nobodys(notes: Sequence[str], scopes: Mapping[str, str]) -> Iterator[NotTaken]:
    """Folders and notes at the top that are nobody's."""
    tops = {path.partition("/")[0] for path in notes if "/" in path}
    for top in sorted(tops - scopes.keys() - {TAPES}):
        why = "ctxrepo's own" if top in _OURS else "a name that no project's folder may have here"
        yield NotTaken(f"{top}/", why)
    if loose := sorted(path for path in notes if "/" not in path):
        yield NotTaken(", ".join(loose), "in no project's folder")


def _tapes(
    search: SourceSearch, root: Path, paths: Sequence[str], scopes: Mapping[str, str]
) -> Iterator[SourceTape]:
    for path in paths:
        folder, name = posixpath.split(path)
        if folder != TAPES or not name.endswith(ANCHORS_FILE):
            continue
        top = name.removesuffix(ANCHORS_FILE)
        place = scopes.get(top) or _scopes(search, {top}, "").get(top, "")  # a project may have no notes
        if not place:
            continue
        try:
            text = decode(search.files.read_file(root / path, MAX_TAPE_BYTES) or b"")
        except Unreadable:
            yield SourceTape(path, place, (), 1)
            continue
        lines = [line for line in text.split("\n") if line.strip()]
        odd = sum((fields := record(line)) is None or anchor_of(fields) is None for line in lines)
        yield SourceTape(path, place, tuple(anchors_of(text)), odd)
