"""Homes in which `init` has made a memory, each made once per test process for tests to copy."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from repositories import is_plain, make_bare

from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
STATE = "state"
"""The folder of the repository's state in a home that is to be copied: its name is the clone's id."""

_HEAD = "refs/heads/main"


@dataclass(frozen=True)
class HomeAfterInit:
    """What `init` makes in a home, but for what names the machine, and its remote, None where it has none."""

    root: Path
    remote: Path | None

    @property
    def home(self) -> Path:
        return self.root / "home"

    def copy_to(self, home: Path, remote: Path) -> None:
        """Make `home` such a home, and let `remote` have what `init` has sent to it."""
        shutil.copytree(self.home, home, dirs_exist_ok=True)
        if self.remote is None:
            return
        for name in ("objects", "refs"):
            shutil.copytree(self.remote / name, remote / name, dirs_exist_ok=True)
        for path in naming(self.home, str(self.root)):
            text = (home / path).read_text()
            text = text.replace(str(self.remote), str(remote)).replace(str(self.home), str(home))
            (home / path).write_text(text)
        exchange = home.joinpath(".local/state/ctxrepo", STATE, "exchange.json")
        now = time.monotonic()
        exchange.write_text(json.dumps(json.loads(exchange.read_text()) | {"began": now, "ended": now}))


def head_of(remote: Path) -> str | None:
    """The commit at main of a local bare repository that is as `init` leaves it, '' of an empty one; None of
    any other."""
    if not is_plain(remote) or (remote / "packed-refs").exists():
        return None
    refs = [path for path in (remote / "refs").rglob("*") if path.is_file()]
    if refs and refs != [remote / _HEAD]:
        return None
    return refs[0].read_text().strip() if refs else ""


@cache
def after_init(identity: str, head: str | None) -> HomeAfterInit | None:
    """What `init` makes in a home with this .gitconfig and a remote that has the commit `head`, '' for an
    empty one, None for no remote. None where no `init` of ours has sent such a commit."""
    if head and head not in _sent:
        return None
    root = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    home = HomeAfterInit(root, None if head is None else root / "memory.git")
    home.home.mkdir()
    (home.home / ".gitconfig").write_text(identity)
    if home.remote and head:
        shutil.copytree(_sent[head], home.remote)
    elif home.remote:
        make_bare(home.remote)
    env = {"HOME": str(home.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
    places = Places.of(env)
    init(places, env, InitRequest(str(home.remote or "")), sys.executable, NOW)
    if home.remote:
        _sent[(home.remote / _HEAD).read_text().strip()] = home.remote
    state = Memory.open(places, env).state
    for place in (state.owner, places.state / "hooks.db", places.state / "hook", places.host_file):
        place.unlink(missing_ok=True)
    shutil.rmtree(state.git)
    for fan_out in (home.home / ".ctxrepo" / ".git" / "objects").iterdir():
        with suppress(OSError):
            fan_out.rmdir()  # some 250 folders in which there is nothing yet
    state.root.rename(places.state / STATE)
    return home


_sent: dict[str, Path] = {}
"""Commit -> the remote to which an `init` has sent it."""


@cache
def naming(home: Path, name: str) -> list[Path]:
    """The files below `home`, by their paths there, that hold this name."""
    files = (path for path in home.rglob("*") if path.is_file())
    return [path.relative_to(home) for path in files if name.encode() in path.read_bytes()]
