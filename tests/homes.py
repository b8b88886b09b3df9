"""Homes as people have them, for every agent: its files with other people's hooks, links, rights.

Files that hooks stand in are made by the agent's own document, so that each agent that comes is covered.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from connecting import put

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.wanted import EditedDocument, OwnFile, ShippedFile, SkillsFolder, Wanted
from ctxrepo.services.setup.connection import Machine, wanted_of
from ctxrepo.storage.user.places import Places


def machine_of(home: Path) -> Machine:
    environment = {"HOME": str(home)}
    return Machine(Places.of(environment), environment, Path(sys.executable), can_serve=True)


def wanted(agent: str, home: Path) -> list[Wanted]:
    return list(wanted_of(AGENTS[agent], machine_of(home)))


def documents(agent: str, home: Path) -> list[EditedDocument]:
    edited = [part for part in wanted(agent, home) if isinstance(part, EditedDocument)]
    return [document for document in edited if not document.has_servers_alone]


def own_files(agent: str, home: Path) -> list[OwnFile | ShippedFile]:
    return [part for part in wanted(agent, home) if isinstance(part, OwnFile | ShippedFile)]


def somebodys(document: EditedDocument) -> str:
    """Hooks of other people in the events that are ours too, as the agent wants them written."""
    return document.document.connect("", lambda event: f"/opt/notify --event {event} || :")


def older(agent: str, document: EditedDocument) -> str:
    """Hooks that an older ctxrepo of another interpreter left there."""
    past = HookLine(Path("/old/bin/python3"), Path("/old/lib/ctxrepo/hook.py"), Path("/old/state"))
    return document.document.connect(somebodys(document), lambda event: past(agent, event))


def fill(agent: str, home: Path, change: Callable[[str], bytes] = str.encode, rights: int = 0o644) -> None:
    """The folder of the agent with hooks of other people, and what else is in such a folder."""
    folder = AGENTS[agent].install.folder(home, {"HOME": str(home)})
    put(folder / "history.jsonl", b'{"a": 1}\n')
    for document in documents(agent, home):
        put(document.path, change(somebodys(document)), rights)
    put(home / ".agents/skills/theirs/SKILL.md", b"theirs\n", 0o600)


def fresh(agent: str, home: Path) -> None:
    AGENTS[agent].install.folder(home, {"HOME": str(home)}).mkdir(parents=True)


def others(agent: str, home: Path) -> None:
    fill(agent, home, rights=0o600)


def windows(agent: str, home: Path) -> None:
    fill(agent, home, lambda text: ("\ufeff" + text.rstrip("\n").replace("\n", "\r\n")).encode(), 0o664)


def tabs(agent: str, home: Path) -> None:
    fill(agent, home, lambda text: text.replace("  ", "\t").encode())


def dotfiles(agent: str, home: Path) -> None:
    """Each file is a link into a repository of dotfiles, and so is the folder of skills."""
    fill(agent, home, rights=0o640)
    for number, document in enumerate(documents(agent, home)):
        put(home / f"dotfiles/{agent}-{number}", document.path.read_bytes(), 0o640)
        document.path.unlink()
        document.path.symlink_to(os.path.relpath(home / f"dotfiles/{agent}-{number}", document.path.parent))
    (home / "dotfiles/skills").mkdir(parents=True)
    for part in wanted(agent, home):
        if isinstance(part, SkillsFolder) and not part.path.exists():
            part.path.parent.mkdir(parents=True, exist_ok=True)
            part.path.symlink_to(home / "dotfiles/skills")


def upgraded(agent: str, home: Path) -> None:
    """An older ctxrepo's hooks beside other people's: what is given back then is without them."""
    fill(agent, home)
    for document in documents(agent, home):
        put(document.path, older(agent, document).encode())


def crowded(agent: str, home: Path) -> None:
    """A file of the name that ours has, and skills of the names of ours."""
    fill(agent, home)
    for part in wanted(agent, home):
        if isinstance(part, OwnFile | ShippedFile):
            put(part.path, b"// theirs\n", 0o600)
        if isinstance(part, SkillsFolder):
            put(part.path / "memory-write/SKILL.md", b"theirs\n")
            put(part.path / "memory-sync/notes.md", b"theirs too\n")


HOMES = (fresh, others, windows, tabs, dotfiles, upgraded, crowded)


def snapshot(home: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything in the home but ctxrepo's state and its clone: kind, rights, and bytes or what a link points
    at."""
    contents = {}
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        if name.startswith((".local", ".ctxrepo")):
            continue
        rights = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            contents[name] = ("link", 0, os.fsencode(os.readlink(path)))
        elif path.is_dir():
            contents[name] = ("folder", rights, b"")
        else:
            contents[name] = ("file", rights, path.read_bytes())
    return {name: of for name, of in contents.items() if name not in (".config", ".config/ctxrepo")}
