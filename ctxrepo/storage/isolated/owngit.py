"""Our own git directory for a clone: the one that every git process and libgit2 of ours runs in.

Others can write the clone's `.git`: an agent that was talked into it, an unpacked archive. git runs programs
that a configuration names, and sends where it says. So ours run in this directory, whose configuration we
write, and find the clone's objects through links. What a person's own git does in the clone is theirs."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.domain.git.gitfiles import render
from ctxrepo.errors import Damaged, GitFailed
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.clone import Clone, require_our_format
from ctxrepo.storage.clone.reffiles import RefFiles
from ctxrepo.storage.disk.kinds import Misplaced, kind_of, require_in_place
from ctxrepo.storage.disk.private import make_folder, random_name, why_unwritable
from ctxrepo.storage.git.address import carries_password, configurations, is_local

if TYPE_CHECKING:
    from ctxrepo.storage.git.git import Git


_FAN_OUT = [f"{number:02x}" for number in range(256)]

_NEVER_SHOWN = "refs/replace/"
"""Refs by which git would read other objects than it was asked for."""


@dataclass(frozen=True)
class OwnGit:
    """`folder` is in the state of the clone on this machine; `url` is the remote's address in config.toml."""

    folder: Path
    clone: Clone
    url: str = ""

    def git(self, env: Mapping[str, str], *, is_offline: bool = False) -> "Git":
        """The git executable in this directory, made ready; RepositoryState where the clone's git folder
        is not its own, or has a format that isn't ours."""
        from ctxrepo.storage.git.git import Git  # not needed to look at the directory

        git = Git(
            self.folder, env, file_remote=is_local(self.url), is_offline=is_offline, git_dir=self.folder
        )
        includes: tuple[str, ...] = ()
        if may_have_conditions(env):  # git is asked in a directory without them
            folder = self.folder / "asked"
            make_bare(folder, self._configuration(()), self._head())
            includes = conditional_files(replace(git, folder=folder, git_dir=folder), self.clone.git_dir)
        self.prepare(includes)
        return git

    def prepare(self, includes: tuple[str, ...] = ()) -> None:
        """Write HEAD, configuration and links of the directory, whatever it held before."""
        self._require_ours()
        if self._stays_as_it_is:
            return
        try:
            make_bare(self.folder, self._configuration(includes), self._head())
            self._copy("shallow", "".join(f"{commit}\n" for commit in sorted(self._files.shallow())))
            cone = self.clone.cone
            self._copy("info/sparse-checkout", render(cone) if cone else "")
            self._link_objects()
            self._link_shared_indexes()
        except OSError as error:
            raise GitFailed(
                f"{error.filename or self.folder} can't be written: {error.strerror or error}"
            ) from error

    def prepare_objects(self) -> Path:
        """The same as far as libgit2 needs it, which is given the clone's objects; returns where they are."""
        self._require_ours()
        objects = self.clone.git_dir / "objects"
        if not objects.is_dir():
            raise Damaged(f"{objects} is gone")
        is_configured = (self.folder / "config").is_file()
        if self._stays_as_it_is:
            return objects
        make_bare(self.folder, None if is_configured else self._configuration(()), self._head())
        self._copy("shallow", "".join(f"{commit}\n" for commit in sorted(self._files.shallow())))
        return objects

    def make_empty(self, folder: Path) -> None:
        """A repository at `folder` that knows the remote and has nothing yet."""
        make_bare(folder, self._configuration((), is_whole=True), self._head())

    def show_refs(self) -> dict[str, str]:
        """Copy the clone's refs here, so that a fetch knows them, and return them, under the sync lock."""
        refs = {name: oid for name, oid in self._files.all().items() if not name.startswith(_NEVER_SHOWN)}
        self._copy("packed-refs", "".join(f"{oid} {name}\n" for name, oid in refs.items()))
        import shutil  # not needed to look at the directory

        for entry in (self.folder / "refs").iterdir():
            shutil.rmtree(entry)
        return refs

    def _require_ours(self) -> None:
        """RepositoryState where the clone's git folder isn't its own, or has a format that isn't ours: this
        directory has SHA-1 and files, so that its git would write such objects into the clone (ADR 65)."""
        require_in_place(self.clone.root)
        require_our_format(self.clone.root)

    @property
    def _stays_as_it_is(self) -> bool:
        """Whether it was made, and can't be changed now, as in an agent's sandbox."""
        return (self.folder / "config").is_file() and bool(why_unwritable(self.folder))

    @property
    def _files(self) -> RefFiles:
        return RefFiles(self.clone.git_dir)

    def _head(self) -> str:
        """What HEAD says in the clone: a person's `includeIf "onbranch:…"` goes by it."""
        head = self._files.head()
        return head if head.startswith("ref: ") else f"ref: {self.clone.branch_ref}"

    def _configuration(self, includes: tuple[str, ...], *, is_whole: bool = False) -> str:
        is_partial, cone = self.clone.is_partial and not is_whole, self.clone.cone
        core = {
            "repositoryformatversion": "0",
            "bare": "true",
            "logAllRefUpdates": "false",
            "commitGraph": "false",
            **({"sparseCheckout": "true", "sparseCheckoutCone": "true"} if cone else {}),
        }
        remote = {"url": self.url} if self.url and not carries_password(self.url) else {}
        if is_partial:
            remote |= {"promisor": "true", "partialclonefilter": "blob:none"}
        sections = [
            ("core", core),
            ("index", {"sparse": "true"} if cone else {}),
            ('remote "origin"', remote),
            *(("include", {"path": file}) for file in includes),
        ]
        return "".join(
            f"[{name}]\n" + "".join(f"\t{key} = {_quoted(value)}\n" for key, value in pairs.items())
            for name, pairs in sections
            if pairs
        )

    def _copy(self, name: str, text: str) -> None:
        if text:
            write_if_changed(self.folder / name, text)
        else:
            (self.folder / name).unlink(missing_ok=True)

    def _link_objects(self) -> None:
        """Links to the clone's folders of objects: what lies beside them (`info/alternates`) is not seen, and
        what git writes is in the clone at once."""
        # Paths are strings here: 257 of them as Path take a fifth of the time of an `init`.
        own, theirs = str(self.folder / "objects"), str(self.clone.git_dir / "objects")
        # `pack` is linked last: where it leads there, and none is missing, all of them do.
        is_linked = _target(f"{own}/pack") == f"{theirs}/pack" and len(os.listdir(own)) > len(_FAN_OUT) + 1
        _make_fan_out(theirs)
        if not is_linked:
            for name in (*_FAN_OUT, "pack"):
                _link(f"{own}/{name}", f"{theirs}/{name}")

    def _link_shared_indexes(self) -> None:
        """Where a person's index is split, git looks for its greater part beside the configuration."""
        names = {file.name for file in self.clone.git_dir.glob("sharedindex.*") if file.is_file()}
        for name in names:
            if not (self.folder / name).is_symlink():
                (self.folder / name).symlink_to(self.clone.git_dir / name)
        for link in self.folder.glob("sharedindex.*"):
            if link.name not in names:
                link.unlink(missing_ok=True)


