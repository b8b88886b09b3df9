"""Which repository is served on this machine, and where its clone and its state are."""

from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.project.registry import is_global_folder
from ctxrepo.domain.settings.values import RepositorySettings, Settings
from ctxrepo.errors import ConfigError
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.disk.private import make_folder, move_foreign_aside, put, require_private
from ctxrepo.storage.user.places import Places, RepositoryPlaces


def first_repository(places: Places, settings: Settings) -> RepositorySettings:
    """The repository this version serves; ConfigError when CTXREPO_HOME names another clone than
    config.toml. A configured clone that is gone has been moved: then CTXREPO_HOME says where to."""
    known = settings.repository[0] if settings.repository else RepositorySettings()
    if not is_global_folder(known.global_folder):
        raise ConfigError(
            f"{places.config_file}: repository.global_folder can't be {known.global_folder!r}",
            "It is the name of one folder of the memory repository, global by default.",
        )
    configured = clone_root(replace(places, home_is_explicit=False), known)
    is_other = places.home_is_explicit and configured.resolve() != places.home.resolve()
    if known.path and is_other and (configured / ".git").is_dir():
        raise ConfigError(
            f"CTXREPO_HOME is {places.home}, and {places.config_file} names {configured}",
            "Unset it, or set CTXREPO_CONFIG and CTXREPO_STATE as well: the three belong together.",
        )
    return known


def state_of(clone: Clone, places: Places) -> RepositoryPlaces:
    """The state of this clone. A copy made with `cp -r` has the id of the first one, and gets its own."""
    if places.other_owner:  # nothing is written into the clone, not even an id
        make_folder((apart := places.of_repository("apart")).root)
        return apart
    require_private(places.state, is_chosen=True)
    state = places.of_repository(clone.repo_id())
    for folder in (state.root, clone.own_dir):
        require_private(folder)  # a link that holds what was acknowledged is for a person to settle
    for folder in (places.state, state.root, clone.own_dir):
        move_foreign_aside(folder)
    text = state.owner.read_text("utf-8", "replace") if state.owner.exists() else ""
    other = Path(text) if text and "\0" not in text else clone.root
    if other != clone.root and Clone(other, clone.branch).has_id(state.root.name):
        clone.forget_id()
        return state_of(clone, places)
    if text != str(clone.root):
        put(state.owner, str(clone.root))
    return state


def clone_root(places: Places, repository: RepositorySettings) -> Path:
    """Where the clone is: CTXREPO_HOME, else the configured path, else the default."""
    if places.home_is_explicit or not repository.path:
        return places.home
    path = repository.path
    return places.user_home / path[2:] if path.startswith("~/") else Path(path)


def shown_path(root: Path, places: Places) -> str:
    """The folder as config.toml names it: below the home folder with `~`."""
    try:
        return f"~/{root.relative_to(places.user_home).as_posix()}"
    except ValueError:
        return str(root)
