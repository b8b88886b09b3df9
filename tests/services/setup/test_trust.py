"""Whether an agent trusts our hooks is asked of the agent, which may be slow, odd or gone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from connecting import put
from long import rotating

from ctxrepo.agents.codex import trust as codex
from ctxrepo.errors import UsageError
from ctxrepo.services.setup import obstacles as asking
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.obstacles import find_distrust, hint_of, left_of, trust
from ctxrepo.storage.processes.process import RpcFailed

SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"method": "a/notice"}), flush=True)
    if asked["method"] == "hooks/list":
        trusted = open(%(file)r).read() if %(file)r else ""
        hook = {"key": "k", "currentHash": "sha256:1", "pluginId": "ctxrepo@x",
                "trustStatus": "trusted" if "sha256:1" in trusted else "untrusted"}
        result = {"data": [{"hooks": [hook]}]}
    else:
        result = {}
    if asked["method"] == "config/batchWrite":
        open(%(file)r, "w").write(asked["params"]["edits"][0]["value"])
    print(json.dumps({"id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An app server that stands for Codex: it lists one hook, and trusts it when it is told to."""
    file = tmp_path / "trusted"
    file.write_text("")
    program = tmp_path / "codex.py"
    program.write_text(SERVER % {"file": str(file)})
    monkeypatch.setattr(codex, "PROGRAM", (sys.executable, str(program)))
    return program


def test_a_hook_that_is_not_trusted_is_found_until_it_is(server: Path, machine: Machine) -> None:
    distrust = find_distrust("codex", machine)
    assert distrust
    assert (distrust.is_certain, distrust.finding.level) == (True, "error")
    assert distrust.finding.problem == "Codex skips 1 hook of ours in silence: you haven't trusted them"
    assert trust("codex", machine) == 1
    assert find_distrust("codex", machine) is None


def test_of_one_that_cannot_be_called_here_it_is_a_note_that_nobody_knows(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codex, "PROGRAM", ("/no/such/program",))
    distrust = find_distrust("codex", machine)
    assert distrust
    assert (distrust.is_certain, distrust.finding.level) == (False, "note")
    problem = "it can't be told whether Codex trusts our hooks: `/no/such/program` can't be called here"
    assert distrust.finding.problem == problem
    with pytest.raises(RpcFailed, match="could not be started"):
        trust("codex", machine)


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    rotating(
        [
            "import time; time.sleep(60)",
            "pass",
            "print('no JSON', flush=True)",
            "print('x' * 10_000_000, flush=True)",
            'print(\'{"id": 1, "error": {"message": "no"}}\', flush=True)',
        ]
    ),
    ids=["mute", "gone", "odd", "chatty", "refusing"],
)
def test_an_odd_one_is_a_failure_within_the_time(
    server: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(asking, "SECONDS", 1.0)
    server.write_text(program)
    with pytest.raises(RpcFailed):
        trust("codex", machine)
    distrust = find_distrust("codex", machine)
    assert distrust
    assert (distrust.is_certain, distrust.finding.level) == (False, "warning")


@pytest.mark.parametrize(
    ("config", "is_left"),
    [
        (None, False),
        (b"[features]\nhooks = true\n", False),
        (b'[hooks.state."/elsewhere/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n', False),
        (b'[hooks.state."FOLDER/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n', True),
        (b"torn =", True),
        (b"\xff", True),
    ],
)
def test_entries_of_trust_that_stay_are_told_where_there_are_any(
    machine: Machine, home: Path, config: bytes | None, is_left: bool
) -> None:
    folder = home / ".codex"
    put(folder / "config.toml", config and config.replace(b"FOLDER", str(folder).encode()))
    assert left_of("codex", machine) == ((f"{codex.LEFT}.",) if is_left else ())


def test_agents_that_ask_for_no_trust_are_not_asked(machine: Machine) -> None:
    assert hint_of("claude") == left_of("claude", machine) == ()
    assert find_distrust("claude", machine) is None
    with pytest.raises(UsageError, match="without asking for trust"):
        trust("claude", machine)
