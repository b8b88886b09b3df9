"""`ctxrepo start` takes a home of a year to its first session with memory; all of it can be taken back."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import other_programs
import pytest
from connecting import put
from homes import snapshot
from machines import Machine
from repositories import make_checkout
from sessions import Session
from terminal import Terminal
from transcripts import ClaudeTranscript

from ctxrepo.storage.worktree.worktree import Worktree

DEPLOY = (
    "---\ndescription: How the shop is deployed\ntype: project\n---\n- Rollbacks take the last green tag\n"
)
GERMAN = "---\ntype: user\ndescription: language\n---\n- Ada likes short answers\n"


def year(machine: Machine) -> Machine:
    """A home in which Claude Code worked on two projects and remembered something of each, and Codex is."""
    home = machine.home
    make_checkout(home / "site", "https://git.example.org/ada/site.git")
    remembered = {
        "shop": {"MEMORY.md": "- Invoices are rounded per line\n", "deploy.md": DEPLOY, "german.md": GERMAN},
        "site": {"MEMORY.md": "- Hugo must be 0.121\n"},
    }
    for name, notes in remembered.items():
        place = str((home / name).resolve()).replace("/", "-").replace(".", "-").replace("_", "-")
        for note, text in notes.items():
            put(home / ".claude/projects" / place / "memory" / note, text.encode())
    turns = {
        ("s-1", "shop"): ("why do invoices differ by a cent?", "They are rounded per line."),
        ("s-2", "site"): ("the shortcodes broke", "Hugo is pinned now."),
        ("s-3", "shop"): ("can we do a rollback at noon?", "Yes."),
    }
    for (session, name), (asked, answered) in turns.items():
        transcript = ClaudeTranscript(machine, session, cwd=str(home / name))
        transcript.user(asked)
        transcript.agent(answered)
    put(home / ".claude/settings.json", b'{\n  "model": "opus"\n}\n', 0o600)
    put(home / ".codex/config.toml", b'model = "o3"\n')
    return machine


@pytest.fixture
def old(fresh: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no agent's program is asked
    year(fresh.machine)
    return fresh


def theirs(home: Path) -> dict[str, tuple[str, int, bytes]]:
    """All in the home that isn't ctxrepo's own."""
    return {name: of for name, of in snapshot(home).items() if not name.startswith(".config/ctxrepo")}


def at_keyboard(machine: Machine, typed: bytes) -> tuple[int, str]:
    """`ctxrepo start` at a terminal where somebody types this; its exit code, and all it says."""
    keyboard, terminal = pty.openpty()
    words = [sys.executable, "-m", "ctxrepo", "start"]
    started = subprocess.Popen(
        words,
        cwd=machine.project_folder,
        env=machine.env,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.write(keyboard, typed)
    os.close(terminal)
    out, _ = started.communicate(timeout=60)
    os.close(keyboard)
    return started.returncode, out


@pytest.mark.slow
def test_from_a_home_of_a_year_to_a_session_and_back_to_the_byte(old: Terminal) -> None:
    home = old.machine.home
    before = theirs(home)
    answer = old("start", "--yes")
    assert answer.code == 0
    for line in ("shop: ~/shop", "site: ~/site", "claude-memory in ~/site:", "3 entries in 3 notes"):
        assert line in answer.out
    assert answer.out.endswith(
        "`ctxrepo recall rollback` answers there:\n"
        "  shop/topics/deploy.md#L5\n  - Rollbacks take the last green tag\n"
    )
    assert "Rollbacks take" in old("recall", "rollback").out

    given = Session(old.machine, "new-1").hook("SessionStart")
    assert "- Invoices are rounded per line" in given
    assert "shop/topics/deploy.md — How the shop is deployed" in given
    there = Session(old.machine, "new-2").hook("SessionStart", cwd=str(home / "site"))
    assert "- Hugo must be 0.121" in there
    assert "Invoices" not in there

    after, head = theirs(home), old.machine.git("rev-parse", "HEAD")
    again = old("start", "--yes")
    assert (again.code, theirs(home), old.machine.git("rev-parse", "HEAD")) == (0, after, head)
    assert "~/.ctxrepo without a remote, unchanged" in again.out
    assert again.out.count("  it is connected\n") == 2
    assert "claude-memory" not in again.out

    assert old("setup", "--all", "--remove", "--yes").code == 0
    assert [old("undo").code for _ in range(2)] == [0, 0]
    assert theirs(home) == before
    assert old("search", "invoices").code == 3
    assert old("search", "hugo").code == 3


@pytest.mark.slow
def test_in_a_pipe_it_says_what_it_would_do_and_does_nothing(old: Terminal) -> None:
    before = theirs(old.machine.home)
    answer = old("start")
    assert (answer.code, theirs(old.machine.home)) == (0, before)
    assert not old.machine.clone.exists()
    assert answer.out.startswith("repository:\n  ~/.ctxrepo without a remote, to be created\n")
    assert "\nmemories:\n  ~/.claude/projects/" in answer.out
    assert "-shop/memory: 3 entries (claude-memory)\nClaude Code:\n" in answer.out
    assert "Codex:\n  7 hooks in " in answer.out
    assert answer.err == "ctxrepo: nothing was changed: the same command with --yes does all of it\n"
    old("init")
    made = old("start", "--json")
    steps = {step["name"]: step for step in made.data["steps"]}
    assert steps["projects"]["lines"] == ["shop: ~/shop", "site: ~/site"]
    site = steps["claude-memory in ~/site"]
    assert (site["is_open"], site["is_done"]) == (True, False)
    assert (made.err, theirs(old.machine.home)) == (answer.err, before)
    assert old("search", "hugo").code == 3


@pytest.mark.slow
def test_each_step_is_asked_for_and_an_interrupted_run_goes_on(old: Terminal) -> None:
    before = theirs(old.machine.home)
    code, out = at_keyboard(old.machine, b"y\nn\ny\n\x04")
    assert code == 130
    assert "claude-memory in ~/shop:\n  3 entries" in out
    assert out.endswith("interrupted; run the same command again to finish\n")
    assert (old.machine.clone / "site/MEMORY.md").exists()
    assert not (old.machine.clone / "shop").exists()
    assert theirs(old.machine.home) == before
    code, out = at_keyboard(old.machine, b"y\nn\ny\n")
    assert (code, out.count("Do this?")) == (0, 3)
    assert "claude-memory in ~/site" not in out
    assert (old.machine.clone / "shop/MEMORY.md").exists()
    assert theirs(old.machine.home)[".claude/settings.json"] == before[".claude/settings.json"]
    assert (old.machine.home / ".codex/hooks.json").exists()


@pytest.mark.slow
def test_without_notes_an_old_session_answers(fresh: Terminal) -> None:
    for session, question in (
        ("s-1", "the pelican export fails"),
        ("s-2", "is the pelican export faster now?"),
    ):
        ClaudeTranscript(fresh.machine, session).user(question)
    answer = fresh("start", "--yes")
    assert answer.code == 0
    assert "`ctxrepo search --in sessions pelican` answers there:\n  2026-11-20 claude shop\n" in answer.out


def test_where_nothing_is_yet_it_names_the_next_step(fresh: Terminal, tmp_path: Path) -> None:
    fresh.cwd = fresh.machine.home
    answer = fresh("start", "--yes")
    assert answer.code == 0
    assert "projects:\n  no agent has worked in a git checkout here\n" in answer.out
    assert "agents:\n  no agent that ctxrepo knows has a folder in this home\n" in answer.out
    assert '`ctxrepo remember "…"` keeps a fact for the sessions to come' in answer.out
    assert "\nin ~ a session is given rules, and this:\n" in answer.out


@pytest.mark.slow
def test_it_clones_the_memory_of_another_machine(fresh: Terminal, remote: Path) -> None:
    answer = fresh("start", str(remote), "--yes")
    assert answer.code == 0
    assert f"~/.ctxrepo with {remote}, to be cloned" in answer.out
    assert f"~/.ctxrepo with {remote}, unchanged" in fresh("start", str(remote)).out
    other = fresh("start", str(remote.with_name("other.git")), "--yes")
    assert (other.code, other.is_one_line()) == (2, True)


@pytest.mark.slow
def test_a_repository_of_which_the_clone_was_interrupted_is_finished(
    both: tuple[Terminal, Terminal], remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = both
    ada("remember", "gannets dive", "--scope", "global")
    ada("sync")
    shutil.rmtree(ben.machine.clone)
    shutil.rmtree(ben.machine.places.state)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Worktree, "update_unchanged", interrupted)
        answer = ben("start", str(remote), "--yes")
    assert (answer.code, answer.err) == (130, "ctxrepo: interrupted; run the same command again to finish\n")
    again = ben("start", "--yes")
    assert (again.code, f"~/.ctxrepo with {remote}, to be finished" in again.out) == (0, True)
    assert "- gannets dive" in again.out
    assert "stopped" not in ben("status").out


def test_a_wrong_level_stops_it_before_anything_is_done(fresh: Terminal) -> None:
    assert fresh("start", "--yes", "--permissions", "all").code == 2
    assert not fresh.machine.clone.exists()


@pytest.mark.slow
def test_an_agent_that_can_not_be_connected_is_told_and_the_rest_is_done(fresh: Terminal) -> None:
    put(fresh.machine.home / ".claude/settings.json", b"{broken")
    for words in (["--yes"], []):
        answer = fresh("start", *words)
        assert (answer.code, "in ~/shop a session is given" in answer.out) == (1, True)
        assert "Claude Code is left out: " in answer.err
        assert "settings.json, line 1, column 2" in answer.err
        assert "agents:" not in answer.out


@pytest.mark.slow
def test_what_is_kept_for_all_projects_is_offered_once(old: Terminal) -> None:
    home = old.machine.home
    put(home / ".pi/agent/memory/MEMORY.md", b"- Ada likes birds\n")
    old("init")
    assert old("start").out.count("pi-memory in ~/") == 1
    put(home / "site/.pi/memory/topics.md", b"- Birds are drawn as SVG\n")
    output = old("start").out
    assert ("pi-memory in ~/shop:\n  1 entry" in output, "pi-memory in ~/site:\n  2 entries" in output) == (
        True,
        True,
    )


@pytest.mark.slow
def test_what_the_first_exchange_kept_back_is_told(fresh: Terminal, remote: Path) -> None:
    fresh("init")
    put(fresh.machine.clone / "global/key.md", b"- the key is AKIA" + b"QWERTYUIOPASDFGH\n")
    answer = fresh("start", str(remote), "--yes")
    assert (answer.code, "global/key.md" in answer.err) == (6, True)


@pytest.mark.slow
def test_what_is_held_back_is_told_each_time(old: Terminal) -> None:
    (note,) = (old.machine.home / ".claude/projects").glob("*-shop/memory/deploy.md")
    put(note, note.read_bytes() + b"- the key is AKIA" + b"QWERTYUIOPASDFGH\n")
    held = "  deploy.md is held back: it holds a secret (aws-access-key), line 6, fingerprint "
    for words in (["--yes"], ["--yes"], []):
        answer = old("start", *words)
        assert (answer.code, answer.out.count(held)) == (6, 1)
    assert "rollback" not in old("search", "take the last green tag").out.lower()
    put(old.machine.home / ".claude-mem/claude-mem.db", b"no database")
    assert "claude-mem in ~/shop:\n  ~/.claude-mem left out: " in old("start").out


@pytest.mark.slow
def test_what_other_agents_remember_is_offered_like_that(old: Terminal) -> None:
    other_programs.codex(old.machine)
    other_programs.gemini(old.machine)
    other_programs.claude_mem(old.machine)
    answer = old("start", "--yes")
    assert "codex-memory in ~/shop:\n  4 entries in 3 notes, 3 of them new" in answer.out
    assert "gemini-memory in ~/shop:\n  4 entries in 3 notes" in answer.out
    assert (
        "claude-mem in ~/shop:\n  5 records (bugfix 1, decision 2, discovery 1, summary 1) left out: "
        in answer.out
    )
    assert answer.out.count("claude-mem in") == 1
    assert "gutenberg" in old("recall", "what is the staging machine called").out
    assert "-memory in" not in old("start", "--yes").out
