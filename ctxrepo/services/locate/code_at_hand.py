"""The code that a session works in: its commit, and the places in it that a text cites."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.links import mentions_of
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.disk.foreign import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctxrepo.storage.code.tree import CodeTree

_CITED = lazy_pattern(
    r"(?<![\w/.:@~-])(?!\.{1,2}/)((?:[\w.+-]{1,100}/){0,20}[\w.+-]{1,100})"
    r"(?::|\#L)(\d{1,7})(?:-L?(\d{1,7}))?(?![\w:])"
)
"""`src/api.py:3`, `src/api.py:3-9`, `src/api.py#L3-L9`."""

_MOST_CITED = 10


@dataclass(frozen=True)
class CodeAtHand:
    """The checkout at `top`, whose project's notes are in `folder`."""

    top: Path
    env: "Mapping[str, str]"
    folder: str

    @cached_property
    def _tree(self) -> "CodeTree | None":
        from ctxrepo.storage.code.tree import CodeTree  # loads what starts git, for facts about code alone

        return CodeTree.open(self.top, self.env)

    @property
    def commit(self) -> str:
        """The commit that is checked out, 40 hex digits; '' where git can't tell."""
        return self._tree.commit if self._tree and len(self._tree.commit) == 40 else ""

    def is_of(self, path: str) -> bool:
        """Whether the note at `path` is of the project that this is the code of."""
        return path.startswith(f"{self.folder}/")

    def of(self, path: str, text: str, holds: "Sequence[str]" = ()) -> tuple[str, tuple[str, ...]]:
        """The commit, and what an entry of the note at `path` cites of it, `path@commit#L1-L2`; '' and
        nothing for one that names no code and claims nothing of it, or isn't about this project."""
        is_about_code = bool(holds) or "`" in text or bool(mentions_of(text))
        if not self.is_of(path) or not is_about_code or not self.commit:
            return "", ()
        return self.commit, tuple(self._cites(text))

    def _cites(self, text: str) -> Iterator[str]:
        """Only what is in the commit as it is on disk: else nobody knows which lines are meant."""
        cited = (match.groups() for match in _CITED.finditer(text))
        places = {(str(path), int(first), int(last or first)) for path, first, last in cited}
        spans = sorted(places)[:_MOST_CITED]
        files = self._tree.files_at((self.commit, path) for path, _, _ in spans) if self._tree else {}
        for path, first, last in spans:
            file = files.get((self.commit, path))
            if file and 0 < first <= last <= self._line_count(path, file.oid):
                yield f"{path}@{self.commit}#L{first}-L{last}"

    def _line_count(self, path: str, oid: str) -> int:
        """How many lines the file at a path has on disk; 0 where its bytes aren't those with this id."""
        with suppress(CtxrepoError):
            data = read(self.top / path, follow=False)
            if data is not None and blob_id(data) == oid:
                return data.count(b"\n", 0, -1) + 1
        return 0
