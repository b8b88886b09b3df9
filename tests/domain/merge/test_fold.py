"""The saves of a file, folded: a table of examples for what each author began with, and one law."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.merge.fold import FoldedFile, Ground, fold
from ctxrepo.domain.records.save import BY_HAND, LATE, TOOL, Origin, Save

PATH = "shop/MEMORY.md"


def note(lines: str) -> bytes | None:
    """A note with one bullet for each letter; '-' stands for no file."""
    return None if lines == "-" else "".join(f"- {letter} is so\n" for letter in lines).encode()


def letters(data: bytes | None) -> str:
    return "-" if data is None else "".join(sorted(line[2] for line in data.decode().splitlines()))


def command(base: str, after: str) -> Save:
    return Save(PATH, note(base), note(after), "remember", Origin(""))


def tool(session: str, after: str, base: str | None = "ab") -> Save:
    """What a session's tool left; `base` was checked out then, None: nobody knows."""
    known = note(base) if base is not None else None
    return Save(PATH, known, note(after), TOOL, Origin("", session, "claude"), tree="t" if base else "")


def late(base: str, after: str) -> Save:
    return Save(PATH, note(base), note(after), LATE, Origin(""))


def hand(after: str) -> Save:
    """What is found on disk, or was when a command looked."""
    return Save(PATH, None, note(after), BY_HAND, Origin(""))


def folded(
    saves: Sequence[Save], ground: str = "ab", following: str = "", elsewhere: Sequence[str] = ()
) -> FoldedFile:
    """The saves, folded. What the last of them left is on disk; a hand's work is not told otherwise."""
    seen = [save for save in saves if save.op != LATE]
    on_disk = seen[-1].after if seen else note(ground)
    reports = [save for save in saves if save.op != BY_HAND]
    new = {data for data in map(note, elsewhere) if data}
    return fold(PATH, Ground(note(ground), note(following or ground)), reports, on_disk, new)


