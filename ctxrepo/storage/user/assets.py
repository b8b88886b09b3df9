"""Where the hooks, skills and templates are that ctxrepo brings along.

They stand at the top of a checkout, where people read them, and travel under the package when installed.
An editable install has no copy under the package: so both places are looked at. Found by path, because
asking `importlib.resources` costs more than reading them."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.project.layout import GLOBAL, MEMORY
from ctxrepo.errors import CtxrepoError, NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import make_folder, put_whole

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
    """Every file below an assets folder, by its path in it with `/` between the parts, sorted. `name` may
    go deeper, as in `templates/repository`; NotFound when there is no such folder."""
    top, _, below = name.partition("/")
    root = folder(top, package) / below
    if not root.is_dir():
        raise NotFound(f"ctxrepo brings no {name}/ along")
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def new_repository(global_folder: str = GLOBAL) -> dict[str, bytes]:
    """The files that a new memory repository begins with, by their path in it."""
    templates = files("templates/repository")
    readme = templates["README.md"].replace(b"`global/`", f"`{global_folder}/`".encode())
    renamed = _RENAMED | {MEMORY: f"{global_folder}/{MEMORY}"}
    return {renamed.get(path, path): data for path, data in (templates | {"README.md": readme}).items()}


@dataclass(frozen=True)
class Runner:
    """The installation that STATE/hook starts: an interpreter and the `hook.py` that it runs."""

    interpreter: Path
    hook: Path


def place(state: Path) -> Path:
    """Where it is kept, which hook lines and the plugin know."""
    return state / "hook"


def write_runner(state: Path, interpreter: str, hook: Path = HOOK) -> bool:
    """Make STATE/hook start this installation, in one step; False when it does already or can't be."""
    script = text_beside(__spec__, "hook.sh")
    for name, value in (("@python@", interpreter), ("@hook@", str(hook)), ("@state@", str(state))):
        script = script.replace(name, shlex.quote(value))
    if _read(place(state)) == os.fsencode(script):
        return False
    try:
        make_folder(state)
        put_whole(place(state), script)
    except OSError:  # `doctor` tells; what the memory is for goes on without it
        return False
    return True


def read_runner(state: Path) -> Runner | None:
    """What STATE/hook starts; None when there is none, or it isn't as we write it."""
    try:
        words = shlex.split(os.fsdecode(_read(place(state)) or b""), comments=True)
    except ValueError:
        return None
    values = dict(word.split("=", 1) for word in words if word.startswith(("python=", "hook=")))
    return Runner(Path(values["python"]), Path(values["hook"])) if len(values) == 2 else None


def fallback(state: Path, environment: Mapping[str, str]) -> Path | None:
    """What STATE/hook comes to: the interpreter it starts, else another `ctxrepo`; None for nothing."""
    runner = read_runner(state)
    if not place(state).exists():
        return None
    if runner and runner.hook.is_file() and os.access(runner.interpreter, os.X_OK):
        return runner.interpreter
    from shutil import which  # every command loads this module, and few ask for this

    own = Path(environment.get("HOME", ""), ".local/bin/ctxrepo")
    command = str(own) if os.access(own, os.X_OK) else which("ctxrepo", path=environment.get("PATH", ""))
    return Path(command) if command and os.path.isabs(command) else None


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None
