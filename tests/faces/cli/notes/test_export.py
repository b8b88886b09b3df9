"""export and `import --file`: every form, what is never in one, and files that are none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from machines import Machine
from rich_memory import fill
from terminal import Terminal

from ctxrepo.domain.project.layout import anchors_file

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def filled(cli: Terminal) -> Terminal:
    fill(cli.machine)
    return cli


def files_in(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def lines_of(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]


class TestForms:
    def test_the_name_says_which(self, filled: Terminal, tmp_path: Path) -> None:
        answer = filled("export", str(tmp_path / "memory.jsonl"))
        assert answer.out.startswith("exported: 18 files and ")
        assert f" of 2 scopes to {tmp_path}/memory.jsonl" in answer.out
        lines = lines_of(tmp_path / "memory.jsonl")
        assert lines[0] == {
            "format": "ctxrepo-export",
            "version": 1,
            "scopes": ["global", "shop"],
            "global": "global",
            "projects": {"git.example.org/ada/shop": "shop"},
        }
        assert [line["type"] for line in lines[1:]].count("file") == lines[-1]["files"] == 18
        assert lines[-1]["type"] == "end"
        paths = [str(line["path"]) for line in lines if line.get("type") == "file"]
        assert paths == sorted(paths)

        filled("export", str(tmp_path / "folder"))
        there = files_in(tmp_path / "folder")
        assert "shop/prices.csv" in there
        assert {path: (filled.machine.clone / path).read_bytes() for path in there} == there

    def test_again_over_an_export_and_over_nothing_else(self, filled: Terminal, tmp_path: Path) -> None:
        file = tmp_path / "memory.jsonl"
        filled("export", str(file))
        first = file.read_bytes()
        assert filled("export", str(file)).code == 0
        assert file.read_bytes() == first
        file.write_text('{"mine": 1}\n')
        answer = filled("export", str(file))
        assert (answer.code, answer.is_one_line(), file.read_text()) == (2, True, '{"mine": 1}\n')

    def test_only_its_owner_reads_the_file_until_they_say_otherwise(
        self, filled: Terminal, tmp_path: Path
    ) -> None:
        file = tmp_path / "memory.jsonl"
        filled("export", str(file))
        assert file.stat().st_mode & 0o777 == 0o600
        filled("export", str(tmp_path / "folder"))
        assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o700
        file.chmod(0o640)
        filled("export", str(file))
        assert file.stat().st_mode & 0o777 == 0o640

    def test_a_dash_is_standard_output(self, filled: Terminal, tmp_path: Path) -> None:
        filled("export", str(tmp_path / "memory.jsonl"))
        run = filled.machine.process("export", "-")
        assert run.stdout.encode() == (tmp_path / "memory.jsonl").read_bytes()
        for words in (["export", "-", "--json"], ["export", "-", "--as", "folder"]):
            assert filled(*words).code == 2

    def test_words_that_are_wrong(self, filled: Terminal, tmp_path: Path) -> None:
        for words in (["a", "b", "c"], [str(tmp_path / "x"), "--as", "yaml"]):
            answer = filled("export", *words)
            assert (answer.code, answer.is_one_line()) == (2, True)
        answer = filled("export", str(filled.machine.clone / "memory.jsonl"))
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert not (filled.machine.clone / "memory.jsonl").exists()

    def test_the_answer_for_programs(self, filled: Terminal, tmp_path: Path) -> None:
        data = filled("export", "shop", str(tmp_path / "shop.jsonl"), "--json").data
        assert (data["form"], data["scope"], data["skipped"]) == ("jsonl", "git.example.org/ada/shop", {})
        assert data["files"] == len([line for line in lines_of(tmp_path / "shop.jsonl") if "path" in line])


class TestSparse:
    def test_a_sparse_clone_brings_what_it_exports_and_what_it_adds_to(
        self, both: tuple[Terminal, Terminal], tmp_path: Path
    ) -> None:
        ada, ben = both
        ada("remember", "Tea is hot", "--note", "topics/tea")
        ada("sync")
        ben.machine.clone.rename(tmp_path / "old")
        ben("init", "--sparse")
        assert not (ben.machine.clone / "shop/topics").exists()
        answer = ben("export", str(tmp_path / "memory.jsonl"), CTXREPO_PROJECT="example.org/else")
        assert answer.code == 0, answer.err
        assert "Tea is hot" in (tmp_path / "memory.jsonl").read_text()

        ben.machine.clone.rename(tmp_path / "older")
        ben("init", "--sparse")
        lines = (HEADER, note("shop/topics/tea.md", "- Tea is brewed\n"), END)
        (tmp_path / "more.jsonl").write_text("\n".join(lines))
        assert (
            ben(
                "import", "--file", str(tmp_path / "more.jsonl"), "--yes", CTXREPO_PROJECT="example.org/else"
            ).code
            == 0
        )
        text = ben.machine.read("shop/topics/tea.md")
        assert "Tea is hot" in text
        assert "Tea is brewed" in text


class TestNeverInOne:
    @pytest.mark.parametrize("form", ["jsonl", "folder", "basic-memory", "pi-memory-md"])
    def test_what_the_guard_holds_back(self, cli: Terminal, tmp_path: Path, form: str) -> None:
        cli.machine.write("global/topics/deploy.md", f"- the token is {TOKEN}\n")
        cli.machine.write("global/topics/till.md", "- The till is blue\n")
        answer = cli("export", str(tmp_path / "out"), "--as", form)
        assert answer.code == 0
        assert "global/topics/deploy.md is held back: it holds a secret (github-token)" in answer.err
        out = tmp_path / "out"
        written = files_in(out) if out.is_dir() else {"out": out.read_bytes()}
        assert not any(TOKEN.encode() in data for data in written.values())
        assert any(b"The till is blue" in data for data in written.values())

    def test_a_secret_in_a_name(self, cli: Terminal, tmp_path: Path) -> None:
        cli.machine.write("ctxrepo.toml", f'format = 1\n\n[projects]\n"x/{TOKEN}" = "shop"\n')
        for path in (f"{TOKEN}/a.md", f"global/{TOKEN}.md", "shop/a.md"):
            cli.machine.write(path, "- A fact\n")
        cli.machine.write("shop/wide.csv", f"a,{TOKEN}\n")
        for scope in ([], ["global"], ["shop"]):
            file = tmp_path / f"{len(scope)}.jsonl"
            answer = cli("export", *scope, str(file))
            assert answer.code == 0
            assert TOKEN not in answer.out + answer.err + file.read_text()

    def test_what_a_hand_deleted_and_nobody_confirmed_is_still_there(
        self, cli: Terminal, tmp_path: Path
    ) -> None:
        for number in range(40):
            cli.machine.write(f"global/topics/n{number}.md", f"- Fact {number} of many\n" * 2)
        cli("sync")
        for number in range(40):
            (cli.machine.clone / f"global/topics/n{number}.md").unlink()
        assert "held back" in cli("sync").err
        cli("export", str(tmp_path / "memory.jsonl"))
        assert b"Fact 7 of many" in (tmp_path / "memory.jsonl").read_bytes()

    def test_what_waits_for_a_decision_is_told(self, cli: Terminal, tmp_path: Path) -> None:
        cli("remember", "a thing to decide", "--stage")
        cli("remember", "a thing that is decided")
        answer = cli("export", str(tmp_path / "memory.jsonl"))
        assert "not exported: inbox/ waits for a decision of yours" in answer.err
        assert b"a thing to decide" not in (tmp_path / "memory.jsonl").read_bytes()


class TestOtherPrograms:
    def test_pi_memory_md_gives_the_same_entries(
        self, filled: Terminal, fresh_machine: Machine, tmp_path: Path
    ) -> None:
        assert filled("export", str(tmp_path / "out"), "--as", "pi-memory-md").code == 0
        there = files_in(tmp_path / "out")
        anchors = there[anchors_file("shop")]
        assert b'"name":"till/fixed"' in anchors
        run = fresh_machine.ctxrepo(
            "import", "--file", str(tmp_path / "out"), "--yes", cwd=fresh_machine.home
        )
        assert run.returncode == 0, run.stderr
        for path, data in there.items():
            if path.endswith(".md") and data:
                assert (fresh_machine.clone / path).read_bytes() == data
        fresh_machine.ctxrepo("sync")
        assert "till/fixed" in fresh_machine.ctxrepo("tape", "list", "--scope", "shop").stdout

    def test_basic_memory_has_a_head_and_observations(self, filled: Terminal, tmp_path: Path) -> None:
        assert filled("export", "project", str(tmp_path / "out"), "--as", "basic-memory").code == 0
        text = (tmp_path / "out/topics/fact.md").read_text()
        assert text.startswith("---\ndescription: ")
        assert "\ntitle: fact\ntype: note\npermalink: topics/fact\n" in text
        assert text.endswith("- [fact] Payment retries start at ten seconds\n")
        assert "- [note] Refunds are booked at night\n" in (tmp_path / "out/topics/payments.md").read_text()
        filled("export", "global", str(tmp_path / "all"), "--as", "basic-memory")
        memory = (tmp_path / "all/MEMORY.md").read_text()
        assert "- [superseded] Tea is served at four\n" in memory
        assert "- [note] Tea is served at five\n" in memory
        answer = filled("import", "basic-memory", str(tmp_path / "out"), "--dry-run")
        assert answer.code == 0


@pytest.fixture
def fresh_machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    from machines import make_ada

    return make_ada(tmp_path_factory.mktemp("other"))


class TestImportOfAFile:
    def test_what_it_is_tells(self, cli: Terminal, tmp_path: Path) -> None:
        cases = {
            "facts.jsonl": '{"text": "Lifts are slow", "category": "fact"}\n{"text": "Doors are green"}\n',
            "list.json": '[\n  {"text": "Tills are blue"}\n]\n',
            "notes.md": "[a link](x.md)\n\n- Tea is hot\n",
            "plain.txt": "- Coffee is cold\n",
        }
        for name, text in cases.items():
            (tmp_path / name).write_text(text)
        for name, words in zip(cases, ("Lifts", "Tills", "Tea is hot", "Coffee"), strict=True):
            answer = cli("import", "--file", str(tmp_path / name), "--yes")
            assert (answer.code, answer.err) == (0, "")
            assert words in cli("search", words).out
        assert cli("import", "--file", str(tmp_path / "facts.jsonl"), "--yes").out.endswith("is new here\n")
        assert (cli.machine.clone / "global/plain.md").read_text() == "- Coffee is cold\n"

    def test_a_folder_of_markdown(self, cli: Terminal, tmp_path: Path) -> None:
        (tmp_path / "vault/deep").mkdir(parents=True)
        (tmp_path / "vault/deep/a.md").write_text("- Deep down\n")
        answer = cli("import", "--file", str(tmp_path / "vault"), "--yes")
        assert answer.code == 0
        assert cli.machine.read("global/deep/a.md") == "- Deep down\n"

    def test_a_name_of_nothing(self, cli: Terminal) -> None:
        answer = cli("import", "nosuch")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert "there is no source 'nosuch'" in answer.err
        answer = cli("import", "--file", "nosuch")
        assert (answer.code, answer.is_one_line()) == (3, True)


HEADER = '{"format": "ctxrepo-export", "version": 1, "scopes": ["global", "shop"], "global": "global"}'
END = '{"type": "end", "files": 1, "entries": 0}'


def note(path: str, text: str = "- A fact\n") -> str:
    return json.dumps({"type": "file", "path": path, "text": text})


class TestBadExports:
    def brought(self, cli: Terminal, *lines: str) -> tuple[int, str]:
        file = cli.machine.home / "memory.jsonl"
        file.write_text("".join(f"{line}\n" for line in lines))
        config, before = (cli.machine.clone / ".git/config").read_bytes(), self.everything(cli)
        answer = cli("import", "--file", str(file), "--yes")
        assert self.everything(cli) - before <= {".ctxrepo/global/a.md", ".ctxrepo/global/good.md"}
        assert (cli.machine.clone / ".git/config").read_bytes() == config
        assert "Traceback" not in answer.err
        return answer.code, answer.out + answer.err

    def everything(self, cli: Terminal) -> set[str]:
        """The files of the home and beside it, without git's own and those of the state."""
        home = cli.machine.home
        paths = (os.path.relpath(path, home) for path in home.parent.rglob("*") if path.is_file())
        return {path for path in paths if not path.startswith((".local/", ".ctxrepo/.git/"))}

    @pytest.mark.parametrize(
        "path",
        [
            "../out.md", "global/../../out.md", "/tmp/out.md", ".git/config", "global/.git/x.md", "out.md",
            "inbox/out.md", "inbox/x.jsonl", "conflicts/out.md", "TAPE/shop/out.md", "archive/out.md",
            ".ctx/out.md",
            "other/out.md", "global/a\\b.md", "global/con.md", "global/a\u202eb.md", ".gitattributes",
            "global/.gitattributes", "global/.github/x.yml", "shop/.hidden/x.md", ".ctx/evidence/../x.jsonl",
        ],
    )  # fmt: skip
    def test_no_path_leaves_the_scopes(self, cli: Terminal, path: str) -> None:
        code, output = self.brought(cli, HEADER, note(path), note("global/good.md"), END)
        assert code == 0, output
        assert "left out: " in output
        assert cli.machine.read("global/good.md") == "- A fact\n"

    def test_a_scope_that_no_project_may_have(self, cli: Terminal) -> None:
        header = HEADER.replace('"shop"', '"TAPE", ".git", "..", "inbox"')
        code, output = self.brought(
            cli, header, note("inbox/x.md"), note("../x.md"), note("global/a.md"), END
        )
        assert code == 0
        assert "left out: inbox/: no folder of a project" in output
        assert "1 entry in 1 note" in output

    def test_a_cut_file_a_torn_line_and_a_later_version(self, cli: Terminal) -> None:
        code, output = self.brought(cli, HEADER, note("global/a.md"), note("global/b.md")[:-9])
        assert code == 0
        assert "left out: 1 line: no record that can be read" in output
        assert "left out: what followed: the export breaks off after 1 file" in output
        code, output = self.brought(cli, HEADER.replace('"version": 1', '"version": 2'), note("global/c.md"))
        assert code == 1
        assert "it is an export of version 2, and this ctxrepo reads 1: update it" in output
        assert not (cli.machine.clone / "global/c.md").exists()

    def test_a_secret_is_held_back_and_the_rest_comes(self, cli: Terminal) -> None:
        code, output = self.brought(
            cli, HEADER, note("global/a.md", f"- {TOKEN}\n"), note("global/good.md"), END
        )
        assert code == 6
        assert "held back: it holds a secret" in output
        assert TOKEN not in output
        assert cli.machine.read("global/good.md") == "- A fact\n"

    def test_what_is_no_file(self, cli: Terminal, tmp_path: Path) -> None:
        huge, link, pipe = (tmp_path / name for name in ("huge.jsonl", "link.jsonl", "pipe.jsonl"))
        with huge.open("w") as opened:
            opened.write(f"{HEADER}\n")
            opened.truncate(2 << 30)
        (tmp_path / "real.jsonl").write_text(f"{HEADER}\n{note('global/a.md')}\n{END}\n")
        link.symlink_to(tmp_path / "real.jsonl")
        os.mkfifo(pipe)
        for file, why in ((huge, "larger than 512 MiB"), (link, "it is a link"), (pipe, "is not a file")):
            answer = cli("import", "--file", str(file), "--yes")
            assert (answer.code, answer.is_one_line()) == (1, True), answer.err
            assert why in answer.err
        assert not (cli.machine.clone / "global/a.md").exists()
