"""What was said in agents' sessions is found by its words, and nothing that nobody said."""

from __future__ import annotations

import json
import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest
from agents.opencode.test_transcript import database
from hypothesis import given
from hypothesis import strategies as st
from machines import Machine
from made import ALPHABETS, Maker
from services.sessions.conftest import Finder
from transcripts import RECORDED, ClaudeTranscript, claude_says, place_recorded

from ctxrepo.app.sessions.past_search import anchor_fields
from ctxrepo.domain.question.excerpts import AFTER, BEFORE
from ctxrepo.domain.question.question_terms import expression, first_hit, holds, terms_of
from ctxrepo.domain.tape.anchors import Anchor, to_line
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.services.sessions.session_search import SessionQuery, search_sessions
from ctxrepo.services.sessions.transcript_scan import scan_sessions
from ctxrepo.storage.sessions.local_tape import LocalTape

SAID = {
    "antigravity": ("refund test fail", "agy --conversation 36842803-601e-4679-860a-8bf09b3798c8"),
    "claude": ("Redis moved 6399", "claude --resume 124263ae-a3ed-494e-b20e-2fb3cc5c55a4"),
    "codex": ("redis listen", "codex resume 01a2136c-01fb-7b83-9011-f20bad884049"),
    "copilot": ("fix the notes", "copilot --resume=0661345b-cdaf-4595-9117-59fc8f7b659c"),
    "gemini": ("MARK_USER", "gemini --resume 468131ec-4c74-41e5-b5e3-cab838453fa2"),
    "pi": ("redis listen", "pi --session 01a20e43-818a-7760-8b18-6c0315a0ce6e"),
}


@pytest.mark.parametrize("agent", RECORDED)
def test_what_a_recorded_session_of_each_agent_says(agent: str, mine: Machine, find: Finder) -> None:
    path = place_recorded(mine, agent)
    words, resume = SAID[agent]
    first, *others = find(words, agent=agent, is_by_user=True)
    assert others == []
    assert (first.agent, first.message.who, first.path) == (agent, "user", str(path))
    assert first.resume.endswith(resume)
    assert shlex.split(first.resume)[0] == "cd"
    assert first.message.when.startswith("2026-11-2")
    assert first.after
    assert [hit.session for hit in find(words, agent=agent)] == [first.session]
    assert find("ctxrepo-memory") == []
    assert find("evidence with its age") == []


def test_what_a_session_of_opencode_says(mine: Machine, find: Finder) -> None:
    path = mine.home / ".local/share/opencode/opencode.db"
    (session,) = database(path, "compacted")
    hit, *_ = find("redis listen")
    assert (hit.agent, hit.session, hit.path) == ("opencode", session, str(path))
    assert hit.resume.endswith(f"opencode --session {session}")
    assert find("database tests")[0].message.text == "How do I run the database tests?"
    assert find("gotcha.md", file="topics/gotcha.md")[0].message.who == "agent"
    assert find("evidence with its age") == []


def test_what_a_session_of_cursor_says_though_it_tells_no_moment(mine: Machine, find: Finder) -> None:
    path = mine.home / ".cursor/projects/home-ada-shop/agent-transcripts/c-1/c-1.jsonl"
    path.parent.mkdir(parents=True)
    asked = {"role": "user", "message": {"content": "<user_query>where is the jacana?</user_query>"}}
    answered = {"role": "assistant", "message": {"content": "there is the jacana"}}
    path.write_text(f"{json.dumps(asked)}\n{json.dumps(answered)}\n{json.dumps(asked)}\n")
    os.utime(path, (1795000000, 1795000000))
    (first,) = find("jacana")
    assert first.message.text == "where is the jacana?"
    assert first.after[0].text == "there is the jacana"
    assert first.message.when == "2026-11-18T11:06:40Z"
    assert first.resume == "cursor-agent --resume c-1"


def test_b24_a_snippet_has_80_characters_before_the_first_hit_and_120_from_it(
    mine: Machine, find: Finder
) -> None:
    claude_says(mine, "s-1", [f"{'before ' * 60}zebra {'after ' * 60}"])
    (hit,) = find("zebra")
    assert (BEFORE, AFTER) == (80, 120)
    begun, zebra, rest = hit.message.text.partition("zebra")
    assert (len(begun), len(zebra + rest)) == (80 + len("…"), 120 + len("…"))
    assert (begun[0], rest[-1]) == ("…", "…")
    claude_says(mine, "s-2", ["a short quagga"])
    assert find("quagga")[0].message.text == "a short quagga"


