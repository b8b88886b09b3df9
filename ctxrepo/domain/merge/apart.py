"""Names that can't be in one tree together: a file where the other side has a folder makes way."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, count

from ctxrepo.domain.merge.claims import Content


def kept_apart(merged: Mapping[str, Content]) -> dict[str, Content]:
    """The same files; one that has the name of a folder is called `name~file` beside it.

    The outcome does not depend on which side was called ours.
    """
    folders = {folder for path in merged for folder in accumulate(path.split("/")[:-1], "{}/{}".format)}
    return {_beside(p, merged) if p in folders else p: merged[p] for p in sorted(merged)}


def _beside(path: str, taken: Mapping[str, Content]) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    start, end = (stem, dot + suffix) if stem else (name, "")
    names = (f"{folder}{slash}{start}~file{'' if n == 1 else n}{end}" for n in count(1))
    return next(new for new in names if new not in taken)
