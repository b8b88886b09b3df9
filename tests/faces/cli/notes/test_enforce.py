"""enforce: agents are held to what an entry says, once a person approved it here."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from terminal import Terminal

from ctxrepo.agents.known import AGENTS

RULE = "block command kubectl apply"
SWITCH = "ctxrepo config set hooks.before_tool enforce"


@pytest.fixture
def entry(cli: Terminal) -> str:
    """An entry, as people name it."""
    return str(cli("remember", "nobody deploys by hand", "--json").data["id"])


def shells() -> list[tuple[str, Mapping[str, str]]]:
    """(agent, what it has in the environment of its shell): with its session, and by its marks alone."""
    known = [(name, agent.identity) for name, agent in AGENTS.items()]
    sessions = [
        (name, {identity.SESSION: "s1", **identity.MARKS}) for name, identity in known if identity.SESSION
    ]
    return [*sessions, *((name, identity.MARKS) for name, identity in known if identity.MARKS)]


def test_a_person_holds_agents_to_it_and_is_told_what_is_missing(cli: Terminal, entry: str) -> None:
    answer = cli("enforce", entry, *RULE.split())
    assert answer.code == 0
    place, text, rule = answer.out.splitlines()
    assert place == f"{entry} shop/MEMORY.md#L9"
    assert (text, rule) == ("  - nobody deploys by hand", f"  {RULE}: enforced here")
    assert answer.err.startswith("ctxrepo: no agent asks before it uses a tool yet: ")
    assert SWITCH in answer.err
    assert cli("enforce").out == answer.out
    cli("config", "set", "hooks.before_tool", "enforce")
    assert cli("enforce", entry).err == cli("enforce").err == ""
    assert cli("why", entry).out.count(f"agents are held to it: {RULE}") == 1


def test_it_is_held_no_more(cli: Terminal, entry: str) -> None:
    cli("enforce", entry, RULE)
    assert cli("enforce", entry, "--off").out.splitlines()[-1] == "  enforced no more"
    answer = cli("enforce")
    assert (answer.code, answer.out, answer.err) == (0, "no rule is enforced\n", "")
    assert "held to it" not in cli("why", entry).out


@pytest.mark.parametrize(
    ("agent", "env"), shells(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_agent_proposes_one_and_approves_none(
    cli: Terminal, entry: str, agent: str, env: Mapping[str, str]
) -> None:
    proposed = cli("enforce", entry, RULE, **env)
    assert proposed.code == 0, proposed.err
    assert f"waits for a person: `ctxrepo enforce {entry}` in a terminal approves it" in proposed.out
    for words in ((), ("--off",), ("warn command x",)):
        refused = cli("enforce", entry, *words, **env)
        assert refused.code == 6
        assert refused.is_one_line()
        assert f"{agent} may propose a rule where there is none, and no more" in refused.err
    assert not cli("enforce", "--json").data["rules"][0]["is_approved"]
    assert "enforced here" in cli("enforce", entry).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "has no rule"),
        (("blok", "command", "x"), "blok command x is no rule"),
        (("block", "pattern", "("), "( is no regular expression"),
        (("verify", "command", "git", "push"), "verify command git push is no rule"),
        (("block command git push", "-f"), "there is no option -f"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    cli: Terminal, entry: str, words: tuple[str, ...], message: str
) -> None:
    answer = cli("enforce", entry, *words)
    assert answer.code == 2
    assert answer.is_one_line()
    assert message in answer.err
    assert cli("enforce").out == "no rule is enforced\n"


def test_off_is_for_an_entry_and_an_entry_has_to_be_there(cli: Terminal, entry: str) -> None:
    answer = cli("enforce", "--off")
    assert (answer.code, answer.is_one_line()) == (2, True)
    missing = cli("enforce", "^ffffffffffff", RULE)
    assert (missing.code, missing.is_one_line()) == (3, True)


def test_programs_are_told_the_same(cli: Terminal, entry: str) -> None:
    known = {
        "id": entry,
        "at": "shop/MEMORY.md#L9",
        "text": "nobody deploys by hand",
        "rule": RULE,
        "is_approved": True,
        "held": RULE,
    }
    assert cli("enforce", entry, RULE, "--json").data == known
    assert cli("enforce", "--json").data == {"rules": [known]}
    assert cli("enforce", entry, "--off", "--json").data == {
        **known,
        "rule": "",
        "is_approved": False,
        "held": "",
    }
    assert cli("enforce", "--json").data == {"rules": []}
    assert cli("enforce", entry, "--json").error["code"] == "usage"


def test_another_machine_is_told_that_a_rule_waits(both: tuple[Terminal, Terminal]) -> None:
    ada, ben = both
    entry = ada("remember", "nobody deploys by hand", "--json").data["id"]
    ada("enforce", entry, RULE)
    assert ada("sync").code == 0
    assert ben("sync").code == 0
    assert "waits for a person" in ben("enforce").out
    assert "enforced here" in ben("enforce", entry).out


def test_undo_takes_the_record_back_and_who_approved_it_ends_it(cli: Terminal, entry: str) -> None:
    cli("enforce", entry, RULE)
    assert f"undone: enforce: {RULE}" in cli("undo").out
    *_, line = cli("enforce").out.splitlines()
    ends = f"`ctxrepo enforce {entry} --off` in a terminal ends it"
    assert line == f"  {RULE}: enforced here, as it was approved; {ends}"
    assert cli("enforce", entry, "--off").out.endswith("  enforced no more\n")
    assert cli("enforce").out == "no rule is enforced\n"


def test_what_is_gone_is_told_and_ended_by_its_id(cli: Terminal, entry: str) -> None:
    cli("enforce", entry, RULE)
    cli("forget", entry)
    place, text, state = cli("enforce").out.splitlines()
    assert (place, text) == (f"{entry}, which is gone", "  - nobody deploys by hand")
    assert "enforced here, as it was approved" in state
    refused = cli("enforce", entry, "--off", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="s1")
    assert (refused.code, refused.is_one_line()) == (3, True)
    assert cli("enforce", entry[:6], "--off").out.splitlines()[-1] == "  enforced no more"
    assert cli("enforce").out == "no rule is enforced\n"
