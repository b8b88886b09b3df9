"""The protocol's own suite through a bridge, and its Inspector in strict mode, in both eras."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from mcp_checks.bridge import Bridge
from mcp_checks.hosts import COMMAND, make_machine

_ALWAYS = "wire-schema-valid"
"""The check that each message is as the specification has it, which may fail nowhere."""

_STAMP = re.compile(r"-\d{4}-\d\d-\d\dT.*")
"""What follows the name of a scenario in that of the folder with what came of it."""

REVISIONS = ("2025-11-25", "2026-07-28")
ERAS = ("legacy", "modern", "auto")


def run(root: Path, npm: Path) -> bool:
    """Whether the Inspector finds nothing, and the suite fails only where expected_failures.tsv says so."""
    programs = npm / "node_modules" / ".bin"
    if not (programs / "conformance").exists():
        print(f"NOT RUN: {npm} has no conformance suite; `make mcp-checks` brings it from npm")
        return False
    machine = make_machine(root)
    machine.process("remember", "Run make db before the tests")
    inspected = [_inspected(era, programs, machine.env, machine.project_folder) for era in ERAS]
    is_well = all(inspected)
    with Bridge(COMMAND, machine.env, machine.project_folder) as bridge:
        for revision in REVISIONS:
            out = root / revision
            words = ["conformance", "server", "--url", bridge.url, "--requirements", revision, "-o", str(out)]
            subprocess.run(_node(programs, *words), capture_output=True, check=False)
            is_well &= _print_outcome(revision, out)
    return is_well


def _node(programs: Path, name: str, *words: str) -> list[str]:
    return [str(programs / "node"), str(programs / name), *words]


def _inspected(era: str, programs: Path, environment: dict[str, str], folder: Path) -> bool:
    """Run the Inspector's strict look at the tools, and a call of one."""
    looks = (
        ["tools/list", "--strict"],
        ["tools/call", "--tool-name", "recall", "--tool-arg", "text=tests"],
        ["resources/read", "--uri", "ctxrepo://index"],
    )
    ended = []
    for look in looks:
        words = ["mcp-inspector", "--cli", "--protocol-era", era, "--method", *look, "--", *COMMAND]
        run = subprocess.run(
            _node(programs, *words), cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        ended.append(run.returncode)
    print(
        f"Inspector, {era}: {', '.join(f'{look[0]} {code}' for look, code in zip(looks, ended, strict=True))}"
    )
    return not any(ended)


def _print_outcome(revision: str, out: Path) -> bool:
    """Print what passed and what failed of a revision; whether all that failed was expected."""
    lines = Path(__file__).with_name("expected_failures.tsv").read_text().splitlines()
    expected = [tuple(line.split("\t")) for line in lines if line]
    statuses: dict[str, int] = {}
    by_reason: dict[str, int] = {}
    surprises = []
    for scenario, check in _checks(out):
        statuses[check["status"]] = statuses.get(check["status"], 0) + 1
        if check["status"] not in ("FAILURE", "WARNING"):
            continue
        names = (scenario, check["id"])
        reason = next((why for pattern, why in expected if any(fnmatch(n, pattern) for n in names)), "")
        if check["id"] == _ALWAYS:
            reason = ""
        if reason:
            by_reason[reason] = by_reason.get(reason, 0) + 1
        else:
            surprises.append(f"{scenario} {check['id']}: {str(check.get('errorMessage'))[:200]}")
    print(f"\nConformance {revision}: " + ", ".join(f"{n} {name.lower()}" for name, n in statuses.items()))
    for reason, number in sorted(by_reason.items(), key=lambda pair: -pair[1]):
        print(f"- {number} fail: {reason}")
    for surprise in surprises:
        print(f"- UNEXPECTED {surprise}")
    return bool(statuses) and not surprises


def _checks(out: Path) -> Iterator[tuple[str, dict[str, str]]]:
    for file in sorted(out.glob("*/checks.json")):
        scenario = _STAMP.sub("", file.parent.name.removeprefix("server-"))
        yield from ((scenario, check) for check in json.loads(file.read_text()))
