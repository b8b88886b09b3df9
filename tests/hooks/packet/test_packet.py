"""The packet: never over its budget, read back exactly, the same for the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import place_at

from ctxrepo.domain.tape.handoff_parts import one_line
from ctxrepo.domain.text import (
    FRAME,
    OVERHEAD,
    SHORT_FRAME,
    SHORT_OVERHEAD,
    age_mark,
    day_of,
    index_line,
    seal,
    seal_shortly,
    size,
)
from ctxrepo.domain.working.checklist import items_of
from ctxrepo.hooks.known.cached import CachedFault, EntryHit
from ctxrepo.hooks.known.packet_rows import CachedHandoff, IndexRow, PacketEntry
from ctxrepo.hooks.packet.frame_lanes import CAVEAT_TEXT
from ctxrepo.hooks.packet.lane import DEFAULT, Bounds, PacketContents, ScopeContents
from ctxrepo.hooks.packet.packet import PREAMBLE, Packet, fill_in, packet
from ctxrepo.hooks.packet.presets import BUDGETS, lanes_of
from ctxrepo.hooks.packet.sections import change_section, fault_section, first_faults

INSTRUCTIONS = "AGENTS.md, CLAUDE.md and GEMINI.md"
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
LETTER = st.characters(exclude_characters="\xad")
"""A soft hyphen is no part of a text: it goes."""
TEXT = st.lists(st.one_of(HOSTILE, st.text(LETTER, max_size=8), LETTER), max_size=8).map("".join)
SHORT = st.lists(st.one_of(HOSTILE, LETTER), min_size=1, max_size=4).map("".join)
WHY = "edited in 3 sessions, last 2026-02-28"
WHYS = st.sampled_from(["", WHY, "read 2026-02-28", "on the white list"])
DATES = st.sampled_from(["", "2026-02-28", "2026-01-15", "2025-01-01", "0000-00-00", "soon"])


def rows(scope: str) -> st.SearchStrategy[list[IndexRow]]:
    path = TEXT.map(lambda text: f"{scope}/{text}.md")
    row = st.tuples(path, TEXT, TEXT, DATES, st.integers(0, 1), st.integers(0, 1))
    return st.lists(row.map(IndexRow), max_size=6, unique_by=lambda row: row.path)


def entries(path: str) -> st.SearchStrategy[list[PacketEntry]]:
    line = st.integers(1, 10**6)
    entry = st.tuples(st.text("abcdef0123456789", min_size=12, max_size=12), st.just("hash"), st.just(path))
    whole = st.tuples(entry, line, SHORT, DATES)
    return st.lists(whole.map(lambda v: PacketEntry((*v[0], v[1], v[1], v[2], v[3], "", ""))), max_size=2)


PATHS = {
    "pinned/": "shop/topics/a.md",
    "rules/": "global/rules.md",
    "scratchpad/shop": "shop/SCRATCHPAD.md",
    "today/shop/daily/2026-03-01.md": "shop/daily/2026-03-01.md",
    "yesterday/shop/daily/2026-02-27.md": "shop/daily/2026-02-27.md",
    **{f"{lane}/": f"shop/{lane}.md" for lane in ("preferences", "facts", "tools", "lessons", "user")},
}


Scope = tuple[str, str, list[IndexRow], int]


def held_of(
    scopes: list[Scope],
    preamble: str = "",
    handoff: tuple[str, str, str] | None = None,
    faults: list[str] | None = None,
    entries: dict[str, list[PacketEntry]] | None = None,
    **more: Any,
) -> PacketContents:
    held = PacketContents(preamble)
    held.scopes = [ScopeContents(*scope) for scope in scopes]
    held.handoff = CachedHandoff(*handoff) if handoff else None
    held.faults = [CachedFault("", text) for text in faults or []]
    for key, lane_entries in (entries or {}).items():
        lane, _, folder = key.partition("/")
        held.entries[lane, folder] = lane_entries
    for name, value in more.items():
        setattr(held, name, value)
    return held


def holdings() -> st.SearchStrategy[PacketContents]:
    scopes = st.tuples(TEXT, rows("global"), TEXT, rows("shop")).map(
        lambda v: [("global", v[0], v[1], len(v[1])), ("shop", v[2], v[3], len(v[3]))]
    )
    hit = st.tuples(
        st.just("id"), TEXT, TEXT, st.integers(1, 9), st.integers(10, 19), DATES, TEXT, st.just("h")
    )
    return st.builds(
        held_of,
        scopes,
        TEXT.map(lambda text: text.replace(FRAME, "")),
        st.none() | st.tuples(TEXT, TEXT, TEXT),
        st.lists(TEXT, max_size=4),
        entries=st.fixed_dictionaries({key: entries(path) for key, path in PATHS.items()}),
        files=st.lists(st.tuples(TEXT.filter(bool), TEXT), max_size=4),
        touched=st.dictionaries(st.sampled_from(["shop/a.md", "global/.md", "shop/.md"]), WHYS, max_size=3),
        recalled=st.lists(hit.map(lambda v: EntryHit(v, 1.0)), max_size=3),
    )


NAMES = st.sampled_from([*BUDGETS])


@pytest.mark.slow
@given(holdings(), NAMES, st.integers(1, 4000))
def test_the_budget_is_never_exceeded_and_what_is_there_parses(
    parser: Any, held: PacketContents, preset: str, budget: int
) -> None:
    """And equal inputs give equal bytes; each lane stays in its bounds, and has its floor whatever comes
    before it, as far as the budget goes round."""
    made, again = (packet(held, TODAY, SECRET, preset, budget) for _ in range(2))
    assert made.text == again.text
    assert [(section.offered, section.text) for section in made.sections] == [
        (section.offered, section.text) for section in again.sections
    ]
    assert len(made.text.encode()) <= budget
    if made.text:
        parser.parse(made.text)
    left = budget - OVERHEAD
    for section in made.sections:
        bounds, written = section.bounds, section.text
        assert size(written) <= section.offered <= bounds.cap
        assert written.count("\n") <= (bounds.most_lines or 1 << 30) + 2  # title and mark
        assert section.offered >= min(bounds.floor, size(written), max(0, left))
        left -= bounds.floor


@pytest.mark.slow
@given(holdings())
def test_a_strict_parser_reads_back_what_went_in(parse: Callable[[str], Any], held: PacketContents) -> None:
    text = _own_without_caps(held).text
    if not text:
        return
    block = parse(text)
    assert block.preamble == (unescaped(held.preamble) if held.preamble else "")
    wanted = {
        (row.path, row.description, row.tags, age_mark(row.updated, TODAY), held.touched.get(row.path, ""))
        for scope in held.scopes
        for row in scope.rows
    }
    assert {tuple(line) for line in block.index} == wanted
    bodies = {f"{scope.folder}/MEMORY.md": scope.memory_text for scope in held.scopes if scope.memory_text}
    pinned = {entry.id for entry in held.entries["pinned", ""]}
    if rules := [entry.text for entry in held.entries["rules", ""] if entry.id not in pinned]:
        bodies[PATHS["rules/"]] = "\n".join(rules)
    for key in (
        "scratchpad/shop",
        "today/shop/daily/2026-03-01.md",
        "yesterday/shop/daily/2026-02-27.md",
    ):
        lane, _, folder = key.partition("/")
        if entries := held.entries[lane, folder]:
            bodies[PATHS[key]] = "\n".join(entry.text for entry in entries)
    assert block.bodies == bodies
    if held.handoff:
        handoff = held.handoff
        assert block.handoff == (handoff.name, handoff.ts[:10], handoff.text)
    assert block.faults == [fault.text for fault in held.faults]
    assert [(line.path, line.description, line.age) for line in block.listed.get("Pinned", [])] == [
        (f"{entry.path}#L{entry.first_line}", entry.text, age_mark(entry.updated, TODAY))
        for entry in held.entries["pinned", ""]
    ]
    assert [line[:2] for line in block.listed.get("Files touched last", [])] == held.files
    assert [(e.at, e.text) for e in block.entries] == [
        (f"{hit.path}#L{hit.first_line}-L{hit.last_line}", hit.text) for hit in held.recalled
    ]
    assert (block.more, block.cut) == (0, ())


def unescaped(preamble: str) -> str:
    return preamble.rstrip("\n")


def _own_without_caps(held: PacketContents) -> Packet:
    """All of it, which no cap of a lane and no share of a scope keeps out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BUDGETS, DEFAULT, 1 << 30)
        for lane in lanes_of(DEFAULT):
            patch.setitem(lane.bounds, DEFAULT, Bounds(0, 1 << 30, keep=lane.bounds[DEFAULT].keep))
        return packet(held, TODAY, SECRET, DEFAULT)


