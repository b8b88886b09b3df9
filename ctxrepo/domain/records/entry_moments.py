"""When an entry came to say what it says, was found to hold, and was found wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Moments:
    """Moments of one entry in ISO form, '' for never or unknown; `worded` may be a day."""

    worded: str = ""
    """Since when it says what it says."""
    verified: str = ""
    contradicted: str = ""
    path: str = ""
    """The note in which it was when something was last recorded."""


def moments_in(evidence: Iterable[Evidence]) -> dict[str, Moments]:
    """id -> moments, of the entries that records are about. An entry that moves to another note is as old as
    before, and an edited one is new."""
    moments: dict[str, Moments] = {}
    for record in sorted(evidence, key=lambda one: one.ts):
        known = moments.get(record.entry, Moments())
        match record.kind:
            case "stated":
                worded = max(known.worded, record.day or record.ts)
                moments[record.entry] = replace(known, worded=worded, path=record.path)
            case "verified":
                moments[record.entry] = replace(known, verified=record.ts)
            case "contradicted":
                moments[record.entry] = replace(known, contradicted=record.ts)
            case "moved" if record.to:
                is_edit = known.path in ("", record.path)
                worded = record.ts if is_edit else known.worded
                moments[record.to] = replace(known, worded=worded, path=record.path)
            case _:
                pass
    return moments
