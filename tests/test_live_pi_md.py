"""What plays pi-memory-md beside ctxrepo, without either: its checks, its deeds, its tables."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from live import anthropic, pi_md_checks, pi_md_cost, pi_md_deeds, pi_md_package, pi_md_tokens
from live.install import Installed
from live.model import Model
from live.pi_md_deeds import Deed, Plan
from live.pi_md_package import Package
from live.stage import Stage
from live.steps import Tool
from machines import make_machine

NOTE = "---\ndescription: d\nupdated: 2026-11-01\n---\n\n- tok1x0its was written\n"
ANCHOR = {
    "id": "i",
    "name": "ours/a",
    "type": "handoff",
    "timestamp": "t",
    "sessionId": "s",
    "sessionEntryId": "e",
    "meta": {"summary": "tok3x0ours in an anchor"},
}


DEEDS = tuple(dict.fromkeys([*pi_md_deeds.COMMON, *pi_md_deeds.ITS, *pi_md_deeds.OURS]))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Stage]:
    """A machine whose memory has a note of the project's and an anchor, committed."""
    machine = pi_md_package.SharedMachine(make_machine(tmp_path, "home").home)
    with Model(anthropic, tmp_path / "log") as model:
        stage = Stage(tmp_path, machine, tmp_path, model, Installed(tmp_path / "pi"))
        write(stage, "shop/core/project/a.md", NOTE)
        write(stage, "TAPE/shop__anchors.jsonl", line(**ANCHOR))
        git(stage, "init", "-q", "-b", "main")
        commit(stage)
        yield stage


def write(stage: Stage, path: str, text: str) -> Path:
    file = stage.memory / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def git(stage: Stage, *words: str) -> None:
    subprocess.run(["git", *words], cwd=stage.memory, env=stage.machine.env, check=True, capture_output=True)


def commit(stage: Stage) -> None:
    git(stage, "add", ".")
    git(stage, "commit", "-qm", "x")


def test_what_was_said_is_found_in_a_file_and_in_the_last_commit(here: Stage) -> None:
    assert pi_md_checks.lost([here.memory], {"tok1x0its"}) == []
    (here.memory / "shop/core/project/a.md").unlink()
    assert pi_md_checks.lost([here.memory], {"tok1x0its"}) == []
    commit(here)
    assert pi_md_checks.lost([here.memory], {"tok1x0its", "tok2x1ours"}) == ["lost: tok1x0its, tok2x1ours"]


def test_a_head_is_another_one_but_for_the_day_of_its_update(here: Stage) -> None:
    before = pi_md_checks.heads(here.memory)
    write(here, "shop/core/project/a.md", NOTE.replace("2026-11-01", '"2026-11-02"'))
    write(here, "shop/core/project/b.md", "no head\n")
    assert pi_md_checks.changed(before, pi_md_checks.heads(here.memory)) == []
    write(here, "shop/core/project/a.md", NOTE.replace("description: d", "description: e"))
    (fault,) = pi_md_checks.changed(before, pi_md_checks.heads(here.memory))
    assert "'description: d' became 'description: e'" in fault


def a_rebase(stage: Stage) -> None:
    (stage.memory / ".git" / "rebase-merge").mkdir()


def a_marker(stage: Stage) -> None:
    write(stage, "shop/core/project/a.md", f"{NOTE}{'<' * 7} Updated upstream\n")
    commit(stage)


def a_stash(stage: Stage) -> None:
    write(stage, "shop/core/project/a.md", f"{NOTE}- more\n")
    git(stage, "stash")


def a_change(stage: Stage) -> None:
    write(stage, "shop/core/project/a.md", f"{NOTE}- more\n")


def a_broken_object(stage: Stage) -> None:
    for file in (stage.memory / ".git" / "objects").glob("??/*"):
        file.chmod(0o600)
        file.write_bytes(b"")


@pytest.mark.parametrize(
    ("breaks", "what"),
    [
        (a_rebase, "a rebase-merge stands"),
        (a_marker, "markers in shop/core/project/a.md"),
        (a_stash, "a stash is left"),
        (a_change, "not committed: M shop/core/project/a.md"),
        (a_broken_object, "fsck: "),
    ],
)
def test_all_that_git_would_complain_of_is_a_fault(
    here: Stage, breaks: Callable[[Stage], None], what: str
) -> None:
    assert pi_md_checks.git(here) == []
    breaks(here)
    assert what in "\n".join(pi_md_checks.git(here))


def test_an_anchor_that_the_other_program_deleted_stands_no_more(here: Stage) -> None:
    own = {**ANCHOR, "pi": True}
    write(here, "TAPE/shop/host-202611.jsonl", line(**own) + line(**{**ANCHOR, "id": "j", "name": "ours/b"}))
    assert pi_md_checks.anchors(here.memory)[0].keys() == {"ours/a", "ours/b"}
    write(here, "TAPE/shop__anchors.jsonl", "")
    assert pi_md_checks.anchors(here.memory)[0].keys() == {"ours/b"}


