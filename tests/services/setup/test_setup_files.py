"""Settings as people have them: ours is added, theirs stays, and every byte comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from connecting import FILES, connect, disconnect, everything, fixture, loaded, named, ours, put, theirs

from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.domain.formats import jsontext
from ctxrepo.errors import ConfigError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check

every_file = pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
every_old_file = pytest.mark.parametrize("name", named("ours-"))


def wanted(machine: Machine) -> dict[str, dict[str, object]]:
    """The group that each event shall have."""
    return SETTINGS.entries(lambda event: machine.line("claude", event))


def test_there_are_files_of_many_kinds() -> None:
    assert len(FILES) > 15
    assert len(named("ours-")) > 1
    assert len(named("refused-")) > 1


@every_file
def test_our_hooks_stand_behind_theirs(machine: Machine, settings: Path, data: bytes | None) -> None:
    put(settings, data)
    connect(machine)
    before, after = loaded(data), loaded(settings.read_bytes())
    hooks = before.pop("hooks", {})
    events = {event: [*hooks.get(event, []), group] for event, group in wanted(machine).items()}
    assert after.pop("hooks") == {**hooks, **events}
    assert after == before
    assert check("claude", machine).state == "current"


@every_file
def test_setup_twice_changes_nothing(
    home: Path, machine: Machine, settings: Path, data: bytes | None
) -> None:
    put(settings, data)
    connect(machine)
    before, stamp = everything(home), settings.stat()
    assert setup.plan("claude", machine).changes == ()
    connect(machine)
    assert everything(home) == before
    assert (settings.stat().st_mtime_ns, settings.stat().st_ino) == (stamp.st_mtime_ns, stamp.st_ino)


@every_file
def test_removing_gives_every_byte_back(
    home: Path, machine: Machine, settings: Path, data: bytes | None
) -> None:
    put(settings, data, 0o640)
    before, mode = everything(home), settings.parent.stat().st_mode
    connect(machine)
    assert everything(home) != before
    disconnect(machine)
    assert everything(home) == before
    if data is not None:
        assert settings.stat().st_mode & 0o777 == 0o640
    assert settings.parent.stat().st_mode == mode


@pytest.mark.parametrize("name", named())
def test_without_a_receipt_only_what_was_empty_is_forgotten(
    home: Path, machine: Machine, settings: Path, name: str
) -> None:
    put(settings, fixture(name))
    connect(machine)
    (receipt,) = (home / ".config/ctxrepo/receipts").iterdir()
    receipt.unlink()
    disconnect(machine)
    assert not ours(settings.read_bytes())
    assert theirs(settings.read_bytes()) == theirs(fixture(name))


@every_old_file
def test_lines_of_ours_are_brought_up_to_date_where_they_stand(
    machine: Machine, settings: Path, name: str
) -> None:
    put(settings, fixture(name))
    assert check("claude", machine).state == "stale"
    connect(machine)
    data = settings.read_bytes()
    assert theirs(data) == theirs(fixture(name))
    commands = {event: [hook["command"] for hook in hooks] for event, hooks in ours(data).items()}
    assert commands == {event: [machine.line("claude", event)] for event in SETTINGS.events}
    assert not any("args" in hook for hooks in ours(data).values() for hook in hooks)
    assert check("claude", machine).findings == ()
    assert setup.plan("claude", machine).changes == ()


@every_old_file
@pytest.mark.parametrize("is_renewed", [False, True], ids=["as found", "set up again"])
def test_removing_lines_of_ours_leaves_what_would_be_there_without_them(
    machine: Machine, settings: Path, name: str, is_renewed: bool
) -> None:
    put(settings, fixture(name))
    if is_renewed:
        connect(machine)
    disconnect(machine)
    assert settings.read_bytes() == fixture(f"{name}.without")


@pytest.mark.parametrize("name", named("refused-"))
def test_what_the_agent_itself_refuses_is_left_as_it_is(
    home: Path, machine: Machine, settings: Path, name: str
) -> None:
    put(settings, fixture(name))
    before = everything(home)
    for plan in (setup.plan, setup.removal):
        with pytest.raises(ConfigError, match=r"settings\.json, line \d+, column \d+") as caught:
            plan("claude", machine)
        assert "Nothing was changed" in caught.value.hint
    (finding,) = check("claude", machine).findings
    assert "line" in finding.problem
    assert everything(home) == before


@pytest.mark.slow
def test_a_huge_file_is_read_about_once_a_change(machine: Machine, settings: Path) -> None:
    allowed = ",\n".join(f'    "Bash(npm run test-{n}:*)"' for n in range(3000))
    data = b'{\n  "permissions": {\n   "allow": [\n' + allowed.encode() + b"\n   ]\n  }\n}\n"
    put(settings, data)
    before = jsontext.parse.cache_info().misses
    connect(machine)
    assert jsontext.parse.cache_info().misses - before < 2 * len(SETTINGS.events) + 4
    assert len(settings.read_bytes()) > len(data) > 90_000
    assert theirs(settings.read_bytes()) == {**loaded(data), "hooks": {}}
    disconnect(machine)
    assert settings.read_bytes() == data
