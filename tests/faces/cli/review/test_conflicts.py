"""conflicts: what a person and a program are told, and which words are understood."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada
from terminal import Terminal

from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file, copy_id
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"
PORT = ConflictCopy(NOTE, "- port 1", "- port 9\n  - more", "- port 5\x1b[31m")


def keep_aside(machine: Machine, copy: ConflictCopy, note: str = "") -> str:
    """Put it, and the note it belongs to, into the memory; returns its id."""
    path, data = copy_as_file(copy)
    machine.write(path, data.decode())
    if note:
        machine.write(copy.path, note)
    commit(machine.open(), datetime.now(UTC))
    return copy_id(path)


@pytest.fixture
def version(cli: Terminal, copies: Copies) -> str:
    """A version kept aside: its id. It is in the memory of the terminal."""
    cli.machine, version = copies.of(with_a_version)
    return version


def with_a_version(place: Path) -> tuple[Machine, str]:
    ada = make_ada(place)
    return ada, keep_aside(ada, PORT, "# T\n\n- port 9\n  - more\n")


def test_nothing_is_said_to_be_kept_aside(cli: Terminal) -> None:
    for words in (["conflicts"], ["conflicts", "list"]):
        answer = cli(*words)
        assert (answer.code, answer.out, answer.err) == (0, "nothing is set aside\n", "")
    assert cli("conflicts", "--json").data == cli("conflicts", "list", "--json").data == {"conflicts": []}


def test_a_line_a_version_and_what_to_do_next(cli: Terminal, version: str) -> None:
    cli.machine.write("conflicts/odd.md", "x")
    answer = cli("conflicts")
    assert answer.out.splitlines() == [
        f"{version}  {NOTE}  just now  port 5\\u{{1b}}[31m",
        "unreadable  conflicts/odd.md: keeps no version, look at it in an editor",
    ]
    assert answer.err == f"ctxrepo: look at one with `ctxrepo conflicts show {version}`\n"
    ours, odd = cli("conflicts", "list", "--json").data["conflicts"]
    assert (ours["id"], ours["path"], ours["readable"]) == (version, NOTE, True)
    assert datetime.fromisoformat(ours["since"]).tzinfo is UTC
    assert (odd["id"], odd["file"], odd["since"], odd["readable"]) == ("", "conflicts/odd.md", None, False)


def test_one_is_shown_with_how_it_differs(cli: Terminal, version: str) -> None:
    answer = cli("conflicts", "show", version[:5])
    assert answer.code == 0
    for part in (
        f"{version}  {NOTE}: a part, just now\n\n"
        "was:\n  - port 1\n\nkept:\n  - port 9\n    - more\n\nother:\n",
        "--- kept\n+++ other\n@@ -1,2 +1 @@\n-- port 9\n-  - more\n+- port 5",
    ):
        assert part in answer.out
    assert "\x1b" not in answer.out
    data = cli("conflicts", "show", version, "--json").data
    assert (data["was"], data["kept"], data["other"]) == (PORT.base, PORT.kept, PORT.other)
    assert (data["whole"], data["diff"].splitlines()[0]) == (False, "--- kept")


def test_a_file_taken_whole_is_shown_against_what_is_there(cli: Terminal) -> None:
    name = keep_aside(cli.machine, ConflictCopy("shop/a.svg", "", "", "<b>\n"), "<a>\n")
    answer = cli("conflicts", "show", name)
    assert ": the whole file, just now\n\nfrom kept to other:\n--- kept" in answer.out
    assert "-<a>\n+<b>\n" in answer.out
    (cli.machine.clone / "shop/a.svg").unlink()
    assert "+<b>\n" in cli("conflicts", "show", name).out


@pytest.mark.parametrize(
    ("before", "age"),
    [
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=1, hours=23), "1 day ago"),
        (timedelta(hours=2), "2 hours ago"),
        (timedelta(seconds=100), "1 minute ago"),
        (timedelta(hours=-5), "just now"),
    ],
)
def test_its_age_is_told(cli: Terminal, before: timedelta, age: str) -> None:
    path, data = copy_as_file(PORT)
    cli.machine.write(path, data.decode())
    commit(cli.machine.open(), datetime.now(UTC) - before)
    assert f"  {age}  " in cli("conflicts").out


def test_a_long_difference_is_cut(cli: Terminal) -> None:
    many = "".join(f"line {n}\n" for n in range(1000))
    name = keep_aside(cli.machine, ConflictCopy("shop/a.svg", "", "", many), "<a>\n")
    assert len(cli("conflicts", "show", name).out.splitlines()) < 220


@pytest.mark.parametrize(
    ("keep", "outcome", "text"),
    [
        ("kept", "kept the current version", "# T\n\n- port 9\n  - more\n"),
        ("other", "kept the other version", "# T\n\n- port 5\x1b[31m\n"),
        ("both", "kept both", "# T\n\n- port 9\n  - more\n- port 5\x1b[31m\n"),
    ],
)
def test_one_is_settled_and_a_worker_woken(
    cli: Terminal, version: str, keep: str, outcome: str, text: str
) -> None:
    answer = cli("conflicts", "resolve", version[:6], "--keep", keep)
    assert (answer.code, answer.out, answer.err) == (0, f"resolved: {version} {NOTE}, {outcome}\n", "")
    assert cli.machine.read(NOTE) == text
    assert len(cli.woken) == 1
    assert cli("conflicts").out == "nothing is set aside\n"
    assert cli("conflicts", "resolve", version, "--keep", keep).code == 3


def test_all_are_dropped(cli: Terminal, version: str) -> None:
    keep_aside(cli.machine, ConflictCopy(NOTE, "", "- a", "- b"))
    data = cli("conflicts", "resolve", "--all", "--keep", "kept", "--json").data
    assert version in [s["id"] for s in data["settled"]]
    assert len(data["settled"]) == 2
    assert cli("conflicts", "resolve", "--all", "--keep", "kept").out == "nothing is set aside\n"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["resolve", "{id}"], 2, "kept: what stands in the file now holds"),
        (["resolve", "{id}", "--keep", "mine"], 2, "--keep 'mine' is not a choice"),
        (["resolve"], 2, "name one version, or say --all"),
        (["resolve", "{id}", "--all", "--keep", "kept"], 2, "name one version, or say --all"),
        (["resolve", "--all"], 2, "say with --keep"),
        (["resolve", "--all", "--keep", "other"], 2, "--all goes with --keep kept only"),
        (["resolve", "ffff", "--keep", "kept"], 3, "there is no version ffff"),
        (["show", "ffff"], 3, "there is no version ffff"),
        (["show"], 2, "ID"),
        (["show", "conflicts/odd.md"], 1, "keeps no version that can be read"),
        (["resolve", "conflicts/odd.md", "--keep", "kept"], 1, "keeps no version that can be read"),
        (["--json", "show", "{id}"], 2, "stands before the verb"),
    ],
)
def test_what_is_not_understood_is_said_in_a_line_and_changes_nothing(
    cli: Terminal, version: str, words: list[str], code: int, message: str
) -> None:
    cli.machine.write("conflicts/odd.md", "x")
    answer = cli("conflicts", *(word.format(id=version) for word in words))
    text = answer.envelope["error"]["message"] if "--json" in words else answer.err
    assert (answer.code, message in text) == (code, True), answer
    assert "--json" in words or answer.is_one_line()
    assert cli.machine.read(NOTE) == "# T\n\n- port 9\n  - more\n"
    assert version in cli("conflicts").out
    assert cli.woken == []


def test_6_a_note_that_was_changed_is_told_with_what_to_do(cli: Terminal, version: str) -> None:
    cli.machine.write(NOTE, "# T\n\n- port 99\n")
    answer = cli("conflicts", "resolve", version, "--keep", "other")
    assert (answer.code, answer.is_one_line()) == (6, True)
    assert f"isn't any more in {NOTE}" in answer.err
    assert f"`ctxrepo conflicts resolve {version} --keep kept`" in answer.err
    assert cli("conflicts", "resolve", version, "--keep", "kept").code == 0
