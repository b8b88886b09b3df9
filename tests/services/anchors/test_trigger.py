"""What an anchor is left for is told by the session's ledger, never by the agent (D22, D55, D57)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from machines import Machine, make_machine
from processes import wait_for_workers

from ctxrepo.hooks.session.ledger import add, read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.hooks.session.ledger_words import SessionRecord

SESSION = "528a2201-99c9-4828-9c27-c6aefe2ed6df"
IN_SESSION = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
ASKS = "Migration then REFACTOR it"


@pytest.fixture
def person(tmp_path: Path) -> Machine:
    """Somebody's own shell on a machine where keywords are set."""
    machine = make_machine(tmp_path, "ada")
    machine.init()
    assert machine.ctxrepo("config", "set", "tape.keywords", "refactor,migration").returncode == 0
    machine.ctxrepo("remember", "a fact")  # the project is known from here on
    return machine


@pytest.fixture
def agent(person: Machine) -> Machine:
    """The same as a shell of the agent's session finds it."""
    return Machine(person.home, IN_SESSION)


@pytest.fixture
def off_dev() -> Iterator[Path]:
    """A folder that isn't below /dev, of which pi-memory-md's tape keeps nothing; pytest's may be there."""
    with TemporaryDirectory() as folder:
        yield Path(folder).resolve()


def hook(machine: Machine, event: str, **fields: str) -> str:
    """What the agent's model is given at this event."""
    place = {"session_id": SESSION, "cwd": str(machine.project_folder), "transcript_path": "/none"}
    done = machine.ctxrepo("hook", "claude", event, stdin=json.dumps({**place, **fields}))
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout) if done.stdout else {}
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def wanted_name(machine: Machine, prompt: str = ASKS) -> str:
    """The name that the prompt's instruction asks for."""
    hook(machine, "SessionStart", source="startup")
    (name,) = re.findall(
        r"^ctxrepo anchor (\S+) --summary", hook(machine, "UserPromptSubmit", prompt=prompt), re.M
    )
    return str(name)


def meta(machine: Machine, *words: str) -> dict[str, Any]:
    """What is left by `ctxrepo anchor` with these words."""
    answer = machine.json("anchor", *words)
    assert answer["ok"], answer
    fields: dict[str, Any] = answer["data"]["meta"]
    return fields


def ledger(machine: Machine) -> SessionRecord:
    return read_ledger(ledger_path(str(machine.places.state), "claude", SESSION), "")


def test_d56_the_anchor_that_keywords_ask_for_says_so(agent: Machine) -> None:
    name = wanted_name(agent)
    assert re.fullmatch(r"handoff/keyword-migration-\d{6}", name)
    fields = meta(agent, name, "--summary", "Moves payments", "--keyword", "money", "--keyword", "refactor")
    assert (fields["trigger"], fields["keywords"]) == ("keyword", ["migration", "refactor", "money"])
    assert ledger(agent).anchor_request is None
    assert meta(agent, name)["trigger"] == "direct"


def test_d55_an_anchor_of_another_name_is_direct_and_the_keywords_are_done_with(agent: Machine) -> None:
    name = wanted_name(agent)
    fields = meta(agent, "another/name")
    assert fields == {"trigger": "direct"}
    assert meta(agent, name)["trigger"] == "direct"


def test_d56_the_next_prompt_without_a_keyword_ends_it(agent: Machine) -> None:
    name = wanted_name(agent)
    hook(agent, "UserPromptSubmit", prompt="something else entirely, please")
    assert meta(agent, name)["trigger"] == "direct"


def test_d57_what_the_user_asks_for_is_manual_whatever_its_name(agent: Machine, person: Machine) -> None:
    hook(agent, "SessionStart", source="startup")
    instruction = agent.json("anchor", "--from-prompt", "the retries of the payments")["data"]["instruction"]
    assert "ctxrepo anchor NAME" in instruction
    assert instruction.endswith("The user's request: the retries of the payments")
    name = wanted_name(agent)
    assert ledger(agent).anchor_request is not None
    assert meta(agent, name)["trigger"] == "manual"
    assert meta(agent, "another/name")["trigger"] == "direct"


