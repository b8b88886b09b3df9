"""Health: who was served last, when the remote last answered."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from machines import Machine

from ctxrepo.services.faults.faults import LastExchange, last_exchange, last_served


def test_the_session_that_was_answered_last_is_told_with_its_project(ada: Machine) -> None:
    ada.init()
    memory = ada.open()
    assert last_served(memory) is None
    memory.places.sessions.mkdir(exist_ok=True)
    mark = f"@{memory.state.id}"
    answers = {
        "old": f"began 100\ncwd /code\n{mark} project shop\n{mark} entry abc x\n",
        "new": f"began 200\ncwd /code\n{mark} project ?\n{mark} entry abc x\n{mark} entry abd x\n",
        "sub": "began 300\nof new\n",
    }
    for number, (name, lines) in enumerate(answers.items()):
        file = memory.places.sessions / f"claude-{name}"
        file.write_text(lines)
        os.utime(file, (1000 + number,) * 2)
    served = last_served(memory)
    assert served
    assert (served.agent, served.session, served.project, served.given) == ("claude", "new", "", 2)
    assert served.at == datetime.fromtimestamp(1001, UTC)
    os.utime(memory.places.sessions / "claude-old", (5000, 5000))
    served = last_served(memory)
    assert served
    assert (served.session, served.project) == ("old", "shop")


def test_the_last_exchange_and_the_last_that_went_well(ada: Machine, remote: Path) -> None:
    ada.init()
    assert last_exchange(ada.open()) == LastExchange()
    ada.init(str(remote))
    well = last_exchange(ada.open())
    assert (well.outcome, well.fetched == well.at) == ("ok", True)
    ada.sync()
    remote.rename(remote.with_name("gone.git"))
    ada.sync()
    failed = last_exchange(ada.open())
    assert failed.outcome not in ("", "ok")
    assert failed.at
    assert failed.fetched
    assert failed.fetched <= failed.at
