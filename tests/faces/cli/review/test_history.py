"""history: lines for people, values for programs, and old bytes as they were."""

from __future__ import annotations

import re
import time

import pytest
from machines import NOW
from terminal import Terminal

from ctxrepo.services.saving.commit import commit


def test_the_last_commits_are_a_line_each(cli: Terminal) -> None:
    cli("remember", "x is y", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="0123456789ab")
    answer = cli("history")
    host = cli.machine.open().host
    assert (answer.code, answer.err) == (0, "")
    newest, first = answer.out.splitlines()
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d  [0-9a-f]{10}  memory\(shop\): add MEMORY  ", newest)
    assert newest.endswith(f"  (claude on {host}, session 01234567)")
    assert first.startswith(f"{NOW.astimezone():%Y-%m-%d %H:%M}  ")
    fewer = cli("history", "--limit", "1")
    assert len(fewer.out.splitlines()) == 1
    assert "there are more" in fewer.err


def test_people_are_told_the_time_where_they_are_and_programs_the_time_in_utc(cli: Terminal) -> None:
    with cli.monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        first = cli("history").out.splitlines()[-1]
        when = cli("history", "--json").data["history"][-1]["when"]
    time.tzset()
    assert (first[:16], when) == ("2026-11-20 21:00", "2026-11-20T12:00:00Z")


def test_what_was_just_written_is_in_it(cli: Terminal) -> None:
    entry = cli("remember", "x is y", "-c", "gotcha", "--json").data
    answer = cli("history", "topics/gotcha")
    path, head, *lines = answer.out.splitlines()
    assert (path, lines) == ("shop/topics/gotcha.md", ["    * new", "    + [gotcha] x is y"])
    assert head.endswith(cli.machine.open().host)
    (deed,) = cli("history", entry["id"], "--json").data["history"]
    assert (deed["path"], deed["lines"]) == ("shop/topics/gotcha.md", ["+ [gotcha] x is y"])
    assert deed["writers"]["hosts"] == [cli.machine.open().host]
    assert deed["when"].endswith("Z")


def test_a_person_is_named_and_what_hides_is_seen(cli: Terminal) -> None:
    cli.machine.write("global/a.md", "- a\x1b[31m\u202eb\n")
    cli.machine.git("add", "global/a.md")
    cli.machine.git("commit", "-qm", "by \x1b[31m hand")
    answer = cli("history", "global:a")
    assert "  ada by hand\n" in answer.out
    assert "\\u{1b}" in answer.out
    assert "\x1b" not in answer.out + cli("history").out
    assert "\u202e" not in answer.out


def test_a_version_is_printed_as_it_was(cli: Terminal) -> None:
    (cli.machine.clone / "global/a.md").write_bytes(b"- caf\xc3\xa9 \x1b\r\n")
    commit(cli.machine.open(), NOW)
    cli.machine.write("global/a.md", "- other\n")
    start = cli("history", "global:a", "--json").data["history"][1]["commit"]
    for option in ("--show", "--at"):
        assert cli("history", "global:a", option, start[:8]).out == "- café \x1b\r\n"
    data = cli("history", "global:a", "--show", start, "--json").data
    assert data == {"commit": start, "path": "global/a.md", "text": "- café \x1b\r\n"}


def test_a_version_of_an_entry_is_found_in_the_note_it_was_in_then(cli: Terminal) -> None:
    cli.machine.write("global/a.md", "- moves on\n- stays\n")
    cli.machine.write("global/b.md", "- was here before it came\n")
    commit(cli.machine.open(), NOW)
    old = cli("read", "global:a", "--json").data["entries"][0]["id"]
    new = cli("move", old, "global:b.md", "--json").data["id"]
    after, before = (change["commit"] for change in cli("history", new, "--json").data["history"])
    for name in (old, new):
        answer = cli("history", name, "--show", before, "--json")
        assert (answer.code, answer.data) == (
            0,
            {"commit": before, "path": "global/a.md", "text": "- moves on\n"},
        )
        assert cli("history", name, "--show", after, "--json").data["path"] == "global/b.md"


def test_a_note_that_is_gone_is_asked_for_by_its_path(cli: Terminal) -> None:
    cli.machine.write("global/a.md", "- a\n")
    commit(cli.machine.open(), NOW)
    (cli.machine.clone / "global/a.md").unlink()
    answer = cli("history", "global:a")
    assert [line.strip() for line in answer.out.splitlines()][2:4] == ["* removed", "- a"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["never"], 3, "no commit has or had shop/never.md or global/never.md"),
        (["^" + "0" * 12], 3, "no entry"),
        (["nobody:x"], 3, "no scope"),
        (["../x"], 2, "can't be a note"),
        (["--limit", "0"], 2, "limit"),
        (["--show", "0123456"], 2, "--show needs a TARGET"),
        (["global:MEMORY", "--show", "HEAD"], 2, "is no commit"),
        (["global:MEMORY", "--show", "0000000"], 3, "there is no commit"),
    ],
)
def test_what_does_not_match_is_said_in_a_line(
    cli: Terminal, words: list[str], code: int, message: str
) -> None:
    answer = cli("history", *words)
    assert (answer.code, answer.is_one_line(), message in answer.err) == (code, True, True), answer.err
