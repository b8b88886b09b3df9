"""scratch: a checklist from the command line, and nobody's lines but its items' are touched."""

from __future__ import annotations

import pytest
from terminal import Terminal

PAD = "shop/SCRATCHPAD.md"
BY_PI = """\
# Scratchpad

<!-- 2026-11-19 19:00:00 [abcd1234] -->
- [ ] Ask the bank
<!-- 2026-11-19 19:05:00 [abcd1234] -->
- [x] Call the bank
"""


def listed(cli: Terminal, *words: str) -> list[tuple[str, bool]]:
    return [(i["text"], i["done"]) for i in cli("scratch", "list", *words, "--json").data["items"]]


def test_an_item_is_added_done_undone_and_cleared(cli: Terminal) -> None:
    item = cli("scratch", "add", "Ask", "the", "bank", "--json").data
    assert (item["text"], item["done"], item["existing"]) == ("Ask the bank", False, False)
    assert item["at"] == f"{PAD}#L9"
    assert cli("read", item["id"]).out == "- [ ] Ask the bank\n"
    cli("scratch", "add", "Write tests")
    answer = cli("scratch", "done", "BANK")
    assert (answer.code, answer.out) == (0, f"done: {item['id']} {PAD}#L9 Ask the bank\n")
    assert cli("scratch").out.split("  ")[0] == "[ ] Write tests"
    assert listed(cli, "--all") == [("Ask the bank", True), ("Write tests", False)]
    assert cli("scratch", "undo", item["id"], "--json").data["done"] is False
    assert cli("scratch", "done", item["id"]).code == 0
    assert cli("scratch", "clear-done").out == f"cleared: 1 item of {PAD}\n"
    assert listed(cli, "--all") == [("Write tests", False)]
    assert len(cli.woken) == 6
    assert '"shop"' in cli.machine.read("ctxrepo.toml")


def test_what_is_open_already_is_not_added_again(cli: Terminal) -> None:
    first = cli("scratch", "add", "Ask  the bank", "--json").data
    again = cli("scratch", "add", "Ask the bank", "--json").data
    assert (again["existing"], again["id"]) == (True, first["id"])
    assert cli("scratch", "add", "ask the bank", "--json").data["existing"] is False
    cli("scratch", "done", first["id"])
    assert cli("scratch", "add", "Ask the bank", "--json").data["existing"] is False
    assert [done for _, done in listed(cli, "--all")] == [True, False, False]


def test_of_several_none_is_ticked_and_all_are_named(cli: Terminal) -> None:
    for text in ("Ask the bank", "Call the bank", "Pay the bank"):
        cli("scratch", "add", text)
    answer = cli("scratch", "done", "bank")
    assert (answer.code, answer.out) == (2, "")
    assert "3 items have 'bank' in them" in answer.err
    assert all(f"{word} the bank" in answer.err for word in ("Ask", "Call", "Pay"))
    assert cli("scratch", "done", "ask the bank").out.endswith(" Ask the bank\n")


def test_an_item_that_begins_like_a_list(cli: Terminal) -> None:
    assert cli("scratch", "add", "1. - a").out.endswith(f"{PAD}#L9 - a\n")
    assert cli("scratch", "add", "1. - a").out.startswith("open already: ")
    assert "the item is empty" in cli("scratch", "add", "-").err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["done", "nonsense"], "scratch list --all"),
        (["done", "Call"], "It is done already."),
        (["undo", "Ask"], "It is open already."),
        (["done", "^0123456789ab"], "scratch list --all"),
    ],
)
def test_3_nothing_is_meant(cli: Terminal, words: list[str], hint: str) -> None:
    cli.machine.write(PAD, BY_PI)
    answer = cli("scratch", *words)
    assert (answer.code, answer.is_one_line()) == (3, True)
    assert hint in answer.err
    assert cli.machine.read(PAD) == BY_PI


def test_3_before_there_is_any(cli: Terminal) -> None:
    assert cli("scratch", "done", "x").code == 3
    assert cli("scratch", "clear-done").out == f"cleared: 0 items of {PAD}\n"
    assert (cli("scratch").code, cli("scratch").out) == (
        0,
        "nothing is open; `ctxrepo scratch add` adds an item\n",
    )
    assert not (cli.machine.clone / "shop").exists()


