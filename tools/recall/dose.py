"""Prints what doses come to on development data, each memory by numbers chosen on the others:

    PYTHONPATH=tools python tools/recall/dose.py DATA… [--model FOLDER] [--rate BYTES] [--noise BYTES…]

For each prompt, the first of its session, the ranking is made once; then every dose of a grid is tried on it,
with the block as a hook would show it. `evidence` is delivered, `noise` bytes beside prompts that deserve
silence, `waste` bytes that are no evidence, `false` the share of such prompts that are given anything.

The best dose is the one that is worth most, at a rate: all the evidence of a prompt is worth so many bytes
beside a prompt that deserves silence; of those that are as good, the one with the most evidence. `now` is the
dose of `ctxrepo/hooks/recall/ranking.py`; with `--measures` its other numbers are tried as well: how much
length counts, by words, and how much everyday words do. Memories whose names are alike up to the last `-` are
of one project, as `young.py` makes them, and none of them is among the others, on which a dose is chosen
crosswise. `--noise` prints the most evidence at so many bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from recall.datasets import DataSet, Label, data_sets
from recall.measures import DeliveredBlock, Piece, delivered, piece
from recall.start import started

from ctxrepo.domain.text import place
from ctxrepo.domain.words.prompt_terms import everyday_share
from ctxrepo.hooks.known.cached import EntryHit
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

RATE = 2800
"""What an agent reads that wasn't given the evidence: a search of three words, 2,050 bytes on average,
and a note, 725 (docs/adr/0100-what-a-byte-beside-a-prompt-costs.md)."""

AS_GOOD = 0.005
"""Doses whose worth differs by this are as good as each other: by chance it differs by twice as much."""

LEAST = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
PER_MARGIN = (6.0, 10.0, 15.0, 20.0, 30.0)
SHARE = (0.2, 0.35, 0.5, 0.6)
DOSES = [Dose(*numbers) for numbers in product(LEAST, PER_MARGIN, SHARE)]

LENGTHS = (0.0, 0.5, 0.65, 0.8)
EVERYDAY = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Given:
    """What one prompt was given: the share of its evidence, bytes, bytes besides evidence."""

    evidence: float
    size: int = 0
    waste: int = 0


@dataclass
class RankedPrompt:
    """A prompt with its ranking; None for a social one, which has none."""

    data: DataSet
    source: str
    """The DATA that its memory is of."""
    label: Label
    ranking: Ranking | None
    start: Sequence[Piece]
    """What the session was given before."""
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
    """Means over prompts: `evidence` and `waste` of those with an answer, so many, the others of the rest."""

    count: int
    evidence: float
    noise: float
    waste: float
    false: float

    def __str__(self) -> str:
        return (
            f"{self.evidence:.3f} evidence, {self.noise:4.0f} noise, {self.waste:4.0f} waste, "
            f"{self.false:.2f} false"
        )


Outcomes = Mapping[str, Outcome]
"""One for each DATA."""

Tried = Mapping[Dose, Sequence[Given]]
"""What each dose gave each prompt."""


def ranked(folders: Iterable[Path], model: str, most: int) -> Iterator[RankedPrompt]:
    """Each prompt with a ranking of which `most` entries may be given."""
    for folder in folders:
        for data in data_sets([folder]):
            start = started(data)
            with folder_cache(data.memory) as cache:
                asking = (
                    by_meaning(model, Path(), cache.vectors, cache.db) if model else nullcontext(by_words)
                )
                with asking as rank:
                    for query in data.queries:
                        request = RecallRequest(query.text, list(query.before), [SCOPE], most)
                        ranking = None if is_social(request) else _ranking_for_prompt(rank(cache.db, request))
                        for hit in ranking.hits if ranking else []:
                            hit.path = cache.path_of(hit.path)
                        margin = ranking.margin if ranking else 0.0
                        is_by_words = bool(model and ranking and ranking.dose is BY_WORDS)
                        label = data.labels[query.id]
                        yield RankedPrompt(data, str(folder), label, ranking, start, margin, is_by_words)


def _ranking_for_prompt(ranking: Ranking) -> Ranking:
    """The ranking by words where the model can't read the prompt and words answer it."""
    words = ranking.by_words
    return words if words is not None and choose_dose(words).hits else ranking


