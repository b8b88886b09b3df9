"""A session that is played leaves what Claude Code and hooks leave of one."""

from __future__ import annotations

from datetime import datetime, timedelta

from machines import NOW, Machine

from ctxrepo.services.delivery.sessions import sessions
from ctxrepo.services.demo.agent_sessions import AgentSession
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.sessions.conversations import read_conversation
from ctxrepo.services.usage.entry_usage import counted_here, observe
from ctxrepo.services.usage.read_traces import traces

ID = "8f2e1c3d-5b6a-4f7a-9d3b-000000000001"
BEGAN: datetime = NOW + timedelta(hours=1)


def test_prompts_and_answers_are_in_a_transcript_and_what_was_recalled_is_counted(ada: Machine) -> None:
    ada.init()
    ada.remember("Tests need Valkey on port 6390: `make valkey` starts it", category="gotcha")
    memory, project = ada.open(), ada.project()
    commit(memory, NOW)
    assert project
    session = AgentSession(memory, project, ada.project_folder, "claude", ID, BEGAN)
    session.talk([("Which port does Valkey listen on in tests?", ""), ("ok, thanks", "Nothing more to do.")])
    session.talk([("Which port does Valkey listen on in tests?", "")])
    observe(memory, [session.end(BEGAN + timedelta(minutes=5))], BEGAN.timestamp())

    part = read_conversation(memory, "claude", ID, 1 << 20)
    assert part
    user, agent = part.messages
    assert (user.who, user.text) == ("user", "Which port does Valkey listen on in tests?")
    assert agent.text.startswith("[gotcha] Tests need Valkey on port 6390")
    assert datetime.fromisoformat(user.when) == BEGAN
    first, second, third = traces(memory)
    assert [len(trace.given) for trace in (first, second, third)] == [1, 0, 1]
    assert second.silence.startswith("the prompt is too short")
    (counted,) = counted_here(memory)
    assert (counted.delivered, counted.used) == (2, 1)
    (ledger,) = sessions(memory, BEGAN + timedelta(hours=1))
    assert (ledger.session, ledger.given, ledger.project) == (ID, 1, "shop")
    assert ledger.touched == (BEGAN + timedelta(minutes=5)).timestamp()
