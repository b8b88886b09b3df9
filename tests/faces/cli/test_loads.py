"""What each command loads, as a fact: a time would differ from machine to machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from long import rotating
from machines import NOW, Machine, make_machine

from ctxrepo.services.saving.committed import committed_already

_ASK = """
import sys
from ctxrepo.__main__ import main
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def loaded(machine: Machine, *words: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a command in the project's folder."""
    run = subprocess.run(
        [sys.executable, "-c", _ASK, *words],
        env=machine.env,
        cwd=machine.project_folder,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return set(run.stderr.splitlines()[-1].split())


def settled(machine: Machine) -> None:
    """Nothing waits, and a command has looked at all files and found so."""
    file = machine.clone / "shop/one.md"
    for _ in range(20):
        if committed_already(machine.open()):
            return
        os.utime(file, (NOW.timestamp(), NOW.timestamp()))
        loaded(machine, "list")  # a process of its own, because one in this process calls no worker
    raise AssertionError("something always waits")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with a note; what a test writes there has to settle before the next one reads."""
    machine = make_machine(tmp_path_factory.mktemp("loads"), "ada")
    machine.init()
    machine.write("shop/one.md", "---\ndescription: One\n---\n- the basket needs Postgres\n")
    return machine


@pytest.fixture
def quiet(shared: Machine) -> Machine:
    settled(shared)
    return shared


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith("ctxrepo.")}


def test_the_version_loads_no_parser(ada: Machine) -> None:
    assert ours(loaded(ada, "--version")) == {
        "ctxrepo.__main__",
        "ctxrepo.faces",
        "ctxrepo.faces.cli",
        "ctxrepo.faces.cli.pipe",
        "ctxrepo.faces.cli.table",
        "ctxrepo.hooks",
        "ctxrepo.hooks.loading",
    }


def test_words_at_a_cursor_load_the_table_alone(ada: Machine) -> None:
    for words in (("",), ("read", "--"), ("conflicts", "")):
        modules = loaded(ada, "_complete", "fish", *words)
        assert not modules & {"typer", "pathlib", "dataclasses", "sqlite3"}, words
        assert {n for n in ours(modules) if n.count(".") > 2} == {
            "ctxrepo.faces.cli.completion",
            "ctxrepo.faces.cli.completion.door",
            "ctxrepo.faces.cli.pipe",
            "ctxrepo.faces.cli.table",
        }


def test_notes_at_a_cursor_load_no_parser(ada: Machine) -> None:
    ada.init()
    ada.remember("The basket needs Postgres")
    modules = loaded(ada, "_complete", "fish", "read", "MEM")
    assert not modules & {"typer", "pygit2", "json", "tomllib", "yaml", "sqlite3", "socket"}
    rooms = {name.rpartition(".")[0] for name in ours(modules)}
    assert not rooms & {"ctxrepo.domain.note", "ctxrepo.domain.formats", "ctxrepo.storage.state"}


@pytest.mark.parametrize("words", [["--help"], ["log", "--help"], ["session", "show"]])
def test_a_command_loads_no_other_command(ada: Machine, words: list[str]) -> None:
    ada.init()
    rooms = ("notes", "repository", "review", "sessions")
    modules = {n for n in ours(loaded(ada, *words)) if n.split(".")[3:4] and n.split(".")[3] in rooms}
    commands = {
        n.split(".", 3)[3] for n in modules if n.count(".") == 4 and n.startswith("ctxrepo.faces.cli.")
    }
    expected = {"log": {"notes.authoring"}, "session": {"sessions.handing_over"}}
    assert commands == expected.get(words[0], set())


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    rotating(
        [["read", "MEMORY"], ["log"], ["log", "--list"], ["list"], ["search", "basket"],
         ["recall", "a basket?"], ["context"]],
    ),
    ids="-".join,
)  # fmt: skip
def test_reading_loads_no_write_path_while_nothing_waits(quiet: Machine, words: list[str]) -> None:
    modules = loaded(quiet, *words)
    assert not modules & {
        "typer",
        "pygit2",
        "tomlkit",
        "yaml",
        "subprocess",
        "difflib",
        "ast",
        "regex",
        "ctxrepo.services.usage.entry_usage",
        "ctxrepo.storage.cache.update",
        "ctxrepo.storage.isolated.dangers",
        "ctxrepo.storage.remote.conversation",
        "ctxrepo.services.setup.connection",
        "ctxrepo.agents.protocol",
        "ctxrepo.domain.merge",
        "ctxrepo.domain.secrets.search",
        "ctxrepo.hooks.moments.claim",
        "ctxrepo.services.saving.commit",
    }


@pytest.mark.slow
def test_where_things_stand_is_told_without_what_reads_objects_or_merges(quiet: Machine) -> None:
    assert not loaded(quiet, "status") & {
        "pygit2",
        "ast",
        "difflib",
        "tomlkit",
        "shutil",
        "subprocess",
        "tempfile",
        "ctxrepo.domain.merge",
        "ctxrepo.domain.secrets.search",
        "ctxrepo.hooks.recall.ask_helper",
        "ctxrepo.storage.remote.conversation",
        "ctxrepo.services.saving.commit",
        "ctxrepo.services.saving.merge",
        "ctxrepo.services.review.review",
    }


@pytest.mark.slow
def test_saving_a_fact_loads_neither_what_commits_nor_an_editor(quiet: Machine) -> None:
    assert not loaded(quiet, "remember", "The door is green") & {
        "pygit2",
        "tempfile",
        "subprocess",
        "ctxrepo.domain.merge",
        "ctxrepo.domain.tape.anchors",
        "ctxrepo.services.saving.commit",
    }
