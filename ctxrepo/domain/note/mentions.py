"""The files that a text names, as far as they can be distinguished from other words."""

from __future__ import annotations

import re

from ctxrepo.lazy import lazy_pattern

_BARE = (
    "makefile",
    "dockerfile",
    "containerfile",
    "jenkinsfile",
    "gemfile",
    "rakefile",
    "procfile",
    "justfile",
)
"""Names without an extension."""

_EXTENSION = lazy_pattern(r"\.[A-Za-z]")
_ENDS = sorted({name[-5:] for name in _BARE})
_RUN = lazy_pattern(r"[\w.~@+/-]+", re.ASCII)
_NAME = lazy_pattern(rf"[\w.~+-]*\.[a-z]\w{{0,9}}|{'|'.join(_BARE)}", re.ASCII)

_SHORTEST = 4
"""Characters of a name: `e.g` and `i.e` are none."""

_LONGEST = 100


def mentions_of(text: str) -> set[str]:
    """The name of each file, in lower case, and where a folder stands before it `folder/name` as well."""
    if not _may_name(text):
        return set()
    found = set()
    for run in _RUN.findall(text):
        if "." not in run and not run.endswith("file"):
            continue
        token = run.rstrip(".~@+/-").lower()
        folder, _, name = token.rpartition("/")
        if token.startswith("//") or not _SHORTEST <= len(name) <= _LONGEST or not _NAME.fullmatch(name):
            continue  # what follows `https:` is no path either
        found.add(name)
        parent = folder.rpartition("/")[2]
        if parent not in ("", ".", "..", "~"):
            found.add(f"{parent[-_LONGEST:]}/{name}")
    return found


def _may_name(text: str) -> bool:
    """Whether a text has what names a file. Most have not, and nothing more is asked of them: all entries of
    a memory are looked at when its cache is built."""
    return bool(_EXTENSION.search(text)) or ("file" in text and any(end in text for end in _ENDS))
