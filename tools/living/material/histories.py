"""Histories of repositories: commits, trees and files, read from bare clones with git and never changed."""

from __future__ import annotations

import os
import re
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

DAY = 86400
HALVES = ("tuned", "held-out", "all")

_FEWEST = 50
"""Commits below which a repository has no history to measure by."""


class Commit(NamedTuple):
    """A commit of the first-parent line: its id, and Unix seconds of the day it was committed."""

    oid: str
    at: int


class Touch(NamedTuple):
    """A file that a commit of the first-parent line changed; `old`: its former path if it was renamed."""

    at: int
    path: str
    old: str = ""


@dataclass(frozen=True)
class History:
    """The first-parent line of the branch at HEAD of the clone at `git_dir`; `name` decides its half."""

    name: str
    git_dir: Path

    @property
    def half(self) -> str:
        return half_of(self.name)

    def git(self, *words: str, stdin: bytes = b"") -> bytes:
        """What git prints; b"" where it fails, as for a file that isn't there. Git reads no settings."""
        run = subprocess.run(
            ["git", "--no-optional-locks", f"--git-dir={self.git_dir}", *words],
            input=stdin,
            capture_output=True,
            env=_ENV,
        )
        return run.stdout

    def lines(self, *words: str) -> Iterator[str]:
        """The lines that git prints, without their ends."""
        return iter(self.git(*words).decode("utf-8", "replace").split("\n"))

    @cached_property
    def commits(self) -> list[Commit]:
        """Oldest first, in the order of their moments."""
        rows = (line.split() for line in self.lines("log", "--first-parent", "--format=%H %ct", "HEAD"))
        return sorted((Commit(row[0], int(row[1])) for row in rows if row), key=lambda commit: commit.at)

    @cached_property
    def root(self) -> str:
        """The first commit, which forks of one repository share."""
        return self.commits[0].oid if self.commits else ""

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    def at(self, moment: float) -> Commit | None:
        """The newest commit that is not later than the moment; None before the first."""
        number = bisect_right(self._moments, moment)
        return self.commits[number - 1] if number else None

    @cached_property
    def _moments(self) -> list[int]:
        return [commit.at for commit in self.commits]

    def grid(self, days: int, most_days: int) -> list[Commit]:
        """What stood at HEAD every `days` days of the last `most_days`, oldest first: `at` is that moment."""
        if not self.commits:
            return []
        first = max(self.commits[0].at + 45 * DAY, self.head.at - most_days * DAY)
        moments = range(int(first), self.head.at + 1, days * DAY)
        return [Commit(commit.oid, moment) for moment in moments if (commit := self.at(moment))]

    def tree(self, oid: str) -> dict[str, str]:
        """path -> id of each file of a commit; submodules and links are left out."""
        return _tree(self, oid)

    def read(self, spec: str) -> str | None:
        """The text of `COMMIT:PATH` or of a blob; None where there is none."""
        return next(iter(self.read_all([spec]).values()), None)

    def read_all(self, specs: Iterable[str], most_bytes: int = 400_000) -> dict[str, str]:
        """spec -> text of those files that are there, no larger than `most_bytes` and not binary."""
        return {
            spec: data.decode("utf-8", "replace")
            for spec, data in self.blobs(specs)
            if len(data) <= most_bytes and b"\0" not in data[:4096]
        }

    def blobs(self, specs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """(spec, bytes) of those objects that are there; a snapshot of a clone may lack its largest."""
        names = [spec for spec in dict.fromkeys(specs) if "\n" not in spec]
        for start in range(0, len(names), 2000):
            part = names[start : start + 2000]
            yield from _batch(
                part, self.git("cat-file", "--batch", "--buffer", stdin="\n".join([*part, ""]).encode())
            )

    @cached_property
    def touches(self) -> list[Touch]:
        """Every change of a file on the first-parent line, oldest first."""
        words = ("log", "--first-parent", "-m", "-M", "--name-status", "--format=@%ct", "HEAD")
        touches, at = [], 0
        for line in self.lines(*words):
            if line.startswith("@"):
                at = int(line[1:])
            elif line.startswith("R"):
                _, old, new = line.split("\t")
                touches.append(Touch(at, new, old))
            elif "\t" in line:
                touches.append(Touch(at, line.rpartition("\t")[2]))
        return sorted(touches, key=lambda touch: touch.at)

    @cached_property
    def touched(self) -> Mapping[str, Sequence[int]]:
        """path -> the moments of its changes, oldest first."""
        moments: dict[str, list[int]] = defaultdict(list)
        for touch in self.touches:
            moments[touch.path].append(touch.at)
            if touch.old:
                moments[touch.old].append(touch.at)
        return moments

    def renamed(self, path: str, since: int, until: int) -> str:
        """What git says the file is called at `until` that was called `path` at `since`; itself if it wasn't
        renamed."""
        for touch in self._renames:
            if since < touch.at <= until and touch.old == path:
                path = touch.path
        return path

    @cached_property
    def _renames(self) -> list[Touch]:
        return [touch for touch in self.touches if touch.old]


_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "GIT_CONFIG_KEY_1": "core.quotePath",
    "GIT_CONFIG_VALUE_1": "false",
}


