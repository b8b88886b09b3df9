"""What connects OpenCode: a bridge of ours, skills in the folder that agents share, and every byte back."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from connecting import everything, put, workplace
from machines import Machine as Desk
from needs import unless

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.opencode import install
from ctxrepo.agents.opencode.dialect import DIALECT
from ctxrepo.agents.permissions import LEVELS
from ctxrepo.agents.wanted import ShippedFile, SkillsFolder
from ctxrepo.errors import ConfigError, CtxrepoError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.files import wanted_file
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user.receipt import Choices

NODE = shutil.which("node")

HOME = Path("/home/ada")
BRIDGE = CHECKOUT / "hooks" / install.BRIDGE

HOMES: dict[str, dict[str, bytes]] = {
    "nothing": {},
    "settings with comments": {
        ".config/opencode/opencode.jsonc": b'{\n  // mine\n  "model": "x/y", /* and */ "plugin": [],\n}\n',
        ".config/opencode/AGENTS.md": b"Be brief.\n",
    },
    "plugins of others": {
        ".config/opencode/plugins/other.js": b"export const Other = async () => ({})\n",
        ".config/opencode/plugin/old.ts": b"export default async () => ({})\r\n",
        ".config/opencode/package.json": b'{"dependencies": {"left-pad": "1"}}',
        ".agents/skills/mine/SKILL.md": b"---\nname: mine\n---\n",
    },
    "a file in its place": {".config/opencode/plugins/ctxrepo.js": b"// a person's own\n"},
}


@pytest.fixture
def machine(ada: Desk) -> Machine:
    return workplace(ada)


def bridge(machine: Machine) -> Path:
    return machine.places.user_home / ".config/opencode/plugins/ctxrepo.js"


def line_in(text: str) -> str:
    """The hook line in a bridge, which is spelt as in JSON."""
    match = re.search(r"^const LINE = (\".*\")$", text, re.MULTILINE)
    assert match
    line: str = json.loads(match[1])
    return line


def test_files_are_where_opencode_looks() -> None:
    def paths(**environment: str) -> list[Path]:
        return [document.path for document in install.files(HOME, environment, str)]

    skills = HOME / ".agents/skills"
    files = ("opencode/plugins/ctxrepo.js", "opencode/opencode.json")
    assert paths() == [*(HOME / ".config" / file for file in files), skills]
    assert paths(XDG_CONFIG_HOME="/w") == [*(Path("/w") / file for file in files), skills]
    assert paths(OPENCODE_CONFIG_DIR="/elsewhere", XDG_CONFIG_HOME="") == paths()
    with pytest.raises(ConfigError, match="XDG_CONFIG_HOME"):
        install.folder(HOME, {"XDG_CONFIG_HOME": "~/w"})


def test_the_bridge_as_it_is_shipped_has_no_line_and_asks_for_every_event() -> None:
    text = BRIDGE.read_text("utf-8")
    assert line_in(text) == "{line}"
    assert text.count('"{line}"') == 1
    assert text.count('"{enforces}"') == 1
    events = {event for event, _ in DIALECT.events.values()}
    assert events - set(install.EVENTS) == {"tool.execute.before"}, (
        "which is asked for where rules are enforced"
    )
    assert [event for event in events if f'"{event}"' not in text] == []
    assert text.count("\n") <= 200


def test_setup_puts_the_line_of_this_machine_into_it() -> None:
    line = HookLine(Path("/usr/bin/it's é"), Path('/p "q"/ctxrepo/hook.py'), Path("/state\\folder"))
    program, _, skills = install.files(HOME, {}, lambda event: line("opencode", event))
    assert isinstance(program, ShippedFile)
    assert isinstance(skills, SkillsFolder)
    filled = (wanted_file(program).connected() or b"").decode()
    for event, command in program.hooks.items():
        # As the bridge does it.
        assert line_in(filled).replace(" opencode EVENT ", f" opencode {event} ") == command
        assert HookLine.read(command) == line


@unless("" if NODE else "node isn't installed; `make live` plays the bridge in the real OpenCode")
def test_the_bridge_is_javascript_as_setup_leaves_it(machine: Machine) -> None:
    assert NODE
    setup.apply(setup.plan("opencode", machine))
    as_module = bridge(machine).with_suffix(".mjs")
    shutil.copy(bridge(machine), as_module)
    assert os.spawnl(os.P_WAIT, NODE, NODE, "--check", str(as_module)) == 0


@pytest.mark.parametrize("files", HOMES.values(), ids=HOMES.keys())
def test_setup_check_setup_and_remove_leave_every_byte(machine: Machine, files: dict[str, bytes]) -> None:
    home = machine.places.user_home
    for name, data in files.items():
        put(home / name, data)
    before = everything(home)
    assert check("opencode", machine).state == "absent"
    setup.apply(setup.plan("opencode", machine))
    assert " opencode EVENT " in line_in(bridge(machine).read_text("utf-8"))
    assert (home / ".agents/skills/memory-write/SKILL.md").is_file()
    assert check("opencode", machine).state == "current"
    connected = everything(home)
    assert setup.plan("opencode", machine).changes == ()
    setup.apply(setup.plan("opencode", machine))
    assert everything(home) == connected
    setup.apply(setup.removal("opencode", machine))
    assert everything(home) == before


def test_a_bridge_of_another_installation_is_stale_and_made_anew(machine: Machine) -> None:
    setup.apply(setup.plan("opencode", machine))
    moved = replace(machine, interpreter=Path("/gone/python3"))
    setup.apply(setup.plan("opencode", moved))
    assert check("opencode", machine).state == "stale"
    setup.apply(setup.plan("opencode", machine))
    assert check("opencode", machine).state == "current"
    assert line_in(bridge(machine).read_text()).startswith(sys.executable)


def test_a_link_into_a_folder_of_dotfiles_stays_one(machine: Machine) -> None:
    home = machine.places.user_home
    real = home / "dotfiles/opencode"
    put(real / "opencode.json", b"{}\n")
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/opencode").symlink_to(real)
    before = everything(home)
    setup.apply(setup.plan("opencode", machine))
    assert (real / "plugins/ctxrepo.js").is_file()
    assert check("opencode", machine).state == "current"
    setup.apply(setup.removal("opencode", machine))
    assert (home / ".config/opencode").is_symlink()
    assert everything(home) == before


def test_a_bridge_that_a_person_edited_stays_and_that_is_told(machine: Machine) -> None:
    setup.apply(setup.plan("opencode", machine))
    with bridge(machine).open("a") as file:
        file.write("// mine\n")
    assert check("opencode", machine).state == "stale"
    taken = setup.removal("opencode", machine)
    setup.apply(taken)
    assert bridge(machine).read_text().endswith("// mine\n")
    assert any(str(bridge(machine)) in notice for notice in taken.notices)


def test_a_file_that_is_no_file_is_told_and_left(machine: Machine) -> None:
    bridge(machine).mkdir(parents=True)
    with pytest.raises(CtxrepoError, match="ctxrepo"):
        setup.plan("opencode", machine)
    assert check("opencode", machine).state == "unknown"
    assert bridge(machine).is_dir()


ASK = """
import { ctxrepo } from %s
const config = { permission: JSON.parse(process.argv[2]) }
await (await ctxrepo({ client: {}, directory: "/" })).config(config)
console.log(JSON.stringify(config.permission))
"""


def action(permission: dict[str, Any], command: str) -> str:
    """What OpenCode does with a command, after its `permission/index.ts` and `util/wildcard.ts`: the last
    rule that fits counts, and of a pattern ` *` at the end also fits where nothing comes."""

    def fits(pattern: str, text: str) -> bool:
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        expression = re.sub(r"\\ \.\*$", "( .*)?", expression)
        return re.fullmatch(expression, text, re.DOTALL) is not None

    rules = [("*", "*", "allow")]
    for tool, of in permission.items():
        rules += [(tool, pattern, at) for pattern, at in ({"*": of} if isinstance(of, str) else of).items()]
    return [at for tool, pattern, at in rules if fits(tool, "bash") and fits(pattern, command)][-1]


def configured(machine: Machine, theirs: Any, level: str) -> dict[str, Any]:
    """The permissions of OpenCode with the bridge's rules of this level behind `theirs`."""
    assert NODE
    setup.apply(setup.plan("opencode", machine, Choices(level)))
    module, script = bridge(machine).with_suffix(".mjs"), bridge(machine).with_name("ask.mjs")
    shutil.copy(bridge(machine), module)
    script.write_text(ASK % json.dumps(str(module)))
    done = subprocess.run([NODE, str(script), json.dumps(theirs)], capture_output=True, check=True)
    now = json.loads(done.stdout)
    return now if isinstance(now, dict) else {"*": now}


