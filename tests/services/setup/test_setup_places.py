"""Where settings are: links, rights, folders with odd names, and others who write at the same time."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from connecting import connect, disconnect, everything, fixture, ours, put

from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user.places import Places

USUAL = fixture("usual")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("target", ["../dotfiles/claude.json", "{home}/dotfiles/claude.json"])
def test_a_link_into_dotfiles_stays_a_link(home: Path, machine: Machine, settings: Path, target: str) -> None:
    file = home / "dotfiles/claude.json"
    put(file, USUAL, 0o640)
    settings.parent.mkdir()
    settings.symlink_to(target.format(home=home))
    connect(machine)
    assert (os.readlink(settings), mode(file)) == (target.format(home=home), 0o640)
    assert len(ours(file.read_bytes())) == 8
    disconnect(machine)
    assert os.readlink(settings) == target.format(home=home)
    assert (file.read_bytes(), mode(file)) == (USUAL, 0o640)
    assert [p.name for p in file.parent.iterdir()] == ["claude.json"]


def test_a_folder_that_is_a_link_stays_one(home: Path, machine: Machine, settings: Path) -> None:
    folder = home / "dotfiles/claude"
    put(folder / "settings.json", USUAL)
    (home / ".claude").symlink_to("dotfiles/claude")
    before = everything(home)
    connect(machine)
    assert (folder / "skills/memory-write/SKILL.md").is_file()
    assert check("claude", machine).findings == ()
    disconnect(machine)
    assert everything(home) == before
    assert os.readlink(home / ".claude") == "dotfiles/claude"


def test_a_link_to_a_file_that_is_not_there_yet(home: Path, machine: Machine, settings: Path) -> None:
    for folder in (settings.parent, home / "dotfiles"):
        folder.mkdir()
    settings.symlink_to("../dotfiles/claude.json")
    connect(machine)
    assert len(ours((home / "dotfiles/claude.json").read_bytes())) == 8
    disconnect(machine)
    assert os.readlink(settings) == "../dotfiles/claude.json"
    assert list((home / "dotfiles").iterdir()) == []


def test_a_link_into_a_folder_that_is_not_there_is_refused(
    home: Path, machine: Machine, settings: Path
) -> None:
    settings.parent.mkdir()
    settings.symlink_to("/unmounted/claude.json")
    before = everything(home)
    with pytest.raises(CtxrepoError, match="a link to /unmounted"):
        setup.plan("claude", machine)
    assert everything(home) == before


def test_a_file_with_a_second_name_stays_one_file(home: Path, machine: Machine, settings: Path) -> None:
    put(settings, USUAL)
    os.link(settings, home / "dotfile")
    connect(machine)
    assert settings.samefile(home / "dotfile")
    disconnect(machine)
    assert (home / "dotfile").read_bytes() == USUAL


@pytest.mark.parametrize("rights", [0o600, 0o644, 0o660, 0o755])
def test_rights_are_kept(machine: Machine, settings: Path, rights: int) -> None:
    put(settings, USUAL, rights)
    for go in (connect, disconnect):
        go(machine)
        assert mode(settings) == rights


def test_read_only_settings_are_left_alone(home: Path, machine: Machine, settings: Path) -> None:
    put(settings, USUAL, 0o444)
    before = everything(home)
    with pytest.raises(CtxrepoError, match=r"settings\.json is read-only"):
        setup.plan("claude", machine)
    assert everything(home) == before


def test_settings_in_a_read_only_folder_are_left_alone(commoner: Path, machine: Machine) -> None:
    mine = replace(machine, places=Places.of({"HOME": str(commoner)}))
    put(commoner / ".claude/settings.json", USUAL)
    (commoner / ".claude").chmod(0o500)
    before = everything(commoner)
    with pytest.raises(CtxrepoError, match="isn't a folder one may write to"):
        setup.plan("claude", mine)
    assert everything(commoner) == before
    (commoner / ".claude").chmod(0o700)


@pytest.mark.parametrize("name", ["with space", "it's", 'say "x"', "é中", "$HOME;`x`", "new\nline"])
def test_a_home_may_be_called_anything(tmp_path: Path, machine: Machine, name: str) -> None:
    home = tmp_path / name
    put(home / ".claude/settings.json", USUAL)
    before = everything(home)
    mine = replace(machine, places=Places.of({"HOME": str(home)}))
    connect(mine)
    assert check("claude", mine).findings == ()
    assert setup.plan("claude", mine).changes == ()
    disconnect(mine)
    assert everything(home) == before


def test_a_home_that_is_not_utf_8_is_refused(tmp_path: Path, machine: Machine) -> None:
    mine = replace(machine, places=Places.of({"HOME": os.fsdecode(os.fsencode(tmp_path) + b"/\xff")}))
    with pytest.raises(CtxrepoError, match="not UTF-8"):
        setup.plan("claude", mine)
    assert [p.name for p in tmp_path.iterdir()] == ["home"]


def test_two_config_folders_are_kept_apart(home: Path, machine: Machine, settings: Path) -> None:
    work = replace(machine, environment={"CLAUDE_CONFIG_DIR": str(home / "work")})
    before = everything(home)
    connect(machine)
    connect(work)
    disconnect(machine)
    assert (home / "work/settings.json").is_file()
    assert (home / "work/skills/memory-write/SKILL.md").is_file()
    disconnect(work)
    assert everything(home) == before


def test_local_settings_beside_it_are_nobodys_business(home: Path, machine: Machine, settings: Path) -> None:
    put(settings, USUAL)
    put(settings.with_name("settings.local.json"), b'{"permissions": {"allow": ["Bash(ls)"]}, // mine\n}')
    put(home / ".claude.json", b'{"projects": {}}')
    before = everything(home)
    connect(machine)
    after = everything(home)
    for name in (".claude/settings.local.json", ".claude.json"):
        assert after[name] == before[name]
    disconnect(machine)
    assert everything(home) == before


def test_a_file_that_changed_since_it_was_shown_is_left_alone(
    home: Path, machine: Machine, settings: Path
) -> None:
    put(settings, USUAL)
    plan = setup.plan("claude", machine)
    settings.write_bytes(USUAL + b"\n")
    before = everything(home)
    with pytest.raises(Busy, match="settings"):
        setup.apply(plan)
    assert everything(home) == before


@pytest.mark.parametrize("by_name", [False, True], ids=["written", "replaced"])
def test_a_running_agent_that_writes_meanwhile_loses_nothing(
    machine: Machine, settings: Path, monkeypatch: pytest.MonkeyPatch, by_name: bool
) -> None:
    theirs = USUAL.replace(b'"opus"', b'"haiku"')
    put(settings, USUAL)
    plan = setup.plan("claude", machine)

    def agent(handle: int) -> None:
        place = settings.with_suffix(".new") if by_name else settings
        place.write_bytes(theirs)
        place.rename(settings)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", agent)
        with pytest.raises(Busy, match="settings"):
            setup.apply(plan)
    assert settings.read_bytes() == theirs
    connect(machine)
    disconnect(machine)
    assert settings.read_bytes() == theirs
