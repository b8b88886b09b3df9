"""What the skills tell an agent to run is what the command line takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import get_args

import pytest
from reference import root_command

from ctxrepo.domain.project.target import parse_target
from ctxrepo.services.notes.changing import templates
from ctxrepo.services.reading.searching import Mode
from ctxrepo.storage.user import assets

SKILLS = {
    p.partition("/")[0]: d.decode() for p, d in assets.files("skills").items() if p.endswith("/SKILL.md")
}

CHOICES = {"keep": ("kept", "other", "both"), "mode": get_args(Mode)}
"""What options take that take a few words only."""

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(ctxrepo [^`]+)`")
_HEREDOC = re.compile(r" <<'(\w+)'\n.*?^\1$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command, without the program's name."""
    for block in _BLOCK.findall(text):
        for line in _HEREDOC.sub("", block).replace("\\\n", " ").splitlines():
            yield shlex.split(line)[1:]
    yield from (shlex.split(line)[1:] for line in _INLINE.findall(_BLOCK.sub("", text)))


ALL = [(skill, words) for skill, text in SKILLS.items() for words in commands(text)]


@pytest.mark.parametrize(("skill", "words"), ALL, ids=[f"{s} {' '.join(w)[:50]}" for s, w in ALL])
def test_each_command_is_understood(skill: str, words: list[str]) -> None:
    command = root_command()
    name = ""
    while words and hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    parsed = command.make_context(name, words).params
    if parsed.get("template"):
        assert parsed["template"] in templates()
    for option, choices in CHOICES.items():
        assert parsed.get(option) in (None, "", *choices), "No such choice"
    if parsed.get("path"):
        parse_target(parsed["path"])


def test_they_are_read_at_all() -> None:
    names = ("write", "search", "handoff", "sync", "init", "import", "digest", "dream")
    assert set(SKILLS) == {f"memory-{name}" for name in names}
    for skill, text in SKILLS.items():
        assert len([words for s, words in ALL if s == skill]) > 5, skill
        assert text.count("ctxrepo ") >= len([words for s, words in ALL if s == skill])


def test_who_may_leave_no_anchor_is_told_to_go_on_without_one() -> None:
    """With `tape.mode = manual` an agent is refused one that its user didn't ask for."""
    row = "| 6 | refused: anchors are for the user to ask for | go on without one |"
    names = {skill for skill, text in SKILLS.items() if row in text}
    assert names == {"memory-digest", "memory-handoff"}
    assert names <= {skill for skill, words in ALL if words[0] == "anchor"}


@pytest.mark.parametrize(
    "words", [["new"], ["remember", "x", "--nonsense"], ["no-such"], ["search", "x", "--mode", "mood"]]
)
def test_what_the_command_line_does_not_take_is_found(words: list[str]) -> None:
    with pytest.raises(Exception, match=r"Missing|No such|no-such"):
        test_each_command_is_understood("", words)
