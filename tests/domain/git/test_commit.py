from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.git.commit import (
    MAX_LINE,
    MAX_LINES,
    MAX_SUBJECT,
    FileChange,
    merge_message,
    message,
    with_version,
    writers_of,
)
from ctxrepo.domain.project.layout import INVISIBLE
from ctxrepo.domain.records.save import Origin

ORIGIN = Origin(host="ada-1a2b", session="s-1", agent="claude", project="host/owner/name")
# Put together here, so that this file holds none.
TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6"


def subject(*paths: str, verb: str = "edit") -> str:
    return message([FileChange(path, verb) for path in paths], []).splitlines()[0]


def trailers(text: str) -> list[str]:
    """What git itself reads."""
    command = ["git", "interpret-trailers", "--parse"]
    return (
        subprocess.run(command, input=text.encode(), capture_output=True, check=True)
        .stdout.decode()
        .splitlines()
    )


def test_a_whole_message() -> None:
    text = message(
        [FileChange("global/topics/build.md", "add", ("+ use make check", "~ two cores"))], [ORIGIN]
    )
    assert text == (
        "memory(global): add topics/build\n"
        "\n"
        "+ use make check\n"
        "~ two cores\n"
        "\n"
        "Ctxrepo-Session: s-1\n"
        "Ctxrepo-Agent: claude\n"
        "Ctxrepo-Host: ada-1a2b\n"
        "Ctxrepo-Project: host/owner/name\n"
    )


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["shop/MEMORY.md"], "memory(shop): edit MEMORY"),
        (["shop/a.md", "shop/b.md", "global/c.md"], "memory(shop): edit a, +2"),
        (["shop/a.md", "ctxrepo.toml", ".ctx/evidence/h-202601.jsonl"], "memory(shop): edit a"),
        (["ctxrepo.toml", "shop/a.md"], "memory(shop): edit a"),
        (["ctxrepo.toml"], "memory(*): edit ctxrepo.toml"),
        (["TAPE/shop/h-202601.jsonl"], "memory(shop): edit h-202601.jsonl"),
        (["inbox/h.jsonl"], "memory(inbox): edit h.jsonl"),
        ([], "memory: change nothing"),
    ],
)
def test_subjects(paths: list[str], expected: str) -> None:
    assert subject(*paths) == expected


def test_a_long_path_keeps_its_end_and_the_number_of_others() -> None:
    line = subject("shop/" + "deep/" * 20 + "build.md", "shop/b.md")
    assert len(line) == MAX_SUBJECT
    assert line.startswith("memory(shop): edit …")
    assert line.endswith("/build, +1")


def test_a_long_verb_or_scope_leaves_room_for_the_note() -> None:
    line = subject("s" * 80 + "/build.md", "a/b.md", verb="v" * 80)
    assert len(line) <= MAX_SUBJECT
    assert line.endswith(" build, +1")


def test_a_merge_is_told_in_the_same_words() -> None:
    text = merge_message(["ctxrepo.toml", "shop/a.md", "shop/b.md"], Origin("ada-1a2b"))
    assert text == "memory(shop): merge a, +1\n\nCtxrepo-Host: ada-1a2b\n"
    assert merge_message([], Origin("")) == "memory: merge nothing\n"


def test_the_version_is_one_more_trailer_of_a_message_that_says_who_wrote() -> None:
    text = with_version(message([FileChange("a/b.md", "add", ("+ x",))], [ORIGIN]), "1.2.3")
    assert trailers(text)[-1] == "Ctxrepo-Version: 1.2.3"
    assert writers_of(text).versions == ("1.2.3",)
    assert writers_of(text).hosts == ("ada-1a2b",)
    assert writers_of("x\n\nCtxrepo-Host: ada-1a2b\n").versions == (), "of an earlier ctxrepo"
    for other in ("by hand\n", merge_message([], Origin("")), "x\n\nCtxrepo-Host: h\n\nmore\n"):
        assert with_version(other, "1.2.3") == other


