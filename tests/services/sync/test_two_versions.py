"""Two versions of one fact, made on two machines while they were apart: one stays, the other is put aside."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from long import rotating
from machines import NOW, Machine
from marked import marks_of

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.history.conflict_copies import conflicts
from ctxrepo.services.notes.changing import EditRequest, Passage, Whole, edit
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.entries import entries_of_scopes

NOTE = "shop/topics/ports.md"
Pair = tuple[Machine, Machine]
Merging = Callable[[Machine], None]


def line(name: str, port: int) -> str:
    return f"- The {name} service listens on port {port} in staging\n"


TEXT = line("basket", 8081) + line("payment", 8082) + line("search", 8083)


def change(machine: Machine, target: str, how: Passage | Whole) -> None:
    memory = machine.open()
    edit(memory, EditRequest(parse_target(target), how), machine.project(), Origin(memory.host), NOW)


def by_passage(machine: Machine, port: int) -> None:
    change(machine, NOTE, Passage("8082", str(port)))


def by_line(machine: Machine, port: int) -> None:
    number = 1 + machine.read(NOTE).splitlines().index(line("payment", 8082).strip())
    change(machine, f"{NOTE}#L{number}", Passage("8082", str(port)))


def anew(machine: Machine, port: int) -> None:
    old = next(e for e in entries_of(NOTE, machine.read(NOTE)) if "payment" in e.text)
    change(machine, f"^{old.id}", Whole(f"{port} is where money goes"))


def by_hand(machine: Machine, port: int) -> None:
    machine.write(NOTE, machine.read(NOTE).replace("8082", str(port)))


def meet(*machines: Machine) -> None:
    for machine in machines * 2:
        machine.sync()


BACK = "on one machine and changed on another: it is"


WAS = {"forget": "removed", "archive": "archived", "move": ""}


def by_command(machine: Machine, *words: str) -> None:
    assert machine.ctxrepo(*words).returncode == 0


@pytest.mark.parametrize("who", [(0, 1, 0), (1, 0, 1)], ids=["who removed it first", "who edited it first"])
@pytest.mark.parametrize("how", ["forget", "archive"])
def test_a_note_that_was_removed_and_edited_meanwhile_is_back_and_both_are_told(
    pair: Pair, how: str, who: tuple[int, ...]
) -> None:
    ada, ben = pair
    others = [f"shop/topics/{name}.md" for name in ("hosts", "users")]
    for path in (NOTE, *others):
        ada.write(path, TEXT.replace("staging", path))
    by_command(ada, "remember", "Port 8084 is the wiki's", "--pin", "--note", "shop:topics/ports.md")
    ada.sync()
    ben.sync()
    by_command(ada, how, "shop:topics/ports.md")
    by_command(ada, how, "shop:topics/hosts.md")
    by_command(ben, "remember", "Port 8085 is the blog's", "--note", "shop:topics/ports.md")
    lines: list[str] = []
    for number in who:
        lines += (notices := [line for line in pair[number].sync().notices if BACK in line])
        assert set(notices) <= {f"{NOTE} was {WAS[how]} {BACK} there again"}
    assert len(lines) == 2
    assert ada.tree() == ben.tree()
    assert {"- Port 8084 is the wiki's", "- Port 8085 is the blog's"} <= {*ada.read(NOTE).splitlines()}
    assert not (ada.clone / others[0]).exists()
    assert not (ada.clone / "shop/archive/topics/ports.md").exists()
    if how == "archive":
        (pinned,) = (entry.id for entry in entries_of(NOTE, ada.read(NOTE)) if "wiki" in entry.text)
        assert marks_of(ada.open(), ada.tree()).pinned == {pinned}
    assert not [line for machine in pair for line in machine.sync().notices]


FORGOTTEN = [
    (["Releases are cut on Tuesday by hand"], ["Redis listens on 6380 in CI"], "shop:topics/ci.md"),
    (
        ["Staging database is db1.example.org port 5432", "Staging deploys need VPN"],
        ["Production database is db7.example.org port 5432", "Production deploys need VPN"],
        "shop:topics/production.md",
    ),
    (["The wiki is at wiki.example.org"], ["I like the wiki at wiki.example.org"], "global:topics/taste.md"),
]


@pytest.mark.parametrize("way", ["forget", "rm"])
@pytest.mark.parametrize(("facts", "others", "note"), FORGOTTEN, ids=["unlike", "alike", "global"])
def test_a_note_that_was_removed_is_not_the_one_that_was_made_meanwhile(
    pair: Pair, facts: list[str], others: list[str], note: str, way: str
) -> None:
    ada, ben = pair
    for fact in facts:
        by_command(ada, "remember", fact, "--note", "shop:topics/ports.md")
    meet(ada, ben)
    if way == "forget":
        by_command(ben, "forget", "shop:topics/ports.md")
    else:
        (ben.clone / NOTE).unlink()
        ben.sync(send=False)
    for fact in others:
        by_command(ben, "remember", fact, "--note", note)
    by_command(ada, "remember", "Ask Bob before", "--note", "shop:topics/ports.md")
    meet(ada, ben)
    made = note.replace(":", "/")
    assert [entry.text for entry in entries_of(made, ada.read(made))] == [f"- {fact}" for fact in others]
    assert "- Ask Bob before" in ada.read(NOTE)
    assert ada.tree() == ben.tree()
    assert not conflicts(ada.open())


@pytest.mark.parametrize("who", [(0, 1, 0), (1, 0, 1)], ids=["who removed it first", "who moved it first"])
@pytest.mark.parametrize("how", ["forget", "archive", "move"])
def test_a_note_that_was_removed_and_moved_meanwhile_is_where_it_was_moved_to(
    pair: Pair, how: str, who: tuple[int, ...]
) -> None:
    ada, ben = pair
    ada.write(NOTE, TEXT)
    ada.sync()
    ben.sync()
    by_command(ada, how, "shop:topics/ports.md", *(["shop:topics/doors.md"] if how == "move" else []))
    by_command(ben, "move", "shop:topics/ports.md", "shop:topics/gates.md")
    notices = [line for number in who for line in pair[number].sync().notices]
    assert notices == [f"{NOTE} was {WAS[how]} {BACK} at shop/topics/gates.md now"] * (
        0 if how == "move" else 2
    )
    assert ada.tree() == ben.tree()
    assert TEXT in ada.read("shop/topics/gates.md")


def test_who_left_it_to_the_worker_is_told_by_the_next_sync(pair: Pair) -> None:
    ada, ben = pair
    ada.write(NOTE, TEXT)
    ada.sync()
    ben.sync()
    by_command(ada, "archive", "shop:topics/ports.md")
    ada.sync()
    by_passage(ben, 9182)
    for machine in (ben, ada):
        assert not machine.sync(tells=False).notices
    for machine in pair:
        assert machine.sync().notices == (f"{NOTE} was archived {BACK} there again",)
        assert not machine.sync().notices


@pytest.fixture
def apart(pair: Pair) -> Pair:
    ada, ben = pair
    ada.write(NOTE, TEXT)
    ada.sync()
    ben.sync()
    return pair


def require_one(ada: Machine, ben: Machine, kept: str, aside: str) -> None:
    assert ada.tree() == ben.tree()
    note = ada.read(NOTE)
    assert kept in note
    assert aside not in note
    copies = [conflict.copy.other for conflict in conflicts(ada.open()) if conflict.copy]
    assert [aside in copy for copy in copies] == [True]


@pytest.mark.parametrize("first", [0, 1], ids=["ada first", "ben first"])
@pytest.mark.parametrize("change", [by_passage, by_line, anew, by_hand])
def test_of_an_entry_that_both_edited_one_version_stays(
    apart: Pair, change: Callable[[Machine, int], None], first: int
) -> None:
    ada, ben = apart
    change(ada, 9182)
    change(ben, 9282)
    meet(*(apart if first == 0 else apart[::-1]))
    require_one(ada, ben, "9282", "9182")


def test_also_where_each_added_a_neighbour_and_edited_twice(apart: Pair) -> None:
    ada, ben = apart
    for machine, port in ((ada, 9182), (ben, 9282)):
        by_line(machine, 9000)
        change(machine, NOTE, Passage("port 9000", f"{port} is where money goes"))
        machine.write(
            NOTE,
            machine.read(NOTE).replace(line("search", 8083), line(f"new{port}", 1) + line("search", 8083)),
        )
    meet(ada, ben)
    require_one(ada, ben, "9282 is where", "9182 is where")


def test_a_persons_own_git_merges_as_sync_does(apart: Pair) -> None:
    ada, ben = apart
    for machine, port in ((ada, 9182), (ben, 9282)):
        anew(machine, port)
        machine.write(NOTE, machine.read(NOTE).replace(line("search", 8083), line("wiki", 1)))
        commit(machine.open(), NOW)
    ben.sync()
    git = ["git", "pull", "-q", "--no-rebase", "origin", "main"]
    done = subprocess.run(git, cwd=ada.clone, env=ada.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    meet(ada, ben)
    require_one(ada, ben, "9282", "9182")


def move_entry(machine: Machine, to: str) -> None:
    (entry,) = (entry for entry in entries_of(NOTE, machine.read(NOTE)) if "payment" in entry.text)
    by_command(machine, "move", f"^{entry.id}", f"shop:topics/{to}.md")


def places_of_payment(machine: Machine) -> list[str]:
    notes = sorted((machine.clone / "shop/topics").glob("*.md"))
    return [
        f"{note.stem}: {line}" for note in notes for line in note.read_text().split("\n") if "payment" in line
    ]


@pytest.mark.parametrize("who", [(0, 1), (1, 0)], ids=["who moved it first", "who edited it first"])
def test_an_entry_that_was_moved_and_edited_meanwhile_is_there_once(
    apart: Pair, who: tuple[int, int]
) -> None:
    move_entry(apart[0], "doors")
    by_passage(apart[1], 9182)
    meet(*(apart[number] for number in who))
    ada, ben = apart
    assert ada.tree() == ben.tree()
    assert places_of_payment(ada) == [f"ports: {line('payment', 9182).strip()}"]
    assert not conflicts(ada.open())


def test_an_entry_that_both_moved_is_at_one_of_the_places(apart: Pair) -> None:
    for machine, name in zip(apart, ("doors", "gates"), strict=True):
        move_entry(machine, name)
    meet(*apart)
    assert apart[0].tree() == apart[1].tree()
    assert places_of_payment(apart[0]) == [f"gates: {line('payment', 8082).strip()}"]
    assert not conflicts(apart[0].open())


def test_of_an_entry_that_both_edited_and_one_moved_a_version_stays(apart: Pair) -> None:
    ada, ben = apart
    move_entry(ada, "doors")
    by_command(ada, "edit", "shop:topics/doors.md", "--old", "8082", "--new", "9182")
    by_passage(ben, 9282)
    meet(*apart)
    require_one(ada, ben, "9282", "9182")
    assert len(places_of_payment(ada)) == 1


def test_an_entry_with_an_id_of_its_own_that_was_moved_and_edited_is_there_once(apart: Pair) -> None:
    ada, ben = apart
    for machine in (ada, ben):
        machine.write(NOTE, machine.read(NOTE).replace("8082 in staging", "8082 in staging <!-- ^till -->"))
        machine.sync()
    move_entry(ada, "doors")
    by_passage(ben, 9182)
    meet(*apart)
    assert ada.tree() == ben.tree()
    assert places_of_payment(ada) == [
        "ports: - The payment service listens on port 9182 in staging <!-- ^till -->"
    ]
    assert not conflicts(ada.open())


def rename_by_command(machine: Machine, name: str) -> None:
    by_command(machine, "move", "shop:topics/ports.md", f"shop:topics/{name}.md")


def rename_by_hand(machine: Machine, name: str) -> None:
    (machine.clone / NOTE).rename(machine.clone / f"shop/topics/{name}.md")
    machine.sync(send=False)


@pytest.mark.parametrize("rename", [rename_by_command, rename_by_hand])
def test_a_note_that_both_renamed_and_rewrote_is_one(
    apart: Pair, rename: Callable[[Machine, str], None]
) -> None:
    """What each made of it is as unlike as two notes; that both came from one was recorded."""
    for machine, name in zip(apart, ("doors", "gates"), strict=True):
        rename(machine, name)
        text = machine.read(f"shop/topics/{name}.md").replace("listens on", f"is behind the {name} of")
        machine.write(f"shop/topics/{name}.md", text + f"- What the {name} are for\n" * 9)
    meet(*apart)
    ada, ben = apart
    assert ada.tree() == ben.tree()
    assert [note.name for note in (ada.clone / "shop/topics").iterdir()] == ["gates.md"]
    assert len(places_of_payment(ada)) == 1


@pytest.mark.parametrize("rename", [rename_by_command, rename_by_hand])
def test_a_fact_for_a_note_that_was_renamed_elsewhere_goes_into_it(
    apart: Pair, rename: Callable[[Machine, str], None]
) -> None:
    ada, ben = apart
    rename(ada, "doors")
    meet(*apart)
    by_command(ben, "remember", "Port 9999 is the wiki's", "--note", "topics/ports.md")
    assert not (ben.clone / NOTE).exists()
    assert "- Port 9999 is the wiki's" in ben.read("shop/topics/doors.md")


def test_an_entry_with_an_id_of_its_own_in_a_note_that_moved_and_was_added_to(pair: Pair) -> None:
    """A record that it moved to itself made every reader fail."""
    ada, ben = pair
    meet(ada, ben)
    by_command(ada, "remember", "Ask birch", "--note", "shop:topics/b.md", "--id")
    meet(ada, ben)
    by_command(ada, "move", "shop:topics/b.md", "shop:topics/b2.md")
    by_command(ben, "remember", "Oak too", "--note", "shop:topics/b.md")
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    assert ada.read(".ctx/evidence/merges.jsonl").count("moved") == 1  # of the other entry
    for text in ("birch", "Oak"):
        by_command(ada, "search", text)


@pytest.mark.parametrize("is_edited", [False, True], ids=["as written", "edited since"])
def test_of_two_entries_that_supersede_the_same_one_stays(apart: Pair, is_edited: bool) -> None:
    ada, ben = apart
    for machine, name in ((ada, "basket"), (ben, "paying")):
        done = machine.ctxrepo(
            *("remember", f"payments are a part of {name} by now", "--note", f"topics/{name}.md"),
            *("--supersedes", "shop:topics/ports.md#L2"),
        )
        assert done.returncode == 0, done.stderr
    if is_edited:
        change(ada, "shop/topics/basket.md", Passage("by now", "since May"))
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    texts = [ada.read(f"shop/topics/{name}.md") for name in ("basket", "paying")]
    (kept,) = (name for name in ("basket", "paying") if any(f"part of {name}" in text for text in texts))
    (copy,) = (conflict.copy.other for conflict in conflicts(ada.open()) if conflict.copy)
    assert "payments are a part of" in copy
    assert f"part of {kept}" not in copy


@pytest.mark.parametrize("how", ["restore", "remember"])
@pytest.mark.parametrize("who", [(0, 1), (1, 0)], ids=["who edited it first", "who left it first"])
def test_of_an_entry_that_both_brought_back_and_one_edited_the_edit_stays(
    apart: Pair, who: tuple[int, int], how: str
) -> None:
    ada, ben = apart
    text = line("payment", 8082)[2:].strip()
    by_command(ada, "remember", "--pin", text, "--note", "shop:topics/ports.md")
    (entry,) = (e for e in entries_of(NOTE, ada.read(NOTE)) if "payment" in e.text)
    by_command(ada, "forget", f"^{entry.id}")
    meet(ada, ben)
    again = ("remember", text, "--note", "shop:topics/ports.md") if how == "remember" else ()
    for machine in (ada, ben):
        by_command(machine, *(again or ("restore", f"^{entry.id}")))
    by_command(ada, "edit", "shop:topics/ports.md", "--old", "8082", "--new", "9182")
    meet(*(apart[number] for number in who))
    assert ada.tree() == ben.tree()
    assert places_of_payment(ada) == [f"ports: {line('payment', 9182).strip()}"]
    assert not conflicts(ada.open())


def test_an_entry_stated_again_after_its_edit_stays_beside_it(apart: Pair) -> None:
    ada, ben = apart
    by_command(ada, "edit", "shop:topics/ports.md", "--old", "8082", "--new", "9182")
    by_command(ada, "remember", line("payment", 8082)[2:].strip(), "--note", "shop:topics/ports.md")
    ben.write("shop/topics/users.md", "- The wiki has no users\n")
    meet(ada, ben)
    assert len(places_of_payment(ben)) == 2


@pytest.mark.parametrize("by", ["undo", "hand"])
def test_an_entry_that_went_without_a_record_and_was_edited_meanwhile_is_told(apart: Pair, by: str) -> None:
    ada, ben = apart
    by_command(ada, "remember", "The wolf listens on port 999", "--note", "shop:topics/ports.md")
    meet(ada, ben)
    if by == "undo":
        by_command(ada, "undo")
    else:
        ada.write(NOTE, "".join(x for x in ada.read(NOTE).splitlines(keepends=True) if "wolf" not in x))
    by_command(ben, "edit", "shop:topics/ports.md", "--old", "999", "--new", "998")
    notices = [line for machine in (ada, ben, ada) for line in machine.sync().notices if BACK in line]
    (left,) = (e for e in entries_of(NOTE, ada.read(NOTE)) if "wolf" in e.text)
    assert notices == [f"an entry of {NOTE} was removed {BACK} ^{left.id} in {NOTE} now"] * 2


def test_an_id_of_its_own_that_one_side_moved_and_the_other_edited_in_a_renamed_note_is_there_once(
    apart: Pair,
) -> None:
    ada, ben = apart
    by_command(ada, "remember", "Stable fact on port 9000", "--id", "--note", "shop:topics/ports.md")
    meet(ada, ben)
    (entry,) = (e for e in entries_of(NOTE, ada.read(NOTE)) if "Stable" in e.text)
    by_command(ada, "edit", f"^{entry.id}", "--old", "9000", "--new", "9001")
    by_command(ada, "move", "shop:topics/ports.md", "shop:topics/gates.md")
    by_command(ben, "move", f"^{entry.id}", "shop:topics/stable.md")
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    lines = [
        x for note in ada.clone.rglob("*.md") for x in note.read_text().splitlines() if "Stable fact" in x
    ]
    assert lines == [f"- Stable fact on port 9001 <!-- ^{entry.id} -->"]


@pytest.mark.parametrize("is_renamed", [False, True], ids=["in place", "renamed"])
def test_undo_of_a_removal_puts_nothing_beside_what_was_edited_meanwhile(
    apart: Pair, is_renamed: bool
) -> None:
    ada, ben = apart
    (entry,) = (e for e in entries_of(NOTE, ada.read(NOTE)) if "payment" in e.text)
    by_command(ben, "forget", f"^{entry.id}")
    by_command(ada, "edit", f"^{entry.id}", "--old", "8082", "--new", "9182")
    if is_renamed:
        by_command(ada, "move", "shop:topics/ports.md", "shop:topics/gates.md")
    meet(ada, ben)
    done = ben.ctxrepo("undo")
    assert done.returncode == 6
    assert "is there, changed meanwhile, as ^" in done.stderr
    assert len(places_of_payment(ben)) == 1
    by_command(ben, "restore", f"^{entry.id}")
    (line,) = places_of_payment(ben)
    assert "8082" in line


@pytest.mark.parametrize("who", [(0, 1, 0), (1, 0, 1)], ids=["who removed it first", "who changed it first"])
@pytest.mark.parametrize(("way", "how"), [("forget", "edited"), ("forget", "moved"), ("archive", "edited")])
def test_an_entry_that_was_removed_and_changed_meanwhile_is_there_and_both_are_told(
    apart: Pair, who: tuple[int, ...], way: str, how: str
) -> None:
    ada, ben = apart
    (entry,) = (e for e in entries_of(NOTE, ada.read(NOTE)) if "payment" in e.text)
    by_command(ada, way, f"^{entry.id}")
    if how == "moved":
        move_entry(ben, "doors")
    else:
        by_passage(ben, 9182)
    notices = [notice for number in who for notice in apart[number].sync().notices]
    place = "shop/topics/doors.md" if how == "moved" else NOTE
    (left,) = (e for e in entries_of(place, ada.read(place)) if "payment" in e.text)
    assert notices == [f"an entry of {NOTE} was {WAS[way]} {BACK} ^{left.id} in {place} now"] * 2
    assert not (ada.clone / "shop/archive/topics/ports.md").exists()
    assert ada.tree() == ben.tree()
    assert not [notice for machine in apart for notice in machine.sync().notices]


@pytest.mark.parametrize("who", [0, 1], ids=["who edited", "who deleted"])
def test_of_what_a_hand_deleted_undo_brings_back_what_is_gone_and_leaves_what_was_edited(
    apart: Pair, who: int
) -> None:
    ada, ben = apart
    by_passage(ada, 9182)
    ben.write(NOTE, TEXT.replace(line("payment", 8082), "").replace(line("search", 8083), ""))
    commit(ben.open(), datetime.now(UTC))  # of the last day
    meet(ben, ada)
    (notice,) = [each for each in apart[1 - who].sync().notices if "deleted by hand" in each]
    assert "1 entry deleted by hand" in notice
    done = apart[who].ctxrepo("undo", notice.partition("`ctxrepo undo ")[2].partition("`")[0])
    assert done.returncode == 0
    assert (
        "* `The payment service listens on port 8082 in staging` is there, changed meanwhile" in done.stdout
    )
    meet(ada, ben)
    assert [*map(str.strip, ada.read(NOTE).splitlines())] == [
        *map(str.strip, TEXT.replace("8082", "9182").splitlines())
    ]
    assert ada.tree() == ben.tree()
    assert not [each for machine in apart for each in machine.sync().notices]


@pytest.mark.parametrize("first", ["other", "both", "kept"])
@pytest.mark.parametrize("second", rotating(["other", "both", "kept"], keep=1))
def test_a_conflict_that_two_machines_settled_differently_loses_nothing(
    apart: Pair, first: str, second: str
) -> None:
    ada, ben = apart
    by_passage(ada, 9182)
    by_passage(ben, 9282)
    meet(ada, ben)
    (conflict,) = conflicts(ada.open())
    texts: set[str] = set()
    for machine, keep in ((ada, first), (ben, second)):
        by_command(machine, "conflicts", "resolve", conflict.id, "--keep", keep)
        texts |= {e.plain for e in entries_of(NOTE, machine.read(NOTE))}
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    aside = [each.copy for each in conflicts(ada.open()) if each.copy]
    now = {e.plain for e in entries_of(NOTE, ada.read(NOTE))}
    assert now | {each.other.removeprefix("- ") for each in aside} == texts
    assert bool(aside) == ({first, second} == {"other", "both"} or {first, second} == {"other", "kept"})
    for machine in apart if aside else ():
        assert any("1 version is kept aside" in each for each in machine.sync().notices)
    for machine in apart:
        machine.ctxrepo("undo")
        assert "payment" in machine.read(NOTE)


class TestKeys:
    def remember(self, machine: Machine, value: str, **how: str) -> None:
        machine.remember(value, key="db.port", **how)

    def values(self, machine: Machine) -> list[str]:
        paths = [NOTE, "shop/MEMORY.md", "shop/topics/gotcha.md"]
        texts = [machine.read(path) for path in paths if (machine.clone / path).exists()]
        return [each for text in texts for each in text.splitlines() if "db.port:" in each]

    @pytest.mark.parametrize("is_known", [True, False], ids=["replaced", "new"])
    @pytest.mark.parametrize("first", [0, 1], ids=["ada first", "ben first"])
    def test_a_key_that_both_gave_a_value_has_one(self, apart: Pair, is_known: bool, first: int) -> None:
        ada, ben = apart
        if is_known:
            self.remember(ada, "the database listens on port 5432")
            meet(ada, ben)
        self.remember(ada, "the database listens on port 6000")
        self.remember(ben, "use the managed instance, any port")
        meet(*(apart if first == 0 else apart[::-1]))
        assert ada.tree() == ben.tree()
        assert self.values(ada) == ["- db.port: use the managed instance, any port"]
        assert [c.copy.other for c in conflicts(ada.open()) if c.copy] == [
            "- db.port: the database listens on port 6000"
        ]

    def test_also_in_two_notes_of_the_scope(self, apart: Pair) -> None:
        ada, ben = apart
        self.remember(ada, "6000")
        self.remember(ben, "7000, as of 2026-11-20", category="gotcha")
        meet(ada, ben)
        assert ada.tree() == ben.tree()
        assert self.values(ada) == ["- [gotcha] db.port: 7000, as of 2026-11-20"]
        assert [c.copy.other for c in conflicts(ada.open()) if c.copy] == ["- db.port: 6000"]

    @pytest.mark.parametrize(
        "there", ["", "## Old\n\n- The old gateway is gone\n"], ids=["new", "below a heading"]
    )
    def test_also_if_an_import_brought_one(self, apart: Pair, there: str) -> None:
        ada, ben = apart
        if there:
            ada.write("shop/topics/gotcha.md", there)
            meet(ada, ben)
        facts = ada.home / "facts.jsonl"
        facts.write_text('{"text": "6000", "key": "db.port", "category": "gotcha"}\n')
        by_command(ada, "import", "jsonl", str(facts), "--scope", "project", "--yes")
        self.remember(ben, "7000, as of 2026-11-20")
        meet(ada, ben)
        assert ada.tree() == ben.tree()
        assert len(self.values(ada)) == 1
        assert len([c for c in conflicts(ada.open()) if c.copy]) == 1

    def test_a_key_of_another_scope_is_another_key(self, apart: Pair) -> None:
        ada, ben = apart
        self.remember(ada, "6000")
        self.remember(ben, "7000", scope="global")
        meet(ada, ben)
        assert self.values(ada) == ["- db.port: 6000"]
        assert conflicts(ada.open()) == []


@pytest.mark.parametrize("note", ["shop:topics/ports.md", "shop:MEMORY.md"])
def test_an_entry_that_was_forgotten_is_not_the_one_that_was_stated_meanwhile(apart: Pair, note: str) -> None:
    ada, ben = apart
    old = next(e for e in entries_of(NOTE, ben.read(NOTE)) if "payment" in e.text)
    by_command(ben, "forget", f"^{old.id}")
    by_command(ben, "remember", "The payment service listens on port 9082 in production", "--note", note)
    by_passage(ada, 8182)
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    assert not conflicts(ada.open())
    assert "port 8182 in staging" in ada.read(NOTE)
    assert "port 9082 in production" in ada.read(note.replace(":", "/"))


@pytest.mark.parametrize(
    "who", [(0, 1, 0), (1, 0, 1)], ids=["who superseded it first", "who edited it first"]
)
def test_an_entry_that_was_superseded_and_edited_meanwhile_is_told_on_both(
    apart: Pair, who: tuple[int, ...]
) -> None:
    ada, ben = apart
    old = next(e for e in entries_of(NOTE, ben.read(NOTE)) if "payment" in e.text)
    by_command(ben, "remember", "Payments are made by another company", "--supersedes", f"^{old.id}")
    by_passage(ada, 8182)
    notices = [line for number in who for line in apart[number].sync().notices]
    assert [line.partition("; ")[0].partition(":")[0] for line in notices] == [
        f"an entry of {NOTE} was superseded on one machine and changed on another"
    ] * 2
    command = notices[0].split("`")[1].split()
    assert ada.ctxrepo(*command[1:]).returncode == 0
    assert "(superseded)" not in ada.ctxrepo("search", "8182").stdout


@pytest.mark.parametrize("how", ["--supersedes", "--key"])
def test_so_it_is_if_it_was_moved_before(pair: Pair, how: str) -> None:
    ada, ben = pair
    by_command(ada, "remember", "Payments are on 8082", "--key", "payments", "--note", "shop:topics/ports.md")
    meet(ada, ben)
    (old,) = entries_of(NOTE, ben.read(NOTE))
    by_command(ada, "move", f"^{old.id}", "shop:topics/net.md")
    (there,) = entries_of("shop/topics/net.md", ada.read("shop/topics/net.md"))
    name = f"^{there.id}" if how == "--supersedes" else "payments"
    by_command(ada, "remember", "Payments are made by another company", how, name)
    by_command(ben, "edit", "topics/ports.md", "--old", "8082", "--new", "8182")
    notices = [line for machine in (ada, ben, ada) for line in machine.sync().notices]
    assert ada.tree() == ben.tree()
    assert [line.partition("; ")[0].partition(":")[0] for line in notices] == [
        f"an entry of {NOTE} was superseded on one machine and changed on another"
    ] * 2
    assert "(superseded)" in next(
        line for line in ada.ctxrepo("search", "8182").stdout.splitlines() if "8182" in line
    )


def test_of_two_that_supersede_what_each_machine_had_edited_before_one_stays(apart: Pair) -> None:
    for machine, port, text in zip(apart, (8182, 8282), ("by bank", "by post"), strict=True):
        by_passage(machine, port)
        (mine,) = (e for e in entries_of(NOTE, machine.read(NOTE)) if "payment" in e.text)
        words = (f"Payments are made {text}", "--supersedes", f"^{mine.id}", "--note", f"topics/{port}.md")
        by_command(machine, "remember", *words)
    meet(*apart)
    ada, ben = apart
    assert ada.tree() == ben.tree()
    output = ada.ctxrepo("search", "made").stdout
    assert ("by bank" in output) != ("by post" in output)
    copies = [each.copy.other for each in conflicts(ada.open()) if each.copy]
    assert ["Payments are made" in copy for copy in copies].count(True) == 1


def test_an_entry_that_a_hand_put_into_another_note_and_the_other_edited_is_there_once(pair: Pair) -> None:
    ada, ben = pair
    by_command(ada, "remember", "Bees need 24 volts in the lab", "--note", "shop:topics/ports.md")
    meet(ada, ben)
    ben.write(NOTE, ben.read(NOTE).replace("- Bees need 24 volts in the lab\n", ""))
    ben.write("shop/topics/lab.md", "- Bees need 24 volts in the lab\n")
    change(ada, NOTE, Passage("24", "48"))
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    texts = [ada.read(path) for path in (NOTE, "shop/topics/lab.md") if (ada.clone / path).exists()]
    assert [text.count("Bees") for text in texts if "Bees" in text] == [1]
    assert "48 volts" in "".join(texts)


def test_undo_leaves_what_another_machine_remembered_in_the_same_words(pair: Pair) -> None:
    ada, ben = pair
    meet(ada, ben)
    for machine in (ada, ben):
        by_command(machine, "remember", "Port 602 is the river's", "--note", "shop:topics/ports.md")
    meet(ada, ben)
    refused = ben.ctxrepo("undo")
    assert refused.returncode == 6
    assert "somebody else remembered it, too" in refused.stderr
    meet(ada, ben)
    assert "- Port 602 is the river's" in ada.read(NOTE)
    by_command(ben, "forget", refused.stderr.partition("ctxrepo forget ")[2].partition("`")[0])
    meet(ada, ben)
    assert "river" not in ada.read(NOTE)


@pytest.mark.parametrize("how", ["edit", "move", "rename"])
def test_what_one_machine_undid_and_the_other_went_on_from_is_there_once(apart: Pair, how: str) -> None:
    """An undo that took the record of the move away left two of everything."""
    ada, ben = apart
    (entry,) = (e for e in entries_of(NOTE, ada.read(NOTE)) if "payment" in e.text)
    if how == "edit":
        by_passage(ada, 8182)
    elif how == "move":
        by_command(ada, "move", f"^{entry.id}", "shop:topics/net.md")
    else:
        by_command(ada, "move", "shop:topics/ports.md", "shop:topics/net.md")
    meet(ada, ben)
    ada.sync()
    by_command(ada, "undo")
    by_command(ben, "search", "payment")
    note = "shop:topics/ports.md" if how == "edit" else "shop:topics/net.md"
    by_command(ben, "edit", note, "--old", "8182" if how == "edit" else "8082", "--new", "8382")
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    assert len(places_of_payment(ada)) == 1
    kept = [each.copy.other for each in conflicts(ada.open()) if each.copy]
    assert "8382" in "".join((*places_of_payment(ada), *kept))


def test_the_undo_that_a_refusal_names_can_be_done(pair: Pair) -> None:
    ada, ben = pair
    for text in TEXT.splitlines():
        by_command(ada, "remember", text.removeprefix("- "), "--note", "shop:topics/ports.md")
    meet(ada, ben)
    by_passage(ada, 8182)
    move_entry(ben, "z")
    by_command(ben, "search", "payment")  # commits the move
    moved = next(iter(entries_of("shop/topics/z.md", ben.read("shop/topics/z.md"))))
    change(ben, f"^{moved.id}", Passage("8082", "8282"))
    for machine in (ada, ben, ada):
        machine.sync()
    refused = ada.ctxrepo("undo").stderr
    assert "changed since" in refused
    named = [way.split() for way in refused.split("`") if way.startswith("ctxrepo undo ")]
    assert not [way for way in named if ada.ctxrepo(*way[1:]).returncode]


def supersede(machine: Machine, port: int) -> None:
    old = next(e for e in entries_of(NOTE, machine.read(NOTE)) if "payment" in e.text)
    by_command(machine, "remember", line("payment", port)[2:].strip(), "--supersedes", old.id)


@pytest.mark.parametrize("how", [by_passage, by_hand, supersede])
@pytest.mark.parametrize("stays", [True, False], ids=["a part stays", "into two new notes"])
def test_an_entry_that_a_hand_put_into_another_note_while_it_was_changed_has_one_version(
    apart: Pair, how: Callable[[Machine, int], None], stays: bool
) -> None:
    ada, ben = apart
    first, *others = TEXT.splitlines(keepends=True)
    ada.write("shop/topics/money.md", "".join(others))
    ada.write(NOTE if stays else "shop/topics/basket.md", first)
    if not stays:
        (ada.clone / NOTE).unlink()
    ada.sync(send=False)
    how(ben, 9182)
    ben.sync(send=False)
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    memory = ada.open()
    paths = (path for path in memory.worktree.scan("shop").files if path.endswith(".md"))
    struck = marks_of(memory, ada.tree()).struck
    entries = [e for path in paths for e in entries_of(path, ada.read(path)) if e.id not in struck]
    assert [e.text.strip() for e in entries if "payment" in e.text] == [line("payment", 9182).strip()]
    rest = sorted(e.text.strip() for e in entries if "payment" not in e.text)
    assert rest == [first.strip(), others[1].strip()]


@pytest.mark.parametrize("name", ["ports.txt", ".ports.md"])
@pytest.mark.parametrize("first", [0, 1], ids=["ada first", "ben first"])
def test_a_note_that_became_no_note_while_it_was_added_to_is_there_again(
    apart: Pair, name: str, first: int
) -> None:
    ada, ben = apart
    (ada.clone / NOTE).rename(ada.clone / "shop/topics" / name)
    ada.sync(send=False)
    by_command(ben, "remember", "Port 8085 is the blog's", "--note", "shop:topics/ports.md")
    ben.sync(send=False)
    machines = apart[first], apart[1 - first]
    notices = [each for machine in machines * 2 for each in machine.sync().notices if BACK in each]
    assert notices == [f"{NOTE} was removed {BACK} there again"] * 2
    assert ada.tree() == ben.tree()
    assert ada.read(NOTE) == f"{TEXT}- Port 8085 is the blog's\n"
    assert ada.read(f"shop/topics/{name}") == TEXT


@pytest.mark.parametrize("first", [0, 1], ids=["ada first", "ben first"])
def test_an_old_id_leads_to_the_entry_that_two_machines_moved_to_two_notes(apart: Pair, first: int) -> None:
    ada, ben = apart
    old = next(e.id for e in entries_of(NOTE, ada.read(NOTE)) if "payment" in e.text)
    for machine, note in ((ada, "topics/money.md"), (ben, "topics/bank.md")):
        by_command(machine, "move", old, note)
        machine.sync(send=False)
    meet(apart[first], apart[1 - first])
    for machine in apart:
        assert "payment service listens on port 8082" in machine.ctxrepo("read", old).stdout


def _says(machine: Machine, number: int, is_new: bool) -> None:
    machine.remember(f"cluster {number}", key="deploy", note=parse_target("topics/deploy.md"))


def _says_and_moves(machine: Machine, number: int, is_new: bool) -> None:
    _says(machine, number, is_new)
    by_command(machine, "move", "topics/deploy.md", "topics/releases.md")


def _rewrites(machine: Machine, number: int, is_new: bool) -> None:
    if is_new:
        _says(machine, number, is_new)
    else:
        old = next(
            e for e in machine.open().cache.ask(entries_of_scopes, ["shop"]) if "deploy" in e.entry.text
        )
        change(machine, f"^{old.entry.id}", Whole(f"deploy: nothing is alike in {number}"))


def _supersedes(machine: Machine, number: int, is_new: bool) -> None:
    known_words = "something else" if is_new else "deploy"
    old = next(
        e.entry for e in machine.open().cache.ask(entries_of_scopes, ["shop"]) if known_words in e.entry.text
    )
    words = ("the robot does it nightly", "nobody before the audit")[number % 2]
    machine.remember(f"deploy: {words}", supersedes=parse_target(f"^{old.id}"))


@pytest.mark.parametrize("is_new", [True, False], ids=["a new key", "a known key"])
@pytest.mark.parametrize("how", [_says, _says_and_moves, _rewrites, _supersedes])
@pytest.mark.parametrize("who", [(0, 1), (1, 0)], ids=["who renamed it first", "who wrote first"])
def test_of_what_two_machines_say_while_one_renames_the_project_one_version_holds(
    pair: Pair, is_new: bool, how: Callable[[Machine, int, bool], None], who: tuple[int, int]
) -> None:
    ada, ben = pair
    ada.remember("something else")
    if not is_new:
        _says(ada, 0, is_new)
    meet(ada, ben)
    (_says if how is _says_and_moves else how)(ada, 1, is_new)
    by_command(ada, "project", "rename", "store")
    how(ben, 2, is_new)
    meet(*(pair[number] for number in who))
    for machine in pair:
        entries = machine.open().cache.ask(entries_of_scopes, ["store", "shop"])
        assert len([e for e in entries if "deploy: " in e.entry.text and not e.is_struck]) == 1
        assert len(conflicts(machine.open())) == 1
    assert ada.tree() == ben.tree()


def test_a_key_stays_one_in_a_project_that_was_renamed(pair: Pair) -> None:
    ada, _ = pair
    ada.remember("argo", key="deploy")
    by_command(ada, "project", "rename", "store")
    ada.write("store/other.md", "- deploy: flux\n")
    assert "is a value of the key deploy as well" in ada.ctxrepo("check").stdout


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["archive"], "archived"),
        (["forget"], "removed"),
        (["remember", "other", "--supersedes"], "superseded"),
    ],
)
def test_an_entry_that_was_pinned_and_put_out_of_view_meanwhile_is_told(
    pair: Pair, words: list[str], what: str
) -> None:
    ada, ben = pair
    fact = ada.remember("The gate is green")
    ada.remember("Another one stays")
    meet(ada, ben)
    by_command(ada, *words, f"^{fact.id}")
    ben.remember("The gate is green", pin=True)
    for machine in pair:
        machine.sync(send=False)
    notices = [line for machine in (ada, ben, ada) for line in machine.sync().notices]
    assert len(notices) == 2
    for line in notices:
        assert line.startswith(
            f"an entry of shop/MEMORY.md was pinned on one machine and {what} on another; "
        )
        assert ada.ctxrepo("restore", line.split("`ctxrepo restore ")[1].split("`")[0]).returncode == 0
    current = [e.entry.plain for e in ada.open().cache.ask(entries_of_scopes, ["shop"]) if not e.is_struck]
    assert "The gate is green" in current


def test_of_one_key_one_value_holds_where_its_note_was_renamed_by_hand_and_begun_anew(pair: Pair) -> None:
    ada, ben = pair
    ada.remember("something else")
    meet(ada, ben)
    by_command(ada, "project", "rename", "store")
    (ada.clone / "store/MEMORY.md").rename(ada.clone / "store/before.md")
    ada.remember("argo", key="deploy")
    ben.remember("flux", key="deploy")
    meet(ada, ben)
    for machine in pair:
        entries = machine.open().cache.ask(entries_of_scopes, ["store"])
        assert len([e for e in entries if "deploy: " in e.entry.text and not e.is_struck]) == 1
        assert len(conflicts(machine.open())) == 1
