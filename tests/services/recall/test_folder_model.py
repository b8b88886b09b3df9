"""A folder of markdown is asked by meaning too, when a model is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import MODEL
from meanings import NOTES

from ctxrepo.errors import ModelUnusable
from ctxrepo.services.recall.recall_folder import Way, recall_batch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / path).write_text(text)
    (tmp_path / "asked.jsonl").write_text('{"id": "a", "query": "which socket has our storage?"}\n')
    return tmp_path


def found(folder: Path, way: Way) -> list[str]:
    recall_batch(folder / "notes", folder / "asked.jsonl", folder / "out.jsonl", way)
    (line,) = (folder / "out.jsonl").read_text().splitlines()
    return [result["id"] for result in json.loads(line)["results"]]


def test_a_model_finds_what_words_dont(folder: Path) -> None:
    assert found(folder, Way(1)) == []
    assert found(folder, Way(1, model=str(MODEL))) == ["shop/topics/db.md#L4"]


def test_one_that_isnt_there_is_told(folder: Path) -> None:
    with pytest.raises(ModelUnusable, match="isn't on this machine"):
        found(folder, Way(model=str(folder / "none")))
