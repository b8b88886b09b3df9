"""A repository of pi-memory-md in daily use: opened, read without a trace, written to, and still its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from long import rotating
from machines import make_remote
from pirepo import FIXTURE, PiMachine, make_pi_machine
from terminal import Terminal

from ctxrepo.domain.note.frontmatter import read, split
from ctxrepo.services.reading.find import note_paths

READING = (
    *("list", "read USER.md", "read core/project/bad.md", "read global:USER.md", "status", "check", "doctor"),
    *(
        "context",
        "context --preset md",
        "history",
        "history core/USER.md",
        "why core/USER.md",
        "diff",
        "conflicts list",
        "list --tree",
    ),
    *("search stack", "search --regex sta.k", "tags", "links", "links core/USER.md", "check --fix --dry-run"),
    *("config list", "project show", "project list"),
)
TAPE = "TAPE/demo-shop__anchors.jsonl"
MARKERS = ("<" * 7, "=" * 7, "|" * 7, ">" * 7)


@pytest.fixture
def mine(tmp_path: Path) -> PiMachine:
    machine = make_pi_machine(tmp_path)
    machine.init()
    return machine


@pytest.fixture
def cli(mine: PiMachine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(mine, monkeypatch, capsys)


def before(path: str) -> str:
    return (FIXTURE / "repo" / path).read_text()


def heads(machine: PiMachine) -> dict[str, list[str]]:
    return {p: list(read(machine.read(p)).fields) for p in note_paths(machine.open())}


def test_init_says_what_it_follows_in_one_line(tmp_path: Path) -> None:
    machine = make_pi_machine(tmp_path)
    run = machine.ctxrepo("init")
    assert run.returncode == 0
    assert run.stdout == f"using the memory repository of pi-memory-md: {machine.clone}\n"
    (line,) = (line for line in run.stderr.splitlines() if "pi-memory-md" in line)
    assert str(machine.home / ".pi/agent/settings.json") in line


def test_who_only_reads_leaves_no_trace(cli: Terminal, mine: PiMachine) -> None:
    there = mine.files()
    for words in READING:
        answer = cli(*words.split())
        assert answer.code in (0, 1), answer.err
        assert mine.files() == there, words


def test_d24_the_folder_of_the_projects_name_is_its_own(cli: Terminal, mine: PiMachine) -> None:
    project = cli("status", "--json").data["project"]
    assert (project["folder"], project["is_registered"]) == ("demo-shop", True)
    cli("remember", "The basket is in Postgres now")
    assert "The basket is in Postgres now" in mine.read("demo-shop/MEMORY.md")


def test_d26_d27_who_writes_keeps_heads_and_layout(cli: Terminal, mine: PiMachine) -> None:
    there = heads(mine)
    places = ("core/project/tech-stack.md", "core/USER.md", "core/TASK.md", "global:MEMORY.md")
    for place in (*places, places[0]):
        answer = cli("remember", f"Said {len(cli.woken)} of {place}", "--note", place)
        assert answer.code == 0, answer.err
    assert heads(mine) == there
    old, new = (
        split(text)[0] for text in (before(f"demo-shop/{places[0]}"), mine.read(f"demo-shop/{places[0]}"))
    )
    pairs = zip(old.split("\n"), new.split("\n"), strict=True)
    assert [line.partition(":")[0] for line, now in pairs if line != now] == ["updated"]
    assert "created: 2026-02-14\n---" in mine.read("global/MEMORY.md")
    assert mine.read("demo-shop/core/TASK.md").startswith(before("demo-shop/core/TASK.md").rstrip("\n"))
    assert mine.read("other-api/core/USER.md") == before("other-api/core/USER.md")


class TestTape:
    """D51, D52: the tape that pi-memory-md keeps is read, and written as that program writes it."""

    def anchor(self, cli: Terminal, name: str, *more: str) -> dict[str, Any]:
        return cli("anchor", name, *more, "--json").data

    def test_its_newest_handoff_is_delivered(self, cli: Terminal) -> None:
        output = cli("context").out
        assert (
            "## Handoff · handoff/keyword-migration-122000 · 2026-04-04\nContinue the migration\n" in output
        )

    def test_ours_is_delivered_once_it_is_newer(self, cli: Terminal) -> None:
        self.anchor(cli, "basket/done", "--summary", "The basket is moved")
        output = cli("context").out
        assert "The basket is moved" in output
        assert "Continue the migration" not in output

    def test_an_anchor_stands_there_as_it_writes_them_and_never_on_a_torn_line(
        self, cli: Terminal, mine: PiMachine
    ) -> None:
        record = self.anchor(cli, "basket/done", "--summary", "Über 1", "--purpose", "p", "--keyword", "k")
        text = mine.read(TAPE)
        assert text.startswith(before(TAPE))
        *_, torn, line = text.removesuffix("\n").split("\n")
        assert torn == '{"torn": '
        anchor = json.loads(line)
        assert list(anchor) == ["id", "timestamp", "name", "type", "meta", "sessionId", "sessionEntryId"]
        assert (anchor["id"], anchor["meta"]) == (
            record["id"],
            {"trigger": "direct", "keywords": ["k"], "summary": "Über 1", "purpose": "p"},
        )
        own = json.loads(mine.read(record["path"]))
        assert anchor == {key: own[key] for key in anchor}
        assert line == json.dumps(anchor, ensure_ascii=False, separators=(",", ":"))

    def test_a_handoff_stands_there_with_a_summary_that_it_can_show(
        self, cli: Terminal, mine: PiMachine
    ) -> None:
        handoff = cli(
            "handoff", "basket/half", "--goal", "Move the basket", "--next", "Test it", "--json"
        ).data
        line = mine.read(TAPE).removesuffix("\n").split("\n")[-1]
        anchor = json.loads(line)
        assert list(anchor) == ["id", "timestamp", "name", "type", "meta", "sessionId", "sessionEntryId"]
        assert (anchor["id"], anchor["meta"]["summary"]) == (handoff["id"], "Test it")
        assert anchor["meta"]["handoff"] == handoff["handoff"]
        assert "Goal: Move the basket\n" in cli("context").out

    def test_a_handoff_that_is_deleted_there_is_told_no_more_here(
        self, cli: Terminal, mine: PiMachine
    ) -> None:
        cli("handoff", "--next", "Go the wrong way")
        left = self.anchor(cli, "basket/right", "--summary", "Go the right way")
        assert "Go the right way" in cli("context").out
        lines = mine.read(TAPE).splitlines()
        mine.write(TAPE, "".join(f"{line}\n" for line in lines if left["id"] not in line))
        assert "Next: Go the wrong way" in cli("context").out
        mine.write(TAPE, before(TAPE))
        assert "Go the wrong way" not in cli("context").out
        cli("anchor", "next/one")
        assert mine.read(TAPE).count("\n") == before(TAPE).count("\n") + 1, "what was deleted doesn't return"

    def test_what_was_left_before_its_first_session_is_on_its_tape_too(
        self, cli: Terminal, mine: PiMachine
    ) -> None:
        mine.git("rm", "-q", TAPE)
        mine.git("commit", "-qm", "no tape")
        first = self.anchor(cli, "early/one", "--summary", "s")
        assert not (mine.clone / TAPE).exists()
        mine.settings(localPath=str(mine.clone), tape={"enabled": True})
        second = self.anchor(cli, "early/two")
        ids = [json.loads(line)["id"] for line in mine.read(TAPE).splitlines()]
        assert ids == [first["id"], second["id"]]
        own = [json.loads(line) for line in mine.read(first["path"]).splitlines()]
        assert [line["pi"] for line in own] == [True, True]

    def test_without_its_tape_none_is_made(self, cli: Terminal, mine: PiMachine) -> None:
        mine.git("rm", "-q", TAPE)
        mine.git("commit", "-qm", "no tape")
        self.anchor(cli, "x")
        assert not (mine.clone / TAPE).exists()

    def test_a_tape_that_is_reset_takes_its_handoff_along(self, cli: Terminal, mine: PiMachine) -> None:
        assert "Continue the migration" in cli("context").out
        (mine.clone / TAPE).unlink()
        assert "Continue the migration" not in cli("context").out


class TestProjectSettings:
    """D3: what comes with a project can ask for silence, and redirects nothing."""

    def test_enabled_false_is_silence(self, cli: Terminal, mine: PiMachine) -> None:
        start = json.dumps({"session_id": "s", "cwd": str(mine.project_folder), "source": "startup"})
        assert mine.project() is not None  # a start waits for a worker that looks for it, but not for ever
        assert "Handoff" in mine.ctxrepo("hook", "claude", "SessionStart", stdin=start).stdout
        mine.project_settings(enabled=False)
        assert mine.ctxrepo("hook", "claude", "SessionStart", stdin=start).stdout == ""
        for words in (("context",), ("context", "--preset", "md")):
            answer = cli(*words)
            assert (answer.code, answer.out) == (0, "")
            assert answer.err.endswith("/demo-shop/.pi/settings.json asks for silence here\n")
        assert cli("read", "USER.md").out
        mine.project_settings(enabled=True)
        assert cli("context").out

    def test_d_w10_nothing_is_redirected_and_one_line_says_so(self, cli: Terminal, mine: PiMachine) -> None:
        sprung = mine.home / "sprung"
        evil = f"$(touch {sprung})"
        mine.project_settings(
            localPath=evil, repoUrl=evil, memoryDir={"globalMemory": "TAPE"}, hooks={"sessionEnd": [evil]}
        )
        cli.cwd = mine.home
        plain = cli("context", "--preset", "md").out
        cli.cwd = None
        answer = cli("context", "--preset", "md")
        assert f'directory="{mine.clone}/demo-shop"' in answer.out
        assert answer.out.split("</memory_files>")[0] == plain.split("</memory_files>")[0]
        (line,) = answer.err.splitlines()
        assert "repoUrl, localPath, memoryDir, hooks" in line
        assert not sprung.exists()
        assert mine.places.config_file.read_text().count("path") == 1

    def test_d_w10_init_follows_no_project(self, tmp_path: Path) -> None:
        machine = make_pi_machine(tmp_path)
        (machine.home / ".pi/agent/settings.json").unlink()
        machine.project_settings(localPath=str(machine.clone), repoUrl="https://git.example.org/evil.git")
        run = machine.ctxrepo("init")
        assert run.stdout == f"created a memory repository: {machine.home}/.ctxrepo\n"
        assert "it is ignored" in run.stderr


def test_another_preset_is_refused_in_one_line(cli: Terminal) -> None:
    answer = cli("context", "--preset", "xml")
    assert (answer.code, answer.out) == (2, "")
    assert "there is no preset 'xml'" in answer.err


class TestItsOwnGit:
    """What pi-memory-md does at a session's start and end: fetch, rebase with autostash, add all, push."""

    NOTE = "demo-shop/core/project/tech-stack.md"

    @pytest.fixture
    def remote(self, tmp_path: Path) -> Path:
        return make_remote(tmp_path)

    @pytest.fixture
    def mine(self, tmp_path: Path, remote: Path) -> PiMachine:
        """Taken over before anything was written: no file of ours is in the repository."""
        machine = make_pi_machine(tmp_path)
        machine.git("remote", "add", "origin", str(remote))
        machine.git("push", "-qu", "origin", "main")
        machine.settings(repoUrl=str(remote), localPath=str(machine.clone), tape={"enabled": True})
        machine.init()
        return machine

    def elsewhere(self, remote: Path, more: dict[str, str]) -> None:
        """Another machine, without ctxrepo, adds a line to each of these files."""
        other = remote.parent / "other"
        subprocess.run(["git", "clone", "-q", str(remote), str(other)], check=True)
        for path, line in more.items():
            (other / path).write_text((other / path).read_text().rstrip("\n") + f"\n{line}\n")
        who = ("-c", "user.name=b", "-c", "user.email=b@example.org")
        for words in ((*who, "commit", "-qam", "Update memory"), ("push", "-q")):
            subprocess.run(["git", *words], cwd=other, check=True)

    def test_it_goes_on_from_there(self, cli: Terminal, mine: PiMachine) -> None:
        cli("remember", "Written by ours")
        cli("sync")
        mine.write("global/USER.md", before("global/USER.md") + "- Written by pi\n")
        for words in (("add", "."), ("commit", "-qm", "Update memory - 2026-11-20-1200"), ("push", "-q")):
            mine.git(*words)
        mine.git("fetch", "-q")
        mine.git("rebase", "-q", "--autostash", "@{u}")
        assert mine.git("status", "--porcelain") == ""
        assert "Written by pi" in cli("read", "global:USER.md").out
        assert cli("check").out.count("global/USER.md") == 0

    @pytest.mark.parametrize("is_committed", [False, True])
    def test_its_pull_leaves_no_markers_in_notes_and_tape(
        self, mine: PiMachine, remote: Path, is_committed: bool
    ) -> None:
        assert not (mine.clone / ".gitattributes").exists()
        torn, anchor = '{"torn": ', '{"id":"%s","timestamp":"2026-11-01T10:00:00.000Z"}'
        self.elsewhere(remote, {self.NOTE: "- theirs", TAPE: anchor % "x1"})
        for path, line in {self.NOTE: "- mine", TAPE: anchor % "x2"}.items():
            mine.write(path, mine.read(path).rstrip("\n") + f"\n{line}\n")
        if is_committed:
            mine.git("commit", "-qam", "Update memory")
        mine.git("pull", "-q", "--rebase", "--autostash")
        lines = {path: mine.read(path).splitlines() for path in (self.NOTE, TAPE)}
        assert not [line for file in lines.values() for line in file if line[:7] in MARKERS]
        assert {"- theirs", "- mine"} <= set(lines[self.NOTE])
        assert {torn, anchor % "x1", anchor % "x2"} <= set(lines[TAPE])

    def test_its_push_does_not_send_to_the_shared_branch_what_waits_for_review(
        self, cli: Terminal, mine: PiMachine, remote: Path
    ) -> None:
        cli("sync")
        cli("config", "set", "repository.review", "branch")
        cli("remember", "Waits for review", "--note", "core/project/tech-stack.md")
        cli("sync")
        for words in (("add", "."), ("commit", "--allow-empty", "-qm", "Update memory"), ("push", "-q")):
            mine.git(*words)

        def shared() -> str:
            words = ["git", "-C", str(remote), "show", f"main:{self.NOTE}"]
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout

        assert "Waits for review" not in shared()
        assert cli("doctor").out.count("remote.origin.push") == 0
        cli("config", "set", "repository.review", "direct")
        cli("sync")
        mine.git("push", "-q")
        assert "Waits for review" in shared()

    def test_its_tape_written_anew_with_other_key_order_is_no_conflict(
        self, cli: Terminal, mine: PiMachine
    ) -> None:
        cli("sync")
        line = '{"id":"%s","name":"n","timestamp":"2026-11-01T10:00:00.000Z"}\n'
        mine.write(TAPE, mine.read(TAPE).rstrip("\n") + "\n" + line % "x1")
        mine.git("commit", "-qam", "Update memory")
        anew = [json.loads(row) for row in mine.read(TAPE).splitlines() if row.endswith("}")]
        mine.write(TAPE, "".join(json.dumps(dict(reversed(a.items()))) + "\n" for a in anew[1:]))
        cli("sync")
        assert "TAPE" not in cli("conflicts", "list").out
        assert len(mine.read(TAPE).splitlines()) == len(anew) - 1

    def test_a_commit_of_its_tape_is_of_the_projects_scope(self, cli: Terminal, mine: PiMachine) -> None:
        line = '{"id":"x2","name":"task/two","timestamp":"2026-11-01T10:00:00.000Z"}\n'
        mine.write(TAPE, mine.read(TAPE).rstrip("\n") + "\n" + line)
        cli("sync")
        assert mine.git("log", "-1", "--format=%s") == "memory(demo-shop): anchor task/two"
        cli("anchor", "task/three")
        cli("sync")
        assert mine.git("log", "-1", "--format=%s") == "memory(demo-shop): anchor task/three"

    @pytest.mark.parametrize("language", rotating(["js", " JavaScript"], keep=1))
    def test_a_head_that_it_would_run_is_told_to_sessions(
        self, cli: Terminal, mine: PiMachine, language: str
    ) -> None:
        note = "demo-shop/core/project/js.md"
        sprung = mine.home / "sprung"
        program = f"{{description: require('fs').writeFileSync('{sprung}', 'x')}}"
        mine.write(note, f"---{language}\n{program}\n---\n- t\n")
        cli("sync")
        start = json.dumps({"session_id": "s", "cwd": str(mine.project_folder), "source": "startup"})
        warning = f"{note}: the frontmatter is a program: it is not read here"
        assert warning in cli("context").out
        assert mine.project() is not None
        assert warning in mine.ctxrepo("hook", "claude", "SessionStart", stdin=start).stdout
        assert not sprung.exists()
        mine.write(note, "---\ndescription: d\n---\n- t\n")
        cli("sync")
        assert warning not in cli("context").out

    def test_tags_of_a_head_that_its_script_wrote_with_quotes_are_in_our_index(
        self, cli: Terminal, mine: PiMachine
    ) -> None:
        head = '---\ndescription: "The "big" picture"\ntags:\n  - "alpha"\n  - "beta"\n---\n'
        mine.write("demo-shop/core/project/q.md", head)
        cli("sync")
        assert 'q.md — The "big" picture [alpha, beta]' in cli("context").out
