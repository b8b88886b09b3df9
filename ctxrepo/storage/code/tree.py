"""The committed tree of a checkout of code: its paths, the bytes of files, and what became of paths.

A checkout belongs to other people, so git is only asked for objects: that runs nothing which its config
names, fetches nothing and writes nothing. Git may hang there: who must not hang asks through `outside`."""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from ctxrepo.domain.formats.moment import second
from ctxrepo.errors import GitFailed
from ctxrepo.hooks.known.locate import top_of
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.user.sound import is_path, is_sound

_SECONDS = 5.0
"""Seconds that git has to answer a question about single objects."""

_LONG = 30.0
"""Seconds for a walk through the history, or for the files of a whole tree."""

_BATCH = 16 * 1024 * 1024
"""Bytes of files that one git process reads."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SUBMODULE = "160000"
_PLAIN = ("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color")
"""These override settings by which `log` would run a program, such as one that checks signatures."""


class TreeFile(NamedTuple):
    """A file of a tree: the id of its bytes, and their number, -1 where they aren't on this machine."""

    oid: str
    size: int


class Moment(NamedTuple):
    """A commit, and when it was made, in Unix seconds."""

    commit: str
    seconds: int

    @property
    def at(self) -> str:
        """When it was made, in ISO form, in UTC."""
        return second(datetime.fromtimestamp(self.seconds, UTC))

    @property
    def day(self) -> str:
        return self.at[:10]


