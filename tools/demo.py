"""`make demo`: a week of two machines with one memory, in real commands and output; leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from aloud import Machine, Session, at_work, machine, tell, wait_for

BANK = "The bank answers within 8 s or not at all, says its support"
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
            "A week in a minute. The days are headings only; all else happens as it is told. After `laptop$`"
            " is what you type, after `laptop>` what the agent runs, after · what its hooks do."
        )
        connect(laptop, desktop, remote)
        monday(laptop)
        tuesday(laptop)
        wednesday(desktop)
        passing = thursday(laptop, desktop)
        friday(laptop, passing)
        wait_for(lambda: not at_work(laptop, desktop), "the workers to finish")


def connect(laptop: Machine, desktop: Machine, remote: Path) -> None:
    tell("A memory repository is any git remote. Two commands connect a machine.")
    for each in (laptop, desktop):
        each.say("ctxrepo", "init", str(remote))
        each.say("ctxrepo", "setup", "claude", "--yes")


def monday(laptop: Machine) -> None:
    tell(
        "Monday, on the laptop: a session starts with an empty memory, and its agent writes down what it"
        " learns."
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
        "Tuesday: the next session knows it. What is to be done goes on a checklist, what was done into a"
        " log, and an edit brings the entry that names the file."
    )
    session = Session(laptop)
    session.starts()
    session.is_asked("Payments shall be tried again when the bank is slow")
    session.runs("ctxrepo", "scratch", "add", "Ask the bank about the 8 s limit")
    session.runs("ctxrepo", "scratch", "add", "Cover answers that come late")
    session.edits(laptop.project / "src" / "client.py", "TRIES = 3")
    session.runs("ctxrepo", "log", "Payments are tried three times, 10 s apart #decision")
    session.replies("Done, but for the tests.")
    tell(
        "Beside a prompt comes the entry that bears on it. Then the conversation has become too long, and is"
        " compacted in the middle of the work: this is what comes after it."
    )
    session.is_asked("Why do all redis tests fail on my machine: connection refused?")
    session.is_compacted()
    session.runs("ctxrepo", "scratch", "done", "late")
    session.replies(f"Nothing listens there. {PORT}. I have started it, and all of them pass.")
    tell("Beside a prompt that asks nothing there is silence. The agent hands over, and the session ends.")
    session.is_asked("ok, thanks")
    session.runs("ctxrepo", "handoff", "--goal", "Payments survive a slow bank", "--next", NEXT)
    session.ends()


def wednesday(desktop: Machine) -> None:
    tell("Wednesday, on the desktop: the session starts where the other one stopped.")
    session = Session(desktop)
    if NEXT not in session.starts():
        tell(
            "A fetch takes longer here than the 0.8 s for which a start waits; it goes on in the background."
            " Once it is done the next prompt brings what came, and a session that starts has it at once."
        )
        wait_for(lambda: not at_work(desktop), "the fetch")
        session.is_asked("Where did we stop with the payments?")
        session.ends()
        session = Session(desktop)
        session.starts()
    session.runs("ctxrepo", "scratch", "done", "bank")
    session.runs("ctxrepo", "log", BANK)
    session.runs("ctxrepo", "handoff", "--goal", "Payments survive a slow bank", "--next", "Release")
    session.replies("Asked, and noted what they say.")
    session.ends()


def thursday(laptop: Machine, desktop: Machine) -> str:
    tell("Thursday: both machines write into one note without knowing of each other.")
    note = ("--note", "topics/gotcha.md")
    said = laptop.say("ctxrepo", "remember", "The payment sandbox is down until Friday", *note)
    desktop.say("ctxrepo", "remember", "CI caches node_modules by lock file", *note)
    for each in (laptop, desktop, laptop):
        each.say("ctxrepo", "sync")
    one, other = (m.say("ctxrepo", "read", "topics/gotcha.md") for m in (laptop, desktop))
    if one != other:
        sys.exit("demo: the two machines hold different notes")
    return said.split()[1]


def friday(laptop: Machine, passing: str) -> None:
    tell(
        "Friday: what a session would be given, and what that takes; what sessions made of entries; and what"
        " is past is put away."
    )
    laptop.say("ctxrepo", "context", "--explain")
    laptop.say("ctxrepo", "stats", "usage")
    laptop.say("ctxrepo", "archive", passing)
    laptop.say("ctxrepo", "scratch", "clear-done")
    laptop.say("ctxrepo", "sync")
    tell("And you review it like code.")
    clone = str(laptop.home / ".ctxrepo")
    laptop.say("git", "-C", clone, "log", "--format=%h %s", "-8")
    laptop.say("git", "-C", clone, "log", "-1", "-p", "-U0", "--", "shop/daily")


if __name__ == "__main__":
    main()
