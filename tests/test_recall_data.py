"""The memories and labels that recall is developed on hold what their README says."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from checkout import RECALL_DATA

from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.note.entry import entries_of

DATA = RECALL_DATA
README = (DATA / "README.md").read_text("utf-8")
MEMORIES = sorted(folder for folder in DATA.iterdir() if folder.is_dir())


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(params=MEMORIES, ids=lambda folder: folder.name)
def data(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def test_every_memory_is_told_of(data: Path) -> None:
    notes = len([*(data / "memory").rglob("*.md")])
    assert re.search(rf"^\| `{data.name}` \|.*\| {notes} \|$", README, re.MULTILINE)


def test_there_are_as_many_prompts_of_each_category_as_are_told(data: Path) -> None:
    counts = Counter(row["category"] for row in rows(data / "qrels.jsonl"))
    assert counts == {name: int(n) for name, n in re.findall(r"^\| ([a-z-]+) \|.*\| (\d+) \|$", README, re.M)}


def test_each_prompt_is_labelled_once(data: Path) -> None:
    ids = [row["id"] for row in rows(data / "queries.jsonl")]
    assert len(ids) == len(set(ids))
    assert ids == [row["id"] for row in rows(data / "qrels.jsonl")]


def test_a_prompt_has_earlier_ones_when_it_is_a_followup(data: Path) -> None:
    categories = {row["id"]: row["category"] for row in rows(data / "qrels.jsonl")}
    for row in rows(data / "queries.jsonl"):
        assert bool(row.get("before")) == (categories[row["id"]] == "followup"), row["id"]


def test_labels_name_lines_of_entries_and_silence_has_none(data: Path) -> None:
    lines = {
        (path, line)
        for file in (data / "memory").rglob("*.md")
        for path in [file.relative_to(data / "memory").as_posix()]
        for entry in entries_of(path, file.read_text("utf-8"))
        for line in range(entry.first_line, entry.last_line + 1)
    }
    for row in rows(data / "qrels.jsonl"):
        places = [(place["path"], place["line"]) for place in row["relevant"]]
        assert bool(places) == (not row["category"].startswith("null")), row["id"]
        assert len(places) == len(set(places)), row["id"]
        assert set(places) <= lines, row["id"]


def test_no_note_of_them_is_held_back(data: Path) -> None:
    """They say where secrets are kept; `make live` and `make bench-recall` commit them."""
    files = [file for file in (data / "memory").rglob("*") if file.is_file()]
    refusals = [
        (file.name, refusal) for file in files for refusal in check_file(file.name, file.read_bytes())
    ]
    assert files
    assert refusals == []
