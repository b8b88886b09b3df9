"""Prints what doses come to on development data, each memory by numbers chosen on the others:

    PYTHONPATH=tools python tools/recall/dose.py [--model FOLDER] [--most 24] [--noise BYTES…] DATA…

For each prompt the ranking is made once; then every dose of a grid is tried on it, with the block as a hook
would show it. `evidence` is delivered, `noise` bytes beside prompts that deserve silence, `waste` bytes that
are no evidence. `now` is the dose of `ctxrepo/hooks/recall/ranking.py`. Its other numbers are tried as well:
how much length counts, by words, and how much everyday words do. Crosswise a dose is the one that brings the
others the most evidence at so much noise: that of now unless `--noise` says other bytes. Memories whose names
are alike up to the last `-` are of one project, as `young.py` makes them, and none of them is among the
others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from recall.datasets import DataSet, Label, data_sets
from recall.measures import DeliveredBlock, delivered, piece

from ctxrepo.domain.text import place
from ctxrepo.domain.words.prompt_terms import everyday_share
from ctxrepo.hooks.packet.sections import recall_block
from ctxrepo.hooks.recall.choice import choose_dose, is_social
from ctxrepo.hooks.recall.ranking import (
    BY_MEANING,
    BY_WORDS,
    LESS_EVERYDAY,
    MORE_BY_LENGTH,
    Dose,
    Ranking,
    RecallRequest,
    more_by_chance,
)
from ctxrepo.services.recall.recall import by_meaning, by_words
from ctxrepo.storage.cache.folder import SCOPE, folder_cache

LEAST = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
PER_MARGIN = (6.0, 8.0, 10.0, 13.0, 16.0, 20.0)
SHARE = (0.2, 0.3, 0.4, 0.5, 0.6)
OWN = (0.0, 0.5, 0.6, 0.65, 0.7)
"""By meaning only."""

LENGTHS = (0.0, 0.5, 0.65, 0.8)
EVERYDAY = (0.0, 0.25, 0.5, 0.75, 1.0)

Given = tuple[float, int, int]
"""(share of the evidence, bytes given, bytes besides evidence)"""


@dataclass
class RankedPrompt:
    """A prompt with its ranking; None for a social one, which has none."""

    data: DataSet
    label: Label
    ranking: Ranking | None
    margin: float = 0.0
    """As the ranking has it now, while others are tried."""
    is_by_words: bool = False
    """Whether words answer it though a model makes the rankings."""
    known: dict[tuple[int, ...], Given] = field(default_factory=dict)
    """What blocks of these hits came to."""

    @property
    def project(self) -> str:
        return self.data.name.rpartition("-")[0] or self.data.name


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
                    margin = ranking.margin if ranking else 0.0
                    is_by_words = bool(model and ranking and ranking.dose is BY_WORDS)
                    yield RankedPrompt(data, data.labels[query.id], ranking, margin, is_by_words)


def _ranking_for_prompt(ranking: Ranking) -> Ranking:
    """The ranking by words where the model can't read the prompt and words answer it."""
    words = ranking.by_words
    return words if words is not None and choose_dose(words).hits else ranking


def outcome(prompts: Sequence[RankedPrompt], dose: Dose | None) -> Outcome:
    """What a dose comes to, or each ranking's own. Rankings by words keep theirs beside others."""
    evidence, noise, waste = [], [], []
    for prompt in prompts:
        share, size, beside = _given(prompt, dose)
        if prompt.label.is_silent:
            noise.append(size)
        elif prompt.label.counts:
            evidence.append(share)
            waste.append(beside)
    return Outcome(*(sum(figures) / max(len(figures), 1) for figures in (evidence, noise, waste)))


def _given(prompt: RankedPrompt, dose: Dose | None) -> Given:
    ranking = prompt.ranking
    if ranking is None:
        return 0.0, 0, 0
    usual = ranking.dose
    if dose is not None and not prompt.is_by_words:
        ranking.dose = dose
    hits = choose_dose(ranking).hits
    ranking.dose = usual
    key = tuple(id(hit) for hit in hits)
    if key not in prompt.known:
        block, given = recall_block(hits, 0, "")
        size = len(block.encode())
        pieces = [piece(place(hit.path, hit.first_line, hit.last_line)) for hit in given]
        share, beside = delivered(DeliveredBlock(pieces, size), prompt.label.evidence, prompt.data.texts)
        prompt.known[key] = share, size, beside
    return prompt.known[key]


