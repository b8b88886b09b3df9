"""agent-memory-git: a repository with a file for each memory, which says where it was learned.

The form is that of agent-memory-git 0.1.15, agent_memory/store.py and demo/."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.domain.note.frontmatter import read as read_head
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import expanded
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import SourceContents, SourceSearch, left_out, source_at

NAME = "agent-memory-git"


def _places(search: SourceSearch) -> Iterator[Path]:
    """The folder that the environment names, else those of its profiles."""
    data_folder = search.env.get("AGENT_MEMORY_DATA", "")
    config = search.env.get("AGENT_MEMORY_CONFIG_DIR") or str(search.home / ".config" / "agent-memory")
    fields, _ = search.files.read_fields(Path(expanded(config, str(search.home))) / "config.json")
    profiles = (fields or {}).get("profiles")
    tables = [*(profiles.values() if isinstance(profiles, dict) else ()), fields or {}]
    folders = [table.get("data_dir") for table in tables if isinstance(table, dict)]
    for path in dict.fromkeys([data_folder] if data_folder else folders):
        if isinstance(path, str) and (place := Path(expanded(path, str(search.home)))).is_absolute():
            yield place


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """The memories in a repository, but for those that another one supersedes."""
    root = place / "memories"
    if not search.files.is_folder(root):
        return None
    contents = search.files.read_folder(root)
    heads = {path: read_head(decode(data)).fields for path, data in contents.notes.items()}
    past = {name for head in heads.values() for name in _superseded(head)}
    scopes = {
        path: _scope(search, head) for path, head in heads.items() if str(head.get("id", "")) not in past
    }
    notes, others = markdown_of(contents, lambda path: _target(path, scopes.get(path, "")))
    elsewhere = sum(not scope for scope in scopes.values())
    omissions = left_out(
        (elsewhere, "note", "of other projects: run it again in a checkout of each"),
        (len(heads) - len(scopes), "note", "superseded there"),
    )
    return SourceContents(NAME, search.shown(place), notes, not_taken=(*others, *omissions))


SOURCES = (source_at(NAME, _places, read),)


def _scope(search: SourceSearch, head: Mapping[str, Any]) -> str:
    """The folder here for a memory: by its remote, else by the folder that it was learned in."""
    if head.get("scope") == "global":
        return search.global_folder
    source = head.get("source")
    learned = source if isinstance(source, dict) else {}
    known = [str(learned.get(key) or "") for key in ("git_remote", "git_root", "cwd")]
    return next((scope for name in known if name and (scope := search.folder_of(name))), search.scope)


def _superseded(head: Mapping[str, Any]) -> list[str]:
    names = head.get("supersedes") or []
    return [str(name) for name in names] if isinstance(names, list) else str(names).replace(",", " ").split()


def _target(path: str, scope: str) -> str:
    """`work/2026/10/20261012-name-x1y2.md` -> `SCOPE/topics/name-x1y2.md`"""
    name = re.sub(r"\A\d{8}-", "", path.rpartition("/")[2])
    return f"{scope}/topics/{name}" if scope else ""
