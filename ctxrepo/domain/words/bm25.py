"""Few texts ranked by BM25 as pi-memory-md ranks them: the scores of its session bridge mean the same here.

A text counts as the set of its words. A word of the query stands for the words that begin with it, so that
`deploy` finds `deployments`."""

_K, _B, _D = 1.2, 0.75, 0.5
"""The parameters of Orama 3.1, which pi-memory-md searches with: how soon a word that comes again stops to
count, how much the length of a text does, and what any word counts at least."""

_MIN_BEGINNING = 3
"""A word of fewer letters stands for itself only."""


def ranked(query: list[str], texts: list[list[str]], least: float) -> list[tuple[float, int]]:
    """(score, number) of the texts, given by their words, that score no less than `least`, the best first."""
    sets = [frozenset(words) for words in texts]
    holders: dict[str, list[int]] = {}
    for number, words in enumerate(sets):
        for word in words:
            holders.setdefault(word, []).append(number)
    known = "\n" + "\n".join(sorted(holders)) + "\n"
    average = sum([len(words) for words in sets]) / (len(sets) or 1)
    scores = [0.0] * len(sets)
    for word in dict.fromkeys(query):
        for term in _meant(word, known):
            weight = _rarity(len(holders[term]), len(sets))
            for number in holders[term]:
                scores[number] += weight * _presence(len(sets[number]), average)
    matches = [(-score, number) for number, score in enumerate(scores) if score and score >= least]
    return [(-score, number) for score, number in sorted(matches)]


def _meant(word: str, known: str) -> list[str]:
    """The words that a word of the query stands for, among the `known` ones: in order, a line each."""
    if len(word) < _MIN_BEGINNING:
        return [word] if f"\n{word}\n" in known else []
    first = known.find(f"\n{word}")
    if first < 0:
        return []
    words = []
    for line in known[first + 1 :].split("\n"):
        if not line.startswith(word):
            break
        words.append(line)
    return words


def _rarity(holding: int, count: int) -> float:
    """The less, the more of the `count` texts have a word."""
    return _logarithm(1 + (count - holding + 0.5) / (holding + 0.5))


def _presence(length: int, average: float) -> float:
    """What a word counts in a text of so many words, of which it is one."""
    frequency = 1 / length
    return (_D + frequency * (_K + 1)) / (frequency + _K * (1 - _B + _B * length / average))


def _logarithm(value: float) -> float:
    """The natural logarithm; `math` is no module that a hook loads anyway."""
    exponent = 0
    while value > 2:
        value, exponent = value / 2, exponent + 1
    ratio = (value - 1) / (value + 1)
    terms = [ratio**power / power for power in range(1, 40, 2)]
    return 2 * sum(terms) + exponent * 0.6931471805599453