@lru_cache(maxsize=64)
def _tree(history: History, oid: str) -> dict[str, str]:
    rows = (re.match(r"100\d+ blob ([0-9a-f]+)\t(.*)", line) for line in history.lines("ls-tree", "-r", oid))
    return {row[2]: row[1] for row in rows if row}


def _batch(names: Sequence[str], data: bytes) -> Iterator[tuple[str, bytes]]:
    """The answer of `git cat-file --batch`, which names nothing itself but keeps the order."""
    at = 0
    for name in names:
        end = data.find(b"\n", at)
        if end < 0:
            return
        head = data[at:end].split(b" ")
        if len(head) != 3 or not head[2].isdigit():  # missing, or ambiguous
            at = end + 1
            continue
        size = int(head[2])
        if head[1] == b"blob":
            yield name, data[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def half_of(name: str) -> str:
    """`tuned` or `held-out`, by a hash of the name, so that nobody chooses."""
    plain = name.lower().replace("/", "+")
    return HALVES[blake2b(plain.encode(), digest_size=1).digest()[0] % 2]


def chance(*words: object) -> float:
    """A number from 0 to 1 that is the same wherever these words are the same: order without a choice."""
    digest = blake2b("\0".join(map(str, words)).encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48


def find_histories(folders: Iterable[Path], half: str = "all", fewest: int = _FEWEST) -> list[History]:
    """The clones that these folders are or hold, as `NAME`, `NAME.git` or `NAME/repo`, in the order of their
    names. Left out: the other half, those with fewer commits, and of forks all but the first."""
    there = {history.name: history for folder in folders for history in _clones(folder)}
    histories, roots = [], set()
    for _, history in sorted(there.items()):
        if half not in ("all", history.half) or len(history.commits) < fewest or history.root in roots:
            continue
        roots.add(history.root)
        histories.append(history)
    return histories


def _clones(folder: Path) -> Iterator[History]:
    candidates = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    for place in candidates:
        for git_dir in (place, place / ".git", place / "repo"):
            if (git_dir / "HEAD").is_file() and (git_dir / "objects").is_dir():
                yield History(place.name.removesuffix(".git"), git_dir.resolve())
                break


def checkout_at(history: History, oid: str, place: Path) -> Path:
    """A folder whose HEAD is this commit, detached, and without files: a committed tree can be read there."""
    git_dir = place / ".git"
    subprocess.run(["git", "init", "--quiet", str(place)], check=True, env=_ENV, capture_output=True)
    (git_dir / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (git_dir / "objects" / "info" / "alternates").write_text(f"{history.git_dir / 'objects'}\n")
    (git_dir / "HEAD").write_text(f"{oid}\n")
    return place
