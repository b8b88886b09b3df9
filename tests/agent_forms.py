"""Forms of transcripts that agents have written over time, of one talk each: `agents/forms/README.md`."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkout import CHECKOUT

FORMS = CHECKOUT / "tests/agents/forms"

Said = Sequence[tuple[str, str]]
Rows = Sequence[dict[str, Any]]

ASKED, ANSWERED = "where do the zebra baskets live?", "In redis, on port 6399."
THEN, DONE = "then raise its memory to 2 GB", "Done: maxmemory is 2 GB."
SAID: Said = (("user", ASKED), ("agent", ANSWERED), ("user", THEN), ("agent", DONE))
"""What is said in nearly every form. What nobody said has the word NOBODY in it."""

CHOSEN = '"Which policy?"="allkeys-lru"'
CLAUDE, CODEX = "5d0c41a2-7a0e-4d1b-9a56-31f2a7c1be90", "01a2136c-01fb-7b83-9011-f20bad884049"
FORK, COPILOT = "01a2136c-01fb-7b83-9011-f20bad884050", "0661345b-cdaf-4595-9117-59fc8f7b659c"
GEMINI, OPENCODE = "468131ec-4c74-41e5-b5e3-cab838453fa2", "ses_4515882a1ffePuxMADk2kME9KG"
CURSOR, ANTIGRAVITY = "0b41d9e6-6e0c-4f6c-9d53-0d0c5a7a1f10", "36842803-601e-4679-860a-8bf09b3798c8"
PI = "01a20e43-818a-7760-8b18-6c0315a0ce6e"


@dataclass(frozen=True)
class Form:
    """A fixture below `agents/forms`, and where its agent keeps the like. `session` is its id, and `resume`
    how the command ends that goes on with it, '' where there is none."""

    fixture: str
    place: str
    session: str
    resume: str = ""
    said: Said = SAID

    @property
    def agent(self) -> str:
        return self.fixture.partition("/")[0]

    def lines(self) -> list[str]:
        return (FORMS / self.fixture).read_text("utf-8").split("\n")

    def put(self, home: Path, cwd: str = "/home/ada/shop") -> Path:
        """Write it where the agent would have; a database of Cursor's tells of this folder."""
        path = home / self.place
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [json.loads(line) for line in self.lines() if line] if self.is_made else []
        if path.suffix == ".db":
            _DATABASES[self.agent](path, self.session, rows, cwd)
        elif self.agent == "opencode":
            for row in rows:
                file = home / ".local/share/opencode" / row["path"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(row["value"], indent=2), "utf-8")
        elif path.suffix == ".zst":
            subprocess.run(["zstd", "-q", FORMS / self.fixture, "-o", path], check=True)
        else:
            path.write_bytes((FORMS / self.fixture).read_bytes())
        return path

    @property
    def is_made(self) -> bool:
        """Whether it is more than a file, or another."""
        return self.agent == "opencode" or self.place.endswith(".db")


def _of_cursor(path: Path, session: str, rows: Rows, cwd: str) -> None:
    """The database that Cursor's command line has for a conversation."""
    meta = json.dumps({"agentId": session, "workspacePath": cwd, "name": "New Agent"})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("create table blobs (id text primary key, data blob)")
        db.execute("create table meta (key text primary key, value text)")
        db.execute("insert into meta values ('0', ?)", [meta.encode().hex()])
        db.execute("insert into blobs values ('00', ?)", [b"\x0a\x20\xff\x80"])
        for number, row in enumerate(rows):
            db.execute("insert into blobs values (?, ?)", [f"b{number:02}", json.dumps(row).encode()])


