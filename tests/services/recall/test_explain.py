"""Why an entry is among the hits: its score beside the best, and the words it shares with the prompt."""

from __future__ import annotations

import pytest

from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.services.recall.recall import explanation


def hit(text: str, score: float, path: str = "shop/a.md", heading: str = "") -> EntryHit:
    return EntryHit(("id", path, heading, 1, 1, "", text, "hash"), score)


def test_the_score_stands_beside_the_best() -> None:
    assert explanation("x", hit("x", 4.0), 4.0)[0] == ("score", "4.00, the best")
    assert explanation("x", hit("x", 1.0), 4.0)[0] == ("score", "1.00, 25% of the best")
    assert explanation("x", hit("x", 0.0), 0.0)[0] == ("score", "0.00, the best")


@pytest.mark.parametrize(
    ("prompt", "text", "words"),
    [
        ("which port do the tests need?", "Tests need redis on port 6380", "port, tests"),
        ("deploying the Gateway", "how we deploy gateways", "deploying, gateway"),
        ("the gate is open", "the gatekeeper sleeps", "none of its own"),
        ("of the and", "of the and", "none of its own"),
        ("Größe der Schrift", "größe: 12", "größe"),
        ("port port port", "port", "port"),
    ],
)
def test_words_are_those_that_both_have(prompt: str, text: str, words: str) -> None:
    assert explanation(prompt, hit(text, 1.0), 1.0)[1] == ("words", words)


def test_a_path_and_a_heading_have_words_too() -> None:
    match = hit("- 6380", 1.0, path="shop/redis.md", heading="Ports")
    assert explanation("redis ports", match, 1.0)[1] == ("words", "redis, ports")


def test_a_long_prompt_is_not_listed_whole() -> None:
    many = " ".join(f"word{n}" for n in range(100))
    assert len(explanation(many, hit(many, 1.0), 1.0)[1][1].split(", ")) == 12
