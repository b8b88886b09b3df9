"""Reads objects from an opened repository; Damaged for one that can't be read, and never a hang."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from heapq import heappop, heappush
from typing import Any

from ctxrepo.domain.guard.bounds import COMMIT_BYTES, COMMITS, FILE_BYTES, FOLDER_BYTES, MESSAGE, Bound
from ctxrepo.errors import Damaged
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.refwriter import RefWriter, logs_setting
from ctxrepo.storage.isolated.owngit import OwnGit
from ctxrepo.storage.objects.libgit2 import enums, pygit2
from ctxrepo.storage.objects.objectfiles import loose_file, why_spoiled
from ctxrepo.storage.objects.trees import Trees

_LOOSE, _PACKED = 1, 2
"""The order in which libgit2 asks them: packs first."""

_LARGEST: Mapping[int, Bound] = {enums.ObjectType.TREE: FOLDER_BYTES, enums.ObjectType.BLOB: FILE_BYTES}


class ObjectReader(Trees):
    """An opened repository. Ids are 40 hex digits."""

    def __init__(self, own: OwnGit) -> None:
        super().__init__()
        self._own = own
        clone = own.clone
        self._refs = RefWriter(clone.git_dir, logs_setting(clone.configured()))
        self._sound: set[str] = set()
        self.reopen()

    def reopen(self) -> None:
        """Open the repository again, to see packs that another process has added: a directory of ours with
        the clone's objects, since the clone's configuration and alternates are not to be read (ADR 38)."""
        objects = str(self._own.prepare_objects())
        self._commits: dict[str, pygit2.Commit] = {}
        try:
            self._repo = pygit2.Repository(str(self._own.folder), enums.RepositoryOpenFlag.NO_SEARCH)
            database = pygit2.Odb()
            database.add_backend(pygit2.OdbBackendLoose(objects, -1, False), _LOOSE)
            database.add_backend(pygit2.OdbBackendPack(objects), _PACKED)
            self._repo.set_odb(database)
        except (pygit2.GitError, KeyError) as error:
            raise Damaged(f"{self._own.clone.root} can't be opened as a git repository: {error}") from error
        self._git_dir = str(self._own.clone.git_dir)

    def commit_at(self, commit: str) -> pygit2.Commit:
        """A commit, which is read once: to walk a history asks for each of its commits several times."""
        if commit not in self._commits:
            self._require_small(commit, "commit")
            with reading(f"commit {commit}"):
                parsed: Any = self._repo[commit]  # its stub names a base that nothing else inherits from
            if not isinstance(parsed, pygit2.Commit):
                raise Damaged(f"{commit} is no commit")
            if len(self._commits) >= _MOST_COMMITS:
                self._commits.clear()
            self._commits[commit] = parsed
        return self._commits[commit]

    def read_raw(self, oid: str, what: str) -> tuple[int, bytes]:
        """(kind, bytes) of an object."""
        self._require_small(oid, what)
        with reading(f"{what} {oid}"):
            return self._repo.read(oid)

    def is_there(self, oid: str) -> bool:
        return self._repo.odb.exists(oid)  # to ask the repository itself would read the object

    def header(self, oid: str, what: str) -> tuple[int, int]:
        """(kind, size) of an object, without reading it. Damaged for a spoiled loose one: libgit2 1.9 never
        returns from one that was cut short."""
        if oid not in self._sound:
            if why := why_spoiled(loose_file(self._git_dir, oid)):
                raise Damaged(f"{what} {oid} can't be read: it {why}")
            self._sound.add(oid)
        with reading(f"{what} {oid}"):
            return self._repo.odb.read_header(oid)

    def tree_bytes(self, tree: str) -> bytes:
        kind, data = self.read_raw(tree, "tree")
        if kind == enums.ObjectType.COMMIT:
            kind, data = self.read_raw(str(self.commit_at(tree).tree_id), "tree")
        if kind != enums.ObjectType.TREE:
            raise Damaged(f"{tree} is no tree")
        return data

    def _require_small(self, oid: str, what: str) -> None:
        """BeyondBounds for an object that is larger than any of its kind may be."""
        kind, size = self.header(oid, what)
        _LARGEST.get(kind, COMMIT_BYTES).require(size, f"{what} {oid[:10]}")


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Raise Damaged for libgit2's errors when something is missing or can't be read."""
    try:
        yield
    except (KeyError, pygit2.GitError, ValueError) as error:
        raise Damaged(f"{what} can't be read: {error}") from error


