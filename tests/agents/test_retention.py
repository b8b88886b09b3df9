"""How long agents keep their transcripts, by the tables in their folders."""

from __future__ import annotations

import pytest

from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.switches import Limit, Retention


def words(agent: str, **held: object) -> str:
    retention = AGENTS[agent].retention
    assert retention
    return retention.words(lambda limit: held.get(limit.key.rpartition(".")[2]))


@pytest.mark.parametrize(
    ("agent", "held", "message"),
    [
        ("claude", {}, "after 30 days"),
        ("claude", {"cleanupPeriodDays": 1}, "after 1 day"),
        ("claude", {"cleanupPeriodDays": 3650}, ""),
        ("claude", {"cleanupPeriodDays": 99999999}, ""),
        ("gemini", {}, "after 30 days"),
        ("gemini", {"enabled": False, "maxAge": "1d"}, ""),
        ("gemini", {"maxAge": "12h"}, "after 12 hours"),
        (
            "gemini",
            {"maxAge": "2w", "maxCount": 50},
            "after 14 days and beyond the newest 50",
        ),
        ("gemini", {"maxAge": "999999d", "maxCount": 5}, "beyond the newest 5"),
    ],
)
def test_what_is_deleted_is_told(agent: str, held: dict[str, object], message: str) -> None:
    assert words(agent, **held) == message


@pytest.mark.parametrize("value", ["30", "0d", "d", "", True, [], -1.5j])
def test_a_value_that_says_nothing_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match="maxAge is"):
        words("gemini", maxAge=value)
    with pytest.raises(ValueError, match="k is 'x'"):
        Retention([Limit("k", "json", (), "days", 30)], "", "").words(lambda _: "x")


def test_no_other_agent_deletes_as_far_as_anybody_knows() -> None:
    assert {name for name, agent in AGENTS.items() if agent.retention} == {"claude", "gemini"}
