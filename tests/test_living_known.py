"""`python -m living tidy|harm|repeats` tell tidying and doubts that keep what holds from those that don't."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from invented_answers import NOTES, make_answers
from living import harm, repeats, tidy
from living.figures import Figures
from living.material.known import KnownAnswers
from living.seams import PLAIN, TODAY, Seams

from ctxrepo.domain.records.entry_use import Usage
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.storage.memory import Memory

ALL = sum(map(len, NOTES.values()))


@pytest.fixture
def known(tmp_path: Path) -> KnownAnswers:
    return make_answers(tmp_path)


def _tidied(known: KnownAnswers, seams: Seams) -> Figures:
    return dict(tidy.figures([tidy.measure(known, seams)])["all"])


def _without(name: str) -> Seams:
    """Tidying that empties the notes of this name."""

    def empty(memory: Memory, now: datetime) -> None:
        for note in memory.root.glob(f"*/topics/{name}"):
            note.write_text("# Nothing\n")
        commit(memory, now, CommitRequest(deletions=True))

    return replace(TODAY, tidy=empty)


def _everything_is_changed(monkeypatch: pytest.MonkeyPatch, kind: tidy.Kind) -> None:
    monkeypatch.setattr(tidy, "SHARES", ((1.0, kind),))


def test_without_tidying_everything_stays(known: KnownAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    _everything_is_changed(monkeypatch, "twin")
    row = _tidied(known, PLAIN)
    assert row["twins"] >= ALL - 2
    assert row["recall@8, clean"] == row["recall@8, before"] == row["recall@8, after"] == 1
    assert (row["twins joined"], row["true facts lost"], row["the older one stays"]) == (0, 0, None)
    assert row["bytes of entries, before"] == row["bytes of entries, after"]


def test_whoever_agrees_to_all_joins_twins_and_loses_nothing(
    known: KnownAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    _everything_is_changed(monkeypatch, "twin")
    row = _tidied(known, TODAY)
    assert row["twins joined"] > 0.5
    assert (row["the older one stays"], row["true facts lost"]) == (1, 0)
    assert row["recall@8, after"] == 1


def test_whoever_agrees_to_all_drops_no_other_value(
    known: KnownAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    _everything_is_changed(monkeypatch, "contradictory")
    row = _tidied(known, TODAY)
    assert (row["overtaken, untouched"], row["true facts lost"]) == (1, 0)


def test_joining_twins_loses_nothing(known: KnownAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    _everything_is_changed(monkeypatch, "twin")
    row = _tidied(known, _without("later.md"))
    assert (row["twins joined"], row["the older one stays"], row["true facts lost"]) == (1, 1, 0)
    assert row["recall@8, after"] == 1
    assert row["bytes of entries, after"] < row["bytes of entries, before"] * 0.7


def test_tidying_the_older_ones_is_seen(known: KnownAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    _everything_is_changed(monkeypatch, "twin")
    row = _tidied(known, _without("boats.md"))
    assert row["the older one stays"] == 0
    assert row["true facts lost"] < 0.2  # their twins say the same


def test_lost_facts_and_dropped_values_are_seen(known: KnownAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    _everything_is_changed(monkeypatch, "outdated")
    row = _tidied(known, _without("earlier.md"))
    assert (row["overtaken, untouched"], row["overtaken, archived"], row["true facts lost"]) == (0, 0, 0)
    assert row["wrong among the 8, before"] > 0.5 > row["wrong among the 8, after"] == 0
    row = _tidied(known, _without("boats.md"))
    assert (row["overtaken, untouched"], row["true facts lost"]) == (1, 5 / ALL)
    assert row["recall@8, after"] == 0.5


def test_another_value_and_other_words_are_another_text() -> None:
    assert tidy.reworded("You must close the ledger, because it is late") == (
        "Note that you has to close ledger, since it is late"
    )
    assert tidy.reworded("Nothing here") == ""
    assert tidy.revalued("It takes 40 tonnes", []) != "It takes 40 tonnes"
    assert tidy.revalued("See `one_thing`", ["one_thing", "other_thing"]) == "See `other_thing`"
    assert tidy.revalued("No value at all", ["one", "two"]) == ""


def test_harm_is_seen(known: KnownAnswers) -> None:
    row = harm.figures(harm.measure(known, TODAY))["all"]
    assert (row["delivered, off"], row["delivered, on"], row["doubted"]) == (1, 1, 0)
    assert (row["deserve silence"], row["false, off"]) == (1, 0)

    def scan(memory: Memory, code: Path | None, now: datetime) -> None:
        _without("boats.md").tidy(memory, now)

    row = harm.figures(harm.measure(known, replace(TODAY, scan=scan)))["all"]
    assert (row["delivered, off"], row["delivered, on"], row["recall@8, on"]) == (1, 0.5, 0.5)


def test_repeated_and_never_used_is_counted(known: KnownAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "SESSIONS", 5)
    rows = repeats.measure(known)
    row = repeats.figures(rows)["all"]
    assert row["deliveries"] == len(rows) > 8
    first = {number for number, each in enumerate(rows) if each.earlier == 0}
    assert row["given before"] == pytest.approx(1 - len(first) / len(rows))
    assert row["used"] == sum(each.is_used for each in rows) / len(rows) > 0.5


def test_idle_deliveries_are_those_that_nobody_used_before(known: KnownAnswers) -> None:
    """Of three sessions the first two don't use an entry, the third does; another entry is used at once."""
    idle = [repeats.DeliveryRow(known, number == 2, number, was_used=False) for number in range(3)]
    used = [repeats.DeliveryRow(known, True, number, was_used=number > 0) for number in range(3)]
    row = repeats.figures([*idle, *used])["all"]
    assert (row["given before"], row["given before, never used"]) == (4 / 6, 2 / 6)
    assert (row["used"], row["of these used now"]) == (4 / 6, 1 / 2)


def test_real_counts_are_read_as_sums(tmp_path: Path) -> None:
    used = Usage("a" * 12, "x.md", 1, 2, delivered=4, sessions=4, used=1)
    idle = Usage("b" * 12, "x.md", 1, 2, delivered=6, sessions=6)
    row = repeats.usage_row([used, idle])
    assert row == {"deliveries": 10, "used": 0.1, "given before": 0.8, "given before, never used": 0.5}
    assert repeats.main(["--usage", str(tmp_path / "usage.db")]) == 2
