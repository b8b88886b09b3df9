"""How a hook loads SQLite without all that its module brings along."""

import sys
from _functools import _lru_cache_wrapper


def load_sqlite() -> None:
    """Load `_sqlite3` for those who import it from here on.

    It asks functools for one decorator, and functools brings seven modules: a third of what starting the
    interpreter takes. Where nobody has loaded them it is shown a functools of that decorator alone.
    """
    if "functools" in sys.modules:
        return
    lean = type(sys)("functools")
    lean.__dict__["lru_cache"] = _lru_cache
    sys.modules["functools"] = lean
    try:
        __import__("_sqlite3")
    finally:
        del sys.modules["functools"]


def _lru_cache(size: int) -> object:
    """`functools.lru_cache`, by which a connection keeps the statements it has prepared."""
    return lambda function: _lru_cache_wrapper(function, size, False, tuple)