def test_b24_ten_are_shown_and_of_equally_good_ones_the_newest_first(mine: Machine, find: Finder) -> None:
    for number in range(15):
        transcript = ClaudeTranscript(mine, f"s-{number:02}")
        transcript.lines = number
        transcript.user(f"heron {number:02}")
    hits = find("heron")
    assert [hit.message.text for hit in hits] == [f"heron {number:02}" for number in range(14, 4, -1)]
    assert len(find("heron", limit=12)) == 12


def test_words_in_any_form_and_quoted_ones_together(mine: Machine, find: Finder) -> None:
    texts = ["deploying the tests", "the deploy of a cache", "tested deploys"]
    for number, text in enumerate(texts):
        claude_says(mine, f"s-{number}", [text])
    assert {hit.message.text for hit in find("deployed")} == {*texts}
    assert {hit.message.text for hit in find("DEPLOYS test") if not hit.missing} == {texts[0], texts[2]}
    assert [hit.message.text for hit in find('"the tests"')] == ["deploying the tests"]
    assert find('"tests the"') == []
    assert find("zeppelin") == []


def test_by_letters_where_a_script_has_no_blanks(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["redisの接続設定を変更してください", "もう変更しました"])
    for part in ("接続設定", "設定", "設", "redis 変更"):
        assert find(part)[0].message.text.startswith("redis"), part
    assert find("続接") == []
    claude_says(mine, "s-2", ["where does parseHTTPBody get its timeout?"])
    assert find("http timeout")[0].message.text.startswith("where")


def test_what_nobody_said_is_left_out(mine: Machine, find: Finder) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.user("<system-reminder>walrus</system-reminder>")
    transcript.user("look <system-reminder>walrus</system-reminder> here")
    transcript.user('see <ctxrepo-memory tag="a1">\nwalrus\n</ctxrepo-memory tag="a1">')
    transcript.agent('I was told <ctxrepo-memory tag="a1">\nwalrus')
    transcript.user("walrus", isMeta=True)
    transcript.user("walrus", isCompactSummary=True)
    transcript.user("walrus", isSidechain=True)
    transcript.user("This session is being continued from a previous conversation about a walrus")
    transcript.result("a walrus in what a tool gave back")
    transcript.agent("", ("Write", {"file_path": "/a/b.py", "content": "walrus"}))
    assert find("walrus") == []
    assert find("look here")[0].message.text.split() == ["look", "here"]


def test_an_agent_may_speak_of_reminders(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["what is it?", "a <system-reminder>pelican</system-reminder> is a block"])
    assert len(find("pelican")) == 1


def test_what_tools_were_given_is_found_by_command_and_file(mine: Machine, find: Finder) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.user("go")
    transcript.agent(
        "now", ("Bash", {"command": "pytest -k lemur"}), ("Edit", {"file_path": "/srv/shop/cart.py"})
    )
    transcript.agent("mentions cart.py only")
    (hit,) = find("lemur")
    assert hit.message.text == "now [Bash] pytest -k lemur [Edit] /srv/shop/cart.py"
    for file in ("cart.py", "shop/cart.py", "/srv/shop/cart.py"):
        assert [hit.message.id for hit in find(file=file)] == [hit.message.id]
    assert find(file="art.py") == []
    assert find("lemur", file="other.py") == []


def test_agent_project_since_and_user_filter(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["an ibex for ada", "an ibex as an answer"])
    ClaudeTranscript(mine, "s-2", "/srv/else/where").user("an ibex elsewhere")
    place_recorded(mine, "codex")
    assert len(find("ibex")) == 2
    assert len(find("ibex", agent="claude")) == 2
    assert find("ibex", agent="codex") == []
    assert [hit.project for hit in find("ibex", project="where")] == ["where"]
    assert {hit.project for hit in find("ibex", project="SHOP")} == {"shop"}
    assert {hit.message.who for hit in find("ibex", is_by_user=True)} == {"user"}
    moment = int(datetime(2026, 11, 20, 18, 0, 1, tzinfo=UTC).timestamp())
    assert [hit.message.text for hit in find("ibex", since=moment)] == ["an ibex as an answer"]
    assert find("ibex", since=moment + 1) == []


