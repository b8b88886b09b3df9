"""Who writes is a value: it can be compared, and nothing but the machine must be known."""

from __future__ import annotations

from ctxrepo.domain.records.save import Origin


def test_equal_writers_are_one() -> None:
    writers = [Origin("host", "s", "claude", "p"), Origin("host", "s", "claude", "p"), Origin("host")]
    assert list(dict.fromkeys(writers)) == [writers[0], writers[2]]
    assert (writers[2].session, writers[2].agent, writers[2].project) == ("", "", "")
