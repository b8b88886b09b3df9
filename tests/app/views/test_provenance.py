"""Where an entry comes from and who confirmed it, in a line for each."""

from __future__ import annotations

import pytest

from ctxrepo.app.views.provenance import provenance
from ctxrepo.domain.records.entry_evidence import EntryEvidence

CODE = "c" * 40
AT = "2026-11-29T12:00:00.000Z"


@pytest.mark.parametrize(
    ("known", "lines"),
    [
        (EntryEvidence("x"), []),
        (
            EntryEvidence("x", stated=AT, agent="pi", host="desk", session="0123456789"),
            ["stated 2026-11-29 12:00 by pi on desk, session 01234567"],
        ),
        (EntryEvidence("x", source="letta"), ["brought from letta"]),
        (EntryEvidence("x", derived=("a", "b")), ["replaced ^a, ^b"]),
        (EntryEvidence("x", reinforced=3, last=AT), ["said again 3 times; last confirmed 2026-11-29 12:00"]),
        (
            EntryEvidence("x", verified=AT, verified_code=CODE, code=CODE),
            ["verified 2026-11-29 12:00 at cccccccccc"],
        ),
        (
            EntryEvidence("x", contradicted=1, contradicted_at=AT),
            ["contradicted once since, last 2026-11-29 12:00"],
        ),
        (EntryEvidence("x", code=CODE, cites=(f"a.py@{CODE}#L1-L2",)), ["cites a.py#L1-L2 at cccccccccc"]),
        (EntryEvidence("x", code=CODE), ["about the code at cccccccccc"]),
        (EntryEvidence("x", holds=("a.py::N=3",)), ["holds while a.py::N=3"]),
        (EntryEvidence("x", stated="\x1b[2J" * 50), [r"stated \u{1b}[2J\u{1b}[2J\…"]),
    ],
)
def test_a_line_for_each(known: EntryEvidence, lines: list[str]) -> None:
    assert list(provenance(known)) == lines