AMBIGUOUS = st.lists(
    st.sampled_from(
        [
            *("a", " ", "—", " — ", "[", "]", " [b]", ">30d", " >90d", "…"),
            *("· ", f" · {WHY}", " · read 2026-01-01", " · on the white list"),
        ]
    )
).map("".join)


@given(AMBIGUOUS, AMBIGUOUS, AMBIGUOUS, st.sampled_from(["", ">30d", ">90d"]), WHYS)
def test_a_line_of_the_index_reads_one_way_only(
    parse: Callable[[str], Any], path: str, description: str, tags: str, age: str, why: str
) -> None:
    line = index_line(path, description, tags, age, why)
    block = parse(seal("## Index of notes\n" + line, SECRET))
    assert tuple(block.index[0]) == (path, description, tags, age, why)


def own(scopes: list[Scope], budget: int = 9500, **more: Any) -> str:
    return packet(held_of(scopes, **more), TODAY, SECRET, DEFAULT, budget).text


def test_hostile_notes_are_data(parse: Callable[[str], Any], hostile: tuple[str, ...]) -> None:
    listed = [IndexRow((f"global/{text}.md", text, text, "2025-01-01", 0, 0)) for text in hostile]
    text = _own_without_caps(held_of([("global", "\n".join(hostile), listed, len(listed))])).text
    block = parse(text)
    assert block.bodies["global/MEMORY.md"] == "\n".join(hostile)
    assert {tuple(line) for line in block.index} == {
        (row.path, row.description, row.tags, ">90d", "") for row in listed
    }
    assert text.count("\n</") == 1
    assert text.splitlines()[1] == FRAME