def _of_claude(path: Path, session: str, rows: Rows, cwd: str) -> None:
    """The database that Claude Code had for all sessions."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            """
            create table base_messages (
                uuid text primary key, parent_uuid text, session_id text, timestamp integer,
                message_type text, cwd text, isSidechain integer
            );
            create table user_messages (uuid text primary key, message text, tool_use_result text);
            create table assistant_messages (uuid text primary key, cost_usd real, message text);
            """
        )
        for at, row in enumerate(rows, 1746000000):
            values = (session, at, row["type"], cwd, row["sidechain"])
            db.execute(
                "insert into base_messages values (?, null, ?, ?, ?, ?, ?)",
                (row["uuid"], *values),
            )
            db.execute(
                f"insert into {row['type']}_messages values (?, null, ?)"
                if row["type"] == "assistant"
                else "insert into user_messages values (?, ?, null)",
                (row["uuid"], json.dumps(row["message"])),
            )


def _of_opencode(path: Path, session: str, rows: Rows, cwd: str) -> None:
    """The database of OpenCode 2, which has the tables of version 1 as well."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            """
            create table session (
                id text, parent_id text, directory text, time_created integer, time_updated integer
            );
            create table message (id text, session_id text, data text);
            create table part (id text, message_id text, session_id text, data text);
            create table session_v2 (
                id text primary key, parent_id text, directory text, time_created integer,
                time_updated integer
            );
            create table session_message (
                id text primary key, session_id text, type text, seq integer, data text
            );
            """
        )
        db.execute("insert into session_v2 values (?, null, ?, 1, 2)", [session, cwd])
        db.execute("insert into session values (?, null, ?, 1, 2)", [session, cwd])
        db.execute("insert into session_v2 values ('ses_child', ?, ?, 1, 2)", [session, cwd])
        prompt = json.dumps({"text": "NOBODY: look for the basket code", "time": {"created": 1}})
        db.execute("insert into session_message values ('m', 'ses_child', 'user', 1, ?)", [prompt])
        for row in rows:
            values = (row["id"], session, row["type"], row["seq"], json.dumps(row["data"]))
            db.execute("insert into session_message values (?, ?, ?, ?, ?)", values)


_DATABASES = {"cursor": _of_cursor, "claude": _of_claude, "opencode": _of_opencode}


_CLAUDE = f".claude/projects/-home-ada-shop/{CLAUDE}.jsonl"
_DAY = f".codex/sessions/2025/06/03/rollout-2025-06-03T09-00-00-{CODEX}.jsonl"
_TMP = ".gemini/tmp/shop"
_LOGS = ".cursor/projects/home-ada-shop/agent-transcripts"
_BRAIN = f".gemini/antigravity-cli/brain/{ANTIGRAVITY}/.system_generated/logs"
_SHARE = ".local/share/opencode"
_PI = f".pi/agent/sessions/--home-ada-shop--/2025-06-03T09-00-00-250Z_{PI}.jsonl"

EVERY_FORM = (
    Form(
        "antigravity/transcript.jsonl",
        f"{_BRAIN}/transcript.jsonl",
        ANTIGRAVITY,
        f"agy --conversation {ANTIGRAVITY}",
    ),
    Form("antigravity/transcript.jsonl", f"{_BRAIN}/transcript_full.jsonl", ANTIGRAVITY, ANTIGRAVITY),
    Form("antigravity/overview.jsonl", f"{_BRAIN}/overview.txt", ANTIGRAVITY, ANTIGRAVITY, SAID[1:]),
    *(
        Form(f"claude/{name}.jsonl", _CLAUDE, CLAUDE, f"claude --resume {CLAUDE}")
        for name in ("sidechains", "editor", "queue", "queued-attachment", "commands", "compacted")
    ),
    Form("claude/answers.jsonl", _CLAUDE, CLAUDE, CLAUDE, (*SAID[:3], ("user", CHOSEN), SAID[3])),
    Form("claude/subagent-beside.jsonl", ".claude/projects/-home-ada-shop/agent-a1b2c3d4.jsonl", "", said=()),
    Form(
        "claude/editor.jsonl",
        _CLAUDE.replace(".claude", ".config/claude"),
        CLAUDE,
        f"/.config/claude claude --resume {CLAUDE}",
    ),
    Form("claude/store.jsonl", ".claude/__store.db", CLAUDE, f"claude --resume {CLAUDE}"),
    Form("claude/history.jsonl", ".claude/history.jsonl", CLAUDE, said=SAID[::2]),
    Form("codex/history.jsonl", ".codex/history.jsonl", CODEX, said=SAID[::2]),
    Form("codex/typescript.json", f".codex/sessions/rollout-2025-04-17-{CODEX}.json", CODEX),
    Form(
        "codex/bare.jsonl",
        f".codex/sessions/rollout-2025-05-07-{CODEX}.jsonl",
        CODEX,
        f"codex resume {CODEX}",
    ),
    *(
        Form(f"codex/{name}.jsonl", _DAY, CODEX, f"codex resume {CODEX}")
        for name in ("bare", "response-items", "events", "items")
    ),
    Form(
        "codex/items.jsonl",
        f".codex/archived_sessions/{Path(_DAY).name}",
        CODEX,
        f"codex unarchive {CODEX} && codex resume {CODEX}",
    ),
    Form("codex/items.jsonl", f"{_DAY}.zst", CODEX, f"codex resume {CODEX}"),
    Form("codex/subagent.jsonl", _DAY, FORK, said=()),
    Form(
        "copilot/history.json",
        f".copilot/history-session-state/session_{COPILOT}_1764000000000.json",
        COPILOT,
    ),
    Form("copilot/events.jsonl", f".copilot/session-state/{COPILOT}.jsonl", COPILOT, COPILOT),
    Form("copilot/events.jsonl", f".copilot/session-state/{COPILOT}/events.jsonl", COPILOT, COPILOT),
    Form("cursor/transcript.txt", f"{_LOGS}/{CURSOR}.txt", CURSOR, CURSOR),
    Form("cursor/transcript.txt", f"{_LOGS}/{CURSOR}/{CURSOR}.txt", CURSOR, CURSOR),
    Form("cursor/transcript.jsonl", f"{_LOGS}/{CURSOR}.jsonl", CURSOR, CURSOR),
    Form("cursor/transcript.jsonl", f"{_LOGS}/{CURSOR}/{CURSOR}.jsonl", CURSOR, CURSOR),
    Form(
        "cursor/store.jsonl",
        f".cursor/chats/0123abcd/{CURSOR}/store.db",
        CURSOR,
        f"cursor-agent --resume {CURSOR}",
    ),
    Form("gemini/logs.json", f"{_TMP}/logs.json", GEMINI, said=(*SAID[::2], ("user", "/help"))),
    *(
        Form(f"gemini/{name}.json", f"{_TMP}/checkpoint-basket.json", "checkpoint-basket")
        for name in ("checkpoint", "checkpoint-list", "checkpoint-one-line")
    ),
    Form("gemini/chat.json", f"{_TMP}/chats/session-2025-09-03T09-00-{GEMINI[:8]}.json", GEMINI, GEMINI),
    Form(
        "gemini/chat.jsonl",
        f"{_TMP}/chats/session-2026-05-03T09-00-{GEMINI[:8]}.jsonl",
        GEMINI,
        GEMINI,
        (*SAID[:2], ("user", "llama or alpaca?"), *SAID[2:]),
    ),
    Form("gemini/subagent.json", f"{_TMP}/chats/session-2026-02-03T09-00-{GEMINI[:8]}.json", GEMINI, said=()),
    Form(
        "opencode/first-files.jsonl",
        f"{_SHARE}/project/-home-ada-shop/storage/session/info/{OPENCODE}.json",
        OPENCODE,
        OPENCODE,
    ),
    Form(
        "opencode/project-files.jsonl",
        f"{_SHARE}/project/-home-ada-shop/storage/session/info/{OPENCODE}.json",
        OPENCODE,
        OPENCODE,
    ),
    Form(
        "opencode/global-files.jsonl",
        f"{_SHARE}/storage/session/cdb6/{OPENCODE}.json",
        OPENCODE,
        f"opencode --session {OPENCODE}",
    ),
    Form("opencode/version-2.jsonl", f"{_SHARE}/opencode.db", OPENCODE, f"opencode --session {OPENCODE}"),
    Form(
        "cursor/store.jsonl",
        f".config/cursor/chats/0123abcd/{CURSOR}/store.db",
        CURSOR,
        f"cursor-agent --resume {CURSOR}",
    ),
    Form(
        "pi/version-1.jsonl",
        _PI.replace(".pi/agent", ".coding-agent"),
        PI,
        f"/.coding-agent pi --session {PI}",
    ),
    *(Form(f"pi/version-{n}.jsonl", _PI, PI, f"pi --session {PI}") for n in (1, 2, 3)),
)
"""Every form that is read, of each agent the oldest first where one came after the other."""


def name_of(form: Form) -> str:
    return f"{form.fixture}-{Path(form.place).name if form.is_made or form.agent != 'claude' else ''}"
