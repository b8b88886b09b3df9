"""What git's own files say of paths: which it ignores, and which attributes they have.

git answers, in a folder that has copies of these files and nothing else: no filter runs. Of the user's own
configuration `core.excludesFile` is left out: it speaks of all repositories (ADR 75)."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.git.gitfiles import ATTRIBUTES_FILE, CONVERTING, conversion
from ctxrepo.domain.project.layout import prefixes_of
from ctxrepo.errors import GitFailed, Unreadable
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.configfile import values
from ctxrepo.storage.git.address import configurations
from ctxrepo.storage.isolated.owngit import OwnGit, make_bare

_KEY = "core.attributesfile"
_NAMES_ATTRIBUTES = lazy_pattern(rb"(?i)attributesfile|\[\s*include")
_PATTERN = lazy_pattern(rb"(?m)^(?!(?:\.DS_Store|\.obsidian/workspace\*|\*~|\*\.swp|\.#\*)$)[^#\s]")
"""A pattern, but for those of templates/repository/gitignore, which fit no note: git isn't asked for them."""
_MOST = 1024 * 1024
_TIMEOUT = 10.0


@dataclass(frozen=True)
class GitRules:
    """`read` gives the bytes of a file of the memory by its path, None for none."""

    own: OwnGit
    env: Mapping[str, str]
    read: Callable[[str], bytes | None]

    def ignored(self, paths: Collection[str]) -> frozenset[str]:
        """Those of `paths` that git would ignore unless it knew them already."""
        files = self._files(".gitignore", paths)
        files["info/exclude"] = _bytes(self.own.clone.git_dir / "info" / "exclude")
        if not any(map(_PATTERN.search, files.values())):
            return frozenset()
        words = ("-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin", "-z")
        return frozenset(self._ask(files, words, paths))

    def attributes(self, paths: Collection[str]) -> dict[str, dict[str, str]]:
        """path -> attribute -> value, where an attribute says that git may convert a file; else nothing."""
        files = self._files(ATTRIBUTES_FILE, paths)
        files["info/attributes"] = _bytes(self.own.clone.git_dir / "info" / "attributes")
        files["attributes"] = clone_attributes = self._named_by_clone()
        if not (any(map(CONVERTING.search, files.values())) or (paths and self._user_may_convert())):
            return {}
        config = ("-c", f"{_KEY}=../attributes") if clone_attributes else ()
        answer = iter(self._ask(files, (*config, "check-attr", "--stdin", "-z", "--all"), paths))
        attributes: dict[str, dict[str, str]] = {}
        for path, name, value in zip(answer, answer, answer, strict=True):
            attributes.setdefault(path, {})[name] = value
        return attributes

    def converted(self, paths: Collection[str]) -> dict[str, str]:
        """path -> the attribute by which git stores all of a file in another form than it has on disk."""
        return {path: why for path, values in self.attributes(paths).items() if (why := conversion(values))}

    def _files(self, name: str, paths: Iterable[str]) -> dict[str, bytes]:
        """The files of this name in all folders on the way to these paths."""
        folders = {folder for path in paths for folder in ("", *prefixes_of(path)[:-1])}
        files = {}
        for place in (f"{folder}/{name}".lstrip("/") for folder in folders):
            with suppress(Unreadable):
                files[f"top/{place}"] = self.read(place) or b""
        return files

    def _named_by_clone(self) -> bytes:
        """The attributes in the file that the clone's own configuration names."""
        clone = self.own.clone
        if "attributesfile" not in clone.configured().lower():
            return b""
        paths = values(clone.git_dir / "config", _KEY, self.env)
        return _bytes(clone.root / Path(paths[-1]).expanduser()) if paths else b""

    def _user_may_convert(self) -> bool:
        """Whether the user's own attributes may convert anything; git alone knows which file is named."""
        home = self.env.get("HOME", "/")
        usual = Path(self.env.get("XDG_CONFIG_HOME") or f"{home}/.config") / "git" / "attributes"
        return any(_NAMES_ATTRIBUTES.search(_bytes(file)) for file in configurations(self.env)) or any(
            CONVERTING.search(_bytes(file)) for file in ("/etc/gitattributes", usual)
        )

    def _ask(self, files: Mapping[str, bytes], words: Iterable[str], paths: Iterable[str]) -> list[str]:
        git, own = self.own.git(self.env, is_offline=True), self.own.folder
        from tempfile import TemporaryDirectory  # few memories have such files

        with TemporaryDirectory(dir=own, prefix="rules-") as folder:
            configuration = (own / "config").read_text("utf-8", "surrogateescape")
            make_bare(Path(folder), configuration, "ref: refs/heads/none")
            (top := Path(folder, "top")).mkdir()
            for place, data in ((Path(folder, name), data) for name, data in files.items() if data):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            bare_git = replace(git, folder=top, git_dir=Path(folder))
            answer = bare_git.run("--work-tree=.", *words, timeout=_TIMEOUT, stdin="\0".join(paths).encode())
        if answer.code not in (0, 1):  # 1: none is ignored
            raise GitFailed(f"git could not say what its own files mean for the memory: {answer.reason}")
        return answer.out.split("\0")[:-1]


def _bytes(file: Path | str) -> bytes:
    return bytes_of(os.fspath(file), _MOST, follow=True) or b""
