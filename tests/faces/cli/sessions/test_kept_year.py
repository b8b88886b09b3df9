"""A year of sessions of several agents, of which they have deleted eleven months."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from machines import Machine
from transcripts import PLACES, ClaudeTranscript, recorded

MONTHS = range(1, 13)
WORDS = ["auk", "coot", "dodo", "emu", "grebe", "heron", "ibis", "kiwi", "lark", "moa", "rhea", "teal"]
COPIED = ("gemini", "copilot", "pi")


def codex(machine: Machine, month: int) -> Path:
    """A session of Codex in which something was decided."""
    session, day = f"01a2136c-01fb-7b83-9011-f20bad88{month:04}", f"2026-{month:02}-25"
    messages = [("UserMessage", f"which port for the {WORDS[month - 1]} service?", "u1")]
    messages.append(("AgentMessage", f"we decided on port 70{month:02}", "m1"))
    lines: list[tuple[str, Mapping[str, object]]] = [
        ("session_meta", {"id": session, "cwd": str(machine.project_folder)})
    ]
    for kind, text, name in messages:
        item = {"type": kind, "id": name, "content": [{"type": "Text", "text": text}]}
        lines.append(("event_msg", {"type": "item_completed", "thread_id": session, "item": item}))
    path = machine.home / f".codex/sessions/2026/{month:02}/25/rollout-{day}T15-56-15-{session}.jsonl"
    path.parent.mkdir(parents=True)
    moments = (f"{day}T15:44:{second:02}.712Z" for second in range(60))
    rows = [{"timestamp": next(moments), "type": kind, "payload": body} for kind, body in lines]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def claude(machine: Machine, month: int) -> Path:
    """The same of Claude Code; it leaves an anchor."""
    transcript = ClaudeTranscript(machine, f"s-{month:02}")
    transcript.user(f"what do we do about the {WORDS[month - 1]} cache?")
    transcript.agent(f"decision number {month}: it is dropped", ("Edit", {"file_path": f"/srv/{month}.py"}))
    transcript.path.write_text(transcript.path.read_text().replace("2026-11-20", f"2026-{month:02}-20"))
    within = Machine(machine.home, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": transcript.session})
    assert within.ctxrepo("anchor", f"decided/{WORDS[month - 1]}").returncode == 0
    transcript.user("thanks", timestamp=f"2026-{month:02}-20T19:00:00.123Z")
    return transcript.path


def copied(machine: Machine, agent: str, month: int) -> Path:
    """A session that this agent once had, in another month."""
    place, text = PLACES[agent], recorded(agent)
    session = {"gemini": "468131ec", "copilot": "0661345b", "pi": "01a20e43"}[agent]
    place, text = (template.replace(session, f"{month:08}") for template in (place, text))
    path = machine.home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("2026-11-24T", f"2026-{month:02}-24T"))
    return path


@pytest.fixture
def year(ada: Machine) -> tuple[Machine, list[Path]]:
    ada.init()
    assert ada.ctxrepo("config", "set", "sessions.keep", "texts").returncode == 0
    paths = []
    for month in MONTHS:
        ours = [codex(ada, month), claude(ada, month), *(copied(ada, agent, month) for agent in COPIED)]
        for path in ours:
            os.utime(path, (1767225600 + month * 2629800,) * 2)
        paths += ours if month < 12 else []
    return ada, paths


def hits(machine: Machine, *words: str) -> list[dict[str, str]]:
    answers: list[dict[str, str]] = machine.json("search", "--in", "sessions", *words)["data"]["hits"]
    return answers


@pytest.mark.slow
def test_eleven_deleted_months_are_found_and_anchors_lead(year: tuple[Machine, list[Path]]) -> None:
    machine, paths = year
    words = ("--user", "--limit", "1000")
    before = sorted((hit["agent"], hit["session"], hit["text"]) for hit in hits(machine, *words))
    assert {agent for agent, *_ in before} == {"codex", "claude", *COPIED}
    for path in paths:
        path.unlink()
    after = hits(machine, *words)
    assert sorted((hit["agent"], hit["session"], hit["text"]) for hit in after) == before
    gone = [hit for hit in after if hit["agent"] in ("codex", "claude") and not hit["resume"]]
    assert len({hit["session"] for hit in gone}) == 22
    for month, word in enumerate(WORDS, 1):
        first, *_ = hits(machine, f"which port {word}", "--context", "2")
        assert f"port 70{month:02}" in str(first)
        anchor = f"decided/{word}"
        read = machine.ctxrepo("tape", "read", "--around", anchor)
        assert f"decision number {month}: it is dropped" in read.stdout
        assert ("its transcript is gone" in read.stdout) == (month < 12)
    (touched,) = hits(machine, "--file", "/srv/3.py")
    assert touched["no_resume"].startswith("its transcript is gone")
    tree = machine.ctxrepo("tape", "tree", "--session", "s-03").stdout
    assert ("⚓ decided/dodo" in tree, "dodo cache" in tree) == (True, True)
    assert "dropped" in machine.ctxrepo("tape", "search", "dropped", "--session", "s-03").stdout
    assert "dodo cache" in machine.ctxrepo("tape", "digest", "--handoffs", "12").stdout