def tried(prompts: Sequence[RankedPrompt]) -> list[tuple[Dose, Outcome]]:
    """Every dose of the grid."""
    is_by_meaning = any(prompt.ranking and prompt.ranking.dose.own for prompt in prompts)
    doses = (
        Dose(*numbers) for numbers in product(LEAST, PER_MARGIN, SHARE, OWN if is_by_meaning else (0.0,))
    )
    return [(dose, outcome(prompts, dose)) for dose in doses]


def best(found: Iterable[tuple[Dose, Outcome]], noise: float) -> tuple[Dose, Outcome]:
    """The dose with the most evidence at so many bytes of noise at most; the quietest if all are louder."""
    found = list(found)
    quiet = [pair for pair in found if pair[1].noise <= noise]
    if not quiet:
        return min(found, key=lambda pair: pair[1].noise)
    return max(quiet, key=lambda pair: (pair[1].evidence, -pair[1].waste))


def told(dose: Dose) -> str:
    return f"least {dose.least}, {dose.per_margin:g} per margin, share {dose.share}, own {dose.own}"


def measures(prompts: Sequence[RankedPrompt], is_by_words: bool) -> Iterator[str]:
    """The best dose at no more noise than now, where length and everyday words count otherwise."""
    limit = outcome(prompts, BY_WORDS if is_by_words else BY_MEANING).noise
    for length, less in product(LENGTHS if is_by_words else (MORE_BY_LENGTH,), EVERYDAY):
        _set_margins(prompts, _margin_of(length, less, is_by_words))
        dose, figures = best(tried(prompts), limit)
        is_now = (length, less) == (MORE_BY_LENGTH, LESS_EVERYDAY)
        by_length = f"length to the power of {length}, " if is_by_words else ""
        yield f"  {by_length}everyday words {less}: {figures}   {told(dose)}{'   (now)' * is_now}"
    _set_margins(prompts, lambda _, now: now)


def _margin_of(length: float, less: float, is_by_words: bool) -> Callable[[Ranking, float], float]:
    def margin(ranking: Ranking, now: float) -> float:
        prompt = ranking.asked.prompt
        share = everyday_share(prompt)
        if is_by_words:
            longer = more_by_chance(prompt) ** (length / MORE_BY_LENGTH)
            return ranking.margin_of_edit / longer * (1 - less * share)
        return now / (1 - LESS_EVERYDAY * share) * (1 - less * share)

    return margin


def _set_margins(prompts: Sequence[RankedPrompt], margin: Callable[[Ranking, float], float]) -> None:
    for prompt in prompts:
        if prompt.ranking and not prompt.is_by_words:
            prompt.ranking.margin = margin(prompt.ranking, prompt.margin)


def crosswise(prompts: Sequence[RankedPrompt], dose: Dose, noise: float | None) -> Iterator[str]:
    """For each project what the dose of now comes to, and the one that was chosen on the others."""
    chosen: list[RankedPrompt] = []
    for name in {prompt.project: 0 for prompt in prompts}:
        others = [prompt for prompt in prompts if prompt.project != name]
        own = [prompt for prompt in prompts if prompt.project == name]
        found, _ = best(tried(others), outcome(others, dose).noise if noise is None else noise)
        yield f"  {name}: now {outcome(own, dose)}; chosen {outcome(own, found)}   {told(found)}"
        chosen += own
        for prompt in own:
            if prompt.ranking and not prompt.is_by_words:
                prompt.ranking.dose = found
    yield f"  together: {outcome(chosen, None)}"
    for prompt in chosen:
        if prompt.ranking and not prompt.is_by_words:
            prompt.ranking.dose = dose


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--most", type=int, default=24)
    parser.add_argument("--noise", type=float, nargs="+", default=[None])
    wanted = parser.parse_args()
    prompts = list(ranked(data_sets(wanted.data), wanted.model, wanted.most))
    dose = BY_MEANING if wanted.model else BY_WORDS
    now = outcome(prompts, dose)
    print(f"now      {now}   {told(dose)}")
    all_tried = tried(prompts)
    for share in (1.2, 1.0, 0.8, 0.6, 0.4):
        found, figures = best(all_tried, now.noise * share)
        print(f"best at {share:.1f} of the noise: {figures}   {told(found)}")
    print("other measures, each with its best dose at no more noise:")
    print("\n".join(measures(prompts, not wanted.model)))
    for noise in wanted.noise:
        print(
            f"crosswise, at {'no more noise on the others' if noise is None else f'{noise:.0f} bytes there'}:"
        )
        print("\n".join(crosswise(prompts, dose, noise)))


if __name__ == "__main__":
    main()
