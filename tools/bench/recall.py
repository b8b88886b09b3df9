"""How much of what helps with a prompt each method finds, and how often it speaks when it should be silent.

Every method is given the same memories and the same prompts as they were typed. A model would be given its
first places up to 2,500 or 8,000 characters: `ev` is the share of the evidence in them. A method that isn't
installed has a row that says so, with the command that installs it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from checkout import RECALL_DATA
from recall.measures import measured, piece

from bench.lead import lead
from bench.peers import fts, grep, orama, ours, qmd
from bench.peers.base import Memory, NotHereError, Peer, Prompt, Tools
from bench.peers.ours import OURS

DATA = RECALL_DATA

_SILENCE = "null"
"""Categories that begin so deserve silence."""

_NOT_COUNTED = "adversarial"
"""A category whose prompts ask for what only seems to be there: not among the means."""

_ORDER = (
    *("direct", "partial", "para", "long", "multi", "temporal", "lang", "global", "followup"),
    *("null-near", "null-generic"),
)
"""Columns of the second table; categories of other data come after these."""

_FIGURES = {"ev@2500": "evidence@2500", "ev@8000": "evidence@8000", "hit@5": "hit@5", "MRR": "mrr"}
"""Columns, and what the measures call them."""


@dataclass(frozen=True)
class Row:
    """What one method made of one prompt."""

    memory: str
    category: str
    figures: Mapping[str, float]
    """Empty where silence is deserved."""
    spoke: bool
    ms: float

    @property
    def is_null(self) -> bool:
        return self.category.startswith(_SILENCE)


def all_peers() -> list[Peer]:
    return [*grep.peers(), *fts.peers(), *qmd.peers(), *orama.peers(), *ours.peers()]


def main(words: list[str]) -> int:
    own = sorted(folder for folder in DATA.iterdir() if folder.is_dir())
    parser = argparse.ArgumentParser(prog="python -m bench recall", description=__doc__)
    parser.add_argument(
        "--data", type=Path, nargs="+", default=own, help="memory/, queries.jsonl, qrels.jsonl"
    )
    parser.add_argument("--npm", type=Path, help="a folder in which npm has installed bun, qmd and Orama")
    parser.add_argument("--model", type=Path, help="a folder with an embedding model, for the hybrid rows")
    parser.add_argument("--only", nargs="+", default=[""], help="methods whose names begin so")
    options = parser.parse_args(words)
    memories = [Memory.read(folder) for folder in options.data]
    chosen = [peer for peer in all_peers() if peer.name.startswith(tuple(options.only))]
    for line in tables(chosen, Tools(options.npm, options.model), memories):
        print(line, flush=True)
    return 0


def tables(peers: Sequence[Peer], tools: Tools, memories: Sequence[Memory]) -> Iterator[str]:
    """Tables for the docs: what each method reaches, for which prompts, and in which memory."""
    yield _head("method", "how it was run", "unit", *_FIGURES, "false", "ms")
    methods: dict[str, list[Row]] = {}
    for peer in peers:
        name = f"{peer.name} | {peer.unit}"
        try:
            program = peer.program(tools)
        except NotHereError as missing:
            yield _cells(f"*{peer.name}*", f"not here: `{missing}`", peer.unit, *[""] * (len(_FIGURES) + 2))
            continue
        rows = methods[name] = [row for memory in memories for row in answers(peer, tools, memory)]
        yield _cells(peer.name, program, peer.unit, *_totals(rows))
    prompts = [prompt for memory in memories for prompt in memory.prompts]
    yield from ("", *_by_category(methods, prompts))
    if len(memories) > 1:
        yield from ("", *_by_memory(methods, [memory.name for memory in memories]))
    yield from _lead(methods)


def answers(peer: Peer, tools: Tools, memory: Memory) -> Iterator[Row]:
    texts = {path: text.split("\n") for path, text in memory.notes.items()}
    for prompt, (places, ms) in zip(memory.prompts, peer.ask(tools, memory), strict=True):
        pieces = [piece(place) for place in places]
        for part in pieces:
            assert part.path in texts, f"{peer.name}: {part.path} is no note of {memory.folder}"
        figures = measured(pieces, prompt.relevant, texts) if prompt.relevant else {}
        yield Row(memory.name, prompt.category, figures, bool(pieces), ms)


def _totals(rows: Sequence[Row]) -> list[str]:
    counted = _counted(rows)
    figures = [_mean(counted, _figure(key)) for key in _FIGURES.values()]
    return [*figures, _mean([row for row in rows if row.is_null], _spoke), f"{_average(rows, _ms):.1f}"]


def _counted(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if not row.is_null and row.category != _NOT_COUNTED]


def _by_memory(methods: Mapping[str, Sequence[Row]], names: Sequence[str]) -> Iterator[str]:
    """ev@2500 in each memory: what holds in one only was fitted to it, or happens to suit it."""
    yield _head("method", "unit", *names)
    for name, rows in methods.items():
        counted = _counted(rows)
        cells = [_mean([row for row in counted if row.memory == n], _figure("evidence@2500")) for n in names]
        yield _cells(*name.split(" | "), *cells)


def _lead(methods: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """One sentence for each row of ctxrepo: how far it is from the best of the others."""
    figures = {
        name: [row.figures["evidence@2500"] for row in _counted(rows)] for name, rows in methods.items()
    }
    others = [name for name in figures if not name.startswith(OURS)]
    if not others:
        return
    best = max(others, key=lambda name: sum(figures[name]))
    yield ""
    for name in figures:
        if name.startswith(OURS):
            ahead, low, high = lead(figures[name], figures[best])
            by = f"{ahead:+.3f}, 95 % of bootstrap samples over prompts in {low:+.3f} to {high:+.3f}"
            yield f"- {name.replace(' | ', ' by ')} beside {best.replace(' | ', ' by ')}: ev@2500 {by}"


def _by_category(methods: Mapping[str, Sequence[Row]], prompts: Sequence[Prompt]) -> Iterator[str]:
    """ev@2500 where there is something to find, the false-injection rate where there is nothing."""
    met = dict.fromkeys(prompt.category for prompt in prompts)
    categories = [c for c in _ORDER if c in met] + [c for c in met if c not in _ORDER]
    answerable = [c for c in categories if not c.startswith(_SILENCE)]
    null = [c for c in categories if c.startswith(_SILENCE)]
    yield _head("method", "unit", *answerable, *null)
    for name, rows in methods.items():
        cells = [_mean([r for r in rows if r.category == c], _figure("evidence@2500")) for c in answerable]
        cells += [_mean([r for r in rows if r.category == c], _spoke) for c in null]
        yield _cells(*name.split(" | "), *cells)


def _figure(key: str) -> Callable[[Row], float]:
    return lambda row: row.figures[key]


def _spoke(row: Row) -> float:
    return float(row.spoke)


def _ms(row: Row) -> float:
    return row.ms


def _mean(rows: Sequence[Row], figure: Callable[[Row], float]) -> str:
    return f"{_average(rows, figure):.3f}".lstrip("0") if rows else ""


def _average(rows: Sequence[Row], figure: Callable[[Row], float]) -> float:
    return sum(figure(row) for row in rows) / len(rows)


def _head(*names: str) -> str:
    right = {"method", "how it was run", "unit"}
    return _cells(*names) + "\n|" + "|".join("---" if name in right else "---:" for name in names) + "|"


def _cells(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