def tried(prompts: Sequence[RankedPrompt], doses: Iterable[Dose]) -> Tried:
    """What these doses give. Rankings by words keep theirs beside others."""
    return {dose: [_given(prompt, dose) for prompt in prompts] for dose in doses}


def _given(prompt: RankedPrompt, dose: Dose) -> Given:
    ranking = prompt.ranking
    if ranking is None:
        return _block(prompt, [])
    usual = ranking.dose
    if not prompt.is_by_words:
        ranking.dose = dose
    hits = choose_dose(ranking).hits
    ranking.dose = usual
    return _block(prompt, hits)


def _block(prompt: RankedPrompt, hits: Sequence[EntryHit]) -> Given:
    key = tuple(id(hit) for hit in hits)
    if key not in prompt.known:
        known = {str(part) for part in prompt.start}
        block, shown = recall_block([hit for hit in hits if _place(hit) not in known], 0, "")
        size, pieces = len(block.encode()), [piece(_place(hit)) for hit in shown]
        evidence, texts = prompt.label.evidence, prompt.data.texts
        _, waste = delivered(DeliveredBlock(pieces, size), evidence, texts)
        share, _ = delivered(DeliveredBlock([*prompt.start, *pieces], size), evidence, texts)
        prompt.known[key] = Given(share, size, waste)
    return prompt.known[key]


def _place(hit: EntryHit) -> str:
    return place(hit.path, hit.first_line, hit.last_line)


def outcomes(
    prompts: Sequence[RankedPrompt], given: Sequence[Given], is_meant: Callable[[str], bool]
) -> Outcomes:
    """What the prompts of the meant projects were given, for each DATA that has any."""
    rows: dict[str, tuple[list[Given], list[Given]]] = {}
    for prompt, gift in zip(prompts, given, strict=True):
        if is_meant(prompt.project) and (prompt.label.is_silent or prompt.label.counts):
            rows.setdefault(prompt.source, ([], []))[prompt.label.is_silent].append(gift)
    return {source: _outcome(*both) for source, both in rows.items()}


