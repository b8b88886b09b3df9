"""`python -m torture WHAT` with tests/ on the path: runs one torture and prints what it found."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from torture.assail import assail
from torture.commands import kill_commands
from torture.cuts import cut_power, why_no_cut
from torture.drown import drown
from torture.editors import Appending, append, edit_over_each_other, one_edits_alone
from torture.failing import fail_each
from torture.fleet import Verdict
from torture.floods import floods
from torture.hostile import cases
from torture.interleave import interleave
from torture.promises import LIMITS
from torture.setcheck import Plan, set_check
from torture.versions import flows, let_flow, why_no


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    faults = 0
    for seed in range(options.seed, options.seed + options.seeds):
        root = Path(tempfile.mkdtemp(prefix="ctxrepo-torture-"))
        began = time.monotonic()
        faults_here = list(_run(options, root, seed, began))
        print("\n".join(faults_here) or "  nothing lost, one tree, nobody wedged, no marker", flush=True)
        if faults_here:
            print(f"  left for you to look at: {root}")
        else:
            shutil.rmtree(root, ignore_errors=True)  # a worker may still be at it
        faults += len(faults_here)
    return bool(faults)


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    kinds = parser.add_subparsers(dest="what", required=True)
    ways = {
        "set": {"clones": 5, "writers": 8, "entries": 1000, "kills": 300, "commands": 150},
        "append": {"clones": 5, "appenders": 8, "entries": 200},
        "edit": {"editors": 2, "entries": 100},
        "alone": {"entries": 100},
        "commands": {"kills": 200},
        "hostile": {},
        "flood": {},
        "disk": {"step": 1},
        "cuts": {"cuts": 10},
        "interleave": {"cases": 2000, "jobs": 2},
        "versions": {"versions": 5000, "hold": 60},
    }
    for name, numbers in ways.items():
        kind = kinds.add_parser(name)
        for option, default in {**numbers, "seed": 1, "seeds": 1}.items():
            kind.add_argument(f"--{option}", type=int, default=default)
    flood = kinds.choices["flood"]
    flood.add_argument("--only", default="", help="of those whose name has this in it")
    flood.add_argument("--brief", action="store_true", help="a few commands at each")
    return parser.parse_args(argv)


def _run(options: argparse.Namespace, root: Path, seed: int, began: float) -> Iterator[str]:
    """Run once and print the figures; gives what is wrong, a line each."""
    match options.what:
        case "set":
            numbers = (options.clones, options.writers, options.entries, options.kills, options.commands)
            verdict, kills = set_check(root, Plan(*numbers, seed))
            _show(seed, began, kills, verdict)
            yield from verdict.faults
        case "append":
            verdict = append(root, Appending(options.clones, options.appenders, options.entries, seed))
            _show(seed, began, {}, verdict)
            yield from verdict.faults
        case "edit":
            verdict, unheard_of = edit_over_each_other(root, options.editors, options.entries, seed)
            _show(seed, began, {}, verdict)
            yield from verdict.faults
            yield from (f"no history knows of {token}" for token in sorted(unheard_of))
        case "alone":
            verdict = one_edits_alone(root, options.entries, seed)
            _show(seed, began, {}, verdict)
            yield from verdict.faults
        case "hostile":
            for number, case in enumerate(cases()):
                (root / str(number)).mkdir()
                assault = assail(root / str(number), case)
                took, what = assault.slowest
                print(f"{case.name}: {len(assault.faults)} faults, {took:.1f} s at most ({what})", flush=True)
                yield from assault.faults
        case "flood":
            print("| what | seconds | MB | said |\n|---|---|---|---|", flush=True)
            for number, case in enumerate(floods()):
                if options.only in case.name:
                    (place := root / str(number)).mkdir()
                    met = drown(place, case, briefly=options.brief)
                    (took, slow), (size, large) = met.slowest, met.largest
                    print(
                        f"| {case.name} | {took:.1f} ({slow}) | {size} ({large}) | {met.answer} |", flush=True
                    )
                    yield from (f"{case.name}: {fault}" for fault in met.faults)
                    shutil.rmtree(place)
        case "disk":
            for command, sticky in product(("remember", "sync"), (0, 1)):
                (place := root / f"{command}-{sticky}").mkdir()
                failed = fail_each(place, command, options.step * (1 + 9 * sticky), sticky=bool(sticky))
                print(f"{command}: {failed.tried} of {failed.calls} calls failed{' for good' * sticky}")
                yield from failed.faults
        case "cuts":
            if why_no_cut():
                print(f"no power was cut: {why_no_cut()}")
                return
            cut = cut_power(root, options.cuts, seed)
            print(f"seed {seed}: {cut.cuts} cuts, {cut.checked} entries looked for")
            yield from cut.faults
        case "interleave":
            totals = interleave(root, options.cases, seed, options.jobs)
            print(f"seed {seed}: {totals.cases} cases, {totals.seconds:.0f} s, {len(totals.faults)} faults")
            for kind, count in sorted(totals.limits.items()):
                print(f"  {count} cases lost what was {LIMITS[kind]}")
            yield from totals.faults
        case "versions":
            for number, flow in enumerate(flows(options.versions, options.hold)):
                if why := why_no(flow):
                    print(f"{flow.name}: not tried: {why}")
                    continue
                (place := root / str(number)).mkdir()
                outcome = let_flow(place, flow, seed)
                print(
                    f"{flow.name}: {options.versions} versions, {outcome.kept} in the history, "
                    f"{outcome.told} of which the session was told, {len(outcome.lost)} lost; "
                    f"hooks {outcome.hooks:.0f} s, sync {outcome.sync:.1f} s",
                    flush=True,
                )
                yield from (f"{flow.name}: lost {token}" for token in outcome.lost)
        case "commands":
            report = kill_commands(root, options.kills, seed)
            print(f"seed {seed}: {_tally(report.kills)} in {time.monotonic() - began:.0f} s")
            print(f"  {report.verdict.acknowledged} writes acknowledged; runs {_tally(report.runs)}")
            yield from report.faults


def _show(seed: int, began: float, kills: Mapping[str, int], verdict: Verdict) -> None:
    print(
        f"seed {seed}: {verdict.acknowledged} acknowledged, {len(verdict.lost)} lost, "
        f"{verdict.unacknowledged} unacknowledged, {verdict.trees} tree, {len(verdict.wedged)} wedged, "
        f"{verdict.aside} aside, {verdict.rounds} rounds, {time.monotonic() - began:.0f} s, "
        f"{_tally(kills)}",
        flush=True,
    )


def _tally(kills: Mapping[str, int]) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kills.items()))
    return f"{sum(kills.values())} kills ({counts})" if kills else "0 kills"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
