"""The past of the memory, a note and an entry, as two machines, editors and a person made it."""

from __future__ import annotations

import subprocess

import pytest
from machines import NOW, Machine
from saves import checked_out, leave

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.history.commits import MAX_LINES, CommitSummary, Old, history, version
from ctxrepo.services.notes.placing import forget
from ctxrepo.services.projects.link_project import rename_project
from ctxrepo.services.reading.find import require_project
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def save(machine: Machine, text: str, path: str = NOTE) -> None:
    machine.write(path, text)
    commit(machine.open(), NOW)


def past(machine: Machine, target: str = "", limit: int = 20) -> list[CommitSummary]:
    about = parse_target(target) if target else None
    return history(machine.open(), about, machine.project(), limit)


def lines(machine: Machine, target: str) -> list[tuple[str, ...]]:
    return [deed.lines for deed in past(machine, target)]


def id_of(machine: Machine, words: str) -> str:
    memory = machine.open()
    data = memory.worktree.read(NOTE)
    assert data is not None
    return next(f"^{e.id}" for e in entries_of(NOTE, data.decode()) if words in e.text)


def test_the_last_commits_are_told_with_who_made_them(mine: Machine) -> None:
    mine.remember("one", category="gotcha")
    leave(mine, NOTE, b"- two\n", session="s-1")
    commit(mine.open(), NOW)
    mine.git("commit", "-q", "--allow-empty", "-m", "by hand")
    by_hand, _, made, *_ = past(mine)
    assert (by_hand.author, by_hand.subject, by_hand.writers.hosts) == ("ada", "by hand", ())
    assert (made.writers.agents, made.writers.sessions) == (("claude",), ("s-1",))
    assert made.writers.hosts == (mine.open().host,)
    assert made.when == NOW
    assert len(past(mine, limit=2)) == 2


def test_a_note_tells_each_entry_that_came_changed_and_went(mine: Machine) -> None:
    save(mine, "- the port of redis is 6379\n- b\n")
    save(mine, "- the port of redis is 6380\n- b\n")
    save(mine, "- the port of redis is 6380\n- c stands for something else\n")
    save(
        mine, "# A heading\n\n- the port of redis is 6380\n- c stands for something else\n", "global/other.md"
    )
    assert lines(mine, "topics/gotcha") == [
        ("+ c stands for something else", "- b"),
        ("~ the port of redis is 6380",),
        ("* new", "+ the port of redis is 6379", "+ b"),
    ]


def test_a_change_that_is_no_entrys_is_told_and_many_lines_are_counted(mine: Machine) -> None:
    save(mine, "- a\n")
    save(mine, "---\ndescription: x\n---\n- a\n")
    save(mine, "- a\n" + "".join(f"- entry number {n * 7919} says {n}\n" for n in range(40)))
    newest, head, _ = past(mine, "topics/gotcha")
    assert head.lines == ("* what is no entry: its head, headings or blank lines",)
    assert (len(newest.lines), len(newest.lines) + newest.more) == (MAX_LINES - 1, 40)


def test_a_version_that_another_editor_overwrote_is_found(mine: Machine) -> None:
    save(mine, "- base\n")
    leave(mine, NOTE, b"- base\n- from one\n", checked_out(mine), "s-1")
    mine.write(NOTE, "- base\n- from two\n")
    commit(mine.open(), NOW)
    assert lines(mine, NOTE)[:2] == [("~ from two",), ("+ from one",)]
    overwritten = past(mine, NOTE)[1]
    assert version(mine.open(), parse_target(NOTE), None, overwritten.commit).data == b"- base\n- from one\n"


