"""What an agent remembers by itself is kept here, if one wants it, and taken back to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import Machine, make_ada
from processes import processes_of
from sessions import Session, eventually

from ctxrepo.agents import names
from ctxrepo.agents.claude.install import MemoryFolder
from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.formats import jsontext
from ctxrepo.services.setup.redirected import can_redirect

FILE = ".claude/settings.local.json"
OWN = [name for name in names() if can_redirect(AGENTS[name])]
NOTE = """\
---
name: lift
description: The lift is broken
metadata:
  type: project
---

The lift in building seven is broken since March; the one in building nine works.
"""


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    machine = make_ada(tmp_path)
    machine.remember("the printer is called gutenberg")
    machine.ctxrepo("sync")
    (machine.project_folder / ".git/info").mkdir(exist_ok=True)
    (machine.project_folder / ".git/info/exclude").write_text(f"{FILE}\n")
    return machine


def settings(machine: Machine) -> dict[str, object]:
    document: dict[str, object] = json.loads((machine.project_folder / FILE).read_text())
    return document


def set_up(machine: Machine, *words: str) -> str:
    done = machine.ctxrepo("setup", "claude", "--yes", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def folder_of(machine: Machine) -> Path:
    return machine.clone / "shop" / "claude"


def test_the_checkouts_own_settings_name_the_projects_folder_and_git_sees_nothing(ada: Machine) -> None:
    assert FILE in set_up(ada, "--own-memory", "here")
    assert settings(ada) == {"autoMemoryDirectory": str(folder_of(ada))}
    assert f"is kept in {folder_of(ada)}" in ada.ctxrepo("doctor").stdout
    set_up(ada)  # again, and nothing is said of it: it stays
    assert settings(ada) == {"autoMemoryDirectory": str(folder_of(ada))}
    set_up(ada, "--own-memory", "here")


@pytest.mark.parametrize("back", [["--own-memory", "own"], ["--remove"]], ids=" ".join)
@pytest.mark.parametrize(
    "before", [None, '{"model": "opus"}', '{\n\t"permissions": {"allow": []}\n}\n', "{ }", ""], ids=repr
)
def test_it_is_taken_back_to_the_byte(ada: Machine, before: str | None, back: list[str]) -> None:
    file = ada.project_folder / FILE
    if before is not None:
        file.parent.mkdir()
        file.write_text(before)
    set_up(ada, "--own-memory", "here")
    assert settings(ada)["autoMemoryDirectory"] == str(folder_of(ada))
    set_up(ada, *back)
    assert (file.read_text() if file.exists() else None) == before
    assert file.parent.exists() == (before is not None)
    assert not [*(ada.places.config_dir / "receipts").glob("*memory*")]


def test_what_was_edited_since_stays(ada: Machine) -> None:
    set_up(ada, "--own-memory", "here")
    (ada.project_folder / FILE).write_text(json.dumps({**settings(ada), "model": "opus"}))
    set_up(ada, "--remove")
    assert settings(ada) == {"model": "opus"}


def test_a_folder_that_somebody_named_since_is_theirs(ada: Machine) -> None:
    set_up(ada, "--own-memory", "here")
    (ada.project_folder / FILE).write_text('{"autoMemoryDirectory": "/mine"}')
    set_up(ada, "--remove")
    assert settings(ada) == {"autoMemoryDirectory": "/mine"}


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["{broken", None])
def test_a_file_that_cannot_be_read_any_more_keeps_nothing_else_from_being_removed(
    ada: Machine, broken: str | None
) -> None:
    set_up(ada, "--own-memory", "here")
    file = ada.project_folder / FILE
    file.unlink()
    if broken is None:
        file.mkdir()
    else:
        file.write_text(broken)
    own = ada.ctxrepo("setup", "claude", "--yes", "--own-memory", "own")
    assert own.returncode != 0
    assert f"{file}" in set_up(ada, "--remove").partition("ctxrepo: ")[2]
    assert not (ada.home / ".claude").exists()
    assert [*(ada.places.config_dir / "receipts").glob("claude-memory-*")]
    if broken is not None:
        file.write_text(json.dumps({"autoMemoryDirectory": str(folder_of(ada))}))
        set_up(ada, "--remove")
        assert not file.exists()


def test_it_is_told_where_a_checkout_that_names_it_is_gone(ada: Machine) -> None:
    set_up(ada, "--own-memory", "here")
    ada.project_folder.rename(ada.home / "moved")
    done = ada.ctxrepo("setup", "claude", "--yes", "--remove", cwd=ada.home)
    assert done.returncode == 0
    assert f"is gone; where its checkout is now, it may still name {folder_of(ada)}" in done.stderr


def test_of_all_agents_those_that_can_be_told_are(ada: Machine) -> None:
    for name in (".claude", ".codex"):
        (ada.home / name).mkdir()
    done = ada.ctxrepo("setup", "--all", "--yes", "--own-memory", "here")
    assert done.returncode == 0, done.stderr
    assert settings(ada) == {"autoMemoryDirectory": str(folder_of(ada))}
    assert (ada.home / ".codex/hooks.json").exists()


def test_after_the_project_was_renamed_it_is_said_that_it_is_kept_elsewhere(ada: Machine) -> None:
    set_up(ada, "--own-memory", "here")
    assert "warning" not in ada.ctxrepo("doctor").stdout
    assert ada.ctxrepo("project", "rename", "store").returncode == 0
    warned = f"no session of this project is given what is in {folder_of(ada)}"
    assert warned in ada.ctxrepo("doctor").stdout
    set_up(ada, "--own-memory", "here")
    assert warned not in ada.ctxrepo("doctor").stdout


def test_one_that_names_another_folder_already_is_left_as_it_is(ada: Machine) -> None:
    (ada.project_folder / FILE).parent.mkdir()
    (ada.project_folder / FILE).write_text('{"autoMemoryDirectory": "/mine"}')
    done = ada.ctxrepo("setup", "claude", "--yes", "--own-memory", "here")
    assert done.returncode != 0
    assert "another folder already" in done.stderr
    assert settings(ada) == {"autoMemoryDirectory": "/mine"}


def test_it_is_not_written_where_git_would_commit_it(ada: Machine) -> None:
    (ada.project_folder / ".git/info/exclude").unlink()
    done = ada.ctxrepo("setup", "claude", "--yes", "--own-memory", "here")
    assert done.returncode != 0
    assert f"git would commit {FILE}" in done.stderr
    assert not (ada.project_folder / FILE).exists()


def test_a_file_that_git_knows_already_is_not_written_either(ada: Machine) -> None:
    (ada.project_folder / FILE).parent.mkdir()
    (ada.project_folder / FILE).write_text("{}")
    project = Machine(ada.home, {"GIT_DIR": str(ada.project_folder / ".git")})
    project.git("--work-tree", str(ada.project_folder), "add", "-f", str(ada.project_folder / FILE))
    done = ada.ctxrepo("setup", "claude", "--yes", "--own-memory", "here")
    assert done.returncode != 0
    assert (ada.project_folder / FILE).read_text() == "{}"


def test_outside_of_a_project_there_is_no_folder_for_it(ada: Machine) -> None:
    done = ada.ctxrepo("setup", "claude", "--yes", "--own-memory", "here", cwd=ada.home)
    assert done.returncode == 2
    assert "no project here" in done.stderr


@pytest.mark.parametrize("agent", [name for name in names() if name not in OWN])
def test_another_agent_cannot_be_told(ada: Machine, agent: str) -> None:
    done = ada.ctxrepo("setup", agent, "--yes", "--own-memory", "here")
    assert done.returncode == 2
    assert "can't be told" in done.stderr


def test_another_word_is_refused(ada: Machine) -> None:
    assert ada.ctxrepo("setup", "claude", "--yes", "--own-memory", "there").returncode == 2


@pytest.fixture
def session(ada: Machine) -> Iterator[Session]:
    set_up(ada, "--own-memory", "here")
    yield Session(ada, "s-1")
    eventually(lambda: not processes_of(ada), 60)


@pytest.mark.slow
def test_what_it_writes_is_committed_and_given_to_others_and_to_it_once(
    ada: Machine, session: Session
) -> None:
    session.edit("shop/claude/lift.md", NOTE)
    session.edit("shop/claude/MEMORY.md", "- [Lift](lift.md) — the lift in building seven is broken\n")
    ada.ctxrepo("sync")
    assert "lift" in ada.git("show", "HEAD:shop/claude/lift.md")
    eventually(lambda: not processes_of(ada), 60)
    given = Session(ada, "s-2").hook("SessionStart")
    assert "gutenberg" in given
    assert "shop/claude/" not in given
    prompt = "is the lift in building seven broken?"
    asked = Session(ada, "s-2").hook("UserPromptSubmit", prompt=prompt)
    assert "claude/lift.md" in asked
    assert "MEMORY.md" not in asked
    assert "shop/claude/lift.md" in ada.ctxrepo("context", "--agent", "codex").stdout
    set_up(ada, "--own-memory", "own")
    assert "shop/claude/lift.md — The lift is broken" in Session(ada, "s-3").hook("SessionStart")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *(
            '{"autoMemoryDirectory": "\\ud800"}',
            '{"autoMemoryDirectory": 7}',
            "no JSON",
            '"x',
            "\0",
            "[]",
            "",
        ),
        *('{"autoMemoryDirectory": "CLONE/shop"}', '{"autoMemoryDirectory": "CLONE"}'),
        *('{"autoMemoryDirectory": "CLONE/shop/topics"}', '{"autoMemoryDirectory": "shop/claude"}'),
    ],
)
def test_what_a_checkout_brings_along_hides_nothing(ada: Machine, session: Session, text: str) -> None:
    ada.write("shop/topics/pay.md", "---\ndescription: What payments need\n---\n- x\n")
    ada.ctxrepo("sync")
    (ada.project_folder / FILE).write_text(text.replace("CLONE", str(ada.clone)))
    given = session.hook("SessionStart")
    assert "shop/topics/pay.md — What payments need" in given
    assert "gutenberg" in given
    assert not (ada.places.state / "hook-errors.log").exists()


def test_a_document_of_settings_reads_as_it_was() -> None:
    document = MemoryFolder("/here")
    for text in ("{}", '{"a": 1}', '{\n  "a": 1\n}\n'):
        connected = document.connect(text, str)
        assert json.loads(connected)["autoMemoryDirectory"] == "/here"
        assert document.disconnect(connected, text) == text
        assert document.disconnect(connected) == connected
    with pytest.raises(jsontext.Malformed):
        document.connect('{"autoMemoryDirectory": 7}', str)
