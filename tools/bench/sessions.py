"""Search over sessions: how fast transcripts are indexed, how large that gets, and how long a query takes.

Each agent's transcripts are grown from real ones (`bench/grow.py`): those that `python -m live` left with
--keep, or the recorded ones of the tests.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Literal, get_args

from checkout import CHECKOUT
from machines import Machine, make_machine

from bench.corpus import PER_PROJECT, Author
from bench.grow import Words, grow
from bench.hooks import PROJECT, code_of, settle
from bench.plan import Command, Hooks, run
from ctxrepo.agents.known import transcripts_of
from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.index_update import read_in_steps
from ctxrepo.services.sessions.keeping import KeepRules
from ctxrepo.services.sessions.session_search import SessionQuery
from ctxrepo.services.sessions.transcript_scan import scan_sessions
from ctxrepo.services.sessions.transcripts_here import changed_transcripts, transcripts_here
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.session_index import SessionIndex, index_file

AGENTS = ("claude", "codex", "gemini", "copilot", "pi", "opencode")
Keep = Literal["off", "texts", "whole"]
"""As the setting sessions.keep."""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench sessions", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--agents", nargs="+", choices=AGENTS)
    parser.add_argument("--sources", type=Path, help="a folder in which `live AGENT … --keep` left sessions")
    parser.add_argument("--keep", choices=get_args(Keep), default="off", help="as sessions.keep")
    parser.add_argument("--hooks", type=int, metavar="ROUNDS", help="what hooks take meanwhile, instead")
    options = parser.parse_args(words)
    agents = options.agents or (AGENTS if options.sources else AGENTS[:-1])  # no database is recorded
    size = options.megabytes * 1_000_000
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        if options.hooks:
            _hooks(root, _source("claude", options.sources), size, options.hooks)
            return 0
        print(
            "| agent | MB | sessions | messages | MB/s, one core | index | kept "
            "| query, median | most | raw MB/s |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for agent in agents:
            source = _source(agent, options.sources)
            print(_row(agent, source, root / agent, size, options.keep), flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return 0


_INDEXING = """
import os
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places
memory = Memory.open(Places.of(os.environ), os.environ)
while True:
    update_index(memory, 120, is_background=True)
    (memory.state.root / "sessions.db").unlink()
"""
"""What a worker does at its end, again and again."""


_ASKING = """
import json, os, sys
from contextlib import suppress
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.keeping import KeepRules
from ctxrepo.services.sessions.session_search import SessionQuery, search_sessions
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places
def worked():
    each = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in each)
memory, took = Memory.open(Places.of(os.environ), os.environ), []
for text in json.load(sys.stdin):
    began = worked()
    with suppress(NotFound):
        search_sessions(memory, SessionQuery(text))
    took.append(worked() - began)
