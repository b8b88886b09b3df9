"""What a hook reads from hooks.db: settings, repositories, and which project a checkout is."""

import _sqlite3
import os

from ctxrepo.hooks.files.private import is_own_file

FORMAT = 3
"""Version of the layout, kept as SQLite's `user_version`."""

_PATIENCE = 2.5
"""Seconds a hook waits for a lock. A reader of a write-ahead log meets one only while its last writer closes,
which takes as long as a disk does; a hook that gave up would lose its event."""


BUDGET = 9500
"""Bytes of a packet where the settings say nothing."""

NO_LIMIT = 1 << 30
"""Bytes of a block where no agent is known that takes fewer."""

RECALL_LIMIT, RECALL_BYTES = 8, 2500
"""Entries beside one prompt and their bytes, where the settings say nothing."""

_BESIDE = """
    select distinct config, stamp, project, folder from given where config = ? and stamp = ?
    and (select value from settings where key = 'worktrees') = 'share'"""


def open_hooks(state: str) -> _sqlite3.Connection | None:
    """The compiled settings under `state`; None before `init` and when they can't be used."""
    return open_database(f"{state}/hooks.db", "pragma user_version", FORMAT)


def open_database(path: str, query: str, expected: object) -> _sqlite3.Connection | None:
    """The database at `path`, never created; None when it is missing, broken, or answers otherwise."""
    if not is_own_file(path):
        return None
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = None
    try:
        db = _sqlite3.connect(f"file:{quoted}?mode=rw", timeout=_PATIENCE, isolation_level=None, uri=True)
        if db.execute(query).fetchone() == (expected,):
            return db
    except _sqlite3.Error:
        pass
    if db is not None:
        db.close()
    return None


def settings_of(db: _sqlite3.Connection, state: str) -> dict[str, str] | None:
    """The settings, with `state`, and `home` and `folder` (of its state) of the first repository.

    None when there is no repository.
    """
    first = db.execute("select id, home from repository order by position limit 1").fetchone()
    if first is None:
        return None
    name, home = first
    settings = dict(db.execute("select key, value from settings"))
    return {**settings, "state": state, "home": home, "folder": f"{state}/{name}"}


class World:
    """What a hook goes by: the settings, and where the memory repository and its state are."""

    __slots__ = (
        *("state", "folder", "home", "config", "stamp", "interpreter", "secret", "preamble", "general"),
        *("mode", "preset", "budget", "most_bytes", "recall_limit", "recall_bytes", "ttl", "has_remote"),
        *("asks_for_trust", "recalls", "is_gated", "reminds", "is_semantic", "wakes_at_stop", "wakes_at_end"),
    )

    def __init__(self, settings: dict[str, str]) -> None:
        said = settings.get
        self.state = said("state", "")
        """The state folder of all repositories."""
        self.folder = said("folder", "")
        """The repository's folder below it."""
        self.home = said("home", "")
        """The clone."""
        self.config, self.stamp = said("config", ""), said("stamp", "")
        """The settings file, and its stamp as it was read."""
        self.interpreter = said("interpreter", "")
        """What a worker is started with."""
        self.secret = said("secret", "")
        """Key of the seal, in hex."""
        self.preamble = settings.get("preamble")
        """None for our own, '' for none."""
        self.general = said("global", "global")
        """The folder of the global scope."""
        self.mode, self.preset = said("mode", ""), said("preset", "")
        self.budget = _number(settings, "budget_bytes", BUDGET)
        self.most_bytes = NO_LIMIT
        """The most bytes of a block that the agent takes whole; its dialect says it, not the settings."""
        self.recall_limit = _number(settings, "recall_limit", RECALL_LIMIT)
        self.recall_bytes = _number(settings, "recall_bytes", RECALL_BYTES)
        self.ttl = _number(settings, "ttl", 120)
        """Seconds for which what was fetched is new enough."""
        self.has_remote = said("remote") == "1"
        self.asks_for_trust = said("trust") == "ask"
        self.recalls = said("recall") != "off"
        self.is_gated = said("gate") != "off"
        self.reminds = said("reminders") != "off"
        self.is_semantic = said("semantic") == "on"
        self.wakes_at_stop = said("turn_end") != "off"
        self.wakes_at_end = said("session_end") != "off"


def _number(settings: dict[str, str], key: str, default: int) -> int:
    """The setting as a whole number; `default` when it is missing or none."""
    try:
        return int(float(settings.get(key, default)))
    except (ValueError, OverflowError):
        return default


class GivenCheckout:
    """A checkout as hooks know it: its git config, that file's stamp, its project and that one's folder."""

    __slots__ = ("config", "folder", "project", "stamp")

    def __init__(self, config: str, stamp: str, project: str, folder: str) -> None:
        self.config = config
        self.stamp = stamp
        self.project = project
        self.folder = folder


def checkout_of(db: _sqlite3.Connection, top: str) -> GivenCheckout | None:
    """What is recorded for the checkout at `top`; one that is given nothing has no project."""
    row = db.execute("select config, stamp, project, folder from given where top = ?", (top,)).fetchone()
    return GivenCheckout(*row) if row else None


def claim_of(db: _sqlite3.Connection, top: str) -> tuple[str, bool]:
    """(why the checkout at `top` may not be what it says, or ''; whether it is given nothing for that)."""
    for claim, is_held in db.execute("select claim, is_held from given where top = ?", (top,)):
        return claim, bool(is_held)
    return "", False


def tree_beside(db: _sqlite3.Connection, config: str, stamp: str) -> GivenCheckout | None:
    """The same for any working tree of the repository that has this git config, which still has this stamp.
    None where worktrees aren't one project, or none of them is recorded."""
    rows = db.execute(_BESIDE, (config, stamp)).fetchall()
    return GivenCheckout(*rows.pop()) if len(rows) == 1 else None


def stamp_of(path: str) -> str:
    """`mtime_ns:size` of a file, or '' when it can't be looked at."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}"
