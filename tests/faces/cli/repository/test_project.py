"""project: what a person and a program are told, and which words are understood."""

from __future__ import annotations

import pytest
from checkouts import facts, git, remember, repository
from terminal import Terminal

OLD, NEW = "git.example.org/ada/shop", "git.example.org/ada/storefront"


def test_the_project_one_stands_in_and_why_it_is_that(cli: Terminal) -> None:
    here = cli.machine.project_folder
    for words in (["project"], ["project", "show"]):
        assert cli(*words).out.splitlines() == [
            f"project   {OLD}",
            "because   its remote's address",
            "folder    shop/, nothing written yet",
            "worktrees share: a linked worktree is the same project",
            f"checkouts {here}",
        ]
    cli("remember", "a fact")
    git(here, "commit", "-q", "--allow-empty", "-m", "x")
    git(here, "worktree", "add", "-q", "../fix")
    cli.cwd = cli.machine.home / "fix"
    answer = cli("project")
    assert answer.out.splitlines()[2:] == [
        "folder    shop/, 1 note",
        "worktrees share: a linked worktree is the same project",
        f"checkouts {cli.machine.home / 'fix'}",
        f"          {here}",
    ]
    assert cli("project", "--json").data == cli("project", "show", "--json").data
    assert cli("project", "--json").data == {
        "id": OLD,
        "folder": "shop",
        "own_id": OLD,
        "why": "remote",
        "names": [],
        "registered": True,
        "notes": 1,
        "worktrees": "share",
        "checkouts": [str(cli.machine.home / "fix"), str(here)],
        "claim": "",
        "hint": "",
    }


def test_every_reason_is_told(cli: Terminal) -> None:
    home = cli.machine.home
    named = repository(home / "named")
    git(named, "config", "ctxrepo.project", "team/x")
    cli.cwd = named
    assert cli("project", "--json").data["why"] == "explicit"
    assert cli("project", CTXREPO_PROJECT="team/y").out.startswith(
        "project   team/y\nbecause   you named it\n"
    )
    for commits, why in ((1, "root commit"), (0, "directory")):
        cli.cwd = repository(home / why, commits=commits)
        assert cli("project", "--json").data["why"] == why


def test_outside_a_project_there_is_none_to_show_rename_or_link(cli: Terminal) -> None:
    cli.cwd = cli.machine.home
    answer = cli("project")
    assert (answer.code, answer.is_one_line()) == (3, True)
    assert cli("project", "show", "--json").error["code"] == "not_found"
    for words in (["rename", "store"], ["link", "shop"], ["unlink"]):
        answer = cli("project", *words)
        assert (answer.code, answer.is_one_line()) == (2, True)
    assert cli("project", "--json", "list").code == 2


def test_all_projects_and_the_folders_that_are_nobody_s(cli: Terminal) -> None:
    assert cli("project", "list", "--json").data == {"projects": [], "unclaimed": []}
    assert cli("project", "list").out.startswith("no project has notes yet; the first `ctxrepo remember`")
    remember(cli, repository(cli.machine.home / "one", "https://h/a/one"), "fact")
    cli.cwd = None
    cli("remember", "fact")
    cli.machine.write("loose/note.md", "- x\n")
    text = cli.machine.read("ctxrepo.toml").replace("[projects]", '[projects]\n"h/a/elsewhere" = "elsewhere"')
    cli.machine.write("ctxrepo.toml", text)
    lines = cli("project", "list").out.splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "elsewhere/ h/a/elsewhere 0 notes",
        "one/ h/a/one 1 note, here",
        f"shop/ {OLD} 1 note, here",
        "loose/ no project 1 note",
    ]
    assert len({line.rindex(" note") for line in lines}) == 1, "in columns"
    data = cli("project", "list", "--json").data
    assert data["unclaimed"] == ["loose"]
    assert data["projects"][1] == {"id": "h/a/one", "folder": "one", "names": [], "notes": 1, "here": True}


def test_a_project_is_renamed(cli: Terminal) -> None:
    cli("remember", "a fact")
    answer = cli("project", "rename", "store")
    assert (answer.code, answer.out) == (0, "renamed: shop/ is store/ (1 file)\n")
    assert len(cli.woken) == 2
    assert facts(cli, cli.machine.project_folder) == ["a fact"]
    data = cli("project", "rename", "mart", "--json").data
    assert data == {"id": OLD, "before": "store", "folder": "mart", "files": 1}
    for name, code in (("global", 2), ("a/b", 2), ("mart", 6), ("MART", 6)):
        answer = cli("project", "rename", name)
        assert (answer.code, answer.is_one_line()) == (code, True), name


def test_a_project_is_linked(cli: Terminal) -> None:
    here = cli.machine.project_folder
    cli("remember", "a fact")
    git(here, "remote", "set-url", "origin", f"git@git.example.org:{NEW.partition('/')[2]}")
    assert facts(cli, here) == []
    answer = cli("project", "link", OLD)
    assert (answer.code, answer.out) == (0, f"linked: {NEW} in shop/\n")
    assert facts(cli, here) == ["a fact"]
    assert f"because   its remote's address, linked from {NEW}\n" in cli("project").out
    assert cli("project", "list").out == f"shop/  {OLD} (also {NEW})  1 note, here\n"
    again = cli("project", "link", "shop", "--json").data
    assert again == {"name": NEW, "id": OLD, "folder": "shop", "changed": False, "before": "", "files": 0}
    assert cli("read", f"{NEW}:MEMORY.md").code == cli("read", f"{OLD}:MEMORY.md").code == 0
    answer = cli("project", "link", "nothing")
    assert (answer.code, answer.is_one_line()) == (3, True)


def test_a_project_is_unlinked(cli: Terminal) -> None:
    here = cli.machine.project_folder
    cli("remember", "a fact")
    git(here, "remote", "set-url", "origin", f"https://{NEW}")
    cli("project", "link", "shop")
    answer = cli("project", "unlink")
    message = f"unlinked: {NEW} in storefront/; what was written until now stays in shop/\n"
    assert (answer.code, answer.out) == (0, message)
    assert facts(cli, here) == []
    answer = cli("project", "unlink")
    message = f"not linked: {NEW} is a project of its own, in storefront/\n"
    assert (answer.code, answer.out) == (0, message)
    cli("project", "link", "shop")
    cli.cwd = cli.machine.home
    data = cli("project", "unlink", NEW, "--json").data
    assert data == {"name": NEW, "folder": "storefront", "changed": True, "before": "shop", "names": []}
    answer = cli("project", "unlink", NEW)
    assert (answer.code, answer.is_one_line()) == (3, True)


def test_versions_that_met_in_a_link_are_told(cli: Terminal) -> None:
    for url, text in ((OLD, "one"), (NEW, "two")):
        git(cli.machine.project_folder, "remote", "set-url", "origin", f"https://{url}")
        cli("new", "about.md", "-d", text)
    answer = cli("project", "link", "shop")
    assert answer.code == 4
    assert answer.out == f"linked: {NEW} in shop/; what was in storefront/ is there (1 file)\n"
    assert answer.err.startswith("ctxrepo: two versions met in shop/about.md; `ctxrepo conflicts show ")


@pytest.mark.parametrize("verb", ["rename", "link"])
def test_a_name_must_be_given(cli: Terminal, verb: str) -> None:
    answer = cli("project", verb)
    assert (answer.code, answer.is_one_line()) == (2, True)
