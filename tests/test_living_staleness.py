"""`python -m living staleness` tells detectors that see what is gone from silent and from noisy ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from invented_history import NAMING, make_history
from living.figures import Figures
from living.material.histories import DAY, Commit, History
from living.material.names import Snapshot, paths_in, symbols_in
from living.runs import Run
from living.seams import PLAIN, TODAY, Seams, StaleKind, StatedEntry
from living.staleness import decay, figures, measure, observations

ENDS = dict(zip(NAMING, ("", "renamed", "symbol", "command", "gone"), strict=True))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make_history(tmp_path_factory.mktemp("histories"))


def _figures(history: History, seams: Seams) -> Figures:
    return dict(figures(list(measure(Run([history], seams, 10))))["all"])


def test_git_tells_what_became_of_the_names(history: History) -> None:
    seen = observations(history, 10)
    last = {each.text: each.stale for each in seen}
    assert last == ENDS
    first = {each.text: each.stale for each in seen if each.later_at < history.commits[0].at + 115 * DAY}
    assert set(first.values()) == {""}


def test_a_cited_line_is_changed_when_the_file_no_longer_has_it(history: History) -> None:
    cites = [each for each in observations(history, 10) if each.cites]
    assert {each.text for each in cites} == {NAMING[1]}
    assert all(
        each.cites[0].startswith("src/manifest.py@") and each.cites[0].endswith("#L1") for each in cites
    )
    assert {each.is_changed for each in cites} == {False, True}  # until the file is renamed


def test_silence_has_no_recall_and_noise_no_precision(history: History) -> None:
    row = _figures(history, PLAIN)
    assert row["entries"] == 5
    assert (row["detectors, recall"], row["detectors, precision"]) == (0, None)
    assert row["detectors, false a month per 100"] == 0

    row = _figures(history, TODAY)
    assert (row["detectors, recall"], row["detectors, precision"]) == (1, 1)

    def noise(entries: Sequence[StatedEntry], checkout: Path, now: datetime) -> Mapping[str, StaleKind]:
        return {entry.id: "gone" for entry in entries}

    row = _figures(history, replace(TODAY, stale=noise))
    assert row["detectors, recall"] == 1
    assert row["detectors, precision"] == row["base rate"] < 0.7
    assert row["detectors, false a month per 100"] > 10


def test_a_detector_that_reads_the_commit_is_right(history: History) -> None:
    def by_head(entries: Sequence[StatedEntry], checkout: Path, now: datetime) -> Mapping[str, StaleKind]:
        head = (checkout / ".git" / "HEAD").read_text().strip()
        later = History("code", checkout / ".git")
        paths = later.tree(head)
        assert set(paths) == set(history.tree(head))
        return {
            entry.id: "gone"
            for entry in entries
            if "src/weather.py" in entry.text and "src/weather.py" not in paths
        }

    row = _figures(history, replace(TODAY, stale=by_head))
    assert (row["detectors, precision"], row["gone: recall"], row["renamed: recall"]) == (1, 1, 0)
    assert 0 < row["detectors, recall"] < 0.5


def test_symbols_are_told_from_words_and_files() -> None:
    line = (
        "`price_of` `Foo.parseAll(x)` `rerun()` `word` `src/x.py` `x_y.py` `MAX_LEN` `a.pending_ids.clear()`"
    )
    assert symbols_in(line) == ["price_of", "parseAll", "rerun", "MAX_LEN", "pending_ids", "clear"]


def test_the_seed_drops_a_lesson_after_a_month() -> None:
    assert decay(0) == pytest.approx(0.693, abs=0.001)
    assert decay(30) > 0.4 > decay(34)


def test_a_path_is_named_by_its_end_as_long_as_a_file_ends_so() -> None:
    now = _snapshot("src/shop/prices.py", "src/shop/tugs.py", "tools/run.sh", "docs/tugs.py")
    line = "Run `cd src/shop && ../../tools/run.sh --all`; see prices.py, tugs.py and `shop/tugs.py`"
    names = paths_in(line, now)
    assert [(name.name, name.end) for name in names] == [
        ("src/shop", ""),
        ("tools/run.sh", ""),
        ("src/shop/tugs.py", "shop/tugs.py"),
        ("src/shop/prices.py", "prices.py"),
    ]
    later = _snapshot("lib/prices.py", "tools/run.sh", "docs/tugs.py")
    assert [later.has(name) for name in names] == [False, True, False, True]


def _snapshot(*paths: str) -> Snapshot:
    return Snapshot(Commit("0" * 40, 0), dict.fromkeys(paths, "1" * 40))
