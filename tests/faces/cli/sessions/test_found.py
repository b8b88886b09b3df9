"""`ctxrepo search --in sessions` as a person and a program see it."""

from __future__ import annotations

import shlex

import pytest
from machines import Machine
from sessions import Session, connected, eventually
from transcripts import ClaudeTranscript, claude_says

from ctxrepo.storage.sessions.session_index import SessionIndex, index_file


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    claude_says(ada, "s-1", ["where is the godwit?", "there", "and then a godwit \x1b[2J again"])
    return ada


def test_a_hit_and_the_way_back(mine: Machine) -> None:
    run = mine.ctxrepo("search", "--in", "sessions", "where godwit")
    assert (run.returncode, run.stderr) == (0, "")
    first, hit, after, _again, resume = run.stdout.splitlines()
    assert first.split("  ")[1:] == ["Claude Code", "shop", "you"]
    assert (hit, after) == ("  > where is the godwit?", "    agent: there")
    assert resume == f"  resume  cd {shlex.quote(str(mine.project_folder))} && claude --resume s-1"
    again = mine.ctxrepo("search", "where godwit", "--in", "sessions", "--context", "0")
    assert (len(again.stdout.splitlines()), again.stderr) == (3, "")


def test_it_is_said_where_nothing_has_all_words(mine: Machine) -> None:
    run = mine.ctxrepo("search", "--in", "sessions", "did we decide where the godwit nests")
    first, _, head, *_ = run.stdout.splitlines()
    assert first == "nothing has all of these words, so what has some of them; nobody said decide, nests:"
    assert head.split("  ")[1:] == ["Claude Code", "shop", "you"]
    data = mine.json("search", "--in", "sessions", "did we decide where the godwit nests")["data"]
    assert (data["all_words"], data["unknown"]) == (False, ["decide", "nests"])
    assert data["hits"][0]["missing"] == ["decide", "nests"]


def test_a_command_is_printed_whole_or_not_at_all(mine: Machine) -> None:
    for session, cwd in (("s-2", "/srv/" + "long " * 150), ("s-3", "/srv/two\nlines")):
        ClaudeTranscript(mine, session, cwd).user(f"the avocet of {session}")
    *_, resume = mine.ctxrepo("search", "--in", "sessions", '"avocet of s-2"').stdout.splitlines()
    assert resume == f"  resume  cd '/srv/{'long ' * 150}' && claude --resume s-2"
    for words in (["--raw"], []):
        *_, resume = mine.ctxrepo("search", "--in", "sessions", "avocet of s-3", *words).stdout.splitlines()
        assert resume == "  resume  no command: the name of its folder has characters that can't be seen"


def test_exit_3_where_nothing_is_found_and_json(mine: Machine) -> None:
    run = mine.ctxrepo("search", "--in", "sessions", "unicorn")
    assert (run.returncode, run.stdout) == (3, "")
    assert mine.json("search", "--in", "sessions", "unicorn", "--raw")["exit"] == 3
    answer = mine.json("search", "--in", "sessions", "godwit", "--user", "--limit", "1")
    assert answer["exit"] == 0
    assert len(answer["data"]["hits"]) == 1
    assert "\x1b" not in str(answer)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--in", "mail", "x"], "nothing is searched in 'mail'"),
        (["x", "--user"], "--user needs --in sessions"),
        (["x", "--raw"], "--raw needs --in sessions"),
        (["x", "--in", "sessions", "--tag", "t"], "--tag doesn't go with --in sessions"),
        (["x", "--context", "2"], "--context needs --in sessions"),
        (["x", "--in", "sessions", "--mode", "both"], "--mode doesn't go with --in sessions"),
        (["x", "--in", "sessions", "-i"], "--ignore-case needs --raw"),
        (["x", "--in", "sessions", "--regex"], "--regex doesn't go with --in sessions"),
        (["x", "--in", "sessions", "--agent", "me"], "no agent is called 'me'"),
        (["x", "--in", "sessions", "--since", "soon"], "'soon' is no date"),
        (["--in", "sessions"], "there is nothing to search for"),
        ([*map(str, range(1200))], "the search has 1200 words"),
    ],
)
def test_what_was_typed_wrong_is_one_line(words: list[str], message: str, mine: Machine) -> None:
    run = mine.ctxrepo("search", *words)
    assert run.returncode == 2
    assert message in run.stderr.splitlines()[0]


@pytest.mark.slow
def test_the_worker_reads_sessions_when_a_turn_has_ended(ada: Machine) -> None:
    connected(ada)
    transcript = claude_says(ada, "s-1", ["where is the godwit?", "there"])
    session = Session(ada, "s-1")
    session.hook("SessionStart")
    session.hook("Stop", transcript_path=str(transcript.path))
    eventually(lambda: messages(ada) == 2, 20)
    transcript.user("another godwit")
    session.hook("PostToolUse", "PostToolUse-read")
    session.hook("Stop", transcript_path=str(transcript.path))
    eventually(lambda: messages(ada) == 3, 20)


def messages(machine: Machine) -> int:
    """How many are in the index by now."""
    file = index_file(machine.open().state.root)
    if not file.exists():
        return 0
    with SessionIndex.opened(file) as index:
        return index.size().messages
