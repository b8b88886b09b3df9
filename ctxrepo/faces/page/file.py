"""The page as a file: for its user alone, whole or not at all, and never through a link."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.disk.private import put_whole


def write_page(path: Path, page: str) -> None:
    """Put the page in the place of what is at `path`, or of nothing."""
    try:
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        put_whole(path, page)
    except OSError as error:
        raise CtxrepoError(
            f"the page can't be written to {path}: {error.strerror}",
            "Name another file, or take it from standard output: `ctxrepo review --html -`.",
        ) from error
