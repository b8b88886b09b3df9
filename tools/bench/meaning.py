"""What a prompt hook costs when it asks the helper that knows meanings, while that embeds and afterwards."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from bench.corpus import PER_PROJECT, Author, path_of
from bench.hooks import BASE, PROJECT, code_of, settle
from bench.measure import at_work
from bench.person import Person
from bench.plan import Command, Hooks, Rows, ratio, run
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.known.world import Repo, World
from ctxrepo.hooks.recall.ask_helper import ask
from ctxrepo.hooks.recall.ranking import RecallRequest

CEILING = 6.0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench meaning", description=__doc__)
    parser.add_argument("--model", required=True, help="a folder with tokenizer.json and an ONNX file")
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        person = settle(root, options.notes)
        # Ungated: what is written out is measured too, and made-up notes mean nothing.
        person.ctxrepo("config", "set", "recall.gate", "false")
        _measure(person, "words alone", options.rounds)
        person.ctxrepo("config", "set", "recall.model", options.model)
        person.ctxrepo("config", "set", "recall.semantic", "true")
        began = time.monotonic()
        run(person, _commands(person, "first", 1), 1)  # starts the helper
        time.sleep(3)
        assert _is_behind(person), "everything was embedded before the first hook"
        _measure(person, "while it embeds", options.rounds)
        while _is_behind(person):
            assert at_work(str(person.state)), "the helper is gone"
            time.sleep(2)
        print(f"{_texts(person)[1]} texts embedded within {time.monotonic() - began:.0f} s")
        time.sleep(3)
        _measure(person, "warm", options.rounds)
        print(_answered(person, options.rounds))
        person.ctxrepo("config", "set", "recall.semantic", "false")
        person.wait_for_workers()
    finally:
        shutil.rmtree(root)
    return 0


def _measure(person: Person, title: str, rounds: int) -> None:
    _print(title, run(person, _commands(person, title, rounds), rounds))


def _commands(person: Person, title: str, rounds: int) -> list[Command]:
    author = Author()
    prompts = [author.english_prompt(PROJECT * PER_PROJECT + n % PER_PROJECT) for n in range(1, 98)]
    hooks = Hooks(person, Path(sys.executable), rounds)
    return [
        Command(BASE, [sys.executable, "-c", "pass"], str(person.clone)),
        hooks.command(title, "UserPromptSubmit", code_of(person), prompt=prompts),
    ]


def _is_behind(person: Person) -> bool:
    """Whether `status` knows of texts without vectors."""
    done, of = _texts(person)
    return done < of


def _texts(person: Person) -> tuple[int, int]:
    """How many texts have vectors, of how many."""
    line = next(li for li in person.ctxrepo("status").splitlines() if li.startswith("meaning"))
    done, of = (int(word) for word in line.split() if word.isdigit())
    return done, of


def _answered(person: Person, rounds: int) -> str:
    """How many prompts the helper answers in the time it has; the others were words' to answer."""
    (file,) = person.state.glob("*/cache.db")
    cache = open_cache(str(file))
    assert cache is not None
    (project,) = cache.execute(
        "select scope from note where path = ?", (path_of(PROJECT * PER_PROJECT),)
    ).fetchone()
    author, scopes = Author(), ["global", project]
    prompts = [
        author.english_prompt(PROJECT * PER_PROJECT + 1 + n % (PER_PROJECT - 2)) for n in range(rounds)
    ]
    world = World({}, "", Repo("", "", str(file.parent)))
    in_time = [ask(cache, world, RecallRequest(prompt, [], scopes, 4)) for prompt in prompts]
    cache.close()
    return f"the helper answered {sum(1 for ranking, _ in in_time if ranking)} of {rounds} in time"


def _print(title: str, rows: Rows) -> None:
    took = [row[0] for row in rows[title]]
    beside, base = ratio(rows, title, BASE, 0), median(row[0] for row in rows[BASE])
    tail, worst = quantiles(took, n=20)[18] / base, max(took) / base
    over = " **over**" if beside > CEILING else ""
    spoke = sum(1 for row in rows[title] if row[3])
    print(f"| {title} | {beside:.2f}{over} | {tail:.2f} | {worst:.2f} | {spoke} of {len(took)} |", flush=True)
