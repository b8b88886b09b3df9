"""Where spoiled parts of the git folder are moved to: nothing is deleted, somebody may still read them."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.kinds import may_be_read
from ctxrepo.storage.disk.private import make_folder, opened


@dataclass(frozen=True)
class Broken:
    """`.git/ctxrepo/broken/<moment>/`, where each file keeps its place below `.git`."""

    git_dir: Path
    folder: Path

    @classmethod
    def at(cls, git_dir: Path, now: datetime) -> "Broken":
        return cls(git_dir, git_dir / "ctxrepo" / "broken" / f"{now:%Y%m%dT%H%M%S}")

    def take(self, path: Path) -> Path | None:
        """Move a file here; None when it is gone already."""
        place = self._place(path)
        with suppress(FileNotFoundError):
            return path.rename(place)
        return None

    def take_from_folder(self, path: Path) -> None:
        """Move aside what stood in a folder's place: files of the folder may still come here."""
        with suppress(FileNotFoundError):
            path.rename(self._place(path.with_name(f"{path.name}.in-its-place")))

    def copy(self, path: Path) -> None:
        """Keep what a file says before it is replaced; what isn't a file goes aside itself."""
        if not may_be_read(path):
            self.take(path)
            return
        import shutil  # every command loads this module, and hardly any copies

        with suppress(FileNotFoundError):
            shutil.copy2(path, self._place(path))

    def note(self, name: str, line: str) -> None:
        """Write a line down in a file of that name."""
        with opened(self._place(self.git_dir / name), "ab") as file:
            file.write(f"{line}\n".encode("utf-8", "surrogateescape"))

    def _place(self, path: Path) -> Path:
        make_folder(self.folder)
        place = self.folder / path.relative_to(self.git_dir)
        make_folder(place.parent)
        number = 1
        while os.path.lexists(place) and not place.name.endswith(".txt"):
            number += 1
            place = place.with_name(f"{path.name}.{number}")
        return place
