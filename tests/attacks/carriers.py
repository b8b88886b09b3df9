"""Every place from which git takes a repository's configuration, and what else lies in a git folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attacks.canaries import HOOKS, Canaries
from attacks.keys import Key


@dataclass(frozen=True)
class Poison:
    """`text` is a configuration with the `chosen` keys, for a remote at `address`; `aside` is a folder for
    what lies outside the clone."""

    text: str
    chosen: tuple[Key, ...]
    address: str
    canaries: Canaries
    aside: Path

    def file(self) -> Path:
        """The configuration as a file of its own."""
        self.aside.mkdir(exist_ok=True)
        file = self.aside / "poisoned"
        file.write_text(self.text)
        return file


Env = dict[str, str]
Carrier = Callable[[Path, Poison], Env]
"""Puts a poison into the clone at a folder; gives variables for who works there."""


_ATTRIBUTES = "* filter=x diff=x merge=x\n*.toml filter=y diff=y\n"


def in_config(top: Path, poison: Poison) -> Env:
    git = top / ".git"
    _append(git / "config", poison.text)
    (git / "info").mkdir(exist_ok=True)
    (git / "info" / "attributes").write_text(_ATTRIBUTES)
    return {}


def in_config_of_the_worktree(top: Path, poison: Poison) -> Env:
    _append(
        top / ".git" / "config",
        "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n",
    )
    (top / ".git" / "config.worktree").write_text(poison.text)
    return {}


def in_the_common_folder(top: Path, poison: Poison) -> Env:
    """`commondir`: refs, objects and configuration are elsewhere."""
    common = poison.aside / "common"
    shutil.copytree(top / ".git", common)
    _append(common / "config", poison.text)
    (common / "info").mkdir(exist_ok=True)
    (common / "info" / "attributes").write_text(_ATTRIBUTES)
    (top / ".git" / "commondir").write_text(f"{common}\n")
    return {}


def as_a_linked_worktree(top: Path, poison: Poison) -> Env:
    """What `git worktree add` writes, here in the clone itself, and one worktree more."""
    in_the_common_folder(top, poison)
    (top / ".git" / "gitdir").write_text(f"{top}/.git\n")
    further = poison.aside / "common" / "worktrees" / "further"
    further.mkdir(parents=True)
    (further / "gitdir").write_text(f"{poison.aside}/further/.git\n")
    (further / "commondir").write_text("../..\n")
    (further / "HEAD").write_text("ref: refs/heads/main\n")
    return {}


def by_an_include(top: Path, poison: Poison) -> Env:
    _append(top / ".git" / "config", f"[include]\n\tpath = {poison.file()}\n")
    return {}


def by_an_include_under_a_condition(top: Path, poison: Poison) -> Env:
    file = poison.file()
    conditions = ("gitdir:/**", "onbranch:**", "hasconfig:remote.*.url:**")
    lines = (f'[includeIf "{when}"]\n\tpath = {file}\n' for when in conditions)
    _append(top / ".git" / "config", "".join(lines))
    return {}


def by_a_link_to_the_config(top: Path, poison: Poison) -> Env:
    config = top / ".git" / "config"
    file = poison.file()
    file.write_text(config.read_text() + poison.text)
    config.unlink()
    config.symlink_to(file)
    return {}


def behind_a_link(top: Path, poison: Poison) -> Env:
    """The git folder is a link to one that is elsewhere."""
    there = _moved(top, poison)
    (top / ".git").symlink_to(there)
    return {}


def behind_a_git_file(top: Path, poison: Poison) -> Env:
    """`.git` is a file that names the folder."""
    there = _moved(top, poison)
    (top / ".git").write_text(f"gitdir: {there}\n")
    return {}


def in_variables(top: Path, poison: Poison) -> Env:
    """GIT_CONFIG_COUNT and its pairs."""
    pairs = [(_name(key, poison), _value(key, poison)) for key in poison.chosen]
    env = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (name, value) in enumerate(pairs):
        env |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return env


def in_files_that_variables_name(top: Path, poison: Poison) -> Env:
    file = str(poison.file())
    names = ("GIT_CONFIG", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
    return dict.fromkeys(names, file) | {"GIT_CONFIG_PARAMETERS": f"'include.path={file}'"}


CARRIERS: dict[str, Carrier] = {
    ".git/config": in_config,
    ".git/config.worktree": in_config_of_the_worktree,
    ".git/commondir": in_the_common_folder,
    "a linked worktree": as_a_linked_worktree,
    "an include": by_an_include,
    "includes under conditions": by_an_include_under_a_condition,
    "a link as the config": by_a_link_to_the_config,
    "a link as .git": behind_a_link,
    "a file as .git": behind_a_git_file,
    "GIT_CONFIG_COUNT": in_variables,
    "GIT_CONFIG_GLOBAL and others": in_files_that_variables_name,
}


VARIABLES = ("GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL and others")
"""Those that lie in no file of the repository."""


def hooks(top: Path, poison: Poison) -> Env:
    (top / ".git" / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(poison.canaries.program(name, "hook"), top / ".git" / "hooks" / name)
    return {}


def alternates(top: Path, poison: Poison) -> Env:
    """Objects of others, named by `objects/info`; a branch that leads to them."""
    info = top / ".git" / "objects" / "info"
    info.mkdir(exist_ok=True)
    foreign = poison.canaries.foreign
    (info / "alternates").write_text(f"{foreign}/objects\n{poison.canaries.root}/fifo\n")
    (info / "http-alternates").write_text(f"http://{poison.canaries.tcp}/objects\n")
    _append(top / ".git" / "config", f"[core]\n\talternateRefsCommand = {poison.canaries.program('refs')}\n")
    return {}


def attributes(top: Path, poison: Poison) -> Env:
    """Attributes in the tree that turn on filters, drivers and conversions that the config knows."""
    in_config(top, poison)
    (top / "global" / ".gitattributes").write_text("* filter=x diff=x merge=x text eol=crlf ident\n")
    return {}


def old_remotes(top: Path, poison: Poison) -> Env:
    """`.git/remotes` and `.git/branches`: where a remote was described before there was a configuration."""
    name = poison.address
    if "/" not in name:
        (top / ".git" / "remotes").mkdir(exist_ok=True)
        (top / ".git" / "remotes" / name).write_text(
            f"URL: {poison.canaries.foreign}\nPush: refs/heads/main\n"
        )
    return {}


def old_branches(top: Path, poison: Poison) -> Env:
    if "/" not in poison.address:
        (top / ".git" / "branches").mkdir(exist_ok=True)
        (top / ".git" / "branches" / poison.address).write_text(f"{poison.canaries.empty('branches')}#main\n")
    return {}


def variables(top: Path, poison: Poison) -> Env:
    """Every variable of git(1) that names a program, a folder or a file."""
    made, root = poison.canaries.program, poison.canaries.root
    programs = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PAGER",
                "GIT_EXTERNAL_DIFF", "GIT_SEQUENCE_EDITOR", "GIT_REMOTE_HELPER")  # fmt: skip
    leaks = ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF", "GIT_TRACE_PACKET",
             "GIT_TRACE_CURL", "GIT_TRACE_SETUP", "GIT_TRACE_PACKFILE", "GIT_TRACE_REFS", "GIT_INDEX_FILE",
             "GIT_WORK_TREE")  # fmt: skip
    (root / "exec").mkdir(exist_ok=True)
    for name in (
        "git-remote-https",
        "git-fetch-pack",
        "git-upload-pack",
        "git-receive-pack",
        "git-index-pack",
    ):
        made(name, "exec")
    return (
        {name: str(made(name)) for name in programs}
        | {name: str(root / "leaks" / name) for name in leaks}
        | {
            "GIT_EXEC_PATH": str(root / "exec"),
            "GIT_TEMPLATE_DIR": str(root / "hooks"),
            "GIT_DIR": str(poison.canaries.foreign),
            "GIT_COMMON_DIR": str(poison.canaries.foreign),
            "GIT_OBJECT_DIRECTORY": str(root / "leaks" / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(poison.canaries.foreign / "objects"),
            "GIT_SHALLOW_FILE": str(root / "fifo"),
            "GIT_GRAFT_FILE": str(root / "fifo"),
            "GIT_ATTR_SOURCE": "HEAD",
            "GIT_NAMESPACE": "foreign",
            "GIT_REPLACE_REF_BASE": "refs/heads",
            "GIT_ALLOW_PROTOCOL": "ext:git:http:file",
            "GIT_SSL_NO_VERIFY": "1",
            "GIT_SSL_CAINFO": str(root / "fifo"),
            "GIT_DEFAULT_HASH": "sha256",
            "GIT_TERMINAL_PROMPT": "1",
        }
    )


OTHERS: dict[str, Carrier] = {
    "hooks of every name": hooks,
    "alternates": alternates,
    "attributes in the tree": attributes,
    "variables that name programs": variables,
    ".git/remotes": old_remotes,
    ".git/branches": old_branches,
}
"""What isn't the configuration, or isn't it alone."""


def _append(file: Path, text: str) -> None:
    with file.open("a") as config:
        config.write(text)


def _moved(top: Path, poison: Poison) -> Path:
    there = poison.aside / "moved.git"
    poison.aside.mkdir(exist_ok=True)
    os.rename(top / ".git", there)
    _append(there / "config", poison.text)
    return there


def _name(key: Key, poison: Poison) -> str:
    return _filled(key.name, key, poison)


def _value(key: Key, poison: Poison) -> str:
    return _filled(key.value, key, poison)


def _filled(text: str, key: Key, poison: Poison) -> str:
    for word, value in poison.canaries.values(key, poison.address).items():
        text = text.replace("{" + word + "}", value)
    return text
