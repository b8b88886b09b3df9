"""Where everything is: the one module that turns an environment into paths."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.errors import ConfigError
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


@dataclass(frozen=True)
class Places:
    """The user's folders; `home` is where the memory repository is unless config.toml says otherwise."""

    user_home: Path
    home: Path
    config_file: Path
    state: Path
    home_is_explicit: bool = False
    """CTXREPO_HOME was given, so it wins over config.toml."""

    @classmethod
    def of(cls, env: Mapping[str, str]) -> Places:
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

    @property
    def hooks_db(self) -> Path:
        return self.state / "hooks.db"

    @property
    def config_before(self) -> Path:
        """config.toml as it was when it could last be read."""
        return self.state / "config.toml"

    @property
    def unresponsive(self) -> Path:
        """Folders outside the memory that hung in the last minute."""
        return self.state / "silent.json"

    @property
    def models(self) -> Path:
        """Models that were fetched."""
        return self.state / "models"

    @property
    def sessions(self) -> Path:
        """The ledgers of agents' sessions, of whichever repositories these are given notes."""
        return self.state / "sessions"

    def of_repository(self, repo_id: str) -> RepositoryPlaces:
        return RepositoryPlaces(self.state / repo_id)

    @property
    def host_file(self) -> Path:
        return self.config_dir / "host"

    def secure(self) -> None:
        """Check that config and state belong to the user, and close them to others; CtxrepoError if that
        fails."""
        require_own_folder(self.config_dir)
        require_own_file(self.config_file)
        require_own_file(self.host_file)
        if os.path.lexists(self.state):
            require_private(self.state, is_chosen=True)

    def host(self) -> str:
        """This machine's name in the memory: hostname slug and 4 random hex, made once and kept."""
        file = self.host_file
        if name := _said(file):
            if not re.fullmatch(r"[a-z0-9-]{1,64}", name):
                raise ConfigError(f"{file} holds {name[:40]!r}, which is not a host name", "Delete the file.")
            return name
        import socket  # once in the life of a machine

        slug = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().split(".")[0].lower()).strip("-")[:40]
        name = f"{slug or 'host'}-{random_name(2)}"
        make_folder(self.config_dir)
        made = file.with_name(f".host-{random_name(4)}")
        put(made, name + "\n")
        try:
            if file.exists() and not _said(file):
                file.unlink()  # a crash left it empty
            os.link(made, file)
        except FileExistsError:  # another process was first
            return self.host()
        finally:
            made.unlink()
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

    @property
    def cache(self) -> Path:
        return self.root / "cache.db"

    @property
    def vectors(self) -> Path:
        return self.root / "vectors.db"

    @property
    def warm_failed(self) -> Path:
        """Why the helper that knows meanings could not begin; it isn't started again for a while."""
        return self.root / "warm.failed"

    @property
    def journal(self) -> Path:
        """The saves that no commit holds yet."""
        return self.root / "journal"

    @property
    def owner(self) -> Path:
        """Where the clone is whose state this is."""
        return self.root / "clone"

    @property
    def stamps(self) -> Path:
        return self.root / "stamps.db"

    @property
    def spool(self) -> Path:
        return self.root / "spool.jsonl"

    @property
    def compactions(self) -> Path:
        """Sessions whose conversation is being shortened, until their handoff is left."""
        return self.root / "compactions"

    @property
    def done(self) -> Path:
        """The last writes of commands that commits hold, for `undo`; a full one becomes `….1`."""
        return self.root / "writes.done"

    @property
    def traces(self) -> Path:
        """What prompts were given and why, as hooks note it."""
        return self.root / "traces.jsonl"

    @property
    def access(self) -> Path:
        """Which files agents' tools have read and edited, as hooks note it; a full one becomes `….1`."""
        return self.root / "access.jsonl"

    @property
    def usage(self) -> Path:
        """What became of the entries that sessions were given."""
        return self.root / "usage.db"

    @property
    def held(self) -> Path:
        """What the write guard keeps out of commits."""
        return self.root / "held.json"

    @property
    def blocks(self) -> Path:
        """Which files of the user's hold a block of ours."""
        return self.root / "blocks.json"

    @property
    def trusted(self) -> Path:
        """Which checkouts a person said are the projects that they say they are."""
        return self.root / "trusted.jsonl"

    @property
    def anchors(self) -> Path:
        """Local `session/*` anchors."""
        return self.root / "anchors.jsonl"

    @property
    def logged(self) -> Path:
        """Which session logged which entries of the daily notes; the notes don't say."""
        return self.root / "logged.jsonl"

    @property
    def fetched(self) -> Path:
        """Its mtime is the last successful fetch."""
        return self.root / "fetched"

    @property
    def exchanges(self) -> Path:
        """What the last exchange with the remote covered."""
        return self.root / "exchange.json"

    @property
    def verdicts(self) -> Path:
        """Which commits were measured, and which of them are more than a memory may be."""
        return self.root / "bounds.json"

    @property
    def trouble(self) -> Path:
        """What the last conversation with the remote failed of, when trying again won't help."""
        return self.root / "trouble"

    @property
    def git(self) -> Path:
        """The git directory of ours that git and libgit2 run in."""
        return self.root / "git"

    @property
    def maintained(self) -> Path:
        """Its mtime is the last look after the clone's objects."""
        return self.root / "maintained"

    @property
    def log(self) -> Path:
        """Errors of the worker, for `doctor`."""
        return self.root / "work.log"

    @property
    def well(self) -> Path:
        """Its mtime: when the last worker run without an error began."""
        return self.root / "well"

    @property
    def faults(self) -> Path:
        """Which faults sessions were told, since when, and when each was over."""
        return self.root / "faults.jsonl"

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that must be writable for ctxrepo to work."""
        locks = [self.lock(name) for name in ("work", "post", "write", "sync")]
        kept = (self.spool, self.anchors, self.exchanges, self.trouble, self.log)
        return (*kept, *locks)

    def lock(self, name: str) -> Path:
        """A lock file. The worker that commits holds `work`; whoever talks to the remote holds `post`."""
        return self.root / f"{name}.lock"


def _said(file: Path) -> str:
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
