"""Status says where the memory stands, from what is known on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from connecting import workplace
from machines import NOW, Machine

from ctxrepo.app.views.health import status_view
from ctxrepo.app.views.view import Field
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.settings.values import RepositorySettings
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.health.status import Status, status
from ctxrepo.services.history.undoing import undo
from ctxrepo.services.locate.identify import Location
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.user.config import write_repository


def now(machine: Machine) -> Status:
    return status(machine.open(), Location(machine.project()), workplace(machine))


def test_waiting_counts_what_was_said_not_the_files_it_took(ada: Machine) -> None:
    ada.init()
    assert (now(ada).waiting, now(ada).ahead, now(ada).exchanged.fetched) == (0, 0, None)
    ada.remember("one", pin=True)  # note, registry and evidence
    ada.remember("two")
    anchor(ada.open(), AnchorRequest("a/b"), ada.project(), Origin("h"), NOW)
    assert now(ada).waiting == 3
    commit(ada.open(), NOW)
    assert now(ada).waiting == 0


@pytest.mark.slow
def test_ahead_and_behind_the_remote_as_last_seen(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, ben = pair
    ada.remember("one")
    commit(ada.open(), NOW)
    assert (now(ada).ahead, now(ada).behind) == (1, 0)
    ada.sync()
    ben.git("fetch", "-q", "origin")
    assert (now(ben).ahead, now(ben).behind) == (0, 1)
    assert now(ada).exchanged.outcome == "ok"
    assert now(ada).exchanged.fetched is not None
    assert (now(ada).remote, now(ada).branch) == (str(remote), "main")


def test_before_the_first_push_everything_is_ahead(ada: Machine, remote: Path) -> None:
    ada.init()
    ada.remember("one")
    commit(ada.open(), NOW)
    refuses = remote / "hooks" / "pre-receive"
    refuses.parent.mkdir(exist_ok=True)
    refuses.write_text("#!/bin/sh\nexit 1\n")
    refuses.chmod(0o755)
    ada.init(str(remote))
    assert now(ada).ahead == 2


def test_notes_are_those_in_scopes(ada: Machine) -> None:
    ada.init()
    before = now(ada).notes
    ada.write("shop/a.md", "- x\n")
    ada.write("shop/a.jsonl", "{}\n")
    ada.write("b.md", "- x\n")
    assert now(ada).notes == before + 1


def test_what_stops_the_memory_is_told_with_the_way_out(ada: Machine) -> None:
    ada.init()
    assert now(ada).obstacle == ""
    (ada.clone / ".git/rebase-merge").mkdir()
    assert "a rebase is unfinished" in now(ada).obstacle
    assert "Finish or abort it" in now(ada).obstacle
    (ada.clone / ".git/rebase-merge").rmdir()
    (ada.clone / "global/link.md").symlink_to("x")
    ada.sync()
    assert any("link.md" in fault for fault in now(ada).faults)


def test_it_tells_where_the_clone_is(ada: Machine) -> None:
    ada.init()
    assert (now(ada).branch, now(ada).checked_out) == ("main", "main")
    ada.git("switch", "-q", "-c", "experiment")
    assert (now(ada).branch, now(ada).checked_out) == ("main", "experiment")
    ada.git("switch", "-q", "--detach")
    assert now(ada).checked_out == ""


def test_a_password_in_the_remotes_address_is_not_shown(ada: Machine) -> None:
    ada.init()
    config = ada.open().places.config_file
    for address in ("https://ada:s3cr3t-w0rd@git.example.org/m.git", "https://git.example.org/m.git"):
        write_repository(config, RepositorySettings(path=str(ada.clone), remote=address))
        publish_settings(ada.open(), sys.executable)
        assert now(ada).remote == address.replace("ada:s3cr3t-w0rd@", "…@")


def test_proposals_are_counted_until_they_are_dropped(ada: Machine) -> None:
    ada.init()
    assert now(ada).staged == 0
    memory = ada.open()
    for text in ("one", "two"):
        propose(memory, Fact(text), ada.project(), Origin(memory.host), NOW)
    assert now(ada).staged == 2
    undo(ada.open(), Origin(memory.host), NOW)
    assert now(ada).staged == 1
    (section,) = status_view(now(ada), NOW).sections
    fields = {part.label: part.lines for part in section.parts if isinstance(part, Field)}
    assert fields["inbox"][0].startswith("1 proposal waits: `ctxrepo inbox`; ")


def test_a_project_without_notes_may_be_another_one_by_a_new_address(ada: Machine) -> None:
    ada.init()
    assert not now(ada).knows_others
    ada.remember("one")
    assert not now(ada).knows_others
    (ada.project_folder / ".git/config").write_text(
        (ada.project_folder / ".git/config").read_text().replace("shop", "store")
    )
    assert now(ada).knows_others
