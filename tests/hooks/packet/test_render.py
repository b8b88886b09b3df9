"""What a session is given at its start, by the hook as it is run, and that nothing comes twice."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from strict_parser import parse_all
from world import World

DAY = 86400
TOKYO = {"TZ": "JST-9"}
HAWAII = {"TZ": "HST10"}


def local_day(zone: dict[str, str], days: int = 0) -> str:
    """The date it is in a zone, so many days from now."""
    offset = {"JST-9": 9, "HST10": -10}[zone["TZ"]]
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + offset * 3600 + days * DAY))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def blocks(text: str) -> list[Any]:
    return list(parse_all(text))


def start(world: World, source: str = "startup", zone: dict[str, str] = TOKYO) -> Any:
    payload = "SessionStart" if source == "startup" else f"SessionStart-{source}"
    (block,) = blocks(world.run(payload, env=zone))
    return block


def ask(world: World, prompt: str) -> list[Any]:
    return blocks(world.run("UserPromptSubmit", prompt=prompt, env=TOKYO))


def test_pinned_entries_and_open_items_of_both_scopes(world: World) -> None:
    world.cache(
        "c1",
        {
            "shop/topics/db.md": "- *(pinned)* never run migrations on Fridays\n- port 5433\n",
            "shop/MEMORY.md": "- *(pinned)* stands in the body\n",
            "shop/SCRATCHPAD.md": "- [ ] retry client\n  - see #12\n- [x] done\n* [ ] docs\n1. [ ] go\n",
            "global/SCRATCHPAD.md": "- [ ] renew the key\n",
        },
    )
    block = start(world)
    assert [line.description for line in block.listed["Pinned"]] == [
        "- *(pinned)* never run migrations on Fridays"
    ]
    assert block.bodies["shop/SCRATCHPAD.md"] == "- [ ] retry client\n  - see #12\n* [ ] docs\n1. [ ] go"
    assert block.bodies["global/SCRATCHPAD.md"] == "- [ ] renew the key"


FILLER = "".join(f"- filler fact number {n} about something that takes room\n" for n in range(80))


@pytest.mark.parametrize("scope", ["shop", "global"])
def test_a_pin_that_the_cut_of_a_memory_file_leaves_out_is_in_the_pinned_section(
    world: World, scope: str
) -> None:
    half = FILLER[: len(FILLER) // 2].rpartition("\n")[0] + "\n"
    pins = "- *(pinned)* never push to prod\n- *(pinned)* ask before a release\n"
    text = f"- *(pinned)* stands at the top\n{half}{pins}{half}- *(pinned)* stands at the end\n"
    world.cache("c1", {f"{scope}/MEMORY.md": text})
    block = start(world)
    assert [line.description for line in block.listed["Pinned"]] == [
        "- *(pinned)* never push to prod",
        "- *(pinned)* ask before a release",
    ]
    body = block.bodies[f"{scope}/MEMORY.md"]
    assert "stands at the top" in body
    assert "stands at the end" in body
    assert "never push" not in body


def test_of_a_long_memory_file_a_session_is_shown_the_newest_lines_too(world: World) -> None:
    world.cache("c1", {"shop/MEMORY.md": f"# Shop\n\n{FILLER}- remembered last\n"})
    body = start(world).bodies["shop/MEMORY.md"]
    assert "filler fact number 0 " in body
    assert "filler fact number 40 " not in body
    assert body.endswith("- remembered last")


@pytest.mark.parametrize("zone", [TOKYO, HAWAII], ids=["tokyo", "hawaii"])
def test_today_is_where_the_user_is(world: World, zone: dict[str, str]) -> None:
    days = {n: local_day(zone, n) for n in (-9, -3, -2, 0, 1, 2)}
    notes = {f"shop/daily/{day}.md": f"- 10:00 +0000 on day {n}\n" for n, day in days.items()}
    world.cache("c1", {**notes, "shop/daily/2026-13-77.md": "- no day\n", "shop/daily/plan.md": "- none\n"})
    block = start(world, zone=zone)
    assert {path: text for path, text in block.bodies.items() if "daily" in path} == {
        f"shop/daily/{days[0]}.md": "- 10:00 +0000 on day 0",
        f"shop/daily/{days[1]}.md": "- 10:00 +0000 on day 1",
        f"shop/daily/{days[-2]}.md": "- 10:00 +0000 on day -2",
    }


def test_an_old_log_is_left_out(world: World) -> None:
    world.cache("c1", {f"shop/daily/{local_day(TOKYO, -9)}.md": "- long ago\n"})
    assert not [path for path in start(world).bodies if "daily" in path]


def test_what_the_packet_holds_doesnt_come_with_a_prompt_again(world: World) -> None:
    notes = {
        "shop/MEMORY.md": "- staging database listens on port 5433\n",
        "shop/topics/db.md": "- *(pinned)* the staging database restores from the nightly dump\n",
        "shop/topics/more.md": "- the staging database belongs to Ada\n",
    }
    world.cache("c1", notes)
    start(world)
    (block,) = ask(world, "which port has the staging database, which nightly dump, does it belong to Ada?")
    assert [entry.text for entry in block.entries] == ["- the staging database belongs to Ada"]
    assert ask(world, "again: port of the staging database, nightly dump, does it belong to Ada?") == []


RULES = {
    "global/preferences.md": "---\nupdated: 2026-02-01\n---\n- never push without asking\n",
    "global/core/USER.md": "---\nupdated: 2026-02-03\n---\n# Ada\n- colour blind: no red and green\n",
    "global/topics/git.md": "---\nupdated: 2026-02-09\n---\n# Commits\n- 60 letters\n# Branches\n- ada/x\n",
    "shop/topics/rules.md": "---\nupdated: 2026-02-02\n---\n- never kubectl apply\n",
    "shop/topics/deploy.md": "- [rule] deploys wait for Grace\n- the chart is in infra/\n",
    "shop/topics/css-style.md": "- the style sheet is built by sass\n",
}


def test_rules_are_given_as_text_those_that_are_called_so_first_and_then_what_is_global(world: World) -> None:
    world.cache("c1", RULES)
    block = start(world)
    assert [*block.bodies.items()] == [
        ("global/core/USER.md", "- colour blind: no red and green"),
        ("shop/topics/rules.md", "- never kubectl apply"),
        ("global/preferences.md", "- never push without asking"),
        ("shop/topics/deploy.md", "- [rule] deploys wait for Grace"),
        ("global/topics/git.md", "# Commits\n- 60 letters\n# Branches\n- ada/x"),
    ]
    assert block.cut == ()


def test_a_rule_of_the_start_comes_with_no_prompt_but_again_after_a_compaction(world: World) -> None:
    world.cache("c1", RULES)
    start(world)
    (asked,) = ask(world, "kubectl apply the chart of infra, deploys wait for Grace, don't they?")
    assert [entry.text for entry in asked.entries] == ["- the chart is in infra/"]
    assert "shop/topics/rules.md" in start(world, "compact").bodies


def test_what_is_too_long_for_the_rules_is_cut_in_one_note_and_given_beside_prompts(world: World) -> None:
    rules = "".join(f"- rule {n} {'x' * 100}\n" for n in range(30))
    world.cache("c1", {"global/rules.md": rules, "global/topics/git.md": "- sign with the token\n"})
    block = start(world)
    assert [*block.bodies] == ["global/rules.md"] == [*block.cut]
    assert 2200 < len(block.bodies["global/rules.md"]) <= 2400
    (asked,) = ask(world, "do I sign with the token?")
    assert [entry.text for entry in asked.entries] == ["- sign with the token"]


def test_a_pinned_rule_stands_among_the_pinned_entries_alone(world: World) -> None:
    world.cache("c1", {"global/rules.md": "- *(pinned)* never push\n- tabs\n"})
    block = start(world)
    assert [line.description for line in block.listed["Pinned"]] == ["- *(pinned)* never push"]
    assert block.bodies == {"global/rules.md": "- tabs"}


def test_a_long_memory_leaves_the_rules_a_kilobyte(world: World) -> None:
    rules = "".join(f"- rule {n} {'x' * 40}\n" for n in range(60))
    world.cache("c1", {"shop/MEMORY.md": FILLER, "global/MEMORY.md": FILLER, "global/rules.md": rules})
    assert 900 < len(start(world).bodies["global/rules.md"]) <= 2400


def test_in_the_middle_of_a_compacted_turn_what_it_is_about_comes_again(world: World) -> None:
    world.cache("c1", {"shop/topics/db.md": "- the staging database listens on port 5433\n"})
    assert not start(world).entries
    (block,) = ask(world, "which port is the staging database on?")
    given = [entry.text for entry in block.entries]
    assert given == ["- the staging database listens on port 5433"]
    assert [entry.text for entry in start(world, "compact").entries] == given
    assert ask(world, "which port is the staging database on?") == []
    assert not start(world, "clear").entries


def test_after_a_compaction_nothing_is_recalled_where_it_is_off(world: World) -> None:
    world.cache("c1", {"shop/topics/db.md": "- the staging database listens on port 5433\n"})
    start(world)
    ask(world, "which port is the staging database on?")
    world.compile(recall="off")
    assert not start(world, "compact").entries


def test_files_touched_last(world: World) -> None:
    world.cache("c1", {"shop/a.md": "- x\n"})
    world.touched([("src/pay.py", "edit 5-6, read 10-30"), ("Makefile", "")])
    assert [line[:2] for line in start(world).listed["Files touched last"]] == [
        ("src/pay.py", "edit 5-6, read 10-30"),
        ("Makefile", ""),
    ]


def test_notes_that_sessions_touched_come_first_and_the_packet_stays_the_same(world: World) -> None:
    world.cache("c1", {"shop/core/a.md": "- x\n", "shop/b.md": "- y\n", "global/g.md": "- z\n"})
    before = world.run("SessionStart-clear", env=TOKYO)
    world.touched(
        [], [("shop/b.md", "edited in 2 sessions, last 2026-11-24"), ("gone.md", "read 2026-11-24")]
    )
    block = start(world, "clear")
    assert [(line.path, line.why) for line in block.index] == [
        ("shop/b.md", "edited in 2 sessions, last 2026-11-24"),
        ("shop/core/a.md", ""),
        ("global/g.md", ""),
    ]
    assert world.run("SessionStart-clear", env=TOKYO) == world.run("SessionStart-clear", env=TOKYO)
    world.touched([])
    assert world.run("SessionStart-clear", env=TOKYO) == before


def test_a_note_that_was_touched_is_found_wherever_it_stands_in_the_index(world: World) -> None:
    world.compile(budget_bytes="3000")
    world.cache("c1", {f"shop/{n:03}.md": "- x\n" for n in range(400)})
    world.touched([], [("shop/399.md", "read 2026-11-24")])
    block = start(world)
    assert block.index[0][:1] == ("shop/399.md",)
    assert block.more == 400 - len(block.index)


def test_an_agent_with_settings_of_its_own_has_a_selection_of_its_own(world: World) -> None:
    world.cache("c1", {"shop/a.md": "- x\n", "shop/b.md": "- y\n"})
    world.touched([], [("shop/b.md", "read 2026-11-24")], owner="claude")
    assert [line.why for line in start(world, "clear").index] == ["", ""]
    world.compile(**{"tape_enabled:claude": "on"})
    assert [line.path for line in start(world, "clear").index] == ["shop/b.md", "shop/a.md"]


TAPE = {"tape_enabled": "on", "tape_tools": "on"}


def test_d35_the_md_preset_delivers_what_the_tape_selects(world: World) -> None:
    world.compile(preset="md", **TAPE)
    head = "---\ndescription: about {0}\ntags: [a, b]\n---\n- x\n"
    world.cache("c1", {"shop/core/a.md": head.format("<system>"), "shop/core/b.md": "- x\n"})
    notes = [("shop/core/b.md", "edit 5-6, read 1-3"), ("shop/core/a.md", "")]
    world.touched([("src/pay.py", "read 340-420"), ("Makefile", "")], notes)
    assert (
        world.run("SessionStart-clear", env=TOKYO)
        == f"""\
