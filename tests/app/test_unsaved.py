"""The ticket that a command prints in a sandbox, for which tests/faults/test_sandbox.py needs mounts."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import Machine, make_ada

from ctxrepo.app.surprise import with_ticket
from ctxrepo.errors import Unsaved
from ctxrepo.hooks.tickets import number_in
from ctxrepo.storage.state.compiled import read_settings

WORDS = ["remember", "a fact"]
SESSION = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    return make_ada(tmp_path)


def hint(machine: Machine, *words: str, **env: str) -> str:
    error = with_ticket(Unsaved("nothing is saved", "Run it outside.", "shop"), words, machine.env | env)
    assert (error.message, error.exit_code) == ("nothing is saved", 1)
    return error.hint


def test_an_agents_command_is_given_one_for_its_words_and_project(ada: Machine) -> None:
    secret = read_settings(ada.places.state)["secret"]
    assert number_in(hint(ada, *WORDS, **SESSION), secret, "shop", ["ctxrepo", *WORDS])
    assert "Run it outside." in hint(ada, *WORDS, **SESSION)


def test_others_are_not(ada: Machine) -> None:
    assert hint(ada, *WORDS) == "Run it outside."
    assert hint(ada, "edit", "topics/x", "--from", "y", **SESSION) == "Run it outside."


def test_without_hooks_there_is_none(tmp_path: Path, ada: Machine) -> None:
    assert hint(ada, *WORDS, CTXREPO_STATE=str(tmp_path / "none"), **SESSION) == "Run it outside."
