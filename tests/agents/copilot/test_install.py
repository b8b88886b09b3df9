"""What connects Copilot CLI, where that stands, and that every byte comes back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from connecting import everything, workplace
from machines import Machine as Desk

from ctxrepo.agents.copilot import install
from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.permissions import InstallOptions
from ctxrepo.agents.wanted import OwnFile, SkillsFolder
from ctxrepo.errors import ConfigError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user import assets
from ctxrepo.storage.user.places import Places

HOME = Path("/home/ada")
THEIRS = '{\n  // mine\n  "version": 1,\n  "hooks": {"sessionStart": [{"bash": "say hi"}]}\n}'


def connect(machine: Machine) -> None:
    setup.apply(setup.plan("copilot", machine))


def disconnect(machine: Machine) -> None:
    setup.apply(setup.removal("copilot", machine))


def paths(**environment: str) -> list[Path]:
    return [file.path for file in install.files(HOME, environment, str)]


def test_files_are_where_copilot_looks() -> None:
    skills = HOME / ".agents/skills"
    files = ("hooks/ctxrepo.json", "mcp-config.json")
    assert paths() == paths(COPILOT_HOME="") == [*(HOME / ".copilot" / file for file in files), skills]
    assert paths(COPILOT_HOME="/w") == [*(Path("/w") / file for file in files), skills]
    with pytest.raises(ConfigError, match="COPILOT_HOME"):
        install.folder(HOME, {"COPILOT_HOME": "~/w"})


@pytest.mark.parametrize("enforces", [False, True])
def test_every_event_of_the_dialect_has_one_hook_and_one_may_veto_where_rules_are_enforced(
    enforces: bool,
) -> None:
    options = InstallOptions(enforces=enforces)
    file, _, skills = install.files(HOME, {}, lambda event: f"run {event}", options)
    assert isinstance(file, OwnFile)
    assert isinstance(skills, SkillsFolder)
    written = json.loads(file.content or b"")
    assert written["version"] == 1
    assert list(written["hooks"]) == DIALECT.event_names(enforces)
    assert ("preToolUse" in written["hooks"]) == enforces
    assert not {"permissionRequest", "postToolUseFailure"} & set(written["hooks"])
    for event, (hook,) in written["hooks"].items():
        assert (hook["type"], hook["bash"]) == ("command", file.hooks[event])
        assert ("matcher" in hook) == (event == "postToolUse")


def test_copilot_waits_longer_than_a_hook_takes_at_most() -> None:
    from ctxrepo.hook import HOOK_SECONDS

    assert HOOK_SECONDS + 1 < install.TIMEOUT


def test_the_fragment_people_read_is_what_setup_writes() -> None:
    words = HookLine(Path("{python}"), Path("{package}/hook.py"), Path("{state}"))
    written = install.document(lambda event: words("copilot", event), DIALECT.event_names())
    assert assets.files("hooks")["copilot/ctxrepo.json"].decode() == written


class TestSetup:
    """Over homes as people have them: connected, looked at, connected again, and let go of."""

    @pytest.fixture
    def machine(self, ada: Desk) -> Machine:
        return workplace(ada)

    @pytest.fixture
    def home(self, machine: Machine) -> Path:
        """The folder of Copilot CLI, with what its user has there."""
        folder = machine.places.user_home / ".copilot"
        (folder / "hooks").mkdir(parents=True)
        (folder / "hooks/other.json").write_text(THEIRS)
        (folder / "settings.json").write_text('{"theme": "dark"} // mine\n')
        return folder

    @pytest.fixture(params=["plain", "linked", "strict"])
    def kind(self, request: pytest.FixtureRequest, home: Path, tmp_path: Path) -> str:
        kind: str = request.param
        if kind == "linked":
            dotfiles = tmp_path / "dotfiles"
            (home / "hooks").rename(dotfiles)
            (home / "hooks").symlink_to(dotfiles)
        if kind == "strict":
            (home / "hooks").chmod(0o700)
            (home / "hooks/other.json").chmod(0o400)
        return kind

    @pytest.mark.usefixtures("kind")
    def test_every_byte_comes_back(self, machine: Machine, home: Path) -> None:
        user = machine.places.user_home
        before = everything(user)
        assert check("copilot", machine).state == "absent"
        connect(machine)
        assert check("copilot", machine).state == "current"
        written = everything(user)
        assert setup.plan("copilot", machine).changes == ()
        connect(machine)
        assert everything(user) == written
        assert (home / "hooks/other.json").read_text() == THEIRS
        assert (user / ".agents/skills/memory-write/SKILL.md").exists()
        disconnect(machine)
        assert everything(user) == before
        assert not (user / ".agents").exists()

    def test_a_file_that_was_there_before_comes_back(self, machine: Machine, home: Path) -> None:
        (home / "hooks/ctxrepo.json").write_text("{ }")
        before = everything(machine.places.user_home)
        connect(machine)
        disconnect(machine)
        assert everything(machine.places.user_home) == before

    def test_what_a_person_changed_stays_and_is_told(self, machine: Machine, home: Path) -> None:
        connect(machine)
        file = home / "hooks/ctxrepo.json"
        file.write_text(file.read_text().replace('"timeoutSec": 10', '"timeoutSec": 20'))
        assert check("copilot", machine).state == "stale"
        notices = setup.removal("copilot", machine).notices
        assert any("it is not as ctxrepo wrote it" in notice for notice in notices)
        disconnect(machine)
        assert '"timeoutSec": 20' in file.read_text()

    def test_what_cannot_be_read_is_told_and_left(self, commoner: Path) -> None:
        file = commoner / ".copilot/hooks/ctxrepo.json"
        file.parent.mkdir(parents=True)
        file.write_text("{}")
        file.chmod(0)
        standing = check("copilot", Machine(Places.of({"HOME": str(commoner)}), {}, Path(sys.executable)))
        assert standing.state == "unknown"
        assert str(file) in standing.findings[0].problem
        assert file.stat().st_mode & 0o777 == 0

    def test_what_is_no_file_is_told_and_left(self, machine: Machine, home: Path) -> None:
        (home / "hooks/ctxrepo.json").mkdir()
        standing = check("copilot", machine)
        assert standing.state == "unknown"
        assert "ctxrepo.json" in standing.findings[0].problem