<memory_context mode="tape">
<instructions>
Tape is enabled for this conversation. Use tape tools when you need anchors or tape history.
</instructions>
<memory_files>
- path: {world.memory}/shop/core/b.md
  priority: high
  description: No description
  tags: none
  recent focus: edit 5-6, read 1-3
- path: {world.memory}/shop/core/a.md
  priority: high
  description: about &lt;system>
  tags: a, b
</memory_files>
<active_project_files>
- path: {world.code}/src/pay.py
  priority: high
  recent focus: read 340-420
- path: {world.code}/Makefile
  priority: normal
</active_project_files>
</memory_context>
"""
    )
    world.compile(tape_mode="manual")
    lines = world.run("SessionStart-clear", env=TOKYO).splitlines()
    assert lines[3].startswith("Handoff mode: manual. `tape_handoff` is blocked unless ")
    world.compile(budget_bytes="600")
    assert len(world.run("SessionStart-clear", env=TOKYO).encode()) <= 600


def test_d36_w17_where_nothing_is_selected_or_no_tools_are_there_the_index_is_given(world: World) -> None:
    world.compile(preset="md", **TAPE)
    world.cache("c1", {"shop/core/a.md": "- x\n"})
    index = world.run("SessionStart-clear", env=TOKYO)
    assert index.startswith('<memory_context mode="normal">')
    world.touched([], [("shop/core/a.md", "")])
    assert world.run("SessionStart-clear", env=TOKYO).startswith('<memory_context mode="tape">')
    for off in ({"tape_tools": "off"}, {"tape_tools": "on", "tape_enabled": "off"}):
        world.compile(**off)
        assert world.run("SessionStart-clear", env=TOKYO) == index


def test_the_semantic_preset_lists_by_kind(world: World) -> None:
    world.compile(preset="semantic")
    notes = {
        "global/topics/preference.md": "- [preference] tabs\n",
        "global/core/USER.md": "- [user] Ada, Berlin\n",
        "shop/topics/lesson.md": "- [lesson] pin the driver\n- [gotcha] never trust the cache\n",
        "shop/topics/tool.md": "- [tool] make check\n",
        "shop/core/facts.md": "- ships from Rotterdam\n",
    }
    world.cache("c1", notes)
    block = start(world)
    assert {title: [line.description for line in lines] for title, lines in block.listed.items()} == {
        "Preferences": ["- [preference] tabs"],
        "Facts": ["- ships from Rotterdam"],
        "Tools": ["- [tool] make check"],
        "Lessons: corrections": ["- [gotcha] never trust the cache"],
        "Lessons: validated approaches": ["- [lesson] pin the driver"],
        "User": ["- [user] Ada, Berlin"],
    }
    assert "trust the code over" in block.preamble


def test_the_md_preset_is_cut_to_what_a_session_takes(world: World) -> None:
    world.compile(preset="md")
    head = "---\ndescription: about {0}\ntags: [a, b]\n---\n- x\n"
    world.cache(
        "c1", {f"{scope}/core/{n:03}.md": head.format(n) for scope in ("global", "shop") for n in range(9)}
    )
    text = world.run("SessionStart", env=TOKYO)
    assert text.startswith('<memory_context mode="normal">\n<instructions>\n')
    assert text.count("  description: about 3\n  tags: a, b\n") == 2
    assert f"- path: {world.memory}/shop/core/000.md\n" in text
    world.compile(budget_bytes="1000")
    assert len(world.run("SessionStart-clear", env=TOKYO).encode()) <= 1000


def test_a_preset_of_another_version_is_ours(world: World) -> None:
    world.compile(preset="holographic")
    world.cache("c1", {"shop/a.md": "- x\n"})
    assert start(world).index


def test_no_block_is_larger_than_the_agent_takes(world: World) -> None:
    world.compile(preset="daily", budget_bytes="16000")
    lines = "".join(f"- [ ] {n} {'x' * 60}\n" for n in range(100))
    today = local_day(TOKYO)
    world.cache(
        "c1", dict.fromkeys(("shop/SCRATCHPAD.md", f"shop/daily/{today}.md", "shop/MEMORY.md"), lines)
    )
    assert 8500 < len(world.run("SessionStart", env=TOKYO).encode()) <= 9500


def test_lists_and_logs_have_lanes_and_no_line_in_the_index(world: World) -> None:
    logs = {f"shop/daily/2025-01-{day:02}.md": "- x\n" for day in range(1, 29)}
    world.cache("c1", {**logs, "shop/SCRATCHPAD.md": "- [ ] y\n", "shop/daily/plan.md": "- z\n"})
    block = start(world)
    assert [line.path for line in block.index] == ["shop/daily/plan.md"]
    assert block.more == 0
    world.cache(
        "c2", {"shop/daily/2026-11-21.md": "- by another session\n", "shop/SCRATCHPAD.md": "- [ ] w\n"}
    )
    (news,) = ask(world, "what is there to do about the retries?")
    assert [line.path for line in news.index] == ["shop/SCRATCHPAD.md"]


def test_a_handoff_that_came_after_the_start_comes_with_the_first_prompt_once(world: World) -> None:
    world.cache("c1", {"shop/a.md": "- x\n"})
    start(world)
    world.hand_over("shop", "go on with the client")
    (block,) = ask(world, "hello there, what is next?")
    assert block.handoff == ("stop", "2026-11-21", "go on with the client")
    world.hand_over("shop", "of somebody else meanwhile", day="2026-11-22")
    assert ask(world, "and what is next after that?") == []


def test_the_handoff_it_began_with_comes_no_second_time(world: World) -> None:
    world.cache("c1", {"shop/a.md": "- x\n"})
    world.hand_over("shop", "go on with the client")
    assert start(world).handoff
    assert ask(world, "hello there, what is next?") == []
