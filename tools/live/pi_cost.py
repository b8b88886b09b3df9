"""What pi's extension adds to the hook line: the time that pi waits for it, beside the line alone."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from live.pi_types import SOURCE
from live.play import Play
from live.steps import Text

CALLS = 60
"""Tool calls that are measured; each of them is followed by the line alone, and by a bare start of Python."""

_WARM = 3
"""Of them the first, which aren't counted."""

MOST = 0.5
"""Bare starts of Python that the extension may add."""

_PROBE = """\
import { appendFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
export default function (pi) {
  pi.on("tool_result", () => {
    const now = performance.now();
    if (%(first)s) return void (globalThis.begun = now);
    const beside = execFileSync(%(python)s, [%(beside)s], { encoding: "utf8" });
    appendFileSync(%(log)s, JSON.stringify([now - globalThis.begun, ...JSON.parse(beside)]) + "\\n");
  });
}
"""
"""An extension before ours, which notes the time, and one behind it, which measures the rest."""

_BESIDE = """\
import json, subprocess, sys, time

def took(words, data):
    began = time.perf_counter()
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=nothing).communicate(data)
    return (time.perf_counter() - began) * 1000

line, said = {line!r}, {said!r}
print(json.dumps([took(["/bin/sh", "-c", line], said), took([sys.executable, "-c", "pass"], b"")]))
"""


def cost(play: Play) -> None:
    """The extension adds at most half a bare start of Python to the hook line."""
    extensions = play.stage.machine.home / ".pi" / "agent" / "extensions"
    root, target = play.stage.root, play.stage.project / "README.md"
    log, beside = root / "cost.jsonl", root / "beside.py"
    where = {"session": "alone", "cwd": str(play.stage.project)}
    said = {**where, "tool": "read", "input": {"path": str(target)}}
    line = _line(extensions / SOURCE.name).replace(" pi EVENT ", " pi tool_result ")
    beside.write_text(_BESIDE.format(line=line, said=json.dumps(said).encode()))
    for name, first in (("a-before.ts", "true"), ("z-behind.ts", "false")):
        places = {"python": sys.executable, "beside": str(beside), "log": str(log)}
        filled = {word: json.dumps(place) for word, place in places.items()}
        (extensions / name).write_text(_PROBE % {**filled, "first": first})
    talk = play.talk()
    play.stage.model.will(*[play.agent.read(target)] * CALLS, Text())
    talk.say("Write a poem about autumn leaves.")
    talk.end()
    rows = [json.loads(row) for row in log.read_text("utf-8").splitlines()][_WARM:]
    waited, alone, bare = (statistics.median(column) for column in zip(*rows, strict=True))
    added = statistics.median(row[0] - row[1] for row in rows) / bare
    seen = f"{added:.2f}: {waited:.1f} ms through pi, {alone:.1f} alone, {bare:.1f} a bare start"
    play.report.look(f"it adds {MOST} bare starts at most", added <= MOST, f"{seen}; {len(rows)} calls")


def _line(extension: Path) -> str:
    """The hook line in an extension that setup wrote."""
    start = "const LINE = "
    (said,) = [line for line in extension.read_text("utf-8").splitlines() if line.startswith(start)]
    return str(json.loads(said.removeprefix(start).removesuffix(";")))
