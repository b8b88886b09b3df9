"""Each key of the screen: what it shows, what it does to the memory, and why it does nothing elsewhere."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from copies import Copies
from evening import CONFLICTS, DELETED, PROPOSALS, evening, waiting
from long import rotating
from machines import Machine, make_machine, make_remote
from needs import unless
from piloted import Played, play
from textual.events import Key

from ctxrepo.app.desk import Desk
from ctxrepo.app.panels.keys import KEYS
from ctxrepo.domain.records import decision
from ctxrepo.faces.screen.screen_app import EditorCalls

pytestmark = pytest.mark.slow


def make_evening(root: Path) -> Machine:
    return evening(make_machine(root, "ada"), make_remote(root))


@pytest.fixture
def ada(copies: Copies) -> Machine:
    """A machine on which 40 items wait."""
    return copies.of(make_evening)


def ids(machine: Machine) -> set[str]:
    return {item.id for item in waiting(machine)}


@pytest.mark.each_commit
def test_the_first_sight_counts_what_waits_and_shows_the_first_item_with_its_commands(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        assert screen.message == "40 items wait for you · ? shows all keys"
        assert len(screen.rows) == 40 - CONFLICTS
        assert "1 Inbox" in screen.text
        assert "- description: Plan 0" in screen.text
        assert "ctxrepo sync --accept deletions" in screen.text
        assert screen.footer.startswith("a delete  d put back  space mark")

    play(ada, story)


def test_numbers_and_tab_go_to_panels_and_arrows_change_the_look_of_the_tape(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        heads = {
            "2": "2 Conflicts",
            "3": "3 Notes",
            "4": "4 Tape · timeline",
            "5": "5 Sessions",
            "1": "1 Inbox",
        }
        for key, head in heads.items():
            await screen.press(key)
            (current,) = screen.app.query(".head.current")
            assert str(current.render()).startswith(head)
        await screen.press("tab", "tab", "tab")
        assert screen.rows[0] == "000005ab", "newest first"
        await screen.press("right")
        assert screen.rows[0] == "#basket"
        await screen.press("right")
        assert screen.rows[0] == "purposes"
        assert "█" * 10 + " " in screen.text
        await screen.press("shift+tab")
        assert len(screen.rows) == 2 * CONFLICTS

    play(ada, story)


def test_a_filter_narrows_the_list_as_it_is_typed_and_escape_takes_it_away(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("slash", *"plan-07")
        assert screen.rows == ["deletion:shop/old/plan-07.md"]
        await screen.press("enter", "n")
        assert "1 of 26" in screen.text
        await screen.press("escape")
        assert len(screen.rows) == 26
        await screen.press("slash", *"zzzz", "enter")
        assert "no row has “zzzz” in it" in screen.text

    play(ada, story)


@pytest.mark.parametrize(("key", "kept"), rotating([("a", "other"), ("d", "kept"), ("b", "both")]))
def test_a_key_decides_a_conflict_as_its_command_does_and_u_takes_that_back(
    ada: Machine, key: str, kept: str
) -> None:
    conflict = next(item for item in waiting(ada) if item.kind == "conflict")
    before = notes_of(ada)

    async def story(screen: Played) -> None:
        await screen.press("2", key)
        assert conflict.id not in screen.rows
        assert "u takes it back (ctxrepo undo " in screen.message
        decided.append(notes_of(ada))
        await screen.press("u")
        assert conflict.id in screen.rows
        assert screen.message.startswith("undone: ")
        assert notes_of(ada) == before
        await screen.press("u")
        assert "nothing was decided here yet" in screen.message

    decided: list[dict[str, str]] = []
    play(ada, story)
    assert ada.ctxrepo("conflicts", "resolve", conflict.name, "--keep", kept).returncode == 0
    waiting(ada)
    assert [notes_of(ada)] == decided, "the key and the command come to the same"


def notes_of(machine: Machine) -> dict[str, str]:
    """All that is committed but evidence, which has the moment in it."""
    names = machine.git("-c", "core.quotePath=false", "ls-files").splitlines()
    return {name: machine.git("show", f"HEAD:{name}") for name in names if "/evidence/" not in name}


def test_several_are_marked_and_decided_at_once_and_taken_back_at_once(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("2", "space", "space", "space")
        assert "3 marked" in screen.text
        await screen.press("d")
        assert len(screen.rows) == CONFLICTS - 3
        assert screen.message.startswith("3 decided, last: kept the current")
        assert "marked" not in screen.text
        await screen.press("u")
        assert len(screen.rows) == CONFLICTS
        assert screen.message.endswith("and 2 more")

    play(ada, story)


def test_keys_that_follow_fast_each_decide_the_next_row(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("2", *["d"] * CONFLICTS)
        assert screen.rows == []
        assert "No two machines disagree." in screen.text
        await screen.press(*["u"])
        assert len(screen.rows) == 1

    play(ada, story)
    assert sum(name.startswith("conflict:") for name in ids(ada)) == 1


def test_deletions_are_asked_about_accepted_and_restored(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("a")
        assert "Delete all files that wait for it, on all machines?" in screen.text
        assert "ctxrepo sync --accept deletions" in screen.text
        await screen.press("n")
        assert screen.message == "left as it is"
        assert len(screen.rows) == 26
        await screen.press("a", "y")
        assert len(screen.rows) == 26 - DELETED
        assert "u takes it back (ctxrepo undo " in screen.message
        assert not (ada.clone / "shop/old/plan-00.md").exists()
        await screen.press("u")
        assert (ada.clone / "shop/old/plan-11.md").exists()

    play(ada, story)


def test_deleted_files_are_put_back_by_one_key(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("d")
        assert (ada.clone / "shop/old/plan-11.md").exists()
        assert "no key takes that back" in screen.message

    play(ada, story)


def test_what_was_struck_out_is_dismissed(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("slash", *"unwanted", "enter")
        assert screen.rows == ["declined:20261120"]
        await screen.press("d")
        assert screen.rows == []

    play(ada, story)
    assert not any(name.startswith("declined:") for name in ids(ada))


def test_proposals_are_shown_with_what_can_be_done_about_them(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("slash", *"prefers plan", "enter")
        assert len(screen.rows) == PROPOSALS
        assert "+ add: the team prefers p" in screen.text
        assert "claude on desk" in screen.text

    play(ada, story)


def test_a_key_that_does_nothing_here_says_why(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("b")
        assert screen.message == (
            "! b does nothing with this row; it takes: a delete these files on all machines, "
            "d put the deleted files back"
        )
        await screen.press("slash", *"keys.md", "enter", "a")
        assert "what is held back is put right in its file; e edit the note" in screen.message
        await screen.press("3", "a")
        assert "it takes: e edit this note" in screen.message
        await screen.press("space")
        assert "nothing here can be marked" in screen.message
        await screen.press("right")
        assert screen.message == "! only the Tape has several looks"
        await screen.press("5", "d")
        assert "this panel only tells" in screen.message
        await screen.press("e")
        assert "decides nothing here" in screen.message
        await screen.press("o")
        assert screen.message.startswith("!") or "wrote" in screen.message

    play(ada, story)


def test_enter_on_an_anchor_goes_to_its_place_in_the_transcript(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("4", "j", "j", "enter")
        shown = "\n".join(line[32:] for line in screen.lines)
        assert "⚓ basket-3" in shown
        assert shown.index("done with 3") < shown.index("⚓ basket-3") < shown.index("what about step 4")
        assert "claude --resume 8f2e1c3d-5b6a" in " ".join(line.text for line in screen.app._text.lines)
        await screen.press("escape")
        await screen.press("j")
        assert screen.app._rows.at == 3

    play(ada, story)


def test_an_anchor_is_deleted_once_that_was_asked_and_comes_back(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("4", "d")
        assert "Delete this anchor on all machines?" in screen.text
        await screen.press("enter")
        assert screen.rows[0] == "000004ab"
        assert "deleted the anchor basket-5 · u takes it back" in screen.message
        await screen.press("u")
        assert screen.rows[0] == "000005ab"

    play(ada, story)


def test_sessions_say_where_they_were_and_what_they_were_given(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("5")
        assert "Claude Code in shop, given 0" in screen.text
        assert "claude 8f2e1c3d-5b6a" in screen.text

    play(ada, story, size=(120, 30))


def test_health_has_what_doctor_finds_with_its_commands(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("6", "slash", *"agents", "enter")
        assert "! agents" in screen.text
        assert "ctxrepo setup claude" in screen.text

    play(ada, story, size=(120, 30))


def test_a_note_is_edited_in_the_editor_and_that_is_taken_back(ada: Machine) -> None:
    note = "shop/topics/deploy-00.md"
    before = ada.read(note)

    def on_file(program: str, file: Path, _: Mapping[str, str]) -> int:
        assert program == "my-editor"
        file.write_text(file.read_text() + "- by hand\n")
        return 0

    def which(desk: Desk) -> str:
        return str(desk.env.get("EDITOR", "my-editor"))

    async def story(screen: Played) -> None:
        await screen.press("3", "slash", *"deploy-00", "enter", "e")
        assert ada.read(note).endswith("- by hand\n")
        assert screen.message.startswith(f"edited {note} · u takes it back")
        await screen.press("u")
        assert ada.read(note) == before

    play(ada, story, editor=EditorCalls(which, on_file, lambda *_: ("", Path())))


def test_all_keys_are_listed_and_searched(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        await screen.press("question_mark")
        assert "All keys" in screen.text
        await screen.press(*"both")
        assert "ctxrepo conflicts resolve ID --keep both" in screen.text
        assert "--keep kept" not in screen.text
        await screen.press("escape")
        assert "All keys" not in screen.text
        await screen.press("t")
        assert screen.app.theme == "ctxrepo-light"
        await screen.press("r")
        assert screen.message == "looked again"

    play(ada, story)


def test_text_of_notes_is_no_markup_and_no_control(ada: Machine) -> None:
    text = "- [bold red]not markup[/] [link=x] and \x1b[31mred\x1b[0m and \u202eabc\n"
    ada.write("shop/topics/odd.md", f"# [red]Odd\n\n{text}")

    async def story(screen: Played) -> None:
        await screen.press("3", "slash", *"odd.md", "enter")
        shown = " ".join(line.text for line in screen.app._text.lines)
        assert "[bold red]not markup[/] [link=x] and \\u{1b}[31mred\\u{1b}[0m and \\u{202e}abc" in shown
        assert "\x1b" not in screen.text
        assert "\u202e" not in screen.text

    play(ada, story, size=(120, 30))


def test_letters_of_a_filter_decide_nothing_however_fast_they_are_typed(ada: Machine) -> None:
    before = ids(ada)

    async def story(screen: Played) -> None:
        for letter in ("slash", *"adbaudq", "enter", "escape"):
            screen.app.post_message(Key(letter, letter if len(letter) == 1 else {"slash": "/"}.get(letter)))
        await screen.settle()
        assert set(screen.rows) == {name for name in before if not name.startswith("conflict:")}
        await screen.press("x")
        assert screen.message == "! x means nothing here; ? shows all keys"

    play(ada, story)
    assert ids(ada) == before


def test_keys_of_the_table_are_those_that_the_screen_takes(ada: Machine) -> None:
    async def story(screen: Played) -> None:
        taken = set(screen.app._keys)
        table = {key for row in KEYS for key in row.key.split(" ")}
        assert table <= taken
        doubles = {"down", "up", "pagedown", "pageup", "home", "end", "right", "h", "l", "shift+tab"}
        assert taken - table - doubles == {f"ctrl+{letter}" for letter in "bcdfqu"}

    play(ada, story)


@unless("" if hasattr(decision, "OF_PROPOSAL") else "no operation accepts proposals in this version")
def test_a_proposal_is_accepted_declined_or_edited_and_each_is_taken_back(ada: Machine) -> None:
    def on_text(_: str, text: str, __: Mapping[str, str]) -> tuple[str, Path]:
        folder = Path(tempfile.mkdtemp())
        (folder / "entry.md").write_text(text)
        return text.replace("plan 2", "plan two"), folder / "entry.md"

    def remembered() -> str:
        return "".join(text for name, text in notes_of(ada).items() if name.startswith("shop/"))

    async def story(screen: Played) -> None:
        await screen.press("slash", *"prefers", "enter", "home")
        assert "ctxrepo inbox accept" in " ".join(screen.text.split())
        await screen.press("a", "d", "e")
        assert len(screen.rows) == PROPOSALS - 3
        assert "prefers plan 0 over" in remembered()
        assert "prefers plan 1 over" not in remembered()
        assert "prefers plan two over" in remembered()
        assert screen.message.startswith("edited and accepted ")
        await screen.press("u", "u", "u")
        assert len(screen.rows) == PROPOSALS
        assert "prefers plan" not in remembered()

    editor = EditorCalls(lambda _: "my-editor", lambda *_: 0, on_text)
    play(ada, story, editor=editor, size=(120, 30))
