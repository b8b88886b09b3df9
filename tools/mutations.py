"""Do the tests notice when the package is wrong? Random small mutations, each tried against the tests.

    python tools/mutations.py choose --seed 1 --count 80 > mutations.jsonl
    python tools/mutations.py try mutations.jsonl --tests . [--long] > verdicts.jsonl

`choose` prints mutations of the package of this checkout, one JSON object a line. `try` runs them one after
the other, each in a copy of a checkout, with the tests of the one at `--tests`, which may be another
commit's. It prints each with `noticed`: the test that failed first, or null. The tests of the same folder
run first, then those of the rooms around it, and at last all others, so that most are noticed within
seconds.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
CONNECTIVES: dict[type[ast.boolop], type[ast.boolop]] = {ast.And: ast.Or, ast.Or: ast.And}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
"""What each becomes; other operators stay."""

SECONDS = 1800
"""What the tests of one mutation may take: one that makes them hang is noticed, too."""


@dataclass(frozen=True)
class Mutation:
    """What stands in `file` between two places (lines from 1, columns in bytes from 0) becomes `after`."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    before: str
    after: str

    def apply(self, root: Path) -> None:
        """Write the mutation into the checkout at `root`."""
        path = root / self.file
        lines = path.read_bytes().split(b"\n")
        first, last = lines[self.line - 1], lines[self.end_line - 1]
        mutated = first[: self.column] + self.after.encode() + last[self.end_column :]
        lines[self.line - 1 : self.end_line] = [mutated]
        path.write_bytes(b"\n".join(lines))


def choose(root: Path, seed: int, count: int) -> list[Mutation]:
    """So many mutations of the package, each line of code as likely as another."""
    candidates = [
        mutation for file in sorted((root / "ctxrepo").rglob("*.py")) for mutation in mutations(root, file)
    ]
    return random.Random(seed).sample(candidates, count)


def mutations(root: Path, file: Path) -> Iterator[Mutation]:
    """Every mutation of one module that changes what a function does."""
    tree = ast.parse(file.read_text())
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if not isinstance(node, ast.expr | ast.stmt):
                    continue
                mutated, end_line, end_column = _mutated(node), node.end_lineno, node.end_col_offset
                if mutated is not None and not _is_annotation(node, function):
                    assert end_line is not None  # as in all that is parsed
                    assert end_column is not None
                    place = (node.lineno, node.col_offset, end_line, end_column)
                    yield Mutation(str(file.relative_to(root)), *place, ast.unparse(node), mutated)


def _mutated(node: ast.expr | ast.stmt) -> str | None:
    """The node's text with one thing the other way round; None for what isn't mutated."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        opposite = COMPARISONS[type(node.ops[0])]()
        return f"({ast.unparse(ast.Compare(node.left, [opposite], node.comparators))})"
    if isinstance(node, ast.BoolOp):
        return f"({ast.unparse(ast.BoolOp(CONNECTIVES[type(node.op)](), node.values))})"
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return f"({ast.unparse(ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right))})"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"bool({ast.unparse(node.operand)})"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return str(not node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return str(node.value + 1)
    if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        return "return None"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return "pass"
    if isinstance(node, ast.IfExp):
        return f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
    return None


def _is_annotation(node: ast.AST, function: ast.FunctionDef) -> bool:
    signature = [
        function.returns,
        *(arg.annotation for arg in ast.walk(function) if isinstance(arg, ast.arg)),
    ]
    return any(node is part for root in signature if root for part in ast.walk(root))


def attempt(mutation: Mutation, tests: Path, *, is_long: bool) -> str | None:
    """The first test that fails with the mutation; None where none does."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(
            tests, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
        )
        shutil.rmtree(copy / "ctxrepo")
        shutil.copytree(CHECKOUT / "ctxrepo", copy / "ctxrepo", ignore=shutil.ignore_patterns("__pycache__"))
        mutation.apply(copy)
        _make_environment(copy)
        for stage in _stages(copy, mutation):
            if failure := _first_failure(copy, stage, is_long=is_long):
                return failure
    return None


def _make_environment(copy: Path) -> None:
    """An environment of the copy's own, with the libraries of ours: many tests start commands with `-I` or
    without PYTHONPATH, which would run the package that our environment names."""
    environment = copy / ".venv"
    venv.create(environment, symlinks=True)
    libraries = Path(sysconfig.get_path("purelib"))
    own = environment / libraries.relative_to(sys.prefix)
    (own / "copy.pth").write_text(f"{copy}\n{libraries}\n")
    script = Path(sys.executable).with_name("ctxrepo").read_text().split("\n", 1)[1]
    (environment / "bin/ctxrepo").write_text(f"#!{environment}/bin/python\n{script}")
    (environment / "bin/ctxrepo").chmod(0o755)


def _stages(root: Path, mutation: Mutation) -> Iterator[list[str]]:
    """Folders of tests, the likeliest first; nothing is run twice."""
    parts = Path(mutation.file).parent.parts[1:]
    ran: list[str] = []
    for depth in range(len(parts), 0, -1):
        folder = "/".join(("tests", *parts[:depth]))
        if (root / folder).is_dir():
            yield [folder, *(f"--ignore={done}" for done in ran)]
            ran.append(folder)
    yield ["tests", *(f"--ignore={done}" for done in ran)]


def _first_failure(root: Path, stage: list[str], *, is_long: bool) -> str | None:
    words = [
        str(root / ".venv/bin/python"),
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-p",
        "no:cacheprovider",
    ]
    words += [*stage, *(["-m", ""] if is_long else [])]
    try:
        run = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "(no end)"
    if run.returncode in (0, 5):  # 5: there was no test
        return None
    failures = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failures[0] if failures else run.stdout[-300:]


def main() -> None:
    parser = argparse.ArgumentParser(description="Do the tests notice when the package is wrong?")
    verbs = parser.add_subparsers(dest="verb", required=True)
    chooser = verbs.add_parser("choose", help="print random mutations of the package")
    chooser.add_argument("--seed", type=int, default=1)
    chooser.add_argument("--count", type=int, default=80)
    runner = verbs.add_parser("try", help="run the tests with each mutation")
    runner.add_argument("file", type=Path)
    runner.add_argument("--tests", type=Path, default=CHECKOUT, help="the checkout whose tests are run")
    runner.add_argument("--long", action="store_true", help="run the long cases, too")
    arguments = parser.parse_args()
    if arguments.verb == "choose":
        for mutation in choose(CHECKOUT, arguments.seed, arguments.count):
            print(json.dumps(asdict(mutation)))
        return
    for line in arguments.file.read_text().splitlines():
        mutation = Mutation(**json.loads(line))
        noticed = attempt(mutation, arguments.tests.resolve(), is_long=arguments.long)
        print(json.dumps({**asdict(mutation), "noticed": noticed}), flush=True)


if __name__ == "__main__":
    main()
