"""context, anchor and hook: what sessions are given, and what they leave to the next."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import pytest
from machines import Machine
from terminal import Terminal


class TestContext:
    def test_it_is_what_a_session_start_delivers(self, cli: Terminal) -> None:
        cli("remember", "make test runs everything")
        cli("anchor", "release/ready", "--summary", "tag next")
        answer = cli("context")
        assert answer.code == 0
        machine = cli.machine
        payload = {"session_id": "s", "cwd": str(machine.project_folder), "source": "startup"}
        run = machine.ctxrepo("hook", "claude", "SessionStart", stdin=json.dumps(payload))
        given = json.loads(run.stdout)["hookSpecificOutput"]["additionalContext"]
        assert answer.out.strip() == given.strip()
        assert "make test runs everything" in given
        assert "tag next" in given

    def test_what_was_just_written_is_in_it(self, cli: Terminal) -> None:
        cli.machine.write("global/hand.md", "---\ndescription: By hand\n---\n")
        assert "global/hand.md — By hand" in cli("context").out
        cli("new", "fresh", "-d", "Just made")
        packet = cli("context", "--json").data
        assert "shop/fresh.md — Just made" in packet["text"]
        assert packet["bytes"] == len(packet["text"].encode())

    def test_it_is_the_same_to_the_byte_while_nothing_changes(self, cli: Terminal) -> None:
        cli("remember", "x")
        assert cli("context").out == cli("context").out

    def test_an_unfinished_merge_leaves_out_only_the_newest(self, cli: Terminal) -> None:
        cli("remember", "old")
        cli("context")
        (cli.machine.clone / ".git/MERGE_HEAD").write_text("0" * 40)
        cli("remember", "new")
        answer = cli("context")
        assert (answer.code, answer.err.count("\n")) == (0, 1)
        assert "a merge is unfinished" in answer.err
        assert "- old" in answer.out

    def test_explain_shows_what_each_lane_was_offered_and_took(self, cli: Terminal) -> None:
        cli("remember", "make test runs everything", "-n", "MEMORY")
        packet = cli("context", "--explain", "--json").data
        lanes = {(lane["name"], lane["scope"]): lane for lane in packet["lanes"]}
        memory = lanes["memory", "shop"]
        assert memory["taken"] <= memory["offered"] <= memory["cap"] == 3072
        assert (packet["preset"], packet["budget"]) == ("", 9500)
        frame = packet["bytes"] - sum(lane["taken"] for lane in packet["lanes"])
        assert 0 < frame < 300
        text = cli("context", "--explain").out
        assert f"{packet['bytes']} of 9500 bytes" in text
        assert "memory shop" in text
        assert "make test runs everything" not in text

    def test_the_columns_stand_below_each_other_whatever_a_lane_is_called(self, cli: Terminal) -> None:
        assert cli("log", "moved the basket", "-s", "shop").code == 0
        head, *rows, _ = cli("context", "--explain").out.splitlines()
        assert any("today shop/daily/" in row for row in rows)
        assert {len(row) for row in rows if not row.endswith("cut")} == {len(head)}

    def test_a_lane_that_is_cut_says_so(self, cli: Terminal) -> None:
        cli.machine.write("shop/MEMORY.md", "".join(f"- fact {n} {'x' * 80}\n" for n in range(90)))
        packet = cli("context", "--explain", "--json").data
        assert {(lane["name"], lane["scope"]) for lane in packet["lanes"] if lane["is_cut"]} == {
            ("memory", "shop")
        }
        assert "memory shop" in next(
            line for line in cli("context", "--explain").out.splitlines() if "cut" in line
        )

    def test_another_budget_and_an_agents_own_limit(self, cli: Terminal) -> None:
        cli.machine.write("shop/MEMORY.md", "".join(f"- fact {n} {'x' * 80}\n" for n in range(90)))
        assert cli("context", "--budget", "2000", "--json").data["bytes"] <= 2000
        cli.machine.write("shop/SCRATCHPAD.md", "".join(f"- [ ] {n} {'x' * 80}\n" for n in range(90)))
        cli.machine.write(f"shop/daily/{date.today()}.md", "".join(f"- {n} {'x' * 80}\n" for n in range(90)))
        daily = cli("context", "--preset", "daily", "--json").data
        assert daily["budget"] == 16000
        assert daily["bytes"] > 8000
        claude = cli("context", "--preset", "daily", "--budget", "16000", "--agent", "claude", "--json").data
        assert claude["bytes"] <= claude["budget"] == 9500

    def test_a_report_says_what_was_left_out(self, cli: Terminal) -> None:
        lessons = "".join(f"- [lesson] {'x' * 80} {n}\n" for n in range(40))
        cli.machine.write("shop/topics/lessons.md", lessons + "- [pattern] p\n")
        lines = cli("context", "--preset", "scored", "--explain").out.splitlines()
        cut = {line.split()[0]: line.endswith("cut") for line in lines[1:-1]}
        assert cut["lessons"]
        assert not cut["patterns"]

    def test_presets_and_agents_that_there_are(self, cli: Terminal) -> None:
        wrong = cli("context", "--preset", "holographic")
        assert wrong.code == 2
        assert "daily, semantic, scored, clawvm, md" in wrong.err
        assert cli("context", "--agent", "clippy").code == 2
        assert "no parts" in cli("context", "--preset", "md", "--explain").out

    def test_a_preset_in_the_settings_is_what_a_session_gets(self, cli: Terminal) -> None:
        cli("remember", "tabs, never spaces", "-c", "preference", "-s", "global")
        assert cli("config", "set", "delivery.preset", "semantic").code == 0
        assert "## Preferences" in cli("context").out
        assert cli("context", "--json").data["preset"] == "semantic"
        assert "## Index of notes" in cli("context", "--preset", "").out


class TestAnchor:
    def test_it_is_on_the_tape_and_told_to_the_next_session(self, cli: Terminal) -> None:
        words = [
            "anchor",
            "release/ready",
            "--summary",
            "All pass",
            "--purpose",
            "handover",
            "--keyword",
            "ci",
        ]
        data = cli(*words, "--json").data
        assert data["path"].startswith("TAPE/shop/")
        line = json.loads(cli.machine.read(data["path"]))
        assert (line["id"], line["name"], line["type"]) == (data["id"], "release/ready", "handoff")
        assert line["meta"] == {
            "trigger": "direct", "keywords": ["ci"], "summary": "All pass", "purpose": "handover",
        }  # fmt: skip
        assert len(cli.woken) == 1
        assert "All pass" in cli("context").out
        assert "release/ready" in cli.machine.git("log", "-1", "--format=%B")

    def test_outside_a_project_it_is_on_the_global_tape(self, cli: Terminal) -> None:
        cli.cwd = cli.machine.home
        assert cli("anchor", "x", "--json").data["path"].startswith("TAPE/global/")

    def test_two_follow_each_other_on_one_tape(self, cli: Terminal) -> None:
        paths = [cli("anchor", name, "--json").data["path"] for name in ("a", "b")]
        assert paths[0] == paths[1]
        lines = cli.machine.read(paths[0]).splitlines()
        assert [json.loads(line)["name"] for line in lines] == ["a", "b"]

    @pytest.mark.parametrize("name", ["", "  ", "x" * 201, "two\nlines", "a\x1b[31m"])
    def test_a_name_is_one_line(self, cli: Terminal, name: str) -> None:
        answer = cli("anchor", name)
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert not (cli.machine.clone / "TAPE").exists()

    def test_6_no_secret_gets_on_the_tape(self, cli: Terminal) -> None:
        answer = cli("anchor", "deployed", "--summary", "with ghp_" + "a1B2" * 9)
        assert (answer.code, answer.is_one_line()) == (6, True)
        assert not (cli.machine.clone / "TAPE").exists()


class TestHandoff:
    def test_what_is_said_is_told_to_the_next_session_and_the_rest_is_gathered(self, cli: Terminal) -> None:
        cli("scratch", "add", "Ask the bank")
        cli("log", "Moved the basket")
        words = [
            "--goal",
            "Retries",
            "--done",
            "client",
            "--done",
            "server",
            "--next",
            "Test it",
            "--file",
            "a.py",
        ]
        anchor = cli("handoff", "payments/half", *words, "--json").data
        assert anchor["path"].startswith("TAPE/shop/")
        line = json.loads(cli.machine.read(anchor["path"]))
        assert (line["id"], line["name"], line["type"]) == (anchor["id"], "payments/half", "handoff")
        assert line["meta"]["handoff"] == anchor["handoff"] == {
            "goal": "Retries", "done": ["client", "server"], "open": ["Ask the bank"], "next": "Test it",
            "files": ["a.py"], "anchors": [],
        }  # fmt: skip
        assert len(cli.woken) == 3
        handoff = (
            "Goal: Retries\nDone: client\nDone: server\nOpen: Ask the bank\nNext: Test it\nFiles: a.py\n"
        )
        assert handoff.replace("Open: Ask the bank\n", "") in cli("context").out  # the list says it
        assert cli("handoff", "--show").out.endswith(handoff)
        assert cli("handoff", "--show", "--json").data["handoff"] == anchor["handoff"]

    def test_a_dry_run_leaves_nothing(self, cli: Terminal) -> None:
        assert cli("handoff", "--dry-run").out == "there is nothing to hand over\n"
        answer = cli("handoff", "--dry-run", "--open", "Ask the bank")
        assert (answer.code, answer.out) == (0, "Open: Ask the bank\n")
        assert not (cli.machine.clone / "TAPE").exists()
        assert cli.woken == []

    def test_in_an_agents_session_its_own_record_is_read(self, cli: Terminal) -> None:
        folder = cli.machine.home / ".claude" / "projects" / "-shop"
        folder.mkdir(parents=True)
        prompt = {"type": "user", "message": {"role": "user", "content": "Add retries, please"}}
        (folder / "s-1.jsonl").write_text(json.dumps(prompt) + "\n")
        session = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}
        cli("log", "by another session")
        cli("log", "by this one", **session)
        cli("anchor", "retries/begun", **session)
        assert cli("handoff", "--dry-run", **session).out.splitlines() == [
            "Goal: Add retries, please", "Done: by this one", "Anchors: retries/begun",
        ]  # fmt: skip

    def test_the_scope_may_be_named(self, cli: Terminal) -> None:
        anchor = cli("handoff", "--goal", "G", "--scope", "global", "--json").data
        assert (anchor["path"][:12], anchor["name"]) == ("TAPE/global/", "handoff/session")
        assert cli("handoff", "--show").code == 3
        assert cli("handoff", "--show", "--scope", "global").out.endswith("Goal: G\n")

    def test_2_with_nothing_to_say(self, cli: Terminal) -> None:
        answer = cli("handoff")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert not (cli.machine.clone / "TAPE").exists()

    def test_3_before_there_is_one(self, cli: Terminal) -> None:
        answer = cli("handoff", "--show")
        assert (answer.code, answer.is_one_line()) == (3, True)

    def test_6_no_secret_gets_on_the_tape(self, cli: Terminal) -> None:
        answer = cli("handoff", "--goal", "use ghp_" + "a1B2" * 9)
        assert (answer.code, answer.is_one_line()) == (6, True)
        assert not (cli.machine.clone / "TAPE").exists()


class TestHook:
    @pytest.mark.slow
    def test_it_answers_like_the_line_that_setup_writes(self, cli: Terminal) -> None:
        payload = json.dumps({"session_id": "s", "cwd": str(cli.machine.project_folder)})
        for event in ("SessionStart", "sessionstart"):
            run = cli.machine.ctxrepo("hook", "claude", event, stdin=payload)
            assert (run.returncode, run.stderr) == (0, "")
            assert json.loads(run.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"

    def test_before_init_it_is_silent_and_makes_nothing(self, ada: Machine) -> None:
        before = sorted(ada.home.rglob("*"))
        run = ada.ctxrepo("hook", "claude", "SessionStart", stdin='{"session_id": "s"}')
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
        assert sorted(ada.home.rglob("*")) == before

    def test_help_is_given_by_the_installed_command_too(self, ada: Machine) -> None:
        words = [sys.executable, "-m", "ctxrepo", "hook", "--help"]
        run = subprocess.run(words, env=ada.env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert "Example:" in run.stdout


def test_context_that_is_empty_says_why(cli: Terminal) -> None:
    cli("remember", "a fact")
    answer = cli("context", "--budget", "100")
    assert (answer.code, answer.out) == (0, "")
    assert "a session would be given nothing: nothing fits into 100 bytes" in answer.err


def test_an_anchor_left_in_geminis_shell_names_its_session(cli: Terminal) -> None:
    payload = {"session_id": "s-1", "cwd": str(cli.machine.project_folder), "source": "startup"}
    cli.machine.ctxrepo("hook", "gemini", "SessionStart", stdin=json.dumps(payload))
    cli("anchor", "task/begin", "--summary", "Find the port", GEMINI_CLI="1")
    (left,) = cli("tape", "list", "--type", "handoff", "--json").data["anchors"]
    assert (left["agent"], left["session"]) == ("gemini", "s-1")
