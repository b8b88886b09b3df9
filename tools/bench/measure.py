"""Runs commands in turns and says what each took: `python -I -S measure.py PLAN`, the plan and the answer
in JSON. A process of its own, because a child's peak memory is told as no less than its parent's was."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


def main(plan: dict[str, Any]) -> dict[str, list[list[float]]]:
    """For each command a row per round: wall seconds, CPU seconds, peak KiB, bytes it answered.

    The plan names `rounds`, `warm` (rounds before that count for nothing), `env`, `state` (the worker of
    which is waited for after a command that `wakes` one), and `commands`: `name`, `words`, `cwd`,
    `stdin` (a file for every round, or none) and `wakes`.
    """
    took: dict[str, list[list[float]]] = {command["name"]: [] for command in plan["commands"]}
    for number in range(plan["warm"] + plan["rounds"]):
        for command in plan["commands"]:
            stdin = command["stdin"][number % len(command["stdin"])] if command["stdin"] else os.devnull
            os.chdir(command["cwd"])
            row = run(command["words"], plan["env"], stdin)
            if number >= plan["warm"]:
                took[command["name"]].append(row)
            while command["wakes"] and at_work(plan["state"]):
                time.sleep(0.02)
    return took


def run(words: list[str], env: dict[str, str], stdin: str) -> list[float]:
    """One process: its input is in the pipe before it starts."""
    read_in, answer = _filled(stdin), os.memfd_create("answer")
    actions = [
        (os.POSIX_SPAWN_DUP2, read_in, 0),
        (os.POSIX_SPAWN_DUP2, answer, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    began = time.perf_counter()
    child = os.posix_spawnp(words[0], words, env, file_actions=actions)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - began
    assert status in (0, 256), (words, status)
    os.close(read_in)
    answered = os.fstat(answer).st_size
    os.close(answer)
    return [wall, used.ru_utime + used.ru_stime, used.ru_maxrss, answered]


def at_work(state: str) -> list[int]:
    """Processes with the state folder in their command line: workers, and hooks about to become one."""
    wanted, pids = os.fsencode(state), []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if name.isdigit() and name != str(os.getpid()) and wanted in file.read():
                    pids.append(int(name))
        except OSError:
            continue  # it ended meanwhile
    return pids


def _filled(path: str) -> int:
    read, write = os.pipe()
    with open(path, "rb") as file:
        data = file.read()
    assert len(data) < 1 << 16, "more than a pipe holds"
    os.write(write, data)
    os.close(write)
    return read


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps(main(json.load(file))))
