"""What is done in the folders of sessions, and what becomes of one that can't be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.services.locate.identify import Location
from ctxrepo.services.locate.look import locate_with_git
from ctxrepo.services.worker import work as work_module
from ctxrepo.services.worker.work import Visits
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import Compactions, SpoolEvent


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def visits(ada: Machine, log: list[str]) -> Visits:
    ada.init()
    return Visits(ada.open(), ada.env, lambda: datetime.now(UTC), log.append)


def test_one_folder_that_cannot_be_looked_at_keeps_no_other_from_it(
    ada: Machine, visits: Visits, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(memory: Memory, cwd: Path, *env: Mapping[str, str]) -> Location:
        if cwd.name == "odd":
            raise RuntimeError("nobody reckoned with this")
        return locate_with_git(memory, cwd, *env)

    monkeypatch.setattr(work_module, "locate_with_git", look)
    ada.remember("a fact")
    here, odd = str(ada.project_folder), str(ada.home / "odd")
    assert visits.locate_sessions([SpoolEvent("start", "claude", "s", cwd) for cwd in (odd, here)]) == [
        "shop"
    ]
    assert "nobody reckoned with this" in log[0]


def test_the_project_that_its_own_environment_names_is_not_that_of_other_sessions(
    ada: Machine, visits: Visits
) -> None:
    ada.remember("a fact")
    named = replace(visits, env={**ada.env, "CTXREPO_PROJECT": "team/other"})
    begun = SpoolEvent("start", "claude", "s", str(ada.project_folder))
    assert named.locate_sessions([begun]) == ["shop"]


def test_the_handoff_of_a_compaction_is_left_by_whoever_comes_after_a_kill(
    ada: Machine, visits: Visits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    ada.write("shop/SCRATCHPAD.md", "- [ ] test the 8 s limit\n")
    Compactions(visits.memory.state.compactions).leave(
        SpoolEvent("compact", "claude", "s-1", str(ada.project_folder))
    )
    with monkeypatch.context() as patch:
        patch.setattr(work_module, "hand_over_compaction", killed)
        with pytest.raises(KeyboardInterrupt):
            visits.hand_over()
    Visits(ada.open(), ada.env, visits.now, visits.log).hand_over()
    (tape,) = (ada.clone / "TAPE" / "shop").iterdir()
    assert tape.read_text().count("handoff/compaction") == 1
