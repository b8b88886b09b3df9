"""The measure of questions as they are typed: a small seed of `python -m bench asked`."""

from __future__ import annotations

import pytest
from bench.asked.corpus import grow
from bench.asked.measure import ask
from bench.asked.topics import read_topics
from checkout import CHECKOUT
from machines import Machine

from ctxrepo.services.sessions.index_update import update_index

TOPICS = [*read_topics(CHECKOUT / "tools" / "bench" / "asked" / "tuned.topics")]


@pytest.mark.slow  # three megabytes of transcripts are written and read
def test_the_right_session_is_found_and_the_decision_shown(ada: Machine) -> None:
    ada.init()
    topics = TOPICS[::2]
    right = grow(ada.home, topics, 3_000_000, seed=5)
    memory = ada.open()
    assert update_index(memory, 60).is_complete
    for by_keywords in (False, True):
        answers = [ask(memory, topic, right[topic.name], by_keywords=by_keywords) for topic in topics]
        assert sum(answer.is_found for answer in answers) >= 0.8 * len(topics)
        assert sum(answer.is_shown for answer in answers) >= 0.75 * len(topics)


def test_a_topic_says_what_was_decided() -> None:
    redis = TOPICS[0]
    assert (redis.question, redis.decision) == (
        "what did we decide about the redis port",
        "6380 then, for tests only",
    )
    assert ("user", redis.decision) in redis.talk
    assert all(any(topic.decision in text for _, text in topic.talk) for topic in TOPICS)
