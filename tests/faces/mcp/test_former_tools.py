"""The five tools of samfoy/pi-memory, called as its prompts call them: on the notes of ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hosts import TOOLS, Host, is_sealed

from ctxrepo.errors import NotFound, UsageError
from ctxrepo.faces.mcp.former_tools import former_tools

PARAMETERS = {
    "memory_search": {"query", "limit"},
    "memory_remember": {"type", "key", "value", "rule", "category", "negative"},
    "memory_forget": {"type", "key", "id"},
    "memory_lessons": {"category", "limit"},
    "memory_stats": set(),
}


@pytest.fixture
def full(host: Host) -> Host:
    """With two facts and two lessons."""
    host("memory_remember", type="fact", key="pref.editor", value="vim")
    host("memory_remember", type="fact", key="tool.sed.usage", value="BSD sed needs -i ''")
    host("memory_remember", type="lesson", rule="mock the clock", category="tests")
    host("memory_remember", type="lesson", rule="push on Fridays", negative=True)
    return host


def test_they_take_what_they_took() -> None:
    tools = former_tools()
    assert {
        name: {*tool.definition["inputSchema"]["properties"]} for name, tool in tools.items()
    } == PARAMETERS
    assert TOOLS["memory_remember"].definition["inputSchema"]["properties"]["type"]["enum"] == [
        "fact",
        "lesson",
    ]


def test_a_fact_is_replaced_under_its_key(full: Host) -> None:
    before = full.machine.read("shop/MEMORY.md")
    assert "vim" in before
    answer = full("memory_remember", type="fact", key="pref.editor", value='"emacs"')
    assert answer.text.startswith("remembered: ^")
    assert answer.fields is not None
    assert len(answer.fields["replaced"]) == 1
    after = full.machine.read("shop/MEMORY.md")
    assert "vim" not in after
    assert after == before.replace("vim", "emacs")


def test_a_lesson_has_its_note_its_tag_and_says_what_to_avoid(full: Host) -> None:
    lines = full.machine.read("shop/topics/lesson.md").splitlines()
    assert "- [lesson] mock the clock #tests" in lines
    assert "- [lesson] Don't: push on Fridays" in lines


def test_a_lesson_may_be_quoted_twice_and_negative_in_words(host: Host) -> None:
    host("memory_remember", type='"lesson"', rule='"don\'t \\"mock\\""', negative="true")
    assert "- [lesson] Don't: don't \"mock\"\n" in host.machine.read("shop/topics/lesson.md")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"type": "fact", "value": "vim"}, "key"),
        ({"type": "fact", "key": "pref.editor"}, "value"),
        ({"type": "lesson"}, "rule"),
        ({"type": "lesson", "value": "x", "key": "y"}, "rule"),
    ],
)
def test_what_a_kind_needs_is_named(host: Host, arguments: dict[str, str], name: str) -> None:
    with pytest.raises(UsageError, match=f"`{name}` is missing") as caught:
        host("memory_remember", **arguments)
    assert caught.value.hint == f"A {arguments['type']} needs it."


def test_words_are_found(full: Host) -> None:
    assert "- BSD sed" not in full.text("memory_search", query="clock")
    text = full("memory_search", query="sed").text
    assert is_sealed(text)
    assert "BSD sed needs -i ''" in text
    assert full("memory_search", query="zebra").text == "Nothing found for 'zebra'."


def test_ten_hits_are_shown_unless_more_are_asked_for(host: Host) -> None:
    host.machine.write("shop/MEMORY.md", "".join(f"- otter number{n}\n" for n in range(12)))
    assert host.text("memory_search", query="otter").count("otter") == 10
    assert host.text("memory_search", query="otter", limit="12").count("otter") == 12


def test_more_than_an_answer_holds_names_no_argument_that_they_do_not_take(host: Host) -> None:
    lines = (f"- [lesson] otter number{n} {'x' * 150}\n" for n in range(40))
    host.machine.write("shop/topics/lesson.md", "".join(lines))
    for text in (host.text("memory_search", query="otter", limit=40), host.text("memory_lessons")):
        assert " more: a narrower question has room for them" in text
        assert "`from`" not in text


def test_a_fact_is_forgotten_by_its_key(full: Host) -> None:
    answer = full("memory_forget", type="fact", key="pref.editor")
    assert answer.text.startswith("forgotten: ^")
    assert answer.text.endswith("(project shop)")
    assert "vim" not in full.machine.read("shop/MEMORY.md")
    with pytest.raises(NotFound, match=r"no entry has the key pref\.editor"):
        full("memory_forget", type="fact", key="pref.editor")


def test_the_key_of_the_project_comes_before_that_of_everywhere(full: Host, tmp_path: Path) -> None:
    outside = replace(full, cwd=tmp_path)
    outside("memory_remember", type="fact", key="pref.editor", value="nano")
    full("memory_forget", type="fact", key="pref.editor")
    assert "nano" in full.machine.read("global/MEMORY.md")
    assert full("memory_forget", type="fact", key="pref.editor").text.endswith("(global)")
    assert "nano" not in full.machine.read("global/MEMORY.md")


@pytest.mark.parametrize("caret", ["^", ""])
def test_a_lesson_is_forgotten_by_its_id(full: Host, caret: str) -> None:
    name = full.text("memory_lessons", category="tests").split()[-1].removeprefix("^")
    answer = full("memory_forget", type="lesson", id=f"{caret}{name}")
    assert answer.text.startswith(f"forgotten: ^{name}")
    assert "clock" not in full.machine.read("shop/topics/lesson.md")
    with pytest.raises(UsageError, match="`id` is missing"):
        full("memory_forget", type="lesson", key="x")


def test_a_lesson_is_forgotten_by_its_place_and_named_by_its_id(full: Host) -> None:
    *_, place, _dash, _category, _mock, _the, _clock, _tag, name = full.text(
        "memory_lessons", category="tests"
    ).split()
    assert full("memory_forget", type="lesson", id=place).text.startswith(f"forgotten: {name}")


def test_lessons_are_listed_by_category_and_no_more_than_asked_for(full: Host) -> None:
    both = full.text("memory_lessons").split("\n")
    assert len(both) == 2
    assert "vim" not in "\n".join(both)
    (tests,) = full.text("memory_lessons", category='"tests"').split("\n")
    assert "mock the clock" in tests
    assert full.text("memory_lessons", limit=1).split("\n")[0] == both[0]


def test_without_lessons_that_is_said(host: Host) -> None:
    assert host("memory_lessons").text == "No lessons yet."


def test_what_there_is_is_counted(full: Host, tmp_path: Path) -> None:
    clone = full.machine.clone
    assert full("memory_stats").text == f"3 notes with 4 entries in view of project shop, in {clone}."
    text = replace(full, cwd=tmp_path)("memory_stats").text
    assert text == f"1 note with 0 entries in view of no project, so global, in {clone}."
