"""What a session's first prompt is given of memories that nothing was set on: not less than was promised."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from checkout import RECALL_DATA
from recall.datasets import data_sets
from recall.scores import evaluate

from ctxrepo.services.recall.recall_folder import Way

HELD_OUT = RECALL_DATA.parent / "held_out"


def test_words_deliver_most_evidence_and_the_start_delivers_the_rules() -> None:
    """The floors of docs/explanation/recall-measured.md; by meaning they are measured with a model."""
    (run,) = evaluate(data_sets([HELD_OUT]), {"words": Way()}, session=1)
    assert run.whole.answerable == 116
    assert (run.whole.delivered or 0) >= 0.62
    assert (run.categories["rule"].delivered or 0) >= 0.8


@pytest.mark.parametrize("folder", sorted(p for p in HELD_OUT.iterdir() if p.is_dir()), ids=lambda p: p.name)
def test_each_prompt_is_labelled_once_and_the_readme_counts_them(folder: Path) -> None:
    queries, labels = (
        [json.loads(line)["id"] for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("queries.jsonl", "qrels.jsonl")
    )
    assert queries == labels
    assert Counter(queries).most_common(1)[0][1] == 1
    notes = len([*(folder / "memory").rglob("*.md")])
    row = next(
        li for li in (HELD_OUT / "README.md").read_text("utf-8").splitlines() if f"`{folder.name}`" in li
    )
    assert [cell.strip() for cell in row.split("|")][4::2] == [str(notes), str(len(queries))]
