"""open, export, and list as a tree or by tag: notes as the files that they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import Terminal


def editor(cli: Terminal, script: str) -> str:
    """An editor that does this with its file, `$1`."""
    file = cli.machine.home / "my editor"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return f"'{file}'"


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits there."""
    monkeypatch.setattr("ctxrepo.faces.cli.editor.at_terminal", lambda: True)


class TestOpen:
    def test_what_the_editor_leaves_is_committed(self, cli: Terminal) -> None:
        cli("new", "topics/x", "-d", "about x")
        answer = cli("open", "topics/x", EDITOR=editor(cli, 'echo "- by hand" >> "$1"'))
        assert (answer.code, answer.out, answer.err) == (0, "edited: shop/topics/x.md\n", "")
        assert "- by hand" in cli.machine.git("show", "HEAD:shop/topics/x.md")

    @pytest.mark.parametrize("script", ['sed -i "/fact/d" "$1"', ': > "$1"', 'rm "$1"'])
    def test_what_the_editor_took_out_is_told_and_undone(self, cli: Terminal, script: str) -> None:
        for number in range(12):
            cli("remember", f"fact {number}", "--note", "topics/x")
        before = cli.machine.read("shop/topics/x.md")
        answer = cli("open", "topics/x", EDITOR=editor(cli, script))
        expected = (
            "edited: shop/topics/x.md; 12 entries are gone, `ctxrepo undo` brings back what was there\n"
        )
        assert (answer.code, answer.out) == (0, expected)
        cli("undo")
        assert cli.machine.read("shop/topics/x.md") == before

    def test_an_entry_opens_its_note(self, cli: Terminal) -> None:
        entry = cli("remember", "x is y", "--json").data["id"]
        seen = cli.machine.home / "seen"
        answer = cli("open", entry, EDITOR=editor(cli, f'echo "$1" > {seen}'))
        assert answer.out == "unchanged: shop/MEMORY.md\n"
        assert seen.read_text() == f"{cli.machine.clone}/shop/MEMORY.md\n"

    @pytest.mark.parametrize(("term", "used"), [("xterm", "visual"), ("dumb", "editor"), ("", "editor")])
    def test_visual_is_for_terminals_that_can(self, cli: Terminal, term: str, used: str) -> None:
        answer = cli(
            "open", "global:MEMORY.md", "--json", TERM=term, VISUAL="true visual", EDITOR="true editor"
        )
        assert answer.data["editor"] == f"true {used}"

    def test_without_an_editor_the_path_is_printed(self, cli: Terminal) -> None:
        answer = cli("open", "global:MEMORY.md", VISUAL="", EDITOR="")
        assert (answer.code, answer.out) == (0, f"{cli.machine.clone}/global/MEMORY.md\n")
        assert cli("open", "nowhere", VISUAL="", EDITOR="").code == 3

    def test_an_editor_that_is_not_there(self, cli: Terminal) -> None:
        for word in ("no-such-editor", "unclosed 'quote"):
            answer = cli("open", "global:MEMORY.md", EDITOR=word)
            assert (answer.code, answer.is_one_line()) == (1, True)
            assert word in answer.err

    def test_an_editor_that_fails_is_told_and_its_work_kept(self, cli: Terminal) -> None:
        answer = cli("open", "global:MEMORY.md", EDITOR=editor(cli, 'echo "- half" >> "$1"; exit 3'))
        assert (answer.code, answer.is_one_line()) == (1, True)
        assert "ended with 3" in answer.err
        assert "- half" in cli.machine.git("show", "HEAD:global/MEMORY.md")

    def test_what_the_guard_refuses_is_told(self, cli: Terminal) -> None:
        secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
        answer = cli("open", "global:MEMORY.md", EDITOR=editor(cli, f'echo "- {secret}" >> "$1"'))
        assert (answer.code, answer.is_one_line()) == (6, True)
        assert secret not in answer.err
        assert secret in cli.machine.read("global/MEMORY.md")
        assert secret not in cli.machine.git("show", "HEAD:global/MEMORY.md")

    @pytest.mark.usefixtures("at_terminal")
    def test_the_editor_is_the_one_that_git_would_choose(self, cli: Terminal) -> None:
        cli.machine.git("config", "core.editor", "the-clones-own")  # others may write there
        editors = {
            "GIT_EDITOR": "true git",
            "VISUAL": "true visual",
            "EDITOR": "true editor",
            "TERM": "xterm",
        }
        (cli.machine.home / "more").write_text("[core]\n\teditor = true core\n")
        with (cli.machine.home / ".gitconfig").open("a") as config:
            config.write("[include]\n\tpath = more\n")
        chosen = []
        for name in ("GIT_EDITOR", "core", "VISUAL", "EDITOR"):
            chosen.append(cli("open", "global:MEMORY.md", "--json", **editors).data["editor"])
            if name in editors:
                editors[name] = ""
            else:
                (cli.machine.home / "more").write_text("")
        assert chosen == ["true git", "true core", "true visual", "true editor"]
        folder = cli.machine.home / "bin"
        folder.mkdir()
        (folder / "vi").symlink_to("/bin/true")
        path = f"{folder}:{cli.machine.env['PATH']}"
        assert cli("open", "global:MEMORY.md", "--json", PATH=path, **editors).data["editor"] == "vi"

    @pytest.mark.usefixtures("at_terminal")
    def test_a_note_that_is_not_there_is_made_when_somebody_says_so(self, cli: Terminal) -> None:
        answer = cli("open", "topics/new", stdin=b"n\n", EDITOR="true")
        assert answer.code == 130
        assert not (cli.machine.clone / "shop/topics/new.md").exists()
        answer = cli(
            "open", "topics/new", stdin=b"y\nAll that is new\n", EDITOR=editor(cli, 'echo "- x" >> "$1"')
        )
        assert (answer.code, answer.out.strip()) == (0, "edited: shop/topics/new.md")
        assert "description: All that is new" in cli.machine.read("shop/topics/new.md")
        assert cli.machine.read("shop/topics/new.md").endswith("- x\n")

    def test_without_a_terminal_the_command_that_makes_it_is_named(self, cli: Terminal) -> None:
        answer = cli("open", "topics/new", EDITOR="true")
        assert answer.code == 3
        assert answer.is_one_line()
        assert "`ctxrepo new topics/new.md -d" in answer.err


