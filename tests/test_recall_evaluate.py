"""`python -m recall.evaluate`: one table of how well recall answers, beside other settings and programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checkout import RECALL_DATA
from recall.evaluate import main

from ctxrepo.services.recall.recall_folder import Way, recall_batch

ONE = str(RECALL_DATA / "grainstore")


@pytest.fixture
def figures(capsys: pytest.CaptureFixture[str]) -> Any:
    """What the tool prints as JSON."""

    def run(*words: str) -> Any:
        assert main([*words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_the_table_has_a_row_for_each_kind(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([ONE]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    head, _, columns, whole, *rows = printed.out.splitlines()
    assert head == "grainstore: 191 notes, 126 prompts"
    names = "prompts r@1 r@3 r@5 r@10 ndcg@10 mrr hit@5 ev@2500 ev@8000 delivered waste false noise ms"
    assert columns.split() == names.split()
    assert whole.split()[:2] == ["all", "86+40"]
    assert len(whole.split()) == len(names.split()) + 1
    assert len(rows) == 11
    assert rows[0].split()[0] == "direct"
    assert rows[-1].split()[:3] == ["null-near", "20", "-"]
    assert not list(home.rglob("cache.db")), "nothing is left behind"


@pytest.mark.slow
def test_settings_and_programs_side_by_side(
    tmp_path: Path, figures: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "other.jsonl"
    recall_batch(Path(ONE) / "memory", Path(ONE) / "queries.jsonl", out, Way(limit=1))
    printed = figures(ONE, "--set", "limit=10", "--against", "limit=1", "--results", str(out))
    runs = {run["name"]: run for run in printed["runs"]}
    assert list(runs) == ["limit=10", "limit=1", "other.jsonl"]
    narrow, other = ({**runs[name]["all"], "waste": 0, "noise": 0} for name in ("limit=1", "other.jsonl"))
    assert narrow == other, (
        "the batch is what was measured; of others nobody knows in which bytes it is shown"
    )
    assert runs["limit=10"]["all"]["recall@10"] > runs["limit=1"]["all"]["recall@10"]
    assert runs["limit=10"]["all"]["recall@1"] == runs["limit=1"]["all"]["recall@1"]
    assert (runs["limit=10"]["all"]["answerable"], runs["limit=10"]["all"]["silent"]) == (86, 40)
    assert printed["data"] == [{"name": "grainstore", "prompts": 126, "notes": 191}]
    assert main([ONE, "--against", "gate=off"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].split()[:2] == ["all", "default"]
    assert lines[4].split()[0] == "gate=off"


@pytest.mark.slow
@pytest.mark.slow
def test_with_the_start_of_a_session_its_rules_are_delivered_and_come_with_no_prompt(figures: Any) -> None:
    (alone,), (first,) = figures(ONE)["runs"], figures(ONE, "--start")["runs"]
    everywhere, with_start = (run["categories"]["global"]["delivered"] for run in (alone, first))
    assert with_start >= 0.8 > everywhere + 0.1
    assert first["all"]["noise"] < alone["all"]["noise"]
    assert first["all"]["recall@10"] == alone["all"]["recall@10"]


@pytest.mark.slow
def test_in_a_longer_session_nothing_is_given_twice_and_what_was_given_counts(figures: Any) -> None:
    (first,), (longer,) = figures(ONE, "--start")["runs"], figures(ONE, "--session", "30")["runs"]
    assert longer["all"]["noise"] < first["all"]["noise"]
    assert longer["all"]["delivered"] >= first["all"]["delivered"]
    assert longer["all"]["recall@10"] == first["all"]["recall@10"]


def test_without_the_gate_more_is_given(figures: Any) -> None:
    gated, ungated = figures(ONE, "--against", "gate=off")["runs"]
    assert ungated["name"] == "gate=off"
    assert ungated["all"]["false_injection"] > gated["all"]["false_injection"]


@pytest.mark.parametrize(
    "words",
    [
        ["gone"],
        [str(Path(ONE).parent.parent)],
        [ONE, "--set", "x=1"],
        [ONE, "--against", "limit"],
        [ONE, "--results", "gone"],
    ],
)
def test_what_makes_no_sense(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("evaluate: ")
    assert printed.err.count("\n") == 1


def test_bad_lines_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"id": "a"}\n')
    (tmp_path / "qrels.jsonl").write_text("")
    assert main([str(tmp_path)]) == 2
    assert "queries.jsonl, line 1 " in capsys.readouterr().err
