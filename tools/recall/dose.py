"""Prints what doses come to on development data, each memory by numbers chosen on the others:

    PYTHONPATH=tools python tools/recall/dose.py [--model FOLDER] [--most 24] DATA…

For each prompt the ranking is made once; then every dose of a grid is tried on it, with the block as a hook
would show it. `evidence` is delivered, `noise` bytes beside prompts that deserve silence, `waste` bytes that
are no evidence. `now` is the dose of `ctxrepo/hooks/recall/ranking.py`, `verdict` what was before it: eight
entries or none.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from recall.datasets import DataSet, Label, data_sets
from recall.measures import DeliveredBlock, delivered, piece

from ctxrepo.domain.text import place
from ctxrepo.hooks.packet.sections import recall_block
from ctxrepo.hooks.recall.ranking import (
    BY_MEANING,
    BY_WORDS,
    Dose,
    Ranking,
    RecallRequest,
    choose_dose,
    is_social,
)
from ctxrepo.services.recall.recall import by_meaning, by_words
from ctxrepo.storage.cache.folder import SCOPE, folder_cache

LEAST = (0.7, 0.75, 0.8, 0.85, 0.9, 1.0)
PER_MARGIN = (5.0, 10.0, 12.0, 15.0, 20.0, 30.0)
SHARE = (0.2, 0.3, 0.4, 0.5, 0.6)


class Verdict(Dose):
    """What was before the dose: eight entries or none."""

    def entries(self, margin: float, most: int) -> int:
        return min(8, most) if margin >= self.least else 0


@dataclass(frozen=True)
class RankedPrompt:
    """A prompt with its ranking; None for a social one, which has none."""

    data: DataSet
    label: Label
    ranking: Ranking | None


@dataclass(frozen=True)
class Outcome:
    """Means over prompts: `evidence` and `waste` of those with an answer, `noise` of the others."""

    evidence: float
    noise: float
    waste: float

    def __str__(self) -> str:
        return f"{self.evidence:.3f} evidence, {self.noise:4.0f} noise, {self.waste:4.0f} waste"


def ranked(sets: Iterable[DataSet], model: str, most: int) -> Iterator[RankedPrompt]:
    """Each prompt with a ranking of which `most` entries may be given."""
    for data in sets:
        with folder_cache(data.memory) as cache:
            asking = by_meaning(model, Path(), cache.vectors, cache.db) if model else nullcontext(by_words)
            with asking as rank:
                for query in data.queries:
                    asked = RecallRequest(query.text, list(query.before), [SCOPE], most)
                    ranking = None if is_social(asked) else _ranking_for_prompt(rank(cache.db, asked))
                    for hit in ranking.hits if ranking else []:
                        hit.path = cache.path_of(hit.path)
                    yield RankedPrompt(data, data.labels[query.id], ranking)


def _ranking_for_prompt(ranking: Ranking) -> Ranking:
    """The ranking by words where the model can't read the prompt and words answer it."""
    words = ranking.by_words
    return words if words is not None and choose_dose(words).hits else ranking


def outcome(prompts: Sequence[RankedPrompt], dose: Dose) -> Outcome:
    evidence, noise, waste = [], [], []
    for one in prompts:
        hits = choose_dose(one.ranking, dose).hits if one.ranking else []
        block, given = recall_block(hits, 0, "")
        size = len(block.encode())
        if one.label.is_silent:
            noise.append(size)
        elif one.label.counts:
            pieces = [piece(place(hit.path, hit.first_line, hit.last_line)) for hit in given]
            share, beside = delivered(DeliveredBlock(pieces, size), one.label.evidence, one.data.texts)
            evidence.append(share)
            waste.append(beside)
    return Outcome(*(sum(figures) / max(len(figures), 1) for figures in (evidence, noise, waste)))


def tried(prompts: Sequence[RankedPrompt]) -> list[tuple[Dose, Outcome]]:
    """Every dose of the grid."""
    doses = (Dose(*numbers) for numbers in product(LEAST, PER_MARGIN, SHARE))
    return [(dose, outcome(prompts, dose)) for dose in doses]


def best(found: Iterable[tuple[Dose, Outcome]], noise: float) -> tuple[Dose, Outcome]:
    """The dose with the most evidence at so many bytes of noise at most; the quietest if all are louder."""
    found = list(found)
    quiet = [one for one in found if one[1].noise <= noise]
    if not quiet:
        return min(found, key=lambda one: one[1].noise)
    return max(quiet, key=lambda one: (one[1].evidence, -one[1].waste))


def told(dose: Dose) -> str:
    return f"least {dose.least}, {dose.per_margin:g} per margin, share {dose.share}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--most", type=int, default=24)
    wanted = parser.parse_args()
    prompts = list(ranked(data_sets(wanted.data), wanted.model, wanted.most))
    dose = BY_MEANING if wanted.model else BY_WORDS
    verdict = Verdict(1.0, 0.0, 0.06 if wanted.model else 0.4)
    before = outcome(prompts, verdict)
    print(f"verdict  {before}\nnow      {outcome(prompts, dose)}   {told(dose)}")
    all_tried = tried(prompts)
    for share in (1.0, 0.8, 0.6, 0.4):
        found, figures = best(all_tried, before.noise * share)
        print(f"best at {share:.1f} of the noise: {figures}   {told(found)}")
    print("crosswise, at no more noise on the others:")
    for folder in {one.data.folder: 0 for one in prompts}:
        others = [one for one in prompts if one.data.folder != folder]
        own = [one for one in prompts if one.data.folder == folder]
        found, _ = best(tried(others), outcome(others, verdict).noise)
        print(f"  {folder.name}: verdict {outcome(own, verdict)}; now {outcome(own, dose)}")
        print(f"    chosen on the others {outcome(own, found)}   {told(found)}")


if __name__ == "__main__":
    main()
