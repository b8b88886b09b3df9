"""recall: what a prompt would be given; its six outcomes, and traces of it all."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from terminal import Answer, Terminal

from ctxrepo.hooks.recall.ranking import NOTHING
from ctxrepo.services.recall.recall import CHECKLIST

PORTS = "which port do the tests need for redis?"
NOTES = {
    "shop/topics/redis.md": "---\nupdated: 2020-01-01\n---\n# Redis\n\n- Tests need redis on port 6380\n",
    "global/style.md": "- I like four spaces in python\n",
    "other/topics/x.md": "- The port of redis there is 1\n",
}

SEARCH = "`ctxrepo search` finds words in all notes"


def asked(
    cli: Terminal, *words: str, stdin: str | bytes = b"", **env: str
) -> tuple[int, dict[str, Any], Answer]:
    """(exit code, data, all that was said) with --json."""
    answer = cli("recall", *words, "--json", stdin=stdin, **env)
    data = answer.envelope["data"]
    assert data["status"] in ("ok", "no_match", "denied", "malformed", "unavailable", "backend_error")
    assert answer.envelope["ok"] == (data["status"] in ("ok", "no_match", "denied"))
    assert bool(data["hits"]) == (data["status"] == "ok") == (data["reason"] == "")
    if answer.envelope["error"]:
        assert answer.envelope["error"]["code"] == data["status"]
        assert answer.envelope["error"]["hint"]
    return answer.code, data, answer


def cache_of(cli: Terminal) -> Path:
    (cache,) = cli.machine.home.rglob("cache.db")
    return cache


class TestOutcomes:
    def test_ok(self, shelf: Terminal) -> None:
        code, data, _ = asked(shelf, PORTS)
        assert (code, data["status"]) == (0, "ok")
        (hit,) = data["hits"]
        assert (hit["at"], hit["path"]) == ("shop/topics/redis.md#L6", "shop/topics/redis.md")
        assert (hit["heading"], hit["age"], hit["updated"]) == ("Redis", ">90d", "2020-01-01")
        assert hit["text"] == "- Tests need redis on port 6380"
        assert hit["score"] > 0
        assert shelf("read", hit["id"]).out == hit["text"] + "\n"

    @pytest.mark.parametrize("prompt", ["ok, thanks", "where do quokkas live?"])
    def test_no_match(self, shelf: Terminal, prompt: str) -> None:
        code, data, _ = asked(shelf, prompt)
        assert (code, data["status"]) == (3, "no_match")

    @pytest.mark.parametrize("name", ["CTXREPO_OFF", "CTXREPO_NO_RECALL"])
    def test_denied_by_the_environment(self, shelf: Terminal, name: str) -> None:
        code, data, _ = asked(shelf, PORTS, **{name: "1"})
        assert (code, data["status"]) == (3, "denied")
        assert name in data["reason"]
        assert asked(shelf, PORTS, **{name: "0"})[0] == 0

    def test_denied_by_settings(self, notes: Terminal) -> None:
        notes("config", "set", "recall.enabled", "false")
        code, data, _ = asked(notes, PORTS)
        assert (code, data["status"]) == (3, "denied")
        assert "recall.enabled" in data["reason"]

    def test_denied_by_the_project(self, notes: Terminal) -> None:
        settings = notes.machine.project_folder / ".pi/settings.json"
        settings.parent.mkdir()
        settings.write_text('{"pi-memory-md": {"enabled": false}}')
        assert asked(notes, PORTS)[1]["status"] == "denied"

    @pytest.mark.parametrize("prompt", ["", "  \n", "\x00\x01\x1b", "\u200b\u202e", "a bad \udcff byte"])
    def test_malformed(self, shelf: Terminal, prompt: str) -> None:
        code, data, _ = asked(shelf, prompt)
        assert (code, data["status"]) == (2, "malformed")

    def test_bytes_on_standard_input_that_are_no_text(self, shelf: Terminal) -> None:
        code, data, _ = asked(shelf, "-", stdin=b"\xff\xfe which port")
        assert (code, data["status"]) == (2, "malformed")

    def test_unavailable_before_init(self, fresh: Terminal) -> None:
        code, data, answer = asked(fresh, PORTS)
        assert (code, data["status"]) == (1, "unavailable")
        assert "ctxrepo init" in answer.envelope["error"]["hint"]

    def test_unavailable_without_a_cache(self, notes: Terminal) -> None:
        asked(notes, PORTS)
        cache = cache_of(notes)
        for file in cache.parent.glob("cache.db*"):
            file.unlink()
        for name in ("cache.db", "cache.db.aside"):  # somebody's, and nothing that ctxrepo may take away
            (cache.parent / name).mkdir()
            (cache.parent / name / "kept").touch()
        code, data, _ = asked(notes, PORTS)
        assert (code, data["status"]) == (1, "unavailable")

    def test_backend_error(self, notes: Terminal) -> None:
        asked(notes, PORTS)
        with closing(sqlite3.connect(cache_of(notes))) as db:
            db.execute("alter table scope rename to gone")
        code, data, answer = asked(notes, PORTS)
        assert (code, data["status"]) == (1, "backend_error")
        log = notes.machine.home / ".local/state/ctxrepo/errors.log"
        assert str(log) in answer.envelope["error"]["hint"]
        assert "no such table" in log.read_text()

    def test_each_failure_is_one_line_at_a_terminal(self, notes: Terminal) -> None:
        assert notes("recall", "").is_one_line()
        assert notes("recall", "ok, thanks", "--as-prompt").err == (
            "ctxrepo: nothing is recalled: the prompt is too short, only thanks, agrees or greets, "
            "or is a notice of the agent's own; `ctxrepo search` finds words in all notes\n"
        )
        with closing(sqlite3.connect(cache_of(notes))) as db:
            db.execute("alter table scope rename to gone")
        assert notes("recall", PORTS).is_one_line()


class TestQuestion:
    def test_what_was_just_written_is_recalled(self, notes: Terminal) -> None:
        notes("remember", "quokkas sleep under the counter")
        assert asked(notes, "where do quokkas sleep?")[1]["hits"][0]["text"].startswith("- quokkas sleep")

    def test_the_prompt_from_standard_input_however_long(self, shelf: Terminal) -> None:
        code, data, _ = asked(shelf, "-", stdin=PORTS.encode() + b" x" * 2_000_000)
        assert (code, data["status"]) == (0, "ok")

    def test_scopes(self, notes: Terminal) -> None:
        def paths(*words: str) -> set[str]:
            return {hit["path"] for hit in asked(notes, *words)[1]["hits"]}

        assert "other/topics/x.md" not in paths(PORTS, "--no-gate")
        assert paths(PORTS, "--scope", "global") == set()
        assert paths("four spaces in python, please", "--scope", "global") == {"global/style.md"}
        assert paths(PORTS, "--scope", "project") == {"shop/topics/redis.md"}
        assert notes("recall", PORTS, "--scope", "nowhere").code == 3

    def test_limit_and_budget(self, notes: Terminal) -> None:
        notes.machine.write("shop/others.md", "".join(f"- river {number}\n" for number in range(80)))
        for number in range(8):
            notes.machine.write(f"shop/p{number}.md", f"- the gateway needs port {number}{number}\n")
        assert len(asked(notes, "gateway port", "--no-gate")[1]["hits"]) > 8
        assert len(asked(notes, "gateway port", "--no-gate", "--limit", "2")[1]["hits"]) == 2
        assert len(asked(notes, "gateway port", "--no-gate", "--limit", "8")[1]["hits"]) == 8
        code, data, _ = asked(notes, "gateway port", "--no-gate", "--budget", "400", "--explain")
        assert 0 < len(data["hits"]) < 8
        assert "no room for it within 400 bytes" in {left["why"] for left in data["left_out"]}
        code, data, _ = asked(notes, "gateway port", "--no-gate", "--budget", "10")
        assert (code, data["status"]) == (3, "no_match")
        assert "10 bytes" in data["reason"]

    @pytest.mark.parametrize("words", ["gateway", "gateway please", "ok, thanks"])
    def test_a_person_is_answered_where_a_prompt_is_not(self, notes: Terminal, words: str) -> None:
        notes.machine.write("shop/t.md", "- the gateway is slow\n- thanks to Ben\n")
        code, data, answer = asked(notes, words)
        assert (code, data["status"]) == (0, "ok")
        assert f"a prompt would be given nothing: {data['silence']}\n" in answer.err
        code, data, _ = asked(notes, words, "--as-prompt")
        assert (code, data["status"]) == (3, "no_match")

    @pytest.mark.parametrize("words", [(), ("--as-prompt",)])
    def test_nothing_is_said_of_prompts_where_they_are_given_something(
        self, shelf: Terminal, words: tuple[str, ...]
    ) -> None:
        assert not asked(shelf, PORTS, *words)[1]["silence"]

    def test_a_name_among_hundreds_alike_is_found(self, notes: Terminal) -> None:
        for number in range(300):
            notes.machine.write(f"shop/c/{number}.md", f"- component{number} belongs to team {number % 7}\n")
        _, data, _ = asked(notes, "who owns component123?")
        assert data["hits"][0]["path"] == "shop/c/123.md"
        assert len(data["hits"]) < 3

    def test_what_is_far_below_the_best_is_for_who_wants_all(self, notes: Terminal) -> None:
        notes.machine.write("shop/t.md", "- the wombat of the gateway digs\n")
        for number in range(9):
            notes.machine.write(f"shop/u{number}.md", f"- gateway {number}\n")
        _, data, _ = asked(notes, "which wombat digs at the gateway", "--explain")
        assert [hit["at"] for hit in data["hits"]] == ["shop/t.md#L1"]
        assert "scores far below the best" in {left["why"] for left in data["left_out"]}
        assert len(asked(notes, "which wombat digs at the gateway", "--no-gate")[1]["hits"]) > 3

    def test_as_a_prompt_or_without_the_gate(self, shelf: Terminal) -> None:
        answer = shelf("recall", PORTS, "--as-prompt", "--no-gate")
        assert (answer.code, answer.is_one_line()) == (2, True)

    def test_a_gate_that_is_off_by_settings_is_off_for_prompts(self, notes: Terminal) -> None:
        notes.machine.write("shop/t.md", "- thanks go to Ben\n")
        notes("config", "set", "recall.gate", "false")
        for more in ((), ("--as-prompt",)):
            code, data, _ = asked(notes, "ok, thanks", *more)
            assert (code, data["silence"]) == (0, "")

    def test_earlier_prompts_may_be_told(self, shelf: Terminal) -> None:
        assert asked(shelf, PORTS, "--before", "hello", "--before", "and now?")[0] == 0

    def test_a_prompt_is_needed(self, shelf: Terminal) -> None:
        assert shelf("recall").code == 2


class TestWords:
    def test_a_person_reads_place_age_heading_and_text(self, shelf: Terminal) -> None:
        answer = shelf("recall", PORTS)
        head, text = answer.out.splitlines()
        assert head.startswith("1. shop/topics/redis.md#L6 · Redis · >90d  ^")
        assert text == "   - Tests need redis on port 6380"

    def test_explained(self, shelf: Terminal) -> None:
        answer = shelf("recall", PORTS, "--explain", "--budget", "330")
        assert "score: " in answer.out
        assert "words: port, tests, need, redis" in answer.out or "words: port, tests, redis" in answer.out
        data = asked(shelf, PORTS, "--explain")[1]
        assert [name for name, _ in data["hits"][0]["explanation"]] == ["score", "words"]
        assert "explanation" not in asked(shelf, PORTS)[1]["hits"][0]

    def test_why_no_prompt_brings_an_item_of_a_checklist(self, notes: Terminal) -> None:
        notes("scratch", "add", "Replace the badger by an otter")
        notes("scratch", "add", "Feed the badger")
        notes("scratch", "done", "Feed")
        notes("scratch", "add", "Look for a longer port", "--scope", "global")
        code, data, _ = asked(notes, "who feeds the badgers?", "--explain")
        assert (code, data["reason"]) == (3, NOTHING)
        left = [(entry["text"], entry["why"]) for entry in data["left_out"]]
        assert left == [
            ("- [x] Feed the badger", CHECKLIST),
            ("- [ ] Replace the badger by an otter", CHECKLIST),
        ]
        lines = notes("recall", "where does the badger drink at the port?", "--explain").out.splitlines()
        after = lines[lines.index("left out:") + 1 :]
        assert "  - [ ] Replace the badger by an otter" in after, after
        scores = [entry["score"] for entry in data["left_out"]]
        assert scores == sorted(scores, reverse=True)
        (trace,) = notes("trace", data["trace_id"], "--json").data["traces"]
        assert [(e["at"][:18], e["why"]) for e in trace["left_out"]] == [
            ("shop/SCRATCHPAD.md", CHECKLIST)
        ] * 2
        data = asked(notes, PORTS, "--explain")[1]
        assert [hit["path"] for hit in data["hits"]] == ["shop/topics/redis.md"]
        assert [entry["text"] for entry in data["left_out"]] == ["- [ ] Look for a longer port"]
        assert asked(notes, "ok, thanks for the badger", "--explain")[1]["left_out"] != left

    def test_an_item_of_a_checklist_that_fits_is_told_without_being_asked_for(self, notes: Terminal) -> None:
        notes("scratch", "add", "Replace the badger by an otter")
        answer = notes("recall", "who feeds the badgers?")
        assert (answer.code, answer.out) == (3, "")
        assert answer.err.splitlines() == [
            f"ctxrepo: nothing is recalled: {NOTHING}; {SEARCH}",
            f"ctxrepo: shop/SCRATCHPAD.md#L9 would have fitted: {CHECKLIST}",
        ]
        notes("scratch", "add", "Look for a longer port")
        answer = notes("recall", PORTS)
        assert (answer.code, answer.err.count("SCRATCHPAD.md"), answer.err.count("\n")) == (0, 1, 1)
        assert CHECKLIST not in notes("recall", PORTS, "--explain").err
        assert notes("recall", "who feeds the gargoyle?").err.endswith(f": {NOTHING}; {SEARCH}\n")

    def test_what_would_act_on_a_terminal_is_written_out(self, notes: Terminal) -> None:
        notes.machine.write("shop/evil.md", "- the gargoyle says \x1b[2J boo\n")
        assert "\x1b" not in notes("recall", "what does the gargoyle say?").out


class TestTrace:
    def test_a_question_leaves_a_trace_that_is_shown(self, notes: Terminal) -> None:
        assert notes("trace").out == "no traces yet\n"
        data = asked(notes, PORTS)[1]
        asked(notes, "ok, thanks", "--as-prompt")
        (trace,) = notes("trace", data["trace_id"], "--json").data["traces"]
        assert (trace["prompt"], trace["by"]) == (PORTS, "recall")
        assert [entry["id"] for entry in trace["given"]] == [data["hits"][0]["id"]]
        answer = notes("trace")
        assert "given: shop/topics/redis.md#L6" in answer.out
        assert "- Tests need redis on port 6380" in answer.out
        assert "silence: the prompt is too short" in answer.out
        assert len(notes("trace", "--last", "1", "--json").data["traces"]) == 1

    def test_of_an_entry_that_was_moved_since_the_trace_tells_the_way(self, notes: Terminal) -> None:
        known = asked(notes, PORTS)[1]["hits"][0]["id"]
        notes("archive", known)
        notes.machine.sync()
        assert f"moved or gone since: see `ctxrepo read {known}`" in notes("trace").out
        assert "6380" in notes("read", known).out

    def test_so_does_a_prompt_of_a_session(self, cli: Terminal) -> None:
        cli.machine.write("shop/topics/redis.md", NOTES["shop/topics/redis.md"])
        cli("remember", "registers the project")
        cli("recall", PORTS)
        payload = {"session_id": "5f0c-1", "cwd": str(cli.machine.project_folder), "prompt": PORTS}
        run = cli.machine.ctxrepo("hook", "claude", "UserPromptSubmit", stdin=json.dumps(payload))
        assert "6380" in run.stdout
        (trace,) = cli("trace", "--session", "5f0c", "--json").data["traces"]
        assert (trace["agent"], trace["by"], len(trace["given"])) == ("claude", "", 1)
        assert "claude 5f0c-1" in cli("trace", trace["id"]).out

    def test_what_there_is_not(self, notes: Terminal) -> None:
        assert notes("trace", "nothing").code == 3
        assert notes("trace", "--session", "nothing").code == 3
        assert notes("trace", "x", "--last", "2").code == 2
