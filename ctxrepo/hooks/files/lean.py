"""How a hook loads SQLite without all that its module brings along."""

import sys
from _functools import _lru_cache_wrapper


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
