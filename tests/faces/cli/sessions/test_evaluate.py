"""eval: one table of how well recall answers, beside other settings and other programs."""

from __future__ import annotations

import pytest
from checkout import RECALL_DATA
from terminal import Terminal

DATA = RECALL_DATA
ONE = str(DATA / "grainstore")


def test_the_table_has_a_row_for_each_kind(fresh: Terminal) -> None:
    said = fresh("eval", ONE)
    assert (said.code, said.err) == (0, "")
    head, _, columns, whole, *rows = said.out.splitlines()
    assert head == "grainstore: 191 notes, 126 prompts"
    names = "prompts r@1 r@3 r@5 r@10 ndcg@10 mrr hit@5 ev@2500 ev@8000 delivered waste false noise ms"
    assert columns.split() == names.split()
    assert whole.split()[:2] == ["all", "86+40"]
    assert len(whole.split()) == len(names.split()) + 1
    assert len(rows) == 11
    assert rows[0].split()[0] == "direct"
    assert rows[-1].split()[:3] == ["null-near", "20", "-"]
    assert not list(fresh.machine.home.rglob("cache.db")), "nothing is left behind"


def test_settings_and_programs_side_by_side(fresh: Terminal) -> None:
    out = fresh.machine.home / "other.jsonl"
    queries = f"{ONE}/queries.jsonl"
    fresh("recall", "--in", f"{ONE}/memory", "--batch", queries, "--out", str(out), "--limit", "1")
    said = fresh("eval", ONE, "--set", "limit=10", "--against", "limit=1", "--results", str(out), "--json")
    runs = {run["name"]: run for run in said.data["runs"]}
    assert list(runs) == ["limit=10", "limit=1", "other.jsonl"]
    narrow, other = ({**runs[name]["all"], "waste": 0, "noise": 0} for name in ("limit=1", "other.jsonl"))
    assert narrow == other, (
        "the batch is what was measured; of others nobody knows in which bytes it is shown"
    )
    assert runs["limit=10"]["all"]["recall@10"] > runs["limit=1"]["all"]["recall@10"]
    assert runs["limit=10"]["all"]["recall@1"] == runs["limit=1"]["all"]["recall@1"]
    assert (runs["limit=10"]["all"]["answerable"], runs["limit=10"]["all"]["silent"]) == (86, 40)
    assert said.data["data"] == [{"name": "grainstore", "prompts": 126, "notes": 191}]
    lines = fresh("eval", ONE, "--against", "gate=off").out.splitlines()
    assert lines[3].split()[:2] == ["all", "default"]
    assert lines[4].split()[0] == "gate=off"


def test_without_the_gate_more_is_given(fresh: Terminal) -> None:
    gated, open_ = (fresh("eval", ONE, *more, "--json").data["runs"][0] for more in ((), ("--no-gate",)))
    assert open_["name"] == "gate=off"
    assert open_["all"]["false_injection"] > gated["all"]["false_injection"]


@pytest.mark.parametrize(
    "words",
    [[], ["gone"], ["."], [ONE, "--set", "x=1"], [ONE, "--against", "limit"], [ONE, "--results", "gone"]],
)
def test_what_makes_no_sense(fresh: Terminal, words: list[str]) -> None:
    said = fresh("eval", *words)
    assert said.code == 2
    assert said.is_one_line(), said.err


def test_bad_lines_are_told(fresh: Terminal) -> None:
    folder = fresh.machine.home / "data"
    (folder / "memory").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"id": "a"}\n')
    (folder / "qrels.jsonl").write_text("")
    said = fresh("eval", str(folder))
    assert (said.code, said.out) == (2, "")
    assert "queries.jsonl, line 1 " in said.err