class Refs(ObjectReader):
    def ref(self, name: str) -> str | None:
        """What the ref points at, following symbolic ones; None when it isn't there."""
        return self._refs.resolve(name)

    def refs(self, prefix: str) -> dict[str, str]:
        """name -> what it points at, of the refs whose names begin with `prefix`."""
        return self._refs.all(prefix)

    def move_ref(self, name: str, new: str, old: str | None) -> bool:
        """Compare and swap: False when the ref is not at `old` any more."""
        return self._refs.move(name, new, old)

    def set_ref(self, name: str, new: str) -> None:
        """Point a ref of ours at `new`, whatever it pointed at."""
        self._refs.set(name, new)

    def point_head(self, name: str) -> None:
        """Point HEAD at another branch; no file in the worktree changes."""
        self._refs.point_head(name)

    def drop_ref(self, name: str) -> None:
        """Remove a ref of ours; does nothing if there is none."""
        if self.ref(name) is not None:
            self._refs.remove(name)


_MOST_COMMITS = 10_000
"""Commits that are kept in memory, a kilobyte each."""

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

    def merge_base(self, tip: str, other: str) -> str | None:
        with self._history(tip, other):
            base = self._repo.merge_base(tip, other)
        return str(base) if base else None

    def merge_bases(self, tip: str, other: str) -> list[str]:
        """All best common ancestors, sorted; more than one when each side has merged the other's past."""
        base = self.merge_base(tip, other)
        if base is None:
            return []
        common = set(self.new_commits(tip, base)) & set(self.new_commits(other, base))
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
        """Commits reachable from `tip` and from none of `known`: newest first, children before parents."""
        hidden = [oid for oid in known if oid]
        with self._history(tip, *hidden):
            walker = self._repo.walk(tip, enums.SortMode.TOPOLOGICAL | enums.SortMode.TIME)
            for oid in hidden:
                walker.hide(oid)
            new = [str(commit.id) for commit in walker]
        yield from new

    def walk(self, tip: str) -> Iterator[tuple[str, str, list[str]]]:
        """(commit, tree, parents) of all reachable from `tip`: newest first, children before parents."""
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
        parsed = self.commit_at(commit)
        return CommitHeader(
            when=_moment(parsed.commit_time),
            author=(parsed.author.raw_name or b"")[: MESSAGE.most].decode("utf-8", "replace"),
            message=parsed.raw_message[: MESSAGE.most].decode("utf-8", "replace"),
        )

    @contextmanager
    def _history(self, *tips: str) -> Iterator[None]:
        """Read the history of `tips` ourselves before libgit2 walks it, since it never returns from a damaged
        one: all of it for one tip, for several as far as they differ (ADR 15)."""
        everything = (1 << len(tips)) - 1
        reached: dict[str, int] = {}
        headers: dict[str, tuple[int, list[str]]] = {}  # the time is negative: the newest is the least
        queue: list[tuple[int, str]] = []

        def reach(commit: str, by: int) -> None:
            if reached.get(commit, 0) | by != reached.get(commit):
                reached[commit] = reached.get(commit, 0) | by
                if commit not in headers:
                    COMMITS.require(len(headers) + 1, f"the history of {tips[0][:10]}")
                    parsed = self.commit_at(commit)
                    headers[commit] = -parsed.commit_time, [str(parent) for parent in parsed.parent_ids]
                heappush(queue, (headers[commit][0], commit))

        for number, tip in enumerate(tips):
            reach(tip, 1 << number)
        margin = _SKEW
        while queue and margin:
            _, commit = heappop(queue)
            is_met = len(tips) > 1 and reached[commit] == everything
            have_met = is_met and all(reached[other] == everything for _, other in queue)
            margin = margin - 1 if have_met else _SKEW
            for parent in headers[commit][1]:
                reach(parent, reached[commit])
        with reading(f"the history of {tips[0]}"):
            yield


def _moment(seconds: int) -> datetime:
    """The time of a commit; 1970 for a number that is no date."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
