"""Finds ctxrepo's own modules by a short way: the compiled file, where it must stand.

A hook loads some thirty small modules, and Python takes longer to find one than to run it: it lists each
folder, tries every kind of module and opens files through several layers. Our finder opens the compiled file
and takes it if it was made from the source as it is now. Whatever isn't there, or is out of date, Python
itself looks for (docs/adr/0044-a-finder-for-light-modules.md)."""

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourcelessFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading it would cost a hook more than it saves
    from collections.abc import Sequence

_SUFFIX = f".{sys.implementation.cache_tag}.pyc"
_HEAD = MAGIC_NUMBER + bytes(4)
"""What a compiled file begins with, before eight bytes for its source's modification time and size."""
_MOST_BYTES = 100_000
"""A compiled file of this size or more is left to Python."""


class _Loader(SourcelessFileLoader):
    """Python's own loader of compiled files, for a file that has been read already."""

    def __init__(self, name: str, compiled: str, data: bytes, source: str, package: str) -> None:
        super().__init__(name, compiled)
        self._data = data
        self.source = source
        self.package = package
        """The folder of the package that this is, or '' for a module."""

    def get_data(self, path: str) -> bytes:
        """The bytes of a file; those of the compiled file have been read."""
        return self._data if path == self.path else super().get_data(path)


class _Finder:
    """Finds what is in ctxrepo's package; an item of `sys.meta_path`."""

    def find_spec(self, name: str, path: "Sequence[str] | None", _target: object = None) -> ModuleSpec | None:
        if path is None or name[:8] != "ctxrepo.":
            return None
        folder, last = path[0], name.rpartition(".")[2]
        package = f"{folder}/{last}"
        loader = _loader_of(name, folder, last, "") or _loader_of(name, package, "__init__", package)
        if loader is None:  # Python itself compiles it
            return None
        spec = ModuleSpec(name, loader, origin=loader.source)
        spec.has_location, spec.cached = True, loader.path
        if loader.package:
            spec.submodule_search_locations = [loader.package]
        return spec


FINDER = _Finder()


def find_quickly() -> None:
    """From now on ask the fast finder first for what is in ctxrepo's package."""
    # With these settings Python keeps compiled files elsewhere, or under other names.
    is_possible = sys.pycache_prefix is None and not sys.flags.optimize
    if is_possible and FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)


def _loader_of(name: str, folder: str, stem: str, package: str) -> _Loader | None:
    source, compiled = f"{folder}/{stem}.py", f"{folder}/__pycache__/{stem}{_SUFFIX}"
    try:
        data = _read(compiled)
        status = os.stat(source)
    except OSError:
        return None
    stamp = (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    expected = b"".join([number.to_bytes(4, "little") for number in stamp])
    if data[:16] != _HEAD + expected or len(data) == _MOST_BYTES:
        return None
    return _Loader(name, compiled, data, source, package)


def _read(file: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
