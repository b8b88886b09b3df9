"""A made-up request is seen as options, as a call and as help; each field is described once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest

from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.project.target import Destination, NoteOrEntry, ScopeName, Target
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import parser
from ctxrepo.faces.cli.options import LIMIT, OWN, SCOPE, TAG, USUAL, Command, command, option
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class BrewRequest:
    """What is brewed."""

    target: NoteOrEntry
    to: Destination | None = None
    """Where it is poured."""
    tags: Sequence[str] = ()
    """A flavour; may be given again."""
    scope: ScopeName = ""
    limit: Annotated[int | None, Between(1, 9)] = None
    """Most cups."""
    cups: Annotated[int, Between(0)] = 2
    """How many cups."""
    folder: Path = Path()
    """Where the beans are."""
    is_hot: bool = False
    """Heat it first."""
    secret: str = "beans"


calls: list[dict[str, Any]] = []


@command(
    target=USUAL,
    to="--to DEST",
    tags=TAG,
    loud=OWN,
    scope=SCOPE,
    limit=LIMIT,
    cups=USUAL,
    folder=USUAL,
    is_hot="--hot",
)
def brew(
    request: BrewRequest,
    loud: Annotated[bool, option("--loud", help="Say so.")] = False,
    json: bool = False,
) -> None:
    """Brew what a note says."""
    calls.append({"request": request, "loud": loud, "json": json})


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command as the parser has it."""
    calls.clear()
    monkeypatch.setitem(sys.modules, "ctxrepo.faces.cli.brewing", sys.modules[__name__])
    return parser.registered("brewing", "brew", "brew").commands["brew"]


def test_fields_are_options_in_the_order_of_their_spellings(parsed: Any) -> None:
    shown = {p.name: (" ".join(p.opts) if p.opts[0][0] == "-" else p.metavar, p.help) for p in parsed.params}
    assert list(shown.items())[:10] == [
        ("target", ("TARGET", "[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry.")),
        ("to", ("--to", "Where it is poured.")),
        ("tags", ("--tag -t", "A flavour; may be given again.")),
        ("loud", ("--loud", "Say so.")),
        ("scope", ("--scope -s", "global, project, or a project's id or folder.")),
        ("limit", ("--limit", "Most cups.")),
        ("cups", ("--cups", "How many cups.")),
        ("folder", ("--folder", "Where the beans are.")),
        ("is_hot", ("--hot", "Heat it first.")),
        ("json", ("--json", "Print one JSON object instead of text.")),
    ]
    limit = next(p for p in parsed.params if p.name == "limit")
    assert (limit.type.min, limit.type.max) == (1, 9)


def test_the_function_is_handed_the_request_that_the_words_make(parsed: Any) -> None:
    words = [
        "topics/a.md",
        "--to",
        "global:",
        "--tag",
        "a",
        "-t",
        "b",
        "--limit",
        "3",
        "--folder",
        "x",
        "--hot",
    ]
    parsed.main([*words, "--loud"], standalone_mode=False)
    (call,) = calls
    target, to = Target("", "topics/a.md"), Target("global", "")
    request = BrewRequest(target, to, ("a", "b"), limit=3, folder=Path("x"), is_hot=True)
    assert call == {"request": request, "loud": True, "json": False}


def test_what_is_left_out_is_the_fields_default(parsed: Any) -> None:
    parsed.main(["topics/a.md"], standalone_mode=False)
    brew(target="topics/a.md")  # as a plain line calls it
    assert [call["request"] for call in calls] == [BrewRequest(Target("", "topics/a.md"))] * 2


def test_a_word_that_is_no_value_of_the_field_is_refused() -> None:
    with pytest.raises(UsageError):
        brew(target="")
    with pytest.raises(UsageError):
        brew(target="../out")


def test_it_is_called_and_explained_as_its_function_is() -> None:
    assert isinstance(brew, Command)
    assert (brew.__name__, brew.__doc__) == ("brew", "Brew what a note says.")
