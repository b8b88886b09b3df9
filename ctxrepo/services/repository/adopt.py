"""A machine where pi-memory-md is set up goes on with that memory repository."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.domain.project.registry import is_global_folder
from ctxrepo.domain.settings.pi import PiSettings
from ctxrepo.domain.settings.values import RepositorySettings, Settings
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.user.pimemory import read_pi
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.repository import shown_path


@dataclass(frozen=True)
class Adoption:
    """What `init` is to take over; `repository` is None when there is nothing to.

    `url` is what to clone, or to connect a clone without remote with. `warnings` are one line each. What
    they say of sessions is not taken over: it holds for pi's sessions, as long as it stands there.
    """

    source: Path = Path()
    repository: RepositorySettings | None = None
    url: str = ""
    warnings: tuple[str, ...] = ()


def adoptable(places: Places, env: Mapping[str, str], settings: Settings) -> Adoption:
    """What pi's settings say of a memory repository, while nothing that comes before them does.

    Before them come CTXREPO_HOME, config.toml, and a clone that is where ours are by default.
    """
    if settings.repository or places.home_is_explicit or (places.home / ".git").is_dir():
        return Adoption()
    found = read_pi(places, env)
    pi = found.settings
    if pi is None:
        return Adoption(warnings=found.warnings)
    root = Path(pi.local_path)
    if not root.is_absolute():
        return Adoption(warnings=(f"{found.file}: localPath is no absolute path, so nothing is taken over",))
    is_there = (root / ".git").is_dir()
    if not (is_there or pi.repo_url or pi.names_path):
        return Adoption()
    folder, odd = _global_folder(pi)
    origin = _origin(root, env) if is_there and pi.repo_url else ""
    repository = RepositorySettings(path=shown_path(root, places), remote=origin, global_folder=folder)
    told = (*odd, *pi.odd)
    warnings = tuple(f"{found.file}: {line}" for line in told)
    return Adoption(found.file, repository, origin or pi.repo_url, warnings)


def _global_folder(pi: PiSettings) -> tuple[str, tuple[str, ...]]:
    name = pi.global_folder
    if not name:
        return "global", ("globalMemory is off; ctxrepo keeps its global notes in global/ all the same",)
    if is_global_folder(name):
        return name, ()
    return "global", (f"the folder {name!r} can't hold global notes; they go to global/",)


def _origin(root: Path, env: Mapping[str, str]) -> str:
    """Where that clone is pushed to: `repoUrl` counts when it is made, and never again."""
    return Clone(root, "").origin(env)
