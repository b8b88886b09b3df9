"""Builders: what other memory programs for pi leave on a machine, as their users have it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from machines import Machine

MEMORY = """\
# Memory

## Build

- `make check` runs before each commit
- [Build quirks](build.md): sccache breaks -Werror

<!-- 2026-02-14 09:12:30 [a1b2c3d4] -->
#decision [[database-choice]] Chose PostgreSQL for all backend services.

<!-- 2026-02-15 10:00:00 [a1b2c3d4] -->
#preference [[editor]] User prefers Neovim with LazyVim config.
"""

SCRATCHPAD = """\
# Scratchpad

<!-- 2026-02-15 14:00:00 [a1b2c3d4] -->
- [ ] Fix the auth bug
<!-- 2026-02-15 14:01:00 [a1b2c3d4] -->
- [x] Review pull request 42
- [ ] Ask Ben about the cache
"""

DAILY = """\
<!-- 2026-02-15 14:30:00 [a1b2c3d4] -->
Moved the session store to Valkey. #decision

<!-- HANDOFF 2026-02-15 15:00:00 [a1b2c3d4] -->
## Session Handoff
**Open scratchpad items:**
- [ ] Fix the auth bug
**Recent daily log context:**
The migration of the ledger waits for a window.
"""

FACTS: Sequence[tuple[str, str]] = (
    ("pref.editor", "Neovim, and no tabs"),
    ("project.shop.deploy", "make ship, from the main branch only"),
    ("project.other.deploy", "ask Ben"),
    ("tool.rg", "ripgrep is installed, use it for searches"),
    ("user.timezone", "Europe/Berlin"),
)

LESSONS: Sequence[tuple[str, str, str, int, str | None, int]] = (
    ("l1", "Run the tests before a push", "git", 0, None, 0),
    ("l2", "Use sudo in containers", "general", 1, None, 0),
    ("l3", "Never force-push the release branch", "git", 1, "shop", 0),
    ("l4", "A rule that was taken back", "general", 0, None, 1),
)

TOPICS = {
    "preferences": (
        "# Preferences\n\n- [preference] Always use --admin for gate-blocked PRs *(pinned)*\n"
        "- [preference] User prefers concise responses\n"
    ),
    "lessons": "# Lessons\n\n- [lesson] The staging cluster drops sockets that idle for a minute\n",
    "completions": "# Completions\n\n- [done] Migrated the ledger to its own schema\n",
}

CONCISE = "5ec33969"
"""The key of "- [preference] User prefers concise responses" in the scores, as node computes it."""


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def pi_memory(machine: Machine) -> Path:
    """The folder of markdown of pi-memory, with logs, scratchpad, a topic and an archive."""
    return write(
        machine.home / ".pi" / "agent" / "memory",
        {
            "MEMORY.md": MEMORY,
            "SCRATCHPAD.md": SCRATCHPAD,
            "daily/2026-02-15.md": DAILY,
            "daily/2026-02-14.md": "<!-- 2026-02-14 11:00:00 [a1b2c3d4] -->\nWrote the parser.\n",
            "build.md": "# Build quirks\n\nsccache breaks -Werror on the arm runners.\n",
            "archive/old.md": "The old build took an hour.\n",
            "config.json": '{"enabled": true}',
        },
    )


def checkout_memory(machine: Machine) -> Path:
    """The memory of a checkout, committed with its code."""
    return write(
        machine.project_folder / ".pi" / "memory",
        {"MEMORY.md": "## Team\n\n- Releases go out on Tuesdays\n", "config.json": "{}"},
    )


def pi_facts(machine: Machine) -> None:
    """The SQLite file of the other pi-memory."""
    open_pi_facts(machine).close()


def open_pi_facts(machine: Machine) -> sqlite3.Connection:
    """The same while the program is at work: its rows are in the write-ahead log alone until it is closed."""
    file = machine.home / ".pi" / "memory" / "memory.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma wal_autocheckpoint = 0")
    db.execute(
        "create table semantic (key text primary key, value text, confidence real, source text, created text,"
        " updated text, last_accessed text, embedding blob)"
    )
    db.execute(
        "create table lessons (id text primary key, rule text, category text, source text, negative integer,"
        " project text, created text, is_deleted integer)"
    )
    db.execute("create table events (id integer primary key, what text)")
    with db:
        for key, value in FACTS:
            db.execute(
                "insert into semantic values (?, ?, 0.8, 'auto', '2026-02-01', '2026-02-01', '', x'00')",
                (key, value),
            )
        for name, rule, category, negative, project, is_deleted in LESSONS:
            db.execute(
                "insert into lessons values (?, ?, ?, 'auto', ?, ?, '2026-02-01', ?)",
                (name, rule, category, negative, project, is_deleted),
            )
    return db


def scored(machine: Machine) -> Path:
    """The scored design's notes, with a line that only its scores pin."""
    folder = machine.project_folder / ".pi" / "memory"
    write(folder, {f"topics/{name}.md": text for name, text in TOPICS.items()})
    row = {"score": 9999, "evidence": 4, "userState": "pinned", "lastReinforcedAt": 1771150000000}
    scores = {"version": 1, "entries": {CONCISE: row, "0badf00d": {"score": 1.2, "evidence": 2}}}
    write(
        folder, {"memory-scores.json": json.dumps(scores), "embeddings.json": "{}", ".dream-watermark": "1"}
    )
    return folder


def pi_settings(machine: Machine, **sections: object) -> None:
    """What pi's settings for all projects say."""
    write(machine.home / ".pi" / "agent", {"settings.json": json.dumps(sections)})
