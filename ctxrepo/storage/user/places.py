"""Where everything is: the one module that turns an environment into paths."""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ctxrepo.errors import ConfigError, OtherOwner
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import (
    make_folder,
    opened,
    put,
    random_name,
    require_own_file,
    require_own_folder,
    require_private,
)


class _Below:
    """A place in a folder of its owner's, which is named by the field `base`."""

    def __init__(self, name: str, base: str = "root") -> None:
        self._name, self._base = name, base

    def __get__(self, owner: object, _: type) -> Path:
        folder: Path = getattr(owner, self._base)
        return folder / self._name


@dataclass(frozen=True)
class Places:
    """The user's folders; `home` is where the memory repository is unless config.toml says otherwise."""

    user_home: Path
    home: Path
    config_file: Path
    state: Path
    home_is_explicit: bool = False
    """CTXREPO_HOME was given, so it wins over config.toml."""
    other_owner: OtherOwner | None = None
    """Why config and state are this process's alone and empty (see `apart`); None if they are the user's."""

    @classmethod
    def of(cls, env: Mapping[str, str]) -> "Places":
        """Read CTXREPO_HOME, CTXREPO_CONFIG, CTXREPO_STATE, the XDG folders and HOME, in this order."""
        user_home = Path(env.get("HOME") or Path("~").expanduser())
        config = _dir(env, "XDG_CONFIG_HOME", user_home / ".config", user_home) / "ctxrepo" / "config.toml"
        state = _dir(env, "XDG_STATE_HOME", user_home / ".local" / "state", user_home) / "ctxrepo"
        return cls(
            user_home=user_home,
            home=_dir(env, "CTXREPO_HOME", user_home / ".ctxrepo", user_home),
            config_file=_dir(env, "CTXREPO_CONFIG", config, user_home),
            state=_dir(env, "CTXREPO_STATE", state, user_home),
            home_is_explicit=bool(env.get("CTXREPO_HOME")),
        )

    @property
    def config_dir(self) -> Path:
        return self.config_file.parent

    host_file = _Below("host", "state")
    """This machine's name. Not beside config.toml, which a person's dotfiles bring to every machine."""
    config_before = _Below("config.toml", "state")
    """config.toml as it was when it could last be read."""
    unresponsive = _Below("silent.json", "state")
    """Folders outside the memory that hung in the last minute."""
    models = _Below("models", "state")
    """Models that were fetched."""
    handover = _Below("handover", "state")
    """Where commands in a sandbox put what they write: a folder for each repository."""
    sessions = _Below("sessions", "state")
    """The ledgers of agents' sessions, of whichever repositories these are given notes."""

    def of_repository(self, repo_id: str) -> "RepositoryPlaces":
        return RepositoryPlaces(self.state / repo_id)

    def apart(self, why: OtherOwner) -> "Places":
        """The same with a config and a state of this process alone, until `leave`. So what another user owns
        sets nothing, starts nothing and gets into no session; only notes are read (ADR 88)."""
        from tempfile import mkdtemp  # hardly ever needed

        folder = Path(mkdtemp(prefix="ctxrepo-"))
        return replace(self, config_file=folder / "config.toml", state=folder / "state", other_owner=why)

    def leave(self) -> None:
        """Remove what was of this process alone."""
        if self.other_owner:
            from shutil import rmtree

            rmtree(self.config_dir, ignore_errors=True)

    def or_apart(self) -> "Places":
        """These places, which are secure, or those of this process alone if another user owns them."""
        try:
            self.secure()
        except OtherOwner as why:
            return self.apart(why)
        return self

    def secure(self) -> None:
        """Check that config and state are the user's, and close them to others; CtxrepoError otherwise."""
        if self.other_owner:
            raise self.other_owner
        require_own_folder(self.config_dir)
        require_own_file(self.config_file)
        if os.path.lexists(self.state):
            require_private(self.state, is_chosen=True)

    def host(self) -> str:
        """This machine's name in the memory: hostname slug and 4 random hex, made once and kept."""
        file = self.host_file
        if name := _line(file):
            if not re.fullmatch(r"[a-z0-9-]{1,64}", name):
                raise ConfigError(f"{file} holds {name[:40]!r}, which is not a host name", "Delete the file.")
            return name
        import socket  # once in the life of a machine

        slug = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().split(".")[0].lower()).strip("-")[:40]
        name = f"{slug or 'host'}-{random_name(2)}"
        make_folder(self.state)
        temporary = file.with_name(f".host-{random_name(4)}")
        put(temporary, name + "\n")
        try:
            if file.exists() and not _line(file):
                file.unlink()  # a crash left it empty
            os.link(temporary, file)
        except FileExistsError:  # another process was first
            return self.host()
        finally:
            temporary.unlink()
        return name


