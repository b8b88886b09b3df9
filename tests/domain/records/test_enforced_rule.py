"""Rules that agents are held to: their spelling, the calls on which one bears, and what meets one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.records.enforced_rule import (
    ACTIONS,
    BLOCK,
    CHANGED,
    MET,
    PASSED,
    REFUSED,
    TRIGGERS,
    VERIFY,
    WARN,
    WARNED,
    EnforcedRule,
    ToolCall,
    rule_of,
)

WORDS = st.lists(
    st.sampled_from(["git", "push", "make", "test", "needs", "src/*", "é", "&&", "block"]), min_size=1
)
BLANKS = st.text(" \t\n\u00a0", min_size=1, max_size=3)


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """The words of a rule."""
    action = draw(st.sampled_from(ACTIONS))
    needs = ["needs", *draw(WORDS)] if action == VERIFY else []
    return [action, draw(st.sampled_from(TRIGGERS)), *draw(WORDS), *needs]


def rule(line: str) -> EnforcedRule:
    known = rule_of(line)
    assert known is not None, line
    return known


@given(lines())
def test_a_line_reads_back_the_same(words: list[str]) -> None:
    enforced = rule_of(" ".join(words))
    if enforced is not None:  # a text may begin with the word that ends it
        assert enforced.line == " ".join(words)
        again = rule(enforced.line)
        assert vars(again) == vars(enforced)


@given(lines(), st.data())
def test_blanks_do_not_matter(words: list[str], data: st.DataObject) -> None:
    spaced = "".join(data.draw(BLANKS) + word for word in words) + data.draw(BLANKS)
    first, second = rule_of(spaced), rule_of(" ".join(words))
    assert (first and vars(first)) == (second and vars(second))


@given(st.text())
def test_any_text_is_a_rule_or_none(text: str) -> None:
    rule = rule_of(text)
    assert rule is None or rule.line == " ".join(text.split())


@pytest.mark.parametrize(
    "line",
    [
        *("", "block", "block command", "block commands x", "refuse command x", "Block command x"),
        *("verify command git push", "verify command git push needs", "verify command needs make test"),
        "verify file",
    ],
)
def test_what_is_spelled_otherwise_is_none(line: str) -> None:
    assert rule_of(line) is None


def test_only_one_that_verifies_needs_something() -> None:
    assert (rule("block command it needs care").text, rule("block command it needs care").needs) == (
        "it needs care",
        "",
    )
    enforced = rule("verify command git push needs make test needs x")
    assert (enforced.text, enforced.needs) == ("git push", "make test needs x")


@pytest.mark.parametrize(
    ("line", "call", "place"),
    [
        ("block command kubectl apply", ToolCall("Bash", "cd x &&  kubectl\n apply -f y"), 8),
        ("block command kubectl apply", ToolCall("Bash", "kubectl get pods"), -1),
        ("block command Read", ToolCall("Read"), -1),
        (r"block pattern \bgit push .*-f\b", ToolCall("Bash", "git push origin -f"), 0),
        (r"block pattern ^git push", ToolCall("Bash", "cd x; git push"), -1),
        ("warn tool Web*", ToolCall("WebFetch"), 0),
        ("warn tool web*", ToolCall("WebFetch"), -1),
        ("warn tool WebFetch", ToolCall("Bash", "WebFetch"), -1),
        ("block file *.sql", ToolCall("Edit", files=("/shop/db/a.sql", "db/a.sql")), 0),
        ("block file db/*", ToolCall("Edit", files=("/shop/db/a.sql", "db/a.sql")), 0),
        ("block file db/*", ToolCall("Edit", files=("/shop/src/a.py", "src/a.py")), -1),
        ("block file db/*", ToolCall("Bash", "rm db/a.sql"), -1),
    ],
)
def test_on_which_calls_one_bears(line: str, call: ToolCall, place: int) -> None:
    assert rule(line).place_in(call) == place


@pytest.mark.parametrize(
    ("line", "command", "is_met"),
    [
        ("verify command git push needs make test", "make test", True),
        ("verify command git push needs make test", "make test && git push", True),
        ("verify command git push needs make test", "git push && make test", False),
        ("verify command git push needs make test", "git push", False),
        ("verify file src/* needs make lint", "make  lint", True),
        ("verify file src/* needs make lint", "make test", False),
        ("verify tool Deploy needs make test", "make test", True),
        ("block command make test", "make test", False),
    ],
)
def test_what_meets_one(line: str, command: str, is_met: bool) -> None:
    assert rule(line).is_met_by(ToolCall("Bash", command)) == is_met


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("block command rm", [("rm x", REFUSED), ("ls", PASSED), ("rm x", REFUSED)]),
        ("warn command rm", [("ls", PASSED), ("rm x", WARNED), ("rm x", PASSED)]),
        (
            "verify command push needs test",
            [("push", REFUSED), ("test", PASSED), ("push", PASSED), ("push", REFUSED)],
        ),
        ("verify command push needs test", [("test && push", PASSED), ("push", REFUSED)]),
        (
            "verify command push needs test",
            [("push && test", REFUSED), ("test", PASSED), ("ls", PASSED), ("push", PASSED)],
        ),
    ],
)
def test_what_is_done_about_the_commands_of_a_session(line: str, calls: list[tuple[str, str]]) -> None:
    state = ""
    for command, wanted in calls:
        verdict, state = rule(line).judge(ToolCall("Bash", command), state)
        assert verdict == wanted, command


def test_a_session_remembers_which_file_wants_a_command() -> None:
    lints, edit = (
        rule("verify file src/* needs make lint"),
        ToolCall("Edit", files=("/shop/src/met", "src/met")),
    )
    assert lints.judge(edit, "") == lints.judge(edit, MET) == (PASSED, f"{CHANGED}src/met")
    assert lints.judge(ToolCall("Bash", "make lint"), f"{CHANGED}src/met") == (PASSED, MET)
    assert lints.judge(ToolCall("Bash", "ls"), f"{CHANGED}src/met") == (PASSED, f"{CHANGED}src/met")


def test_the_actions_are_told_apart() -> None:
    assert [rule(f"{action} command x needs y").action for action in ACTIONS] == [BLOCK, WARN, VERIFY]
