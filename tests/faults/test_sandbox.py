"""Commands in a home that takes no change, as in a sandbox of an agent: readers read, adders hand over."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from io import RawIOBase
from pathlib import Path

import pytest
from machines import Machine, make_machine
from needs import needs_root
from processes import processes_of
from sessions import Session, eventually
from torture.mounts import mounted, needs_mount, read_only, sandbox

from ctxrepo.hooks.dialect import TICKET

pytestmark = needs_mount

OTHER = 12345
"""A user of the machine who owns nothing of it."""

READERS = [
    *(["search", "river"], ["recall", "river port"], ["read", "topics/pay"], ["list"], ["status"]),
    *(["context"], ["history"], ["history", "topics/pay"], ["tape"], ["tape", "list"], ["log"], ["scratch"]),
    *(["search", "--in", "sessions", "river"], ["conflicts"], ["tags"], ["links", "topics/pay"], ["check"]),
    *(["why", "topics/pay"], ["why", "topics/pay#L1"], ["diff"], ["diff", "--patch"]),
    *(["config", "list"], ["usage"], ["setup", "claude", "--check"]),
    ["review", "--html", "-"],
]
TEXT = "- The river service listens on port 602\n- The stone service listens on port 603\n"


@pytest.fixture
def ada(tmp_path: Path, remote: Path) -> Iterator[Machine]:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=24m", "tmpfs") as disk:
        machine = make_machine(disk, "ada")
        machine.init(str(remote))
        machine.write("shop/topics/pay.md", TEXT)
        machine.ctxrepo("scratch", "add", "try the readers")
        machine.ctxrepo("setup", "claude", "--yes")
        machine.sync()
        eventually(lambda: not processes_of(machine), 60)
        yield machine
        eventually(lambda: not processes_of(machine), 60)


@contextmanager
def full(machine: Machine) -> Iterator[None]:
    """The disk that the home is on is full, also when a command has closed the databases."""
    filler = machine.home.parent / "filler"
    with filler.open("wb", buffering=0) as file:
        while os.statvfs(machine.home).f_bavail:
            _fill(file)
            machine.ctxrepo("status")
    try:
        yield
    finally:
        filler.unlink()


def _fill(file: RawIOBase) -> None:
    piece = b"x" * 4096
    with pytest.raises(OSError, match="No space"):
        sum(iter(lambda: file.write(piece), 0))


@contextmanager
def unwritable(machine: Machine) -> Iterator[None]:
    with read_only(machine.home):
        yield


@contextmanager
def owned(places: Iterable[Path]) -> Iterator[None]:
    """All that is in these folders is another user's, as in a container that a home is mounted into."""
    everything = [path for place in places for path in (place, *place.rglob("*"))]
    try:
        for path in everything:
            os.chown(path, OTHER, OTHER, follow_symlinks=False)
        yield
    finally:
        for path in everything:
            with suppress(FileNotFoundError):  # a database that was closed
                os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)


def of_another(machine: Machine) -> AbstractContextManager[None]:
    return owned(path for path in machine.home.iterdir() if path != machine.project_folder)


def clone_of_another(machine: Machine) -> AbstractContextManager[None]:
    return owned([machine.clone])


Trouble = Callable[[Machine], AbstractContextManager[None]]
TROUBLES = pytest.mark.parametrize(
    "trouble",
    [
        *(unwritable, full),
        pytest.param(of_another, marks=needs_root),
        pytest.param(clone_of_another, marks=needs_root),
    ],
)


def files_of(machine: Machine) -> dict[str, tuple[int, int]]:
    """Every file of the clone and the journal, with its size and the moment of its last change."""
    return files_in(machine.clone, machine.open().state.journal)


def files_in(*roots: Path) -> dict[str, tuple[int, int]]:
    stamps = {}
    for folder, _, files in (entry for root in roots for entry in os.walk(root)):
        for path in (os.path.join(folder, name) for name in files):
            status = os.lstat(path)
            stamps[path] = (status.st_size, status.st_mtime_ns)
    return stamps


def _without_seals(text: str) -> str:
    """A packet without the proof that it is one, which another home makes with a key of its own."""
    return re.sub(r'tag="[0-9a-f]+"|\d\d:\d\d$', "", text, flags=re.MULTILINE)


@TROUBLES
def test_what_reads_reads_and_says_nothing_of_it(ada: Machine, trouble: Trouble) -> None:
    before = {" ".join(words): ada.ctxrepo(*words) for words in READERS}
    known = files_of(ada)
    with trouble(ada):
        for words in READERS:
            run, usual = ada.ctxrepo(*words), before[" ".join(words)]
            if trouble is of_another and words[0] in ("config", "setup"):  # which are about these places
                assert (run.returncode, "belongs to another user" in run.stderr) == (1, True)
                continue
            assert (words, run.returncode, run.stderr) == (words, usual.returncode, usual.stderr)
            if words[0] not in ("status", "review"):  # which tell how long ago things were
                assert (words, _without_seals(run.stdout)) == (words, _without_seals(usual.stdout))
            elif trouble in (of_another, clone_of_another):
                assert "belongs to another user" in run.stdout
    assert files_of(ada) == known


