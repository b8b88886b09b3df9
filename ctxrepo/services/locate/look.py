"""Finds the project of a folder, from the record or from git, and judges whether a checkout may be it."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ctxrepo.domain.project.registry import Registry, is_bare, named_id
from ctxrepo.errors import GitFailed, NoAnswer, NotFound, Refused, in_words
from ctxrepo.hooks.known.locate import BY_NAME, OFFER, top_of
from ctxrepo.hooks.known.world import UNKNOWN, stamp_of
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.locate.former import all_before, former_hint, former_ids, former_offer, undecided
from ctxrepo.services.locate.identify import (
    Identity,
    Location,
    Project,
    earlier_id,
    hint_of,
    identify,
    is_there,
    project_by_now,
    project_of,
    read_registry,
)
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import (
    CompiledCheckout,
    TrustedCheckouts,
    find_checkout,
    read_checkouts,
    record_checkout,
)
from ctxrepo.storage.user.code import CodeCheckout, describe_checkout, first_commit, is_genuine_worktree
from ctxrepo.storage.user.sound import FolderFacts, folder_facts, is_path


def find_location(
    memory: Memory, cwd: Path, env: Mapping[str, str] = {}, around: Callable[[], FolderFacts] | None = None
) -> Location:
    """What `cwd` is in, as `locate_with_git` would tell it; `around` has the facts about it. NoAnswer if it
    hangs."""
    if not env.get("CTXREPO_PROJECT", "").strip():
        facts = around() if around else memory.outside.ask(cwd, partial(folder_facts, cwd))
        if sure := recorded_location(memory, facts):
            return sure

    here = locate_with_git(memory, cwd, env)
    return here if here.project or here.unknown else replace(here, project=_project_of_notes(memory, cwd))


def find_project(
    memory: Memory, cwd: Path, env: Mapping[str, str], around: Callable[[], FolderFacts] | None = None
) -> Project | None:
    """The project of `cwd`, which `env` may name (CTXREPO_PROJECT) and is recorded for hooks; None outside
    git, in the home folder's repository and in the clone, but for the projects' folders there. NoAnswer where
    `cwd` hangs, GitFailed where it isn't known which project it is, Refused in a checkout that its user has
    to trust first."""
    here = find_location(memory, cwd, env, around)
    if here.unknown:
        raise here.unknown
    if here.is_withheld:
        raise Refused(here.claim, "If it is yours: `ctxrepo project trust`, in a terminal of your own.")
    return here.project


def locate_with_git(memory: Memory, cwd: Path, env: Mapping[str, str] = {}) -> Location:
    """Ask git what `cwd` is in, judge whether to trust it, and record that for hooks. `env` may name the
    project (CTXREPO_PROJECT); leave it out for the folder of another session. NoAnswer where `cwd` hangs."""
    if explicit := env.get("CTXREPO_PROJECT", "").strip():
        named_project = project_of(memory, read_registry(memory), named_id(explicit, {}))
        record(memory, BY_NAME + explicit, "", "", named_project)
        return Location(named_project)
    try:
        code = checkout_at(memory, cwd)
        if code is None:
            return Location(None)
        project = None if _is_nobodys(memory, code.top, code.common) else _project_at(memory, code)
    except GitFailed as error:  # a write is not to fail for that where the answer is known
        return _recorded(memory, cwd, error)
    claim, offer, registry = "", "", read_registry(memory)
    former = former_ids(memory, code, project, registry) if project else ()
    hint = former_hint(former, registry) or hint_of(project, registry)
    if project and project.is_registered:
        claim = find_claim(memory, code, project.id, project.checkout_id, registry)
    elif project and hint and not former and memory.settings.project.trust != "ask":
        offer = f"{OFFER}{project.id} yet; {hint} makes them one"
    row = _row(str(code.top), str(code.config), code.stamp, project, claim or offer)
    record_checkout(memory.places.state, _with_former(row, code.born, former, registry))
    return replace(_here(memory, project, claim), hint=hint)


def identity_at(memory: Memory, cwd: Path, env: Mapping[str, str] = {}) -> Identity | None:
    """What the checkout at `cwd` is called by itself, whatever that stands for; None where is no project."""
    if explicit := env.get("CTXREPO_PROJECT", "").strip():
        return Identity(named_id(explicit, {}), "explicit")
    code = checkout_at(memory, cwd)
    return None if code is None or _is_nobodys(memory, code.top, code.common) else identify(memory, code)


def checkout_at(memory: Memory, folder: Path, worktrees: str = "") -> CodeCheckout | None:
    """The checkout of `folder`, or None; `worktrees` is the policy in place of the settings'. NoAnswer where
    it hangs."""
    policy = worktrees or memory.settings.project.worktrees
    return memory.outside.ask(folder, partial(describe_checkout, folder, memory.env, policy))


def folders_there(memory: Memory, folders: Iterable[str]) -> set[str]:
    """The folders that exist; one that hangs counts as missing."""
    return {folder for folder, is_there in memory.outside.ask_each(folders, os.path.isdir, Path) if is_there}


def _project_at(memory: Memory, code: CodeCheckout) -> Project:
    identity, registry = identify(memory, code).id, read_registry(memory)
    if earlier := earlier_id(memory, code, identity, registry):
        return replace(project_of(memory, registry, earlier), new_alias=identity, checkout_id=identity)
    return project_of(memory, registry, identity, "" if code.worktree else code.name)


def _is_nobodys(memory: Memory, top: Path, common: Path) -> bool:
    """Whether a checkout can't be a project: the home folder, the memory itself and its worktrees."""
    home, own = map(os.path.realpath, (memory.places.user_home, memory.clone.git_dir))
    return str(top) == home or str(common) == own


