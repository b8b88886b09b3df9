"""What of a long message is shown: its sentences with the words that were looked for, where it begins, and
where it comes to its end."""

from collections.abc import Iterator, Sequence

from ctxrepo.domain.question.question_terms import first_hit
from ctxrepo.lazy import lazy_pattern

BEFORE, AFTER = 80, 120
"""Characters that are shown before and from the first hit in a sentence that is too long."""

_LONGEST = 320
"""Characters of a sentence that is shown whole."""

_SENTENCE = lazy_pattern(r"[^\n]*?(?:[.!?]+[)\"'*`]*(?=\s)|[。！？]|\n|\Z)")

_BEGIN, _END, _BEHIND = 0.4, 0.6, 0.3
"""What the first and the last sentence count beside one with a word, and what one behind such a one does."""


def excerpt(text: str, terms: Sequence[str], room: int) -> str:
    """At most about `room` characters of a text on one line, `…` where something is left out."""
    clean = " ".join(text.split())
    if len(clean) <= room:
        return clean
    sentences = [*_sentences(text, terms)]
    worth = [_worth(sentence, terms) for sentence in sentences]
    worth = [own + _BEHIND * (worth[number - 1] if number else 0) for number, own in enumerate(worth)]
    worth[0] += _BEGIN
    worth[-1] += _END
    chosen, left = set[int](), room
    for number in sorted(range(len(sentences)), key=lambda n: (-worth[n], n)):
        if len(sentences[number]) <= left or not chosen:
            chosen.add(number)
            left -= len(sentences[number]) + 1
    parts: list[str] = []
    last = -1
    for number in sorted(chosen):
        parts += ["…"] * (number > last + 1) + [sentences[number]]
        last = number
    parts += ["…"] * (last < len(sentences) - 1)
    return " ".join(parts).replace("… …", "…")


def _sentences(text: str, terms: Sequence[str]) -> Iterator[str]:
    for found in _SENTENCE.finditer(text):
        sentence = " ".join(found[0].split())
        if len(sentence) > _LONGEST:
            hit = first_hit(sentence, terms)
            begin, end = max(0, hit - BEFORE), hit + AFTER
            yield f"{'…' * (begin > 0)}{sentence[begin:end]}{'…' * (end < len(sentence))}"
        elif sentence:
            yield sentence


def _worth(sentence: str, terms: Sequence[str]) -> float:
    return float(sum(1 for term in terms if first_hit(f"\0{sentence}", [term])))
