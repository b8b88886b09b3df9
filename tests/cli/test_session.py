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
        said = cli("context")
        assert said.code == 0
        machine = cli.machine
        payload = {"session_id": "s", "cwd": str(machine.project_folder), "source": "startup"}
        done = machine.ctxrepo("hook", "claude", "SessionStart", stdin=json.dumps(payload))
        given = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        assert said.out.strip() == given.strip()
        assert "make test runs everything" in given
        assert "tag next" in given

    def test_what_was_just_written_is_in_it(self, cli: Terminal) -> None:
        cli.machine.write("global/hand.md", "---\ndescription: By hand\n---\n")
        assert "global/hand.md — By hand" in cli("context").out
        cli("new", "fresh", "-d", "Just made")
        said = cli("context", "--json").data
        assert "shop/fresh.md — Just made" in said["text"]
        assert said["bytes"] == len(said["text"].encode())

    def test_it_is_the_same_to_the_byte_while_nothing_changes(self, cli: Terminal) -> None:
        cli("remember", "x")
        assert cli("context").out == cli("context").out

    def test_an_unfinished_merge_leaves_out_only_the_newest(self, cli: Terminal) -> None:
        cli("remember", "old")
        cli("context")
        (cli.machine.clone / ".git/MERGE_HEAD").write_text("0" * 40)
        cli("remember", "new")
        said = cli("context")
        assert (said.code, said.err.count("\n")) == (0, 1)
        assert "a merge is unfinished" in said.err
        assert "- old" in said.out

    def test_explain_shows_what_each_lane_was_offered_and_took(self, cli: Terminal) -> None:
        cli("remember", "make test runs everything", "-n", "MEMORY")
        said = cli("context", "--explain", "--json").data
        lanes = {(lane["name"], lane["scope"]): lane for lane in said["lanes"]}
        memory = lanes["memory", "shop"]
        assert memory["taken"] <= memory["offered"] <= memory["cap"] == 3072
        assert (said["preset"], said["budget"]) == ("", 9500)
        frame = said["bytes"] - sum(lane["taken"] for lane in said["lanes"])
        assert 0 < frame < 300
        text = cli("context", "--explain").out
        assert f"{said['bytes']} of 9500 bytes" in text
        assert "memory shop" in text
        assert "make test runs everything" not in text

    def test_the_columns_stand_below_each_other_whatever_a_lane_is_called(self, cli: Terminal) -> None:
        assert cli("log", "moved the basket", "-s", "shop").code == 0
        head, *rows, _ = cli("context", "--explain").out.splitlines()
        assert any("today shop/daily/" in row for row in rows)
        assert {len(row) for row in rows if not row.endswith("cut")} == {len(head)}

    def test_a_lane_that_is_cut_says_so(self, cli: Terminal) -> None:
        cli.machine.write("shop/MEMORY.md", "".join(f"- fact {n} {'x' * 80}\n" for n in range(90)))
        said = cli("context", "--explain", "--json").data
        assert {(lane["name"], lane["scope"]) for lane in said["lanes"] if lane["is_cut"]} == {
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

    def test_presets_and_agents_that_there_are(self, cli: Terminal) -> None:
        wrong = cli("context", "--preset", "holographic")
        assert wrong.code == 2
        assert "daily, semantic, md" in wrong.err
        assert cli("context", "--agent", "clippy").code == 2
        assert "no lanes" in cli("context", "--preset", "md", "--explain").out

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
        said = cli("anchor", name)
        assert (said.code, said.is_one_line()) == (2, True)
        assert not (cli.machine.clone / "TAPE").exists()

    def test_6_no_secret_gets_on_the_tape(self, cli: Terminal) -> None:
        said = cli("anchor", "deployed", "--summary", "with ghp_" + "a1B2" * 9)
        assert (said.code, said.is_one_line()) == (6, True)
        assert not (cli.machine.clone / "TAPE").exists()


class TestHook:
    def test_it_answers_like_the_line_that_setup_writes(self, cli: Terminal) -> None:
        payload = json.dumps({"session_id": "s", "cwd": str(cli.machine.project_folder)})
        for event in ("SessionStart", "sessionstart"):
            done = cli.machine.ctxrepo("hook", "claude", event, stdin=payload)
            assert (done.returncode, done.stderr) == (0, "")
            assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"

    def test_before_init_it_is_silent_and_makes_nothing(self, ada: Machine) -> None:
        before = sorted(ada.home.rglob("*"))
        done = ada.ctxrepo("hook", "claude", "SessionStart", stdin='{"session_id": "s"}')
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert sorted(ada.home.rglob("*")) == before

    def test_help_is_given_by_the_installed_command_too(self, ada: Machine) -> None:
        words = [sys.executable, "-m", "ctxrepo", "hook", "--help"]
        done = subprocess.run(words, env=ada.env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert "Example:" in done.stdout