def _project_of_notes(memory: Memory, cwd: Path) -> Project | None:
    """The project whose notes `cwd` is among, if it is in the memory itself."""
    if not is_path(cwd):
        return None
    root, here = map(os.path.realpath, (memory.root, cwd))
    folder = os.path.relpath(here, root).partition(os.sep)[0]
    registry = read_registry(memory)
    ids = [project for project, name in registry.projects.items() if name == folder]
    return project_of(memory, registry, ids[0]) if ids else None


def _here(memory: Memory, project: Project | None, claim: str) -> Location:
    return Location(project, claim, bool(claim) and memory.settings.project.trust == "ask")


def _recorded(memory: Memory, cwd: Path, error: GitFailed) -> Location:
    """The recorded answer; where there is none, or the checkout has changed since, it is unknown, and
    recorded so, what git says to that."""
    top, row = recorded_at(memory, cwd)
    if row:
        registry = read_registry(memory)
        project = project_by_now(memory, registry, row.own, row.project) if row.project else None
        return _here(memory, project, row.claim)
    if not top or _is_nobodys(memory, Path(top), Path(top) / ".git"):
        return Location(None)
    # Sessions there are told why.
    before, unknown = find_checkout(memory.places.state, top), in_words(error)
    born, was = (before.born, all_before(before)) if before else ("", ())
    row = CompiledCheckout(top, "", UNKNOWN, "", "", "", unknown, born, "\n".join(was))
    record_checkout(memory.places.state, row)
    why = f"{error.message}, so it isn't known which project {top} is"
    remedy = "Until then name the scope yourself, as in --scope global, or the project with CTXREPO_PROJECT."
    return Location(None, unknown=GitFailed(why, f"{error.hint} {remedy}".strip()))


@dataclass(frozen=True)
class TrustResult:
    """A checkout that is trusted; `is_changed` says that it wasn't before."""

    top: Path
    project: Project
    is_changed: bool


