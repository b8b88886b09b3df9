"""Memories of some weeks: those that are kept beside the development data, and those cut out of others."""

from __future__ import annotations

import json
from pathlib import Path

from checkout import RECALL_DATA
from recall.datasets import DataSet, read_data_set
from recall.young import MOST, cuts, write

YOUNG = RECALL_DATA.parent / "young"


def test_the_young_memories_have_prompts_of_every_kind() -> None:
    kinds = [
        {label.category for label in read_data_set(folder).labels.values()}
        for folder in sorted(path for path in YOUNG.iterdir() if path.is_dir())
    ]
    assert len(kinds) == 2
    assert kinds[0] == kinds[1] >= {"direct", "para", "rule", "followup", "null-generic", "null-near"}


def _memory(folder: Path) -> DataSet:
    notes = {
        "old.md": "---\nupdated: 2026-01-01\n---\n" + "- an old fact\n" * 60,
        "2026-02-03.md": "- a fact of a day\n" * 60,
        "none.md": "- a fact without a day\n" * 60,
    }
    (folder / "memory").mkdir(parents=True)
    for name, text in notes.items():
        (folder / "memory" / name).write_text(text)
    evidence = {
        "a": [{"path": "old.md", "line": 4}],
        "b": [
            {"path": "old.md", "line": 4},
            {"path": "2026-02-03.md", "line": 1},
            {"path": "none.md", "line": 1},
        ],
        "c": [],
    }
    kinds = {"a": "direct", "b": "multi", "c": "null-near"}
    queries = [{"id": name, "query": f"what of {name}?"} for name in evidence]
    labels = [{"id": name, "category": kinds[name], "relevant": lines} for name, lines in evidence.items()]
    for file, rows in (("queries.jsonl", queries), ("qrels.jsonl", labels)):
        (folder / file).write_text("\n".join(map(json.dumps, rows)))
    return read_data_set(folder)


def test_notes_are_cut_by_their_days_and_prompts_go_where_half_of_their_evidence_is(tmp_path: Path) -> None:
    data = _memory(tmp_path / "shop")
    young = list(cuts(data))
    assert young == [["old.md"], ["2026-02-03.md"], ["none.md"]]
    assert MOST < 120
    write(data, 0, young[0], tmp_path / "out")
    first = read_data_set(tmp_path / "out" / "shop-0")
    assert {query.id: query.text for query in first.queries} == {"a-0": "what of a?", "c-0": "what of c?"}
    assert first.labels["a-0"].evidence == {("old.md", 4)}
    assert first.labels["c-0"].is_silent
