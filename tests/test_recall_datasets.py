"""Data to measure on is read strictly: a label that names no line would measure nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recall.datasets import data_sets, read_data_set

from ctxrepo.errors import UsageError
from ctxrepo.services.recall.queries import BadLines

GOOD = {"id": "a", "category": "direct", "relevant": [{"path": "shop/a.md", "line": 2}]}


def make(folder: Path, labels: list[Any], prompts: tuple[str, ...] = ("a",)) -> Path:
    (folder / "memory/shop").mkdir(parents=True)
    (folder / "memory/shop/a.md").write_bytes(b"# A\r\n- alpha\r\n")
    (folder / "queries.jsonl").write_text("".join(json.dumps({"id": p, "query": p}) + "\n" for p in prompts))
    (folder / "qrels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
    return folder


def test_a_label_says_what_a_prompt_deserves(tmp_path: Path) -> None:
    labels = [
        GOOD,
        {"id": "b", "category": "null-near", "relevant": []},
        {**GOOD, "id": "c", "category": "adversarial"},
    ]
    data = read_data_set(make(tmp_path / "x", labels, ("a", "b", "c")))
    assert data.name == "x"
    assert data.labels["a"].evidence == {("shop/a.md", 2)}
    assert [(label.counts, label.is_silent) for label in data.labels.values()] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    assert data.texts == {"shop/a.md": ["# A", "- alpha", ""]}


@pytest.mark.parametrize(
    ("label", "why"),
    [
        ({**GOOD, "id": "b"}, "no prompt of queries.jsonl"),
        ({**GOOD, "category": ""}, '"category"'),
        ({**GOOD, "relevant": "shop/a.md"}, '"relevant"'),
        ({**GOOD, "relevant": [{"path": "shop/a.md"}]}, '"relevant"'),
        ({**GOOD, "relevant": []}, "does not begin with null"),
        ({**GOOD, "relevant": [{"path": "shop/a.md", "line": 4}]}, "shop/a.md#L4, which is not in memory/"),
        ({**GOOD, "relevant": [{"path": "shop/a.md", "line": 0}]}, "not in memory/"),
        ({**GOOD, "relevant": [{"path": "gone.md", "line": 1}]}, "not in memory/"),
    ],
)
def test_a_label_that_says_nothing_is_told_by_its_line(tmp_path: Path, label: Any, why: str) -> None:
    with pytest.raises(BadLines) as error:
        read_data_set(make(tmp_path / "x", [label]))
    (line,) = error.value.lines
    assert "qrels.jsonl, line 1 " in line
    assert why in line


def test_every_prompt_needs_a_label(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing of the prompt 'b' and 1 more"):
        read_data_set(make(tmp_path / "x", [GOOD], ("a", "b", "c")))


def test_a_folder_of_data_sets_and_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"empty has no memory, queries\.jsonl, qrels\.jsonl"):
        data_sets([tmp_path / "empty"])
    with pytest.raises(UsageError, match="isn't a folder"):
        data_sets([tmp_path / "gone"])
    make(tmp_path / "two", [{**GOOD, "id": "b"}], ("b",))
    make(tmp_path / "one", [GOOD])
    assert [data.name for data in data_sets([tmp_path])] == ["one", "two"]
    assert [data.name for data in data_sets([tmp_path / "two", tmp_path / "one"])] == ["two", "one"]


def test_two_prompts_of_one_id_are_asked_apart(tmp_path: Path) -> None:
    make(tmp_path / "one", [GOOD])
    make(tmp_path / "two", [GOOD])
    with pytest.raises(UsageError, match="both have a prompt 'a'"):
        data_sets([tmp_path])