def trust_project(memory: Memory, folder: Path, agent: str) -> TrustResult:
    """Trust that the checkout of `folder` is the project it claims to be, on this machine. Refused for an
    `agent` ('' for a person), which does what it reads."""
    if agent:
        raise Refused(
            f"{agent} may not say which checkout is to be trusted",
            "A person does, in a terminal of their own.",
        )
    code = checkout_at(memory, folder)
    identity = identity_at(memory, folder)
    if code is None or identity is None:
        raise NotFound(f"{folder} belongs to no project", "Name a folder in a checkout.")
    is_changed = TrustedCheckouts(memory.state.trusted).add(code.top, identity.id)
    project = locate_with_git(memory, folder).project
    assert project is not None  # it has an identity
    return TrustResult(code.top, project, is_changed)


_PASSING = ("downloads", "download", "tmp", "temp", ".cache", ".trash", ".local/share/trash")
"""Folders below the home folder for what comes from elsewhere or doesn't stay, in lower case."""

_DOWNLOADS = lazy_pattern(r'^XDG_DOWNLOAD_DIR="\$HOME/([^"/]+)/?"', re.MULTILINE)
_FILE_BYTES = 64 * 1024
_COMPARED = 2
"""Other checkouts of a project whose history is looked at."""

_HISTORY_WAIT = 15.0
"""Seconds: git itself is given up earlier, so that a long history isn't taken for a folder that hangs."""


def find_claim(memory: Memory, code: CodeCheckout, project: str, own: str, registry: Registry) -> str:
    """One sentence on why this checkout, with the id `own`, may not be the project `project`, which has
    memory here; '' if it was known here before, is a worktree of a known one, was moved, or a person trusts
    it. All that stands in a checkout can be made up, its address first; but not where the user put it, whose
    it is, and a history that isn't known to everybody."""
    rows = [row for row in read_checkouts(memory.places.state) if row.project]
    ours = [row for row in rows if registry.canonical(row.project) == project and not row.claim]
    if any(row.top == str(code.top) and row.own == own for row in ours):
        return ""
    if TrustedCheckouts(memory.state.trusted).has(code.top, own):
        return ""
    for row in (row for row in ours if row.top != str(code.top)):
        is_beside = row.config == str(code.config)
        if is_beside and memory.outside.ask(code.top, partial(is_genuine_worktree, code)):
            return ""
        # It was moved: only the same file has the same mtime to the nanosecond.
        if code.stamp and row.stamp == code.stamp and not is_there(memory, row.top):
            return ""
    if memory.settings.project.trust == "ask":
        why = "it is new on this machine"
    else:
        why = _odd_place(memory, code.top) or _other_history(memory, code, ours)
    return (
        f"The checkout {code.top} says that it is {project}, which has memory here; but {why}" if why else ""
    )


def _odd_place(memory: Memory, top: Path) -> str:
    home = Path(os.path.realpath(memory.places.user_home))
    owner, real = memory.outside.ask(top, partial(_owner_and_place, top))
    if owner != os.geteuid():
        return "it belongs to another user"
    if not real.is_relative_to(home):
        return f"it lies outside of {home}"
    below = real.relative_to(home).as_posix().casefold() + "/"
    # What the desktop calls the folder for downloads, in the user's language.
    downloads = _DOWNLOADS.findall(text(home / ".config" / "user-dirs.dirs", _FILE_BYTES))
    if any(below.startswith(f"{folder.casefold()}/") for folder in (*_PASSING, *downloads)):
        return "it lies in a folder for what was downloaded or doesn't stay"
    return ""


def _owner_and_place(top: Path) -> tuple[int, Path]:
    return os.lstat(top).st_uid, Path(os.path.realpath(top))


def _other_history(memory: Memory, code: CodeCheckout, ours: Sequence[CompiledCheckout]) -> str:
    others = [row.top for row in reversed(ours) if row.config != str(code.config)]
    for top in [top for top in others if is_there(memory, top)][:_COMPARED]:
        begun = _first_commit(memory, Path(top))
        if begun and _first_commit(memory, code.top) not in (begun, None):
            return f"its first commit is another one than that of {top}"
    return ""