json.dump(took, sys.stdout)
"""
"""What `ctxrepo search --in sessions` does, again and again, in a process that is as large as that command's:
it forks, and a fork takes the longer the more its process holds."""


def _hooks(root: Path, source: Path, size: int, rounds: int) -> None:
    """What hooks take alone, and while sessions are indexed; in turns with a bare start."""
    person = settle(root, 1000)
    grow("claude", source, person.home / ".claude", size, Words())
    hooks, code, author = Hooks(person, Path(sys.executable), rounds), code_of(person), Author()
    prompts = [author.prompt(PROJECT * PER_PROJECT + n % PER_PROJECT) for n in range(1, 98)]
    commands = [
        Command("python -c pass", [sys.executable, "-c", "pass"], str(code)),
        hooks.command("tool", "PostToolUse-read", code, file=[str(code / "a.py")]),
        hooks.command("prompt", "UserPromptSubmit", code, prompt=prompts),
    ]
    took: dict[tuple[str, bool], list[float]] = {}
    with subprocess.Popen([sys.executable, "-c", _INDEXING], env=dict(person.env)) as indexing:
        for number in range(2 * rounds):
            is_beside = number % 2 == 1
            _signal(indexing.pid, signal.SIGCONT if is_beside else signal.SIGSTOP)
            for name, rows in run(person, commands, 2, waits=False).items():
                took.setdefault((name, is_beside), []).extend(1000 * row[0] for row in rows)
        _signal(indexing.pid, signal.SIGCONT)
        indexing.terminate()
    print("| | alone, median | p95 | while sessions are indexed, median | p95 |\n|---|---:|---:|---:|---:|")
    for command in commands:
        each = [took[command.name, is_beside] for is_beside in (False, True)]
        cells = [f"{value:.1f} ms" for times in each for value in (median(times), quantiles(times, n=20)[18])]
        print(f"| {command.name} | {' | '.join(cells)} |")


def _signal(process: int, number: int) -> None:
    """Stop the process that indexes, and the one that reads for it, or let them go on."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for pid in (process, *map(int, children)):
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _source(agent: str, sources: Path | None) -> Path:
    """The real transcript that is grown: the largest in which a tool was used."""
    recorded = CHECKOUT / "tests" / "agents"
    if sources is None:
        return {
            "claude": recorded / "claude_records" / "tools.jsonl",
            "codex": recorded / "codex_records" / "edits.jsonl",
            "gemini": recorded / "gemini_records" / "tools.jsonl",
            "copilot": recorded / "copilot" / "events.jsonl",
            "pi": recorded / "pi" / "forked.jsonl",
        }[agent]
    known = transcripts_of(agent)
    assert known
    homes = [*(sources / agent).glob("*-row-edits/home"), *(sources / agent).glob("*-short/home")]
    paths = [path for home in homes for path in known.folder(home, {}).glob(known.PATTERN)]
    return max(paths, key=lambda path: path.stat().st_size)


def _row(agent: str, source: Path, root: Path, size: int, keep: Keep) -> str:
    machine = make_machine(root, "ada")
    machine.init()
    memory = machine.open()
    known = transcripts_of(agent)
    assert known
    words = Words()
    folder = known.folder(machine.home, {})
    grow(agent, source, folder, size, words)
    there = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    keeper = KeepRules(kept_file(memory.state.root), keep, most=10**12)
    seconds = _index(memory, keeper)
    with keeper.opened() as kept:
        held = kept.store.size().bytes if keep != "off" else 0
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        now = index.size()
    texts = [words.some(1 + n % 3) for n in range(31)] + [words.author._words[n] for n in range(5)]
    took = _asked(machine, texts)[1:]  # the first query of a process loads the rules for secrets
    began = time.perf_counter()
    with suppress(NotFound):
        scan_sessions(memory, SessionQuery("no text says this"))
    raw = there / (time.perf_counter() - began)
    return (
        f"| {agent} | {there / 1e6:.0f} | {now.sessions} | {now.messages} | {there / 1e6 / seconds:.1f} "
        f"| {100 * now.bytes / there:.1f} % | {100 * held / there:.1f} % | {1000 * median(took[:30]):.1f} ms "
        f"| {1000 * max(took):.1f} ms | {raw / 1e6:.0f} |"
    )


def _index(memory: Memory, keeper: KeepRules) -> float:
    """Seconds of one core that reading everything takes; in this process, to see no other's time."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        wanted = changed_transcripts(transcripts_here(memory), index.sessions())
    began = time.process_time()
    for _ in read_in_steps(index_file(memory.state.root), wanted, keeper):
        pass
    return time.process_time() - began


def _asked(machine: Machine, texts: Sequence[str]) -> list[float]:
    """Seconds of a processor that the query for each of these takes, with the texts of its hits and what
    stands around them, in one new process and the processes that it starts."""
    words = [sys.executable, "-c", _ASKING]
    run = subprocess.run(words, input=json.dumps(texts), env=machine.env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    took: list[float] = json.loads(run.stdout)
    return took
