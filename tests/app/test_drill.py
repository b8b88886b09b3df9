"""The drill: a made-up operation appears on a command line, as text and as JSON, with one body."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Annotated

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.result import Result
from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.faces.cli import table
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.app import main
from ctxrepo.faces.cli.options import json_option
from ctxrepo.services.reading.targets import read


@dataclass(frozen=True)
class CountRequest:
    """The note whose words are counted."""

    target: Target


def count_words(desk: Desk, request: CountRequest) -> Result[int]:
    """Count the words of a note; ends with 3 where there are none."""
    words = read(desk.memory, request.target, desk.project).text.split()
    if len(words) > 100:
        desk.notice("this is a long note")
    return Result(len(words), {"words": len(words)}, exit_code=0 if words else 3)


def command(target: str, json: Annotated[bool, json_option()] = False) -> None:
    """Count the words of a note."""
    answer(count_words, CountRequest(parse_target(target)), json, lambda words: f"{words} words")


@pytest.fixture
def mine(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    ada.init()
    ada.write("global/few.md", "one two three\n")
    ada.write("global/many.md", "again " * 101)
    ada.write("global/none.md", "")
    for name, value in ada.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(ada.project_folder)
    entry = table.CommandEntry("count-words", "count", "command", "", "", "Count the words of a note.")
    monkeypatch.setattr(table, "read", lambda: SimpleNamespace(commands={entry.name: entry}))
    monkeypatch.setitem(sys.modules, "ctxrepo.faces.cli.count", sys.modules[__name__])
    return ada


def test_as_text_with_its_notices_and_its_exit_code(
    mine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["count-words", "global:few.md"]) == 0
    assert capsys.readouterr() == ("3 words\n", "")
    assert main(["count-words", "global:many.md"]) == 0
    assert capsys.readouterr() == ("101 words\n", "ctxrepo: this is a long note\n")
    assert main(["count-words", "global:none.md"]) == 3


def test_as_json(mine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count-words", "global:few.md", "--json"]) == 0
    envelope = json.loads(capsys.readouterr().out)
    assert envelope == {"schema_version": 1, "ok": True, "data": {"words": 3}, "error": None}


def test_for_another_face(mine: Machine) -> None:
    desk = Desk(Call(mine.project_folder, mine.env), lambda: datetime.now(UTC), sys.executable)
    result = desk.perform(count_words, CountRequest(parse_target("global:many.md")))
    assert (result.value, result.data, desk.take_notices()) == (101, {"words": 101}, ["this is a long note"])
