"""`make demo`: a week on two machines that share one memory, in real commands and output."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from aloud import Machine, Session, at_work, machine, tell, wait_for

BANK = "The bank answers within 8 s or not at all (their support, by phone)"
CENTS = "src/client.py counts in cents, every other file in euros"
NEXT = "Ask the bank, then release"
PORT = "Tests need redis on port 6380: `make redis` starts it"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ctxrepo-demo-") as folder:
        root = Path(folder)
        remote = root / "memory.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
        laptop, desktop = machine(root, "laptop"), machine(root, "desktop")
        tell(
            "A week in one minute, on two machines. `laptop$` marks what you type, `laptop>` what the agent"
            " runs, and · what its hooks do. Everything below really runs; only the days are made up."
        )
        connect(laptop, desktop, remote)
        monday(laptop)
        tuesday(laptop)
        wednesday(desktop)
        passing = thursday(laptop, desktop)
        friday(laptop, passing)
        wait_for(lambda: not at_work(laptop, desktop), "the workers to finish")
    tell("That is gone again. A memory of four weeks, to look around in: `.venv/bin/ctxrepo demo`")


def connect(laptop: Machine, desktop: Machine, remote: Path) -> None:
    tell("Any git remote can hold the memory. Two commands connect a machine to it.")
    for each in (laptop, desktop):
        each.say("ctxrepo", "init", str(remote))
        each.say("ctxrepo", "setup", "claude", "--yes")


def monday(laptop: Machine) -> None:
    tell(
        "Monday, on the laptop: the first session starts with an empty memory. The agent writes down what"
        " it learns."
    )
    session = Session(laptop)
    session.starts()
    session.runs("ctxrepo", "remember", PORT, "--category", "gotcha")
    session.runs("ctxrepo", "remember", CENTS, "--category", "gotcha")
    session.edits(laptop.home / ".ctxrepo/global/MEMORY.md", "- Commit messages: one sentence, present tense")
    session.replies("Noted.")
    session.ends()


def tuesday(laptop: Machine) -> None:
    tell(
        "Tuesday: the next session has those facts. The agent keeps a checklist and a log, and editing a"
        " file brings up the entry that mentions it."
    )
    session = Session(laptop)
    session.starts()
    session.is_asked("Retry payments when the bank is slow")
    session.runs("ctxrepo", "scratch", "add", "Ask the bank about the 8 s limit")
    session.runs("ctxrepo", "scratch", "add", "Test answers that arrive late")
    session.edits(laptop.project / "src" / "client.py", "TRIES = 3")
    session.runs("ctxrepo", "log", "Payments are retried three times, 10 s apart #decision")
    session.replies("Done, except for the tests.")
    tell(
        "A prompt brings up the entry that answers it. Then the conversation gets too long and is compacted"
        " in the middle of the task; this is what the model is given afterwards."
    )
    session.is_asked("Why do all redis tests fail on my machine: connection refused?")
    session.is_compacted()
    session.runs("ctxrepo", "scratch", "done", "late")
    session.replies(f"Nothing is listening there. {PORT}. I started it, and they all pass.")
    tell("A prompt that asks for nothing gets nothing. The agent leaves a handoff, and the session ends.")
    session.is_asked("ok, thanks")
    session.runs("ctxrepo", "handoff", "--goal", "Payments survive a slow bank", "--next", NEXT)
    session.ends()


def wednesday(desktop: Machine) -> None:
    tell("Wednesday, on the desktop: the session picks up where the laptop stopped.")
    session = Session(desktop)
    if NEXT not in session.starts():
        tell(
            "This fetch takes longer than the 0.8 s that a session start waits, and continues in the"
            " background. The next prompt brings what it fetched; later sessions have it from the start."
        )
        wait_for(lambda: not at_work(desktop), "the fetch")
        session.is_asked("Where did we stop with the payments?")
        session.ends()
        session = Session(desktop)
        session.starts()
    session.runs("ctxrepo", "scratch", "done", "bank")
    session.runs("ctxrepo", "log", BANK)
    session.runs("ctxrepo", "handoff", "--goal", "Payments survive a slow bank", "--next", "Release")
    session.replies("I asked them and wrote down the answer.")
    session.ends()


def thursday(laptop: Machine, desktop: Machine) -> str:
    tell("Thursday: both machines write to the same note, and neither knows about the other.")
    note = ("--note", "topics/gotcha.md")
    answer = laptop.say("ctxrepo", "remember", "The payment sandbox is down until Friday", *note)
    desktop.say("ctxrepo", "remember", "CI caches node_modules by lock file", *note)
    for each in (laptop, desktop, laptop):
        each.say("ctxrepo", "sync")
    ours, other = (m.say("ctxrepo", "read", "topics/gotcha.md") for m in (laptop, desktop))
    if ours != other:
        sys.exit("demo: the two machines hold different notes")
    return answer.split()[1]


def friday(laptop: Machine, passing: str) -> None:
    tell(
        "Friday: see what a session would be given and how much room it takes, which entries were used,"
        " and put away what no longer holds."
    )
    laptop.say("ctxrepo", "context", "--explain")
    laptop.say("ctxrepo", "stats", "usage")
    laptop.say("ctxrepo", "archive", passing)
    laptop.say("ctxrepo", "scratch", "clear-done")
    laptop.say("ctxrepo", "sync")
    tell("Review it like any other code.")
    clone = str(laptop.home / ".ctxrepo")
    laptop.say("git", "-C", clone, "log", "--format=%h %s", "-8")
    laptop.say("git", "-C", clone, "log", "-1", "-p", "-U0", "--", "shop/daily")


if __name__ == "__main__":
    main()