def test_d58_tools_are_pis_alone_whatever_config_toml_says(agent: Machine) -> None:
    assert agent.ctxrepo("config", "set", "tape.tools", "true").returncode == 0
    hook(agent, "SessionStart", source="startup")
    instruction = agent.json("anchor", "--from-prompt", "the retries of the payments")["data"]["instruction"]
    assert "run this:\nctxrepo anchor NAME" in instruction
    assert "tape_handoff" not in instruction


def test_d57_it_survives_prompts_and_a_compaction_until_an_anchor_is_left(agent: Machine) -> None:
    hook(agent, "SessionStart", source="startup")
    agent.ctxrepo("anchor", "--from-prompt", "the retries of the payments")
    for prompt in (ASKS, "something else entirely, please"):
        hook(agent, "UserPromptSubmit", prompt=prompt)
    hook(agent, "SessionStart", source="compact")
    assert meta(agent, "payments/retries")["trigger"] == "manual"


def test_d57_from_a_persons_shell_it_is_the_newest_session_of_the_project(
    agent: Machine, person: Machine
) -> None:
    nobody = person.json("anchor", "--from-prompt", "the retries")
    assert (nobody["exit"], nobody["error"]["code"]) == (3, "not_found")
    hook(agent, "SessionStart", source="startup")
    assert person.ctxrepo("anchor", "--from-prompt", "the retries").returncode == 0
    assert meta(person, "by/hand")["trigger"] == "direct"
    assert meta(agent, "payments/retries")["trigger"] == "manual"


def test_d57_a_session_that_has_ended_is_asked_only_where_none_goes_on(
    agent: Machine, person: Machine
) -> None:
    hook(agent, "SessionStart", source="startup")
    later = {"session_id": "later", "cwd": str(agent.project_folder), "source": "startup"}
    person.ctxrepo("hook", "claude", "SessionStart", stdin=json.dumps(later))
    wait_for_workers(person)  # one that sees the start after this would take the session for one that goes on
    ended = ledger_path(str(person.places.state), "claude", "later")
    now = int(time.time())
    add(ended, [f"ended {now} /a/file with blanks.jsonl"])
    assert read_ledger(ended, "").transcript == "/a/file with blanks.jsonl"
    assert person.ctxrepo("anchor", "--from-prompt", "the retries").returncode == 0
    assert read_ledger(ended, "").anchor_request is None
    assert ledger(agent).anchor_request is not None
    add(ended.replace("later", SESSION), [f"ended {now} ", "wanted -"])
    assert person.ctxrepo("anchor", "--from-prompt", "the retries").returncode == 0
    asked = [read_ledger(ended, "").anchor_request, ledger(agent).anchor_request]
    assert [bool(wanted) for wanted in asked].count(True) == 1


def test_d57_a_session_may_be_named_by_the_beginning_of_its_id(agent: Machine, person: Machine) -> None:
    hook(agent, "SessionStart", source="startup")
    assert person.ctxrepo("anchor", "--from-prompt", "retries", "--session", SESSION[:6]).returncode == 0
    assert meta(agent, "payments/retries")["trigger"] == "manual"
    assert person.ctxrepo("anchor", "--from-prompt", "retries", "--session", "nope").returncode == 3


def test_an_anchor_that_the_guard_refuses_is_still_asked_for(agent: Machine) -> None:
    hook(agent, "SessionStart", source="startup")
    agent.ctxrepo("anchor", "--from-prompt", "the retries of the payments")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert agent.ctxrepo("anchor", "payments/retries", "--summary", token).returncode == 6
    assert meta(agent, "payments/retries")["trigger"] == "manual"