def test_long_bodies_are_cut_and_counted() -> None:
    lines = tuple(f"+ {n} " + "x" * 200 for n in range(100))
    body = message(
        [FileChange("a/b.md", "add", lines[:30]), FileChange("a/c.md", "add", lines[30:])], []
    ).splitlines()[2:]
    assert len(body) == MAX_LINES
    assert body[-1] == f"… {100 - MAX_LINES + 1} more"
    assert all(len(line) == MAX_LINE for line in body[:-1])
    whole = message([FileChange("a/b.md", "add", lines[:MAX_LINES])], []).splitlines()[2:]
    assert len(whole) == MAX_LINES
    assert "more" not in whole[-1]


def test_trailers_repeat_and_the_empty_ones_are_left_out() -> None:
    origins = [ORIGIN, Origin("ada-1a2b", "s-2", "codex"), Origin("ada-1a2b")]
    text = message([FileChange("a/b.md", "add", ("+ x",))], origins)
    assert trailers(text) == [
        "Ctxrepo-Session: s-1",
        "Ctxrepo-Session: s-2",
        "Ctxrepo-Agent: claude",
        "Ctxrepo-Agent: codex",
        "Ctxrepo-Host: ada-1a2b",
        "Ctxrepo-Project: host/owner/name",
    ]
    assert trailers(message([FileChange("a/b.md", "add", ("+ x",))], [Origin("")])) == []


FORGED = [
    "x\nCtxrepo-Agent: root",
    "x\r\n\r\nSigned-off-by: Eve <eve@example.org>",
    "\n\nCtxrepo-Agent: root\n",
    "x\u2028Ctxrepo-Agent: root",
    "x\x0bCtxrepo-Agent: root\x85Co-authored-by: Eve <e@x>",
    "---\nCtxrepo-Agent: root",
    "Ctxrepo-Agent: root",
    "Signed-off-by: Eve <eve@example.org>",
    "# Ctxrepo-Agent: root",
    " Ctxrepo-Agent: root",
    "\u200bCtxrepo-Agent: root",
]


@pytest.mark.parametrize("text", FORGED)
def test_nothing_can_forge_a_trailer(text: str) -> None:
    changes = [FileChange(f"a/{text}.md", text, (text, f"+ {text}", text))]
    assert trailers(message(changes, [])) == []
    assert trailers(message(changes, [Origin("h")])) == ["Ctxrepo-Host: h"]
    fields = trailers(message(changes, [Origin(text, text, "claude", text)]))
    assert [line.split(":")[0] for line in fields] == [
        f"Ctxrepo-{k}" for k in ("Session", "Agent", "Host", "Project")
    ]
    assert fields[1] == "Ctxrepo-Agent: claude"


def test_no_secret_is_repeated() -> None:
    changes = [FileChange(f"a/{TOKEN}.md", "add", (f"- token {TOKEN}", "- " + "x" * 80 + f" {TOKEN}"))]
    text = message(changes, [Origin(TOKEN, TOKEN, TOKEN, TOKEN)])
    assert "aB3dE5" not in text


_any = st.text(max_size=120)
_origins = st.lists(st.builds(Origin, _any, _any, _any, _any), max_size=3)


@given(
    st.lists(st.builds(FileChange, _any, _any, st.lists(_any, max_size=50).map(tuple)), max_size=4), _origins
)
def test_every_message_keeps_its_bounds(changes: list[FileChange], origins: list[Origin]) -> None:
    text = message(changes, origins)
    first, *blocks = text.rstrip("\n").split("\n\n")
    assert first.startswith("memory")
    assert len(first) <= MAX_SUBJECT
    assert "\n" not in first
    lines = [line for block in blocks for line in block.split("\n")]
    body = [line for line in lines if not line.startswith("Ctxrepo-")]
    assert len(body) <= MAX_LINES
    assert all(len(line) <= MAX_LINE for line in body)
    assert all(line[:2] in ("+ ", "- ", "~ ", "* ", "*", "… ") for line in body)
    assert text.encode()
    assert not INVISIBLE.search(text.replace("\n", ""))
    assert text.endswith("\n")
    assert len(text.splitlines()) == text.count("\n")


@given(st.text(), st.text(), st.lists(st.text(min_size=1), max_size=5))
def test_every_merge_message_keeps_its_bounds(host: str, session: str, paths: list[str]) -> None:
    first = merge_message(paths, Origin(host, session)).split("\n")[0]
    assert len(first) <= MAX_SUBJECT