def test_the_project_is_called_as_the_memory_calls_it(mine: Machine, find: Finder) -> None:
    mine.remember("redis listens on 6380")
    assert mine.ctxrepo("status").returncode == 0
    ClaudeTranscript(mine, "s-1", f"{mine.project_folder}/lib/deep").user("an okapi")
    (hit,) = find("okapi", project="git.example.org/ada/shop")
    assert hit.project == "shop"


def test_what_stands_around_a_hit(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["one", "two", "a gannet", "four", "five", "six"])
    (hit,) = find("gannet")
    assert [message.text for message in (*hit.before, hit.message)] == ["two", "a gannet"]
    assert [message.text for message in hit.after] == ["four", "five", "six"]
    (hit,) = find("gannet", context=1)
    assert [message.text for message in (*hit.before, hit.message, *hit.after)] == ["two", "a gannet", "four"]
    (hit,) = find("gannet", context=3)
    assert [message.text for message in hit.before] == ["one", "two"]
    assert [(message.who, message.text) for message in hit.after] == [
        ("agent", "four"),
        ("user", "five"),
        ("agent", "six"),
    ]
    (hit,) = find("gannet", context=0)
    assert (hit.before, hit.after) == ([], [])


def test_the_anchor_before_a_hit_is_told(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["start", "so", "a dugong", "then"])

    def anchor(name: str, second: int, session: str = "s-1", **meta: object) -> str:
        at = f"2026-11-20T18:00:{second:02}.000Z"
        return to_line(Anchor(f"id-{name}", at, name, "handoff", session, "e1", meta, "ada-1")) + "\n"

    lines = anchor("early", 1) + anchor("before", 2, keywords=["sea"], trigger="keyword") + anchor("late", 3)
    mine.write("TAPE/shop/ada-1-202611.jsonl", lines + anchor("other", 2, "s-9"))
    (hit,) = find("dugong")
    assert hit.anchor
    fields = anchor_fields(hit.anchor, hit.anchor.project)
    expected = {key: fields[key] for key in ("id", "name", "project", "keywords", "trigger", "host")}
    assert expected == {
        "id": "id-before",
        "name": "before",
        "project": "shop",
        "keywords": ["sea"],
        "trigger": "keyword",
        "host": "ada-1",
    }
    assert find("start")[0].anchor is None


def test_an_anchor_that_stays_here_is_told_and_without_secrets(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["start", "a dugong"])
    secret = "ghp_" + Maker().text(ALPHABETS["a"], 36)
    meta = {"summary": secret, "purpose": secret, "keywords": [secret]}
    at = "2026-11-20T18:00:00.500Z"
    kept = Anchor("i", at, f"t {secret}", "handoff", "s-1", "e1", meta, "ada-1", project="shop")
    LocalTape(mine.open().state).keep(kept)
    (hit,) = find("dugong")
    assert hit.anchor
    assert (hit.anchor.project, hit.anchor.name) == ("shop", "t [github-token]")
    assert secret not in repr(hit)


def test_copies_in_a_fork_are_found_once_and_in_the_session_where_they_were_said(
    mine: Machine, find: Finder
) -> None:
    first = claude_says(mine, "s-1", ["a tapir once", "yes"])
    fork = ClaudeTranscript(mine, "s-2")
    for line in first.path.read_text().splitlines():
        record = json.loads(line) | {"sessionId": "s-2", "forkedFrom": {"sessionId": "s-1"}}
        fork.add(json.dumps(record))
    fork.user("a tapir in the fork")
    assert sorted((hit.session, hit.message.text) for hit in find("tapir")) == [
        *(("s-1", "a tapir once"), ("s-2", "a tapir in the fork")),
    ]
    first.path.unlink()  # then the copy is what there is
    mine.open().state.root.joinpath("sessions.db").unlink()
    assert {hit.session for hit in find("tapir")} == {"s-2"}


def test_forks_of_opencode_have_copies_with_other_ids(mine: Machine, find: Finder) -> None:
    first, *_ = database(mine.home / ".local/share/opencode/opencode.db", "forked")
    hits = find("redis listen", limit=50)
    texts = [(hit.session, hit.message.text, hit.message.when) for hit in hits]
    assert len({when for _, _, when in texts}) == len(texts)
    assert first in {session for session, _, _ in texts}