@pytest.mark.parametrize(
    ("why", "saves", "result"),
    [
        ("nobody changed anything", [], "ab"),
        ("commands know what they began with", [command("ab", "abc"), command("abc", "bc")], "bc"),
        (
            "an editor that saved an older text hides no command's fact",
            [command("ab", "abc"), hand("abx")],
            "abcx",
        ),
        (
            "an editor can't take back what a command acknowledged a moment ago",
            [command("ab", "abc"), hand("ab")],
            "abc",
        ),
        ("a person removes what was checked out", [hand("a")], "a"),
        ("a person removes it before a command reads the file", [hand("a"), command("a", "ac")], "ac"),
        (
            "what a stale editor hid is there again after the next command",
            [command("ab", "abc"), command("ab", "abd")],
            "abcd",
        ),
        ("a command and a person remove each their own", [command("ab", "b"), hand("bx")], "bx"),
        ("a session's second version knows its first", [tool("s", "abx"), tool("s", "ab"), hand("ab")], "ab"),
        ("two sessions that don't know of each other add up", [tool("s", "abx"), tool("t", "aby")], "abxy"),
        ("a session that took over another's line has seen it", [tool("s", "abxy"), tool("t", "abx")], "abx"),
        ("where one session wrote, the hand is taken for its own", [tool("s", "abx"), hand("ab")], "ab"),
        (
            "where two wrote, the hand is somebody who saw neither",
            [tool("s", "abx"), tool("t", "aby"), hand("ab")],
            "abxy",
        ),
        (
            "a person who took over what a tool left has seen it",
            [tool("s", "abxy"), tool("t", "abz"), hand("abx")],
            "abxz",
        ),
        ("a tool removes what was checked out and adds", [tool("s", "ax")], "ax"),
        (
            "of whom nobody knows what they began with, nothing is removed",
            [tool("s", "x", None), hand("aby")],
            "abxy",
        ),
        (
            "nobody has seen a version that had been replaced when its hook ran, whatever they share with it",
            [tool("s", "abxy", None), hand("abx")],
            "abxy",
        ),
        (
            "a session that lost its version to somebody and reads the file again takes nothing out",
            [tool("s", "abx", None), tool("s", "aby")],
            "abxy",
        ),
        (
            "a session's version that is heard of too late takes out nothing of its later ones",
            [tool("s", "abxy"), tool("s", "abx", None), tool("s", "abxy")],
            "abxy",
        ),
        (
            "of whom nobody knows what they began with, nothing comes back that a command took out",
            [command("ab", "b"), tool("s", "abx", None), hand("b")],
            "bx",
        ),
        (
            "nor does a note come back that a command removed, but for what is new",
            [command("ab", "-"), tool("s", "abx", None), hand("-")],
            "x",
        ),
        (
            "a note that a command removed and an agent writes anew has all that it wrote",
            [command("ab", "-"), tool("s", "ax")],
            "ax",
        ),
        ("a person puts the file back that was gone", [hand("-"), command("-", "c"), hand("ab")], "abc"),
        ("the same, and reads it first", [hand("-"), command("-", "c"), hand("abc")], "abc"),
        ("a tool puts the file back that was gone", [hand("-"), command("-", "c"), tool("s", "abx")], "abcx"),
        (
            "a person puts the file back that an agent had begun anew",
            [tool("s", "x"), tool("t", "x"), hand("ab")],
            "abx",
        ),
        ("a person puts a line back", [hand("b"), command("b", "bc"), hand("abc")], "abc"),
        (
            "a stale tool leaves a line as another one has changed it",
            [tool("s", "ac"), tool("t", "abx")],
            "acx",
        ),
        (
            "a version that a command has found and taken out is no news when its hook is heard",
            [hand("abx"), command("abx", "ab"), tool("s", "abx", None), hand("ab")],
            "ab",
        ),
        (
            "a stale editor brings nothing back that a command took out, though a session wrote since",
            [command("ab", "b"), tool("s", "bx"), hand("ab")],
            "bx",
        ),
        (
            "who reads what a commit has checked out hasn't seen a version from before that",
            [tool("s", "ax", "a"), hand("ab")],
            "abx",
        ),
        (
            "a stale tool brings nothing back that a command removed",
            [command("ab", "a"), tool("s", "abx")],
            "ax",
        ),
        (
            "a stale tool hides no command's fact",
            [command("ab", "abc"), tool("s", "abx"), tool("s", "abxy")],
            "abcxy",
        ),
        ("who removes the file removes what was checked out", [hand("-")], "-"),
        ("an edit wins over a deletion by hand", [tool("s", "abx"), hand("-")], "abx"),
        (
            "a command that found the edit removes it with the file",
            [tool("s", "abx"), command("abx", "-")],
            "-",
        ),
        ("an acknowledged fact wins over a deletion by hand", [command("ab", "abc"), hand("-")], "abc"),
        ("a file made again after its removal is there", [command("ab", "-"), command("-", "x")], "x"),
        (
            "a late writer's text is merged from what it had open",
            [command("ab", "abc"), late("ab", "abz")],
            "abcz",
        ),
        ("a late writer removes only what it had open", [command("ab", "abc"), late("ab", "a")], "ac"),
        ("an editor that empties a file removes what it had seen", [tool("s", "abx"), hand("")], ""),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)  # fmt: skip
def test_each_author_began_with(why: str, saves: Sequence[Save], result: str) -> None:
    assert letters(folded(saves).data) == result, why


@pytest.mark.parametrize(
    ("saves", "result"),
    [
        ([command("-", "abc"), hand("abx")], "abx"),
        ([command("-", "ab"), command("ab", "abc"), hand("ax")], "acx"),
        ([command("-", "ab"), hand("xy")], "abxy"),
    ],
)
def test_who_edits_a_file_that_a_command_made_has_seen_what_it_began_with(
    saves: list[Save], result: str
) -> None:
    assert letters(folded(saves, "-").data) == result


@pytest.mark.parametrize(
    ("on_disk", "result"), [("ab", "ab"), ("abn", "ab"), ("bn", "b"), ("abnx", "abx"), ("bx", "bx")]
)
def test_after_a_checkout_that_was_killed_half_way_only_what_a_person_did_counts(
    on_disk: str, result: str
) -> None:
    """`n` was on its way to the file: it is on the branch already, so who left it out took nothing back."""
    assert letters(folded([hand(on_disk)], "ab", "abn").data) == result


def test_a_removal_took_all_that_a_new_file_holds_now() -> None:
    """The file was renamed: its author has seen what commands wrote to it."""
    saves = [command("ab", "abc"), hand("-")]
    assert letters(folded(saves, elsewhere=["abc"]).data) == "-"
    assert letters(folded(saves, elsewhere=["ab"]).data) == "abc"


@pytest.mark.parametrize(
    ("on_disk", "result"),
    [
        (
            "- the port is 1\n- deploys need bastion and key\n",
            ["- the port is 1", "- deploys need bastion and key"],
        ),
        (
            "- the port is 1\n- the port is 3\n",
            ["- deploys need bastion", "- the port is 1", "- the port is 3"],
        ),
    ],
    ids=["in other words", "another fact"],
)
def test_who_rewords_what_a_command_wrote_a_moment_ago_has_seen_it(on_disk: str, result: list[str]) -> None:
    before, after = b"- the port is 1\n", b"- the port is 1\n- deploys need bastion\n"
    made = fold(
        PATH, Ground(before, before), [Save(PATH, before, after, "remember", Origin(""))], on_disk.encode()
    )
    assert sorted((made.data or b"").decode().splitlines()) == sorted(result)


def test_what_was_deleted_by_hand_can_be_told_from_what_commands_did() -> None:
    file = folded([command("ab", "abc"), tool("s", "abcx"), hand("cx")])
    assert (letters(file.commanded), letters(file.saved), letters(file.data)) == ("abc", "abcx", "cx")
    assert file.versions == (note("abcx"),)


def test_a_stale_tool_undoes_nothing_that_another_one_changed_while_it_took_lines_out() -> None:
    file = folded([tool("s", "ax", "abcd"), tool("t", "abcdy", "abcd")], ground="abcd")
    assert letters(file.data) == "axy"


def test_lines_that_end_in_odd_ways_are_put_back_and_never_taken_out() -> None:
    odd = "- a is so\n- b is\u2028 so\n".encode()
    gone = [hand("-"), command("-", "c")]
    steps = [save for save in gone if save.op != BY_HAND]
    file = fold(PATH, Ground(odd, odd), steps, odd)
    assert "\u2028" in (file.data or b"").decode()
    last = Save(PATH, None, odd + b"- n is so\n", TOOL, Origin("", "s", "claude"))
    assert "\u2028" in (fold(PATH, Ground(odd, odd), [last], odd).data or b"").decode()


def test_a_file_that_was_made_and_removed_before_its_hook_leaves_no_copy() -> None:
    save = Save("shop/run.sh", None, b"#!/bin/sh\n", TOOL, Origin("", "s", "claude"))
    file = fold("shop/run.sh", Ground(None, None), [save], None)
    assert file.conflict_copies == ()


def test_what_a_command_removed_with_a_file_was_not_deleted_by_hand() -> None:
    file = folded([hand("abx"), command("abx", "-"), command("-", "c")])
    assert (letters(file.commanded), letters(file.data)) == ("c", "c")


def test_what_was_deleted_by_hand_before_a_command_removed_the_file_is_known() -> None:
    file = folded([hand("-"), command("-", "c"), command("c", "-")])
    assert file.before_removal is not None
    before, after = file.before_removal.before, file.before_removal.after
    assert (letters(before), letters(after)) == ("abc", "c")


STEP = st.tuples(
    st.sampled_from(["command", "s", "t"]),
    st.booleans(),
    st.sampled_from(["add", "add", "remove"]),
    st.integers(0, 9),
)


@pytest.mark.slow
@given(st.lists(STEP, max_size=9), st.booleans())
def test_no_fact_of_a_command_goes_unless_somebody_who_had_it_took_it_out(
    steps: list[tuple[str, bool, str, int]], by_hand: bool
) -> None:
    """Commands read the file; tools work from what they read now or last. Whatever a command added stands in
    the end, or in a conflict copy, unless a command removed it or a tool that had seen it."""
    disk, copies = "ab", {"s": "ab", "t": "ab"}
    fresh = iter("cdefghijklmnopqrstuvwxyz")
    saves: list[Save] = []
    acknowledged, added = set[str](), set[str]()
    for who, reads, what, place in steps:
        before = disk if who == "command" or reads else copies[who]
        new = next(fresh)
        gone = before[place % len(before)] if before else ""
        after = before + new if what == "add" else before.replace(gone, "") if gone else before
        if who == "command":
            saves.append(command(disk, after))
            acknowledged |= {new} if what == "add" else set()
            acknowledged -= {gone} if what == "remove" else set()
        else:
            saves.append(tool(who, after))
            acknowledged -= {gone} if what == "remove" else set()
            copies[who] = after
        added |= {new} if what == "add" else set()
        disk = after
    if by_hand:
        saves.append(hand("ab"))
    file = folded(saves)
    aside = {letter for copy in file.conflict_copies for letter in letters(copy.other.encode())}
    assert acknowledged <= set(letters(file.data)) | aside
    assert set(letters(file.data)) <= {*"ab"} | added
    assert len(letters(file.data)) == len(set(letters(file.data)))
