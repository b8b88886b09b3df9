"""list --tree: the folders of the scopes in view, with how much is in each."""

from collections import Counter
from collections.abc import Iterator

from ctxrepo.domain.project.layout import is_note
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import search_order
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class FolderSize:
    """A folder of the memory by its path; `notes` and their `bytes` count what is below it, too."""

    path: str
    notes: int
    bytes: int

    @property
    def depth(self) -> int:
        """0 for a scope."""
        return self.path.count("/")


def tree(memory: Memory, scope: str, project: Project | None, depth: int | None = None) -> list[FolderSize]:
    """The folders of a scope, or of the project and global, down to `depth`; each before those in it."""
    folders = (folder for top in search_order(memory, project, scope) for folder in _below(memory, top))
    return [folder for folder in folders if depth is None or folder.depth <= depth]


def _below(memory: Memory, top: str) -> Iterator[FolderSize]:
    notes, size = Counter({top: 0}), Counter[str]()
    for path, stamp in memory.worktree.scan(top).files.items():
        folder = path
        while is_note(path) and "/" in folder:
            folder = folder.rpartition("/")[0]
            notes[folder] += 1
            size[folder] += stamp.size
    for folder in sorted(notes, key=lambda path: path.split("/")):
        yield FolderSize(folder, notes[folder], size[folder])