def test_what_says_the_same_is_shown_once(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["run the puffin tests", "ok"])
    claude_says(mine, "s-2", ["run the puffin tests", "fine"])
    assert len(find("puffin")) == 1


def test_secrets_are_masked_wherever_they_are_shown(mine: Machine, find: Finder) -> None:
    token = "ghp_" + Maker().text(ALPHABETS["a"], 36)
    claude_says(mine, "s-1", [f"before {token}", f"the marmot {token} key", f"after {token}"])
    (hit,) = find("marmot")
    shown = [hit.message.text, *(message.text for message in (*hit.before, *hit.after))]
    assert len(shown) == 3
    assert all("[github" in text and token[4:] not in text for text in shown)
    (hit,) = find(token)  # whoever knows it finds it, and it isn't repeated
    assert token not in repr(hit)


def test_nothing_of_a_private_key_is_shown_wherever_the_hit_is(mine: Machine, find: Finder) -> None:
    lines = [Maker().text(ALPHABETS["a"], 64) for _ in range(50)]
    key = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"))
    claude_says(mine, "s-1", [f"{key}\nthe wigeon key", f"{key[40:]}\nthe pochard key", "so", key])
    for word in ("wigeon", "pochard", "so"):
        (hit,) = find(word)
        shown = [hit.message.text, *(message.text for message in (*hit.before, *hit.after))]
        assert not any(line[:20] in text or line[-20:] in text for line in lines for text in shown)
        (raw,) = scan_sessions(mine.open(), SessionQuery(f"{word} key")).hits if word != "so" else (hit,)
        assert not any(line[:20] in raw.message.text or line[-20:] in raw.message.text for line in lines)


def test_what_would_act_on_a_terminal_is_written_out(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["a \x1b[31m lynx \x1b[0m \u202e and\r\n more"])
    (hit,) = find("lynx")
    assert not re.search("[\x00-\x1f\u202e]", hit.message.text)
    assert "\\u{1b}" in hit.message.text


def test_a_transcript_that_changed_behind_our_back_gives_nothing_wrong(mine: Machine) -> None:
    transcript = claude_says(mine, "s-1", ["a stoat", "yes"])
    other = claude_says(mine, "s-2", ["a stoat in the other one"])
    memory = mine.open()
    assert update_index(memory, 60).is_complete
    transcript.path.write_text(transcript.path.read_text().replace("stoat", "goats"))
    (hit,) = search_sessions(memory, SessionQuery("stoat")).hits
    assert hit.session == "s-2"
    other.path.unlink()
    with pytest.raises(NotFound):
        search_sessions(memory, SessionQuery("stoat"))


@pytest.mark.parametrize("nothing", ["", "  ", "->", "\0", '""', "(((", "'"])
def test_a_question_that_asks_nothing_is_one_line(nothing: str, mine: Machine) -> None:
    with pytest.raises(UsageError):
        search_sessions(mine.open(), SessionQuery(nothing))


@pytest.mark.parametrize("odd", ['a"b', "a* OR", "NOT a", "NEAR(a b)", "a AND", "col:a", "^a", "漢*", "a'b"])
def test_what_means_something_to_the_index_is_plain_text(odd: str, mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["hello"])
    assert find(odd) == []


@given(st.text(max_size=60))
def test_a_text_holds_its_own_terms(text: str) -> None:
    terms = terms_of(text)
    assert holds(text.replace("\0", " "), terms)
    assert first_hit(text, terms) >= 0
    assert expression(terms).count(" AND ") <= 2 * len(text)


def test_no_transcript_gets_into_the_repository(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["an aardvark"])
    mine.remember("redis listens on 6380")
    assert find("aardvark")
    mine.sync()
    mine.worker().run()
    held = [path for path in mine.clone.rglob("*") if path.is_file() and b"aardvark" in path.read_bytes()]
    objects = mine.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert held == []
    assert objects
    assert not any("aardvark" in mine.git("cat-file", "-p", name) for name in objects)
    state = mine.open().state.root
    assert [
        path.name for path in state.rglob("*") if path.is_file() and b"an aardvark" in path.read_bytes()
    ] == []
    assert Path(state, "sessions.db").stat().st_mode & 0o077 == 0