def test_the_tag_follows_content_and_secret() -> None:
    assert seal("a\n", SECRET) == seal("a\n", SECRET)
    tags = {re.findall('tag="(.*?)"', seal(c, k))[0] for c, k in (("a", SECRET), ("b", SECRET), ("a", "ff"))}
    assert len(tags) == 3
    assert size(seal("é\n", SECRET)) == size("é\n") + OVERHEAD


def test_a_block_later_in_a_session_says_half_of_the_sentence() -> None:
    text = seal_shortly("é\n", SECRET)
    assert text.splitlines()[1] == SHORT_FRAME
    assert size(text) == size("é\n") + SHORT_OVERHEAD
    assert FRAME.startswith(SHORT_FRAME.removesuffix("."))


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
    block = parse(own([("shop", "", [*map(IndexRow, listed)], 6)]))
    assert [line.path for line in block.index] == [
        f"shop/{name}.md" for name in ("pinned", "core/old", "new", "a", "b", "undated")
    ]


def test_what_sessions_touched_comes_after_what_is_pinned_in_their_order_and_says_why(
    parse: Callable[[str], Any],
) -> None:
    listed = [
        ("shop/a.md", "", "", "2026-01-01", 0, 0),
        ("shop/b.md", "about b", "t", "2025-01-01", 0, 0),
        ("shop/core/c.md", "", "", "2026-02-01", 0, 1),
        ("shop/pinned.md", "", "", "", 1, 0),
    ]
    touched = {"shop/b.md": WHY, "global/g.md": "read 2026-02-27", "shop/gone.md": WHY, "shop/pinned.md": WHY}
    scopes = [
        ("global", "", [IndexRow(("global/g.md", "", "", "", 0, 0))], 1),
        ("shop", "", [*map(IndexRow, listed)], 4),
    ]
    text = own(scopes, touched=touched)
    assert [(line.path, line.why) for line in parse(text).index] == [
        ("shop/pinned.md", WHY),
        ("shop/b.md", WHY),
        ("global/g.md", "read 2026-02-27"),
        ("shop/core/c.md", ""),
        ("shop/a.md", ""),
    ]
    assert f"shop/b.md — about b [t] >90d · {WHY}\n" in text
    without = own(scopes)
    assert own(scopes, touched={}) == without != text


