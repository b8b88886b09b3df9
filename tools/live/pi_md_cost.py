"""`python -m live.pi_md_cost --sources FOLDER`, with tests/ on the path: what memory costs pi in time.

Rounds of one prompt with a tool call each: without memory, with pi-memory-md's own code, and with ctxrepo, in
turns and beside a bare start of Python. Two tables in markdown: the time from pi's start to its first request
at the model, and the time that pi waits for the handlers of each event; medians over the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from live import alone, install, pi, pi_md_package
from live.model import Model
from live.pi_md_tokens import memory_of_a_year
from live.stage import Stage
from live.steps import Text

EVENTS = ("session_start", "before_agent_start", "tool_result", "agent_settled", "session_shutdown")

_HOOKS = {"sessionStart": ["pull"], "sessionEnd": ["push"]}

WAYS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("no extension", "nobody", {}),
    ("pi-memory-md", "its", {"hooks": _HOOKS}),
    ("pi-memory-md, tape on", "its", {"hooks": _HOOKS, "tape": {}}),
    ("ctxrepo", "ours", {"hooks": _HOOKS}),
)
"""Title, whose extension, and pi-memory-md's settings in pi."""

_PROBE = """\
import { appendFileSync } from "node:fs";
export default function (pi) {
  for (const event of %(events)s) pi.on(event, () => {
    const now = performance.now();
    if (%(first)s) globalThis.begun = now;
    else appendFileSync(%(log)s, JSON.stringify([event, now - globalThis.begun]) + "\\n");
  });
}
"""
"""An extension before the one that is measured, which notes the time, and one behind it."""


@dataclass
class Times:
    """Of one way, in milliseconds, a value for each round."""

    request: list[float] = field(default_factory=list)
    """From pi's start to its first request at the model."""
    whole: list[float] = field(default_factory=list)
    """From its start to its end."""
    events: dict[str, list[float]] = field(default_factory=lambda: {event: [] for event in EVENTS})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m live.pi_md_cost", description=__doc__)
    parser.add_argument(
        "--sources", type=Path, required=True, help="a folder with the sources of pi-memory-md"
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="leave everything in this folder, to look at")
    options = parser.parse_args()
    installed = install.install(pi.NAME, pi.PACKAGE, install.root())
    package = pi_md_package.bring(options.sources, install.root())
    alone.go_inside(["-m", "live.pi_md_cost", *sys.argv[1:]])
    root = options.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-cost-"))
    times = {title: Times() for title, *_ in WAYS}
    bare: list[float] = []
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with Model(pi.API, root / "requests.jsonl") as model:
        played = []
        for number, (title, who, section) in enumerate(WAYS):
            (root / str(number)).mkdir()
            here = memory_of_a_year(root / str(number), model, installed, **section)
            played.append((title, here, probed(here, extension(here, who, package))))
        for turn in range(options.rounds + 1):
            bare.append(_bare())
            for title, here, words in played:
                took = _round(here, words)
                if turn:  # the first makes caches, which no later one does
                    _take(times[title], took)
    print(tables(times, median(bare[1:])))
    if not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    return 0


def extension(here: Stage, who: str, package: pi_md_package.Package) -> list[str]:
    """Where pi finds whose extension."""
    if who == "its":
        return [str(package.folder)]
    if who == "ours":
        here.ctxrepo("setup", pi.NAME, "--yes")
        return [str(here.machine.home / ".pi" / "agent" / "extensions" / "ctxrepo.ts")]
    return []


def probed(here: Stage, extensions: Sequence[str]) -> list[str]:
    """The command line of a session with these extensions between two probes."""
    for name, first in (("before", "true"), ("behind", "false")):
        filled = {"events": json.dumps(EVENTS), "log": json.dumps(str(_log(here))), "first": first}
        (here.root / f"{name}.ts").write_text(_PROBE % filled)
    loaded = [str(here.root / "before.ts"), *extensions, str(here.root / "behind.ts")]
    return [*pi.command_line(here), "--no-extensions", *(word for path in loaded for word in ("-e", path))]


def _log(here: Stage) -> Path:
    return here.root / "events.jsonl"


def _round(here: Stage, words: Sequence[str]) -> tuple[float, float, Mapping[str, float]]:
    """One session; when its first request came, when it was over, and what each event took."""
    _log(here).unlink(missing_ok=True)
    here.model.will(pi.read(here.project / "README.md"), Text())
    before = len(here.model.requests)
    env = {**here.machine.env, **pi.ENV}
    began = time.monotonic()
    subprocess.run(
        [*words, "-p", "Lab-Sud result files come out with garbage accents"],
        cwd=here.project, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    ended = time.monotonic()
    here.wait_for_silence()
    took = dict(json.loads(line) for line in _log(here).read_text("utf-8").splitlines())
    return (here.model.requests[before].at - began) * 1000, (ended - began) * 1000, took


def _take(times: Times, took: tuple[float, float, Mapping[str, float]]) -> None:
    request, whole, events = took
    times.request.append(request)
    times.whole.append(whole)
    for event in EVENTS:
        times.events[event].append(events[event])


def _bare() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env={"PATH": os.environ["PATH"]})
    return (time.perf_counter() - began) * 1000


def tables(times: Mapping[str, Times], bare: float) -> str:
    """What the rounds took; the first row is what the others are more than."""
    none = next(iter(times.values()))
    head = (
        "",
        "to the first request",
        "more than without",
        "in bare starts",
        "to its end",
        "more than without",
    )
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for title, its in times.items():
        request, whole = median(its.request), median(its.whole)
        more = median(a - b for a, b in zip(its.request, none.request, strict=True))
        later = median(a - b for a, b in zip(its.whole, none.whole, strict=True))
        cells = [
            f"{request:.0f} ms",
            f"{more:.0f} ms",
            f"{more / bare:.1f}",
            f"{whole:.0f} ms",
            f"{later:.0f} ms",
        ]
        lines.append("| " + " | ".join([title, *cells]) + " |")
    lines += [
        "",
        "| | " + " | ".join(f"`{event}`" for event in EVENTS) + " |",
        "|---|" + "---:|" * len(EVENTS),
    ]
    for title, its in list(times.items())[1:]:
        waits = [median(its.events[event]) for event in EVENTS]
        lines.append("| " + " | ".join([title, *(f"{ms:.1f} ms ({ms / bare:.1f})" for ms in waits)]) + " |")
    rounds = len(none.request)
    return "\n".join([*lines, "", f"{rounds} rounds; a bare start of Python took {bare:.1f} ms."])


if __name__ == "__main__":
    sys.exit(main())