class CodeTree:
    """The tree of a commit of the repository that a folder is in. Paths are in NFC, whatever form git has;
    what is in a submodule isn't known."""

    def __init__(self, git: Git, moment: Moment) -> None:
        self._git, self.moment, self.commit = git, moment, moment.commit

    @classmethod
    def open(cls, folder: Path, env: Mapping[str, str]) -> "CodeTree | None":
        """The tree of HEAD; None where there is no repository or commit, or git refuses it or doesn't answer
        in time."""
        real = Path(os.path.realpath(folder))
        if not is_path(folder) or not real.is_dir() or not is_sound(real):
            return None
        git = Git(real, env, is_offline=True)
        head = _answer(git, "log", "-1", *_PLAIN, "--format=%H %ct", "HEAD")
        commit, _, seconds = head.strip().partition(" ")
        return cls(git, Moment(commit, int(seconds))) if _COMMIT.fullmatch(commit) else None

    def known(self, commits: Iterable[str]) -> set[str]:
        """Those of these commits that are on this machine."""
        kinds = self._kinds([commit for commit in dict.fromkeys(commits) if _COMMIT.fullmatch(commit)])
        return {commit for commit, (_, kind, _) in kinds.items() if kind == "commit"}

    @property
    def files(self) -> dict[str, TreeFile]:
        """path -> file. GitFailed where the tree can't be read whole."""
        files, _ = self._listing
        return files

    @cached_property
    def _listing(self) -> tuple[dict[str, TreeFile], tuple[str, ...]]:
        """The files by path, and the folders of submodules, each with a `/` behind it."""
        out = self._git.output("ls-tree", "-r", "-l", "-z", "--full-tree", self.commit, timeout=_LONG)
        if out is None:
            raise GitFailed(f"the tree {self.commit[:12]} of {self._git.folder} can't be read")
        files: dict[str, TreeFile] = {}
        submodules: list[str] = []
        for line in out.decode("utf-8", "replace").split("\0")[:-1]:
            about, _, path = line.partition("\t")
            mode, _, oid, size = about.split()
            if mode == _SUBMODULE:
                submodules.append(nfc(path) + "/")
            else:
                files[nfc(path)] = TreeFile(oid, int(size) if size.isdecimal() else -1)
        return files, tuple(submodules)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files and folders."""
        folders = set[str]()
        for path in self.files:
            folder = path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(folders.union(self.files))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for path in self.paths:
            names.setdefault(path.rpartition("/")[2], []).append(path)
        return names

    def has(self, path: str) -> bool:
        """Whether it has a file or folder of exactly this path."""
        return nfc(path) in self.paths

    def ending_with(self, path: str) -> list[str]:
        """The paths of files and folders that are `path`, or end with `/` and it, sorted."""
        path = nfc(path)
        namesakes = self._by_name.get(path.rpartition("/")[2], ())
        return sorted(other for other in namesakes if f"/{other}".endswith(f"/{path}"))

    def is_on_disk(self, path: str) -> bool:
        """Whether the checkout has a file at a path, committed or not; False without a checkout."""
        top = top_of(str(self._git.folder))
        return bool(top) and os.path.isfile(f"{top}/{path}")

    def is_in_submodule(self, path: str) -> bool:
        """Whether a path is that of a submodule, or below it."""
        _, submodules = self._listing
        return f"{nfc(path)}/".startswith(submodules)

    def bytes_of(self, file: TreeFile | None, most: int) -> bytes | None:
        """The bytes of a file of any of the repository's trees; None for no file, for one whose bytes aren't
        on this machine, and for one of more than `most` bytes."""
        return next((data for _, data in self.blobs([file])), None) if file and file.size <= most else None

    def blobs(self, files: Iterable[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        """The bytes of files of any of the repository's trees, in order; those that aren't on this machine
        are left out."""
        batch: list[TreeFile] = []
        size = 0
        for file in files:
            if file.size < 0:
                continue
            if batch and size + file.size > _BATCH:
                yield from self._batch(batch)
                batch, size = [], 0
            batch.append(file)
            size += file.size
        yield from self._batch(batch)

    def _batch(self, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        if not files:
            return
        names = "".join(f"{file.oid}\n" for file in files).encode()
        out = self._git.output("cat-file", "--batch", timeout=_LONG, stdin=names)
        if not out:
            return
        at = 0
        for file in files:
            end = out.index(b"\n", at)
            words, at = out[at:end].split(b" "), end + 1
            if len(words) == 3 and words[1] == b"blob":
                size = int(words[2])
                yield file, out[at : at + size]
                at += size + 1

    def _kinds(self, names: Sequence[str]) -> dict[str, tuple[str, str, int]]:
        """name, as git writes it (`COMMIT:PATH`) -> its id, what it is, and its size; without those that
        aren't there."""
        names = [name for name in names if "\n" not in name]
        if not names:
            return {}
        stdin = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
        out = self._git.output("cat-file", "--batch-check", timeout=_LONG, stdin=stdin) or b""
        kinds = {}
        for name, line in zip(names, out.decode("utf-8", "replace").split("\n"), strict=False):
            words = line.split(" ")
            if len(words) == 3 and words[2].isdecimal():
                kinds[name] = (words[0], words[1], int(words[2]))
        return kinds

    def existing(self, places: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of these (commit, path) where the commit has a file or folder at the path."""
        by_name = {f"{commit}:{path}": (commit, path) for commit, path in places}
        return {by_name[name] for name in self._kinds([*by_name])}

    def files_by_id(self, oids: Iterable[str]) -> dict[str, TreeFile]:
        """id -> file, for those of these ids whose bytes are on this machine."""
        kinds = self._kinds([*dict.fromkeys(oids)])
        return {oid: TreeFile(oid, size) for oid, (_, _, size) in kinds.items()}

    def files_at(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], TreeFile]:
        """(commit, path) -> file, for those of these places where the commit has a file."""
        by_name = {f"{commit}:{path}": (commit, path) for commit, path in places}
        kinds = self._kinds([*by_name])
        return {
            by_name[name]: TreeFile(oid, size) for name, (oid, kind, size) in kinds.items() if kind == "blob"
        }

    def changed_since(self, commit: str) -> dict[str, str] | None:
        """path -> the id of the file that `commit` has there, '' for none, for each path at which the two
        trees differ; None where git can't tell."""
        words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", commit, self.commit)
        out = self._git.output(*words, timeout=_LONG)
        if out is None:
            return None
        former: dict[str, str] = {}
        fields = out.decode("utf-8", "replace").split("\0")
        for about, path in zip(fields[::2], fields[1::2], strict=False):
            mode, _, oid, *_ = about[1:].split(" ")
            former[nfc(path)] = oid if oid.strip("0") and mode != _SUBMODULE else ""
        return former

    @cached_property
    def _line(self) -> list[tuple[int, str]]:
        """(seconds, commit) of the first-parent line that ends here, oldest first."""
        words = ("log", *_PLAIN, "--first-parent", "--reverse", "--format=%ct %H", self.commit)
        out = self._git.output(*words, timeout=_LONG) or b""
        rows = (row.split() for row in out.decode().split("\n") if row)
        return [(int(seconds), commit) for seconds, commit in rows]

    @cached_property
    def _times(self) -> list[int]:
        """The times of that line, made to rise: a clock that was wrong once hides no later commit."""
        return [*accumulate((seconds for seconds, _ in self._line), max)]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {commit: number for number, (_, commit) in enumerate(self._line)}

    def last_before(self, seconds: float) -> str:
        """The last commit of the first-parent line that was made by then, in Unix seconds; '' for none."""
        number = bisect_right(self._times, seconds)
        return self._line[number - 1][1] if number else ""

    def number(self, commit: str) -> int:
        """The place of a commit on the first-parent line, from 0, the oldest; -1 where it isn't on it."""
        return self._number.get(commit, -1)

    def common_with(self, commit: str) -> str:
        """The newest common ancestor of `commit` and the tree's own; '' where none is known."""
        if commit in self._number:
            return commit
        return _answer(self._git, "merge-base", commit, self.commit).split("\n")[0].strip()

    def log(self, since: str, likeness: str) -> str | None:
        """The first-parent line from after `since` ('' for all of it) to here, oldest first, with what each
        commit changed, as `git log --raw -z` writes it; None where git can't tell. Each commit begins with
        \\1, its id and its moment."""
        words = ("-c", "log.diffMerges=separate", "log", *_PLAIN, "--first-parent", "-m", "-z", "-l1000")
        span = f"{since}..{self.commit}" if since else self.commit
        form = ("--raw", "--no-abbrev", "--reverse", "--format=%x01%H %ct", likeness)
        out = self._git.output(*words, *form, span, timeout=_LONG)
        return None if out is None else out.decode("utf-8", "replace")


def nfc(path: str) -> str:
    """A path in the form in which paths are compared."""
    return path if path.isascii() else normalize("NFC", path)


def _answer(git: Git, *arguments: str) -> str:
    """What git prints within _SECONDS; '' where it fails or takes longer."""
    return (git.output(*arguments, timeout=_SECONDS) or b"").decode("utf-8", "replace")
