"""Skills beside the hooks: ours are kept up to date, and what a person wrote or edited is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from connecting import connect, disconnect, everything, put

from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.user import assets


def test_a_skill_that_was_edited_is_left_alone(home: Path, machine: Machine) -> None:
    skill = home / ".claude/skills/memory-write/SKILL.md"
    connect(machine)
    skill.write_text("mine")
    plan = setup.plan("claude", machine)
    assert not plan.visible
    assert "memory-write" in plan.notices[0]
    plan = setup.removal("claude", machine)
    assert str(skill) in plan.notices[0]
    setup.apply(plan)
    assert skill.read_text() == "mine"


def test_of_several_skills_only_the_edited_one_is_left_alone(home: Path, machine: Machine) -> None:
    skills = home / ".claude/skills"
    connect(machine)
    put(skills / "memory-init/SKILL.md", b"mine")
    (skills / "memory-write/SKILL.md").unlink()
    connect(machine)
    shipped = assets.files("skills")
    there = {p.relative_to(skills).as_posix(): p.read_bytes() for p in skills.rglob("*.md")}
    assert len(shipped) > 2
    assert there == {**shipped, "memory-init/SKILL.md": b"mine"}
    disconnect(machine)
    assert [p for p in skills.rglob("*") if p.is_file()] == [skills / "memory-init/SKILL.md"]


def test_a_skill_of_the_same_name_is_never_overwritten(home: Path, machine: Machine) -> None:
    skill = home / ".claude/skills/memory-write/SKILL.md"
    put(skill, b"theirs")
    before = everything(home)
    connect(machine)
    disconnect(machine)
    assert everything(home) == before


def test_a_skill_of_an_older_version_is_brought_up_to_date(
    home: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = assets.files("skills")
    before = everything(home)
    with monkeypatch.context() as patch:
        patch.setattr(
            assets, "files", lambda name: {"memory-write/SKILL.md": b"old", "gone/SKILL.md": b"old"}
        )
        connect(machine)
    connect(machine)
    skills = home / ".claude/skills"
    assert {p.relative_to(skills).as_posix(): p.read_bytes() for p in skills.rglob("*.md")} == shipped
    disconnect(machine)
    assert everything(home) == {**before}
