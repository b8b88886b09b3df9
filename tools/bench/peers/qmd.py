"""qmd's lexical search, and pi-memory, which asks it beside every prompt.

pi-memory is an extension of another agent and is not run itself. What it does with a prompt is done here:
control characters become spaces, the first 200 characters are what qmd is asked, three notes are taken, and
what takes longer than three seconds is nothing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.peers.base import MOST, Found, Memory, Peer, Tools, timed
from bench.peers.npm import PACKAGES, bun, package
from bench.peers.words import words

_LIMIT = 10.0
"""Seconds for one search, and for reading the memory."""

_PI_LIMIT = 3.0
_PI_TAKES = 3
_PI_READS = 200

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_COLLECTION = "memory"

Search = Callable[[str, int, float], Sequence[str]]
"""(prompt, most notes, seconds) -> their paths"""


def peers() -> list[Peer]:
    return [
        Peer("qmd search", "file", _version, _qmd),
        Peer("qmd search, stop words dropped", "file", _version, _qmd_of_words),
        Peer("pi-memory's method", "file", _version, _pi_memory),
    ]


def _version(tools: Tools) -> str:
    package(tools, "@tobilu/qmd")
    bun(tools)
    return f"qmd {PACKAGES['@tobilu/qmd']} on bun {PACKAGES['bun']}, a process each"


def _qmd(tools: Tools, memory: Memory) -> Iterator[Found]:
    with _opened(tools, memory.folder) as search:
        yield from timed(memory, lambda prompt: search(prompt, MOST, _LIMIT))


def _qmd_of_words(tools: Tools, memory: Memory) -> Iterator[Found]:
    """As a person would ask who knows that qmd wants all the words in one note."""
    with _opened(tools, memory.folder) as search:
        yield from timed(memory, lambda prompt: search(" ".join(words(prompt)), MOST, _LIMIT))


def _pi_memory(tools: Tools, memory: Memory) -> Iterator[Found]:
    with _opened(tools, memory.folder) as search:
        yield from timed(memory, lambda prompt: search(cut(prompt), _PI_TAKES, _PI_LIMIT))


def cut(prompt: str) -> str:
    """What pi-memory asks qmd for."""
    return _CONTROL.sub(" ", prompt).strip()[:_PI_READS]


@contextmanager
def _opened(tools: Tools, folder: Path) -> Iterator[Search]:
    """qmd with the memory as its only collection, in a home of its own."""
    start = [str(bun(tools)), str(package(tools, "@tobilu/qmd") / "dist/cli/qmd.js")]
    with tempfile.TemporaryDirectory(prefix="ctxrepo-qmd-") as home:
        run = partial(
            subprocess.run,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": home},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        run([*start, "collection", "add", ".", "--name", _COLLECTION], check=True, timeout=60)

        def search(prompt: str, most: int, seconds: float) -> Sequence[str]:
            if not prompt.strip():
                return []
            words = ["search", "--json", "-c", _COLLECTION, "-n", str(most), "--", prompt]
            try:
                process = run([*start, *words], timeout=seconds)
            except subprocess.TimeoutExpired:
                return []
            if process.returncode:
                raise RuntimeError(f"qmd search: {process.stderr.strip()}")
            return _paths(process.stdout)

        yield search


def _paths(output: str) -> Sequence[str]:
    """The notes that qmd names."""
    return [row["file"].removeprefix(f"qmd://{_COLLECTION}/") for row in json.loads(output)]
