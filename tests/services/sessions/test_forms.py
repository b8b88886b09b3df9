"""Sessions of every form that an agent ever wrote are found, read and resumed, and each counts once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

import pytest
from agent_forms import ASKED, EVERY_FORM, FORK, FORMS, GEMINI, SAID, Form, name_of
from machines import Machine
from needs import lacks, unless
from services.sessions.conftest import Finder

from ctxrepo.agents.known import AGENTS, transcripts_of
from ctxrepo.services.health.session_checks import not_understood
from ctxrepo.services.sessions.conversations import read_conversation
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.storage.sessions import transcript_files
from ctxrepo.storage.sessions.session_index import size_of_index
from ctxrepo.storage.state.compiled import CompiledCheckout, record_checkout


def plain_or_marked(form: Form) -> object:
    needs = [unless(lacks("zstd"))] if form.place.endswith(".zst") else []
    return pytest.param(form, marks=needs, id=name_of(form))


EVERY = [*map(plain_or_marked, EVERY_FORM)]
WITH_WORDS = [plain_or_marked(form) for form in EVERY_FORM if form.said]


@pytest.mark.parametrize("form", WITH_WORDS)
def test_a_session_of_every_form_is_found_read_and_resumed(form: Form, mine: Machine, find: Finder) -> None:
    path = form.put(mine.home)
    user = next(text for who, text in form.said if who == "user")
    (hit,) = find(f'"{user}"', agent=form.agent)
    assert (hit.path, hit.message.who, hit.message.text) == (str(path), "user", user)
    assert hit.resume.endswith(form.resume)
    assert bool(hit.resume) == bool(form.resume)
    assert find("NOBODY") == []
    memory = mine.open()
    raw = mine.ctxrepo("search", "--in", "sessions", "--raw", ASKED if ("user", ASKED) in form.said else user)
    assert raw.returncode == 0
    if form.resume:
        part = read_conversation(memory, form.agent, form.session)
        assert part
        pairs = [(m.who, m.text) for m in part.messages if m.text]
        assert pairs == list(form.said)


LONG: dict[str, tuple[str, Callable[[int], dict[str, str]]]] = {
    "gemini/chat.json": (
        "messages",
        lambda n: {"id": f"m{n}", "timestamp": AT.format(n), "type": "user"},
    ),
    "codex/typescript.json": ("items", lambda n: {"type": "message", "role": ("user", "assistant")[n % 2]}),
    "copilot/history.json": ("chatMessages", lambda n: {"role": ("user", "assistant")[n % 2]}),
}
"""Of forms that are one document: the field with its list, and an item of that, but for its content."""
AT = "2025-09-03T09:00:{:02}.250Z"


@pytest.mark.parametrize("fixture", LONG)
def test_a_long_document_is_read_in_pieces_and_each_message_once(
    fixture: str, mine: Machine, find_each: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "PIECE", 900)
    form = next(form for form in EVERY_FORM if form.fixture == fixture)
    field, item = LONG[fixture]
    document = json.loads("\n".join(form.lines()))
    document.pop("timeline", None)
    document[field] = [{**item(n), "content": f"number{n} says coot " + "and more " * 20} for n in range(50)]
    path = form.put(mine.home)
    path.write_text(json.dumps(document, indent=2))
    assert len(find_each("coot", limit=100)) == 50
    for n in (0, 17, 49):
        (hit,) = find_each(f"number{n}")
        assert hit.message.text.startswith(f"number{n} says coot")
    document[field].append({**item(50), "content": "the last coot"})
    path.write_text(json.dumps(document, indent=2))
    assert len(find_each("coot", limit=100)) == 51


@pytest.mark.parametrize("form", EVERY)
def test_no_form_is_told_as_not_understood(form: Form, mine: Machine) -> None:
    form.put(mine.home)
    memory = mine.open()
    assert update_index(memory, 60).is_complete
    size = size_of_index(memory.state.root)
    assert size
    assert size.sessions
    assert not_understood(memory, size.silent) == []


def test_what_a_fork_of_codex_copied_was_said_once(mine: Machine, find: Finder) -> None:
    form = next(form for form in EVERY_FORM if form.fixture == "codex/events.jsonl")
    original = form.put(mine.home)
    fork = original.with_name(f"rollout-2025-06-03T09-00-30-{FORK}.jsonl")
    fork.write_bytes((FORMS / "codex/forked.jsonl").read_bytes())
    (hit,) = find("zebra")
    assert hit.path == str(original)
    (hit,) = find("llama")
    assert (hit.path, hit.session) == (str(fork), FORK)


def test_a_saved_copy_of_a_session_does_not_come_before_it(mine: Machine, find: Finder) -> None:
    paths = [form.put(mine.home) for form in EVERY_FORM if form.fixture.startswith("gemini/ch")]
    (hit,) = find("maxmemory", limit=1)
    assert hit.path == str(paths[-1])


def test_of_what_was_typed_only_that_counts_of_which_no_transcript_is_left(
    mine: Machine, find: Finder
) -> None:
    forms = {form.fixture: form for form in EVERY_FORM if form.agent == "gemini"}
    chat, logs = forms["gemini/chat.jsonl"].put(mine.home), forms["gemini/logs.json"].put(mine.home)
    entries = [entry for entry in json.loads(logs.read_text()) if entry["sessionId"] == GEMINI]
    logs.write_text(json.dumps(entries, indent=2))
    assert [hit.path for hit in find("zebra")] == [str(chat)]
    size = size_of_index(mine.open().state.root)
    assert size
    assert size.messages == 5  # those of the chat
    entries += [{**entries[0], "sessionId": "gone", "message": "where is the okapi?"}]
    logs.write_text(json.dumps(entries, indent=2))
    (hit,) = find("okapi")
    assert (hit.path, hit.resume) == (str(logs), "")
    chat.unlink()
    assert [hit.path for hit in find("zebra")] == [str(logs)]


def test_a_session_that_is_there_in_two_forms_counts_once(mine: Machine, find: Finder) -> None:
    forms = [form for form in EVERY_FORM if form.agent == "cursor"]
    paths = [form.put(mine.home) for form in forms]
    (hit,) = find("zebra")
    assert hit.path == str(paths[3])
    for path in paths[:-1]:
        path.unlink()
    (hit,) = find("zebra")
    assert hit.path == str(paths[-1])
    assert [(hit.message.who, hit.message.text) for hit in find("maxmemory")] == [SAID[3]]


@pytest.mark.parametrize("fixture", ["cursor/transcript.jsonl", "cursor/store.jsonl", "gemini/chat.json"])
def test_the_folder_is_known_where_only_a_name_tells_it(fixture: str, mine: Machine, find: Finder) -> None:
    form = next(form for form in EVERY_FORM if form.fixture == fixture)
    top, known = str(mine.project_folder), transcripts_of(form.agent)
    assert known
    names: Callable[[str], Sequence[str]] = getattr(known, "folder_names", lambda _: ())
    first, last = names(top)[0], names(top)[-1]
    moved = form.place.replace("home-ada-shop", first).replace("0123abcd", last)
    replace(form, place=moved.replace("tmp/shop", f"tmp/{last}")).put(mine.home, cwd="")
    (hit,) = find("zebra")
    assert hit.cwd == ""
    record_checkout(mine.places.state, CompiledCheckout(top, "c", "1", "p-1", "shop", "p-1"))
    (hit,) = find("zebra", project="shop")
    assert hit.cwd == top
    assert hit.resume.startswith(f"cd {top} && ")


def test_doctor_names_what_is_not_understood_by_agent(mine: Machine, find: Finder) -> None:
    strange = '{"kind": "utterance", "by": "ada", "words": "a zebra of the next form"}\n'
    others = [form for form in EVERY_FORM if form.resume and not form.is_made and form.agent != "cursor"]
    places = {form.agent: mine.home / form.place for form in others}
    for path in places.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(strange * 3)
    places["opencode"] = mine.home / ".local/share/opencode/opencode.db"
    places["cursor"] = mine.home / f".cursor/chats/0123/{FORK}/store.db"
    for name in ("opencode", "cursor"):
        places[name].parent.mkdir(parents=True)
        with closing(sqlite3.connect(places[name])) as db, db:
            db.execute("create table said (words text)")
    assert find("zebra") == []
    output = mine.ctxrepo("doctor").stdout
    for agent, path in places.items():
        title = AGENTS[agent].title
        assert f"in 1 transcript of {title} nothing was understood, such as {path}" in output
    assert "`ctxrepo search --in sessions --raw TEXT` finds text in it." in output
    places["claude"].write_text('{"type": "summary", "summary": "nobody said a thing"}\n')
    find("zebra")
    assert "Claude Code nothing was understood" not in mine.ctxrepo("doctor").stdout


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_what_was_typed_is_found_when_the_agent_has_deleted_the_transcript(
    agent: str, mine: Machine, find: Finder
) -> None:
    names = (f"{agent}/history.jsonl", {"claude": "claude/editor.jsonl", "codex": "codex/items.jsonl"}[agent])
    typed, transcript = (
        next(form for form in EVERY_FORM if form.fixture == name).put(mine.home) for name in names
    )
    assert [hit.path for hit in find("zebra")] == [str(transcript)]
    transcript.unlink()
    (hit,) = find("zebra")
    assert (hit.path, hit.resume) == (str(typed), "")
    assert "doesn't go on" in hit.no_resume
