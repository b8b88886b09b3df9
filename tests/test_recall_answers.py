"""Answers of programs as JSON lines: what `recall --batch` writes is read back, and others' strictly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recall.datasets import read_answers

from ctxrepo.services.recall.queries import BadLines, QueryAnswer, render_answers


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def test_answers_read_back(file: Path) -> None:
    answers = [QueryAnswer("a", (("x/ü.md#L10-L12", 1.5), ("y.md#L1", 0.5)), 2.1), QueryAnswer("b", (), 0.1)]
    file.write_text(render_answers(answers))
    assert read_answers(file) == {"a": answers[0], "b": answers[1]}
    first = json.loads(file.read_text().splitlines()[0])
    assert first["results"][0] == {"id": "x/ü.md#L10-L12", "score": 1.5}


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "a"}',
        '{"id": "a", "results": {}}',
        '{"id": "a", "results": ["x.md#L1"]}',
        '{"id": "a", "results": [{"id": 1}]}',
        '{"id": "a", "results": [{"id": "x", "score": "high"}]}',
        '{"id": "a", "results": [], "ms": "fast"}',
    ],
)
def test_answers_of_others_are_read_strictly(file: Path, line: str) -> None:
    file.write_text(line)
    with pytest.raises(BadLines):
        read_answers(file)


def test_scores_and_times_may_be_missing(file: Path) -> None:
    file.write_text('{"id": "a", "results": [{"id": "x.md"}]}')
    assert read_answers(file) == {"a": QueryAnswer("a", (("x.md", 0.0),), None)}
