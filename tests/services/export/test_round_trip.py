"""An export that is imported is the memory that it was made of: its bytes, its ids and marks, its answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from bench.corpus import PER_PROJECT, Author, path_of, project_url
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long import mostly_long
from machines import NOW, Machine, make_machine
from rich_memory import ODD, fill

from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.processes.lock import locked

QUESTIONS = (
    "when does the staging door open in the morning",
    "at how many seconds do payment retries start",
    "which day is the deploy day",
    "what colour is the door, grün or red",
    "when are refunds booked",
)


def begun(root: Path, name: str) -> Machine:
    machine = make_machine(root, name)
    machine.init()
    return machine


def run(machine: Machine, *words: str, codes: tuple[int, ...] = (0,)) -> str:
    """What a command says; imports are run in no project's folder, so that nothing is registered for one."""
    done = machine.ctxrepo(*words, cwd=machine.home if words[0] == "import" else machine.project_folder)
    assert done.returncode in codes, (words, done.stdout, done.stderr)
    return done.stdout


def exported(machine: Machine, file: Path) -> bytes:
    run(machine, "export", str(file))
    return file.read_bytes()


def brought(machine: Machine, file: Path) -> str:
    output = run(machine, "import", "--file", str(file), "--yes")
    run(machine, "sync")
    return output


def tracked(machine: Machine) -> dict[str, bytes]:
    paths = machine.git("ls-files", "-z").split("\0")
    return {path: (machine.clone / path).read_bytes() for path in paths if path}


def recalled(machine: Machine, question: str) -> list[tuple[str, str, float]]:
    hits = json.loads(run(machine, "recall", question, "--json", codes=(0, 3)))["data"]["hits"]
    return [(hit["id"], hit["at"], hit["score"]) for hit in hits]


def shown(machine: Machine) -> str:
    """What a session is given, without the seal and the place of the clone."""
    text = re.sub(r'tag="[0-9a-f]+"', "", run(machine, "context"))
    return text.replace(str(machine.clone), "CLONE")


def entries_of(machine: Machine, place: Path) -> dict[str, dict[str, Any]]:
    """The entries of an export as other programs read them, each under its text."""
    lines = map(json.loads, exported(machine, place).splitlines())
    return {line["text"]: line for line in lines if line.get("type") == "entry"}


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    machine = begun(tmp_path, "ada")
    fill(machine)
    return machine


@pytest.fixture
def ben(tmp_path: Path) -> Machine:
    return begun(tmp_path, "ben")