def test_global_gets_a_third_and_passes_on_what_it_leaves(parse: Callable[[str], Any]) -> None:
    many = [IndexRow((f"global/note-{n:03}.md", "x" * 60, "", "2026-02-01", 0, 0)) for n in range(200)]
    mine = [IndexRow((f"shop/note-{n:03}.md", "y" * 60, "", "2026-01-01", 0, 0)) for n in range(200)]
    scopes = [("global", "- g\n" * 2000, many, 200), ("shop", "- s\n" * 100, mine, 200)]
    text = own(scopes)
    block = parse(text)
    spent = sum(size(index_line(*line)) for line in block.index if line.scope == "global")
    assert size(block.bodies["global/MEMORY.md"]) + spent <= 9500 // 3
    assert block.cut == ("global/MEMORY.md",)
    assert block.more == 400 - len(block.index)
    assert len(text.encode()) > 9500 - 200
    alone = parse(own([("global", "", [], 0), ("shop", "", mine, 200)]))
    assert sum(line.scope == "shop" for line in alone.index) > sum(
        line.scope == "shop" for line in block.index
    )


def test_global_alone_may_take_all(parse: Callable[[str], Any]) -> None:
    many = [IndexRow((f"global/note-{n:03}.md", "x" * 60, "", "", 0, 0)) for n in range(200)]
    text = own([("global", "", many, 200)])
    assert len(text.encode()) > 9300
    assert text.splitlines()[-2] == f"… {parse(text).more} more: ctxrepo search"


def test_bodies_and_handoff_are_cut_between_lines_and_marked(parse: Callable[[str], Any]) -> None:
    body = "\n".join(f"- fact {n} ééé" for n in range(400))
    handoff = ("stop", "2026-02-28T10:00:00Z", "\n".join(f"step {n}" for n in range(300)))
    text = own([("shop", body, [], 0)], handoff=handoff)
    block = parse(text)
    assert block.cut == ("shop/MEMORY.md", "handoff")
    shown = block.bodies["shop/MEMORY.md"]
    lines = shown.split("\n")
    half = next(n for n, line in enumerate(lines) if line != f"- fact {n} ééé")
    assert body.endswith("\n".join(lines[half:]))
    assert len(lines) // 3 < half < len(lines) * 2 // 3
    assert f"### cut: the first and last {len(lines)} of 400 lines (" in text
    assert size(shown) <= 3 * 1024
    assert block.handoff is not None
    assert size(block.handoff[2]) <= 1024


def test_a_body_of_one_endless_line_leaves_its_place(parse: Callable[[str], Any]) -> None:
    text = own([("shop", "x" * 9000, [], 0)])
    assert "## shop/MEMORY.md\n### cut: the first and last 0 of 1 lines (0 of 9001 bytes)\n" in text


def test_without_notes_the_preamble_alone_is_delivered(parse: Callable[[str], Any]) -> None:
    text = own([("global", "", [], 0)], preamble=fill_in(PREAMBLE, place_at("/m", "shop"), INSTRUCTIONS))
    assert parse(text).preamble == fill_in(PREAMBLE, place_at("/m", "shop"), INSTRUCTIONS).rstrip("\n")
    assert own([]) == ""


def test_the_preamble_is_short_and_names_the_places() -> None:
    text = fill_in(PREAMBLE, place_at("/home/ada/.ctxrepo", "shop"), INSTRUCTIONS)
    assert len(text.encode()) <= 1200
    assert "/home/ada/.ctxrepo" in text
    assert "`shop/`" in text
    assert "(this one: none yet)" in fill_in(PREAMBLE, place_at("/m", ""), INSTRUCTIONS)
    assert "this one" not in fill_in(PREAMBLE, place_at("/m", "", is_known=False), INSTRUCTIONS)


def test_faults_are_one_line_each_and_few(parse: Callable[[str], Any]) -> None:
    faults = [CachedFault(str(n), f"fault {n}\n" + "x" * 100) for n in range(30)]
    kept = first_faults(faults)
    assert 5 < len(kept) < 12
    assert faults[: len(kept)] == kept
    section = fault_section([fault.text for fault in kept], 1024)
    assert parse(seal(section, SECRET)).faults == [fault.text for fault in kept]
    assert first_faults([]) == []


def test_changes_end_with_how_many_are_left_out(parse: Callable[[str], Any]) -> None:
    listed = [IndexRow((f"shop/{n}.md", "x" * 50, "", "", 0, 0)) for n in range(40)]
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
    assert age_mark(updated, TODAY) == age


