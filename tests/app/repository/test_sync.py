"""The memory as a whole, as operations: made, exchanged, looked at, its settings and agents."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.repository import connecting, diagnosis, exchange, preferences, project_names
from ctxrepo.errors import NotInitialised, UsageError
from ctxrepo.services.repository.init import InitRequest
from ctxrepo.services.setup.setup import Plan


@pytest.fixture
def desk(ada: Machine) -> Desk:
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_a_memory_is_made_exchanged_and_looked_at_by_one_desk(desk: Desk, remote: Path) -> None:
    with pytest.raises(NotInitialised):
        desk.perform(diagnosis.status, None)
    made = desk.perform(exchange.init, InitRequest(str(remote)))
    assert (made.data["action"], made.exit_code) == ("created", 0)
    answer = desk.perform(exchange.exchange, exchange.ExchangeRequest())
    assert (answer.data["remote"], answer.exit_code) == ("ok", 0)
    remote.rename(remote.with_name("gone"))
    away = desk.perform(exchange.exchange, exchange.ExchangeRequest())
    assert away.exit_code == exchange.QUEUED
    assert desk.perform(diagnosis.status, None).data["exchanged"]["outcome"] == away.data["remote"]


def test_a_relative_remote_is_from_the_desks_folder(desk: Desk, ada: Machine, remote: Path) -> None:
    nearby = ada.project_folder / "memory.git"
    remote.rename(nearby)
    answer = desk.perform(exchange.init, InitRequest("memory.git"))
    assert answer.data["remote"] == str(nearby)


def test_settings_are_changed_before_there_is_a_memory(desk: Desk) -> None:
    changed = desk.perform(preferences.set_setting, preferences.SetRequest("recall.limit", "5"))
    assert (changed.data["value"], changed.data["changed"]) == (5, True)
    assert desk.perform(preferences.get_setting, preferences.KeyRequest("recall.limit")).value.value == 5
    assert desk.perform(preferences.unset_setting, preferences.KeyRequest("recall.limit")).data["was"] == 5
    setting = desk.perform(preferences.explain_settings, preferences.KeyRequest("recall.limit")).data
    assert setting["value"] == setting["default"]


def test_agents_are_connected_when_somebody_agrees(ada: Machine, desk: Desk) -> None:
    ada.init()
    plans: list[Plan] = []

    def refuses(plan: Plan) -> bool:
        plans.append(plan)
        return False

    claude = connecting.AgentsRequest(["claude"])
    assert (
        not desk.perform(connecting.set_up, connecting.SetupRequest(claude, refuses)).value.done[0].is_applied
    )
    assert [plan.agent for plan in plans] == ["claude"]
    assert desk.perform(connecting.check_setup, claude).exit_code == 1
    assert (
        desk.perform(connecting.set_up, connecting.SetupRequest(claude, lambda _: True))
        .value.done[0]
        .is_applied
    )
    assert desk.perform(connecting.check_setup, claude).exit_code == 0
    with pytest.raises(UsageError):
        desk.perform(connecting.check_setup, connecting.AgentsRequest())


def test_projects_cache_and_faults_are_told(ada: Machine, desk: Desk) -> None:
    ada.init()
    ada.remember("Tests need redis")
    assert desk.perform(project_names.show_project, None).data["folder"] == "shop"
    renamed = desk.perform(project_names.rename, project_names.RenameRequest("store"))
    assert (renamed.data["before"], renamed.data["folder"]) == ("shop", "store")
    assert [
        project.folder for project in desk.perform(project_names.list_projects, None).value if project.id
    ] == ["store"]
    assert desk.perform(diagnosis.verify, None).exit_code == 0
    assert desk.perform(diagnosis.rebuild, None).data["notes"] > 0
    assert desk.perform(diagnosis.list_faults, None).data == {"faults": []}
    answer = desk.perform(diagnosis.doctor, diagnosis.DoctorRequest())
    assert answer.exit_code == (1 if answer.value.findings else 0)