class TestEverything:
    def test_it_is_the_same_memory(self, ada: Machine, ben: Machine, tmp_path: Path) -> None:
        file = tmp_path / "memory.jsonl"
        data = exported(ada, file)
        brought(ben, file)
        assert tracked(ben) == tracked(ada)
        assert tracked(ben).keys() >= ODD.keys()
        deletions = [path for path, data in tracked(ben).items() if b'"deleted"' in data]
        assert [path.split("/")[0] for path in deletions] == [".ctx", "TAPE"]
        assert "what the notes say" in run(ben, "cache", "verify")
        for question in QUESTIONS:
            assert recalled(ben, question) == recalled(ada, question)
        assert recalled(ben, QUESTIONS[0])
        assert shown(ben) == shown(ada)
        for words in (["list", "--long"], ["tape", "list"], ["stale"], ["search", "till"], ["pages"]):
            assert run(ben, *words) == run(ada, *words)
        assert exported(ben, tmp_path / "again.jsonl") == data

    def test_what_was_said_of_entries_is_told_to_other_programs(self, ada: Machine, tmp_path: Path) -> None:
        entries = entries_of(ada, tmp_path / "memory.jsonl")
        door = entries["- The staging door opens at eight #doors"]
        assert door["evidence"]["pinned"] is True
        assert door["tags"] == ["doors"]
        assert entries["- Refunds are booked at night"]["evidence"]["verified"]
        retries = entries["- [fact] Payment retries start at ten seconds"]
        assert retries["evidence"]["stated"][:10] == retries["created"]
        assert retries["category"] == "fact"
        old = entries["- Tea is served at four"]
        assert old["evidence"]["superseded"] is True
        assert entries["- caf\ufffd au lait"]["at"] == "shop/topics/latin.md#L1"

    def test_twice_changes_nothing(self, ada: Machine, ben: Machine, tmp_path: Path) -> None:
        file = tmp_path / "memory.jsonl"
        (ada.clone / "global/MEMORY.md").write_bytes((ben.clone / "global/MEMORY.md").read_bytes())
        exported(ada, file)
        brought(ben, file)
        head = ben.git("rev-parse", "HEAD")
        assert "nothing of ctxrepo is new here" in brought(ben, file)
        assert "nothing of ctxrepo is new here" in brought(ada, file)
        assert ben.git("rev-parse", "HEAD") == head

    def test_one_undo_takes_it_back(self, ada: Machine, ben: Machine, tmp_path: Path) -> None:
        before = tracked(ben)
        exported(ada, tmp_path / "memory.jsonl")
        brought(ben, tmp_path / "memory.jsonl")
        run(ben, "undo")
        run(ben, "sync")
        notes = {path: data for path, data in tracked(ben).items() if path.endswith((".md", ".csv"))}
        assert notes == {path: data for path, data in before.items() if path.endswith((".md", ".csv"))}
        assert "till/fixed" not in run(ben, "tape", "list", "--scope", "shop", codes=(0, 3))

    def test_one_scope_is_that_scope(self, ada: Machine, ben: Machine, tmp_path: Path) -> None:
        file = tmp_path / "shop.jsonl"
        run(ada, "export", "project", str(file))
        assert b"global/" not in file.read_bytes()
        brought(ben, file)
        there, here = tracked(ada), tracked(ben)
        for path in there:
            if path.startswith(("shop/", "TAPE/")):
                assert here[path] == there[path]
        assert "global/topics/open.md" not in here
        scores = [recalled(machine, QUESTIONS[1]) for machine in (ada, ben)]
        assert [[hit[:2] for hit in hits] for hits in scores] == [[scores[0][0][:2]]] * 2

    def test_a_folder_of_all_scopes_brings_the_notes(
        self, ada: Machine, ben: Machine, tmp_path: Path
    ) -> None:
        run(ada, "export", str(tmp_path / "all"))
        brought(ben, tmp_path / "all")
        there = {path: data for path, data in tracked(ada).items() if data and path.endswith(".md")}
        assert there.items() <= tracked(ben).items()

    def test_a_full_month_goes_on_in_the_next_file(self, ada: Machine, ben: Machine, tmp_path: Path) -> None:
        (name,) = (path for path in tracked(ada) if path.startswith(".ctx/"))
        line = {
            "v": 1,
            "ts": "2026-11-01T00:00:00.000Z",
            "kind": "verified",
            "entry": "0" * 12,
            "path": "shop/a.md",
        }
        full = "".join(json.dumps({**line, "id": f"{number:016x}"}) + "\n" for number in range(5000))
        ben.write(name, full)
        run(ben, "sync")
        exported(ada, tmp_path / "memory.jsonl")
        brought(ben, tmp_path / "memory.jsonl")
        assert ben.read(name) == full
        assert ben.read(name.replace(".jsonl", "-2.jsonl")) == ada.read(name)
        assert "nothing of ctxrepo is new here" in brought(ben, tmp_path / "memory.jsonl")


class TestIntoAMemoryThatHoldsSomething:
    def test_what_is_there_stays_and_what_it_lacks_comes(
        self, ada: Machine, ben: Machine, tmp_path: Path
    ) -> None:
        run(ben, "remember", "Ben likes coffee", "--scope", "global")
        ben.write("shop/topics/payments.md", "# Ben's\n\n- Cards are refused on Sundays\n")
        ben.write("shop/prices.csv", "what,price\ntea,3\n")
        run(ben, "sync")
        exported(ada, tmp_path / "memory.jsonl")
        output = brought(ben, tmp_path / "memory.jsonl")
        payments = ben.read("shop/topics/payments.md")
        assert payments.startswith("# Ben's\n\n- Cards are refused on Sundays\n")
        assert payments.endswith("- Refunds are booked at night\n")
        assert ben.read("shop/prices.csv") == "what,price\ntea,3\n"
        assert "shop/prices.csv -> shop/prices.csv: it is another one here, and stays so" in output
        memory = ben.read("global/MEMORY.md")
        assert "Ben likes coffee" in memory
        assert "Tea is served at four" in memory
        assert "nothing of ctxrepo is new here" in brought(ben, tmp_path / "memory.jsonl")

    def test_nothing_said_elsewhere_takes_an_entry_from_view(
        self, ada: Machine, ben: Machine, tmp_path: Path
    ) -> None:
        ben.write("global/MEMORY.md", "## Notes\n\n- Tea is served at four\n- Ben's own\n")
        run(ben, "sync")
        assert "[note]" not in ben.read("global/MEMORY.md")
        before = recalled(ben, "at which hour is the tea served to us")
        exported(ada, tmp_path / "memory.jsonl")
        brought(ben, tmp_path / "memory.jsonl")
        ids = [name for name, *_ in recalled(ben, "at which hour is the tea served to us")]
        assert before[0][0] in ids

    def test_what_was_forgotten_here_does_not_come_again(
        self, ada: Machine, ben: Machine, tmp_path: Path
    ) -> None:
        exported(ada, tmp_path / "memory.jsonl")
        brought(ben, tmp_path / "memory.jsonl")
        (hit,) = json.loads(run(ben, "search", "Refunds", "--json"))["data"]["hits"]
        run(ben, "forget", hit["id"])
        run(ben, "sync")
        brought(ben, tmp_path / "memory.jsonl")
        assert "Refunds" not in ben.read("shop/topics/payments.md")

    def test_a_project_that_has_another_folder_here_keeps_it(
        self, ada: Machine, ben: Machine, tmp_path: Path
    ) -> None:
        text = (ben.clone / "ctxrepo.toml").read_text()
        ben.write(
            "ctxrepo.toml", text + '"git.example.org/ada/shop" = "till"\n"git.example.org/x/y" = "shop"\n'
        )
        ben.write("shop/MEMORY.md", "- Of another shop\n")
        run(ben, "sync")
        exported(ada, tmp_path / "memory.jsonl")
        brought(ben, tmp_path / "memory.jsonl")
        assert ben.read("shop/MEMORY.md") == "- Of another shop\n"
        assert ben.read("till/topics/payments.md") == ada.read("shop/topics/payments.md")
        entries = entries_of(ben, tmp_path / "again.jsonl")
        door = entries["- The staging door opens at eight #doors"]
        assert door["at"].startswith("till/MEMORY.md#L")
        assert door["evidence"]["pinned"] is True
        assert "nothing of ctxrepo is new here" in brought(ben, tmp_path / "memory.jsonl")
        assert run(ben, "tape", "list") == run(ada, "tape", "list")