def test_a_line_of_a_tape_that_nobody_could_read_is_a_fault(here: Stage) -> None:
    write(here, "TAPE/shop/host-202611.jsonl", '{"name": "x"}\n[1]\n{"id\n' + line(deleted=True, id="i"))
    _, faults = pi_md_checks.anchors(here.memory)
    assert [fault.split(": ", 1)[1] for fault in faults] == ['\'{"name": "x"}\'', "'[1]'", "'{\"id'"]


def test_an_index_is_the_same_in_either_spelling() -> None:
    item = "- path: /m/a.md\n  priority: normal\n  description: {}\n  tags: a, b\n"
    its, ours = (pi_md_checks.index(item.format(about)) for about in ("a <b>", "a &lt;b>"))
    assert its == {("/m/a.md", "a <b>", "a, b")}
    assert pi_md_checks.differ(its, ours) == []
    assert pi_md_checks.differ(its, pi_md_checks.index(item.format("c"))) != []


def test_a_tool_that_failed_is_seen() -> None:
    result = {"type": "tool_result", "content": "no such note", "is_error": True}
    messages = [
        {"role": "user", "content": [result, {**result, "is_error": False}]},
        {"role": "user", "content": "a"},
    ]
    assert pi_md_checks.errors(anthropic.prompt_of({"messages": messages})) == [
        'a tool failed: "no such note"'
    ]


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)
@pytest.mark.parametrize("has_notes", [True, False])
def test_every_deed_says_its_token_where_it_says_anything(here: Stage, deed: Deed, has_notes: bool) -> None:
    if not has_notes:
        (here.memory / "shop/core/project/a.md").unlink()
    offered = frozenset({"memory_write", "memory_edit", "memory_list"})
    plan = Plan(here, Package(here.root), Random(1), "ours-7-0", "tok7x0ours", offered)
    steps = deed(plan)
    assert steps
    assert ("tok7x0ours" in json.dumps([step.given for step in steps if isinstance(step, Tool)])) == bool(
        plan.said
    )


def test_an_anchor_that_is_taken_back_takes_back_what_it_said(here: Stage) -> None:
    plan = Plan(here, Package(here.root), Random(1), "its-4-0", "tok4x0its")
    assert pi_md_deeds.its_deletion(plan) == [Tool("tape_delete", {"id": "i"})]
    assert (plan.deleted, plan.unsaid, plan.said) == ({"ours/a"}, {"tok3x0ours"}, set())


def test_a_folder_without_its_sources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"holds no sources of pi-memory-md: index\.ts isn't there"):
        pi_md_package.bring(tmp_path, tmp_path / "below")
    assert not (tmp_path / "below").exists()


def test_its_dependencies_are_brought_in_the_versions_that_it_asks_for(tmp_path: Path) -> None:
    manifest = tmp_path / "package.json"
    manifest.write_text('{"dependencies": {"@orama/orama": "^3.1.12", "nodejieba": "^3.5.8"}}')
    assert pi_md_package.wanted(manifest) == ["@orama/orama@^3.1.12", "gray-matter@latest"]


def prompt(*messages: str, system: str = "s" * 40) -> Any:
    roles = ("user", "assistant")
    turns = [{"role": roles[number % 2], "content": message} for number, message in enumerate(messages)]
    return anthropic.prompt_of({"system": system, "messages": turns})


def test_what_stays_is_new_once_and_what_moves_is_new_again() -> None:
    bare = [prompt("a"), prompt("a", "b", "c")]
    stays = [prompt("a", system="s" * 48), prompt("a", "b", "c", system="s" * 48)]
    moves = [prompt("memory!!a"), prompt("a", "b", "memory!!c")]
    assert pi_md_tokens.cost(bare, bare) == pi_md_tokens.Cost(0, 0, 0, 0, 0, 1.0)
    assert pi_md_tokens.cost(stays, bare) == pi_md_tokens.Cost(8, 8, 8, 16, 8, 1.0)
    moved = pi_md_tokens.cost(moves, bare)
    assert (moved.standing, moved.whole) == (0, 16)
    assert moved.fresh > 16
    assert 0.4 < moved.kept < 1


def test_costs_are_shown_in_tokens() -> None:
    way = pi_md_tokens.Way("`once`")
    (*_, row) = pi_md_tokens.table([(way, pi_md_tokens.Cost(4, 8, 40, 400, 44, 0.925))], 12).split("\n")
    assert row == "| `once` | 1 | 2 | 10 | 100 | 11 | 92.5% |"


def test_times_are_shown_beside_those_without_an_extension() -> None:
    none, ours = (
        pi_md_cost.Times([200, 220, 210], [300, 320, 310]),
        pi_md_cost.Times([250, 262, 259], [380, 400, 390]),
    )
    for event in pi_md_cost.EVENTS:
        ours.events[event] = [20, 30, 25]
    shown = pi_md_cost.tables({"none": none, "ours": ours}, 10)
    assert "| ours | 259 ms | 49 ms | 4.9 | 390 ms | 80 ms |" in shown
    assert "| ours | " + " | ".join(["25.0 ms (2.5)"] * 5) + " |" in shown
    assert "3 rounds; a bare start of Python took 10.0 ms." in shown