def _outcome(answerable: Sequence[Given], silent: Sequence[Given]) -> Outcome:
    return Outcome(
        len(answerable),
        _mean([gift.evidence for gift in answerable]),
        _mean([gift.size for gift in silent]),
        _mean([gift.waste for gift in answerable]),
        _mean([gift.size > 0 for gift in silent]),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


def worth(figures: Outcomes, rate: float) -> float:
    """The mean of the evidence less what its noise costs at this rate."""
    return evidence(figures) - _weighed(figures, [each.noise for each in figures.values()]) / rate


def evidence(figures: Outcomes) -> float:
    return _weighed(figures, [each.evidence for each in figures.values()])


def _weighed(figures: Outcomes, values: Sequence[float]) -> float:
    """The mean of values of each DATA, which counts by its prompts with an answer."""
    counts = [each.count for each in figures.values()]
    return sum(count * value for count, value in zip(counts, values, strict=True)) / max(sum(counts), 1)


def report_lines(dose: Dose, figures: Outcomes, rate: float) -> Iterator[str]:
    numbers = f"least {dose.least}, {dose.per_margin:g} per margin, share {dose.share}"
    yield f"  {numbers}: worth {worth(figures, rate):.3f}"
    for source, each in figures.items():
        yield f"    {source}: {each}"


def means(prompts: Sequence[RankedPrompt], trials: Tried, without: str = "") -> Mapping[Dose, Outcomes]:
    """What each dose comes to, for all projects but one."""
    return {dose: outcomes(prompts, given, lambda name: name != without) for dose, given in trials.items()}


def best(figures: Mapping[Dose, Outcomes], rate: float) -> Dose:
    """The dose that is worth most; of those that are as good the one with the most evidence."""
    worths = {dose: worth(each, rate) for dose, each in figures.items()}
    most = max(worths.values())
    as_good = [dose for dose in figures if worths[dose] >= most - AS_GOOD]
    return max(as_good, key=lambda dose: evidence(figures[dose]))


def curve(figures: Mapping[Dose, Outcomes], noise: float, rate: float) -> Iterator[str]:
    """For each DATA the dose with the most evidence at so many bytes of noise at most."""
    for source in next(iter(figures.values())):
        own = {dose: each[source] for dose, each in figures.items() if each[source].noise <= noise}
        if own:
            dose = max(own, key=lambda dose: (own[dose].evidence, -own[dose].waste))
            yield from report_lines(dose, {source: own[dose]}, rate)


def measures(prompts: Sequence[RankedPrompt], is_by_words: bool, rate: float) -> Iterator[str]:
    """The best dose where length and everyday words count otherwise."""
    for length, less in product(LENGTHS if is_by_words else (MORE_BY_LENGTH,), EVERYDAY):
        _set_margins(prompts, _margin_of(length, less, is_by_words))
        trials = tried(prompts, DOSES)
        dose = best(means(prompts, trials), rate)
        by_length = f"length to the power of {length}, " if is_by_words else ""
        yield f"{by_length}everyday words {less}:"
        yield from report_lines(dose, outcomes(prompts, trials[dose], lambda _: True), rate)
    _set_margins(prompts, lambda _, now: now)


def _margin_of(length: float, less: float, is_by_words: bool) -> Callable[[Ranking, float], float]:
    def margin(ranking: Ranking, now: float) -> float:
        prompt = ranking.request.prompt
        share = everyday_share(prompt)
        if is_by_words:
            longer: float = more_by_chance(prompt) ** (length / MORE_BY_LENGTH)
            return ranking.margin_of_edit / longer * (1 - less * share)
        return now / (1 - LESS_EVERYDAY * share) * (1 - less * share)

    return margin


def _set_margins(prompts: Sequence[RankedPrompt], margin: Callable[[Ranking, float], float]) -> None:
    for prompt in prompts:
        if prompt.ranking and not prompt.is_by_words:
            prompt.ranking.margin = margin(prompt.ranking, prompt.margin)


def crosswise(prompts: Sequence[RankedPrompt], trials: Tried, rate: float) -> Iterator[str]:
    """For each project what the dose comes to that was chosen on the others; and all of them together."""
    chosen = {
        name: best(means(prompts, trials, name), rate) for name in {prompt.project: 0 for prompt in prompts}
    }
    for name, dose in chosen.items():
        yield name
        yield from report_lines(dose, outcomes(prompts, trials[dose], name.__eq__), rate)
    together = [trials[chosen[prompt.project]][number] for number, prompt in enumerate(prompts)]
    for source, each in outcomes(prompts, together, lambda _: True).items():
        yield f"together, {source}: {each}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--most", type=int, default=24)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--noise", type=float, nargs="*", default=[])
    parser.add_argument(
        "--measures", action="store_true", help="try other weights of length and everyday words"
    )
    options = parser.parse_args()
    rate, is_by_words = options.rate, not options.model
    prompts = list(ranked(options.data, options.model, options.most))
    trials = tried(prompts, DOSES)
    figures, now = means(prompts, trials), BY_WORDS if is_by_words else BY_MEANING
    for title, dose in (("now", now), (f"best at {rate:.0f} bytes", best(figures, rate))):
        given = tried(prompts, [dose])[dose]
        print("\n".join([title, *report_lines(dose, outcomes(prompts, given, lambda _: True), rate)]))
    for noise in options.noise:
        print("\n".join([f"at {noise:.0f} bytes of noise", *curve(figures, noise, rate)]))
    if options.measures:
        print("\n".join(measures(prompts, is_by_words, rate)))
    print("crosswise")
    print("\n".join(crosswise(prompts, trials, rate)))


if __name__ == "__main__":
    main()
