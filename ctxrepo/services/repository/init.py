"""A memory repository on this machine: new, cloned, or the one that an agent's memory program has."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.project.registry import is_global_folder
from ctxrepo.domain.secrets import redact
from ctxrepo.domain.settings.values import OwnMemory, RepositorySettings, Settings
from ctxrepo.errors import CtxrepoError, RepositoryState, UsageError
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import drop_refused_clone
from ctxrepo.services.projects.sparse import always
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.services.repository.set_up_git import set_up_git
from ctxrepo.services.sessions.session_settings import AgentMemory, own_memories
from ctxrepo.services.sync.exchange import SyncResult
from ctxrepo.services.sync.sync import SyncRequest, sync
from ctxrepo.services.sync.upstream import why_no_memory
from ctxrepo.storage.clone.clone import Clone, is_occupied, require_our_format, require_owner
from ctxrepo.storage.clone.configfile import configure
from ctxrepo.storage.clone.reffiles import RefFiles
from ctxrepo.storage.clone.refwriter import RefWriter
from ctxrepo.storage.disk.kinds import require_in_place
from ctxrepo.storage.git.address import check_url
from ctxrepo.storage.git.git import Git, Progress
from ctxrepo.storage.isolated.owngit import OwnGit
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.remote.conversation import Remote, clone
from ctxrepo.storage.state.committed_records import DoneLog
from ctxrepo.storage.state.journal import Journal
from ctxrepo.storage.user import assets
from ctxrepo.storage.user.config import read_settings, write_repository
from ctxrepo.storage.user.places import Places, RepositoryPlaces
from ctxrepo.storage.user.repository import clone_root, first_repository, shown_path, state_of


@dataclass(frozen=True)
class Adoption:
    """What `init` is to take over: `repository`, None for nothing. `source` are the settings of `agent` that
    say so, for the memory program `program`; `url` is what to clone, or a clone's remote to be. `warnings`
    are one line each. What they say of sessions holds for the agent's sessions as long as it stands there."""

    agent: str = ""
    program: str = ""
    source: Path = Path()
    repository: RepositorySettings | None = None
    url: str = ""
    warnings: tuple[str, ...] = ()


def adoptable(places: Places, env: Mapping[str, str], settings: Settings) -> Adoption:
    """What the first agent's own settings to name a memory repository say of it, unless CTXREPO_HOME,
    config.toml, or a clone where ours are by default comes before them."""
    if settings.repository or places.home_is_explicit or (places.home / ".git").is_dir():
        return Adoption()
    adoptions = [_of_agent(memory, places, env) for memory in own_memories(places, env)]
    with_repository = (adoption for adoption in adoptions if adoption.repository)
    warnings = tuple(warning for adoption in adoptions for warning in adoption.warnings)
    return next(with_repository, Adoption(warnings=warnings))


def _of_agent(memory: AgentMemory, places: Places, env: Mapping[str, str]) -> Adoption:
    own = memory.settings
    if own is None:
        return Adoption(warnings=memory.warnings)
    root = Path(own.local_path)
    if not root.is_absolute():
        return Adoption(warnings=(f"{memory.file}: localPath is no absolute path, so nothing is taken over",))
    is_there = (root / ".git").is_dir()
    if not (is_there or own.repo_url or own.names_path):
        return Adoption()
    folder, odd = _global_folder(own)
    origin = Clone(root, "").origin(env) if is_there and own.repo_url else ""
    return Adoption(
        memory.agent,
        memory.program,
        memory.file,
        RepositorySettings(path=shown_path(root, places), remote=origin, global_folder=folder),
        origin or own.repo_url,
        tuple(f"{memory.file}: {line}" for line in (*odd, *own.odd)),
    )


def _global_folder(own: OwnMemory) -> tuple[str, tuple[str, ...]]:
    name = own.global_folder
    if not name:
        return "global", ("globalMemory is off; ctxrepo keeps its global notes in global/ all the same",)
    if is_global_folder(name):
        return name, ()
    return "global", (f"the folder {name!r} can't hold global notes; they go to global/",)


_LOCAL = 20.0


@dataclass(frozen=True)
class InitResult:
    """`action`: created (with an empty remote or none), cloned, connected (a remote was added), adopted or
    unchanged. `source` is the file of an agent's settings that was followed, of the memory program `program`;
    `warnings` are about such a file."""

    root: Path
    remote: str
    action: str
    synced: SyncResult | None = None
    source: Path | None = None
    program: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class InitRequest:
    """The remote, '' for none, from the folder `cwd`. A `sparse` clone has the global notes on disk, and
    those of projects as they are worked on. `agrees` is asked whether a repository of code is meant, and told
    what is in it; `begins` whether to begin, and told what would be done: without that nothing is changed."""

    remote: str = ""
    sparse: bool = False
    cwd: Path = Path("/")
    agrees: Callable[[str], bool] = lambda _: False
    begins: Callable[[InitResult], bool] = lambda _: True


