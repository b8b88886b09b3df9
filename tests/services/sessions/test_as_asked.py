"""A question as it is typed finds the session in which it was answered, and shows the answer."""

from __future__ import annotations

import json

import pytest
from machines import Machine
from services.sessions.conftest import Finder
from transcripts import ClaudeTranscript, claude_says

from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.session_search import SessionHit, SessionQuery, search_sessions

CHATTER = ["fix the sidebar please", "Fixed.", "run the tests", "All pass."] * 6
TALK = [
    "which port should redis listen on in the test compose? 6379 clashes",
    "We could take a random one, or a fixed one that nothing else uses.",
    "then 6380, for tests only",
    "Done.",
]
QUESTION = "what did we decide about the redis port"


def shown(hit: SessionHit) -> list[str]:
    return [message.text for message in (*hit.before, hit.message, *hit.after)]


def test_the_words_of_a_question_may_stand_in_several_messages(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", [*CHATTER, *TALK, *CHATTER])
    claude_says(mine, "s-2", [*CHATTER, "redis restarts every night", "It does.", *CHATTER])
    first, *others = find(QUESTION)
    assert (first.session, first.message.text) == ("s-1", TALK[0])
    assert TALK[2] in shown(first)
    assert first.missing == ("decide",)
    assert [hit.session for hit in others] == ["s-2"]


def test_a_session_is_one_hit(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", [*TALK, *CHATTER, *TALK, *CHATTER, "the redis port again"])
    claude_says(mine, "s-2", ["redis port"])
    assert sorted(hit.session for hit in find("redis port")) == ["s-1", "s-2"]
    assert len(find("redis port", limit=1)) == 1


def test_tools_between_question_and_answer_take_no_room(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", [TALK[0]])
    for number in range(9):
        transcript.agent("", ("Bash", {"command": f"make {number}"}))
    transcript.agent("6380 is free: I took that one.")
    (hit,) = find("redis port")
    assert [message.text for message in hit.after] == ["6380 is free: I took that one."]
    assert find("redis 6380")[0].missing == ()


def test_whoever_only_asked_comes_after_whoever_knew(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", [*CHATTER, *TALK])
    claude_says(mine, "s-2", [*CHATTER, QUESTION, "I found nothing about the redis port.", "never mind"])
    searched = claude_says(mine, "s-3", [*CHATTER, QUESTION])
    searched.agent("", ("Bash", {"command": 'ctxrepo search --in sessions "decide redis port"'}))
    searched.agent("The redis port isn't decided in any note.")
    assert find(QUESTION)[0].session == "s-1"
    assert find(QUESTION, here="s-1")[-1].session == "s-1"


def test_the_folder_where_the_matter_is_talked_about_counts(mine: Machine, find: Finder) -> None:
    for number in range(3):
        claude_says(
            mine, f"s-{number}", [*CHATTER, f"is redis on its port, number {number}?", "It is.", *CHATTER]
        )
    for session, cwd in (("s-shop", ""), ("s-doc", "/srv/docs")):
        ClaudeTranscript(mine, session, cwd).user(f"the port of {session} is 6380")
    assert [hit.session for hit in find("redis port") if hit.session in ("s-shop", "s-doc")] == [
        "s-shop",
        "s-doc",
    ]


def test_a_search_of_the_memory_is_not_found_itself(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["look it up"])
    transcript.agent("", ("Bash", {"command": "cd /x && ctxrepo recall 'a capybara'"}))
    transcript.agent("", ("Bash", {"command": "grep okapi notes"}))
    assert find("capybara") == []
    assert find("okapi")[0].message.text == "[Bash] grep okapi notes"


def test_the_filters_hold_for_windows(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", [*TALK])
    transcript.agent("now", ("Edit", {"file_path": "/srv/shop/compose.test.yml"}))
    claude_says(mine, "s-2", ["hello", "hi", *TALK])
    assert [hit.session for hit in find(QUESTION, file="compose.test.yml")] == ["s-1"]
    hits = find("random port", is_by_user=True)
    assert {(hit.message.who, *hit.missing) for hit in hits} == {("user", "random")}
    assert len(hits) == 2


def test_quoted_words_stay_required(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["the redis port is taken"])
    claude_says(mine, "s-2", ["redis and its port"])
    assert [hit.session for hit in find('"redis port" capybara')] == ["s-1"]
    with pytest.raises(NotFound) as caught:
        search_sessions(mine.open(), SessionQuery('"port redis"'))
    assert "quotes" in caught.value.hint


def test_words_that_nobody_said_are_named(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", [*TALK])
    assert find(QUESTION)
    answer = search_sessions(mine.open(), SessionQuery("redis capybara"))
    assert (answer.has_all_words, [*answer.unknown]) == (False, ["capybara"])
    assert search_sessions(mine.open(), SessionQuery("redis port")).has_all_words


def test_in_japanese_too(mine: Machine, find: Finder) -> None:
    claude_says(
        mine, "s-1", ["アクセスログの保存期間を決めたいです。法務は九十日以内です", "六十日にしましょう"]
    )
    claude_says(mine, "s-2", ["ログの形式を変更してください", "変更しました"])
    first, *_ = find("ログの保存期間はどう決めましたか")
    assert (first.session, first.after[0].text) == ("s-1", "六十日にしましょう")


def test_in_a_fork_what_was_said_before_it_is_found_where_it_was_said(mine: Machine, find: Finder) -> None:
    first = claude_says(mine, "s-1", [*TALK])
    fork = ClaudeTranscript(mine, "s-2")
    for line in first.path.read_text().splitlines():
        fork.add(json.dumps(json.loads(line) | {"sessionId": "s-2", "forkedFrom": {"sessionId": "s-1"}}))
    fork.user("and now the sidebar")
    assert [hit.session for hit in find("redis port")] == ["s-1"]