@given(st.dates())
def test_days_are_counted_as_the_calendar_does(date: Any) -> None:
    assert day_of(date.isoformat()) == date.toordinal() - 719163


def entry(number: int, text: str, path: str = "shop/topics/a.md", updated: str = "2026-02-28") -> PacketEntry:
    return PacketEntry((f"{number:012x}", f"h{number}", path, number, number, text, updated, "", ""))


def test_what_stands_whole_in_the_packet_counts_as_given() -> None:
    body = "\n".join(f"- fact {n} {'é' * 40}" for n in range(60))
    facts = [entry(n, f"- fact {n} {'é' * 40}", "shop/MEMORY.md") for n in range(60)]
    pinned = [entry(100, "- *(pinned)* <b>never</b>\n  force")]
    held = held_of([("shop", body, [], 0)], entries={"memory/shop": facts, "pinned/": pinned})
    made = packet(held, TODAY, SECRET)
    text, seen = made.text, made.entries
    assert seen.pop(f"{100:012x}") == "h100"
    assert 10 < len(seen) < 60
    shown = [n for n in range(60) if f"- fact {n} " in text]
    assert [f"{n:012x}" for n in shown] == [*seen]
    assert shown[0] == 0
    assert shown[-1] == 59


def test_what_a_small_lane_leaves_passes_on(parse: Callable[[str], Any]) -> None:
    many = [IndexRow((f"shop/note-{n:03}.md", "x" * 60, "", "", 0, 0)) for n in range(200)]
    log = [entry(n, f"- 10:00 +0000 did {n} {'x' * 60}", "shop/daily/2026-03-01.md") for n in range(60)]
    key = "today/shop/daily/2026-03-01.md"
    full = own([("shop", "- f\n" * 2000, many, 200)], entries={key: log})
    spare = own([("shop", "- f", many, 200)], entries={key: log})
    assert len(parse(spare).index) > len(parse(full).index) > 15
    assert len(full.encode()) > 9500 - 100
    assert parse(full).bodies["shop/daily/2026-03-01.md"].endswith(f"did 59 {'x' * 60}")
    assert "### cut: the last " in full


def test_a_handoff_doesnt_repeat_what_list_and_log_say(parse: Callable[[str], Any]) -> None:
    items = [entry(1, "- [ ] a test for\n  <b>retries", "shop/SCRATCHPAD.md")]
    log = [entry(2, "- 10:00 +0000 did the client", "shop/daily/2026-03-01.md")]
    lines = [
        "Goal: retries",
        "Done: did the client",
        "Done: client",
        "Open: a test for <b>retries",
        "Open: docs",
    ]
    held = {"scratchpad/shop": items, "today/shop/daily/2026-03-01.md": log}
    given = ("stop", "2026-02-28", "\n".join(lines))
    block = parse(own([("shop", "", [], 0)], handoff=given, entries=held))
    assert block.handoff[2] == "Goal: retries\nDone: client\nOpen: docs"
    counted = (*given[:2], "Open: a test for <b>retries\nOpen: docs\nOpen: 8 more\nOpen: more")
    block = parse(own([("shop", "", [], 0)], handoff=counted, entries=held))
    assert block.handoff[2] == "Open: docs\nOpen: more"
    assert parse(own([("shop", "", [], 0)], handoff=counted)).handoff == counted
    ticked = parse(own([("shop", "", [], 0)], handoff=given, ticked=["docs", "did the client"]))
    assert "docs" not in ticked.handoff[2]
    assert "Done: did the client" in ticked.handoff[2]
    alone = parse(own([("shop", "", [], 0)], handoff=given))
    assert alone.handoff == given
    repeated = ("stop", "2026-02-28", lines[1])
    assert parse(own([("shop", "", [], 0)], handoff=repeated, entries=held)).handoff is None


def daily(**more: Any) -> tuple[str, dict[str, str]]:
    made = packet(held_of(**more), TODAY, SECRET, "daily")
    return made.text, {
        f"{section.lane.name}/{section.key}".rstrip("/"): section.text for section in made.sections
    }


def test_the_numbers_of_daily() -> None:
    bounds = [(lane.name, lane.bounds["daily"]) for lane in lanes_of("daily")]
    assert [(name, most.cap, most.most_lines) for name, most in bounds] == [
        ("scratchpad", 2000, 120),
        ("today", 3000, 120),
        ("recall", 2500, 80),
        ("memory", 4000, 150),
        ("yesterday", 3000, 120),
    ]
    assert BUDGETS["daily"] == 16000