def init(
    places: Places,
    env: Mapping[str, str],
    request: InitRequest,
    interpreter: str,
    now: datetime,
    progress: Progress | None = None,
) -> InitResult:
    """Make or clone the memory repository; a second run changes nothing. A remote is added to a repository
    that had none and merged with it; UsageError naming both when there is another one. Without a remote and
    settings of our own those of agents are followed. `interpreter` is the Python that hooks must start."""
    remote = _absolute(request.remote, request.cwd, places.user_home)
    places.secure()
    settings = read_settings(places.config_file)
    adoption = Adoption() if remote else adoptable(places, env, settings)
    current = adoption.repository or first_repository(places, settings)
    root = clone_root(places, current)
    url = remote or _absolute(adoption.url, places.user_home, places.user_home)
    if url:
        check_url(url)
    if current.remote and url and url != current.remote:
        raise UsageError(
            f"{root} belongs to {redact(current.remote)} already, not to {redact(url)}",
            "Keep it, or set CTXREPO_HOME, CTXREPO_CONFIG and CTXREPO_STATE for another memory.",
        )
    url = url or current.remote
    if not (root / ".git").is_dir():
        action = "cloned" if url else "created"
    elif url and not current.remote:
        action = "connected"
    else:
        action = "adopted" if adoption.repository else "unchanged"
    source = adoption.source if adoption.repository else None
    planned = InitResult(root, url, action, None, source, adoption.program, adoption.warnings)
    if not request.begins(planned):
        return planned
    cone = always(current.global_folder) if request.sparse or settings.sync.sparse else None
    _ensure_clone(root, url, env, progress, settings.sync.timeout, cone)
    if action == "cloned":
        try:
            _require_meant(Clone(root, ""), url, request, redact(url))
        except UsageError:
            shutil.rmtree(root)
            raise
    require_owner(root, env)
    require_in_place(root)
    is_first = action == "cloned" and not Clone(root, "").has_refs("refs/remotes/")
    branch = current.branch if settings.repository else _branch(root, current.branch)
    if action == "connected":
        branch = _connect(Clone(root, branch), places, env, url, settings.sync.timeout, request)
    updated = replace(current, path=shown_path(root, places), remote=url, branch=branch)
    write_repository(places.config_file, updated)
    if action in ("created", "cloned"):
        root.chmod(0o700)  # what a person's agents remember is nobody else's to read
    memory = replace(Memory.open(places, env), progress=progress, leaves_cache_to_worker=action == "cloned")
    is_accepted = action == "cloned" and not drop_refused_clone(memory)
    _prepare(memory)
    publish_settings(memory, interpreter)
    places.host()  # a command in a sandbox couldn't make it
    set_up_git(memory, interpreter)
    # A clone brings what a fetch would, unless its history is cut off or was refused.
    is_fetched = is_accepted and not memory.refs.shallow()
    synced = sync(memory, now, SyncRequest(fetched=RemoteAnswer("ok") if is_fetched else None))
    if action == "cloned" and not memory.refs.shallow():
        synced = replace(synced, notices=(*synced.notices, *_unsent_before(memory)))
    # The first session asks the remote again: another machine may have sent something since.
    memory.state.fetched.unlink(missing_ok=True)
    return replace(planned, action="created" if is_first else action, synced=synced)


def _unsent_before(memory: Memory) -> Iterator[str]:
    """A line about what commands had saved in a clone that was at this place before, and this one hasn't."""
    for folder in memory.places.state.glob("[0-9a-f]" * 12):
        before, root = RepositoryPlaces(folder), str(memory.root).encode()
        if before.id == memory.state.id or bytes_of(str(before.owner), len(root)) != root:
            continue
        commits = [operation.commit for operation in DoneLog(before.done).newest() if operation.commit]
        lacking = [commit for commit in commits if not memory.objects.has(commit)]
        if count := len(lacking) + len(Journal(before.journal).names()):
            had = f"the clone that was here before had {counted(count, 'write')}"
            yield f"{had} that this one hasn't; {folder} has their texts"


def _ensure_clone(
    root: Path, url: str, env: Mapping[str, str], progress: Progress | None, timeout: float, cone: Cone | None
) -> None:
    if (root / ".git").is_dir():
        require_our_format(root)
        return
    if is_occupied(root):
        raise UsageError(f"{root} is there and is not a git repository", "Move it away, or set CTXREPO_HOME.")
    if url:
        answer = clone(url, root, env, progress, timeout, sparse=cone is not None)
        if not answer.ok:
            raise CtxrepoError(f"{redact(url)} could not be cloned: {answer.reason}", _clone_hint(answer))
        if cone is not None:
            keys = ("core.sparseCheckout", "core.sparseCheckoutCone", "index.sparse")
            configure(root / ".git" / "config", env, dict.fromkeys(keys, "true"))
            Clone(root, "").set_cone(cone)
        return
    root.mkdir(parents=True, exist_ok=True)
    Git(root, env).ask("init", "--quiet", "--initial-branch=main", "--template=", timeout=_LOCAL)


