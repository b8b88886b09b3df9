"""pi-memory-md's repository: the notes of its global folder and of its projects, and its tapes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import CONFLICTS, INBOX, OLD_TAPE, RESERVED, TAPES
from ctxrepo.domain.tape.anchor import anchor_of, anchors_of
from ctxrepo.errors import Unreadable
from ctxrepo.services.imports.markdown import contents_of
from ctxrepo.services.imports.values import NotTaken, SourceContents, SourceSearch, SourceTape
from ctxrepo.storage.disk.foreign import read
from ctxrepo.storage.sources.folder import SourceFolder, is_folder, read_folder
from ctxrepo.storage.user.pimemory import read_pi

NAME = "pi-memory-md"

MAX_TAPE_BYTES = 64 * 1024 * 1024

_DEFAULT_GLOBAL = "global"

_OURS = frozenset({CONFLICTS, INBOX})
"""Folders at the top of a repository that ctxrepo has served, which hold no notes of a project."""


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What is in the repository that pi's settings name, or in the folder that was named."""
    pi = read_pi(search.places, search.env).settings
    root = search.chosen or (Path(pi.local_path) if pi else None)
    if root is None or not root.is_absolute() or not is_folder(search.outside, root):
        return
    if search.memory_root and os.path.realpath(root) == os.path.realpath(search.memory_root):
        return
    is_set_up = pi is not None and os.path.realpath(pi.local_path) == os.path.realpath(root)
    theirs = pi.global_folder if pi and is_set_up else ""
    found = read_folder(search.outside, root)
    scopes = _scopes(search, found, theirs or _DEFAULT_GLOBAL)

    def target(path: str) -> str:
        top, slash, rest = path.partition("/")
        return f"{scopes[top]}/{rest}" if slash and top in scopes else ""

    made = contents_of(found, target, ((f"{TAPES}/", "tapes: their anchors are told apart"),))
    tapes = tuple(_tapes(search, root, found, scopes))
    told = [n for n in made.not_taken if not n.what.startswith(f"{TAPES}/")]
    told += _left(found, scopes)
    into = {path.partition("/")[0] for path in (n.path for n in made.notes)} | {t.folder for t in tapes}
    project = search.project if search.project and search.project.folder in into else None
    yield SourceContents(NAME, search.shown(root), made.notes, tapes, not_taken=tuple(told), project=project)


def _scopes(search: SourceSearch, found: SourceFolder, theirs: str) -> Mapping[str, str]:
    """Folder there -> folder here. A project keeps its name; that of the current folder goes to where this
    memory has it."""
    scopes = {}
    for top in sorted({path.partition("/")[0] for path in (*found.notes, *found.others) if "/" in path}):
        if top == theirs:
            scopes[top] = search.global_folder
        elif search.project and search.checkout and top == search.checkout.name:
            scopes[top] = search.project.folder
        elif top.casefold() not in RESERVED | {search.global_folder.casefold()}:
            scopes[top] = top
    return scopes


def _left(found: SourceFolder, scopes: Mapping[str, str]) -> Iterator[NotTaken]:
    """Folders and notes at the top that are nobody's."""
    tops = {path.partition("/")[0] for path in found.notes if "/" in path}
    for top in sorted(tops - scopes.keys() - {TAPES}):
        why = "ctxrepo's own" if top in _OURS else "a name that no project's folder may have here"
        yield NotTaken(f"{top}/", why)
    if loose := sorted(path for path in found.notes if "/" not in path):
        yield NotTaken(", ".join(loose), "in no project's folder")


def _tapes(
    search: SourceSearch, root: Path, found: SourceFolder, scopes: Mapping[str, str]
) -> Iterator[SourceTape]:
    for path in found.others:
        folder, name = os.path.split(path)
        if folder != TAPES or not name.endswith(OLD_TAPE):
            continue
        top = name.removesuffix(OLD_TAPE)
        place = scopes.get(top) or (_scopes(search, _named(root, top), "").get(top, ""))
        if not place:
            continue
        try:
            text = decode(read(root / path, MAX_TAPE_BYTES, follow=False) or b"")
        except Unreadable:
            yield SourceTape(path, place, (), 1)
            continue
        lines = [line for line in text.split("\n") if line.strip()]
        odd = sum((fields := record(line)) is None or anchor_of(fields) is None for line in lines)
        yield SourceTape(path, place, tuple(anchors_of(text)), odd)


def _named(root: Path, top: str) -> SourceFolder:
    """A folder of that name, for a project that has a tape and no notes."""
    return SourceFolder(root, {f"{top}/": b""}, {})
