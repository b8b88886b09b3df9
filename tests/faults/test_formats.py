"""Notes and lists that are not as they were meant: told strictly, read leniently, kept to the byte.

Each case is a note of one memory. What two machines say of all of them is asked once.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest
from long import rotating
from machines import Machine, make_machine, make_remote
from terminal import Terminal

pytestmark = pytest.mark.each_commit

KEPT = b"- a fact that is kept\n"


@dataclass(frozen=True)
class Case:
    """`problem` is what check says of line `line`; `description` what is delivered of the head all
    the same."""

    data: bytes
    line: int
    problem: str
    description: str = "No description"


NOTES = {
    "unclosed": Case(b"---\ndescription: d\n" + KEPT, 1, "opened on line 1 and never closed"),
    "bad-yaml": Case(
        b"---\ndescription: how: to\ntags: [a, b]\n---\n" + KEPT, 2, "not readable YAML", "how: to [a, b]"
    ),
    "tabs": Case(b"---\ndescription: d\nx:\n\ty: 1\n---\n" + KEPT, 4, "a tab indents", "d"),
    "twice": Case(
        b"---\ndescription: one\n\ndescription: two\n---\n" + KEPT,
        4,
        "description is there twice, first on line 2",
        "two",
    ),
    "tags-7": Case(b"---\ndescription: d\ntags: 7\n---\n" + KEPT, 3, "tags is not a list of words", "d [7]"),
    "never": Case(b"---\ndescription: d\nupdated: never\n---\n" + KEPT, 3, "updated is no date", "d"),
    "no-day": Case(b"---\ncreated: 2026-02-30\n---\n" + KEPT, 2, "created is no date"),
    "number": Case(b"---\n# c\ndescription: 7\n---\n" + KEPT, 3, "description is not a text", "7"),
    "bom-crlf": Case(
        b"\xef\xbb\xbf---\r\ndescription: d\r\nx: {\r\n---\r\n" + KEPT, 4, "not readable YAML", "d"
    ),
    "utf-16": Case(
        ("---\r\ndescription: é\r\n---\r\n" + KEPT.decode()).encode("utf-16"), 1, "it is UTF-16", "é"
    ),
    "latin-1": Case(b"---\ndescription: caf\xe9\n---\n" + KEPT, 2, "bytes that are not UTF-8", "caf\ufffd"),
    "bell": Case(b"---\ndescription: a\x07b\n---\n" + KEPT, 2, "a control character", "a\ufffdb"),
    "deep": Case(
        b"---\ndescription: d\nx: " + b"[" * 50_000 + b"\n---\n" + KEPT, 3, "nested deeper than 20", "d"
    ),
    "bomb": Case(
        b"---\ndescription: d\na: &a [x]\nb: [*a, *a]\n---\n" + KEPT, 4, "aliases are not allowed", "d"
    ),
    "python": Case(
        b"---\ndescription: d\nx: !!python/object/apply:os.system ['touch /tmp/pwned']\n---\n" + KEPT,
        3,
        "not readable YAML",
        "d",
    ),
    "js": Case(b"---js\n({description: 'd'})\n---\n" + KEPT, 1, "frontmatter is a program: it is not read"),
    "huge-head": Case(b"---\nx: " + b"x" * 70_000 + b"\n---\n" + KEPT, 1, "larger than 64 KiB"),
    "markers": Case(b"<<<<<<< HEAD\n" + KEPT + b"=======\n- b\n>>>>>>> b\n", 1, "a conflict marker"),
    "two-ids": Case(
        b"- b <!-- ^one -->\n- c <!-- ^one -->\n" + KEPT, 2, "global/two-ids.md#L1 has the id one too"
    ),
    "cr": Case(KEPT.replace(b"\n", b"\r") * 2, 1, "carriage returns alone"),
}

HANDOFF = (
    b'{"id":"h1","timestamp":"2026-11-20T10:00:00.000Z","name":"left","type":"handoff",'
    b'"meta":{"summary":"Next is the parser"},"sessionId":"s","sessionEntryId":"e"}\n'
)
LINES = {
    b"null\n": "isn't a JSON object",
    b"[1]\n": "isn't a JSON object",
    b"7\n": "isn't a JSON object",
    b'{"x": NaN}\n': "a number that JSON doesn't have",
    b'{"x": 1e999}\n': "too large",
    b'{"x": ' + b"9" * 5000 + b"}\n": "too large",
    b'{"id": {"a": 1}}\n': "an id that isn't text",
    b'{"id": "same"}\n': "",
    b'{"id": "same", "x": 1}\n': "has the id same too",
    b'{"x": ' + b"[" * 100_000 + b"\n": "nested too deep",
    HANDOFF.replace(b"h1", b"h0").replace(b"T10", b"T09").replace(b"left", b"\\ud800"): "",
    b"\xff\xfe\n": "isn't a JSON object",
    HANDOFF: "",
    b'{"torn": ': "it breaks off",
}
TAPE = "TAPE/shop/other-202611.jsonl"

BIG = b"- " + b"x" * (20 << 20) + b"\n"
ODD_NAMES = {
    "a:b.md": "colon",
    "a\\b.md": "backslash",
    "con.md": "Windows",
    "dot .md.": "dot or a space",
    "bell\x07.md": "control",
    "-rf.md": "dash",
    "zero\u200bwidth.md": "invisible",
}


@dataclass(frozen=True)
class Reports:
    """What was said on `here`, where the files were written, and the machine that got them by a sync."""

    here: Machine
    there: Machine
    listed: str
    delivered: str
    check: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    root = tmp_path_factory.mktemp("formats")
    remote = make_remote(root)
    here, there = (make_machine(root, name) for name in ("ada", "ben"))
    for machine in (here, there):
        machine.init(str(remote))
    here.remember("known before")
    for name, case in NOTES.items():
        put(here, f"global/{name}.md", case.data)
    put(here, "global/MEMORY.md", b"---\ndescription: [\n---\n- delivered whole\n")
    put(here, TAPE, b"".join(LINES))
    for machine in (here, there):
        run = machine.ctxrepo("sync")
        assert (run.returncode, "Traceback" in run.stderr) == (0, False), run.stderr
    listed, delivered, check = (there.ctxrepo(word) for word in ("list", "context", "check"))
    assert (listed.returncode, delivered.returncode, check.returncode) == (0, 0, 1)
    lines = [line for run in (listed, delivered, check) for line in run.stderr.splitlines()]
    assert [
        line for line in lines if not line.endswith(" …")
    ] == []  # but for how far `check` is, after a second
    return Reports(here, there, listed.stdout, delivered.stdout, check)


@pytest.fixture
def cli(reports: Reports, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(reports.there, monkeypatch, capsys)


@pytest.mark.parametrize("name", rotating(NOTES))
def test_a_note_that_is_not_as_it_was_meant(reports: Reports, cli: Terminal, name: str) -> None:
    case, path = NOTES[name], f"global/{name}.md"
    for machine in (reports.here, reports.there):
        assert (machine.clone / path).read_bytes() == case.data
        git = subprocess.run(
            ["git", "show", f"HEAD:{path}"], cwd=machine.clone, capture_output=True, check=True
        )
        assert git.stdout == case.data
    assert f"\n{path} — {case.description}" in reports.listed
    assert f"\n{path}{shown(case)}\n" in reports.delivered
    answer = cli("read", f"global:{name}")
    assert (answer.code, answer.err) == (0, "")
    assert "a fact that is kept" in answer.out
    (finding,) = [f for f in findings(cli, path) if f["line"] == case.line and case.problem in f["problem"]]
    assert finding["remedy"]
    assert f"{path}:{case.line}: {finding['problem']}. {finding['remedy']}\n" in reports.check.stdout


def test_the_body_of_memory_is_delivered_though_its_head_cannot_be_read(reports: Reports) -> None:
    assert "- delivered whole" in reports.delivered


def test_lines_that_are_no_records_are_kept_and_told_and_what_stands_between_them_is_read(
    reports: Reports, cli: Terminal
) -> None:
    for machine in (reports.here, reports.there):
        assert (machine.clone / TAPE).read_bytes().startswith(b"".join(LINES))
    assert "Next is the parser" in reports.delivered
    wrong = {n: why for n, why in enumerate(LINES.values(), 1) if why}
    problems = {f["line"]: f["problem"] for f in findings(cli, TAPE)}
    assert [n for n in wrong if wrong[n] not in problems.pop(n, "")] == []
    assert problems == {}
    own = reports.here.open().host
    torn = reports.here.clone / f"TAPE/shop/{own}-202611.jsonl"
    torn.write_bytes(b'{"torn": ')
    assert reports.here.ctxrepo("anchor", "next").returncode == 0
    files = sorted(torn.parent.glob(f"{own}-*.jsonl"))
    assert all(line.startswith(b"{") for file in files for line in file.read_bytes().splitlines())
    assert torn.read_bytes().startswith(b'{"torn": ')


def test_a_line_of_20_mb_is_passed_over_and_stays_where_it_is(ada: Machine) -> None:
    ada.init()
    put(ada, "global/big.md", BIG)
    put(ada, "global/small.md", KEPT)
    assert ada.ctxrepo("sync").returncode == 0
    run = ada.ctxrepo("check")
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.startswith("global/big.md: it is larger than 2 MiB")
    assert "global/small.md" in ada.ctxrepo("list").stdout
    assert (ada.clone / "global/big.md").read_bytes() == BIG


def test_odd_names_are_passed_over_named_and_never_written(
    ada: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ada.init()
    cli = Terminal(ada, monkeypatch, capsys)
    for name in ODD_NAMES:
        put(ada, f"global/{name}", KEPT)
    (ada.clone / "global").joinpath("x.md").write_bytes(KEPT)
    undecodable = bytes(ada.clone / "global") + b"/\xff.md"
    Path(undecodable.decode("utf-8", "surrogateescape")).write_bytes(KEPT)
    assert cli("sync").code in (0, 6)
    assert ada.git("ls-files", "global").split("\n") == ["global/MEMORY.md", "global/x.md"]
    answer = cli("check")
    assert (answer.code, answer.err, "\x07" in answer.out) == (1, "", False)
    problems = {f["path"]: f["problem"] for f in cli("check", "--json").data["findings"]}
    assert len(problems) == len(ODD_NAMES) + 1
    for name, why in ODD_NAMES.items():
        assert why in problems[f"global/{name}"]
        assert (ada.clone / "global" / name).read_bytes() == KEPT
    for name in ("", "../x", "/x", "x" * 300, "a\\b", "-x", "con", "x./y"):
        refused = cli("new", "-d", "d", "--", name)
        assert (refused.code, refused.is_one_line()) == (2, True), name
    assert sorted(p.name for p in ada.home.iterdir()) == [
        ".config",
        ".ctxrepo",
        ".gitconfig",
        ".local",
        "shop",
    ]


def shown(case: Case) -> str:
    """As the index of a session start has it."""
    return f" — {case.description}" if case.description != "No description" else ""


def put(machine: Machine, path: str, data: bytes) -> None:
    file = machine.clone / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


class Finding(TypedDict):
    """What `check --json` says of a line, as far as it is looked at here."""

    path: str
    line: int
    problem: str
    remedy: str


def findings(cli: Terminal, path: str) -> list[Finding]:
    findings: list[Finding] = cli("check", "--json").data["findings"]
    return [f for f in findings if f["path"] == path]
