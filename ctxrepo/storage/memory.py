"""An opened memory repository: its settings, its clone, its state on this machine, and what is open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo import __version__
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.secrets import redact
from ctxrepo.domain.settings.values import RepositorySettings, Settings
from ctxrepo.errors import UNLOCK, ConfigError, CtxrepoError, GitFailed, Refused, Uncommitted, Unsigned
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.cache import Cache, remark_of
from ctxrepo.storage.clone.clone import Clone, require_our_format, require_owner
from ctxrepo.storage.clone.housekeeping import no_gc
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED, OPEN, RefFiles
from ctxrepo.storage.disk.kinds import require_in_place
from ctxrepo.storage.disk.private import put, why_unwritable
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.state.committed_records import DoneLog, SignAttempts, VerdictFile
from ctxrepo.storage.state.journal import Handover, Journal
from ctxrepo.storage.user.config import read_settings, settings_before
from ctxrepo.storage.user.places import Places, RepositoryPlaces
from ctxrepo.storage.user.repository import clone_root, first_repository, state_of
from ctxrepo.storage.worktree.worktree import Worktree

if TYPE_CHECKING:  # these are slow to import (pygit2 most of all): they are imported where they are used
    import _sqlite3

    from ctxrepo.storage.git.committer import Committer
    from ctxrepo.storage.git.git import Git, Progress
    from ctxrepo.storage.isolated.owngit import OwnGit
    from ctxrepo.storage.isolated.rules import GitRules
    from ctxrepo.storage.objects.store import Objects
    from ctxrepo.storage.remote.conversation import Remote
    from ctxrepo.storage.remote.exchanges import Exchanges
    from ctxrepo.storage.worktree.checkout import Checkout, UserIndex

WRITE_WAIT = 60.0
"""Seconds that a writer waits for another one: most take milliseconds, a commit of 10,000 notes half a
minute. The lock dies with its holder."""


@dataclass(frozen=True)
class Memory:
    """One memory repository of the user's, with its state on this machine."""

    places: Places
    settings: Settings
    repository: RepositorySettings
    clone: Clone
    state: RepositoryPlaces
    env: Mapping[str, str]
    progress: Progress | None = None
    """Told of long work: somebody waits for it at a terminal."""
    notice: Callable[[str], None] | None = None
    """Told what is worth knowing of a write besides its result."""
    leaves_cache_to_worker: bool = False
    """If many notes have to be read into the cache, the worker does it."""
    why_read_only: str = ""
    """Why nothing can be written, as in a sandbox or on a full disk, in which readers read even so (ADR 81);
    '' where it can. It is tried once, when the memory is opened."""
    settings_stamp: str = ""
    """The stamp of config.toml from before it was read: a later edit never passes for what was read."""
    config_error: ConfigError | None = None
    """Why config.toml can't be read; None if it can. Meanwhile the settings are those it had before, and the
    remote is left alone."""
    is_background: bool = False
    """Nobody called it: it leaves a signer that has just failed alone."""
    signed: dict[tuple[object, ...], str] = field(default_factory=dict, compare=False, repr=False)
    """(tree, parents, text) -> the commit that was signed in this run."""
    proposed: list[str] = field(default_factory=list, compare=False, repr=False)
    """The ids of the proposals that an agent's writes of this run became."""
    guarded: set[tuple[str, str]] = field(default_factory=set, compare=False, repr=False)
    """(path, key) of the files that the write guard has let through in this run."""

    @classmethod
    def open(cls, places: Places, env: Mapping[str, str], *, or_last_settings: bool = False) -> Memory:
        """Open the first repository that config.toml names; NotInitialised when there is none, ConfigError
        when that can't be read: `or_last_settings` goes by the last ones, and says why in `config_error`."""
        if not places.other_owner:
            places.secure()
        stamp = stamp_of(str(places.config_file))
        error = None
        try:
            settings = read_settings(places.config_file)
            repository = first_repository(places, settings)
        except ConfigError as unread:
            before = settings_before(places.config_before) if or_last_settings else None
            if before is None:
                raise
            settings, error = before, unread
            repository = first_repository(places, settings)
        root = clone_root(places, repository)
        clone = Clone(root, repository.branch)
        if not clone.is_there:
            require_in_place(root)
            clone.require_there(redact(repository.remote))
        if not places.other_owner:
            require_owner(root, env)
        state = state_of(clone, places)
        memory = cls(places, settings, repository, clone, state, env, config_error=error)
        return replace(memory, settings_stamp=stamp, why_read_only=memory.find_why_read_only())

    @property
    def has_new_settings(self) -> bool:
        """Whether config.toml was written since this was opened: what it said then may hold no more."""
        return stamp_of(str(self.places.config_file)) != self.settings_stamp

    def with_current_settings(self) -> Memory:
        """The same memory with the settings of now; this one if they are unchanged or unreadable."""
        stamp = stamp_of(str(self.places.config_file))
        if stamp == self.settings_stamp:
            return self
        try:
            return replace(self, settings=read_settings(self.places.config_file), settings_stamp=stamp)
        except ConfigError:
            return self

    def for_caller(self, env: Mapping[str, str]) -> Memory:
        """The same memory, and what is open of it, with another environment for git."""
        other = replace(self, env=env)
        shared = ("own_git", "worktree", "journal", "cache", "host")  # none of these depends on it
        vars(other).update({name: value for name, value in vars(self).items() if name in shared})
        return other

    def find_why_read_only(self) -> str:
        """`why_read_only` as it is by now: a disk fills up, or has room again."""
        if self.places.other_owner:
            return self.places.other_owner.message
        folders = (self.state.root, self.clone.git_dir)
        return next((f"{folder} {why}" for folder in folders if (why := why_unwritable(folder))), "")

    def unchanged(self) -> CtxrepoError:
        """The error of a command that would have to write where nothing can be written."""
        other = self.places.other_owner
        hint = other.hint if other else "Run the command where that can be written."
        return CtxrepoError(f"nothing is changed: {self.why_read_only}", hint)

    @property
    def root(self) -> Path:
        return self.clone.root

    @property
    def global_folder(self) -> str:
        """The folder of the notes that hold everywhere."""
        return self.repository.global_folder

    @property
    def has_remote(self) -> bool:
        """Whether there is a remote to talk to; while config.toml can't be read nobody knows which it is."""
        return bool(self.repository.remote) and self.config_error is None

    @property
    def is_reviewed(self) -> bool:
        """Whether people look at what is written here before other machines get it, or have."""
        refs = (OPEN, DECLINED, DISMISSED)
        return self.repository.review == "branch" or any(map(self.clone.has_refs, refs))

    @cached_property
    def own_git(self) -> OwnGit:
        from ctxrepo.storage.isolated.owngit import OwnGit

        return OwnGit(self.state.git, self.clone, self.repository.remote)

    @property
    def git(self) -> Git:
        """The git executable, in a directory of ours that sees the clone's objects; made ready each time."""
        return self.own_git.git(self.env)

    def rules(self, tree: str | None, *, on_disk: bool = True) -> GitRules:
        """What git's own files say of paths; they are read on disk and, where one isn't there, in a tree."""
        from ctxrepo.storage.isolated.rules import GitRules

        def read(path: str) -> bytes | None:
            data = self.worktree.read(path) if on_disk else None
            return self.objects.find(tree, path) if data is None and tree else data

        return GitRules(self.own_git, self.env, read)

    def filtered_text(self, path: str, key: str | None) -> bytes | None:
        """A note that a filter of git's converts, if it is on disk and is not what git stores as `key`."""
        data = self.worktree.read(path)
        return None if data is None or blob_id(data) == key else data

    def require_text(self, path: str) -> None:
        """Refused where this machine has only what a filter made of the note."""
        if why := self.cache.ask(remark_of, "unread").get(path):
            key = self.objects.files(self.head_tree, [path]).get(path)
            if self.filtered_text(path, key) is None:
                raise Refused(
                    f"git stores {path} in another form ({why}), and its text is not on this machine",
                    f"`git checkout -- {path}` in {self.root} writes it, once your git has that filter.",
                )

    @property
    def remote(self) -> Remote:
        from ctxrepo.storage.remote.conversation import Remote

        return Remote(self.own_git, self.env, self.settings.sync.timeout)

    @cached_property
    def objects(self) -> Objects:
        from ctxrepo.storage.objects.store import Objects  # see TYPE_CHECKING above

        return Objects(self.own_git, self._fetch_objects if self.clone.is_partial else None)

    def require_whole(self) -> None:
        """Damaged if the git folder's layout is broken: the check of `objects`, without importing pygit2."""
        self.own_git.prepare_objects()

    @property
    def refs(self) -> RefFiles:
        """The clone's refs, for callers that only read them: `objects` imports pygit2, which is slow."""
        return RefFiles(self.clone.git_dir)

    def _fetch_objects(self, missing: Sequence[str]) -> None:
        if not (answer := self.remote.fetch_objects(missing)).ok:
            raise GitFailed(
                f"{len(missing)} files of the memory are not on this machine and can't be brought: "
                f"{answer.reason or answer.outcome}",
                answer.next_step,
            )

    @cached_property
    def worktree(self) -> Worktree:
        return Worktree(self.root, self.clone.own_dir / "scratch")

    @property
    def checkout(self) -> Checkout:
        from ctxrepo.storage.worktree.checkout import Checkout

        def converted(tree: str, paths: Collection[str]) -> Collection[str]:
            return self.rules(tree, on_disk=False).converted(paths)

        places = self.worktree, self.state.stamps
        return Checkout(self.objects, *places, self.clone.cone, self.progress, converted)

    @property
    def user_index(self) -> UserIndex:
        from ctxrepo.storage.worktree.checkout import UserIndex

        return UserIndex(self.clone.git_dir, self.objects, self.git, is_sparse=self.clone.cone is not None)

    @property
    def outside(self) -> Outside:
        return Outside(self.places.unresponsive)

    @cached_property
    def journal(self) -> Journal:
        """The saves that no commit holds yet."""
        return Journal(self.state.journal)

    @cached_property
    def handover(self) -> Handover:
        """What commands in a sandbox left for whoever can write (ADR 82)."""
        return Handover(self.places.handover / self.state.id, self.state.taken, self.state.refused)

    @property
    def done_log(self) -> DoneLog:
        return DoneLog(self.state.done)

    @property
    def exchanges(self) -> Exchanges:
        from ctxrepo.storage.remote.exchanges import Exchanges

        return Exchanges(self.state.exchanges)

    @property
    def verdicts(self) -> VerdictFile:
        return VerdictFile(self.state.verdicts)

    @property
    def sign_attempts(self) -> SignAttempts:
        return SignAttempts(self.state.unsigned)

    @cached_property
    def cache(self) -> Cache:
        return Cache.open(self.state.cache)

    def hook_cache(self) -> _sqlite3.Connection | None:
        """A new connection to the cache, as hooks read it, for the caller to close; None without one."""
        return open_cache(str(self.state.cache))

    @cached_property
    def committer(self) -> Committer:
        from ctxrepo.storage.git.committer import find_committer

        return find_committer(self.git, self.clone.named_committer(self.env))

    @cached_property
    def host(self) -> str:
        return self.places.host()

    @property
    def head(self) -> str | None:
        """The newest commit of our branch; None before the first."""
        return self.objects.ref(self.clone.branch_ref)

    @property
    def head_tree(self) -> str | None:
        """The tree of `head`; None before the first commit."""
        return self.objects.tree_of(self.head)

    def make_commit(self, tree: str, parents: Sequence[str], message: str, now: datetime) -> str:
        """A commit object by the user's own git identity, which says what version of ours made it. If that is
        how they commit it must be signed: Unsigned until it is by `sign`, which its caller calls, and comes
        back, when it has let go of every lock. There is never an unsigned one instead."""
        from ctxrepo.domain.git.commit import with_version

        who, message = self.committer, with_version(message, __version__)
        if who.signs:
            unsigned = Unsigned(tree, tuple(parents), message)
            if unsigned.key not in self.signed:
                raise unsigned
            return self.signed[unsigned.key]
        from ctxrepo.storage.objects.store import Author

        self.sign_attempts.forget()
        author = Author(who.name or "ctxrepo", who.email or f"{self.host}@ctxrepo.invalid")
        return self.objects.commit(tree, parents, message, author, now)

    def sign(self, unsigned: Unsigned) -> None:
        """Have a commit signed for `make_commit`; Uncommitted where that fails, or has just failed."""
        from ctxrepo.storage.git.committer import signed_commit

        who, attempts = self.committer, self.sign_attempts
        if self.is_background and attempts.is_paused(who.means):
            raise Uncommitted(attempts.trouble(), UNLOCK)
        tree, parents, message = unsigned.key
        attempts.note(attempts.trouble(), who.means, is_new=True)  # others leave it alone meanwhile
        try:
            self.signed[unsigned.key] = signed_commit(self.git, tree, parents, message, who)
        except Uncommitted as error:
            attempts.note(error.message, who.means, is_new=False)
            raise
        attempts.forget()

    def set_remote_trouble(self, trouble: str) -> None:
        """Store what sessions must be told about the remote; '' for nothing."""
        if trouble != self.remote_trouble():
            put(self.state.trouble, trouble)

    def remote_trouble(self) -> str:
        try:
            return self.state.trouble.read_text("utf-8", "replace")
        except (FileNotFoundError, IsADirectoryError):  # of a folder in its place `doctor` tells
            return ""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock: nobody else changes worktree, journal or branch meanwhile. RepositoryState
        where the clone's format of git isn't ours: nothing is written into that."""
        require_our_format(self.root)
        if self.why_read_only:
            raise self.unchanged()
        with locked(self.state.lock("write"), WRITE_WAIT):
            yield

    @contextmanager
    def building(self) -> Iterator[None]:
        """Objects are made that no ref leads to yet: no `git gc` begins, which might delete them."""
        with no_gc(self.clone.git_dir):
            yield
