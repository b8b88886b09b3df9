"""How long `ctxrepo review` takes in a real terminal (tmux): until what waits is seen, until the notes are
counted, and from a key to the first and the last of them."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from machines import Machine
from tmuxed import Tmux

from bench.hooks import code_of, settle
from bench.person import Person

_HEAD = """
| notes | what waits is seen | its CPU | notes are counted | key to notes | key to the last of them |
|---:|---:|---:|---:|---:|---:|"""

_TICKS = os.sysconf("SC_CLK_TCK")


class _AtCode(Machine):
    """The machine of somebody who is in the folder of their code."""

    @property
    def project_folder(self) -> Path:
        return self.home / self.more["CODE"]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench screen", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        print(_HEAD)
        for size in options.sizes:
            person = settle(root / str(size), size)
            rounds = [_round(person, root / f"tmux-{size}-{number}") for number in range(options.rounds)]
            seen, cpu, counted, shown, last = (median(column) for column in zip(*rounds, strict=True))
            cells = (f"{seen:.2f} s", f"{cpu:.2f} s", f"{counted:.2f} s", f"{shown:.3f} s", f"{last:.3f} s")
            print(f"| {size} | {' | '.join(cells)} |", flush=True)
    finally:
        shutil.rmtree(root)
    return 0


def _round(person: Person, folder: Path) -> tuple[float, float, float, float, float]:
    folder.mkdir()
    machine = _AtCode(person.home, {**person.env, "CODE": str(code_of(person))})
    began = time.perf_counter()
    tmux = Tmux(folder, machine, [sys.executable, "-m", "ctxrepo", "review"], (100, 30))
    try:
        seen = _until(tmux, lambda shown: "for you · ?" in shown, began)
        cpu = _cpu(tmux.pid)
        counted = _until(tmux, lambda shown: re.search(r"3 Notes +\d", shown) is not None, began)
        began = time.perf_counter()
        tmux.keys("3")
        shown = _until(tmux, lambda text: "› " in text and ".md" in text, began)
        first = tmux.screen
        began = time.perf_counter()
        tmux.keys("G")
        last = _until(tmux, lambda text: text != first, began)
        return seen, cpu, counted, shown, last
    finally:
        tmux.close()


def _until(tmux: Tmux, is_there: Callable[[str], bool], began: float) -> float:
    while not is_there(tmux.screen):
        time.sleep(0.005)
    return time.perf_counter() - began


def _cpu(pid: int) -> float:
    """Seconds that a process and the threads in it have worked."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
