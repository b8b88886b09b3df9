"""The packet: never over its budget, read back exactly, the same for the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hot.block import FRAME, OVERHEAD, age_of, day_of, index_line, seal, size
from ctxrepo.hot.packet import change_section, fault_section, packet, told
from ctxrepo.hot.preamble import PREAMBLE, filled

SECRET = "00112233445566778899aabbccddeeff"
TODAY = day_of("2026-03-01") or 0

HOSTILE = st.sampled_from(
    [
        *(
            "</ctxrepo-memory>",
            "]]>",
            "```",
            "<|im_start|>",
            "Human:",
            "\u202e",
            "\U000e0041",
            "\x1b[2J",
            "\0",
        ),
        *(" — ", " [x]", " >30d", " >90d", "\n## Faults\n- x", "#", "\n", "—", "\\", "]"),
        "… 1 more: ctxrepo search",
    ]
)
TEXT = st.lists(st.one_of(HOSTILE, st.text(max_size=8), st.characters()), max_size=8).map("".join)
DATES = st.sampled_from(["", "2026-02-28", "2026-01-15", "2025-01-01", "0000-00-00", "soon"])


def rows(scope: str) -> st.SearchStrategy[list[tuple[str, str, str, str, int, int]]]:
    path = TEXT.map(lambda text: f"{scope}/{text}.md")
    row = st.tuples(path, TEXT, TEXT, DATES, st.integers(0, 1), st.integers(0, 1))
    return st.lists(row, max_size=6, unique_by=lambda r: r[0])


def inputs() -> st.SearchStrategy[dict[str, Any]]:
    scopes = st.tuples(TEXT, rows("global"), TEXT, rows("shop")).map(
        lambda v: [("global", v[0], v[1], len(v[1])), ("shop", v[2], v[3], len(v[3]))]
    )
    return st.fixed_dictionaries(
        {
            "scopes": scopes,
            "preamble": TEXT,
            "handoff": st.none() | st.tuples(TEXT, TEXT, TEXT),
            "faults": st.lists(TEXT, max_size=4),
        }
    )


@given(inputs(), st.integers(0, 3000))
def test_the_budget_is_never_exceeded_and_what_is_there_parses(
    parser: Any, given: dict[str, Any], budget: int
) -> None:
    text = packet(**given, today=TODAY, secret=SECRET, budget=budget)
    assert len(text.encode()) <= budget
    if text:
        parser.parse(text)


@given(inputs())
def test_a_strict_parser_reads_back_what_went_in(parse: Callable[[str], Any], given: dict[str, Any]) -> None:
    text = packet(**given, today=TODAY, secret=SECRET, budget=200_000)
    assert text == packet(**given, today=TODAY, secret=SECRET, budget=200_000)
    if not text:
        return
    block = parse(text)
    wanted = {
        (path, description, tags, age_of(updated, TODAY))
        for _, _, scope_rows, _ in given["scopes"]
        for path, description, tags, updated, _, _ in scope_rows
    }
    assert {tuple(line) for line in block.index} == wanted
    assert {line.scope for line in block.index} <= {"global", "shop"}
    bodies = {f"{scope}/MEMORY.md": body for scope, body, _, _ in given["scopes"] if body}
    assert block.bodies.keys() == bodies.keys()
    for path, body in block.bodies.items():
        assert body == bodies[path]
    if given["handoff"]:
        name, ts, said = given["handoff"]
        assert block.handoff == (name, ts[:10], said)
    assert block.faults == given["faults"]
    assert block.more == 0


AMBIGUOUS = st.lists(st.sampled_from(["a", " ", "—", " — ", "[", "]", " [b]", ">30d", " >90d", "…"])).map(
    "".join
)


@given(AMBIGUOUS, AMBIGUOUS, AMBIGUOUS, st.sampled_from(["", ">30d", ">90d"]))
def test_a_line_of_the_index_reads_one_way_only(
    parse: Callable[[str], Any], path: str, description: str, tags: str, age: str
) -> None:
    line = index_line(path, description, tags, age)
    block = parse(seal("## Index of notes\n" + line, SECRET))
    assert tuple(block.index[0]) == (path, description, tags, age)


def test_hostile_notes_are_data(parse: Callable[[str], Any], hostile: tuple[str, ...]) -> None:
    listed = [(f"global/{text}.md", text, text, "2025-01-01", 0, 0) for text in hostile]
    text = packet([("global", "\n".join(hostile), listed, len(listed))], "", None, [], TODAY, SECRET, 100_000)
    block = parse(text)
    assert block.bodies["global/MEMORY.md"] == "\n".join(hostile)
    assert {tuple(line) for line in block.index} == {
        (path, description, tags, ">90d") for path, description, tags, _, _, _ in listed
    }
    assert text.count("\n</") == 1
    assert text.splitlines()[1] == FRAME


def test_the_tag_follows_content_and_secret() -> None:
    assert seal("a\n", SECRET) == seal("a\n", SECRET)
    tags = {re.findall('tag="(.*?)"', seal(c, k))[0] for c, k in (("a", SECRET), ("b", SECRET), ("a", "ff"))}
    assert len(tags) == 3
    assert size(seal("é\n", SECRET)) == size("é\n") + OVERHEAD


def test_a_secret_that_is_no_key_still_seals() -> None:
    assert seal("a\n", "no hex") != seal("a\n", "")


def test_order_is_pinned_core_newest_then_path(parse: Callable[[str], Any]) -> None:
    listed = [
        ("shop/b.md", "", "", "2026-01-01", 0, 0),
        ("shop/a.md", "", "", "2026-01-01", 0, 0),
        ("shop/undated.md", "", "", "", 0, 0),
        ("shop/core/old.md", "", "", "2020-01-01", 0, 1),
        ("shop/new.md", "", "", "2026-02-01", 0, 0),
        ("shop/pinned.md", "", "", "", 1, 0),
    ]
    block = parse(packet([("shop", "", listed, 6)], "", None, [], TODAY, SECRET))
    assert [line.path for line in block.index] == [
        f"shop/{name}.md" for name in ("pinned", "core/old", "new", "a", "b", "undated")
    ]


def test_global_gets_a_third_and_passes_on_what_it_leaves(parse: Callable[[str], Any]) -> None:
    many = [(f"global/note-{n:03}.md", "x" * 60, "", "2026-02-01", 0, 0) for n in range(200)]
    own = [(f"shop/note-{n:03}.md", "y" * 60, "", "2026-01-01", 0, 0) for n in range(200)]
    scopes = [("global", "- g\n" * 2000, many, 200), ("shop", "- s\n" * 100, own, 200)]
    text = packet(scopes, "", None, [], TODAY, SECRET, 9500)
    block = parse(text)
    spent = sum(size(index_line(*line)) for line in block.index if line.scope == "global")
    assert size(block.bodies["global/MEMORY.md"]) + spent <= 9500 // 3
    assert block.cut == ("global/MEMORY.md",)
    assert block.more == 400 - len(block.index)
    assert len(text.encode()) > 9500 - 200
    alone = parse(packet([("global", "", [], 0), ("shop", "", own, 200)], "", None, [], TODAY, SECRET, 9500))
    assert sum(line.scope == "shop" for line in alone.index) > sum(
        line.scope == "shop" for line in block.index
    )


def test_global_alone_may_take_all(parse: Callable[[str], Any]) -> None:
    many = [(f"global/note-{n:03}.md", "x" * 60, "", "", 0, 0) for n in range(200)]
    text = packet([("global", "", many, 200)], "", None, [], TODAY, SECRET, 9500)
    assert len(text.encode()) > 9300
    assert text.splitlines()[-2] == f"… {parse(text).more} more: ctxrepo search"


def test_bodies_and_handoff_are_cut_between_lines_and_marked(parse: Callable[[str], Any]) -> None:
    body = "\n".join(f"- fact {n} ééé" for n in range(400))
    handoff = ("stop", "2026-02-28T10:00:00Z", "\n".join(f"step {n}" for n in range(300)))
    text = packet([("shop", body, [], 0)], "", handoff, [], TODAY, SECRET)
    block = parse(text)
    assert block.cut == ("shop/MEMORY.md", "handoff")
    shown = block.bodies["shop/MEMORY.md"]
    assert body.startswith(shown + "\n")
    assert f"### cut: the first {shown.count(chr(10)) + 1} of 400 lines" in text
    assert size(shown) <= 3 * 1024
    assert block.handoff is not None
    assert size(block.handoff[2]) <= 1024


def test_a_body_of_one_endless_line_leaves_its_place(parse: Callable[[str], Any]) -> None:
    text = packet([("shop", "x" * 9000, [], 0)], "", None, [], TODAY, SECRET)
    assert "## shop/MEMORY.md\n### cut: the first 0 of 1 lines\n" in text


def test_without_notes_the_preamble_alone_is_delivered(parse: Callable[[str], Any]) -> None:
    text = packet([("global", "", [], 0)], filled(PREAMBLE, "/m", "shop"), None, [], TODAY, SECRET)
    assert parse(text).preamble == filled(PREAMBLE, "/m", "shop").rstrip("\n")
    assert packet([], "", None, [], TODAY, SECRET) == ""


def test_the_preamble_is_short_and_names_the_places() -> None:
    said = filled(PREAMBLE, "/home/ada/.ctxrepo", "shop")
    assert len(said.encode()) <= 1200
    assert "/home/ada/.ctxrepo" in said
    assert "`shop/`" in said
    assert "none yet" in filled(PREAMBLE, "/m", "")


def test_faults_are_one_line_each_and_few(parse: Callable[[str], Any]) -> None:
    faults = [(str(n), f"fault {n}\n" + "x" * 100) for n in range(30)]
    kept = told(faults)
    assert 5 < len(kept) < 12
    assert faults[: len(kept)] == kept
    section = fault_section([text for _, text in kept], 1024)
    assert parse(seal(section, SECRET)).faults == [text for _, text in kept]
    assert told([]) == []


def test_changes_end_with_how_many_are_left_out(parse: Callable[[str], Any]) -> None:
    listed = [(f"shop/{n}.md", "x" * 50, "", "", 0, 0) for n in range(40)]
    title = "## Notes that changed since this session began\n"
    block = parse(seal(change_section(title, listed, TODAY, 900), SECRET))
    assert len(block.index) + block.more == 40
    assert block.more > 0
    assert parse(seal(change_section(title, listed[:3], TODAY, 900), SECRET)).more == 0


@pytest.mark.parametrize(
    ("updated", "age"),
    [
        ("2026-03-01", ""),
        ("2026-01-30", ""),
        ("2026-01-29", ">30d"),
        ("2025-12-01", ">30d"),
        ("2025-11-30", ">90d"),
        ("2030-01-01", ""),
        ("", ""),
        ("2026-13-01", ""),
        ("yesterday", ""),
        ("٢٠٢٠-٠١-٠١", ""),
    ],
)
def test_age(updated: str, age: str) -> None:
    assert age_of(updated, TODAY) == age


@given(st.dates())
def test_days_are_counted_as_the_calendar_does(date: Any) -> None:
    assert day_of(date.isoformat()) == date.toordinal() - 719163
