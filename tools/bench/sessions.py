"""Search over sessions: how fast transcripts are indexed, how large that gets, and how long a query takes.

Each agent's transcripts are grown from real ones (`bench/grow.py`): those that `python -m live` left with
--keep, or the recorded ones of the tests.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

from checkout import CHECKOUT
from machines import make_machine

from bench.grow import Words, grow
from ctxrepo.agents.known import transcripts_of
from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.raw import scan_sessions
from ctxrepo.services.sessions.reader import TranscriptReader
from ctxrepo.services.sessions.search import SessionQuery, search_sessions
from ctxrepo.services.sessions.transcripts import changed, transcripts_here
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.index import SessionIndex, index_file

AGENTS = ("claude", "codex", "gemini", "copilot", "pi", "opencode")
CEILINGS = {"MB/s": 10.0, "%": 15.0, "ms": 50.0}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench sessions", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--agents", nargs="+", default=AGENTS, choices=AGENTS)
    parser.add_argument("--sources", type=Path, help="a folder in which `live AGENT … --keep` left sessions")
    parser.add_argument("--keep", type=Path, help="leave everything in this folder")
    wanted = parser.parse_args(words)
    if not wanted.sources and "opencode" in wanted.agents:
        parser.error("no database of OpenCode's is recorded: name --sources, or --agents without it")
    root = wanted.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    print("| agent | MB | sessions | messages | MB/s of one core | index | query, median | most | raw MB/s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    try:
        for agent in wanted.agents:
            source = _source(agent, wanted.sources)
            print(_row(agent, source, root / agent, wanted.megabytes * 1_000_000), flush=True)
    finally:
        if not wanted.keep:
            shutil.rmtree(root, ignore_errors=True)
    return 0


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
    found = [path for home in homes for path in known.folder(home, {}).glob(known.PATTERN)]
    return max(found, key=lambda path: path.stat().st_size)


def _row(agent: str, source: Path, root: Path, size: int) -> str:
    machine = make_machine(root, "ada")
    machine.init()
    memory = machine.open()
    known = transcripts_of(agent)
    assert known
    words = Words()
    folder = known.folder(machine.home, {})
    grow(agent, source, folder, size, words)
    there = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    seconds = _index(memory)
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        now = index.size()
    took = [_query(memory, words.some(1 + n % 3)) for n in range(30)]
    common = [_query(memory, words.author._words[n]) for n in range(5)]
    began = time.perf_counter()
    with suppress(NotFound):
        scan_sessions(memory, SessionQuery("no text says this"))
    raw = there / (time.perf_counter() - began)
    return (
        f"| {agent} | {there / 1e6:.0f} | {now.sessions} | {now.messages} | {there / 1e6 / seconds:.1f} "
        f"| {100 * now.bytes / there:.1f} % | {1000 * median(took):.1f} ms "
        f"| {1000 * max(*took, *common):.1f} ms | {raw / 1e6:.0f} |"
    )


def _index(memory: Memory) -> float:
    """Seconds of one core that reading everything takes; in this process, to see no other's time."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        wanted = changed(transcripts_here(memory), index.sessions())
    reader = TranscriptReader(index_file(memory.state.root), wanted)
    began = time.process_time()
    while reader.step():
        pass
    return time.process_time() - began


def _query(memory: Memory, text: str) -> float:
    """Seconds of a core that a query takes, with the texts of its hits and what stands around them."""
    began = time.process_time()
    with suppress(NotFound):
        search_sessions(memory, SessionQuery(text))
    return time.process_time() - began
