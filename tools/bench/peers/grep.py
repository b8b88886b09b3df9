"""Any word of the prompt, whole, in whatever case: files by ripgrep, entries by the same rule in Python."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.peers.base import MOST, Found, Memory, NotHereError, Peer, Tools, timed
from bench.peers.words import all_words, words

_LIMIT = 10.0
"""Seconds for one search."""

# --no-ignore and --hidden: a memory is searched whole, whatever folder it lies in.
_SEARCH = "rg --no-config --only-matching --ignore-case --word-regexp --fixed-strings --with-filename"
_WHOLE = "--no-line-number --no-heading --color=never --no-ignore --hidden --null --glob=*.md"


def peers() -> list[Peer]:
    return [
        Peer("ripgrep, any word", "file", _version, _files),
        Peer("grep, any word", "entry", lambda tools: "Python", _entries),
    ]


def _version(tools: Tools) -> str:
    if not shutil.which("rg"):
        raise NotHereError("apt-get install ripgrep")
    output = subprocess.run(["rg", "--version"], capture_output=True, text=True, check=True).stdout
    return f"{output.splitlines()[0]}, a process each"


def _files(tools: Tools, memory: Memory) -> Iterator[Found]:
    return timed(memory, lambda prompt: _rg(memory.folder, words(prompt)))


def _rg(folder: Path, wanted: Sequence[str]) -> Sequence[str]:
    if not wanted:
        return []
    patterns = [part for word in wanted for part in ("-e", word)]
    run = subprocess.run(
        [*_SEARCH.split(), *_WHOLE.split(), *patterns, "."],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
    )
    if run.returncode > 1:
        raise RuntimeError(f"rg: {run.stderr.strip()}")
    counts: dict[str, Counter[str]] = {}
    for line in run.stdout.splitlines():
        path, _, match = line.partition("\0")
        counts.setdefault(path.removeprefix("./"), Counter())[match.lower()] += 1
    return _ranked(counts)


def _entries(tools: Tools, memory: Memory) -> Iterator[Found]:
    counted = [(entry.at, Counter(all_words(entry.text))) for entry in memory.entries]

    def find(prompt: str) -> Sequence[str]:
        wanted = set(words(prompt))
        matches = {at: Counter({w: counts[w] for w in wanted & counts.keys()}) for at, counts in counted}
        return _ranked({at: counts for at, counts in matches.items() if counts})

    return timed(memory, find)


def _ranked(counts: Mapping[str, Counter[str]]) -> Sequence[str]:
    """The places that say most of the words, then those that say them most often."""
    return sorted(counts, key=lambda place: (-len(counts[place]), -counts[place].total(), place))[:MOST]
