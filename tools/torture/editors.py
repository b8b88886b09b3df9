"""Those who know of no lock: programs that append to notes, and editors that write back what they read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from machines import Machine

from ctxrepo.storage.worktree.worktree import SAVING
from torture.fleet import Fleet, Verdict, judge, make_fleet
from torture.process import Process, fork
from torture.writers import TOKEN, Work, keep_syncing

_NOTES = 4


@dataclass(frozen=True)
class Appending:
    """So many appenders in each clone, each with so many bullets."""

    clones: int = 5
    appenders: int = 8
    entries: int = 25
    seed: int = 1


def append(root: Path, plan: Appending) -> Verdict:
    """Append without a lock while every clone syncs, and look for every bullet afterwards."""
    fleet = make_fleet(root, plan.clones)
    jobs: list[Process] = []
    for machine in fleet.machines:
        (machine.clone / "shop" / "topics").mkdir(parents=True)
        for number in range(plan.appenders):
            journal = fleet.journals / f"{machine.home.name}-{number}"
            work = Work(machine, plan.seed, number, 0, plan.entries, _NOTES, journal)
            jobs.append(
                fork("appender", machine.home.name, partial(_append, work), fleet.root / "tracebacks")
            )
    return _meanwhile_syncing(fleet, jobs, plan.seed)


def _append(work: Work) -> None:
    chance = work.chance()
    for number in range(work.entries):
        token = work.token(number)
        name = f"own-{work.writer}" if chance.random() < 0.25 else f"shared-{chance.randrange(work.notes)}"
        with (work.machine.clone / "shop" / "topics" / f"{name}.md").open("a") as file:
            file.write(f"- {token} appended\n")
        work.acknowledge(token)
        time.sleep(chance.random() * 0.1)


def _meanwhile_syncing(fleet: Fleet, jobs: list[Process], seed: int, *confirmed: str) -> Verdict:
    """Sync while the jobs run, and judge; `confirmed` is what a person accepts before that."""
    stop, log = fleet.root / "stop", fleet.root / "tracebacks"
    syncers = [fork("syncer", m.home.name, partial(keep_syncing, m, seed, stop), log) for m in fleet.machines]
    failed = [f"a {job.kind} of {job.machine} failed" for job in jobs if os.waitpid(job.pid, 0)[1]]
    stop.touch()
    failed += [f"a {job.kind} of {job.machine} failed" for job in syncers if os.waitpid(job.pid, 0)[1]]
    for what in confirmed:
        for machine in fleet.machines:
            machine.ctxrepo("sync", "--accept", what)
    verdict = judge(fleet, TOKEN)
    verdict.faults += failed
    if log.exists():
        verdict.faults.append(log.read_text()[-2000:])
    return verdict


def edit(machine: Machine, note: str, work: Work) -> None:
    """Read the whole note, think, write the whole note back with one line more, and let the hook know.

    What another editor wrote meanwhile goes from the file; what the hook was shown is acknowledged.
    """
    chance = work.chance()
    file = machine.clone / note
    for number in range(work.entries):
        token = work.token(number)
        text = file.read_text()
        time.sleep(chance.random() * 0.15)
        text += f"- {token} written back whole\n"
        with file.open("w") as emptied:
            if chance.random() < 0.2:  # a busy machine holds it up just here
                time.sleep(chance.random() * 4 * SAVING)
            emptied.write(text)
        if show_hook(machine, f"editor-{work.writer}", file, text):
            work.acknowledge(token)


def edit_alone(machine: Machine, note: str, work: Work) -> None:
    """One agent that nobody interferes with: its edits, of which the hook isn't told the text, are all kept.

    Each changes an entry that has evidence, so that a commit of it changes more files than were edited.
    """
    chance = work.chance()
    file = machine.clone / note
    for number in range(work.entries):
        token = work.token(number)
        text = re.sub(r"stands at \d+", f"stands at {number}", file.read_text())
        file.write_text(text + f"- {token} edited alone\n")
        show_hook(machine, "alone", file, None)
        work.acknowledge(token)
        time.sleep(chance.random() * 0.3)


def show_hook(machine: Machine, session: str, file: Path, text: str | None) -> bool:
    """Tell the hook that `session` wrote `text` to `file`, or edited it (None), as an agent does; whether it
    took it."""
    content = {} if text is None else {"content": text}
    payload = {
        "session_id": session,
        "cwd": str(machine.project_folder),
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit" if text is None else "Write",
        "tool_input": {"file_path": str(file), **content},
    }
    words = [sys.executable, "-m", "ctxrepo", "hook", "claude", "PostToolUse"]
    run = subprocess.run(words, input=json.dumps(payload), env=machine.env, capture_output=True, text=True)
    return run.returncode == 0


def one_edits_alone(root: Path, entries: int, seed: int) -> Verdict:
    """Let one agent edit one note, faster than its edits are committed, and look for every edit."""
    fleet = make_fleet(root, 2)
    machine = fleet.machines[0]
    machine.remember("the counter stands at 0", category="alone")
    machine.sync()
    work = Work(machine, seed, 0, 0, entries, 1, fleet.journals / "m0-0")
    job = fork(
        "editor", "m0", partial(edit_alone, machine, "shop/topics/alone.md", work), root / "tracebacks"
    )
    return _meanwhile_syncing(fleet, [job], seed)


def edit_over_each_other(root: Path, editors: int, entries: int, seed: int) -> tuple[Verdict, set[str]]:
    """Let editors write one note back over each other while its clone and another sync.

    What was found, and the acknowledged tokens of which the note's history knows nothing. An editor that was
    slow may take so much out that it is held back; a person confirms that in the end.
    """
    fleet = make_fleet(root, 2)
    machine = fleet.machines[0]
    note = "shop/topics/fought-over.md"
    machine.write(note, "- the first line\n")
    machine.sync()
    journals = root / "shown"
    journals.mkdir()
    jobs = []
    for number in range(editors):
        work = Work(machine, seed, number, 0, entries, 1, journals / f"{number}")
        jobs.append(fork("editor", "m0", partial(edit, machine, note, work), root / "tracebacks"))
    verdict = _meanwhile_syncing(fleet, jobs, seed, "deletions")
    history = set(TOKEN.findall(machine.git("log", "--all", "-p", "--format=", "--", note)))
    shown = {token for file in journals.iterdir() for token in file.read_text().split()}
    verdict.acknowledged = len(shown)
    return verdict, shown - history