@pytest.mark.slow
def test_both_sides_of_a_merge_are_gone_through(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    save(ada, "- the port is 1 on all machines\n")
    ada.sync()
    ben.sync()
    save(ada, "- the port is 5 on all machines\n")
    save(ben, "- the port is 9 on all machines\n")
    ada.sync()
    ben.sync()
    ada.sync()
    for machine in pair:
        lines = {line for deed in past(machine, NOTE) for line in deed.lines}
        assert {"~ the port is 5 on all machines", "~ the port is 9 on all machines"} <= lines
    entry = id_of(ada, "the port is 9")
    assert len(past(ada, entry)) == 3


@pytest.mark.slow
def test_what_a_merge_only_brought_together_is_told_once(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    save(ada, "- the port is 1 on all machines\n- going away soon\n")
    ada.sync()
    ben.sync()
    save(ada, "- the port is 1 on all machines\n- going away soon\n- said by ada\n")
    save(ben, "- the port is 1 on each machine\n- written by ben\n")
    ada.sync()
    ben.sync()
    assert lines(ben, NOTE)[:3] == [
        ("* merged",),
        ("~ the port is 1 on each machine", "+ written by ben", "- going away soon"),
        ("+ said by ada",),
    ]
    assert (
        "said by ada"
        in version(ben.open(), parse_target(NOTE), None, past(ben, NOTE)[0].commit).data.decode()
    )


def test_what_a_person_adds_while_merging_is_told(mine: Machine) -> None:
    save(mine, "- base\n")
    mine.git("switch", "-qc", "side")
    mine.write(NOTE, "- base\n- of the side\n")
    mine.git("commit", "-qam", "side")
    mine.git("switch", "-q", "main")
    mine.write(NOTE, "- of main\n- base\n")
    mine.git("commit", "-qam", "main")
    mine.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    mine.write(NOTE, "- of main\n- base\n- of the side\n- by hand\n")
    mine.git("commit", "-qam", "both")
    assert lines(mine, NOTE)[0] == ("* merged", "+ by hand")


def test_a_note_that_is_gone_or_was_renamed_is_found_by_the_path_it_had(mine: Machine) -> None:
    text = "- redis is on port 6380 for all tests\n- the cart needs a seed\n"
    save(mine, text)
    mine.git("mv", NOTE, "shop/topics/traps.md")
    mine.git("commit", "-qm", "renamed")
    commit(mine.open(), NOW)
    assert lines(mine, "topics/gotcha")[0] == ("* renamed to shop/topics/traps.md",)
    assert [(d.path, d.lines[0]) for d in past(mine, "topics/traps")] == [
        ("shop/topics/traps.md", f"* renamed from {NOTE}"),
        (NOTE, "* new"),
    ]
    first = past(mine, "topics/traps")[-1].commit
    assert version(mine.open(), parse_target("topics/traps"), mine.project(), first).path == NOTE
    (mine.clone / "shop/topics/traps.md").unlink()
    commit(mine.open(), NOW)
    assert lines(mine, "topics/traps")[0] == (
        "* removed",
        "- redis is on port 6380 for all tests",
        "- the cart needs a seed",
    )


def test_an_entry_is_followed_through_edits_that_change_its_id(mine: Machine) -> None:
    save(mine, "- other\n")
    save(mine, "- other\n- the port of redis is 6379\n")
    save(mine, "- another\n- the port of redis is 6379\n")
    save(mine, "# T\n\n- another\n- the port of redis is 6380\n")
    entry = id_of(mine, "6380")
    assert lines(mine, entry) == [("~ the port of redis is 6380",), ("+ the port of redis is 6379",)]
    first = past(mine, entry)[-1].commit
    assert version(mine.open(), parse_target(entry), None, first).data == b"- the port of redis is 6379\n"
    before = past(mine, NOTE)[-1].commit
    with pytest.raises(NotFound, match="is not in"):
        version(mine.open(), parse_target(entry), None, before)


def test_an_entry_with_an_id_of_its_own_is_told_when_its_words_change(mine: Machine) -> None:
    save(mine, "- one <!-- ^fixed -->\n")
    save(mine, "- something entirely else <!-- ^fixed -->\n- b\n")
    assert lines(mine, "^fixed") == [("~ something entirely else",), ("+ one",)]


def test_what_became_of_an_entry_that_was_remembered_is_told_by_its_old_id(mine: Machine) -> None:
    made = mine.remember("the port of redis is 6379", category="gotcha")
    commit(mine.open(), NOW)
    save(mine, mine.read(NOTE).replace("6379", "6380"))
    save(mine, mine.read(NOTE).replace("- [gotcha] the port of redis is 6380\n", ""))
    assert lines(mine, f"^{made.id}") == [
        ("- [gotcha] the port of redis is 6380",),
        ("~ [gotcha] the port of redis is 6380",),
        ("+ [gotcha] the port of redis is 6379",),
    ]


@pytest.mark.parametrize("target", ["never", "global:never", "^" + "0" * 12, "global/never.md"])
def test_nothing_that_matches_is_said(mine: Machine, target: str) -> None:
    with pytest.raises(NotFound):
        past(mine, target)


def test_what_is_not_committed_has_no_past(mine: Machine) -> None:
    mine.write(NOTE, "- new <!-- ^fresh -->\n")
    for target in ("topics/gotcha", "^fresh"):
        with pytest.raises(NotFound, match="no commit has"):
            past(mine, target)


def test_a_commit_is_named_by_its_first_digits(mine: Machine) -> None:
    save(mine, "- a\n")
    commit_id = past(mine)[0].commit

    def read(start: str) -> Old:
        return version(mine.open(), parse_target(NOTE), None, start)

    assert read(commit_id[:7].upper()).commit == commit_id
    for start in ("HEAD", "x" * 8, "main~1", "0" * 41):
        with pytest.raises(UsageError, match="is no commit"):
            read(start)
    with pytest.raises(NotFound) as short:
        read(commit_id[:3])
    assert short.value.hint == "Give at least 4 characters of an id."
    with pytest.raises(NotFound, match="no commit 0000"):
        read("00000000")


def test_bytes_of_a_version_are_as_they_were(mine: Machine) -> None:
    (mine.clone / "shop").mkdir(exist_ok=True)
    (mine.clone / "shop/a.md").write_bytes(b"- caf\xc3\xa9 \xff\r\n")
    commit(mine.open(), NOW)
    start = past(mine)[0].commit
    assert version(mine.open(), parse_target("shop/a"), None, start).data == b"- caf\xc3\xa9 \xff\r\n"


def test_a_hostile_commit_is_told_all_the_same(mine: Machine) -> None:
    tree = mine.git("rev-parse", "HEAD^{tree}")
    parent = mine.git("rev-parse", "HEAD")
    raw = (
        f"tree {tree}\nparent {parent}\nauthor \udcff <x> 99999999999999 +0000\n"
        f"committer x <x> 99999999999999 +0000\nencoding klingon\n\nsub\udcffject\x1b[31m\n"
    )
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=mine.clone,
        input=raw.encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=True,
    )
    mine.git("update-ref", "HEAD", made.stdout.decode().strip())
    newest = past(mine)[0]
    assert newest.subject.startswith("sub\ufffdject")
    assert newest.when.year == 1970


def test_whatever_names_a_note_or_entry_finds_its_past(mine: Machine) -> None:
    save(mine, "- one fact\n- another one\n")
    whole = id_of(mine, "one fact")
    output = lines(mine, whole)
    assert output == [("+ one fact",)]
    for target in (whole[:6], whole[1:], f"{NOTE}#L1", "gotcha#L1"):
        assert lines(mine, target) == output
    assert lines(mine, "gotcha") == lines(mine, NOTE)


def test_the_past_of_a_forgotten_entry_is_found_by_the_beginning_of_its_id(mine: Machine) -> None:
    made = mine.remember("soon gone", category="gotcha")
    mine.sync()
    forget(mine.open(), parse_target(f"^{made.id}"), mine.project(), Origin("ada"), NOW)
    mine.sync()
    assert lines(mine, f"^{made.id[:6]}") == lines(mine, f"^{made.id}")


@pytest.mark.parametrize("target", ["topics/none", "none", "0000aaaa", f"{NOTE}#L99", "^0000aaaa"])
def test_what_never_was_has_no_past(mine: Machine, target: str) -> None:
    save(mine, "- one fact\n")
    with pytest.raises(NotFound):
        past(mine, target)


def test_a_note_that_is_gone_is_found_by_the_name_that_its_project_has_now(mine: Machine) -> None:
    save(mine, "- redis is on port 6380 for all tests\n")
    save(mine, "- the cart needs a seed\n")
    (mine.clone / NOTE).unlink()
    mine.remember("kept, and by a command: the project is registered")
    commit(mine.open(), NOW)
    for name in ("store", "mart"):
        memory = mine.open()
        rename_project(memory, require_project(mine.project()), name, Origin(memory.host), NOW)
        commit(mine.open(), NOW)
    first = past(mine, "topics/gotcha")[-1]
    assert (first.path, first.lines[0]) == (NOTE, "* new")
    old = version(mine.open(), parse_target("topics/gotcha"), mine.project(), first.commit)
    assert (old.path, old.data) == (NOTE, b"- redis is on port 6380 for all tests\n")
    with pytest.raises(NotFound, match=r"mart/topics/none\.md"):
        past(mine, "topics/none")
