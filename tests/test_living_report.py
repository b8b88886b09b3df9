"""`python -m living report` and `claims` tell right orders and verdicts from wrong ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from invented_history import make_history
from living import claims, report
from living.figures import Figures
from living.material.histories import DAY, History
from living.report import Moment
from living.runs import Run
from living.seams import PLAIN, TODAY, Changes, ReportEntry, StatedClaim, Verdict

AT = 1_750_000_000


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make_history(tmp_path_factory.mktemp("histories"))


def _moment() -> Moment:
    """A hundred lines, of which the ten that were touched last are of use; they are neither old nor new."""
    lines = [f"Line number {n} of the report says {'something ' * 12}" for n in range(100)]
    touches = [(AT - DAY * (1 if 45 <= n < 55 else 30 + n),) for n in range(100)]
    entries = [
        ReportEntry(line, AT - n * DAY, touch)
        for n, (line, touch) in enumerate(zip(lines, touches, strict=True))
    ]
    return Moment("ada+harbour", AT, entries, [45 <= n < 55 for n in range(100)], {})


def _figures(moment: Moment, run: Run) -> Figures:
    return dict(report.figures([report.reported(moment, run)])["all"])


def test_orders_are_compared_with_any_order() -> None:
    row = _figures(_moment(), Run([], TODAY, 1))
    assert (row["any order"], row["newest first"], row["oldest first"]) == (0.1, 0, 0)
    assert row["touched last × any"] == row["touched often lately × any"] > 2
    assert row["is binding"] == "False"
    assert 0 < row["lines, packet"] < 100  # as many as it takes, the oldest first
    assert row["packet"] == row["ctxrepo"] == 0


def test_another_order_is_measured() -> None:
    def order(entries: Sequence[ReportEntry], changed: Changes, now: int) -> list[int]:
        assert (len(entries), now) == (100, AT)
        return list(range(45, 55))

    row = _figures(_moment(), Run([], replace(TODAY, order=order), 1))
    assert (row["ctxrepo"], row["lines, ctxrepo"], row["ctxrepo × any"]) == (1, 10, 10)


def test_scores_put_first_what_names_an_active_file() -> None:
    entries = [ReportEntry(f"The fee is worked out in `src/fee{n}.py`", AT - n * DAY, ()) for n in range(9)]
    order = TODAY.order(entries, {"src/fee5.py": [AT - DAY], "src/fee7.py": [AT - 100 * DAY]}, AT)
    assert order[:2] == [5, 0]


def test_candidates_name_files_that_are_there(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "FEWEST", 1)
    moments = list(report.moments(history, 24))
    before = next(moment for moment in moments if moment.at < history.commits[0].at + 115 * DAY)
    assert len(before.entries) == 3
    assert {entry.stated for entry in before.entries} == {moments[0].at}
    assert sum(moment.useful.count(True) for moment in moments) == 2  # both files that day 115 changes


def test_claims_are_true_when_stated_and_judged_by_git(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "LATER", 100)
    first, last = history.commits[0], history.head
    for claim, then in (
        ("src/prices.py", True),
        ("src/weather.py", False),
        ("src/tugs.py::tug_tariff", False),
        ("src/prices.py::price_of", True),
        ("src/prices.py::PRICE_PER_METRE=12", True),
        ("!src/cargo.py", False),
    ):
        assert claims.holds_at(history, claim, first.oid)
        assert claims.holds_at(history, claim, last.oid) == then
    assert not claims.holds_at(history, "src/prices.py::PRICE_PER_METRE=13", first.oid)
    cases = claims.claim_cases(history, 40)
    assert {case.kind for case in cases} == {"path", "symbol", "value", "absent"}
    assert all(claims.holds_at(history, case.claim, case.commit) for case in cases)
    assert 0 < sum(not case.holds for case in cases) < len(cases)


def test_alarms_are_counted_apart_from_no_answer(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "LATER", 100)
    silent = dict(claims.figures(list(claims.measure(Run([history], PLAIN, 40))))["all"])
    assert silent["can't tell"] == silent["claims"] > silent["false by then"] > 0
    assert (silent["claims, alarms"], silent["claims, recall"]) == (0, 0)

    ours = dict(claims.figures(list(claims.measure(Run([history], TODAY, 40))))["all"])
    assert (ours["claims, alarms a true catch"], ours["claims, recall"], ours["can't tell"]) == (1, 1, 0)

    def exact(stated: Sequence[StatedClaim], checkout: Path) -> Mapping[str, Verdict]:
        head = (checkout / ".git" / "HEAD").read_text().strip()
        return {
            each.id: "held" if claims.holds_at(history, each.claim, head) else "changed" for each in stated
        }

    right = dict(
        claims.figures(list(claims.measure(Run([history], replace(TODAY, claims=exact), 40))))["all"]
    )
    assert (right["claims, alarms a true catch"], right["claims, recall"], right["can't tell"]) == (1, 1, 0)

    def noise(stated: Sequence[StatedClaim], checkout: Path) -> Mapping[str, Verdict]:
        return dict.fromkeys((each.id for each in stated), "changed")

    noisy = dict(
        claims.figures(list(claims.measure(Run([history], replace(TODAY, claims=noise), 40))))["all"]
    )
    assert noisy["claims, alarms a true catch"] == 1 / noisy["base rate"] > 1.2
