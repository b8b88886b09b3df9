"""Makes imports cheap: a fast finder for ctxrepo's own modules, and `_sqlite3` without functools.

A hook loads some fifty small modules. Python's finder takes longer to find one than to run it: it lists each
folder, tries every kind of module and opens files through several layers. The finder here opens the compiled
file where it must stand, and takes it if it was made from the source as it is now. What it doesn't find,
Python's own looks for (docs/adr/0044-a-finder-for-light-modules.md).
"""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourcelessFileLoader
from _functools import _lru_cache_wrapper
from posix import O_CLOEXEC, O_RDONLY, close, read, stat
from posix import open as open_file

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading it would cost a hook more than it saves
    from collections.abc import Sequence

_SUFFIX = f".{sys.implementation.cache_tag}.pyc"
_HEAD = MAGIC_NUMBER + bytes(4)
"""The first eight bytes of a .pyc that is checked by its source's modification time and size. These are the
next eight bytes."""
_MOST_BYTES = 100_000
"""A compiled file of this size or more is left to Python."""


class _Finder:
    """Finds what is in ctxrepo's package; an item of `sys.meta_path`. `package` is the folder of the package,
    '' where that is loaded already."""

    def __init__(self) -> None:
        self.package = ""

    def find_spec(self, name: str, path: "Sequence[str] | None", _target: object = None) -> ModuleSpec | None:
        if name == "ctxrepo" and path is None and self.package:
            return _spec(name, self.package, "__init__")
        if path is None or name[:8] != "ctxrepo.":
            return None
        folder, (*_, last) = path[0], name.split(".")
        return _spec(name, folder, last) or _spec(name, f"{folder}/{last}", "__init__")


class _Loader(SourcelessFileLoader):
    """Python's own loader of compiled files, for a file that has been read already."""

    def __init__(self, name: str, compiled: str, data: bytes) -> None:
        super().__init__(name, compiled)
        self._data = data

    def get_data(self, path: str) -> bytes:
        """The bytes of a file; those of the compiled file are known."""
        return self._data if path == self.path else super().get_data(path)


def _spec(name: str, folder: str, stem: str) -> ModuleSpec | None:
    """How to load a module from `STEM.py` in this folder; None where Python would compile it again."""
    source, compiled = f"{folder}/{stem}.py", f"{folder}/__pycache__/{stem}{_SUFFIX}"
    try:
        data = _read(compiled)
        now = stat(source)
    except OSError:
        return None
    stamp = (int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF)
    made_from = b"".join([number.to_bytes(4, "little") for number in stamp])
    if data[:16] != _HEAD + made_from or len(data) == _MOST_BYTES:
        return None
    spec = ModuleSpec(name, _Loader(name, compiled, data), origin=source)
    spec.has_location, spec.cached = True, compiled
    if stem == "__init__":
        spec.submodule_search_locations = [folder]
    return spec


def _read(file: str) -> bytes:
    opened = open_file(file, O_RDONLY | O_CLOEXEC)
    try:
        return read(opened, _MOST_BYTES)
    finally:
        close(opened)


FINDER = _Finder()


def find_quickly(package: str = "") -> None:
    """From now on ask the fast finder first for ctxrepo's modules; for the package itself, too, where its
    folder is given."""
    FINDER.package = package
    if sys.pycache_prefix is None and not sys.flags.optimize and FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)


def load_sqlite() -> None:
    """Load `_sqlite3`, so that later imports of it cost nothing.

    `_sqlite3` imports functools for one decorator, and functools imports seven more modules: a third of the
    time that the interpreter takes to start. Unless functools is loaded already, `_sqlite3` is given a
    stand-in for it that holds this decorator alone.
    """
    if "functools" in sys.modules:
        return
    stand_in = type(sys)("functools")
    stand_in.__dict__["lru_cache"] = _lru_cache
    sys.modules["functools"] = stand_in
    try:
        __import__("_sqlite3")
    finally:
        del sys.modules["functools"]


def _lru_cache(size: int) -> object:
    """`functools.lru_cache`, with which a connection keeps the statements that it has prepared."""
    return lambda function: _lru_cache_wrapper(function, size, False, tuple)
