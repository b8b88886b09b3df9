"""Computes how much must be unpacked to read the objects of a pack, from their headers alone.

A pack may store an object as a delta against another one, its base, and that one again. Whoever reads a note
that is a small delta of a 160 MB file unpacks all of it, each time. git never packs like that: it takes no
base that is more than 32 times as large."""

import mmap
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.bounds import CUT_OUT
from ctxrepo.errors import BeyondBounds
from ctxrepo.lazy import dataclass
from ctxrepo.storage.objects.objectfiles import offsets_in

_OFS_DELTA, _REF_DELTA = 6, 7
_HASH = 20
_HEADS = (128, 64 * 1024)
"""How many compressed bytes are read, first the few, then more: a delta begins with its sizes."""

_SMALL = 64 * 1024
_USUAL = 300
"""The bases of an object may together have `_SMALL` bytes and `_USUAL` times the size of the object: git
makes chains of up to 250 deltas."""


@dataclass(frozen=True)
class _Entry:
    """An object: its `size`, and the offset of its base, -1 for none."""

    size: int
    base: int


def without_heavy_packs(answer: RemoteAnswer, packs: Iterable[Path]) -> RemoteAnswer:
    """The answer of a fetch that brought these packs; another one if a pack takes too much to read. Such a
    pack is removed: git would otherwise read objects from it that we have elsewhere, too."""
    for pack in packs if answer.ok else ():
        try:
            CUT_OUT.require(burden(pack), "what it sent")
        except FileNotFoundError:  # packed again meanwhile
            continue
        except (BeyondBounds, ValueError) as error:
            for suffix in (".idx", ".rev", ".promisor", ".pack"):
                pack.with_suffix(suffix).unlink(missing_ok=True)
            is_whole = isinstance(error, BeyondBounds)
            return RemoteAnswer("bounds" if is_whole else "malformed", str(error))
    return answer


def burden(pack: Path) -> int:
    """The bytes of bases, beyond the usual, that must be unpacked to read every object of a pack once.
    ValueError for what is no whole pack with its index."""
    if not pack.with_suffix(".idx").stat().st_size:
        raise ValueError(f"{pack} has no index")
    with (
        pack.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        pack.with_suffix(".idx").open("rb") as index,
    ):
        places = offsets_in(index.read())
        try:
            entries = {at: _entry(data, at, places) for at in places.values()}
        except (IndexError, KeyError, zlib.error) as error:
            raise ValueError(f"{pack} is no pack") from error
        below: dict[int, int] = {}
        return sum(
            size
            for at, entry in entries.items()
            if (size := _below(entries, below, at)) > _SMALL + _USUAL * entry.size
        )


def _entry(data: mmap.mmap, at: int, places: dict[bytes, int]) -> _Entry:
    here, byte = at + 1, data[at]
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 128:
        byte, here = data[here], here + 1
        size |= (byte & 127) << shift
        shift += 7
    if kind == _OFS_DELTA:
        byte, here = data[here], here + 1
        back = byte & 127
        while byte & 128:
            byte, here = data[here], here + 1
            back = (back + 1) << 7 | byte & 127
        return _Entry(_made(data, here), at - back)
    if kind == _REF_DELTA:
        return _Entry(_made(data, here + _HASH), places[data[here : here + _HASH]])
    return _Entry(size, -1)


def _made(data: mmap.mmap, at: int) -> int:
    """The size of the object that a delta makes: the second number in the delta."""
    for length in _HEADS:
        numbers = list(_numbers(zlib.decompressobj().decompress(data[at : at + length], 20)))
        if len(numbers) > 1:
            return numbers[1]
    raise IndexError("a delta without its sizes")


def _numbers(head: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in head:
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            yield value
            value = shift = 0


def _below(entries: dict[int, _Entry], known: dict[int, int], at: int) -> int:
    """The bytes of all bases of an object; each base is computed once."""
    chain = [at]
    while chain[-1] not in known:
        base = entries[chain[-1]].base
        if base < 0:
            known[chain[-1]] = 0
        else:
            chain.append(base)
    while len(chain) > 1:
        base = chain.pop()
        known[chain[-1]] = known[base] + entries[base].size
    return known[at]
