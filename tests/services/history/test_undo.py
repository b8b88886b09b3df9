"""undo takes back what a command or a commit did, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada
from marked import marks_of
from reviewers import NOTE as SHARED
from reviewers import make_people, send_for_review, squash

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.target import Target, parse_destination, parse_target
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, UsageError
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.history.undoing import Undone, redo, undo, undo_commit
from ctxrepo.services.notes.changing import EditRequest, Passage, edit, new, set_tags
from ctxrepo.services.notes.placing import archive, forget, move
from ctxrepo.services.notes.requests import NewNoteRequest, TagChange, TickRequest
from ctxrepo.services.notes.working_notes import add, log, tick
from ctxrepo.services.projects.link_project import rename_project
from ctxrepo.services.reading.find import require_project
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"
MEMORY = "shop/MEMORY.md"


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(begun)


def begun(place: Path) -> Machine:
    ada = make_ada(place)
    ada.remember("the first")
    commit(ada.open(), NOW)
    return ada


def back(machine: Machine, commit_id: str = "") -> Undone:
    memory = machine.open()
    if commit_id:
        return undo_commit(memory, commit_id, Origin(memory.host), NOW)
    return undo(memory, Origin(memory.host), NOW)


def save(machine: Machine) -> str:
    """Commit what there is; the id of the newest commit."""
    done = commit(machine.open(), NOW)
    assert done.head is not None
    return done.head


def said(machine: Machine, path: str) -> list[str]:
    return [e.plain for e in entries_of(path, machine.read(path))]


def marks(machine: Machine) -> Marks:
    memory = machine.open()
    return marks_of(memory, memory.objects.tree_of(save(machine)))


def notes(machine: Machine) -> dict[str, str]:
    """Every note of the worktree."""
    return {str(p.relative_to(machine.clone)): p.read_text() for p in sorted(machine.clone.rglob("*.md"))}


def again(machine: Machine) -> Undone:
    memory = machine.open()
    return redo(memory, Origin(memory.host), NOW)


@pytest.mark.slow
def test_a_fact_is_taken_back_by_a_commit_and_redo_brings_it_again(mine: Machine) -> None:
    before = notes(mine)
    mine.remember("the second", pin=True)
    after = notes(mine)
    pinned = marks(mine).pinned
    assert len(pinned) == 1
    assert back(mine).lines == ("- the second",)
    assert notes(mine) == before
    assert not marks(mine).pinned
    assert mine.git("rev-list", "--count", "HEAD") == "4"
    assert again(mine).what == "undo remember"
    assert notes(mine) == after
    assert marks(mine).pinned == pinned


@pytest.mark.slow
def test_each_undo_is_a_step_further_and_redo_goes_forward(mine: Machine) -> None:
    states = [notes(mine)]
    for text in ("two", "three", "four"):
        mine.remember(text)
        states.append(notes(mine))
    steps = [back(mine) for _ in range(3)]
    assert [(s.saying, s.next_undo, s.next_redo) for s in steps] == [
        ("four", "remember: three", "remember: four"),
        ("three", "remember: two", "remember: three"),
        ("two", "remember: the first", "remember: two"),
    ]
    assert notes(mine) == states[0]
    for state in states[1:3]:
        again(mine)
        assert notes(mine) == state
    back(mine)
    assert notes(mine) == states[1]
    for state in states[2:]:
        again(mine)
        assert notes(mine) == state
    with pytest.raises(NotFound, match="nothing was undone since remember: four"):
        again(mine)


@pytest.mark.slow
def test_a_command_between_leaves_nothing_to_do_again_and_is_the_next_to_go(mine: Machine) -> None:
    mine.remember("two")
    back(mine)
    mine.remember("three")
    with pytest.raises(NotFound):
        again(mine)
    assert [back(mine).saying for _ in range(2)] == ["three", "the first"]
    with pytest.raises(NotFound, match="nothing more to take back"):
        back(mine)
    again(mine)
    again(mine)
    assert said(mine, MEMORY) == ["the first", "three"]
    mine.remember("four")
    back(mine)
    mine.remember("five")
    back(mine)
    assert again(mine).next_redo == ""  # five ended the way to four


@pytest.mark.slow
def test_what_its_commit_was_undone_for_is_passed_over_by_the_next_undo(mine: Machine) -> None:
    mine.remember("two")
    two = save(mine)
    mine.remember("three")
    assert back(mine, two).next_redo == "memory(shop): edit MEMORY"
    assert back(mine).saying == "three"
    assert back(mine).saying == "the first"
    assert [again(mine).saying for _ in range(3)] == ["the first", "three", "memory(shop): edit MEMORY"]
    assert said(mine, MEMORY) == ["the first", "two", "three"]


@pytest.mark.slow
@pytest.mark.parametrize("is_alone", [True, False])
def test_a_step_that_is_refused_names_the_commit_in_its_way(mine: Machine, is_alone: bool) -> None:
    made = mine.remember("the port is 6379")
    save(mine)
    change = Passage("6379", "6380")
    who = Origin(mine.open().host)
    edit(mine.open(), EditRequest(Target(entry_id=made.id), change), mine.project(), who, NOW)
    if is_alone:
        save(mine)
    mine.write(MEMORY, mine.read(MEMORY).replace("6380", "6381 on staging"))
    in_its_way = save(mine)
    mine.write(MEMORY, mine.read(MEMORY) + "- below it\n")
    with pytest.raises(Refused, match=f"changed since in {in_its_way[:10]}: {MEMORY}: the port is") as caught:
        back(mine)
    assert f"`ctxrepo undo {in_its_way[:10]}` takes that back" in caught.value.hint
    back(mine, in_its_way)
    if is_alone:
        assert back(mine).what == "edit"
    assert back(mine).saying == "the port is 6379"
    assert said(mine, MEMORY) == ["the first", "below it"]


@pytest.mark.slow
def test_of_what_another_machine_changed_since_its_commit_is_named(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.remember("the port is 6379")
    ada.sync()
    ben.sync()
    ben.write(MEMORY, ben.read(MEMORY).replace("6379", "6380"))
    bens = save(ben)
    ada.remember("meanwhile", scope="global")
    for machine in (ben, ada):
        machine.sync()
    assert back(ada).saying == "meanwhile"
    with pytest.raises(Refused, match=f"changed since in {bens[:10]}: "):
        back(ada)


@pytest.mark.slow
def test_what_moved_back_is_told_as_that_and_not_as_entries_that_went(mine: Machine) -> None:
    who = Origin(mine.open().host)
    mine.write(NOTE, "".join(f"- trap {n}\n" for n in range(20)))
    save(mine)
    move(mine.open(), parse_target("topics/gotcha"), parse_destination("global:"), mine.project(), who, NOW)
    mine.write("global/topics/gotcha.md", mine.read("global/topics/gotcha.md") + "- written there\n")
    assert back(mine).lines == ("* moved back: global/topics/gotcha.md to shop/topics/gotcha.md",)
    assert again(mine).lines == ("* moved: shop/topics/gotcha.md to global/topics/gotcha.md",)
    back(mine)
    rename_project(mine.open(), require_project(mine.project()), "store", who, NOW)
    assert back(mine).lines == ("* store/ is shop/ now (2 files)",)
    place = Target(entry_id=entries_of(NOTE, mine.read(NOTE))[3].id)
    move(mine.open(), place, parse_destination("topics/other"), mine.project(), who, NOW)
    assert back(mine).lines == ("* moved back: trap 3",)


@pytest.mark.slow
def test_a_commit_says_that_something_was_taken_back_and_what(mine: Machine) -> None:
    mine.remember("redis", category="gotcha")
    redis = save(mine)
    subjects = []
    for way in (back, again, back):
        way(mine)
        save(mine)
        subjects.append(mine.git("log", "-1", "--format=%s"))
    assert subjects == [f"memory(shop): {way} remember topics/gotcha" for way in ("undo", "redo", "undo")]
    again(mine)
    back(mine, redis)
    save(mine)
    assert mine.git("log", "-1", "--format=%s") == f"memory(shop): undo {redis[:10]} topics/gotcha"


@pytest.mark.slow
def test_what_was_written_beside_it_is_not_called_taken_back(mine: Machine) -> None:
    mine.remember("the second")
    back(mine)
    mine.remember("the third")
    save(mine)
    assert mine.git("log", "-1", "--format=%s") == "memory(shop): edit MEMORY"


@pytest.mark.slow
def test_a_note_that_came_with_a_fact_goes_with_it(mine: Machine) -> None:
    mine.remember("redis", category="gotcha")
    back(mine)
    assert not (mine.clone / NOTE).exists()


@pytest.mark.slow
def test_what_others_wrote_since_stays(mine: Machine) -> None:
    mine.remember("redis", category="gotcha")
    first = save(mine)
    mine.remember("postgres", category="gotcha")
    mine.remember("elsewhere")
    save(mine)
    back(mine, first)
    assert said(mine, NOTE) == ["[gotcha] postgres"]
    assert said(mine, MEMORY) == ["the first", "elsewhere"]


@pytest.mark.slow
def test_of_two_commands_in_one_commit_only_the_last_is_taken_back(mine: Machine) -> None:
    mine.remember("one")
    mine.remember("two")
    back(mine)
    assert said(mine, MEMORY) == ["the first", "one"]


@pytest.mark.slow
def test_what_a_key_replaced_holds_again(mine: Machine) -> None:
    first = mine.remember("argo", key="deploy")
    save(mine)
    mine.remember("flux", key="deploy")
    save(mine)
    back(mine)
    assert said(mine, MEMORY) == ["the first", "deploy: argo"]
    assert first.id not in marks(mine).struck


@pytest.mark.slow
def test_what_was_superseded_is_delivered_again(mine: Machine) -> None:
    first = mine.remember("argo")
    mine.remember("flux", supersedes=Target(entry_id=first.id))
    assert first.id in marks(mine).struck
    back(mine)
    assert first.id not in marks(mine).struck


@pytest.mark.slow
def test_a_forgotten_entry_is_where_it_was_with_its_pin(mine: Machine) -> None:
    memory = mine.open()
    pinned = mine.remember("pinned", pin=True)
    mine.remember("the last")
    before = notes(mine)
    forget(memory, Target(entry_id=pinned.id), mine.project(), Origin(memory.host), NOW)
    assert not marks(mine).pinned
    back(mine)
    assert notes(mine) == before
    assert marks(mine).pinned == {pinned.id}


@pytest.mark.slow
def test_a_note_that_was_forgotten_moved_or_archived_is_back(mine: Machine) -> None:
    mine.remember("redis", category="gotcha")
    before = notes(mine)
    who, project = Origin(mine.open().host), mine.project()
    forget(mine.open(), parse_target("topics/gotcha"), project, who, NOW)
    back(mine)
    assert notes(mine) == before
    archive(mine.open(), parse_target("topics/gotcha"), project, who, NOW)
    back(mine)
    assert notes(mine) == before
    move(mine.open(), parse_target("topics/gotcha"), parse_destination("global:"), project, who, NOW)
    save(mine)
    moved = "global/topics/gotcha.md"
    mine.write(moved, mine.read(moved) + "- written there\n")
    save(mine)
    back(mine)
    assert not (mine.clone / moved).exists()
    assert said(mine, NOTE) == ["[gotcha] redis", "written there"]


def test_what_it_does_to_the_marks_of_entries_that_stay_is_said(mine: Machine) -> None:
    old = mine.remember("the port is 1")
    save(mine)
    mine.remember("the port is 1", pin=True)
    assert back(mine).lines == ("* no longer pinned: the port is 1",)
    assert again(mine).lines == ("* pinned again: the port is 1",)
    mine.remember("the port is 2", supersedes=Target(entry_id=old.id))
    lines = ("- the port is 2", "* pinned again: the port is 1", "* holds again: the port is 1")
    assert back(mine).lines == lines
    lines = ("+ the port is 2", "* no longer pinned: the port is 1", "* superseded again: the port is 1")
    assert again(mine).lines == lines


@pytest.mark.parametrize("is_renamed", [False, True])
def test_what_comes_back_into_an_archived_note_leaves_it_in_the_archive(
    mine: Machine, *, is_renamed: bool
) -> None:
    for words in ("redis", "valkey", "kafka"):
        mine.remember(words, category="gotcha")
    save(mine)
    mine.write(NOTE, mine.read(NOTE).replace("- [gotcha] redis\n", ""))
    deletion = save(mine)
    who, project = Origin(mine.open().host), mine.project()
    if is_renamed:
        move(mine.open(), parse_target("topics/gotcha"), parse_destination("topics/g.md"), project, who, NOW)
    archived = archive(
        mine.open(), parse_target(f"topics/{'g' if is_renamed else 'gotcha'}"), project, who, NOW
    )
    save(mine)
    back(mine, deletion)
    assert not (mine.clone / NOTE).exists()
    assert said(mine, archived.at) == ["[gotcha] redis", "[gotcha] valkey", "[gotcha] kafka"]
    again(mine)
    assert said(mine, archived.at) == ["[gotcha] valkey", "[gotcha] kafka"]


@pytest.mark.slow
def test_an_edit_that_was_edited_since_is_refused_and_nothing_changes(mine: Machine) -> None:
    made = mine.remember("the port is 6379")
    save(mine)
    who = Origin(mine.open().host)
    change = Passage("6379", "6380")
    edit(mine.open(), EditRequest(Target(entry_id=made.id), change), mine.project(), who, NOW)
    mine.write(MEMORY, mine.read(MEMORY).replace("6380", "6381 on staging"))
    save(mine)
    before, log_before = notes(mine), mine.git("rev-parse", "HEAD")
    with pytest.raises(Refused, match=r"changed since.*MEMORY.md: the port is 6380"):
        back(mine)
    assert (notes(mine), mine.git("rev-parse", "HEAD")) == (before, log_before)
    assert not mine.open().journal.read()


@pytest.mark.slow
def test_what_an_agent_wrote_is_taken_back_by_its_commit(mine: Machine) -> None:
    mine.write(MEMORY, mine.read(MEMORY).replace("the first", "the first thing") + "- nonsense\n")
    wrong = save(mine)
    mine.remember("right")
    save(mine)
    done = back(mine, wrong[:8])
    assert done.commit == wrong
    assert said(mine, MEMORY) == ["the first", "right"]


@pytest.mark.slow
def test_a_commit_of_another_machine_is_taken_back_on_both(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.remember("from ada", pin=True)
    wrong = save(ada)
    ada.sync()
    ben.remember("from ben")
    ben.sync()
    back(ben, wrong)
    ben.sync()
    ada.sync()
    for machine in pair:
        assert said(machine, MEMORY) == ["from ben"]
        assert not marks(machine).pinned


@pytest.mark.slow
def test_what_another_machine_moved_meanwhile_comes_not_back_beside_itself(
    pair: tuple[Machine, Machine],
) -> None:
    ada, ben = pair
    ada.ctxrepo("remember", "a fact", "--note", "topics/pay.md")
    ada.sync()
    ben.sync()
    ada.ctxrepo("forget", "topics/pay.md")
    ben.ctxrepo("move", "topics/pay.md", "topics/bill.md")
    for machine in (ada, ben, ada):
        machine.sync()
    with pytest.raises(Refused, match="is there, changed meanwhile, as"):
        back(ada)
    assert "a fact" in ada.read("shop/topics/bill.md")
    assert not (ada.clone / "shop/topics/pay.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_amended", [False, True], ids=["reset", "amended"])
def test_what_a_person_took_off_the_branch_is_told_and_comes_back(mine: Machine, is_amended: bool) -> None:
    mine.remember("the second")
    commit(mine.open(), datetime.now(UTC))
    if is_amended:  # another commit says the same
        mine.git("commit", "-q", "--amend", "-m", "in my words")
    else:
        mine.git("reset", "-q", "--hard", "HEAD~1")
    notices = [line for line in mine.json("status")["data"]["deleted"] if "1 entry deleted by hand" in line]
    assert [*mine.sync().notices] == notices
    assert bool(notices) != is_amended
    if notices:
        done = mine.ctxrepo("undo", notices[0].partition("`ctxrepo undo ")[2].partition("`")[0])
        assert "+ the second" in done.stdout
        assert said(mine, MEMORY) == ["the first", "the second"]
        assert not mine.sync().notices
        again(mine)
        assert said(mine, MEMORY) == ["the first"]
        assert not mine.sync().notices


@pytest.mark.slow
def test_what_was_taken_off_comes_back_though_records_and_registry_were_begun_anew(mine: Machine) -> None:
    mine.remember("the second")
    commit(mine.open(), datetime.now(UTC))
    mine.git("reset", "-q", "--hard", "HEAD~2")  # all that commands ever recorded
    (notice,) = mine.json("status")["data"]["deleted"]
    mine.remember("after it")
    back(mine)
    done = mine.ctxrepo("undo", notice.partition("`ctxrepo undo ")[2].partition("`")[0])
    assert "+ the first" in done.stdout, done.stderr
    assert said(mine, MEMORY) == ["the first", "the second"]
    assert not mine.json("status")["data"]["deleted"]


@pytest.mark.slow
def test_a_command_that_was_taken_off_the_branch_is_passed_over(mine: Machine) -> None:
    mine.remember("the second")
    save(mine)
    mine.git("reset", "-q", "--hard", "HEAD~1")
    done = back(mine)
    assert not (mine.clone / MEMORY).exists()
    assert done.saying == "the first"
    assert [line for line in done.lines if "passed over" in line] == [
        "* remember: the second is passed over: nothing of it is there any more"
    ]
    with pytest.raises(NotFound, match="nothing more to take back"):
        back(mine)
    again(mine)
    assert said(mine, MEMORY) == ["the first"]


@pytest.mark.slow
def test_a_command_whose_commit_was_amended_is_not_passed_over(mine: Machine) -> None:
    mine.remember("the second")
    save(mine)
    mine.git("commit", "-q", "--amend", "-m", "in my words")
    back(mine)
    assert said(mine, MEMORY) == ["the first"]
    again(mine)
    assert said(mine, MEMORY) == ["the first", "the second"]


@pytest.mark.slow
def test_of_a_command_whose_commit_was_amended_a_part_is_not_taken_back(mine: Machine) -> None:
    mine.remember("the second")
    save(mine)
    entry = entries_of(MEMORY, mine.read(MEMORY))[1]
    assert mine.ctxrepo("edit", f"^{entry.id}", "--old", "second", "--new", "third").returncode == 0
    save(mine)
    mine.write(MEMORY, mine.read(MEMORY) + "- the second\n")
    mine.git("commit", "-q", "--amend", "-a", "-m", "in my words")
    with pytest.raises(Refused, match="not in the memory any more, while a part of what it did is") as caught:
        back(mine)
    assert "`ctxrepo history`" in caught.value.hint
    assert said(mine, MEMORY) == ["the first", "the third", "the second"]


@pytest.mark.slow
@pytest.mark.parametrize("is_struck", [False, True])
def test_what_a_review_squashed_is_taken_back(
    ada: Machine, remote: Path, tmp_path: Path, is_struck: bool
) -> None:
    send_for_review(ada, remote)
    for text in ("tea at four", "the port is 6380", "the door code changes monthly"):
        ada.remember(text, scope="global")
        save(ada)
    people, branch = make_people(tmp_path, remote), ada.sync().branch
    squash(people, branch, ada.read(SHARED).replace("- tea at four\n", "") if is_struck else None)
    ada.remember("written meanwhile", scope="global")
    ada.sync()
    for last in ("written meanwhile", "the door code changes monthly", "the port is 6380"):
        assert said(ada, SHARED)[-1] == last
        assert back(ada).saying == last
    assert said(ada, SHARED) == (["base"] if is_struck else ["base", "tea at four"])
    again(ada)
    assert said(ada, SHARED)[-1] == "the port is 6380"
    ada.sync()
    assert ada.sync().remote.ok


@pytest.mark.slow
def test_what_can_not_be_taken_back_names_the_command_before_it(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    for words in ("the first", "the second"):
        ada.remember(words)
        ada.sync()
    ben.sync()
    entry = entries_of(MEMORY, ada.read(MEMORY))[0]
    assert ada.ctxrepo("archive", f"^{entry.id}").returncode == 0
    assert ben.ctxrepo("edit", f"^{entry.id}", "--old", "first", "--new", "third").returncode == 0
    for machine in (ada, ben, ada):
        machine.sync()
    assert said(ada, MEMORY) == ["the third", "the second"]
    refusal = ada.ctxrepo("undo").stderr
    assert "Before it was remember: the second: `ctxrepo undo" in refusal
    assert ada.ctxrepo("undo", refusal.rpartition("`ctxrepo undo ")[2].partition("`")[0]).returncode == 0
    assert said(ada, MEMORY) == ["the third"]


def test_a_merge_names_the_commits_inside(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.remember("from ada")
    ada.sync()
    ben.remember("from ben")
    ben.sync()
    merge = ben.git("rev-list", "--merges", "-1", "HEAD")
    with pytest.raises(UsageError) as caught:
        back(ben, merge)
    assert "is a merge" in caught.value.message
    assert ada.git("rev-parse", "HEAD")[:10] in caught.value.hint


@pytest.mark.slow
def test_a_renamed_project_has_its_name_again_with_what_was_written_since(mine: Machine) -> None:
    project = require_project(mine.project())
    rename_project(mine.open(), project, "store", Origin(mine.open().host), NOW)
    save(mine)
    mine.write("store/topics/new.md", "- new\n")
    save(mine)
    back(mine)
    assert require_project(mine.project()).folder == "shop"
    assert said(mine, "shop/topics/new.md") == ["new"]
    assert not (mine.clone / "store").exists()


@pytest.mark.slow
def test_no_other_note_gets_another_name(mine: Machine) -> None:
    mine.write("shop/topics/Rules.md", "- one\n")
    save(mine)
    mine.remember("harmless")
    save(mine)
    mine.write("shop/topics/rules.md", "- two\n")
    save(mine)
    before = notes(mine)
    assert back(mine).lines == ("- harmless",)
    assert again(mine).lines == ("+ harmless",)
    assert notes(mine) == before


@pytest.mark.slow
def test_a_note_comes_back_beside_none_of_its_name(mine: Machine) -> None:
    mine.write("shop/topics/Rules.md", "- one\n")
    save(mine)
    forget(mine.open(), parse_target("topics/Rules"), mine.project(), Origin("h"), NOW)
    save(mine)
    mine.write("shop/topics/rules.md", "- two\n")
    save(mine)
    with pytest.raises(Refused, match=r"`forget` can't be taken back"):
        back(mine)
    assert notes(mine).keys() & {"shop/topics/Rules.md", "shop/topics/rules.md"} == {"shop/topics/rules.md"}


@pytest.mark.slow
def test_a_line_of_the_log_goes_and_the_others_stay(mine: Machine) -> None:
    who = Origin(mine.open().host)
    for text in ("one", "two"):
        log(mine.open(), text, "", mine.project(), who, NOW)
    mine.remember("between")
    for left in (["one"], []):
        undo(mine.open(), who, NOW, only="log")
        path = mine.clone / "shop/daily/2026-11-20.md"
        assert [e.plain[12:] for e in entries_of("x.md", path.read_text() if path.exists() else "")] == left
    with pytest.raises(NotFound, match="no `log` command of ours wrote anything before"):
        undo(mine.open(), who, NOW, only="log")
    assert "between" in said(mine, MEMORY)


@pytest.mark.slow
def test_an_anchor_is_off_the_tape_again(mine: Machine) -> None:
    memory = mine.open()
    made = anchor(memory, AnchorRequest("task/begin"), mine.project(), Origin(memory.host), NOW)
    assert back(mine).lines == ("- task/begin",)
    assert '"deleted": true' in mine.read(made.path)
    assert again(mine).lines == ("+ task/begin",)


@pytest.mark.slow
def test_what_became_of_a_note_of_which_no_entry_changed_is_told_by_its_path(mine: Machine) -> None:
    memory, project, who, path = mine.open(), mine.project(), Origin("h"), "shop/topics/exp.md"
    target, to = parse_target("topics/exp"), parse_destination("topics/trial")

    def told() -> list[str]:
        return [*back(mine).lines, *again(mine).lines]

    new(memory, NewNoteRequest(target, "an experiment"), project, who, NOW)
    assert told() == [f"- {path}", f"+ {path}"]
    set_tags(memory, TagChange(target, ["lab"]), project, who, NOW)
    assert told() == [f"~ {path}", f"~ {path}"]
    move(memory, target, to, project, who, NOW)
    there = "shop/topics/trial.md"
    assert told() == [f"* moved back: {there} to {path}", f"* moved: {path} to {there}"]


@pytest.mark.slow
def test_what_was_done_to_a_checklist_is_named(mine: Machine) -> None:
    memory, project, who = mine.open(), mine.project(), Origin("h")
    add(memory, "call the zoo", "", project, who, NOW)
    tick(memory, TickRequest("zoo", is_done=True), project, who, NOW)
    tick(memory, TickRequest("zoo", is_done=False), project, who, NOW)
    steps = [back(mine).next_undo for _ in range(2)]
    assert steps == ["scratch done: call the zoo", "scratch add: call the zoo"]


@pytest.mark.slow
def test_a_session_takes_back_only_what_it_wrote_itself(mine: Machine) -> None:
    memory = mine.open()
    mine.remember("mine")
    with pytest.raises(NotFound, match="nothing to take back"):
        undo(memory, Origin(memory.host, "s-1", "claude"), NOW)
    assert "mine" in said(mine, MEMORY)


@pytest.mark.slow
def test_the_first_commit_and_no_commit_at_all(mine: Machine) -> None:
    first = mine.git("rev-list", "--max-parents=0", "HEAD")
    with pytest.raises(UsageError, match="the first commit"):
        back(mine, first)
    with pytest.raises(NotFound):
        back(mine, "0000000000")


@pytest.mark.slow
def test_a_commit_of_a_history_that_was_rewritten_is_refused_and_all_stays(mine: Machine) -> None:
    mine.remember("the second")
    old = save(mine)
    rewritten = mine.git("commit-tree", "-m", "a fresh start", mine.tree())
    mine.git("reset", "-q", "--hard", rewritten)
    mine.remember("the third")
    before, head = notes(mine), save(mine)
    with pytest.raises(Refused, match="no commit in common") as caught:
        back(mine, old)
    assert (notes(mine), mine.git("rev-parse", "HEAD")) == (before, head)
    assert f"restore NOTE --at {old[:10]}" in str(caught.value.hint)
    assert mine.ctxrepo("restore", "MEMORY", "--at", old[:10]).returncode == 0
    assert said(mine, MEMORY) == ["the first", "the second"]
