"""Merges notes and JSON lines that machines may have left, and counts how often a law is broken.

`python tools/laws.py --cases 20000 --seed 1` spreads the cases over all laws and says how each fared;
it exits with 1 where one was broken. The test suite runs a few cases of each.
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
    """How `law` was broken: for each case that did the first thing wrong, and the case."""
    for number in range(cases):
        wrong = next(law(Random(f"{name} {seed} {number}")), None)
        if wrong:
            yield f"{name}, seed {seed}, case {number}: {wrong}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=20_000, help="in total, spread over the laws")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=1, help="how many broken cases of each law to print")
    parser.add_argument("--only", default="", help="laws whose names contain this")
    args = parser.parse_args()
    laws = {name: law for name, law in LAWS.items() if args.only in name}
    each = -(-args.cases // max(len(laws), 1))
    violations = 0
    for name, law in laws.items():
        breaches = list(broken(name, law, each, args.seed))
        violations += len(breaches)
        print(
            f"{each:7d} cases {len(breaches):5d} violations  {name}",
            *breaches[: args.show],
            sep="\n",
            flush=True,
        )
    print(f"{each * len(laws):7d} cases {violations:5d} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