@pytest.mark.parametrize(
    "words", [(), ("a", "--from-prompt", "b"), ("a", "--session", SESSION), ("--from-prompt", "  ")]
)
def test_what_cannot_be_meant_is_said_in_a_line(person: Machine, words: tuple[str, ...]) -> None:
    done = person.ctxrepo("anchor", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_d22_pis_keywords_hold_for_pis_sessions_alone(off_dev: Path) -> None:
    person = make_machine(off_dev, "ada")
    person.init()
    assert person.ctxrepo("config", "set", "tape.keywords", "refactor").returncode == 0
    settings = person.home / ".pi/agent/settings.json"
    settings.parent.mkdir(parents=True)
    keywords = {"global": ["Deploy"], "project": ["rollback "]}
    settings.write_text(json.dumps({"pi-memory-md": {"tape": {"anchor": {"keywords": keywords}}}}))
    person.ctxrepo("status")  # any command publishes what holds
    prompt = "a DEPLOY, a rollback or a refactor"
    payload = {"session": "s-1", "cwd": str(person.project_folder), "prompt": prompt, "source": "startup"}
    person.ctxrepo("hook", "pi", "session_start", stdin=json.dumps(payload))
    given = json.loads(person.ctxrepo("hook", "pi", "before_agent_start", stdin=json.dumps(payload)).stdout)
    (name,) = re.findall(r'tape_handoff with name "(handoff/keyword-rollback-\d{6})"', given["context"])
    pi = Machine(person.home, {"PI_SESSION_ID": "s-1", "PI_CODING_AGENT": "true"})
    assert meta(pi, name)["keywords"] == ["rollback", "deploy"]
    assert "keyword-refactor-" in hook(person, "UserPromptSubmit", prompt=prompt)
    wait_for_workers(person)


class TestManualMode:
    """D22 and D55: an agent leaves an anchor only where its user asks for one."""

    @pytest.fixture(autouse=True)
    def mode(self, person: Machine) -> None:
        assert person.ctxrepo("config", "set", "tape.mode", "manual").returncode == 0

    @pytest.mark.parametrize("words", [("anchor", "my/own"), ("handoff", "my/own", "--goal", "g")])
    def test_d55_an_agents_own_is_refused(self, agent: Machine, words: tuple[str, ...]) -> None:
        hook(agent, "SessionStart", source="startup")
        done = agent.ctxrepo(*words)
        assert (done.returncode, done.stdout) == (6, "")
        assert "tape.mode is manual" in done.stderr
        assert "--from-prompt" in done.stderr
        assert not list(agent.clone.glob("TAPE/**/*.jsonl"))

    def test_d55_one_that_its_user_asked_for_is_not(self, agent: Machine) -> None:
        hook(agent, "SessionStart", source="startup")
        agent.ctxrepo("anchor", "--from-prompt", "the retries of the payments")
        assert meta(agent, "payments/retries")["trigger"] == "manual"
        assert agent.ctxrepo("anchor", "payments/retries").returncode == 6

    def test_d55_nor_one_that_keywords_ask_for_by_its_name(self, agent: Machine) -> None:
        assert meta(agent, wanted_name(agent))["trigger"] == "keyword"

    def test_d55_another_name_is_refused_and_ends_what_keywords_asked_for(self, agent: Machine) -> None:
        name = wanted_name(agent)
        assert agent.ctxrepo("anchor", "another/name").returncode == 6
        assert ledger(agent).anchor_request is None
        assert agent.ctxrepo("anchor", name).returncode == 6

    def test_d55_a_handoff_that_was_asked_for_is_left(self, agent: Machine) -> None:
        hook(agent, "SessionStart", source="startup")
        agent.ctxrepo("anchor", "--from-prompt", "hand over the retries")
        assert agent.json("handoff", "--goal", "Retries")["ok"]
        (tape,) = agent.clone.glob("TAPE/shop/*.jsonl")
        assert json.loads(tape.read_text())["meta"]["trigger"] == "manual"

    @pytest.mark.parametrize("words", [("anchor", "by/hand"), ("handoff", "--goal", "g")])
    def test_d55_a_person_is_never_refused(self, person: Machine, words: tuple[str, ...]) -> None:
        assert person.json(*words)["ok"]

    def test_d55_pis_own_setting_holds_for_pi_alone(self, person: Machine) -> None:
        person.ctxrepo("config", "set", "tape.mode", "auto")
        settings = person.home / ".pi/agent/settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"pi-memory-md": {"tape": {"anchor": {"mode": "manual"}}}}))
        pi = Machine(person.home, {"PI_SESSION_ID": "s-1", "PI_CODING_AGENT": "true"})
        claude = Machine(person.home, IN_SESSION)
        assert claude.ctxrepo("anchor", "my/own").returncode == 0
        assert pi.ctxrepo("anchor", "my/own").returncode == 6
