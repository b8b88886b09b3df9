"""Reads history: which commit came before which, and the header of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from heapq import heappop, heappush

from ctxrepo.domain.guard.bounds import COMMITS, MESSAGE
from ctxrepo.lazy import dataclass
from ctxrepo.storage.objects.libgit2 import enums
from ctxrepo.storage.objects.reading import ObjectReader, reading

_SKEW = 32
"""How many commits are read beyond the point where histories met, since clocks of machines differ."""


@dataclass(frozen=True)
class CommitHeader:
    """Time, author and message of a commit."""

    when: datetime
    author: str
    message: str


class Past(ObjectReader):
    def tree_of(self, commit: str | None) -> str | None:
        return None if commit is None else str(self.commit_at(commit).tree_id)

    def parents(self, commit: str) -> list[str]:
        return [str(p) for p in self.commit_at(commit).parent_ids]

    def merge_base(self, one: str, other: str) -> str | None:
        with self._history(one, other):
            base = self._repo.merge_base(one, other)
        return str(base) if base else None

    def merge_bases(self, one: str, other: str) -> list[str]:
        """All best common ancestors, sorted; more than one when each side has merged the other's past."""
        base = self.merge_base(one, other)
        if base is None:
            return []
        common = set(self.new_commits(one, base)) & set(self.new_commits(other, base))
        inner = {parent for commit in common for parent in self.parents(commit)}
        return sorted({base, *(common - inner)})

    def contains(self, descendant: str, ancestor: str) -> bool:
        """Whether `ancestor` is `descendant` or one of its ancestors."""
        if descendant == ancestor:
            return True
        with self._history(descendant, ancestor):
            return bool(self._repo.descendant_of(descendant, ancestor))

    def is_in(self, descendant: str, commit: str) -> bool:
        """`contains` for a commit that may not exist at all."""
        return self.is_there(commit) and self.contains(descendant, commit)

    def ahead_behind(self, local: str, upstream: str) -> tuple[int, int]:
        with self._history(local, upstream):
            ahead, behind = self._repo.ahead_behind(local, upstream)
        return ahead, behind

    def new_commits(self, tip: str, *known: str | None) -> Iterator[str]:
        """Commits reachable from `tip` and from none of `known`, newest first."""
        hidden = [one for one in known if one]
        with self._history(tip, *hidden):
            walker = self._repo.walk(tip)
            for one in hidden:
                walker.hide(one)
            new = [str(commit.id) for commit in walker]
        yield from new

    def walk(self, tip: str) -> Iterator[tuple[str, str, list[str]]]:
        """(commit, tree, parents) of everything reachable from `tip`: newest first, children before
        parents."""
        with self._history(tip):
            for commit in self._repo.walk(tip, enums.SortMode.TOPOLOGICAL | enums.SortMode.TIME):
                yield str(commit.id), str(commit.tree_id), [str(p) for p in commit.parent_ids]

    def recent(self, tip: str) -> Iterator[str]:
        """The commits reachable from `tip`, newest first; reads only as many as the caller takes."""
        seen, queue = {tip}, [(0, tip)]
        while queue:
            _, commit = heappop(queue)
            yield commit
            for parent in set(self.parents(commit)) - seen:
                COMMITS.require(len(seen), f"the history of {tip[:10]}")
                seen.add(parent)
                heappush(queue, (-self.commit_at(parent).commit_time, parent))

    def header_of(self, commit: str) -> CommitHeader:
        """The header of a commit, whatever bytes are in it; a long message is cut."""
        found = self.commit_at(commit)
        return CommitHeader(
            when=_moment(found.commit_time),
            author=(found.author.raw_name or b"")[: MESSAGE.most].decode("utf-8", "replace"),
            message=found.raw_message[: MESSAGE.most].decode("utf-8", "replace"),
        )

    def _before(self, commit: str) -> tuple[int, list[str]]:
        """(negative time, so that the newest is the least; parents) of a commit."""
        found = self.commit_at(commit)
        return -found.commit_time, [str(parent) for parent in found.parent_ids]

    @contextmanager
    def _history(self, *tips: str) -> Iterator[None]:
        """Read the history of `tips` ourselves before libgit2 walks it, since it never returns from a damaged
        one: all of it for one tip, for several as far as they differ (ADR 15)."""
        everything = (1 << len(tips)) - 1
        reached: dict[str, int] = {}
        known: dict[str, tuple[int, list[str]]] = {}
        queue: list[tuple[int, str]] = []

        def reach(commit: str, by: int) -> None:
            if reached.get(commit, 0) | by != reached.get(commit):
                reached[commit] = reached.get(commit, 0) | by
                if commit not in known:
                    COMMITS.require(len(known) + 1, f"the history of {tips[0][:10]}")
                    known[commit] = self._before(commit)
                heappush(queue, (known[commit][0], commit))

        for number, tip in enumerate(tips):
            reach(tip, 1 << number)
        left = _SKEW
        while queue and left:
            _, commit = heappop(queue)
            is_met = len(tips) > 1 and reached[commit] == everything
            have_met = is_met and all(reached[other] == everything for _, other in queue)
            left = left - 1 if have_met else _SKEW
            for parent in known[commit][1]:
                reach(parent, reached[commit])
        with reading(f"the history of {tips[0]}"):
            yield


def _moment(seconds: int) -> datetime:
    """The time of a commit; 1970 for a number that is no date."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
