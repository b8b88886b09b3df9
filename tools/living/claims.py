"""Whether declared claims about code tell when they no longer hold.

Claims as they are typed for --holds are made of the code of five repositories, true at the commit at which
they are stated: `path`, `path::symbol`, `path::NAME=value`, `!path`. Half a year later git tells which still
hold, and a claim's verdict is compared with that. Beside it: to be alarmed whenever the file was touched.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from living.figures import columns, parts, share
from living.material.histories import DAY, Commit, History, chance, checkout_at
from living.material.names import is_source
from living.runs import Run, parser, run_of, shown
from living.seams import StatedClaim

KINDS = ("path", "symbol", "value", "absent")
MOST_HISTORIES = 5

_EVERY, _LATEST, LATER = 45, 730, 180
"""Days between the commits at which claims are stated, how far back they go, and when they are looked at."""

_FILES = 60
"""Files of a commit that claims are sought in."""

_DEFINED = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:pub(?:\([^)\n]*\))?[ \t]+)?"
    r"(?:(?:async|abstract|static|unsafe)[ \t]+)*"
    r"(?:def|class|func(?:[ \t]*\([^)\n]*\))?|fn|function|interface|type|struct|enum|trait|const|let|var)"
    r"[ \t]+([A-Za-z_]\w{3,})",
    re.MULTILINE,
)
_VALUE = re.compile(
    r"^(?:export[ \t]+)?(?:pub[ \t]+)?(?:(?:const|static|let|var|final)[ \t]+)?([A-Z][A-Z0-9_]{3,})"
    r"(?:[ \t]*:[ \t]*[^=\n]{1,40}?)?[ \t]*="
    r"[ \t]*(-?\d[\d_.]*|\"[^\"\s]{1,40}\"|'[^'\s]{1,40}'|true|false|True|False)"
    r"[ \t]*;?[ \t]*(?:(?:#|//).*)?$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class ClaimCase:
    """A claim that was true at `commit`; whether it `holds` at `later`, and whether its file was touched in
    between."""

    repository: str
    id: str
    kind: str
    claim: str
    commit: str
    later: str
    holds: bool
    is_touched: bool


@dataclass(frozen=True)
class ClaimOutcome:
    case: ClaimCase
    verdict: str


def main(argv: list[str]) -> int:
    return shown(_measured, parser("claims", __doc__, 40).parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    rows = figures(list(measure(run_of(options))))
    return rows, columns(rows, with_each=options.each)


def measure(run: Run) -> Iterator[ClaimOutcome]:
    """The outcomes of all claims, of the repositories with the longest histories."""
    old = [history for history in run.histories if _grid(history)]
    longest = sorted(old, key=lambda history: -len(history.commits))[:MOST_HISTORIES]
    for history in Run(longest, run.seams, run.cases).named():
        cases = run.corpus("claims", history, lambda history: claim_cases(history, run.cases), ClaimCase)
        yield from _answered(history, cases, run)


def claim_cases(history: History, most: int) -> list[ClaimCase]:
    """As many claims of each kind, `most` in all, from many commits and files. Where there are too few of a
    kind, there are more of symbols."""
    by_kind: dict[str, dict[str, Commit]] = {kind: {} for kind in KINDS}
    for stated in _grid(history):
        for kind, claims in _claims(history, stated).items():
            by_kind[kind] = dict.fromkeys(claims, stated) | by_kind[kind]
    counts = {kind: min(len(claims), most // len(KINDS)) for kind, claims in by_kind.items()}
    counts["symbol"] += most - sum(counts.values())
    chosen = (
        (kind, claim, stated)
        for kind, claims in by_kind.items()
        for claim, stated in islice(sorted(claims.items(), key=lambda pair: chance(pair[0])), counts[kind])
    )
    return [_case(history, number, *each) for number, each in enumerate(chosen)]


def _case(history: History, number: int, kind: str, claim: str, stated: Commit) -> ClaimCase:
    """The claim with what git says of it when it is looked at."""
    at = stated.at + LATER * DAY
    later = history.at(at) or history.head
    path = claim.lstrip("!").partition("::")[0]
    touches = history.touched.get(path, ())
    return ClaimCase(
        history.name,
        f"{history.name}-{number}",
        kind,
        claim,
        stated.oid,
        later.oid,
        holds_at(history, claim, later.oid),
        any(stated.at < touch <= at for touch in touches),
    )


def _grid(history: History) -> list[Commit]:
    """The commits at which claims are stated, all long enough ago."""
    grid = history.grid(_EVERY, _LATEST)
    return [commit for commit in grid if commit.at + LATER * DAY <= history.head.at]


def _claims(history: History, stated: Commit) -> Mapping[str, list[str]]:
    """kind -> claims that are true at the commit."""
    tree = history.tree(stated.oid)
    paths = sorted(filter(is_source, tree), key=lambda path: chance(stated.oid, path))[:_FILES]
    texts = history.read_all(f"{stated.oid}:{path}" for path in paths)
    claims: dict[str, list[str]] = defaultdict(list)
    claims["path"] = paths
    for spec, text in texts.items():
        path = spec.partition(":")[2]
        claims["symbol"] += (f"{path}::{name}" for name in dict.fromkeys(_DEFINED.findall(text)))
        claims["value"] += (f"{path}::{name}={value}" for name, value in _VALUE.findall(text))
    elsewhere = sorted(filter(is_source, history.touched), key=lambda path: chance(stated.oid, path))
    claims["absent"] = [f"!{path}" for path in elsewhere if path not in tree][:_FILES]
    return claims


def holds_at(history: History, claim: str, oid: str) -> bool:
    """Whether a claim is true at a commit: a symbol is one that a line of the file defines."""
    tree = history.tree(oid)
    path, _, rest = claim.lstrip("!").partition("::")
    if claim.startswith("!"):
        return path not in tree
    if not rest or path not in tree:
        return path in tree
    text = history.read(tree[path]) or ""
    name, equals, value = rest.partition("=")
    return (name, value) in _VALUE.findall(text) if equals else name in _DEFINED.findall(text)


def _answered(history: History, cases: Sequence[ClaimCase], run: Run) -> Iterator[ClaimOutcome]:
    by_later: dict[str, list[ClaimCase]] = defaultdict(list)
    for case in cases:
        by_later[case.later].append(case)
    with tempfile.TemporaryDirectory(prefix="ctxrepo-living-") as there:
        for later, asked in by_later.items():
            checkout = checkout_at(history, later, Path(there) / "code")
            verdicts = run.seams.claims(
                [StatedClaim(each.id, each.claim, each.commit) for each in asked], checkout
            )
            yield from (ClaimOutcome(each, verdicts.get(each.id, "unknown")) for each in asked)


def figures(outcomes: Sequence[ClaimOutcome]) -> dict[str, Any]:
    """The figures of all, of each half and of each repository."""
    return {name: _row(part) for name, part in parts(outcomes, lambda each: each.case.repository)}


def _row(outcomes: Sequence[ClaimOutcome]) -> dict[str, Any]:
    false = sum(not each.case.holds for each in outcomes)
    row: dict[str, Any] = {
        "claims": len(outcomes),
        "false by then": false,
        "base rate": share(false, len(outcomes)),
    }
    row |= {
        f"touched, {name}": value
        for name, value in _judged(outcomes, lambda each: each.case.is_touched).items()
    }
    row |= {f"claims, {name}": value for name, value in _judged(outcomes, _is_alarm).items()}
    row["can't tell"] = sum(each.verdict == "unknown" for each in outcomes)
    for kind in KINDS:
        there = [each for each in outcomes if each.case.kind == kind]
        row[f"{kind}: false by then"] = sum(not each.case.holds for each in there)
        row[f"{kind}: recall"] = _judged(there, _is_alarm)["recall"]
    return row


def _is_alarm(outcome: ClaimOutcome) -> bool:
    return outcome.verdict == "changed"


def _judged(
    outcomes: Sequence[ClaimOutcome], is_alarm: Callable[[ClaimOutcome], bool]
) -> dict[str, float | None]:
    alarms = [each for each in outcomes if is_alarm(each)]
    right = sum(not each.case.holds for each in alarms)
    false = sum(not each.case.holds for each in outcomes)
    return {
        "alarms": len(alarms),
        "alarms a true catch": share(len(alarms), right),
        "recall": share(right, false),
    }