def make_bare(folder: Path, configuration: str | None, head: str) -> None:
    """A bare git directory with this HEAD and configuration (None: the one it has), and nothing else."""
    for name in ("refs", "objects/info", "info"):
        make_folder(folder / name)
    folder.chmod(0o700)
    write_if_changed(folder / "HEAD", f"{head}\n")
    if configuration is not None:
        write_if_changed(folder / "config", configuration)


def write_if_changed(file: Path, text: str) -> None:
    """In one step: another process may read it meanwhile."""
    data = text.encode("utf-8", "surrogateescape")
    with suppress(FileNotFoundError):
        if file.read_bytes() == data:
            return
    new = file.with_name(f"{file.name}-{random_name(4)}")
    new.write_bytes(data)
    new.rename(file)


def _make_fan_out(objects: str) -> None:
    """Make those of a clone's folders of objects that are missing: a link must lead somewhere."""
    with os.scandir(objects) as entries:
        folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
    for name in {*_FAN_OUT, "pack"} - folders:
        try:
            os.mkdir(f"{objects}/{name}")
        except FileExistsError as error:
            folder = Path(objects, name)
            if kind_of(folder) != "a folder":  # put there just now
                raise Damaged(Misplaced(folder, kind_of(folder)).words) from error


def _link(link: str, target: str) -> None:
    """Let `link` lead to `target`, wherever it led before."""
    if _target(link) == target:
        return
    with suppress(FileNotFoundError):
        os.unlink(link)
    with suppress(FileExistsError):  # another process of ours has just made it
        os.symlink(target, link)


def _target(link: str) -> str:
    """Where a link leads, '' for none."""
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _quoted(value: str) -> str:
    """A value as git's configuration has it."""
    if any(ord(sign) < 32 for sign in value):
        return '""'
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


_INCLUDES = lazy_pattern(rb"\[\s*include", re.IGNORECASE)
_MOST = 1024 * 1024
_TIMEOUT = 10.0


def may_have_conditions(env: Mapping[str, str]) -> bool:
    """Whether a configuration of the user's or of the system includes anything: most don't."""
    texts = (bytes_of(str(file), _MOST, follow=True) for file in configurations(env))
    return any(_INCLUDES.search(text or b"") for text in texts)


def conditional_files(git: "Git", git_dir: Path) -> tuple[str, ...]:
    """Configuration files that git reads in `git_dir` only; `git` runs in our own directory."""
    if not RefFiles(git_dir).head():
        return ()
    everywhere = set(_origins(git))
    in_clone = replace(git, git_dir=git_dir, common_dir=git.folder)
    return tuple(dict.fromkeys(file for file in _origins(in_clone) if file not in everywhere))


def _origins(git: "Git") -> Iterator[str]:
    answer = git.run("config", "--null", "--show-origin", "--includes", "--list", timeout=_TIMEOUT)
    for origin in answer.out.split("\0")[::2]:
        if origin.startswith("file:/"):
            yield origin.removeprefix("file:")
