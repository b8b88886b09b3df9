"""ctxrepo's own recall, by the command that anybody has: `ctxrepo recall --in FOLDER --batch FILE`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.peers.base import Found, Memory, NotHereError, Peer, Tools
from ctxrepo import __version__

OURS = "ctxrepo"
"""How the names of its rows begin."""

Options = Callable[[Tools], list[str]]


def peers() -> list[Peer]:
    """Its entries ungated, and as a prompt is given them."""
    plain = [
        _peer(f"{OURS}, ungated", lambda tools: ["--no-gate"]),
        _peer(OURS, lambda tools: []),
    ]
    hybrid = [
        _peer(f"{OURS} hybrid, ungated", lambda tools: ["--model", _model(tools), "--no-gate"]),
        _peer(f"{OURS} hybrid", lambda tools: ["--model", _model(tools)]),
    ]
    return plain + hybrid


def _peer(name: str, options: Options) -> Peer:
    def program(tools: Tools) -> str:
        options(tools)
        return f"ctxrepo {__version__} in one process"

    def ask(tools: Tools, memory: Memory) -> Iterator[Found]:
        return _ask(memory, options(tools))

    return Peer(name, "entry", program, ask)


def _model(tools: Tools) -> str:
    if tools.model is None:
        raise NotHereError("--model DIR with an embedding model")
    return str(tools.model.resolve())


def questions(memory: Memory) -> list[dict[str, object]]:
    """What `recall --batch` is given."""
    return [{"id": p.id, "query": p.text, "before": list(p.before)} for p in memory.prompts]


def _ask(memory: Memory, options: list[str]) -> Iterator[Found]:
    with tempfile.TemporaryDirectory(prefix="ctxrepo-recall-") as home:
        asked, answered = Path(home, "asked.jsonl"), Path(home, "answered.jsonl")
        asked.write_text("".join(json.dumps(row) + "\n" for row in questions(memory)), "utf-8")
        words = ["recall", "--in", str(memory.folder), "--batch", str(asked), "--out", str(answered)]
        environment = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        command = [sys.executable, "-m", "ctxrepo", *words, *options]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"ctxrepo recall: {run.stderr.strip()}")
        answers = {row["id"]: row for row in map(json.loads, answered.read_text("utf-8").splitlines())}
    for prompt in memory.prompts:
        answer = answers[prompt.id]
        yield [hit["id"] for hit in answer["results"]], answer["ms"]
