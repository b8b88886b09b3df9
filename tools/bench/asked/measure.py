"""The measure: which place the right session takes, whether the decision is shown, and how long it takes."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from machines import make_machine

from bench.asked.corpus import grow
from bench.asked.topics import Topic, read_topics
from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.services.sessions.session_search import SessionHit, SessionQuery, search_sessions
from ctxrepo.storage.memory import Memory

FIRST = 5
"""Places in which the right session counts as found."""

_SETS = ("tuned", "held-out")


@dataclass(frozen=True)
class Answer:
    """The place of the right session from 1 on, 0 for none; whether the decision is shown with it there."""

    topic: Topic
    place: int
    is_shown: bool
    milliseconds: float

    @property
    def is_found(self) -> bool:
        return 0 < self.place <= FIRST


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench asked", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--misses", action="store_true", help="name the questions that go wrong")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="make the corpus here, or use what is there"
    )
    options = parser.parse_args(words)
    root = options.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        _measure(root, options.megabytes * 1_000_000, options.seed, options.misses)
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    return 0


def _measure(root: Path, size: int, seed: int, names_misses: bool) -> None:
    sets = {name: [*read_topics(Path(__file__).parent / f"{name}.topics")] for name in _SETS}
    machine = make_machine(root, "ada")
    topics = [topic for each in sets.values() for topic in each]
    right = grow(machine.home, topics, size, seed)
    machine.init()
    memory = machine.open()
    assert update_index(memory, 600).is_complete
    print("| asked | questions | n | in the first five | first | decision shown | ms, median | most |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for form in ("as typed", "by keywords"):
        for name, each in ((name, each) for name, each in sets.items() if each):
            answers = [
                ask(memory, topic, right[topic.name], by_keywords=form != "as typed") for topic in each
            ]
            print(f"| {form} | {name} | {_row(answers)} |", flush=True)
            for answer in answers:
                if names_misses and not (answer.place == 1 and answer.is_shown):
                    shown = "" if answer.is_shown else ", decision not shown"
                    print(f"    {answer.topic.name}: place {answer.place}{shown}")


def ask(memory: Memory, topic: Topic, session: str, *, by_keywords: bool) -> Answer:
    """How a topic's question is answered, whose right answer is in this session."""
    text, hits = topic.keywords if by_keywords else topic.question, list[SessionHit]()
    began = time.perf_counter()
    with suppress(NotFound):
        hits = [*search_sessions(memory, SessionQuery(text)).hits]
    took = 1000 * (time.perf_counter() - began)
    place = next((number for number, hit in enumerate(hits, 1) if hit.session == session), 0)
    shown = _shown(hits[place - 1]) if 0 < place <= FIRST else ""
    return Answer(topic, place, " ".join(topic.decision.split()) in shown, took)


def _shown(hit: SessionHit) -> str:
    return "\n".join(" ".join(message.text.split()) for message in (*hit.before, hit.message, *hit.after))


def _row(answers: Sequence[Answer]) -> str:
    count = len(answers)
    shares = (
        sum(answer.is_found for answer in answers),
        sum(answer.place == 1 for answer in answers),
        sum(answer.is_shown for answer in answers),
    )
    times = [answer.milliseconds for answer in answers]
    cells = [str(count), *(f"{100 * share / count:.0f} %" for share in shares)]
    return " | ".join([*cells, f"{median(times):.0f}", f"{max(times):.0f}"])
