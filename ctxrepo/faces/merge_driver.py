"""git's door: `python -I -m ctxrepo _merge %O %A %B %P`, run where both sides of a merge changed a file.

git starts it at the top of the working tree and takes what it leaves in the second file. The environment is
a person's, or an agent's, and nothing of it is read."""

import os
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Merge; `argv` is [BASE, OURS, THEIRS, PATH]. Returns 1 when the file has to be left to a person."""
    try:
        from ctxrepo.domain.project.layout import shown
        from ctxrepo.services.sync.driver import merge_in_place

        base, ours, theirs = (Path(word) for word in argv[:3])
        # git passes paths as bytes: paths of the memory are UTF-8, whatever the locale is.
        path = os.fsencode(argv[3]).decode("utf-8", "surrogateescape")
        if merge_in_place(Path.cwd(), base, ours, theirs, path):
            _say(f"two versions of {shown(path)} differ: one is kept under conflicts/")
    except Exception as error:
        _say(f"not merged: {error}")
        return 1
    return 0


def _say(text: str) -> None:
    sys.stderr.write(f"ctxrepo: {text}\n")