class TestExport:
    def test_every_file_byte_for_byte(self, cli: Terminal, tmp_path: Path) -> None:
        cli("new", "topics/x", "-d", "about x", "--tag", "ci")
        (cli.machine.clone / "shop/topics/odd.md").write_bytes(b"- caf\xe9\r\n")
        cli.machine.write("shop/data.csv", "a,b\n")
        answer = cli("export", "project", str(tmp_path / "deep" / "out"))
        assert (answer.code, answer.err) == (0, "")
        assert answer.out == f"exported: 3 files of shop to {tmp_path}/deep/out\n"
        for path in ("topics/x.md", "topics/odd.md", "data.csv"):
            there = (tmp_path / "deep/out" / path).read_bytes()
            assert there == (cli.machine.clone / "shop" / path).read_bytes()
        assert (tmp_path / "deep/out/topics/x.md").read_text().startswith("---\ndescription: about x\n")

    def test_the_answer_for_programs(self, cli: Terminal) -> None:
        data = cli("export", "global", "out", "--json").data
        folder = cli.machine.project_folder / "out"
        there = sum(p.is_file() for p in folder.rglob("*"))
        counts = {"form": "folder", "files": there}
        assert data == {"scope": "global", "folder": str(folder), **counts, "skipped": {}}
        assert there >= 1

    def test_what_is_there_is_never_touched(self, cli: Terminal, tmp_path: Path) -> None:
        full, link, file = tmp_path / "full", tmp_path / "link", tmp_path / "file"
        full.mkdir()
        (full / "MEMORY.md").write_text("mine")
        empty = tmp_path / "empty"
        empty.mkdir()
        link.symlink_to(empty)
        file.write_text("mine")
        for place, reason in ((full, "is not empty"), (link, "is a link"), (file, "isn't a folder")):
            answer = cli("export", "global", str(place))
            assert (answer.code, answer.is_one_line(), reason in answer.err) == (2, True, True)
        assert (full / "MEMORY.md").read_text() == file.read_text() == "mine"
        assert list(empty.iterdir()) == []

    def test_not_into_the_memory(self, cli: Terminal) -> None:
        answer = cli("export", "global", str(cli.machine.clone / "copy"))
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert not (cli.machine.clone / "copy").exists()

    def test_links_are_not_followed(self, cli: Terminal, tmp_path: Path) -> None:
        (tmp_path / "secret.md").write_text("- mine\n")
        (cli.machine.clone / "global/link.md").symlink_to(tmp_path / "secret.md")
        (cli.machine.clone / "global/folder").symlink_to(tmp_path)
        answer = cli("export", "global", str(tmp_path / "out"))
        assert answer.code == 0
        assert "global/link.md" in answer.err
        assert not (tmp_path / "out/link.md").exists()
        assert not (tmp_path / "out/folder").exists()

    def test_a_scope_that_is_not_there_or_empty(self, cli: Terminal, tmp_path: Path) -> None:
        for scope in ("golbal", "project"):
            answer = cli("export", scope, str(tmp_path / "out"))
            assert (answer.code, answer.is_one_line()) == (3, True)
        assert not (tmp_path / "out").exists()

    def test_a_sparse_clone_brings_it_first(self, both: tuple[Terminal, Terminal], tmp_path: Path) -> None:
        ada, ben = both
        ada("remember", "x is y", "--note", "topics/x")
        ada("sync")
        ben.machine.clone.rename(tmp_path / "old")
        ben("init", "--sparse")
        assert not (ben.machine.clone / "shop/topics").exists()
        answer = ben("export", "shop", str(tmp_path / "out"), CTXREPO_PROJECT="example.org/else")
        assert (answer.code, answer.err) == (0, "")
        assert "x is y" in (tmp_path / "out/topics/x.md").read_text()


