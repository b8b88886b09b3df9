"""Memory repositories of any size, made up from a seed: notes as long, and words as rare, as real ones."""

from __future__ import annotations

import random
import subprocess
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import IO

PER_PROJECT = 100
_GLOBAL = 50
"""One note in so many is everybody's."""

_COMMON = "the to of and a in is for we use with that not on it this be file run when"
_SAID = (
    "build test deploy cache token retry queue index parser schema server client config branch commit merge "
    "release rollback timeout session login header worker thread latency metric alert proxy router template "
    "fixture snapshot coverage pipeline artifact migration webhook invoice refund staging production"
)
_CONSONANTS = "b c d f g h k l m n p r s t v w z br cr dr gr pl pr st str th tr sh ch"
_VOWELS = "a e i o u ai ea io ou"
_ENDS = ("", "n", "r", "s", "t", "l", "ing", "ed", "er", "tion", "ment", "ly")

_WORDS = 30_000
_RUN = 400_000
"""Words in a row of which every note takes a piece: as rare as in real text, and made once."""


class Author:
    """Writes notes, and prompts that ask for one of them; the same number, the same text."""

    def __init__(self, seed: int = 1) -> None:
        chance = random.Random(seed)
        self._seed = seed
        self._words = _vocabulary(chance)
        weights = [*accumulate(1 / rank**1.07 for rank in range(1, _WORDS + 1))]
        self._run = chance.choices(self._words, cum_weights=weights, k=_RUN)

    def note(self, number: int) -> str:
        chance, topic = self._about(number)
        words = self._piece(chance, max(12, min(4000, int(chance.lognormvariate(0, 0.8) * 178))))
        for at in range(0, len(words), 8):
            words[at] = chance.choice(topic)
        text = _head(chance, [*topic[:2], *words[1:8]]) + f"# {topic[0].title()} {topic[1]}\n\n"
        text += "".join(_blocks(chance, words))
        if chance.random() < 0.01:
            text = text.replace("\n", "\r\n")
        # Without a head such a mark is a fault, and every hook of a new session would tell it.
        return "\ufeff" + text if chance.random() <= 0.005 and text.startswith("---") else text

    def prompt(self, number: int) -> str:
        """5 to 27 words, two or three of them what the note is about."""
        chance, topic = self._about(number)
        words = topic[: chance.choice((2, 3))] + self._piece(chance, chance.randrange(3, 25))
        chance.shuffle(words)
        return " ".join(words)

    def english_prompt(self, number: int) -> str:
        """The same in words that a model of English knows, with one of those that the note is about."""
        chance, topic = self._about(number)
        known = [*_COMMON.split(), *_SAID.split()]
        words = [topic[0], *chance.choices(known, k=chance.randrange(5, 25))]
        chance.shuffle(words)
        return " ".join(words)

    def topic(self, number: int) -> list[str]:
        """The words a note is about, which are rare elsewhere."""
        return self._about(number)[1]

    def _about(self, number: int) -> tuple[random.Random, list[str]]:
        chance = random.Random(self._seed * 10_000_000 + number)
        return chance, chance.sample(self._words[60:6000], 6)

    def _piece(self, chance: random.Random, count: int) -> list[str]:
        at = chance.randrange(_RUN - count)
        return self._run[at : at + count]


def path_of(number: int) -> str:
    folder = "global" if number % _GLOBAL == 0 else f"project-{number // PER_PROJECT:05d}"
    return f"{folder}/topics/note-{number:06d}.md"


def project_url(number: int) -> str:
    """The remote of the code that a note's project is about."""
    return f"https://git.example.org/bench/project-{number // PER_PROJECT:05d}"


def make_remote(place: Path, notes: int, seed: int = 1) -> Path:
    """A bare repository of so many notes, its projects registered."""
    place.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(place)], check=True)
    subprocess.run(["git", "-C", str(place), "config", "uploadpack.allowFilter", "true"], check=True)
    author = Author(seed)
    words = ["git", "-C", str(place), "fast-import", "--quiet"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(b"commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\n")
        process.stdin.write(_data("memory: seed"))
        _put(process.stdin, "ctxrepo.toml", _registry(notes))
        for number in range(notes):
            _put(process.stdin, path_of(number), author.note(number))
    assert process.returncode == 0
    return place


def _registry(notes: int) -> str:
    ids = [project_url(number).removeprefix("https://") for number in range(0, notes, PER_PROJECT)]
    return "format = 1\n\n[projects]\n" + "".join(f'"{i}" = "{i.rpartition("/")[2]}"\n' for i in ids)


def _vocabulary(chance: random.Random) -> list[str]:
    words = dict.fromkeys(f"{_COMMON} {_SAID}".split())
    consonants, vowels = _CONSONANTS.split(), _VOWELS.split()
    while len(words) < _WORDS:
        syllables = range(chance.choice((1, 2, 2, 3)))
        word = "".join([chance.choice(consonants) + chance.choice(vowels) for _ in syllables])
        words[word + chance.choice(_ENDS)] = None
    return [*words]


def _head(chance: random.Random, words: list[str]) -> str:
    """Most heads are plain; one in ten is what makes a YAML parser work."""
    kind = chance.random()
    if kind < 0.02:
        return ""
    text = " ".join(words).capitalize()
    description = f"description: {text}"
    if kind < 0.05:
        description = f'description: "{words[0]}: \\"{text}\\""'
    elif kind < 0.07:
        description = f"description: >-\n  {text}\n  and {words[0]}"
    elif kind < 0.09:
        description = f"description: {text} — naïve café 日本語"
    tags = chance.sample(_SAID.split(), chance.choice((1, 2, 3)))
    listed = "\n  - ".join(["", *tags]) if kind > 0.85 else f" [{', '.join(tags)}]"
    updated = date(2023, 1, 1) + timedelta(days=chance.randrange(1200))
    return f"---\n{description}\ntags:{listed}\nupdated: {updated}\n---\n\n"


def _blocks(chance: random.Random, words: list[str]) -> list[str]:
    """Paragraphs, bullets, a heading and some code now and then."""
    blocks, at = [], 0
    while at < len(words):
        length = chance.randrange(6, 40)
        sentence = " ".join(words[at : at + length])
        at += length
        kind = chance.random()
        if kind < 0.12:
            blocks.append(f"\n## {sentence[:40].title()}\n\n")
        elif kind < 0.28:
            blocks.append(f"\n```sh\n{sentence[:60]} --{words[0]}\n```\n\n")
        elif kind < 0.7:
            blocks.append(f"- {sentence}\n")
        else:
            blocks.append(f"\n{sentence.capitalize()}.\n\n")
    return blocks


def _put(into: IO[bytes], path: str, text: str) -> None:
    into.write(f"M 100644 inline {path}\n".encode() + _data(text))


def _data(text: str) -> bytes:
    data = text.encode()
    return b"data %d\n%b\n" % (len(data), data)