@pytest.mark.parametrize("is_gone", [False, True], ids=["older", "gone"])
def test_a_cache_that_is_behind_is_brought_up_in_memory(ada: Machine, is_gone: bool) -> None:
    cache = ada.open().state.cache
    kept = cache.with_name("kept")
    shutil.copy(cache, kept)
    ada.write("shop/topics/pay.md", f"{TEXT}- The cloud service listens on port quokka604\n")
    ada.sync()
    for suffix in ("", "-wal", "-shm"):
        cache.with_name(cache.name + suffix).unlink(missing_ok=True)
    if not is_gone:
        kept.rename(cache)
    with read_only(ada.home):
        assert "604" in ada.ctxrepo("search", "cloud").stdout


def test_what_waits_for_a_commit_is_told(ada: Machine) -> None:
    ada.write("shop/topics/pay.md", f"{TEXT}- The cloud service listens on port quokka604\n")
    with read_only(ada.home):
        run = ada.ctxrepo("search", "river")
    assert run.returncode == 0
    assert "602" in run.stdout
    assert "what was written last to shop/topics/pay.md is not in this" in run.stderr
    assert "read-only" in run.stderr


@needs_root
@pytest.mark.parametrize("trouble", [of_another, clone_of_another])
def test_what_another_user_put_there_is_read_when_asked_for_and_gets_nowhere(
    ada: Machine, trouble: Trouble, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    container = replace(ada, more={"TMPDIR": str(temporary)})
    with trouble(ada):
        (ada.clone / "shop/topics/pay.md").write_text("- The cloud service listens on port quokka604\n")
        ada.git("-c", f"safe.directory={ada.clone}", "commit", "-qam", "theirs")
        run = container.process("search", "cloud")
        assert (run.returncode, run.stderr) == (0, "")
        assert "604" in run.stdout
        kept = [file.read_bytes() for file in ada.places.state.rglob("*") if file.is_file()]
        assert not any(b"quokka604" in data for data in kept)
        assert "604" not in Session(ada, "s-9").hook("SessionStart", source="startup")
    assert not [*temporary.iterdir()]


WRITERS = [
    *(["forget", "topics/pay"], ["move", "topics/pay", "topics/money"], ["archive", "topics/pay"]),
    *(["sync"], ["undo"], ["config", "set", "sync.retries", "3"]),
]
ADDERS = [
    *(["remember", "Port 700 is the wiki's"], ["log", "tried it"], ["scratch", "add", "go on"]),
    *(["new", "topics/wiki", "--description", "The wiki"],),
    *(["edit", "topics/pay", "--old", "602", "--new", "702"],),
    *(["anchor", "here"],),
]


@TROUBLES
@pytest.mark.parametrize("words", [*WRITERS, *ADDERS], ids=lambda words: words[0])
def test_what_writes_says_in_a_line_what_would_help(ada: Machine, words: list[str], trouble: Trouble) -> None:
    known = files_of(ada)
    with trouble(ada):
        run = ada.ctxrepo(*words)
    if trouble is full and not run.returncode:  # a database that it closed made room: then it is saved
        assert files_of(ada) != known or words[0] in ("sync", "config")
        return
    if (trouble, words[0]) == (clone_of_another, "config"):  # whose file is ada's
        assert run.returncode == 0
        return
    assert run.returncode != 0
    assert "Traceback" not in run.stderr
    message, hint = (*run.stderr.splitlines(), "")[:2]
    assert re.search("ead-only|full|No space|belongs to another user", message), message
    assert hint, run.stderr
    assert files_of(ada) == known


def handover_of(machine: Machine) -> Path:
    folder = machine.places.handover
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def test_what_adds_is_handed_over_and_taken_in_outside(ada: Machine, tmp_path: Path, remote: Path) -> None:
    with sandbox(ada.home, tmp_path / "aside", handover_of(ada)):
        for words in ADDERS:
            run = ada.ctxrepo(*words)
            assert (words, run.returncode, "handed over" in run.stderr) == (words, 0, True), run.stderr
    assert "702" not in ada.read("shop/topics/pay.md")
    assert ada.ctxrepo("sync").returncode == 0
    assert ada.read("shop/topics/pay.md").count("702") == 1
    assert "Port 700 is the wiki's" in ada.read("shop/MEMORY.md")
    assert "go on" in ada.read("shop/SCRATCHPAD.md")
    assert (ada.clone / "shop/topics/wiki.md").is_file()
    assert "Port 700" in ada.ctxrepo("search", "wiki").stdout
    assert not ada.open().handover.names()
    assert "Port 700" in ada.git("log", "-3", "--format=%B", "origin/main")


@pytest.mark.slow
def test_what_an_agent_may_only_propose_is_handed_over_as_a_proposal(ada: Machine, tmp_path: Path) -> None:
    ada.ctxrepo("config", "set", "inbox.policy", "stage")
    agent = Machine(ada.home, {**ada.more, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"})
    words = [("remember", "port 705 is free"), ("edit", "shop/topics/pay.md", "--old", "602", "--new", "612")]
    with sandbox(ada.home, tmp_path / "aside", handover_of(ada)):
        for each in words:
            run = agent.ctxrepo(*each)
            assert (run.returncode, run.stdout.split(":")[0].split(",")[0]) == (0, "proposed"), run.stderr
    assert ada.ctxrepo("sync").returncode == 0
    assert ada.read("shop/topics/pay.md") == TEXT
    assert len(ada.json("inbox")["data"]["items"]) == 2


class Sandboxed(Session):
    """A session whose commands run in a sandbox that leaves no folder open; its hooks run outside."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, "s-1")
        self.inside = replace(machine, more={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session})

    def prints(self, *words: str) -> str:
        """What a command that fails prints."""
        with read_only(self.machine.home):
            run = self.inside.ctxrepo(*words)
        assert run.returncode == 1
        return run.stdout + run.stderr

    def context_after(self, command: str, printed: str) -> str:
        """What the model is told besides, by the hook that runs after the tool."""
        call = {"command": command}
        return self.hook("PostToolUseFailure", tool_name="Bash", tool_input=call, error=printed)


def test_where_no_folder_is_open_the_hook_runs_what_adds_again(ada: Machine) -> None:
    session = Sandboxed(ada)
    known = files_of(ada)
    outputs = {shlex.join(["ctxrepo", *words]): session.prints(*words) for words in ADDERS}
    assert files_of(ada) == known
    for command, printed in outputs.items():
        assert "nothing is saved" in printed
        context = session.context_after(command, printed)
        assert (command, "what it wrote is saved" in context) == (command, True), context
    for path, text in {
        "shop/topics/pay.md": "702",
        "shop/MEMORY.md": "Port 700 is the wiki's",
        "shop/SCRATCHPAD.md": "go on",
        "shop/topics/wiki.md": "The wiki",
    }.items():
        assert ada.read(path).count(text) == 1
    assert [session.context_after(command, printed) for command, printed in outputs.items()] == [""] * len(
        outputs
    )
    eventually(lambda: not processes_of(ada), 60)
    assert ada.read("shop/MEMORY.md").count("Port 700") == 1
    assert ada.ctxrepo("log").stdout.count("tried it") == 1
    assert f"Ctxrepo-Session: {session.session}" in ada.git(
        "log", "-9", "--format=%B", "--", "shop/MEMORY.md"
    )


def test_what_would_be_refused_is_refused_in_the_sandbox_and_prints_no_ticket(ada: Machine) -> None:
    with read_only(ada.home):
        run = Sandboxed(ada).inside.ctxrepo("remember", "the token is ghp_" + "a1B2c3D4e5F6" * 3)
    assert run.returncode == 6
    assert TICKET not in run.stderr


@pytest.mark.parametrize(
    "words",
    [*WRITERS, ["edit", "topics/pay", "--from", "/etc/hostname"], ["log", "--undo"], ["remember", "-"]],
    ids=" ".join,
)
def test_what_takes_away_or_reads_a_file_prints_no_ticket(ada: Machine, words: list[str]) -> None:
    with read_only(ada.home):
        run = Sandboxed(ada).inside.ctxrepo(*words, stdin="- x\n")
    assert run.returncode != 0
    assert TICKET not in run.stdout + run.stderr


def test_a_person_is_shown_no_ticket(ada: Machine) -> None:
    with read_only(ada.home):
        run = ada.ctxrepo("remember", "Port 700 is the wiki's")
    assert run.returncode == 1
    assert TICKET not in run.stderr


def test_a_program_is_given_the_ticket_in_its_json(ada: Machine) -> None:
    session = Sandboxed(ada)
    words = ["remember", "Port 700 is the wiki's", "--json"]
    printed = session.prints(*words)
    assert json.loads(printed)["error"]["code"] == "unsaved"
    assert "is saved" in session.context_after(shlex.join(["ctxrepo", *words]), printed)


def test_another_program_of_our_name_has_nothing_saved(ada: Machine) -> None:
    """It may print what ours printed for other words, and can't for those that the model wrote."""
    session = Sandboxed(ada)
    printed = session.prints("remember", "all is well")
    assert "Not run again" in session.context_after("ctxrepo remember 'nothing is well'", printed)
    assert "Not run again" in session.context_after("ctxrepo remember 'all is well'; ./build", printed)
    assert not (ada.clone / "shop/MEMORY.md").exists()
