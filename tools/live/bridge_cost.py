"""What a bridge inside an agent adds to the hook line: what is run beside it, and what came of that."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

from live.play import Play

CALLS = 60
"""Tool calls that are measured; each of them is followed by the line alone, and by a bare start of Python."""

_WARM = 3
"""Of them the first, which aren't counted."""

MOST = 0.5
"""Bare starts of Python that the extension may add."""

BESIDE = """\
import json, subprocess, sys, time

def took(words, data):
    began = time.perf_counter()
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=nothing).communicate(data)
    return (time.perf_counter() - began) * 1000

line, said = {line!r}, {said!r}
print(json.dumps([took(["/bin/sh", "-c", line], said), took([sys.executable, "-c", "pass"], b"")]))
"""


def look_at(play: Play, log: Path) -> None:
    """A row about what was measured: milliseconds through the agent, of the line alone, of a bare start."""
    rows = [json.loads(row) for row in log.read_text("utf-8").splitlines()][_WARM:]
    waited, alone, bare = (statistics.median(column) for column in zip(*rows, strict=True))
    added = statistics.median(row[0] - row[1] for row in rows) / bare
    seen = f"{added:.2f}: {waited:.1f} ms through it, {alone:.1f} alone, {bare:.1f} a bare start"
    play.report.look(f"it adds {MOST} bare starts at most", added <= MOST, f"{seen}; {len(rows)} calls")


def line_in(extension: Path) -> str:
    """The hook line in an extension or a plugin that setup wrote."""
    start = "const LINE = "
    (hook_line,) = [line for line in extension.read_text("utf-8").splitlines() if line.startswith(start)]
    return str(json.loads(hook_line.removeprefix(start).removesuffix(";")))
