"""The log of faults says when each came and when it went."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.own_files import LOG_BYTES
from ctxrepo.storage.state.ledgers import FaultLog, FaultRecord

T0 = 1_790_000_000.0
AT = ["2026-09-21T14:13:20Z", "2026-09-21T14:13:21Z", "2026-09-21T14:13:22Z"]


def test_each_fault_has_the_moment_it_came_and_the_one_it_went(tmp_path: Path) -> None:
    log = FaultLog(tmp_path / "faults.jsonl")
    log.note(["a", "b"], T0)
    log.note(["b"], T0 + 1)
    log.note(["b", "a"], T0 + 2)
    assert log.read() == [FaultRecord("a", AT[0], AT[1]), FaultRecord("b", AT[0]), FaultRecord("a", AT[2])]


def test_what_is_torn_or_foreign_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "faults.jsonl"
    file.write_text('{"at": "x", "fau\nnull\n{"fault": 7}\n')
    log = FaultLog(file)
    assert log.read() == []
    log.note(["a"], T0)
    assert log.read() == [FaultRecord("a", AT[0])]


def test_a_full_log_still_knows_what_stands(tmp_path: Path) -> None:
    log = FaultLog(tmp_path / "faults.jsonl")
    log.note(["it stands"], T0)
    for number in range(2):
        log.note(["it stands", f"{number}" * (LOG_BYTES // 3)], T0 + number)
    assert Path(f"{log.file}.1").exists()
    assert FaultRecord("it stands", AT[0]) in log.read()


@given(st.lists(st.lists(st.sampled_from("abc")), max_size=6))
def test_what_stands_is_what_was_noted_last(rounds: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = FaultLog(Path(folder) / "faults.jsonl")
        for number, faults in enumerate(rounds):
            log.note(faults, T0 + number)
        assert {record.fault for record in log.read() if not record.until} == set(
            rounds[-1] if rounds else ()
        )
