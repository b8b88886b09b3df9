"""What was written since the last commit: by commands, by agents' editors and by hand, path by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ctxrepo.domain.merge import Aside, merge_file
from ctxrepo.domain.note import encode
from ctxrepo.storage.checkout import Seen
from ctxrepo.storage.memory import Memory
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

    `aside` lost on the way; `overwritten` is what a session left and somebody has replaced since, on
    purpose as far as we know: it belongs to the history and not to the file.
    """

    path: str
    base: bytes | None
    data: bytes | None
    aside: tuple[Aside, ...] = ()
    overwritten: Version | None = None


def pending_edits(
    memory: Memory,
    seen: Seen,
    head: Mapping[str, str],
    writes: Sequence[Write],
    versions: Sequence[Version],
) -> Iterator[Edit]:
    """Every file that is not as `head` and its own base have it, with acknowledged writes replayed."""
    written = {w.path for w in writes} | {v.path for v in versions}
    for path in sorted({*seen.disk, *seen.base, *seen.next, *written}):
        if seen.is_out_of_reach(path):
            continue
        if path in written or seen.is_edited(path, head.get(path)):
            base = None if path not in seen.base else memory.objects.data(seen.base[path])
            data, replayed = _replay(path, memory.worktree.read(path), [w for w in writes if w.path == path])
            last = list({(v.agent, v.session): v for v in versions if v.path == path}.values())
            if len(last) == 1 and last[0].agent and last[0].data != data:
                yield Edit(path, base, data, tuple(replayed), last[0])
            else:
                data, folded = _fold(path, data, last)
                yield Edit(path, base, data, (*replayed, *folded))


def _replay(path: str, data: bytes | None, writes: Sequence[Write]) -> tuple[bytes | None, list[Aside]]:
    """The file with every acknowledged write in it, whatever became of the file since."""
    aside: list[Aside] = []
    if not writes or data == _encoded(writes[-1].after):
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