@unless("" if NODE else "node isn't installed; `make live` plays the bridge in the real OpenCode")
@pytest.mark.parametrize(
    ("theirs", "usual"),
    [
        ("ask", "ask"),
        ({"bash": "ask"}, "ask"),
        ({"bash": {"*": "ask", "git *": "allow"}, "edit": "deny"}, "ask"),
        ({"bash": {"ls *": "allow"}, "*": "ask"}, "ask"),
        ({"*": "ask", "bash": "allow"}, "allow"),
        ({"bash": "deny"}, "deny"),
        ({}, "allow"),
    ],
)
def test_what_is_allowed_runs_where_opencode_would_ask(machine: Machine, theirs: Any, usual: str) -> None:
    before = theirs if isinstance(theirs, dict) else {"*": theirs}
    for level, commands in LEVELS.items():
        now = configured(machine, theirs, level)
        assert [*now.items()][: len(before)] == [*before.items()]
        for command in commands:
            for words in (f"ctxrepo {command}", f"ctxrepo {command} 'a\nb' --json"):
                assert action(now, words) == ("allow" if usual == "ask" else usual)
            assert action(now, f"ctxrepo {command} x > ~/.profile") == usual
            assert action(now, f"PATH=/tmp ctxrepo {command}") == usual
            assert action(now, f"ctxrepo {command}x") == usual or command + "x" in commands
        for other in (
            "forget x",
            "move a b",
            "sync --accept",
            "config set x y",
            "setup codex",
            "scratch undo",
        ):
            assert action(now, f"ctxrepo {other}") == usual
        assert level != "read" or action(now, "ctxrepo remember x") == usual


