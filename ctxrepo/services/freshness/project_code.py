"""The code of a project on this machine: its checkouts, and what is asked of the one that is ahead."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.known.locate import BY_NAME
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.storage.code.tree import CodeTree
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.user.sound import is_path

_MOST = 4
"""So many checkouts of a project are looked at, those that were recorded last."""

_PATIENCE = 300.0
"""Seconds. A single git is given up much earlier, so that a long scan isn't taken for a folder that hangs."""

_BYTES = 4096

Answer = TypeVar("Answer")


def checkouts_of(memory: Memory, scope: str) -> list[Path]:
    """The recorded checkouts of the project whose folder is `scope`, the latest first; none whose claim to be
    that project is in doubt."""
    rows = [row for row in read_checkouts(memory.places.state) if row.folder == scope and not row.claim]
    tops = [row.top for row in reversed(rows) if row.project and not row.top.startswith(BY_NAME)]
    return [Path(top) for top in tops][:_MOST]


def code_stamp(memory: Memory, scope: str, _now: datetime) -> str:
    """A text that changes when a checkout of the project gets another commit; '' where there is none."""
    stamps = memory.outside.ask_each(checkouts_of(memory, scope), head_stamp, lambda top: top)
    return "\n".join(stamp for _, stamp in stamps if stamp)


def head_stamp(top: Path) -> str:
    """The stamps of the files by which git moves HEAD of the checkout at `top`; a checkout may hang, so that
    it is asked through `outside`."""
    git = top / ".git"
    if link := foreign.text(git, _BYTES).removeprefix("gitdir:").strip() if git.is_file() else "":
        git = top / link
    common = git / (foreign.text(git / "commondir", _BYTES).strip() or ".")
    head = foreign.text(git / "HEAD", _BYTES).strip()
    ref = head.removeprefix("ref:").strip()
    files = [git / "logs/HEAD", common / "packed-refs", common / ref if ref != head else git / "HEAD"]
    return " ".join([head, *(stamp_of(str(file)) or "-" for file in files if is_path(file))])


def ask_code(
    memory: Memory, tops: Sequence[Path], question: Callable[[CodeTree], Answer], patience: float = _PATIENCE
) -> Answer | None:
    """The answer to `question` of the checkout whose commit is the newest; None where there is none, or none
    comes within `patience` seconds. Another process asks: `question` is a named function or a `partial`."""
    if not tops:
        return None
    try:
        return memory.outside.ask(tops[0], partial(_answer, tops, dict(memory.env), question), patience)
    except CtxrepoError:
        return None


def _answer(
    tops: Sequence[Path], env: dict[str, str], question: Callable[[CodeTree], Answer]
) -> Answer | None:
    trees = [tree for top in tops if (tree := CodeTree.open(top, env))]
    return question(max(trees, key=lambda tree: tree.moment.seconds)) if trees else None