_CLONE_HINTS = {
    "missing": "Check the address; the repository must exist, empty is fine.",
    "format": "Nothing was changed. Make it anew with `git init --bare --object-format=sha1`, or use "
    "another.",
    "untrusted": "Nothing was changed. `git ls-remote` on the address shows its host key or certificate, and "
    "asks whether you trust a key that is new; then run it again.",
    "auth": "Try `git ls-remote` on the address: git must be able to reach it without asking.",
}


def _clone_hint(answer: RemoteAnswer) -> str:
    other = "Nothing was changed. Check address and network, and run it again."
    return f"{_CLONE_HINTS.get(answer.outcome, other)} {answer.ignored_variable}".strip()


def _require_meant(place: Clone, url: str, request: InitRequest, name: str) -> None:
    """UsageError where a clone holds code, and that isn't meant; it is told by its name."""
    with TemporaryDirectory() as folder:
        objects = Objects(OwnGit(Path(folder), place, url))
        tips = objects.refs("refs/remotes/origin/").values()
        code = why_no_memory(objects, objects.ref("HEAD") or next(iter(tips), None))
    words = f"{name} holds code ({code}) and no memory"
    if code and not request.agrees(words):
        raise UsageError(
            f"{words}, so nothing was changed",
            "A memory has a repository of its own, which may be empty; if this one is meant, add --yes.",
        )


def _connect(
    place: Clone, places: Places, env: Mapping[str, str], url: str, timeout: float, request: InitRequest
) -> str:
    """Add the remote to the clone's configuration, once it has answered and neither holds code. Returns the
    branch that both share: the remote's, if it has others than the clone, which is put on it then."""
    answer = Remote(OwnGit(state_of(place, places).git, place, url), env, timeout).look()
    if not answer.ok:
        raise CtxrepoError(f"{redact(url)} could not be reached: {answer.reason}", _clone_hint(answer))
    _require_meant(place, url, request, str(place.root))
    branch = place.branch
    with TemporaryDirectory(dir=places.state) as folder:
        there = Path(folder, "clone")
        if clone(url, there, env, None, timeout).ok:
            _require_meant(Clone(there, ""), url, request, redact(url))
            theirs = RefFiles(there / ".git").all("refs/remotes/origin/")
            if theirs and f"refs/remotes/origin/{branch}" not in theirs:
                branch = _branch(there, branch)
    origin = place.origin(env)
    if origin not in ("", url):
        raise UsageError(
            f"{place.root} has the remote {redact(origin)}, not {redact(url)}",
            "Use that one, or change it there with `git remote`.",
        )
    if not origin:
        remote = {"remote.origin.url": url, "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*"}
        configure(place.git_dir / "config", env, remote)
    if branch != place.branch:
        _rename_branch(place, branch)
    return branch


def _rename_branch(place: Clone, branch: str) -> None:
    """Give the clone's branch another name; RepositoryState where it has another branch of that name."""
    refs, new = RefWriter(place.git_dir), f"refs/heads/{branch}"
    if refs.exists(new):
        raise RepositoryState(
            f"the remote's branch is {branch}, {place.root} is on {place.branch} and has another {branch}",
            f"Rename that there with `git branch -m {branch} NEW`, and run it again.",
        )
    if commit := refs.resolve("HEAD"):
        refs.set(new, commit)
    refs.point_head(new)
    refs.remove(place.branch_ref)


def _branch(root: Path, default: str) -> str:
    """The branch all machines share; the clone is put on it: the remote's main one. An empty remote may not
    say, and then every machine must choose alike, whatever its own git calls new branches."""
    refs, head = RefWriter(root / ".git"), Clone(root, "").checked_out()
    if refs.resolve("HEAD"):
        if not head:
            raise RepositoryState(
                f"{root} is on no branch, as in the middle of a rebase",
                "End what was begun there, or switch to the branch that is to be shared; then try again.",
            )
        return head
    prefix = "refs/remotes/origin/"
    branches = [name.removeprefix(prefix) for name in refs.all(prefix) if name != f"{prefix}HEAD"]
    branch = next((name for name in (head, default, "master") if name in branches), (*branches, default)[0])
    refs.point_head(f"refs/heads/{branch}")
    return branch


def _prepare(memory: Memory) -> None:
    """Write the files that every new memory starts with, unless the branch exists here or on the remote."""
    if memory.head or memory.objects.ref(memory.clone.upstream_ref):
        return
    for path, data in assets.new_repository(memory.global_folder).items():
        if not memory.worktree.exists(path):
            memory.worktree.write(path, data)


def _absolute(remote: str, cwd: Path, home: Path) -> str:
    """Make a path absolute: a relative one would mean something else in the clone."""
    if remote == "~" or remote.startswith("~/"):
        return os.path.normpath(home / remote[2:])
    if remote.startswith(("./", "../", "~")) or (remote and ":" not in remote and not remote.startswith("-")):
        return os.path.normpath(cwd / os.path.expanduser(remote))
    return remote
