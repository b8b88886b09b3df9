"""Where the hooks, skills and templates are that ctxrepo brings along.

They stand at the top of a checkout, where people read them, and travel under the package when installed.
An editable install has no copy under the package: so both places are looked at. Found by path, because
asking `importlib.resources` costs more than reading them.
"""

from __future__ import annotations

from pathlib import Path

from ctxrepo.domain.project.layout import GLOBAL, MEMORY
from ctxrepo.errors import CtxrepoError, NotFound

PACKAGE = Path(__file__).resolve().parents[2]
"""The folder of the running `ctxrepo` package."""

HOOK = PACKAGE / "hook.py"
"""What the agents' hook lines run."""

_RENAMED = {
    # Without a dot in our own checkout, which they are not meant to govern.
    "gitattributes": ".gitattributes",
    "gitignore": ".gitignore",
}


def folder(name: str, package: Path = PACKAGE) -> Path:
    """The folder `hooks`, `skills` or `templates` of the ctxrepo at `package`."""
    installed = package / "_assets" / name
    if installed.is_dir():
        return installed
    checkout = package.parent
    # Beside an installed package stand other people's packages, and one may be called `hooks`.
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    raise CtxrepoError(f"{name}/ is missing from this installation of ctxrepo", "Install ctxrepo again.")


def files(name: str, package: Path = PACKAGE) -> dict[str, bytes]:
    """Every file below an assets folder, by its path in it with `/` between the parts, sorted.

    `name` may go deeper, as in `templates/repository`; NotFound when there is no such folder.
    """
    top, _, below = name.partition("/")
    root = folder(top, package) / below
    if not root.is_dir():
        raise NotFound(f"ctxrepo brings no {name}/ along")
    found = sorted(p for p in root.rglob("*") if p.is_file())
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in found}


def new_repository(global_folder: str = GLOBAL, package: Path = PACKAGE) -> dict[str, bytes]:
    """The files that a new memory repository begins with, by their path in it."""
    found = files("templates/repository", package)
    readme = found["README.md"].replace(b"`global/`", f"`{global_folder}/`".encode())
    renamed = _RENAMED | {MEMORY: f"{global_folder}/{MEMORY}"}
    return {renamed.get(path, path): data for path, data in (found | {"README.md": readme}).items()}
