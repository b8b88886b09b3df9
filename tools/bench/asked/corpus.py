"""Months of sessions of six agents, made from a seed: chatter, and in it what the topics decide.

Around each topic: the words of its question, alone, in pairs and all together, in sessions that are about
something else; its asides; and two later sessions in which somebody only asked the question, once with a
search of the memory and once without, and got no answer."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.asked.topics import Topic
from bench.asked.writers import AGENTS, Said, Session, fork_of, write
from bench.corpus import Author

_BEGIN = 1_767_225_600_000
"""The first moment, in milliseconds: 1 January 2026."""

_MONTHS = 10 * 30 * 86_400_000
_PROJECTS = tuple(
    f"/home/ada/{name}"
    for name in (
        *("shop", "api", "web", "mobile", "billing", "search", "infra", "docs", "sdk", "reports", "import"),
        *("gateway", "mailer", "admin", "jobs", "theme", "legacy", "labs", "data", "tools"),
    )
)
_LENGTHS = ((0.55, 4, 24), (0.33, 24, 120), (0.12, 150, 500))
"""(share of the sessions, messages at least, at most)"""

_RESULT = 750
"""Words that a tool gives back, at most."""

_ALONE, _PAIRS = 14, 2
"""How often a word of a question turns up elsewhere, and two of them together; of every second topic all of
them do, once."""


@dataclass
class Corpus:
    """What is put into chatter: `planted` in the order in which it must be placed."""

    chance: random.Random
    author: Author
    words: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, seed: int) -> Corpus:
        words = tomllib.loads((Path(__file__).parent / "chatter.toml").read_text("utf-8"))
        return cls(random.Random(seed), Author(), words)

    def phrase(self, kind: str, **more: str) -> str:
        """A text of a kind, with its places filled."""
        named = {
            key: self.chance.choice(self.words[key]) for key in ("thing", "file", "error", "reason", "detail")
        }
        other = {f"{key}2": self.chance.choice(self.words[key]) for key in ("thing", "file", "detail")}
        return self.chance.choice(self.words[kind]).format(**named, **other, **more)

    def output(self) -> str:
        count = self.chance.randrange(20, _RESULT)
        at = self.chance.randrange(len(self.author._run) - count)
        words = self.author._run[at : at + count]
        return "\n".join(" ".join(words[n : n + 9]) for n in range(0, count, 9))

    def id(self) -> str:
        digits = f"{self.chance.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def grow(home: Path, topics: Sequence[Topic], size: int, seed: int) -> dict[str, str]:
    """Fill a home with some `size` bytes of sessions; the session of each topic, by the topic's name."""
    corpus = Corpus.of(seed)
    asides = _asides(corpus, topics)
    right: dict[str, str] = {}
    done = 0
    for session, topic in _decided(corpus, topics):
        right[topic.name] = f"ses_{session.id[:24]}" if session.agent == "opencode" else session.id
        done += write(home, session)
        if corpus.chance.random() < 0.25 and session.agent in ("claude", "pi"):
            more = [*_chatter(corpus, session.messages[-1].at, 6)]
            done += write(home, fork_of(session, corpus.id(), more, corpus.chance))
    for topic in topics:
        for session in _asked_only(corpus, topic):
            done += write(home, session)
    while done < size:
        at = _BEGIN + corpus.chance.randrange(_MONTHS)
        messages = [*_chatter(corpus, at, _length(corpus.chance))]
        messages = [_with_aside(corpus, message, asides, done / size) for message in messages]
        done += write(home, _session(corpus, messages))
    assert not asides, f"{len(asides)} asides found no place"
    return right


def _session(corpus: Corpus, messages: Sequence[Said]) -> Session:
    return Session(corpus.chance.choice(AGENTS), corpus.id(), corpus.chance.choice(_PROJECTS), messages)


def _length(chance: random.Random) -> int:
    drawn = chance.random()
    for share, least, most in _LENGTHS:
        if drawn < share:
            return chance.randrange(least, most)
        drawn -= share
    return 20