@pytest.mark.parametrize("text", ["", "  ", "one\n- [ ] two", "a\n```", "- [ ]"])
def test_2_what_is_no_item(cli: Terminal, text: str) -> None:
    answer = cli("scratch", "add", "--", text)
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert not (cli.machine.clone / "shop").exists()


def test_2_nothing_is_named(cli: Terminal) -> None:
    cli("scratch", "add", "x")
    assert cli("scratch", "done", " ").code == 2
    assert listed(cli) == [("x", False)]


def test_6_no_secret_gets_in(cli: Terminal) -> None:
    answer = cli("scratch", "add", "use ghp_" + "a1B2" * 9)
    assert (answer.code, answer.is_one_line()) == (6, True)
    assert not (cli.machine.clone / PAD).exists()


def test_a_scratchpad_of_pi_memory_keeps_its_form(cli: Terminal) -> None:
    cli.machine.write(PAD, BY_PI)
    cli("scratch", "add", "Pay the bank")
    cli("scratch", "done", "Ask")
    done = BY_PI.replace("[ ] Ask", "[x] Ask") + "- [ ] Pay the bank\n"
    assert cli.machine.read(PAD) == done
    cli("scratch", "clear-done")
    assert cli.machine.read(PAD) == "# Scratchpad\n\n- [ ] Pay the bank\n"


def test_what_somebody_wrote_stays_and_why_an_item_does(cli: Terminal) -> None:
    text = "---\nupdated: 2020-01-01\nmine: yes\n---\r\n# Plan\r\n- [x] a\r\n  - why\r\n- [x] b\r\n\r\nprose"
    cli.machine.write(PAD, "")
    (cli.machine.clone / PAD).write_bytes(text.encode())
    answer = cli("scratch", "clear-done")
    assert answer.out.startswith("cleared: 1 item")
    assert answer.err == "ctxrepo: 'a' stays: something below it is open, or is no item\n"
    left = (cli.machine.clone / PAD).read_bytes().decode()
    assert left.partition("---\r\n")[2] == "# Plan\r\n- [x] a\r\n  - why\r\n\r\nprose"
    assert "mine: yes\n" in left
    assert "updated: 2020-01-01" not in left


def test_each_scope_has_its_own(cli: Terminal) -> None:
    cli("scratch", "add", "for the project")
    cli("scratch", "add", "for me", "--scope", "global")
    assert listed(cli) == [("for the project", False)]
    assert listed(cli, "--scope", "global") == [("for me", False)]
    assert cli("scratch", "done", "for the", "--scope", "global").code == 3
    cli.cwd = cli.machine.home
    assert listed(cli) == [("for me", False)]
    assert cli("scratch", "list", "--scope", "project").code == 2


def test_what_is_below_an_item_is_an_item_too(cli: Terminal) -> None:
    cli.machine.write(PAD, "- [ ] a\n  - [ ] b\n    more of b\n")
    items = cli("scratch", "list", "--json").data["items"]
    assert [(i["text"], i["depth"], i["at"]) for i in items] == [
        ("a", 0, f"{PAD}#L1"), ("b\nmore of b", 1, f"{PAD}#L2"),
    ]  # fmt: skip
    assert cli("scratch", "done", items[1]["id"]).code == 0
    assert cli.machine.read(PAD) == "- [ ] a\n  - [x] b\n    more of b\n"
    assert cli("scratch").out == f"[ ] a  {cli('scratch', 'list', '--json').data['items'][0]['id']}\n"


def test_a_commit_says_what_was_done(cli: Terminal) -> None:
    cli("scratch", "add", "Ask the bank")
    cli.machine.worker().run()
    cli("scratch", "done", "bank")
    cli.machine.worker().run()
    message = cli.machine.git("log", "-1", "--format=%B")
    assert "~ [x] Ask the bank" in message
    assert "Ask the bank" in cli("history", PAD).out
