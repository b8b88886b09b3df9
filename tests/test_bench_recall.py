"""The harness that measures recall beside its peers, over a memory small enough to count by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import recall
from bench.lead import lead
from bench.peers import fts, grep, ours, qmd
from bench.peers.base import Found, Memory, NotHereError, Peer, Tools
from needs import lacks, unless

DB = """---
description: Database
---
- The staging port is 5433
- Backups run at night
- Backups of backups are kept for a year
"""
UI = "- Buttons are green\n"

PROMPTS: tuple[tuple[str, str, list[tuple[str, int]]], ...] = (
    ("which staging port?", "direct", [("shop/db.md", 4)]),
    ("Are the BACKUPS at night, and the staging port?", "para", [("shop/db.md", 5), ("shop/db.md", 6)]),
    ("what about the port?", "null-near", []),
    ("thanks a lot", "null-generic", []),
)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    notes = tmp_path / "memory/shop"
    notes.mkdir(parents=True)
    (notes / "db.md").write_text(DB)
    (notes / "ui.md").write_text(UI)
    queries, labels = [], []
    for number, (text, category, lines) in enumerate(PROMPTS):
        relevant = [{"path": path, "line": line} for path, line in lines]
        queries.append({"id": f"q{number}", "query": text} | ({"before": ["db"]} if number == 2 else {}))
        labels.append({"id": f"q{number}", "category": category, "relevant": relevant})
    # Labels in another order than the prompts: they belong together by their ids.
    for name, rows in (("queries", queries), ("qrels", labels[::-1])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Memory.read(tmp_path)


def rows_of(memory: Memory, *peers: Peer, tools: Tools | None = None) -> list[list[str]]:
    """The cells of every row of both tables, without the heads."""
    lines = "\n".join(recall.tables(peers, tools or Tools(), [memory])).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line]
    return [row for row in rows if row[0] != "method" and not row[0].startswith("---")]


def peer(peers: list[Peer], unit: str) -> Peer:
    return next(peer for peer in peers if peer.unit == unit)


def test_entries_are_ranked_by_distinct_words_and_then_by_how_often_they_say_them(memory: Memory) -> None:
    answers = [places for places, _ in peer(grep.peers(), "entry").ask(Tools(), memory)]
    assert answers == [
        ["shop/db.md#L4"],
        ["shop/db.md#L4", "shop/db.md#L5", "shop/db.md#L6"],
        ["shop/db.md#L4"],
        [],
    ]


def test_figures_are_those_counted_by_hand(memory: Memory) -> None:
    total, by_category = rows_of(memory, peer(grep.peers(), "entry"))
    # ev@2500, ev@8000, hit@5: everything is in the first three. MRR: rank 1 and rank 2. One of two is silent.
    assert total[:-1] == ["grep, any word", "Python", "entry", "1.000", "1.000", "1.000", ".750", ".500"]
    assert float(total[-1]) >= 0
    assert by_category == ["grep, any word", "entry", "1.000", "1.000", "1.000", ".000"]


def test_a_file_costs_all_its_text_of_the_budget(memory: Memory) -> None:
    (memory.folder / "shop/db.md").write_text(DB.replace("Database", "x" * 2600))
    total, _ = rows_of(Memory.read(memory.folder.parent), peer(fts.peers(), "file"))
    assert total[3:7] == [".000", "1.000", "1.000", "1.000"]


@unless(lacks("rg"))
def test_ripgrep_names_the_files_that_say_most_words(memory: Memory) -> None:
    for name, text in (
        (".hidden/a.md", "staging port 1\n"),
        ("shop/port.txt", "port\n"),
        ("shop/other.md", "Port, port, port and port\n"),
        ("shop/portfolio.md", "- a portfolio of ports\n"),
    ):
        (memory.folder / name).parent.mkdir(exist_ok=True)
        (memory.folder / name).write_text(text)
    answers = [places for places, _ in peer(grep.peers(), "file").ask(Tools(), memory)]
    assert answers[0] == [".hidden/a.md", "shop/db.md", "shop/other.md"]
    assert answers[2] == ["shop/other.md", ".hidden/a.md", "shop/db.md"]
    assert answers[3] == []


def test_what_is_not_installed_says_so_with_the_command_that_helps(memory: Memory, tmp_path: Path) -> None:
    for tools in (Tools(), Tools(npm=tmp_path)):
        rows = rows_of(memory, *qmd.peers(), tools=tools)
        assert [row[0] for row in rows] == [f"*{peer.name}*" for peer in qmd.peers()]
        assert all("not here" in row[1] and "make peers" in row[1] for row in rows)
        assert all(row[3:] == [""] * 6 for row in rows)


def test_another_version_of_a_peer_is_not_measured_under_the_name_of_this_one(tmp_path: Path) -> None:
    package = tmp_path / "node_modules/@tobilu/qmd/package.json"
    package.parent.mkdir(parents=True)
    package.write_text('{"version": "0.0.1"}')
    with pytest.raises(NotHereError, match=r"here is 0\.0\.1"):
        qmd.peers()[0].program(Tools(npm=tmp_path))


def test_pi_memory_asks_for_the_beginning_of_a_prompt() -> None:
    assert qmd.cut("  a\tb\nc\x7f ") == "a b c"
    assert qmd.cut("\n" + "é" * 300) == "é" * 200


def test_a_place_outside_the_memory_is_a_fault_of_the_harness(memory: Memory) -> None:
    def elsewhere(tools: Tools, memory: Memory) -> Iterator[Found]:
        yield from ((["qmd://shop/db.md"], 1.0) for _ in memory.prompts)

    with pytest.raises(AssertionError, match="no note"):
        rows_of(memory, Peer("lost", "file", lambda tools: "", elsewhere))


def test_means_leave_out_what_only_seems_to_be_there(memory: Memory) -> None:
    labels = (memory.folder.parent / "qrels.jsonl").read_text().replace('"para"', '"adversarial"')
    (memory.folder.parent / "qrels.jsonl").write_text(labels)
    total, by_category = rows_of(Memory.read(memory.folder.parent), peer(grep.peers(), "entry"))
    assert total[6] == "1.000"  # MRR, of the first prompt alone
    assert len(by_category) == 6


def test_each_memory_has_its_figure_beside_the_others(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(memory.folder, other / "memory")
    for name in ("queries", "qrels"):
        shutil.copy(tmp_path / f"{name}.jsonl", other)
    (other / "memory/shop/db.md").write_text(DB.replace("staging port", "harbour"))
    lines = "\n".join(
        recall.tables([peer(grep.peers(), "entry")], Tools(), [memory, Memory.read(other)])
    ).splitlines()
    assert lines[-3:][0] == f"| method | unit | {memory.name} | other |"
    assert lines[-1] == "| grep, any word | entry | 1.000 | .500 |"


def test_ctxrepo_is_asked_by_its_command(memory: Memory) -> None:
    ungated, gated = ours.peers()[:2]
    for peer in (ungated, gated):
        answers = [places for places, _ in peer.ask(Tools(), memory)]
        assert answers[0][0] == "shop/db.md#L4", peer.name
        assert all(len(places) <= 50 for places in answers)
    assert [places for places, _ in gated.ask(Tools(), memory)][3] == []
    assert [question["before"] for question in ours.questions(memory)] == [[], [], ["db"], []]


def test_a_lead_is_as_sure_as_the_prompts_agree() -> None:
    ahead, low, high = lead([0.75, 1.0, 0.5], [0.5, 0.75, 0.25])
    assert (ahead, low, high) == (0.25, 0.25, 0.25)
    ahead, low, high = lead([1.0, 0.0] * 20, [0.0, 1.0] * 20)
    assert ahead == 0
    assert low < 0 < high
    with pytest.raises(ValueError, match="zip"):
        lead([1.0], [1.0, 0.0])


def test_ctxrepo_is_held_beside_the_best_of_the_others(memory: Memory) -> None:
    worst = Peer("worst", "entry", lambda tools: "", lambda tools, memory: iter([([], 0.0)] * 4))
    line = [*recall.tables([worst, peer(grep.peers(), "entry"), ours.peers()[0]], Tools(), [memory])][-1]
    assert line.startswith("- ctxrepo, ungated by entry beside grep, any word by entry: ev@2500 ")
