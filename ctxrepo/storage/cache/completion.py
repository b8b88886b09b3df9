"""What a command line can be completed with, read from what hooks read. Nothing is made, locked or healed
here: where there is nothing to read, nothing is known."""

import _sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath

from ctxrepo.domain.text import place
from ctxrepo.hooks.known.cached import LAST, open_cache
from ctxrepo.hooks.known.locate import SessionFolder, place_of
from ctxrepo.hooks.known.world import open_hooks, world_of
from ctxrepo.lazy import dataclass

_FOLDERS = """
    select distinct scope from note where scope not in ('conflicts', 'inbox', 'TAPE') and instr(path, '/') > 0
    order by scope
"""
_TAGS = "select distinct tags from note where scope = ? and tags != ''"
_CATEGORIES = "select distinct category from entry where category != '' order by category"
_ENTRIES = """
    select e.id, n.path, e.first_line, e.last_line, e.text from entry e join note n on n.id = e.note
    where e.id >= ?1 and e.id < ?2 and n.path >= ?3 and n.path < ?4 order by n.path, e.first_line limit ?5
"""
_PATHS = "select path from note where scope = ?"
_NOTES = "select path, description from note where path >= ? and path < ? order by path limit ?"


@dataclass(frozen=True)
class Known:
    """The cache of the memory that a folder sees: the folder of its `project` in it ('': none) and of what
    holds `everywhere`; the clone is at `home`, its state in `folder`."""

    project: str
    everywhere: str
    cache: _sqlite3.Connection
    home: Path
    folder: Path

    def folders(self) -> list[str]:
        """The folders of scopes that have notes."""
        return [row[0] for row in self.cache.execute(_FOLDERS)]

    def folders_below(self, scope: str) -> set[str]:
        """The folders in a scope that notes are in, at any depth, relative to it."""
        paths = (PurePosixPath(row[0]).relative_to(scope) for row in self.cache.execute(_PATHS, (scope,)))
        return {str(folder) for path in paths for folder in path.parents} - {"."}

    def tags(self, scopes: Sequence[str]) -> list[str]:
        """Tags of the notes of these scopes, each once, sorted."""
        rows = (row for scope in scopes for row in self.cache.execute(_TAGS, (scope,)))
        return sorted({tag for row in rows for tag in row[0].split(", ")})

    def categories(self) -> list[str]:
        """The categories that entries have, sorted."""
        return [row[0] for row in self.cache.execute(_CATEGORIES)]

    def entries(self, limit: int, start: str = "", path: str = "") -> list[tuple[str, str, str]]:
        """(id, place, text) of the first entries whose id and whose note's path begin so."""
        rows = self.cache.execute(_ENTRIES, (start, start + LAST, path, path + LAST, limit))
        return [(row[0], place(row[1], row[2], row[3]), row[4]) for row in rows]

    def notes(self, start: str, limit: int) -> list[tuple[str, str]]:
        """(path, description) of the first notes whose path in the repository begins with `start`."""
        rows = self.cache.execute(_NOTES, (start, start + LAST, limit))
        return [(row[0], row[1]) for row in rows]


@contextmanager
def known_at(state: Path, cwd: Path) -> Iterator[Known | None]:
    """What is known at `cwd`; None before `init` and where nothing can be read."""
    hooks = open_hooks(str(state))
    if hooks is None:
        yield None
        return
    with closing(hooks):
        world = world_of(hooks, str(state))
        cache = open_cache(f"{world.repo.state}/cache.db") if world else None
        if world is None or cache is None:
            yield None
            return
        with closing(cache):
            project = place_of(hooks, world, SessionFolder(str(cwd))).folder
            yield Known(project, world.global_folder, cache, Path(world.repo.home), Path(world.repo.state))
