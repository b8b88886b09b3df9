"""`python -m live.pi_md --sources FOLDER`, with tests/ on the path: pi-memory-md and ctxrepo on one memory.

Sessions of the real pi with pi-memory-md's own code and sessions with ours take turns, on one clone or on two
with one remote. After each of them nothing that was said is lost, heads of notes are as they were, both
programs list the same notes and find the same anchors, and git is well. FOLDER holds the sources of
pi-memory-md 0.1.36, which npm doesn't have. It ends with 1 when anything isn't so.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from live import alone, install, pi, pi_md_package, pi_md_turns
from live.model import Model

CLONES = {"one": 1, "two": 2}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m live.pi_md", description=__doc__)
    parser.add_argument(
        "--sources", type=Path, required=True, help="a folder with the sources of pi-memory-md"
    )
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument(
        "--seed", type=int, nargs="+", default=[1], help="one or more; an odd one lets it begin"
    )
    parser.add_argument("--clones", choices=CLONES, nargs="+", default=["one"])
    parser.add_argument("--keep", type=Path, help="leave everything in this folder, to look at")
    options = parser.parse_args()
    installed = install.install(pi.NAME, pi.PACKAGE, install.root())
    package = pi_md_package.bring(options.sources, install.root())
    alone.go_inside(["-m", "live.pi_md", *sys.argv[1:]])
    root = options.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-live-"))
    count = 0
    for clones in options.clones:
        for seed in options.seed:
            place = root / f"{clones}-{seed}"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            print(
                f"\n{options.turns} turns, seed {seed}, {clones} clone{'s' * (clones == 'two')}", flush=True
            )
            with Model(pi.API, place / "requests.jsonl") as model:
                turns = pi_md_turns.build(place, CLONES[clones], seed, model, installed, package)
                count += len(_play(turns, options.turns))
    if not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    print(f"\nlive: {count} faults in all")
    return 1 if count else 0


def _play(turns: pi_md_turns.Turns, number: int) -> list[str]:
    try:
        for turn in range(1, number + 1):
            print(turns.play(turn), flush=True)
        turns.end()
    finally:
        for here in turns.stages:
            here.end_all()
    what = f"{len(turns.said)} things said, {len(turns.anchors)} anchors left"
    print(f"{len(turns.faults)} FAULTS; {what}, {len(turns.deleted)} deleted", flush=True)
    for fault in turns.faults:
        print(f"  {fault}", flush=True)
    return turns.faults


if __name__ == "__main__":
    sys.exit(main())
