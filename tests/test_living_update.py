"""`python -m living update` tells a memory that sees what was overtaken from one that doesn't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from invented_history import ADDED, NEIGHBOURS, NEW, OLD, make_history
from living.figures import Figures
from living.material.histories import History, find_histories, half_of
from living.runs import Run
from living.seams import PLAIN, TODAY, Seams
from living.update import figures, is_other_value, main, measure, update_cases

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.services.recall.recall import RecalledEntry
from ctxrepo.storage.memory import Memory


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make_history(tmp_path_factory.mktemp("histories"))


def _figures(history: History, seams: Seams) -> Figures:
    return dict(figures(list(measure(Run([history], seams, 10))))["all"])


def _entries(memory: Memory, folder: str = "") -> dict[str, str]:
    """Text -> id of what the memory has in a folder; 'case0' is the update, 'case1' the addition."""
    files = (memory.root / folder).rglob("topics/*.md")
    paths = [(file.relative_to(memory.root).as_posix(), file.read_text()) for file in files]
    return {entry.plain: entry.id for path, text in paths for entry in entries_of(path, text)}


def test_a_change_and_an_addition_are_cases(history: History) -> None:
    update, addition = update_cases(history, 10)
    assert (update.old, update.new, addition.old, addition.new) == (OLD, NEW, "", ADDED)
    assert set(update.neighbours) == set(NEIGHBOURS)
    assert {"importer", "manifests"} <= set(update.query.split())
    assert not {"three", "eight"} & set(update.query.split())


def test_a_plain_list_gives_both_as_current(history: History) -> None:
    row = _figures(history, PLAIN)
    assert (row["updates"], row["additions"]) == (1, 1)
    assert (row["clean"], row["new"], row["both"]) == (0, 1, 1)
    assert (row["old doubted"], row["holding doubted"]) == (0, 0)
    assert (row["twin recall, same note"], row["twin precision, same note"]) == (1, 1)
    assert (row["twin recall, other note"], row["twin precision, other note"]) == (None, None)
    assert row["holding"] == (len(NEIGHBOURS) + 1) + (len(NEIGHBOURS) + 2)


def test_an_old_entry_that_is_marked_is_clean(history: History) -> None:
    def doubts(memory: Memory) -> Mapping[str, str]:
        return {_entries(memory, "case0")[OLD]: "overtaken"}

    def mark(hit: RecalledEntry) -> str:
        return "overtaken" if "three times" in hit.text else ""

    row = _figures(history, replace(PLAIN, doubts=doubts, mark=mark))
    assert (row["clean"], row["both"], row["old doubted"], row["holding doubted"]) == (1, 0, 1, 0)


def test_what_is_overtaken_comes_no_longer_as_current(history: History) -> None:
    row = _figures(history, TODAY)
    assert (row["clean"], row["new"], row["both"]) == (1, 1, 0)
    assert (row["old doubted"], row["holding doubted"]) == (1, 0)


def test_values_are_numbers_and_names_of_code() -> None:
    assert is_other_value("It runs 3 times", "It runs 8 times")
    assert is_other_value("Set `A_B` first", "Set `A_C` first")
    assert is_other_value("parseAll reads it", "readAll reads it")
    assert not is_other_value("It always runs 3 times", "It runs 3 times, always")


def test_doubting_everything_costs(history: History) -> None:
    def doubts(memory: Memory) -> Mapping[str, str]:
        return dict.fromkeys(_entries(memory).values(), "?")

    row = _figures(history, replace(PLAIN, doubts=doubts))
    assert row["holding doubted"] > 0.4


def test_a_half_is_chosen_by_the_name_alone(history: History, tmp_path: Path) -> None:
    folder = history.git_dir.parent.parent
    mine = half_of(history.name)
    assert half_of("ada/harbour") == mine
    assert [h.name for h in find_histories([folder], mine, fewest=3)] == [history.name]
    assert find_histories([folder], "tuned" if mine == "held-out" else "held-out", fewest=3) == []
    (tmp_path / "fork").symlink_to(history.git_dir.parent)
    assert len(find_histories([folder, tmp_path], fewest=3)) == 1
    assert find_histories([folder]) == []  # too short to be measured


def test_what_makes_no_sense_is_told_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--repositories", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("living: there is no clone with fifty commits. Name clones")
    assert main(["--repositories", str(tmp_path), "--half", "tuned"]) == 2
    assert "fifty commits whose name is in the half tuned. Name" in capsys.readouterr().err
    assert main(["--repositories", str(tmp_path / "gone")]) == 2
    assert "gone isn't a folder" in capsys.readouterr().err
