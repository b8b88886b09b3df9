"""Check finds what is not as it was meant, and changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from machines import Machine

from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.services.health.note_checks import check


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"---\na: b\n- x\n", 1, "never closed"),
        (b"---\na: b\n\tdescription: x\n---\n", 3, "not readable YAML: a tab indents"),
        (b"---\r\na: b\r\nb: [\r\n---\r\n", 4, "not readable YAML"),
        (b"---\n\na: b: c\n---\n", 3, "not readable YAML"),
        (b"---\ntags: 7\nupdated: never\n---\n", 2, "tags is not a list"),
        (b"---\ntags: 7\nupdated: never\n---\n", 3, "updated is no date"),
        (b"---\ncreated: 2026-02-30\n---\n", 2, "created is no date"),
        (b"---\na: 1\nx:\n  - a: 1\n    a: 2\n\na: 2\n---\n", 7, "a is there twice, first on line 2"),
        (b"---\n# a\na: &a [*a]\n---\n", 3, "aliases are not allowed"),
        (b"---\na: !!python/object/apply:os.system ['x']\n---\n", 2, "not readable YAML"),
        (b"---\na: b\nc: " + b"[" * 3000 + b"\n---\n", 3, "nested deeper"),
        (b"---\na: " + b"x" * 70_000 + b"\n---\n", 1, "larger than 64 KiB"),
        (b"---\na: 1\nb: \x07\n---\n", 3, "a control character"),
        (b"---js\na\n---\n", 1, "frontmatter is a program: it is not read"),
        (b"---\ndescription: d\nlimit: -5\n---\n", 3, "limit isn't a number above 0"),
        (b"---\nlimit: true\n---\n", 2, "limit isn't a number above 0"),
        (b"- ok\n- caf\xe9\n", 2, "bytes that are not UTF-8"),
        ("- x\n".encode("utf-16"), 1, "it is UTF-16"),
        (b"- a\r- b\r", 1, "carriage returns"),
        (b"\xef\xbb\xbf# T\n", 1, "byte order mark"),
        (b"- a\n- b\n<<<<<<< ours\n", 3, "a conflict marker"),
        (b"- a\n\n- b\0\n", 3, "NUL"),
        (b"- a <!-- ^same -->\n- b <!-- ^same -->\n", 2, "global/x.md#L1 has the id same too"),
        (b"- a\n- token ghp_" + b"a1B2" * 9 + b"\n", 2, "secret"),
        ((b"- " + b"word " * 30 + b"\n") * 7_000, 0, "larger than 1024 KiB"),
    ],
)
def test_what_is_wrong_in_a_note(mine: Machine, data: bytes, line: int, message: str) -> None:
    (mine.clone / "global/x.md").write_bytes(data)
    findings = check(mine.open())
    assert all(f.path == "global/x.md" and f.remedy for f in findings)
    assert (line, True) in [(f.line, message in f.problem) for f in findings]
    assert not any("ghp_" in f"{f.problem}{f.remedy}" for f in findings)
    assert (mine.clone / "global/x.md").read_bytes() == data


def test_a_memory_that_is_more_than_is_shown(mine: Machine) -> None:
    head = "---\ndescription: d\n---\n\n"
    mine.write("global/MEMORY.md", head + "- é\n" * 613 + "- x")
    assert [finding.problem for finding in check(mine.open())] == [
        "it says the same as line 5 and 611 more below"
    ]
    mine.write("global/MEMORY.md", head + "- é\n" * 700)
    mine.write("global/topics/MEMORY.md", head + "- é\n" * 700)
    (large,) = (finding for finding in check(mine.open()) if "says the same" not in finding.problem)
    assert (large.path, large.line) == ("global/MEMORY.md", 0)
    assert "of its 3,499 bytes a session is shown 3,072 at most" in large.problem
    assert "topics/" in large.remedy


def test_what_is_fine_is_not_found(mine: Machine) -> None:
    mine.write("global/x.md", "---\ndescription: fine\ntags: [a]\n---\n# T\n\n- a\n- b\n\n=====\n")
    (mine.clone / "global/picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    mine.write("global/replacement.md", "- a real \ufffd character\n")
    mine.write("inbox/h.jsonl", '{"id": 1}\n\n{"id": 2}\n')
    for path in ("global/y.md", "conflicts/global__y.md--0123456789.md"):  # versions of one entry
        mine.write(path, "# T\n\n- the VPN is down <!-- ^vpn -->\n")
    mine.remember("a fact")
    assert check(mine.open()) == []


def test_what_is_wrong_in_lists_registry_and_names(mine: Machine) -> None:
    mine.write("inbox/h.jsonl", '{"id": 1}\n{"torn\nnull\n')
    mine.write("ctxrepo.toml", "garbage [")
    mine.write("global/con.md", "- reserved\n")
    (mine.clone / "global/link.md").symlink_to("x.md")
    places = [(f.path, f.line) for f in check(mine.open())]
    assert places == [
        ("ctxrepo.toml", 0),
        ("global/con.md", 0),
        ("global/link.md", 0),
        ("inbox/h.jsonl", 2),
        ("inbox/h.jsonl", 3),
    ]
    assert not any(f.problem.startswith(f.path) for f in check(mine.open()))


def test_a_secret_let_through_by_the_user_is_no_finding(mine: Machine) -> None:
    mine.write("global/x.md", "- ghp_" + "a1B2" * 9 + "\n")
    (refusal,) = check_file("global/x.md", mine.read("global/x.md").encode())
    file = mine.places.config_file
    file.write_text(file.read_text() + f'\n[secrets]\nallow_secret = ["{refusal.fingerprint}"]\n')
    assert check(mine.open()) == []


def test_who_waits_is_told_how_far_it_is(mine: Machine) -> None:
    memory = mine.open()
    messages: list[str] = []
    check(replace(memory, progress=messages.append))
    assert messages[0].startswith("looking through the notes: 0 of ")
    assert messages[-1] == "comparing the entries"


def test_a_note_in_no_folder_is_told(mine: Machine) -> None:
    mine.write("loose.md", "- a fact\n")
    (finding,) = (finding for finding in check(mine.open()) if finding.path == "loose.md")
    assert (finding.level, "no session is given it" in finding.problem) == ("note", True)


def test_a_folder_that_belongs_to_no_project_is_found_and_named(mine: Machine) -> None:
    mine.write("nobody/topics/x.md", "---\ndescription: d\n---\n\n- a fact\n")
    (finding,) = check(mine.open())
    assert (finding.path, finding.line) == ("nobody/", 0)
    assert "no project has this folder" in finding.problem
    listed = mine.ctxrepo("list", "--scope", "nobody")
    assert listed.returncode == 3
    assert "nobody/ belongs to no project" in listed.stderr
    assert "there is no scope" in mine.ctxrepo("list", "--scope", "elsewhere").stderr