class TestList:
    def test_folders_with_counts_and_sizes(self, cli: Terminal) -> None:
        cli.machine.write("shop/MEMORY.md", "- x\n")
        cli.machine.write("shop/topics/a.md", "- a\n" * 500)
        cli.machine.write("shop/topics/deep/b.md", "- b\n")
        cli.machine.write("shop/data.csv", "not a note\n")
        answer = cli("list", "--tree", "--scope", "project")
        assert answer.out.splitlines() == [
            "shop/      3 notes     2.0 kB",
            "  topics/  2 notes     2.0 kB",
            "    deep/  1 note         4 B",
        ]
        both = [f["path"] for f in cli("list", "--tree", "--json").data["folders"]]
        assert both[0] == "shop"
        assert "global" in both

    def test_a_scope_without_notes(self, cli: Terminal) -> None:
        assert cli("list", "--tree", "--scope", "project").out == "shop/  0 notes        0 B\n"

    def test_notes_that_bear_all_of_the_tags(self, cli: Terminal) -> None:
        cli("new", "a", "-d", "a", "-t", "ci", "-t", "Linux")
        cli("new", "b", "-d", "b", "-t", "ci")
        assert cli("list", "-t", "ci", "-s", "project").out.count("\n") == 2
        assert cli("list", "--tag", "#CI", "--tag", "linux").out == "shop/a.md — a [ci, Linux]\n"
        answer = cli("list", "--tag", "nothing")
        assert (answer.code, answer.out) == (0, "")
        assert cli("list", "--tree", "--tag", "ci").code == 2
