"""edit, move, archive, forget, touch: just that changes, and what is known of an entry goes along."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada
from terminal import Terminal

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.cache.entries import entries_of_scopes

NOTE = (
    "---\n# kept\ndescription: How we release\nupdated: 2020-01-01\ntags: [ci]\n---\n\n# Release\n\n"
    "- on Fridays\n- on Fridays too, after lunch\n  - with care\n\n## Later\n\n- port to arm\n"
)
PATH = "shop/topics/release.md"


def today() -> str:
    """The day that a command writes, which looks at the clock itself."""
    return day(datetime.now(UTC))


@pytest.fixture
def note(copies: Copies, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """A memory with one committed note in the project."""
    return Terminal(copies.of(with_the_note), monkeypatch, capsys)


def with_the_note(place: Path) -> Machine:
    ada = make_ada(place)
    ada.remember("a start")
    ada.write(PATH, NOTE)
    ada.sync()
    return ada


def entry(cli: Terminal, words: str, path: str = PATH) -> str:
    """The id of the entry that holds some words."""
    return next(str(e["id"]) for e in cli("read", path, "--json").data["entries"] if words in e["text"])


class TestWhatIsPrintedIsTaken:
    """A place, or the beginning of an id, is a TARGET wherever one is asked for."""

    @pytest.mark.slow
    @pytest.mark.parametrize("form", ["place", "beginning", "bare", "name"])
    def test_by_every_command_that_takes_an_entry(self, note: Terminal, form: str) -> None:
        def target(words: str) -> str:
            hit = note("search", words, "--json").data["hits"][0]
            name = hit["at"].rpartition("/")[2]
            forms = {"place": hit["at"], "beginning": hit["id"][:8], "bare": hit["id"][1:7], "name": name}
            return str(forms[form])

        assert note("read", target("arm")).out == "- port to arm\n"
        assert note("history", target("arm")).code == 0
        assert note("links", target("arm")).code == 0
        assert note("touch", target("arm")).code == 0
        assert note("tags", target("arm"), "--add", "cpu").code == 0
        assert note("edit", target("arm"), "--old", "arm", "--new", "risc").code == 0
        assert note("remember", "stay", "--supersedes", target("Fridays")).code == 0
        assert note("archive", target("risc")).code == 0
        assert note("move", target("after lunch"), "topics/late.md").code == 0
        assert note("forget", target("lunch")).code == 0
        assert "lunch" not in note.machine.read("shop/topics/late.md")

    def test_a_note_by_its_name(self, note: Terminal) -> None:
        assert note("read", "release", "--json").data["path"] == PATH
        assert note("edit", "release.md", "--old", "after lunch", "--new", "at noon").code == 0
        assert "at noon" in note.machine.read(PATH)

    def test_nothing_changes_where_several_are_meant(self, note: Terminal) -> None:
        note.machine.write("shop/core/release.md", "- another\n")
        before = note.machine.read(PATH)
        for target in ("release", f"{PATH}#L10-L11"):
            answer = note("forget", target)
            assert (answer.code, answer.out) == (2, "")
            assert PATH in answer.err
        assert note.machine.read(PATH) == before

    def test_a_destination_is_no_entry(self, note: Terminal) -> None:
        assert note("move", "release", f"{PATH}#L10").code == 2
        assert note("new", f"{PATH}#L10", "-d", "x").code == 2

    def test_a_place_says_beside_what_a_fact_goes(self, note: Terminal) -> None:
        answer = note("remember", "beside it", "--note", f"{PATH}#L10", "--json")
        assert answer.data["at"].startswith(f"{PATH}#L")


class TestEditInAnEditor:
    @pytest.fixture(autouse=True)
    def at_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("ctxrepo.faces.cli.editor.at_terminal", lambda: True)

    def editor(self, note: Terminal, script: str) -> str:
        file = note.machine.home / "editor"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return str(file)

    def test_a_note_opens_as_it_is(self, note: Terminal) -> None:
        answer = note("edit", PATH, EDITOR=self.editor(note, """sed -i s/Fridays/Mondays/ "$1" """))
        assert (answer.code, answer.out) == (0, f"edited: {PATH}\n")
        assert note.machine.git("show", f"HEAD:{PATH}").count("Mondays") == 2

    def test_of_an_entry_only_its_text_is_opened(self, note: Terminal) -> None:
        after = entry(note, "after lunch")
        seen = note.machine.home / "seen"
        script = f"""cp "$1" {seen}; echo "$1" > {seen}.name; sed -i s/lunch/tea/ "$1" """
        answer = note("edit", after, EDITOR=self.editor(note, script))
        assert answer.code == 0, answer.err
        assert seen.read_text() == "- on Fridays too, after lunch\n  - with care\n"
        assert "- on Fridays\n- on Fridays too, after tea\n  - with care\n" in note.machine.read(PATH)
        assert (
            not Path(f"{seen}.name").exists() or not Path(Path(f"{seen}.name").read_text().strip()).exists()
        )
        assert note("edit", entry(note, "after tea"), EDITOR="true").out.startswith("unchanged: ^")

    def test_what_was_written_is_kept_where_it_can_not_be_taken(self, note: Terminal) -> None:
        after = entry(note, "after lunch")
        for script, code in (("""echo "- another" >> "$1" """, 2), ("exit 3", 1)):
            answer = note("edit", after, EDITOR=self.editor(note, script))
            assert (answer.code, answer.is_one_line()) == (code, True)
            assert Path(answer.err.partition("What you wrote is in ")[2].strip().rstrip(".")).exists()
        assert note.machine.read(PATH) == NOTE


class TestEdit:
    def test_a_passage_changes_and_every_other_byte_stays(self, note: Terminal) -> None:
        answer = note("edit", PATH, "--old", "after lunch", "--new", "after tea", "--json")
        assert (answer.code, answer.data["changed"], answer.data["path"]) == (0, True, PATH)
        text = note.machine.read(PATH)
        assert text == NOTE.replace("after lunch", "after tea").replace("2020-01-01", today())
        assert answer.data["hash"] == blob_id(text.encode())

    def test_lines_as_they_were_shown_are_found_where_they_end_in_cr_lf(self, note: Terminal) -> None:
        file = note.machine.clone / "shop/topics/dos.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"- one\r\n- two\r\n- three\r\n")
        assert note("edit", "topics/dos", "--old", "- one\n- two", "--new", "- 1\n- 2\n- 2.5").code == 0
        assert file.read_bytes() == b"- 1\r\n- 2\r\n- 2.5\r\n- three\r\n"

    def test_a_passage_of_one_entry(self, note: Terminal) -> None:
        first = entry(note, "on Fridays")
        answer = note("edit", first, "--old", "Fridays", "--new", "Mondays", "--json")
        assert answer.code == 0, answer.err
        assert "- on Mondays\n- on Fridays too" in note.machine.read(PATH)
        assert note("read", answer.data["id"]).out == "- on Mondays\n"
        assert answer.data["was"] == first
        assert f"{first} is {answer.data['id']} now" in note("read", first).err
        text = note.machine.read(PATH)
        line = 1 + text.splitlines().index("- on Mondays")
        assert answer.data["at"] == f"{PATH}#L{line}"
        assert answer.data["hash"] == blob_id(text.encode()), "of the note: --if-hash takes it"

    @pytest.mark.parametrize(("old", "count"), [("Fridays", "stands 2 times in"), ("Sundays", "is not in")])
    def test_a_passage_must_stand_there_once(self, note: Terminal, old: str, count: str) -> None:
        answer = note("edit", PATH, "--old", old, "--new", "x")
        assert (answer.code, answer.out) == (2, "")
        assert count in answer.err
        assert note.machine.read(PATH) == NOTE

    def test_the_whole_note_keeps_its_head_where_the_text_has_none(self, note: Terminal) -> None:
        answer = note("edit", PATH, "--from", "-", stdin=b"- all new")
        assert (answer.code, "gone, `ctxrepo undo` brings back" in answer.out) == (0, True)
        head = NOTE[: NOTE.index("\n# Release")].replace("2020-01-01", today())
        assert note.machine.read(PATH) == head + "- all new\n"
        whole = "---\ndescription: other\n---\n- x\n"
        assert note("edit", PATH, "--from", "-", stdin=whole.encode()).code == 0
        assert note.machine.read(PATH) == whole  # no `updated` is added

    def test_a_whole_entry_keeps_its_bullet_and_its_id(self, note: Terminal) -> None:
        fixed = note("remember", "first words", "--note", PATH, "--id", "--json").data["id"]
        answer = note("edit", fixed, "--from", "-", "--json", stdin=b"other words\nand more\n")
        assert (answer.code, answer.data["id"]) == (0, fixed)
        assert f"- other words <!-- {fixed} -->\n  and more\n" in note.machine.read(PATH)

    @pytest.mark.parametrize("text", ["- one\n\n# Title\n", "- one\n- two", "", "  \n"])
    def test_an_entry_stays_one_entry(self, note: Terminal, text: str) -> None:
        answer = note("edit", entry(note, "port to arm"), "--from", "-", stdin=text.encode())
        assert answer.code == 2
        assert note.machine.read(PATH) == NOTE

    def test_only_while_nobody_changed_it(self, note: Terminal) -> None:
        known = note("read", PATH, "--json").data["hash"]
        note.machine.write(PATH, NOTE + "- mine\n")
        answer = note("edit", PATH, "--old", "arm", "--new", "riscv", "--if-hash", known)
        assert answer.code == 6
        assert note.machine.read(PATH) == NOTE + "- mine\n"
        known = note("read", PATH, "--json").data["hash"]
        assert note("edit", PATH, "--old", "arm", "--new", "riscv", "--if-hash", known).code == 0

    @pytest.mark.parametrize(
        "words", [[], ["--old", "x"], ["--new", "x"], ["--old", "a", "--new", "b", "--from", "-"]]
    )
    def test_what_to_change_must_be_said(self, note: Terminal, words: list[str]) -> None:
        assert note("edit", PATH, *words).code == 2

    def test_windows_line_ends_stay(self, note: Terminal) -> None:
        crlf = NOTE.replace("\n", "\r\n")
        note.machine.write(PATH, "")
        (note.machine.clone / PATH).write_bytes(crlf.encode())
        answer = note("edit", entry(note, "after lunch"), "--old", "with care", "--new", "with joy")
        assert answer.code == 0, answer.err
        data = (note.machine.clone / PATH).read_bytes().decode()
        assert data == crlf.replace("with care", "with joy").replace("2020-01-01", today())

    def test_a_secret_is_refused_and_nothing_changes(self, note: Terminal) -> None:
        token = "ghp_" + "a1B2" * 9
        assert note("edit", PATH, "--old", "port to arm", "--new", f"token {token}").code == 6
        assert note.machine.read(PATH) == NOTE


class TestMove:
    def test_a_note_goes_to_another_path_and_its_history_with_it(self, note: Terminal) -> None:
        answer = note("move", "topics/release.md", "core/shipping.md", "--json")
        assert answer.data["at"] == "shop/core/shipping.md"
        assert not (note.machine.clone / PATH).exists()
        assert note.machine.read("shop/core/shipping.md") == NOTE.replace("2020-01-01", today())
        note.machine.sync()
        assert (
            "R" in note.machine.git("log", "-1", "-M", "--name-status", "--format=", "--", "shop").split()[0]
        )
        assert len(note("history", "core/shipping.md", "--json").data["history"]) == 2

    @pytest.mark.parametrize(
        ("to", "path"),
        [
            ("global:", "global/topics/release.md"),
            ("global:topics/ship.md", "global/topics/ship.md"),
            ("notes/", "shop/notes/release.md"),
            ("global:notes/", "global/notes/release.md"),
            ("global/x.md", "global/x.md"),
        ],
    )
    def test_where_it_goes(self, note: Terminal, to: str, path: str) -> None:
        assert note("move", PATH, to, "--json").data["at"] == path
        assert note.machine.read(path)
        assert not (note.machine.clone / PATH).exists()

    def test_pins_and_struck_entries_go_along(self, note: Terminal) -> None:
        note("remember", "always first", "--pin", "--note", PATH)
        old = note("remember", "no longer so", "--note", PATH, "--json").data["id"]
        note("remember", "now it is so", "--supersedes", old, "--note", PATH)
        assert note("move", PATH, "global:").code == 0
        note.machine.sync()
        entries = {e.entry.plain: e for e in note.machine.open().cache.ask(entries_of_scopes, ["global"])}
        assert entries["always first"].is_pinned
        assert entries["no longer so"].is_struck
        assert not entries["now it is so"].is_struck

    def test_an_entry_goes_to_another_note(self, note: Terminal) -> None:
        answer = note("move", entry(note, "port to arm"), "topics/later.md", "--json")
        assert answer.code == 0, answer.err
        assert answer.data["at"].startswith("shop/topics/later.md#L")
        assert note("read", answer.data["id"]).out == "- port to arm\n"
        assert "port to arm" not in note.machine.read(PATH)
        assert note.machine.read("shop/topics/later.md").startswith(
            "---\ndescription: Later notes\ncreated: "
        )

    def test_links_follow_a_note_that_is_moved_or_archived(self, note: Terminal) -> None:
        pointers = (
            "- [Release]({0}.md#Steps) — `[[topics/release]]`, [[{0}|how]]\n```\n[[topics/release]]\n```\n"
        )
        note.machine.write("shop/MEMORY.md", pointers.format("topics/release"))
        note.machine.write("global/USER.md", "- [[shop:topics/release|how]]")
        note.machine.write("other/kept.md", "- [[topics/release]] is none of ours\n")
        answer = note("move", PATH, "topics/ship.md")
        assert answer.out == "moved: shop/topics/release.md to shop/topics/ship.md (links in 2 more)\n"
        assert note.machine.read("shop/MEMORY.md") == pointers.format("topics/ship")
        assert note.machine.read("global/USER.md") == "- [[shop:topics/ship|how]]"
        assert note.machine.read("other/kept.md") == "- [[topics/release]] is none of ours\n"
        assert note("archive", "topics/ship.md", "--json").data["linking"] == 1
        assert "(archive/topics/ship.md#Steps)" in note.machine.read("shop/MEMORY.md")
        assert "[[topics/ship|how]]" in note.machine.read(
            "shop/MEMORY.md"
        )  # which leads to the archive as it is
        assert note("links").out == "no broken links\n"
        assert len(note("links", "archive/topics/ship.md", "--json").data["incoming"]) == 3

    def test_a_notes_own_links_lead_on_where_it_is_moved(self, note: Terminal) -> None:
        note.machine.write(
            "shop/topics/pay.md", "- see [steps](release.md), [[pay]] and [memory](../MEMORY.md)\n"
        )
        note.machine.write("shop/MEMORY.md", "- x\n")
        assert note("move", "topics/pay.md", "core/deep/pay.md").code == 0
        moved = "- see [steps](../../topics/release.md), [[pay]] and [memory](../../MEMORY.md)\n"
        assert note.machine.read("shop/core/deep/pay.md") == moved
        assert note("links").out == "no broken links\n"

    def test_an_entry_takes_its_links_along(self, note: Terminal) -> None:
        note.machine.write("shop/topics/pay.md", "- see [steps](release.md) first\n")
        assert note("move", entry(note, "first", "shop/topics/pay.md"), "MEMORY").code == 0
        assert "- see [steps](topics/release.md) first\n" in note.machine.read("shop/MEMORY.md")

    def test_a_note_with_a_secret_is_left_as_it_is_when_what_it_links_to_is_moved(
        self, note: Terminal
    ) -> None:
        held = "- token ghp_" + "a1B2" * 9 + " [[topics/release]]\n"
        note.machine.write("shop/held.md", held)
        assert note("move", PATH, "topics/ship.md").code == 0
        assert note.machine.read("shop/held.md") == held

    def test_an_id_that_is_there_already_is_borne_by_both(self, note: Terminal) -> None:
        note.machine.write("shop/topics/one.md", "- one <!-- ^mine -->\n")
        note.machine.write("shop/topics/two.md", "- two <!-- ^mine -->\n")
        answer = note("move", "^mine", "topics/two.md", "--json")
        assert (answer.code, answer.data["id"], answer.data["at"]) == (0, "^mine", "shop/topics/two.md#L2")
        assert note.machine.read("shop/topics/two.md") == "- two <!-- ^mine -->\n- one <!-- ^mine -->\n"

    def test_a_note_is_never_written_over(self, note: Terminal) -> None:
        note.machine.write("shop/topics/other.md", "- mine\n")
        assert note("move", PATH, "topics/other.md").code == 6
        assert note.machine.read("shop/topics/other.md") == "- mine\n"
        assert note.machine.read(PATH) == NOTE

    @pytest.mark.parametrize(
        "to", ["../out.md", "global:../x.md", "^123456789abc", PATH, "a\\b.md", "/etc/x.md", "x.txt"]
    )
    def test_what_is_no_place(self, note: Terminal, to: str) -> None:
        assert note("move", PATH, to).code == 2
        assert note.machine.read(PATH) == NOTE

    @pytest.mark.slow
    def test_an_edit_made_elsewhere_meanwhile_follows(self, both: tuple[Terminal, Terminal]) -> None:
        ada, ben = both
        ada.machine.write(PATH, NOTE)
        ada.machine.sync()
        ben.machine.sync()
        assert ada("move", PATH, "global:").code == 0
        ben.machine.write(PATH, NOTE.replace("port to arm", "port to riscv"))
        for terminal in (ada, ben, ada):
            terminal.machine.sync()
        assert ada.machine.tree() == ben.machine.tree()
        assert "port to riscv" in ada.machine.read("global/topics/release.md")
        assert not (ada.machine.clone / PATH).exists()


class TestArchive:
    def test_a_note_is_kept_found_and_no_longer_delivered(self, note: Terminal) -> None:
        assert "shop/topics/release.md" in note("context").out
        answer = note("archive", "topics/release.md", "--json")
        assert answer.data["at"] == "shop/archive/topics/release.md"
        assert "release" not in note("context").out
        assert "shop/archive/topics/release.md" in note("search", "arm").out
        assert note("archive", "archive/topics/release.md").code == 6

    def test_a_second_of_the_same_name_gets_a_number(self, note: Terminal) -> None:
        note("archive", PATH)
        note.machine.write(PATH, "- again\n")
        assert note("archive", PATH, "--json").data["at"] == "shop/archive/topics/release-2.md"

    def test_entries_of_a_note_gather_in_one(self, note: Terminal) -> None:
        for words in ("port to arm", "after lunch"):
            assert note("archive", entry(note, words)).code == 0
        kept = note.machine.read("shop/archive/topics/release.md")
        assert kept.index("- port to arm") < kept.index("- on Fridays too, after lunch\n  - with care\n")
        assert note.machine.read(PATH).count("\n- ") == 1

    def test_the_new_id_is_told_and_the_old_one_leads_there(self, note: Terminal) -> None:
        old = entry(note, "port to arm")
        answer = note("archive", old)
        new = entry(note, "port to arm", "shop/archive/topics/release.md")
        there = f"{new} shop/archive/topics/release.md#L7"
        assert answer.out == f"archived: {PATH}#L16 to {there}; `ctxrepo restore {new}` brings it back\n"
        read = note("read", old)
        assert (read.code, read.out) == (0, "- port to arm\n")
        assert read.err == f"ctxrepo: {old} is {new} now, at shop/archive/topics/release.md#L7\n"
        note.machine.sync()
        for name in (old, new):
            history = note("history", name, "--json").data["history"]
            assert [(d["path"], d["lines"]) for d in history] == [
                ("shop/archive/topics/release.md", [f"* moved from {PATH}", "+ port to arm"]),
                (PATH, ["+ port to arm"]),
            ]

    def test_who_would_change_it_by_the_old_id_is_told_the_new_one(self, note: Terminal) -> None:
        old = entry(note, "port to arm")
        new = note("archive", old, "--json").data["id"]
        for words in (["forget", old], ["archive", old], ["remember", "x", "--supersedes", old]):
            answer = note(*words)
            assert answer.code == 3
            assert f"It is {new} now, at shop/archive/topics/release.md#L7." in answer.err

    def test_the_ids_in_a_note_that_is_archived_whole_lead_there_too(self, note: Terminal) -> None:
        old = entry(note, "after lunch")
        note.machine.write("shop/archive/topics/release.md", "- in the way\n")
        assert note("archive", PATH).code == 0
        answer = note("read", old, "--json")
        (read,) = answer.data["entries"]
        assert (answer.data["path"], read["text"]) == (
            "shop/archive/topics/release-2.md",
            "- on Fridays too, after lunch\n  - with care",
        )
        assert "in the archive: archive/topics/release.md" in note("read", "topics/release").err

    @pytest.mark.parametrize("path", ["shop/roadmap-2025.md", "shop/daily/2026-11-22.md"])
    def test_whatever_the_note_is_called(self, note: Terminal, path: str) -> None:
        note.machine.write(path, "# T\n\n- by hand\n- too\n")
        old = entry(note, "by hand", path)
        for words in (["archive", path], ["move", path.replace("shop/", "archive/"), "global:kept.md"]):
            at = note(*words, "--json").data["at"]
            read = note("read", old)
            assert (read.code, read.out) == (0, "- by hand\n")
            assert f", at {at}#L3\n" in read.err

    def test_an_entry_that_is_gone_is_in_no_archived_note_of_a_like_name(self, note: Terminal) -> None:
        note.machine.write("shop/x-2.md", "- the same\n")
        note.machine.write("shop/x.md", "- the same\n- other\n")
        gone = entry(note, "the same", "shop/x.md")
        assert note("archive", "shop/x-2.md").code == 0
        note.machine.write("shop/x.md", "- other\n")
        assert note("read", gone).code == 3
        assert " now, at " not in note("read", gone).err

    def test_evidence_opens_no_file_that_is_no_note_of_the_memory(self, note: Terminal) -> None:
        note.machine.write("shop/x.md", "- outside\n")
        old = entry(note, "outside", "shop/x.md")
        (note.machine.clone / "shop/x.md").rename(note.machine.clone.parent / "out.md")
        record = {"id": "e", "ts": "2026-11-22", "kind": "renamed", "path": "shop/x.md"}
        for to in ("../out.md", "shop/../../out.md", "shop/none.md"):
            note.machine.write(".ctx/evidence/other-202611.jsonl", json.dumps({**record, "to": to}) + "\n")
            assert note("read", old).code == 3
        (note.machine.clone.parent / "out.md").rename(note.machine.clone / "shop/none.md")
        assert note("read", old).out == "- outside\n"

    def test_it_takes_one_line_of_evidence_for_entries_that_nothing_was_said_of(self, note: Terminal) -> None:
        note.machine.write("shop/long.md", "".join(f"- fact {number}\n" for number in range(500)))
        note("archive", "long.md")
        (file,) = (note.machine.clone / ".ctx/evidence").iterdir()
        lines = file.read_text().splitlines()
        assert [line for line in lines if "long.md" in line] == lines[-1:]

    def test_what_was_said_again_and_then_moved_is_followed(self, note: Terminal) -> None:
        old = note("remember", "the port is 1", "--json").data["id"]
        note("remember", "the port is 2", "--supersedes", old)
        note("remember", "the port is 1")
        new = note("move", old, "topics/ports.md", "--json").data["id"]
        read = note("read", old)
        assert (read.code, read.out) == (0, "- the port is 1\n")
        assert f"{old} is {new} now" in read.err

    def test_links_lead_there(self, note: Terminal) -> None:
        old = entry(note, "port to arm")
        rest = entry(note, "after lunch")
        note.machine.write("shop/links.md", f"- see [[{old}]]\n- and [[topics/release]]\n- and [[{rest}]]\n")
        there, second = "shop/archive/topics/release.md", "shop/archive/topics/release-2.md"
        for target, leads_to in ((old, [there, PATH, PATH]), (PATH, [there, second, second])):
            note("archive", target)
            links = note("links", "links.md", "--json").data["outgoing"]
            assert [link["to"] for link in links] == leads_to
        note.machine.write("shop/links.md", "- to [[^0123456789ab]]\n")
        assert [link["to"] for link in note("links", "links.md", "--json").data["outgoing"]] == [""]


class TestForget:
    def test_an_entry_is_gone_and_in_the_history(self, note: Terminal) -> None:
        gone = entry(note, "port to arm")
        answer = note("forget", gone)
        assert (answer.code, answer.out.splitlines()[1][:4]) == (0, "  - ")
        assert "port to arm" in answer.out
        assert "arm" not in note.machine.read(PATH)
        note.machine.sync()
        answer = note("read", gone)
        assert (answer.code, f"It was forgotten; `ctxrepo history {gone}`" in answer.err) == (3, True)
        assert "port to arm" in note("history", gone).out

    def test_of_two_equal_ones_the_other_stays(self, note: Terminal) -> None:
        note.machine.write(PATH, "- twice\n- twice\n")
        first = entry(note, "twice")
        assert note("forget", first).code == 0
        assert note.machine.read(PATH) == "- twice\n"
        assert "twice" in note("search", "twice").out

    def test_a_note_is_gone_on_every_machine_and_not_held_back(self, both: tuple[Terminal, Terminal]) -> None:
        ada, ben = both
        ada.machine.write(PATH, NOTE)
        ada.machine.sync()
        ben.machine.sync()
        assert ada("forget", PATH).code == 0
        ada.machine.sync()
        assert ben.machine.sync().held == ()
        assert not (ben.machine.clone / PATH).exists()
        assert ada("forget", PATH).code == 3


class TestTouch:
    def test_the_day_becomes_today(self, note: Terminal) -> None:
        answer = note("touch", PATH, "--json")
        assert (answer.code, answer.data["updated"], answer.data["changed"]) == (0, today(), True)
        assert note.machine.read(PATH) == NOTE.replace("2020-01-01", today())
        assert note("touch", PATH, "--json").data["changed"] is False

    def test_no_day_is_added(self, note: Terminal) -> None:
        note.machine.write("shop/x.md", "---\ndescription: x\n---\n- x\n")
        answer = note("touch", "x.md")
        assert answer.code == 0
        assert "no `updated`" in answer.err
        assert note.machine.read("shop/x.md") == "---\ndescription: x\n---\n- x\n"