def test_daily_cuts_each_part_its_own_way_and_yesterday_first(parse: Callable[[str], Any]) -> None:
    lines = [f"- {n:03} {'x' * 40}" for n in range(200)]
    keys = {
        "scratchpad/shop": "shop/SCRATCHPAD.md",
        "today/shop/daily/2026-03-01.md": "shop/daily/2026-03-01.md",
        "yesterday/shop/daily/2026-02-27.md": "shop/daily/2026-02-27.md",
    }
    held = {key: [entry(n, line, path) for n, line in enumerate(lines)] for key, path in keys.items()}
    text, parts = daily(scopes=[("shop", "\n".join(lines), [], 0)], entries=held)
    bodies = parse(text).bodies
    assert bodies["shop/SCRATCHPAD.md"].startswith("- 000")
    assert bodies["shop/daily/2026-03-01.md"].endswith(lines[-1])
    assert bodies["shop/MEMORY.md"].startswith("- 000")
    assert bodies["shop/MEMORY.md"].endswith(lines[-1])
    assert "- 100" not in bodies["shop/MEMORY.md"]
    assert "first and last" in parts["memory/shop"]
    less = held_of([("shop", "\n".join(lines), [], 0)], entries=held)
    short = packet(less, TODAY, SECRET, "daily", 9100).text
    assert [path for path in bodies if path not in parse(short).bodies] == ["shop/daily/2026-02-27.md"]


def test_daily_counts_lines_too() -> None:
    held = [entry(n, "- x", "shop/SCRATCHPAD.md") for n in range(300)]
    _, parts = daily(scopes=[("shop", "y\n" * 400, [], 0)], entries={"scratchpad/shop": held})
    assert parts["scratchpad/shop"].count("\n") == 120 + 2
    assert parts["memory/shop"].count("\n") == 150 + 2


def test_daily_without_anything_is_silent() -> None:
    assert packet(held_of([("shop", "", [], 0)], preamble="rules"), TODAY, SECRET, "daily").text == ""


def test_semantic_lists_by_kind_and_keeps_its_caveat(parse: Callable[[str], Any]) -> None:
    kinds = {"preferences": 60, "facts": 60, "tools": 30, "lessons": 60, "user": 20}
    old = {
        f"{lane}/": [entry(n, "- x", updated="2025-01-01") for n in range(count)]
        for lane, count in kinds.items()
    }
    text = packet(held_of([], entries=old), TODAY, SECRET, "semantic").text
    block = parse(text)
    assert {title: len(lines) for title, lines in block.listed.items()} == {
        "Preferences": 50,
        "Facts": 50,
        "Tools": 20,
        "Lessons: validated approaches": 50,
        "User": 10,
    }
    assert {line.age for lines in block.listed.values() for line in lines} == {">90d"}
    long = {"facts/": [entry(n, "- " + "x" * 500) for n in range(50)]}
    text = packet(held_of([], entries=long), TODAY, SECRET, "semantic").text
    assert len(text.encode()) <= 8000
    assert parse(text).preamble + "\n" == CAVEAT_TEXT
    assert packet(held_of([]), TODAY, SECRET, "semantic").text == ""


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] two\n  lines",
        "- [ ] two\nlines that hang on",
        "- [ ] two\n\n  paragraphs",
        "- [ ] two\n  - [ ] one below\n  - [x] done below\n    with more",
        "1. [ ] two",
        f"- [ ] two {'words ' * 100}",
    ],
)
def test_a_handoff_doesnt_repeat_an_item_of_several_lines(text: str, parse: Callable[[str], Any]) -> None:
    checklist = items_of("shop/SCRATCHPAD.md", f"{text}\n")
    lines = ["Goal: g", *(f"Open: {one_line(item.text)}" for item in checklist)]
    items = {"scratchpad/shop": [entry(1, text, "shop/SCRATCHPAD.md")]}
    handoff = ("stop", "2026-02-28", "\n".join([*lines, "Open: tw", "Open: two li"]))
    block = parse(own([("shop", "", [], 0)], handoff=handoff, entries=items))
    assert block.handoff[2] == "Goal: g\nOpen: tw\nOpen: two li"