@unless("" if NODE else "node isn't installed; `make live` plays the bridge in the real OpenCode")
@pytest.mark.parametrize(
    ("theirs", "refused"),
    [
        ({"bash": {"*": "ask", "ctxrepo *": "deny"}}, ["ctxrepo search x", "ctxrepo remember x"]),
        ({"bash": {"*": "ask", "ctxrepo remember *": "deny"}}, ["ctxrepo remember x > y"]),
        ({"bash": {"*": "ask", "*secret*": "deny"}}, ["ctxrepo search secret", "cat secret"]),
        ({"*": "ask", "bash*": {"rm *": "deny", "ctxrepo log*": "deny"}}, ["rm -r x", "ctxrepo log x"]),
        ({"*": "ask", "b?sh": {"ctxrepo edit *": "deny"}}, ["ctxrepo edit x"]),
        ({"*": "ask", "bash": {"a *": "allow", "* x": "deny"}, "bash*": {"a *": "allow"}}, ["ctxrepo log x"]),
    ],
)
def test_what_a_person_refuses_is_refused(
    machine: Machine, theirs: dict[str, Any], refused: list[str]
) -> None:
    now = configured(machine, theirs, "write")
    for command in (*refused, "ls", "git push", "a x", "a b", "rm x"):
        assert action(now, command) == action(theirs, command)
    assert [action(now, command) for command in refused] == ["deny"] * len(refused)
    others = [c for c in LEVELS["write"] if action(theirs, f"ctxrepo {c} 1") == "ask"]
    assert [action(now, f"ctxrepo {command} 1") for command in others] == ["allow"] * len(others)


@unless("" if NODE else "node isn't installed; `make live` plays the bridge in the real OpenCode")
def test_a_rule_about_ours_in_front_of_the_usual_one_keeps_it_asking(machine: Machine) -> None:
    now = configured(machine, {"bash": {"ctxrepo log *": "deny"}, "*": "ask"}, "write")
    assert (action(now, "ctxrepo log x"), action(now, "ctxrepo search x")) == ("ask", "allow")
