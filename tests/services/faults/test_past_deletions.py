"""What a person took off the branch before it was sent is told, and nothing that went otherwise."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada, make_pair
from reviewers import NOTE, git, make_people, send_for_review, squash

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.services.faults.past_deletions import of_deletions
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.sync.sync import SyncRequest, sync

MEMORY = "shop/MEMORY.md"
Pair = tuple[Machine, Machine]


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(begun)


@pytest.fixture
def pair(copies: Copies) -> Pair:
    return copies.of(begun_on_two)


def begun(place: Path) -> Machine:
    ada = make_ada(place)
    say(ada, "one")
    return ada


def begun_on_two(place: Path) -> Pair:
    ada, ben = make_pair(place)
    say(ada, "one")
    meet(ada, ben)
    return ada, ben


def save(machine: Machine) -> None:
    commit(machine.open(), datetime.now(UTC))


def meet(*machines: Machine) -> None:
    for machine in machines:
        sync(machine.open(), datetime.now(UTC))


def say(machine: Machine, text: str) -> str:
    """Remember it, and commit that; its id."""
    made = machine.remember(text)
    save(machine)
    return made.id


def forget(machine: Machine, entry: str) -> None:
    assert machine.ctxrepo("forget", f"^{entry}").returncode == 0
    save(machine)


def said(machine: Machine) -> list[str]:
    return [entry.plain for entry in entries_of(MEMORY, machine.read(MEMORY))]


def id_of(machine: Machine, text: str) -> str:
    return next(e.id for e in entries_of(MEMORY, machine.read(MEMORY)) if e.plain == text)


def undo_as_told(machine: Machine, line: str) -> None:
    done = machine.ctxrepo("undo", line.partition("`ctxrepo undo ")[2].partition("`")[0])
    assert done.returncode == 0, done.stderr
    save(machine)


def test_what_a_command_forgot_after_a_reset_is_not_counted(mine: Machine) -> None:
    say(mine, "two")
    mine.git("reset", "-q", "--hard", "HEAD~1")
    forget(mine, id_of(mine, "one"))
    (line,) = of_deletions(mine.open())
    assert "MEMORY.md: 1 entry deleted by hand" in line
    undo_as_told(mine, line)
    assert said(mine) == ["two"]
    assert of_deletions(mine.open()) == []


def test_what_a_command_forgot_after_its_commit_was_amended_is_not_told(mine: Machine) -> None:
    two = say(mine, "two")
    mine.git("commit", "-q", "--amend", "-m", "in my words")
    assert of_deletions(mine.open()) == []
    forget(mine, two)
    assert of_deletions(mine.open()) == []


def test_what_a_command_forgot_or_edited_after_a_reset_that_left_the_files_is_not_told(mine: Machine) -> None:
    two, three = say(mine, "two"), say(mine, "three")
    mine.git("reset", "-q", "--soft", "HEAD~2")
    assert mine.ctxrepo("edit", f"^{three}", "--old", "three", "--new", "the third").returncode == 0
    forget(mine, two)
    assert said(mine) == ["one", "the third"]
    assert of_deletions(mine.open()) == []


def test_what_was_moved_by_what_was_taken_off_is_where_it_was_and_is_not_told(mine: Machine) -> None:
    assert mine.ctxrepo("move", f"^{id_of(mine, 'one')}", "topics/other.md").returncode == 0
    save(mine)
    mine.git("reset", "-q", "--hard", "HEAD~1")
    assert said(mine) == ["one"]
    assert of_deletions(mine.open()) == []


@pytest.mark.slow
@pytest.mark.parametrize("later", ["", "later"], ids=["the merge", "a commit on it"])
def test_of_a_merge_that_was_taken_off_only_what_was_made_here_is_told(pair: Pair, later: str) -> None:
    ada, ben = pair
    for text in ("from ben", "from ben, too"):
        say(ben, text)
    meet(ben)
    before = ada.git("rev-parse", "HEAD")
    say(ada, "from ada")
    sync(ada.open(), datetime.now(UTC), SyncRequest(send=False))
    assert ada.git("rev-list", "--merges", f"{before}..HEAD")
    mine = ["from ada", *([later] if later else [])]
    for text in mine[1:]:
        say(ada, text)
    ada.git("reset", "-q", "--hard", before)
    (line,) = of_deletions(ada.open())
    assert ("1 entry" if len(mine) == 1 else "2 entries") in line
    undo_as_told(ada, line)
    assert of_deletions(ada.open()) == []
    meet(ada)
    assert sorted(said(ada)) == sorted(["one", "from ben", "from ben, too", *mine])


def test_others_are_told_though_git_pruned_a_part_of_what_was_taken_off(mine: Machine) -> None:
    mine.write("shop/topics/n.md", "- a\n- b\n")
    save(mine)
    (mine.clone / "shop/topics/n.md").unlink()
    save(mine)
    (by_hand,) = of_deletions(mine.open())
    say(mine, "two")
    tree = mine.git("rev-parse", "HEAD:shop/MEMORY.md")
    mine.git("reset", "-q", "--hard", "HEAD~1")
    assert len(of_deletions(mine.open())) == 2
    (mine.clone / ".git/objects" / tree[:2] / tree[2:]).unlink()
    assert of_deletions(mine.open()) == [by_hand]


@pytest.mark.parametrize("how", ["squashed in part", "declined"])
@pytest.mark.parametrize("meanwhile", ["nothing", "one more", "an edit"])
def test_what_reviewers_struck_out_was_not_deleted_by_hand(
    ada: Machine, remote: Path, tmp_path: Path, how: str, meanwhile: str
) -> None:
    send_for_review(ada, remote)
    people = make_people(tmp_path, remote)
    texts = ["the port is 6380", "tea at four", "the door code changes monthly"]
    for text in texts:
        ada.remember(text, scope="global")
    branch = sync(ada.open(), datetime.now(UTC)).branch
    if how == "declined":
        git(people, "push", "-q", "origin", f":{branch}")
    else:
        squash(people, branch, ada.read(NOTE).replace("- tea at four\n", ""))
    if meanwhile == "one more":
        ada.remember("written meanwhile", scope="global")
    elif meanwhile == "an edit":
        ada.write(NOTE, ada.read(NOTE).replace("tea at four", "tea at five"))
    notices = sync(ada.open(), datetime.now(UTC)).notices
    assert not [notice for notice in notices if "by hand" in notice]
    assert of_deletions(ada.open(), few=True) == []
    ada.ctxrepo("declined", "dismiss")
    assert of_deletions(ada.open(), few=True) == []


SECRET = f"the token is {'ghp_' + 'a1B2' * 9}"


def commit_secret(machine: Machine) -> None:
    """Commit it with plain git, which no guard looks at."""
    machine.write(MEMORY, f"{machine.read(MEMORY)}- {SECRET}\n")
    machine.git("commit", "-qam", "by hand")
    save(machine)


def lose(machine: Machine, *texts: str) -> None:
    lines = machine.read(MEMORY).splitlines(keepends=True)
    machine.write(MEMORY, "".join(line for line in lines if not any(text in line for text in texts)))


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_secret_that_was_taken_out_is_no_deletion_to_undo(mine: Machine, is_whole: bool) -> None:
    if is_whole:
        mine.write("shop/token.md", f"- {SECRET}\n")
        mine.git("add", ".")
        mine.git("commit", "-qm", "by hand")
        (mine.clone / "shop/token.md").unlink()
    else:
        commit_secret(mine)
        lose(mine, "ghp_")
    save(mine)
    assert "by hand" in mine.git("log", "--format=%s", "-2")
    assert of_deletions(mine.open(), few=True) == []


def test_where_a_secret_went_with_others_no_undo_is_told_that_is_refused(mine: Machine) -> None:
    say(mine, "two")
    commit_secret(mine)
    lose(mine, "ghp_", "two")
    save(mine)
    (line,) = of_deletions(mine.open(), few=True)
    tip = mine.git("rev-parse", "HEAD")[:10]
    assert line == (
        f"{MEMORY}: 1 entry deleted by hand; a secret went with it: `git show {tip}` in the memory repository"
        " has both"
    )
    assert "- two" in mine.git("show", tip)


def test_a_deletion_after_a_secret_was_taken_out_is_undone_as_told(mine: Machine) -> None:
    say(mine, "two")
    commit_secret(mine)
    lose(mine, "ghp_")
    save(mine)
    lose(mine, "two")
    save(mine)
    (line,) = of_deletions(mine.open(), few=True)
    undo_as_told(mine, line)
    assert said(mine) == ["one", "two"]


def facts(machine: Machine, note: str, count: int) -> None:
    body = "".join(f"- fact {number} of {note}\n" for number in range(count))
    machine.write(f"shop/topics/{note}.md", f"---\ndescription: of {note}\n---\n{body}")
    save(machine)


def notices(machine: Machine) -> list[str]:
    notices = sync(machine.open(), datetime.now(UTC), SyncRequest(tells=True)).notices
    return [line.replace("in a commit made with git; `ctxrepo undo ", "by git; ") for line in notices]


@pytest.fixture
def team(ada: Machine, ben: Machine, remote: Path) -> Pair:
    """Two machines that know three notes."""
    for machine in (ada, ben):
        machine.init(str(remote))
    for note, count in (("a", 8), ("b", 3), ("c", 8)):
        facts(ada, note, count)
    meet(ada, ben)
    for machine in (ada, ben):
        notices(machine)
    return ada, ben


@pytest.fixture
def people(team: Pair, tmp_path: Path, remote: Path) -> Path:
    """A teammate with plain git."""
    return make_people(tmp_path, remote)


def change(people: Path, path: str, old: str, new: str) -> None:
    text = (people / path).read_text()
    (people / path).write_text(re.sub(old, new, text))


def push(people: Path) -> str:
    git(people, "commit", "-qam", "tidy up")
    git(people, "push", "-q", "origin", "HEAD:main")
    return git(people, "rev-parse", "HEAD")[:10]


def test_a_commit_made_with_git_that_deletes_much_is_told_once_with_its_way_back(
    team: Pair, people: Path
) -> None:
    ada, ben = team
    change(people, "shop/topics/a.md", r"- fact [0-4] .*\n", "")
    git(people, "rm", "-q", "shop/topics/b.md")
    made = push(people)
    line = f"shop/topics/a.md and 1 more: 8 entries deleted by git; {made}` brings them back"
    assert [notices(machine) for machine in (ada, ben, ada, ben)] == [[line], [line], [], []]
    assert ada.ctxrepo("undo", made).returncode == 0
    assert len(entries_of("x", ada.read("shop/topics/a.md"))) == 8
    meet(ada, ben)
    assert notices(ben) == []


def test_whoever_made_it_in_their_clone_is_not_told(team: Pair) -> None:
    ada, ben = team
    ada.git("rm", "-q", "shop/topics/b.md")
    ada.git("commit", "-qm", "tidied up")
    made = ada.git("rev-parse", "HEAD").strip()[:10]
    assert notices(ada) == []
    assert notices(ben) == [f"shop/topics/b.md: 3 entries deleted by git; {made}` brings them back"]


@pytest.mark.parametrize("what", ["few", "other words", "moved", "renamed", "wrapped", "undone"])
def test_what_a_commit_made_with_git_did_not_delete_is_not_told(team: Pair, people: Path, what: str) -> None:
    path = "shop/topics/a.md"
    if what == "few":
        change(people, path, r"- fact [0-3] .*\n", "")
    elif what == "other words":
        change(people, path, "fact", "thing")
    elif what == "moved":
        lines = "\n".join(re.findall(r"- fact [0-5].*", (people / path).read_text()))
        change(people, path, r"- fact [0-5] .*\n", "")
        change(people, "shop/topics/c.md", r"\Z", f"{lines}\n")
    elif what == "renamed":
        git(people, "mv", path, "shop/topics/z.md")
    elif what == "wrapped":
        change(people, path, "- fact", "*   fact")
    else:
        git(people, "rm", "-q", path)
        push(people)
        git(people, "revert", "--no-edit", "HEAD")
        change(people, path, r"\Z", "- one more\n")
    push(people)
    assert [line for machine in team for line in notices(machine) if "git" in line] == []


def test_an_old_history_that_joins_tells_nothing(ada: Machine, tmp_path: Path, remote: Path) -> None:
    people = make_people(tmp_path, remote)
    (people / "shop").mkdir()
    (people / "shop" / "old.md").write_text("".join(f"- fact {number}\n" for number in range(20)))
    git(people, "add", ".")
    push(people)
    git(people, "rm", "-q", "shop/old.md")
    push(people)
    ada.init()
    facts(ada, "a", 8)
    notices(ada)
    assert ada.ctxrepo("init", str(remote)).returncode == 0
    assert [line for line in notices(ada) if "git" in line] == []