@dataclass(frozen=True)
class RepositoryPlaces:
    """What is kept on this machine, outside the clone, for one memory repository; 0700, safe to delete
    but for what waits in the journal."""

    root: Path

    @property
    def id(self) -> str:
        """The id of the repository's clone."""
        return self.root.name

    cache = _Below("cache.db")
    vectors = _Below("vectors.db")
    warm_failed = _Below("warm.failed")
    """Why the helper that knows meanings could not begin; it isn't started again for a while."""
    journal = _Below("journal")
    """The saves that no commit holds yet."""
    taken = _Below("taken")
    """What commands in a sandbox handed over, while it is taken in."""
    refused = _Below("refused")
    """What of it was not taken in."""
    owner = _Below("clone")
    """Where the clone is whose state this is."""
    stamps = _Below("stamps.db")
    spool = _Below("spool.jsonl")
    compactions = _Below("compactions")
    """Sessions whose conversation is being shortened, until their handoff is left."""
    done = _Below("writes.done")
    """The last writes of commands that commits hold, for `undo`; a full one becomes `….1`."""
    traces = _Below("traces.jsonl")
    """What prompts were given and why, as hooks note it."""
    access = _Below("access.jsonl")
    """Which files agents' tools have read and edited, as hooks note it; a full one becomes `….1`."""
    usage = _Below("usage.db")
    """What became of the entries that sessions were given."""
    code = _Below("code")
    """What was found out about the words of entries in each project's code."""
    held = _Below("held.json")
    """What the write guard keeps out of commits."""
    blocks = _Below("blocks.json")
    """Which files of the user's hold a block of ours."""
    trusted = _Below("trusted.jsonl")
    """Which checkouts a person said are the projects that they say they are."""
    anchors = _Below("anchors.jsonl")
    """Local `session/*` anchors."""
    logged = _Below("logged.jsonl")
    """Which session logged which entries of the daily notes; the notes don't say."""
    fetched = _Below("fetched")
    """Its mtime is the last successful fetch."""
    exchanges = _Below("exchange.json")
    """What the last exchange with the remote covered."""
    verdicts = _Below("bounds.json")
    """Which commits were measured, and which of them are more than a memory may be."""
    unsigned = _Below("unsigned.json")
    """Which signatures failed since the last one that didn't."""
    trouble = _Below("trouble")
    """What the last conversation with the remote failed of, when trying again won't help."""
    git = _Below("git")
    """The git directory of ours that git and libgit2 run in."""
    maintained = _Below("maintained")
    """Its mtime is the last look after the clone's objects."""
    log = _Below("work.log")
    """Errors of the worker, for `doctor`."""
    well = _Below("well")
    """Its mtime: when the last worker run without an error began."""
    faults = _Below("faults.jsonl")
    """Which faults sessions were told, since when, and when each was over."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that must be writable for ctxrepo to work."""
        locks = [self.lock(name) for name in ("work", "post", "write", "sync")]
        paths = (self.spool, self.anchors, self.exchanges, self.trouble, self.log)
        return (*paths, *locks)

    def lock(self, name: str) -> Path:
        """A lock file. The worker that commits holds `work`; whoever talks to the remote holds `post`."""
        return self.root / f"{name}.lock"


def _line(file: Path) -> str:
    """What a file of a line says; '' where there is none."""
    if not file.is_file():
        return ""
    with opened(file, "rb") as opened_file:
        return opened_file.read(4096).decode("utf-8", "replace").strip()


def _dir(env: Mapping[str, str], name: str, default: Path, user_home: Path) -> Path:
    value = env.get(name, "")
    if not value:
        return default
    path = user_home / value[2:] if value.startswith("~/") else Path(value)
    if not path.is_absolute():
        raise ConfigError(f"{name} is {value!r}, which is not an absolute path", f"Set {name} to one.")
    return path
