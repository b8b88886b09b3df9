"""file add, remove, list, refresh: the packet in files, and what a person is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from terminal import Terminal


@pytest.fixture
def shop(cli: Terminal) -> Path:
    cli("remember", "redis listens on port 6380", "-c", "gotcha")
    return cli.machine.project_folder


def test_add_and_remove(cli: Terminal, shop: Path) -> None:
    (shop / "AGENTS.md").write_text("mine")
    answer = cli("file", "add")
    assert (answer.code, answer.out) == (0, f"the block is in {shop}/AGENTS.md\n")
    assert "gotcha.md" in (shop / "AGENTS.md").read_text()
    assert "was already" in cli("file", "add").out
    answer = cli("file", "remove")
    assert (answer.code, answer.out) == (0, f"removed from {shop}/AGENTS.md\n")
    assert (shop / "AGENTS.md").read_text() == "mine"
    assert cli("file", "remove").code == 3


def test_a_trial_shows_the_change_and_makes_none(cli: Terminal, shop: Path) -> None:
    (shop / "AGENTS.md").write_text("mine\n")
    answer = cli("file", "add", "--dry-run")
    assert "+<!-- ctxrepo:begin -->" in answer.out
    assert "git doesn't ignore" in answer.err
    assert (shop / "AGENTS.md").read_text() == "mine\n"
    assert "no file has the block" in cli("file").out
    data = cli("file", "add", "--dry-run", "--json").data
    assert not data["changed"]
    assert "gotcha.md" in data["diff"]


def test_the_file_of_an_agent_and_any_other(cli: Terminal, shop: Path) -> None:
    assert cli("file", "add", "--agent", "claude", "--json").data["new"]
    assert cli("file", "add", "notes.md").code == 0
    listed = [Path(file["path"]).name for file in cli("file", "list", "--json").data["files"]]
    assert listed == ["CLAUDE.md", "notes.md"]
    assert cli("file", "add", "notes.md", "--agent", "claude").code == 2
    assert cli("file", "add", "--agent", "nobody").code == 2
    assert cli("file", "remove", "--agent", "claude").code == 0
    assert not (shop / "CLAUDE.md").exists()


def test_who_will_see_it_is_told(cli: Terminal, shop: Path) -> None:
    answer = cli("file", "add")
    assert "git doesn't ignore" in answer.err
    assert "ctxrepo config set delivery.mode file" in answer.err
    subprocess.run(["git", "add", "AGENTS.md"], cwd=shop, check=True)
    cli("config", "set", "delivery.mode", "file")
    answer = cli("file", "add")
    assert "is tracked by git" in answer.err
    assert "delivery.mode" not in answer.err


def test_list_and_refresh(cli: Terminal, shop: Path) -> None:
    assert "no file has the block" in cli("file").out
    cli("file", "add")
    cli.machine.write("shop/new.md", "---\ndescription: Brand new\n---\n- x\n")
    assert "out of date" in cli("file", "list").out
    assert cli("file", "refresh").out == f"updated {shop}/AGENTS.md\n"
    assert "Brand new" in (shop / "AGENTS.md").read_text()
    assert "up to date" in cli("file").out
    assert cli("file", "refresh").out == "everything was up to date\n"
    (shop / "AGENTS.md").unlink()
    answer = cli("file", "refresh")
    assert answer.err == f"ctxrepo: {shop}/AGENTS.md (git.example.org/ada/shop): gone\n"


def test_damaged_markers_stop_it_in_one_line(cli: Terminal, shop: Path) -> None:
    cli("file", "add")
    (shop / "AGENTS.md").write_text("<!-- ctxrepo:end -->\n")
    for verb in ("add", "remove"):
        answer = cli("file", verb)
        assert answer.code == 6
        assert answer.is_one_line()


def test_a_sync_wakes_who_renews_them(cli: Terminal, shop: Path) -> None:
    cli("sync")
    before = len(cli.woken)
    cli("sync")
    assert len(cli.woken) == before
    cli("file", "add", str(shop / "a.md"))
    before = len(cli.woken)
    cli("sync")
    assert len(cli.woken) == before + 1
