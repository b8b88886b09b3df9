"""Makes imports cheap: a short way to ctxrepo's own modules, a light `os`, and `_sqlite3` without functools.

A hook loads some fifty small modules. Python takes longer to find one than to run it: it lists each folder,
tries every kind of module, opens files through several layers, and makes a lock and a specification for each
module. Here the compiled file is opened where it must stand, and taken if it was made from the source as it
is now. What isn't there, Python's own import looks for (docs/adr/0044-a-finder-for-light-modules.md).

A hook has one thread, so it needs no locks and loads modules itself, by `import_quickly`. Commands and the
worker have several: there Python imports, and only the finder is ours, by `find_quickly`
(docs/adr/0059-hooks-load-modules-themselves.md).
"""

import builtins
import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourcelessFileLoader
from _functools import _lru_cache_wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading it would cost a hook more than it saves
    from collections.abc import Mapping, Sequence
    from types import ModuleType

_SUFFIX = f".{sys.implementation.cache_tag}.pyc"
_HEAD = MAGIC_NUMBER + bytes(4)
"""The first eight bytes of a .pyc that is checked by its source's modification time and size. These are the
next eight bytes."""
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
        """The bytes of a file; those of the compiled file are known."""
        return self._data if path == self.path else super().get_data(path)


def _loader_of(name: str, folder: str) -> _Loader | None:
    """The loader of a module, or of a package, that is in this folder; None where Python would compile it."""
    last = name.rpartition(".")[2]
    package = f"{folder}/{last}"
    return _loader_of_file(name, folder, last, "") or _loader_of_file(name, package, "__init__", package)


def _loader_of_file(name: str, folder: str, stem: str, package: str) -> _Loader | None:
    source, compiled = f"{folder}/{stem}.py", f"{folder}/__pycache__/{stem}{_SUFFIX}"
    try:
        data = _read(compiled)
        now = posix.stat(source)
    except OSError:
        return None
    stamp = (int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF)
    made_from = b"".join([number.to_bytes(4, "little") for number in stamp])
    if data[:16] != _HEAD + made_from or len(data) == _MOST_BYTES:
        return None
    return _Loader(name, compiled, data, source, package)


def _read(file: str) -> bytes:
    opened = posix.open(file, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return posix.read(opened, _MOST_BYTES)
    finally:
        posix.close(opened)


def _is_possible() -> bool:
    """Whether Python keeps compiled modules where they are looked for here."""
    return sys.pycache_prefix is None and not sys.flags.optimize


class _Finder:
    """Finds what is in ctxrepo's package; an item of `sys.meta_path`."""

    def find_spec(self, name: str, path: "Sequence[str] | None", _target: object = None) -> ModuleSpec | None:
        if path is None or name[:8] != "ctxrepo.":
            return None
        loader = _loader_of(name, path[0])
        if loader is None:
            return None
        spec = ModuleSpec(name, loader, origin=loader.source)
        spec.has_location, spec.cached = True, loader.path
        if loader.package:
            spec.submodule_search_locations = [loader.package]
        return spec


FINDER = _Finder()


def find_quickly() -> None:
    """From now on ask the fast finder first for what is in ctxrepo's package."""
    if _is_possible() and FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)


class _Importer:
    """Imports what is in ctxrepo's package. `home` is the folder that the package is in."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._python_import = builtins.__import__

    def import_module(
        self,
        name: str,
        their_globals: "Mapping[str, object] | None" = None,
        their_locals: "Mapping[str, object] | None" = None,
        fromlist: "Sequence[str] | None" = (),
        level: int = 0,
    ) -> "ModuleType":
        """What `builtins.__import__` does. What isn't compiled, and what isn't ours, is left to Python."""
        if name[:8] == "ctxrepo.":
            module = sys.modules.get(name) or self._load(name)
            if fromlist and module is not None and self._load_submodules(module, fromlist):
                return module
        return self._python_import(name, their_globals, their_locals, fromlist, level)

    def _load_submodules(self, package: "ModuleType", names: "Sequence[str]") -> bool:
        """Load those of `names` that are modules in the package; False where one of them isn't compiled."""
        if not hasattr(package, "__path__"):
            return True  # it is a module: if it lacks one of the names, the import statement says so
        for name in [f"{package.__name__}.{each}" for each in names if not hasattr(package, each)]:
            if name not in sys.modules and self._load(name) is None:
                return False
        return True

    def _load(self, name: str) -> "ModuleType | None":
        """Load the module of this name, and the packages that it is in; None where one isn't compiled."""
        missing = [name]
        while (package := missing[-1].rpartition(".")[0]) and package not in sys.modules:
            missing.append(package)
        module = None
        for each in reversed(missing):
            module = self._load_into_package(each)
            if module is None:
                break
        return module

    def _load_into_package(self, name: str) -> "ModuleType | None":
        """The same for a module whose package is loaded."""
        package, _, last = name.rpartition(".")
        parent = sys.modules.get(package)
        folder = getattr(parent, "__path__", [""])[0] if package else self._home
        loader = _loader_of(name, folder) if folder else None
        if loader is None:
            return None
        module = type(sys)(name)
        module.__file__ = loader.source
        if loader.package:
            module.__path__ = [loader.package]
        sys.modules[name] = module
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        if parent is not None:
            setattr(parent, last, module)
        return module


def import_quickly(home: str) -> None:
    """From now on load ctxrepo's modules without Python's import system, as far as they are compiled. `home`
    is the folder that the package is in. Only for a process with one thread."""
    if _is_possible():
        builtins.__dict__["__import__"] = _Importer(home).import_module


def load_light_os() -> None:
    """Let `import os` bring a module that is loaded in a fifth of the time: all of `posix`, `path` and
    `devnull`, and `environ` as a plain dict. Only for a hook's process; where `os` is loaded, it stays.

    `os` makes a class for its environment, and for that imports a module of two dozen abstract classes, which
    is a tenth of what the interpreter takes to start (docs/adr/0060-hooks-are-given-a-light-os.md).
    """
    if "os" in sys.modules:
        return
    light = type(sys)("os")
    names = light.__dict__
    names.update(posix.__dict__, __name__="os", __doc__=None)
    sys.modules["os"] = light
    coding = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
    names["environ"] = {name.decode(*coding): value.decode(*coding) for name, value in posix.environ.items()}
    names["path"] = __import__("posixpath")
    names["devnull"] = "/dev/null"


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
