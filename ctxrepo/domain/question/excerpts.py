"""Excerpts of long messages: the sentences with the words that were searched for, the first and the last."""

from collections.abc import Iterator, Sequence

from ctxrepo.domain.question.question_terms import first_hit
from ctxrepo.lazy import lazy_pattern

BEFORE, AFTER = 80, 120
"""Characters of a too long sentence that are shown before and from its first hit."""

_LONGEST = 320
"""Most characters of a sentence that is shown whole."""

_SENTENCE = lazy_pattern(
    r"(?:[^\n.!?。！？]++|[.!?]++[)\"'*`]*+(?!\s))*+(?:[.!?]++[)\"'*`]*+(?=\s)|[。！？]|\n|\Z)"
)

_FIRST, _LAST, _NEXT = 0.4, 0.6, 0.3
"""Worth of the first and of the last sentence, and of each word in the sentence before; a word in the
sentence itself has 1."""


def excerpt(text: str, terms: Sequence[str], room: int) -> str:
    """At most about `room` characters of a text on one line, `…` where something is left out."""
    clean = " ".join(text.split())
    if len(clean) <= room:
        return clean
    sentences = [*_sentences(text, terms)]
    words = [sum(1 for term in terms if first_hit(f"\0{sentence}", [term])) for sentence in sentences]
    worth = [count + _NEXT * before for count, before in zip(words, [0, *words], strict=False)]
    worth[0] += _FIRST
    worth[-1] += _LAST
    chosen = set[int]()
    for number in sorted(range(len(sentences)), key=lambda n: (-worth[n], n)):
        if len(sentences[number]) <= room or not chosen:
            chosen.add(number)
            room -= len(sentences[number]) + 1
    parts: list[str] = []
    last = -1
    for number in sorted(chosen):
        parts += ["…"] * (number > last + 1) + [sentences[number]]
        last = number
    parts += ["…"] * (last < len(sentences) - 1)
    return " ".join(parts).replace("… …", "…")


def _sentences(text: str, terms: Sequence[str]) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        sentence = " ".join(match[0].split())
        if len(sentence) > _LONGEST:
            hit = first_hit(sentence, terms)
            begin, end = max(0, hit - BEFORE), hit + AFTER
            yield f"{'…' * (begin > 0)}{sentence[begin:end]}{'…' * (end < len(sentence))}"
        elif sentence:
            yield sentence