def _first_commit(memory: Memory, top: Path) -> str | None:
    """'' for a checkout without one, None where it doesn't tell in time."""
    try:
        return memory.outside.ask(top, partial(first_commit, top, memory.env), _HISTORY_WAIT)
    except (GitFailed, NoAnswer):
        return None


def recorded_location(memory: Memory, around: FolderFacts) -> Location | None:
    """The recorded location, if git would tell the same. None, for only git can tell, if nothing is recorded
    for this git config, in a linked worktree (settings decide), with a claim, without a folder in the memory,
    and while the project's id comes from neither a remote nor a person, as it may get a better one."""
    row = find_checkout(memory.places.state, around.top) if around.config else None
    if row is None or (row.config, row.stamp) != (around.config, around.stamp):
        return None
    if row.claim or row.former or is_bare(row.own):
        return None
    registry = read_registry(memory)
    if not registry.folder_of(row.own):
        return None
    return Location(project_by_now(memory, registry, row.own, row.project))


def recorded_at(memory: Memory, folder: Path) -> tuple[str, CompiledCheckout | None]:
    """The top of the checkout of `folder` ('' for none), and its record unless its git config has changed.
    NoAnswer if it hangs."""
    rows = {row.top: row for row in read_checkouts(memory.places.state)}
    return memory.outside.ask(folder, partial(_recorded_at, rows, folder))


def _recorded_at(rows: Mapping[str, CompiledCheckout], folder: Path) -> tuple[str, CompiledCheckout | None]:
    top = top_of(os.path.realpath(folder)) if is_path(folder) else ""
    row = rows.get(top)
    return top, row if row and row.stamp == stamp_of(row.config) else None


def is_known(memory: Memory, cwd: Path) -> bool:
    """Whether it is recorded which project `cwd` is in, or that it is in none."""
    top, row = recorded_at(memory, cwd)
    return not top or row is not None


def record(
    memory: Memory, top: str, config: str, stamp: str, project: Project | None, claim: str = ""
) -> None:
    """Record the project of a checkout for the hooks."""
    record_checkout(memory.places.state, _row(top, config, stamp, project, claim))


def _row(top: str, config: str, stamp: str, project: Project | None, claim: str) -> CompiledCheckout:
    folder = project.folder if project and project.is_registered else ""
    identity, own = (project.id, project.checkout_id) if project else ("", "")
    return CompiledCheckout(top, config, stamp, identity, folder, own, claim)


def _with_former(
    row: CompiledCheckout, born: str, former: Sequence[str], registry: Registry
) -> CompiledCheckout:
    return replace(row, born=born, former="\n".join(former), offer=former_offer(former, registry))


def update_recorded_checkouts(memory: Memory) -> None:
    """Update the recorded checkouts, which hooks read, and the tapes on this machine, after ctxrepo.toml
    changed."""
    registry = read_registry(memory)
    if registry.problem:
        return
    moves = {}
    for row in read_checkouts(memory.places.state):
        now = registry.canonical(row.own)
        is_current = row.project == now and row.folder and row.folder == registry.projects.get(now)
        if row.project and (row.former or not is_current):
            project = project_by_now(memory, registry, row.own, row.project)
            if row.folder not in ("", project.folder):
                moves[row.folder] = project.folder
            former = undecided(row.former.splitlines(), project, registry)
            claim = row.claim if row.folder else ""  # before that it could only say which project it may be
            new_row = _row(row.top, row.config, row.stamp, project, claim)
            record_checkout(memory.places.state, _with_former(new_row, row.born, former, registry))
    if moves:
        from ctxrepo.storage.sessions.local_tape import LocalTape

        LocalTape(memory.state).follow(moves)