def _chatter(corpus: Corpus, at: int, count: int) -> Iterator[Said]:
    """So many messages about other things, of which many are nothing but a tool that was used."""
    who = "user"
    for _ in range(count):
        at += corpus.chance.randrange(2_000, 90_000)
        if who == "user":
            yield Said("user", corpus.phrase("user"), at)
            who = "agent"
        elif corpus.chance.random() < 0.55:
            yield _used_tool(corpus, at, "" if corpus.chance.random() < 0.7 else corpus.phrase("detail"))
        else:
            yield Said("agent", corpus.phrase("agent"), at)
            who = "user"
    if who == "agent":
        yield Said("agent", corpus.phrase("agent"), at + 2_000)


def _used_tool(corpus: Corpus, at: int, text: str = "") -> Said:
    if corpus.chance.random() < 0.5:
        file = f"{corpus.chance.choice(_PROJECTS)}/{corpus.chance.choice(corpus.words['file'])}"
        return Said("agent", text, at, file=file, result=corpus.output())
    return Said("agent", text, at, corpus.chance.choice(corpus.words["command"]), result=corpus.output())


def _decided(corpus: Corpus, topics: Sequence[Topic]) -> Iterator[tuple[Session, Topic]]:
    """Each topic's session: short ones, and ones of hundreds of messages, with the talk anywhere."""
    for topic in topics:
        at = _BEGIN + corpus.chance.randrange(_MONTHS // 2)
        count = _length(corpus.chance)
        before = [*_chatter(corpus, at, corpus.chance.randrange(count))]
        at = before[-1].at if before else at
        talk: list[Said] = []
        for who, text in topic.talk:
            at += corpus.chance.randrange(5_000, 120_000)
            if who == "agent":
                for _ in range(corpus.chance.choice((0, 0, 0, 1, 1, 3, 8))):
                    talk.append(_used_tool(corpus, at))
                    at += 3_000
            talk.append(Said(who, text, at))
        yield _session(corpus, [*before, *talk, *_chatter(corpus, at, count - len(before))]), topic


def _asked_only(corpus: Corpus, topic: Topic) -> Iterator[Session]:
    """Later sessions in which nobody knew."""
    for does_search in (True, False):
        at = _BEGIN + _MONTHS // 2 + corpus.chance.randrange(_MONTHS // 2)
        messages = [*_chatter(corpus, at, corpus.chance.randrange(2, 12))]
        at = messages[-1].at + 20_000
        messages.append(Said("user", topic.question, at))
        if does_search:
            command = f'ctxrepo search --in sessions "{topic.keywords}"'
            messages.append(Said("agent", "", at + 3_000, command, result="nothing found"))
        words = topic.keywords if corpus.chance.random() < 0.5 else "it"
        messages.append(Said("agent", corpus.phrase("unanswered", words=words), at + 9_000))
        messages.append(Said("user", corpus.phrase("dropped"), at + 30_000))
        yield _session(corpus, [*messages, *_chatter(corpus, at + 40_000, 6)])


def _asides(corpus: Corpus, topics: Sequence[Topic]) -> list[str]:
    """Sentences for sessions about other things, in no order."""
    chance, asides = corpus.chance, list[str]()
    for number, topic in enumerate(topics):
        words = topic.keywords.split()
        asides += [aside for aside in topic.asides for _ in range(2)]
        for words_of_one, count in ((1, _ALONE), (2, _PAIRS), (len(words), number % 2)):
            for _ in range(count):
                some = chance.sample(words, min(words_of_one, len(words)))
                asides.append(corpus.phrase("aside", words=" ".join(some)))
    chance.shuffle(asides)
    return asides


def _with_aside(corpus: Corpus, message: Said, asides: list[str], share: float) -> Said:
    """A message, now and then with one of the asides in it: so that about all are placed at four fifths."""
    if not (message.text and asides) or corpus.chance.random() > (0.25 if share < 0.8 else 1):
        return message
    text = (
        f"{message.text} {asides.pop()}"
        if corpus.chance.random() < 0.5
        else f"{asides.pop()}. {message.text}"
    )
    return Said(message.who, text, message.at, message.command, message.file, message.result)