TEXTS = st.text("ab -#[]*\n\t\r\ufeffé日:`<!>^", max_size=60).map(str.encode)
PATHS = ("global/MEMORY.md", "global/a b.md", "shop/topics/é.md", "shop/daily/2026-02-15.md", "shop/x.csv")
ODD_BYTES = st.binary(max_size=20).map(lambda data: data.replace(b"\0", b"0"))  # the guard takes no NUL
MEMORIES = st.dictionaries(st.sampled_from(PATHS), st.one_of(TEXTS, ODD_BYTES), min_size=1)


@pytest.mark.slow
@pytest.mark.parametrize("examples", mostly_long([4, 60], keep=1))
def test_law_what_is_imported_is_what_was_exported(tmp_path: Path, examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(files=MEMORIES)
    def holds(files: dict[str, bytes]) -> None:
        for name in ("ada", "ben"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        ada, ben = begun(tmp_path, "ada"), begun(tmp_path, "ben")
        for path, data in files.items():
            (ada.clone / path).parent.mkdir(parents=True, exist_ok=True)
            (ada.clone / path).write_bytes(data)
        commit(ada.open(), NOW)
        file = tmp_path / "memory.jsonl"
        file.unlink(missing_ok=True)
        exported(ada, file)
        brought(ben, file)
        assert tracked(ben) == tracked(ada)

    holds()


@pytest.mark.parametrize("notes", [200, pytest.param(10_000, marks=pytest.mark.long)], ids=["200", "10000"])
def test_many_notes_come_back_and_answer_alike(tmp_path: Path, notes: int) -> None:
    author, ada, ben = Author(), begun(tmp_path, "ada"), begun(tmp_path, "ben")
    for number in range(notes):
        file = ada.clone / path_of(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(author.note(number), newline="")
    ids = (project_url(number).removeprefix("https://") for number in range(0, notes, PER_PROJECT))
    table = "".join(f'"{name}" = "{os.path.basename(name)}"\n' for name in ids)
    ada.write("ctxrepo.toml", ada.read("ctxrepo.toml") + table)
    run(ada, "remember", "The staging door opens at nine", "--pin", "--scope", "global")
    run(ada, "sync", codes=(0, 6))  # of so many made-up words some look like a password
    data = exported(ada, tmp_path / "memory.jsonl")
    brought(ben, tmp_path / "memory.jsonl")
    assert "what the notes say" in run(ben, "cache", "verify")
    answers = 0
    for number in range(0, notes, notes // 2):
        question = author.prompt(number)
        assert recalled(ben, question) == recalled(ada, question)
        answers += len(recalled(ada, question))
        words = ("search", author.topic(number)[0])
        assert run(ben, *words, codes=(0, 3)) == run(ada, *words, codes=(0, 3))
    assert answers
    assert exported(ben, tmp_path / "again.jsonl") == data
    done = ben.ctxrepo("undo", cwd=ben.home)
    if done.returncode:  # it brought more than is noted, and names the commit
        (name,) = re.findall(r"`ctxrepo undo ([0-9a-f]+)`", done.stderr)
        run(ben, "undo", name)
    run(ben, "sync")
    assert not [path for path in tracked(ben) if path.startswith("project-")]


@pytest.mark.slow
def test_a_writer_waits_for_a_long_commit(ben: Machine) -> None:
    memory = ben.open()
    holder = threading.Thread(target=hold, args=(memory.state.lock("write"), 12.0))
    holder.start()
    try:
        run(ben, "sync")
    finally:
        holder.join()


def hold(lock: Path, seconds: float) -> None:
    with locked(lock, 1.0):
        time.sleep(seconds)
