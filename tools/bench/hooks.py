"""What every hook costs beside a bare start of its interpreter, `git status`, ripgrep and qmd."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.corpus import PER_PROJECT, Author, make_remote, path_of, project_url
from bench.desk import lay_out
from bench.person import Person
from bench.plan import Command, Hooks, Rows, ratio, run

BASE = "python -c pass"
PROJECT = 3
"""Whose code the sessions are in."""

KEYWORD = "migration"
"""Asks for an anchor where a prompt has it; nearly none has."""

RULES = (
    ("nobody deploys by hand", "block command touch deployed"),
    ("a push waits for tests", "verify command git push needs make test"),
    ("sources are linted", "verify file src/* needs make lint"),
)
"""What agents are held to, each beside an entry; the first refuses the recorded call."""

MEMORY = 30
"""MB a hook may take at its peak."""

_QMD_MOST = 10_000
"""qmd reads ten thousand notes in a quarter of a minute, and has no time here for more."""

_HEAD = """
| notes | hook | ceiling | wall | CPU | peak MB | not waiting |
|---:|---|---:|---:|---:|---:|---:|"""


@dataclass(frozen=True)
class Row:
    """A hook to measure, its ceiling as a multiple of a bare start, and whether it has something to say."""

    command: Command
    ceiling: float
    speaks: bool = False


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench hooks", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="what runs the hooks")
    parser.add_argument("--qmd", type=Path, help="a folder in which npm has installed bun and @tobilu/qmd")
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        print(_HEAD)
        for size in options.sizes:
            person = settle(root / str(size), size)
            _table(person, size, options.rounds, options.python, options.qmd)
    finally:
        shutil.rmtree(root)
    return 0


def settle(root: Path, size: int, *how: str) -> Person:
    """Somebody with a memory of so many notes, all of them in the cache, and the code of one project."""
    root.mkdir(parents=True, exist_ok=True)
    remote = root / "remote.git"
    person = Person(root / "-".join(("home", *how)).replace("--", ""), remote)
    if not remote.exists():
        make_remote(remote, size)
    code = code_of(person)
    code.mkdir(parents=True)
    person.run("git", "init", "-q", cwd=code)
    person.run("git", "remote", "add", "origin", project_url(PROJECT * PER_PROJECT), cwd=code)
    person.ctxrepo("init", *how, remote.as_uri())
    # No fetch falls due meanwhile, which a session start would wait for.
    person.ctxrepo("config", "set", "sync.ttl", "86400")
    person.ctxrepo("config", "set", "tape.keywords", f"{KEYWORD},refactor,release")
    person.wait_for_workers()
    person.ctxrepo("sync", cwd=code)
    person.ctxrepo("project", "show", cwd=code)
    person.wait_for_workers()
    lay_out(person, code, path_of(PROJECT * PER_PROJECT + 1).partition("/")[0])
    faults = json.loads(person.ctxrepo("status", "--json", cwd=code))["data"]["faults"]
    assert not faults, f"each new session would be told of {faults}"
    return person


def code_of(person: Person) -> Path:
    return person.home / "code"


def rows_of(person: Person, size: int, hooks: Hooks) -> list[Row]:
    """Every moment that has a ceiling; those that wake the worker come last."""
    code, author = code_of(person), Author()
    prompts = [author.prompt(PROJECT * PER_PROJECT + n % PER_PROJECT) for n in range(1, 98)]
    asking = [f"{KEYWORD}: {prompt}"[:300] for prompt in prompts]
    unknown = ["qqqxzv wwwxkj: zzzqx pppkvq yyyqxw?"]
    note = [str(person.clone / path_of(PROJECT * PER_PROJECT + 1))]
    elsewhere, named = [str(code / "main.py")], [str(code / "src/pay/retry_client.py")]
    person.ctxrepo("remember", "`src/pay/retry_client.py` must not be retried twice", cwd=code)
    for text, rule in RULES:
        entry = json.loads(person.ctxrepo("remember", text, "--json", cwd=code))["data"]["id"]
        person.ctxrepo("enforce", entry, rule, cwd=code)
    person.wait_for_workers()
    most = 2.8 if size > 10_000 else 2.2
    command = hooks.command
    return [
        Row(command("tool, path elsewhere", "PostToolUse-edit", code, file=elsewhere), 1.5),
        Row(command("the same through sh", "PostToolUse-edit", code, shell=True, file=elsewhere), 1.5),
        Row(
            command("tool, a file that memory names", "PostToolUse-edit", code, file=named), 1.8, speaks=True
        ),
        Row(command("before a tool", "PreToolUse", code), 1.8),
        Row(command("before a tool, refused", "PreToolUse-bash", code), 1.8, speaks=True),
        Row(command("prompt", "UserPromptSubmit", code, prompt=prompts), most, speaks=True),
        Row(command("prompt through sh", "UserPromptSubmit", code, shell=True, prompt=prompts), most, True),
        Row(command("prompt outside any project", "UserPromptSubmit", person.home, prompt=prompts), most),
        Row(command("prompt that recalls nothing", "UserPromptSubmit", code, prompt=unknown), most),
        Row(command("prompt with a keyword", "UserPromptSubmit", code, prompt=asking), most, speaks=True),
        Row(command("prompt passed over", "UserPromptSubmit", code, prompt=["ok, thanks!"]), most),
        Row(start(hooks, code), 2.4 if size < 10_000 else 4.0, speaks=True),
        Row(command("a command that failed", "PostToolUseFailure", code), 1.8),
        Row(command("the same, known to memory", "PostToolUseFailure", code, error=prompts), most, True),
        Row(command("tool, inside the memory", "PostToolUse-edit", code, wakes=True, file=note), 1.8),
        Row(command("turn end", "Stop", code, wakes=True), 2.0),
        Row(command("session end", "SessionEnd", code, wakes=True), 2.0),
    ]


def start(hooks: Hooks, code: Path) -> Command:
    return hooks.command("session start, warm", "SessionStart", code, wakes=True)


def peers(person: Person, interpreter: Path, size: int, qmd: Path | None) -> list[Command]:
    """Others, in the memory; to search they are given two words that few notes hold."""
    here, words = str(person.clone), Author().topic(PROJECT * PER_PROJECT)[:2]
    commands = [
        Command(BASE, [str(interpreter), "-c", "pass"], here),
        Command("git status", ["git", "status", "--porcelain"], here),
    ]
    if shutil.which("rg"):
        commands.append(
            Command("ripgrep, two words", ["rg", "-l", "-e", words[0], "-e", words[1], "."], here)
        )
    if qmd and size <= _QMD_MOST:
        modules = qmd.resolve() / "node_modules"
        start = [str(modules / ".bin/bun"), str(modules / "@tobilu/qmd/dist/cli/qmd.js")]
        person.run(*start, "collection", "add", ".", "--name", "memory", cwd=person.clone)
        commands.append(Command("qmd search, two words", [*start, "search", " ".join(words)], here))
    return commands


def _table(person: Person, size: int, rounds: int, interpreter: Path, qmd: Path | None) -> None:
    rows = rows_of(person, size, Hooks(person, interpreter, rounds))
    others = peers(person, interpreter, size, qmd)
    alone = run(person, [*others, *[row.command for row in rows]], rounds)
    waking = [row for row in rows if row.command.wakes]
    beside = run(person, [others[0], *[row.command for row in waking]], rounds, waits=False)
    person.wait_for_workers()
    for row in rows:
        _print(size, row, alone, beside)
    if size > 10_000:
        sparse = settle(person.home.parent, size, "--sparse")
        last = Row(start(Hooks(sparse, interpreter, rounds), code_of(sparse)), 3.0, speaks=True)
        sparse_rows = run(sparse, [others[0], last.command], rounds)
        _print(size, last, sparse_rows, {}, "session start, warm, sparse clone")
    for other in others:
        _print_peer(size, other.name, alone)
    for missing in {"ripgrep", "qmd"} - {other.name.partition(" ")[0].rstrip(",") for other in others}:
        print(f"| {size} | *{missing}* | | not here | | | |")


def _print(size: int, row: Row, rows: Rows, beside: Rows, title: str = "") -> None:
    name = row.command.name
    spoken = sum(1 for took in rows[name] if took[3])
    assert not row.speaks or spoken > len(rows[name]) / 2, (
        f"{name}: silent in {len(rows[name]) - spoken} rounds"
    )
    wall, cpu = (ratio(rows, name, BASE, column) for column in (0, 1))
    peak = max(took[2] for took in rows[name]) / 1024
    busy = f"{ratio(beside, name, BASE, 0):.2f}" if name in beside else ""
    over = " **over**" if wall > row.ceiling or peak > MEMORY else ""
    print(
        f"| {size} | {title or name} | {row.ceiling} | {wall:.2f}{over} | {cpu:.2f} | {peak:.0f} | {busy} |",
        flush=True,
    )


def _print_peer(size: int, name: str, rows: Rows) -> None:
    wall, cpu = (ratio(rows, name, BASE, column) for column in (0, 1))
    peak = max(took[2] for took in rows[name]) / 1024
    took = median(row[0] for row in rows[name]) * 1000
    print(f"| {size} | *{name}* ({took:.1f} ms) | | {wall:.2f} | {cpu:.2f} | {peak:.0f} | |", flush=True)
