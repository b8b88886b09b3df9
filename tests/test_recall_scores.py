"""Means over prompts: which count, which don't, and what silence is worth."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkout import RECALL_DATA
from recall.datasets import DataSet, Label, data_sets
from recall.scores import evaluate, score, score_file, way_of

from ctxrepo.errors import ConfigError, UsageError
from ctxrepo.services.recall.queries import Query, QueryAnswer, render_answers
from ctxrepo.services.recall.recall_folder import Way

DATA = RECALL_DATA


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    memory = tmp_path / "x/memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text("- the quokka sleeps under the counter\n- rivers run\n- alpacas hum\n")
    labels = {
        "q1": Label("direct", frozenset({("a.md", 1)})),
        "q2": Label("direct", frozenset({("a.md", 3)})),
        "q3": Label("para", frozenset({("a.md", 2)})),
        "q4": Label("adversarial", frozenset({("a.md", 2)})),
        "n1": Label("null-near", frozenset()),
        "n2": Label("null-near", frozenset()),
    }
    texts = {
        "q1": "where does the quokka sleep?",
        "q2": "what do alpacas hum?",
        "n1": "the quokka runs",
        "n2": "ok, thanks",
    }
    queries = tuple(Query(name, texts.get(name, "streams and water")) for name in labels)
    return DataSet(tmp_path / "x", queries, labels)


def test_what_counts_and_what_does_not(data: DataSet) -> None:
    answers = {
        "q1": QueryAnswer("q1", (("a.md#L1", 2.0),), 1.0),
        "q2": QueryAnswer("q2", (("a.md#L2", 2.0), ("a.md#L3", 1.0)), 3.0),
        "q4": QueryAnswer("q4", (("a.md#L2", 1.0),)),
        "n1": QueryAnswer("n1", (("a.md#L1", 1.0),)),
    }
    run = score("x", [data], answers)
    assert (run.whole.answerable, run.whole.silent) == (3, 2)
    assert run.whole.measures["mrr"] == pytest.approx((1 + 1 / 2 + 0) / 3), "the adversarial one is left out"
    assert run.whole.false_injection == 0.5
    assert run.ms == 2.0
    assert list(run.categories) == ["adversarial", "direct", "para", "null-near"]
    assert run.categories["direct"].measures["recall@1"] == 0.5
    assert run.categories["para"].measures["recall@10"] == 0
    assert run.categories["adversarial"].measures["recall@1"] == 1
    assert (run.categories["null-near"].measures, run.categories["null-near"].false_injection) == ({}, 0.5)
    assert run.categories["direct"].false_injection is None


def test_what_a_prompt_is_given_is_measured_by_its_bytes(data: DataSet) -> None:
    sleeps, hums = "- the quokka sleeps under the counter", "- alpacas hum"
    answers = {
        "q1": QueryAnswer("q1", (("a.md#L1", 2.0), ("a.md#L2", 1.0)), given=("a.md#L1",), size=100),
        "q2": QueryAnswer("q2", (("a.md#L2", 2.0), ("a.md#L3", 1.0)), given=("a.md#L2",), size=60),
        "n1": QueryAnswer("n1", (("a.md#L1", 1.0),), given=("a.md#L1",), size=90),
    }
    run = score("x", [data], answers)
    assert run.categories["direct"].delivered == 0.5, "only what is given counts, not all that is found"
    assert run.categories["direct"].waste == ((100 - len(sleeps) - 1) + 60) / 2
    assert run.categories["null-near"].noise == 45
    assert run.whole.noise == 45
    assert run.categories["null-near"].waste is None
    another = score("y", [data], {"q2": QueryAnswer("q2", (("a.md", 1.0),))}).categories["direct"]
    whole = len("a.md") + 30 + sum(len(line) + 1 for line in data.texts["a.md"])
    assert (another.delivered, another.waste) == (0.5, (whole - len(hums) - 1) / 2)


def test_a_prompt_is_given_as_many_entries_and_bytes_as_the_settings_say(data: DataSet) -> None:
    ways = {"plain": Way(is_gated=False), "none": Way(is_gated=False, most=0)}
    ways |= {"narrow": Way(is_gated=False, budget=320)}
    runs = {run.name: run.whole for run in evaluate([data], ways)}
    assert runs["plain"].measures == runs["none"].measures == runs["narrow"].measures
    assert (runs["none"].delivered, runs["none"].noise) == (0, 0)
    assert 0 < (runs["narrow"].noise or 0) <= 320
    assert (runs["narrow"].noise or 0) <= (runs["plain"].noise or 0)


def test_recall_is_asked_in_every_way(data: DataSet) -> None:
    gated, open_ = evaluate([data], {"default": Way(), "gate=off": Way(is_gated=False)})
    assert (gated.name, open_.name) == ("default", "gate=off")
    assert gated.categories["direct"].measures["mrr"] == 1
    assert gated.ms is not None


def test_what_another_program_answered(data: DataSet, tmp_path: Path) -> None:
    file = tmp_path / "grep.jsonl"
    file.write_text(render_answers([QueryAnswer("q1", (("a.md", 1.0),)), QueryAnswer("unknown", ())]))
    run = score_file(file, [data])
    assert run.name == "grep.jsonl"
    assert run.categories["direct"].measures["recall@1"] == 0.5
    assert run.ms is None


def test_a_perfect_answer_has_1_and_none_has_0() -> None:
    sets = data_sets([DATA])
    labels = {name: label for data in sets for name, label in data.labels.items()}
    perfect = {
        name: QueryAnswer(name, tuple((f"{path}#L{line}", 1.0) for path, line in sorted(label.evidence)))
        for name, label in labels.items()
    }
    best, worst = score("best", sets, perfect).whole, score("worst", sets, {}).whole
    assert (best.answerable, best.silent) == (258, 120)
    for name in ("recall@10", "ndcg@10", "mrr", "hit@5", "evidence@8000"):
        assert best.measures[name] == pytest.approx(1)
    assert set(worst.measures.values()) == {0}
    assert best.false_injection == worst.false_injection == 0


@pytest.mark.parametrize(
    ("words", "way"),
    [
        (["recall.limit=8"], Way(limit=8, most=8)),
        (["limit=8,gate=off"], Way(limit=8, most=8, is_gated=False)),
        (["budget_bytes=900"], Way(budget=900)),
        (["gate=false", "recall.gate=on"], Way()),
    ],
)
def test_a_setting_is_changed(words: list[str], way: Way) -> None:
    assert way_of(words, Way()) == way


@pytest.mark.parametrize(
    "word", ["limit", "", "limit=x", "semantic=on", "sync.ttl=3", "limt=3", "gate=maybe"]
)
def test_what_can_not_be_set(word: str) -> None:
    with pytest.raises((UsageError, ConfigError)):
        way_of([word], Way())
