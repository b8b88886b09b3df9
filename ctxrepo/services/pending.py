"""What was written since the last commit: by commands, by agents' editors and by hand, path by path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ctxrepo.domain.merge import Aside, merge_file
from ctxrepo.domain.note import encode
from ctxrepo.storage.checkout import Seen
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.trees import Key
from ctxrepo.storage.writelog import Write


@dataclass(frozen=True)
class Version:
    """Bytes of a memory file as a session of an agent left them; another editor may have overwritten them.

    `base` is what they were made from; unknown (None), the version adds to the file and takes nothing away.
    Without an agent they are bytes that reached a file while it was being replaced.
    """

    path: str
    agent: str
    session: str
    data: bytes
    base: bytes | None = None


@dataclass(frozen=True)
class Edit:
    """A file that somebody changed from `base` to `data` (None: not there).

    `commanded` is what the last command made of it, `base` where there was none: what is missing against it,
    nobody asked for by a command. `aside` lost on the way; `versions` are what agents left in the file one
    after the other, which may end with `data`: they belong to the history and not to the file.
    """

    path: str
    base: bytes | None
    data: bytes | None
    commanded: bytes | None
    aside: tuple[Aside, ...] = ()
    versions: tuple[bytes, ...] = ()


def pending_edits(
    memory: Memory,
    seen: Seen,
    tree: str | None,
    writes: Sequence[Write],
    versions: Sequence[Version],
) -> list[Edit]:
    """Every file that is not as a tree and its own base have it, with acknowledged writes replayed."""
    written = {w.path for w in writes} | {v.path for v in versions}
    paths = memory.checkout.edited(seen, tree) | {p for p in written if not seen.is_out_of_reach(p)}
    bases = memory.objects.files(seen.base, paths)
    return [
        _edit(
            memory,
            path,
            bases.get(path),
            [w for w in writes if w.path == path],
            [v for v in versions if v.path == path],
        )
        for path in sorted(paths)
    ]


def _edit(
    memory: Memory, path: str, key: Key | None, writes: Sequence[Write], versions: Sequence[Version]
) -> Edit:
    base = None if key is None else memory.objects.data(key)
    data, replayed = _replay(path, memory.worktree.read_saved(path, is_empty=not base), writes)
    data, folded = _fold(path, data, _unseen(versions, is_gone=data is None))
    left = dict.fromkeys(v.data for v in versions if v.agent)
    commanded = _encoded(writes[-1].after) if writes else base
    return Edit(path, base, data, commanded, (*replayed, *folded), tuple(left))


def _unseen(versions: Sequence[Version], *, is_gone: bool) -> list[Version]:
    """Versions whose authors did not know of each other: what they left must all be in the file.

    Where one session alone wrote, what it left and the file has no more was taken out on purpose; a file
    that is gone tells nothing of the sort, and an edit stays against a deletion.
    """
    last = {(v.agent, v.session): v for v in versions if v.agent}
    return [*(last.values() if len(last) > 1 or is_gone else ()), *(v for v in versions if not v.agent)]


def _replay(path: str, data: bytes | None, writes: Sequence[Write]) -> tuple[bytes | None, list[Aside]]:
    """The file with every acknowledged write in it, whatever became of the file since."""
    aside: list[Aside] = []
    is_chain = all(a.after == b.before for a, b in pairwise(writes))  # nobody wrote over one before the next
    if not writes or (is_chain and data == _encoded(writes[-1].after)):
        return data, aside
    for write in writes:
        merged = merge_file(path, _encoded(write.before), _encoded(write.after), data)
        data = merged.data
        aside += merged.aside
    return data, aside


def _fold(path: str, data: bytes | None, versions: Sequence[Version]) -> tuple[bytes | None, list[Aside]]:
    """The file with what each of several sessions left in it: none of them knew of the others."""
    aside: list[Aside] = []
    for version in versions:
        if version.data != data:
            merged = merge_file(path, version.base, version.data, data)
            data = merged.data
            aside += merged.aside
    return data, aside


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else encode(text)
