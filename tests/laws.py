"""Merges made-up notes and JSON lines, and counts how often a law of the merge is broken.

`python tests/laws.py --cases 20000 --seed 1` spreads the cases over all laws; the test suite runs a few of each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from random import Random

from merging.exchange import EXCHANGE
from merging.json_lines import JSON_LINES
from merging.note_laws import ALIKE, CLEAR, WILD, Law

LAWS: dict[str, Law] = CLEAR | ALIKE | WILD | EXCHANGE | JSON_LINES


def broken(name: str, law: Law, cases: int, seed: int) -> Iterator[str]:
    """How `law` was broken, a line a case and what it was about."""
    for number in range(cases):
        for wrong in law(Random(f"{name} {seed} {number}")):
            yield f"{name}, seed {seed}, case {number}: {wrong}"
            break


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    laws = {name: law for name, law in LAWS.items() if args.only in name}
    each = -(-args.cases // len(laws))
    failed = 0
    for name, law in laws.items():
        found = list(broken(name, law, each, args.seed))
        failed += len(found)
        print(f"{each:7d} cases {len(found):5d} violations  {name}")
        for wrong in found[: args.show]:
            print(wrong)
    print(f"{each * len(laws)} cases, {failed} violations")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
