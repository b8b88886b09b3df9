"""pi-memory-md's ranking: Orama over title, tags, description and body, with its weights.

It is a tool that an agent calls with words it has chosen; here it is given the prompt. The extension
itself is not run: orama.mjs does with Orama what it does, but reads every note once, not at each search.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from bench.peers.base import Found, Memory, Peer, Tools
from bench.peers.npm import PACKAGES, node, node_version, package
from bench.peers.words import words
from ctxrepo.domain.note.note import Note

_MOST = 20
"""Notes that pi-memory-md takes."""

_SCRIPT = Path(__file__).with_name("orama.mjs")


def peers() -> list[Peer]:
    return [
        Peer("pi-memory-md's ranking", "file", _version, partial(_ask, str)),
        Peer("pi-memory-md's ranking, stop words dropped", "file", _version, partial(_ask, _of_words)),
    ]


def _of_words(prompt: str) -> str:
    """As an agent would ask that chooses its words."""
    return " ".join(words(prompt))


def _version(tools: Tools) -> str:
    package(tools, "@orama/orama")
    return f"Orama {PACKAGES['@orama/orama']} on node {node_version()}, in one process"


def _ask(ask: Callable[[str], str], tools: Tools, memory: Memory) -> Iterator[Found]:
    given = {
        "orama": (package(tools, "@orama/orama") / "dist/esm/index.js").as_uri(),
        "most": _MOST,
        "notes": [_note(path, text) for path, text in memory.notes.items()],
        "prompts": [ask(prompt.text) for prompt in memory.prompts],
    }
    run = subprocess.run(
        [node(), str(_SCRIPT)], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    for row in json.loads(run.stdout):
        yield row["places"], row["ms"]


def _note(path: str, text: str) -> dict[str, str]:
    note = Note(path, text)
    return {
        "id": path,
        "title": PurePosixPath(path).stem,
        "tags": " ".join(note.head.tags),
        "description": note.head.description,
        "content": note.body,
    }
