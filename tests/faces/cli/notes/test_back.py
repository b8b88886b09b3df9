"""undo: what it says, and what it is called elsewhere."""

from __future__ import annotations

import pytest
from terminal import Terminal


def test_the_last_command_is_taken_back_and_told_entry_by_entry(cli: Terminal) -> None:
    cli("remember", "one")
    cli("remember", "two")
    cli.woken.clear()
    answer = cli("undo")
    way = "`ctxrepo undo --redo` takes this back"
    further = "`ctxrepo undo` goes on with remember: one"
    assert (answer.code, answer.out) == (0, f"undone: remember: two\n  - two\n{way}, {further}\n")
    assert cli.woken
    again = cli("undo", "--redo", "--json").data
    assert (again["what"], again["saying"]) == ("undo remember", "two")
    assert (again["lines"], again["paths"]) == (["+ two"], ["shop/MEMORY.md"])
    cli("undo")
    assert cli("undo").out == f"undone: remember: one\n  - one\n{way}\n"
    assert cli("undo", "--redo").out == (
        "done again: remember: one\n  + one\n"
        "`ctxrepo undo` takes this back, `ctxrepo undo --redo` goes on with remember: two\n"
    )
    assert cli("undo", "--redo", "4f2a91c0").code == 2


def test_what_an_operation_says_itself_is_not_said_twice(cli: Terminal) -> None:
    cli("handoff", "--next", "Tests for the basket")
    assert cli("undo").out.startswith("undone: anchor handoff/")


def test_a_commit_is_named_as_history_shows_it(cli: Terminal) -> None:
    cli("remember", "one")
    wrong = cli("history", "--json").data["history"][0]["commit"]
    cli("remember", "two")
    answer = cli("undo", wrong[:10])
    assert answer.out.startswith("undone: memory(shop): add MEMORY\n  - one\n")
    assert cli("read", "MEMORY.md", "--json").data["entries"][0]["text"] == "- two"


def test_without_anything_written_there_is_nothing_to_take_back(cli: Terminal) -> None:
    answer = cli("undo")
    assert answer.code == 3
    assert answer.is_one_line()


class TestLog:
    def test_the_last_line_is_taken_back(self, cli: Terminal) -> None:
        cli("log", "one thing")
        cli("log", "another thing")
        cli("remember", "a fact")
        assert "- " in cli("log", "--undo").out
        assert "another" not in cli("log").out
        assert "one thing" in cli("log").out
        assert cli("log", "--undo").code == 0
        assert cli("log").out == "nothing was logged today; `ctxrepo log TEXT` adds a line\n"
        nothing = cli("log", "--undo")
        assert (nothing.code, nothing.is_one_line()) == (3, True)
        assert "`log`" in nothing.err

    @pytest.mark.parametrize("word", ["status", "show", "list", "undo", "Sync", "yesterday", "add"])
    def test_a_word_that_reads_like_a_verb_is_not_logged(self, cli: Terminal, word: str) -> None:
        answer = cli("log", word)
        assert answer.code == 2
        assert answer.is_one_line()
        assert cli("log").out == "nothing was logged today; `ctxrepo log TEXT` adds a line\n"

    def test_other_words_are(self, cli: Terminal) -> None:
        assert cli("log", "status is green").code == 0
        assert cli("log", "released").code == 0


class TestRestore:
    @pytest.mark.parametrize("verb", ["forget", "archive"])
    def test_the_way_back_that_is_named_is_one(self, cli: Terminal, verb: str) -> None:
        entry = cli("remember", "redis", "--category", "gotcha", "--json").data
        for target in (entry["id"], "topics/gotcha"):
            before = cli.machine.read("shop/topics/gotcha.md")
            output = cli(verb, target).out
            way = output.partition("`ctxrepo ")[2].partition("`")[0].split()
            assert way[0] == "restore"
            back = cli(*way)
            assert (back.code, back.err) == (0, "")
            assert back.out.startswith("restored: ")
            assert cli.machine.read("shop/topics/gotcha.md") == before

    def test_what_is_there_is_not_restored_without_a_version(self, cli: Terminal) -> None:
        cli("remember", "one")
        first = cli("history", "--json").data["history"][0]["commit"]
        cli("remember", "two")
        answer = cli("restore", "MEMORY.md")
        assert answer.code == 2
        assert answer.is_one_line()
        assert first[:10] in answer.err
        assert cli("restore", "MEMORY.md", "--at", first[:10], "--json").data["at"] == "shop/MEMORY.md"
        assert "two" not in cli.machine.read("shop/MEMORY.md")
        cli("undo")
        assert "two" in cli.machine.read("shop/MEMORY.md")

    def test_what_nobody_knows_of_is_not_found(self, cli: Terminal) -> None:
        for target in ("topics/never", "^ffffffffffff", "MEMORY.md#L9"):
            answer = cli("restore", target)
            assert answer.code == 3, answer
            assert answer.is_one_line()
