"""recall --in DIR: any folder of markdown is asked, by the hundred, with no memory and an empty home."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from checkout import MODEL, RECALL_DATA
from terminal import Terminal

DATA = RECALL_DATA

NOTE = """\
---
description: What runs where
---

# Ports

- redis listens on port 6380
- the gateway needs two lines:
  it restarts at midnight
"""


@pytest.fixture
def folder(fresh: Terminal) -> Path:
    folder = fresh.machine.project_folder / "notes"
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/er/ports.md").write_text(NOTE)
    (folder / "other.md").write_text("- paper burns\n")
    (folder / "archive").mkdir()
    (folder / "archive/old.md").write_text("- redis listened on port 1\n")
    return folder


def batch(cli: Terminal, folder: Path, lines: Sequence[object], *more: str) -> list[dict[str, Any]]:
    queries, out = folder.parent / "queries.jsonl", folder.parent / "out.jsonl"
    queries.write_text("".join(json.dumps(line) + "\n" for line in lines))
    answer = cli("recall", "--in", str(folder), "--batch", str(queries), "--out", str(out), *more)
    assert (answer.code, answer.err) == (0, ""), answer
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_a_batch_is_answered_by_places(fresh: Terminal, folder: Path) -> None:
    queries = [
        {"id": "q1", "query": "which port does redis listen on?"},
        {"id": "q2", "query": "ok, thanks"},
        {"id": "q3", "query": "when does the gateway restart?", "before": ["hello there"]},
    ]
    first, second, third = batch(fresh, folder, queries)
    assert [line["id"] for line in (first, second, third)] == ["q1", "q2", "q3"]
    assert [r["id"] for r in first["results"]][:1] == ["deep/er/ports.md#L7"]
    assert second["results"] == []
    assert third["results"][0]["id"] == "deep/er/ports.md#L8-L9"
    assert all(float(str(line["ms"])) > 0 for line in (first, second, third))


def test_without_the_gate_a_social_prompt_is_answered(fresh: Terminal, folder: Path) -> None:
    (folder / "thanks.md").write_text("- thanks go to the gateway people\n")
    queries: list[object] = [{"id": "q", "query": "ok, thanks"}]
    assert batch(fresh, folder, queries)[0]["results"] == []
    assert batch(fresh, folder, queries, "--no-gate")[0]["results"] != []


def test_nothing_is_made_but_the_answer(fresh: Terminal, folder: Path) -> None:
    before = sorted(fresh.machine.home.rglob("*"))
    batch(fresh, folder, [{"id": "q", "query": "which port does redis listen on?"}])
    assert set(fresh.machine.home.rglob("*")) - set(before) == {
        folder.parent / "queries.jsonl",
        folder.parent / "out.jsonl",
    }
    assert fresh.woken == []


def test_bad_lines_are_told_one_by_one_and_nothing_is_written(fresh: Terminal, folder: Path) -> None:
    queries, out = folder.parent / "queries.jsonl", folder.parent / "out.jsonl"
    queries.write_text('{"id": "a", "query": "x"}\nnonsense\n{"id": "b"}\n')
    out.write_text("as it was")
    answer = fresh("recall", "--in", str(folder), "--batch", str(queries), "--out", str(out))
    assert (answer.code, answer.out) == (2, "")
    assert [line.partition(", line ")[2][:2] for line in answer.err.splitlines()[:2]] == ["2 ", "3 "]
    assert out.read_text() == "as it was"
    assert not [name for name in os.listdir(folder.parent) if name.startswith(".out")]


@pytest.mark.parametrize(
    "words",
    [
        ["--batch", "q.jsonl", "--out", "o.jsonl"],
        ["--in", "notes", "--batch", "q.jsonl"],
        ["--in", "notes", "--out", "o.jsonl"],
        ["--in", "notes", "--batch", "q.jsonl", "--out", "o.jsonl", "a prompt"],
        ["--in", "gone", "a prompt"],
        ["--in", "notes", "--scope", "global", "a prompt"],
        ["--in", "notes"],
        ["--in", "notes", "--batch", "gone.jsonl", "--out", "o.jsonl"],
        ["--in", "notes", "--batch", "q.jsonl", "--out", "gone/o.jsonl"],
    ],
    ids=" ".join,
)
def test_what_makes_no_sense(fresh: Terminal, folder: Path, words: list[str]) -> None:
    (folder.parent / "q.jsonl").write_text('{"id": "a", "query": "x"}\n')
    answer = fresh("recall", *words)
    assert answer.code == 2
    assert answer.is_one_line(), answer.err


def test_a_folder_without_notes(fresh: Terminal, folder: Path) -> None:
    answer = fresh("recall", "--in", str(folder / "archive"), "which port did redis listen on?")
    assert answer.code == 0, "an archive is asked when it is named itself"
    (folder / "empty").mkdir()
    answer = fresh("recall", "--in", str(folder / "empty"), "redis port")
    assert (answer.code, answer.is_one_line()) == (3, True)


def test_one_question(fresh: Terminal, folder: Path) -> None:
    answer = fresh("recall", "--in", str(folder), "which port does redis listen on?")
    assert answer.code == 0
    assert answer.out.startswith("1. deep/er/ports.md#L7 · Ports")
    assert "redis listens on port 6380" in answer.out
    assert "archive" not in answer.out


def test_the_development_data_finds_most_of_its_evidence(fresh: Terminal) -> None:
    """Places are those of the labels: lines are counted as they count them, heads included."""
    data = DATA / "veloframe"
    out = fresh.machine.home / "out.jsonl"
    answer = fresh(
        "recall", "--in", str(data / "memory"), "--batch", str(data / "queries.jsonl"), "--out", str(out)
    )
    assert answer.code == 0
    results = {line["id"]: line["results"] for line in map(json.loads, out.read_text().splitlines())}
    labels = [
        line for line in map(json.loads, (data / "qrels.jsonl").read_text().splitlines()) if line["relevant"]
    ]
    hit = 0
    for line in labels:
        places = {f"{place['path']}#L{place['line']}" for place in line["relevant"]}
        hit += any(result["id"].partition("-L")[0] in places for result in results[line["id"]])
    assert hit > len(labels) / 2


def test_a_model_finds_what_no_word_would(fresh: Terminal, folder: Path) -> None:
    (folder / "pets.md").write_text("- The office puppy is called Rex\n\n- The kitten sleeps upstairs\n")
    queries = [{"id": "q1", "query": "what is the name of our dog?"}]
    by_words = batch(fresh, folder, queries, "--no-gate")[0]["results"]
    by_meaning = batch(fresh, folder, queries, "--no-gate", "--model", str(MODEL))[0]["results"]
    assert by_words == [] or by_words[0]["id"] != "pets.md#L1"
    assert by_meaning[0]["id"] == "pets.md#L1"


def test_a_model_may_be_named_as_it_lies_here(fresh: Terminal, folder: Path) -> None:
    (folder / "pets.md").write_text("- The office puppy is called Rex\n\n- The kitten sleeps upstairs\n")
    shutil.copytree(MODEL, fresh.machine.project_folder / "model")
    answer = fresh(
        "recall", "--in", "notes", "the name of our dog?", "--model", "model", "--no-gate", "--json"
    )
    assert answer.data["hits"][0]["text"] == "- The office puppy is called Rex"


def test_a_model_that_is_none_is_told_of(fresh: Terminal, folder: Path) -> None:
    answer = fresh("recall", "--in", str(folder), "which port?", "--model", str(folder))
    assert answer.code == 1
    assert str(folder) in answer.err
    assert fresh("recall", "which port?", "--model", str(folder)).code == 2
