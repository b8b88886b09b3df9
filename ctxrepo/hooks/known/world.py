"""What a hook knows before it looks: settings and checkouts in hooks.db, and what they mean for a session."""

import _sqlite3
import os

from ctxrepo.hooks.own_files import is_own_file

FORMAT = 4
"""Version of the layout, kept as SQLite's `user_version`."""

_LOCK_SECONDS = 2.5
"""Seconds that a hook waits for a lock. With a write-ahead log a reader meets a lock only while the last
writer closes the file, which a slow disk makes long; a hook that gave up would lose its event."""


APPROVALS = "enforced"
"""The file in a repository's state with the rules that a person approved here (known/enforced.py)."""

BUDGET = 9500
"""Bytes of a packet where the settings say nothing."""

NO_LIMIT = 1 << 30
"""The most bytes of a block where no agent sets a limit."""

RECALL_LIMIT, RECALL_BYTES = 24, 2500
"""Entries beside one prompt and their bytes, where the settings say nothing."""

# `given` is a view in storage/state/compiled.py: the checkouts, where one whose claim withholds memory
# (`is_held`) has neither project nor folder.
_OF_WORKTREES = """
    select distinct config, stamp, project, folder from given where config = ? and stamp = ?
    and (select value from settings where key = 'worktrees') = 'share'"""


_UNWRITABLE = (8, 10, 13, 14)
"""What SQLite says of a disk that takes no change: SQLITE_READONLY, _IOERR, _FULL, _CANTOPEN."""


def open_hooks(state: str) -> _sqlite3.Connection | None:
    """The compiled settings under `state`; None before `init` and when they can't be used."""
    return open_database(f"{state}/hooks.db", "pragma user_version", FORMAT)


def open_database(path: str, query: str, expected: object) -> _sqlite3.Connection | None:
    """The database at `path`, never created; None when it is missing, broken, or answers otherwise.

    SQLite wants to write beside a database that it reads. Where the disk is full or read-only it is opened as
    one that nobody changes, so that sessions can be told of the disk."""
    if not is_own_file(path):
        return None
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    for mode in ("mode=rw", "mode=ro&immutable=1"):
        db = None
        try:
            db = _sqlite3.connect(
                f"file:{quoted}?{mode}", timeout=_LOCK_SECONDS, isolation_level=None, uri=True
            )
            if db.execute(query).fetchone() == (expected,):
                return db
            is_unwritable = False
        except _sqlite3.Error as error:
            is_unwritable = getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE
        if db is not None:
            db.close()
        if not is_unwritable:
            break
    return None


class Repo:
    """A memory repository on this machine."""

    def __init__(self, repo_id: str, home: str, state: str) -> None:
        self.id = repo_id
        """12 hex digits, drawn when the clone was made: no two clones have the same."""
        self.home = home
        """The clone."""
        self.state = state
        """The folder below the state root that holds the repository's state."""


def repo_of(db: _sqlite3.Connection, state: str) -> Repo | None:
    """The first repository that is compiled in hooks.db; None when there is none."""
    first = db.execute("select id, home from repository order by position limit 1").fetchone()
    if first is None:
        return None
    repo_id, home = first
    return Repo(repo_id, home, f"{state}/{repo_id}")


def settings_of(db: _sqlite3.Connection) -> dict[str, str]:
    """The compiled settings, as text."""
    return dict(db.execute("select key, value from settings"))


def world_of(db: _sqlite3.Connection, state: str, delivery: "AgentDelivery | None" = None) -> "World | None":
    """What hooks need to know, as it is compiled; None when there is no repository."""
    repo = repo_of(db, state)
    return World(settings_of(db), state, repo, delivery) if repo else None


def compiled_world(state: str) -> "World | None":
    """The same under `state` as it is now; None where it can't be read."""
    try:
        db = open_hooks(state)
        if db is None:
            return None
        try:
            return world_of(db, state)
        finally:
            db.close()
    except _sqlite3.Error:
        return None


class OwnSettings:
    """What an agent's own settings say of memory in its sessions."""

    def __init__(self, silence: str = "", place: str = "", fetches: bool = True) -> None:
        self.silence = silence
        """Why they are given nothing; '' where they are given memory."""
        self.place = place
        """Where the packet stands: `message`, `system`, or '' for where config.toml says."""
        self.fetches = fetches
        """Whether they may begin with a fetch."""


class AgentDelivery:
    """How the agent of a hook is given memory, by its dialect and its own settings."""

    def __init__(
        self,
        agent: str = "",
        most_bytes: int = NO_LIMIT,
        own_modes: frozenset[str] = frozenset(),
        own: OwnSettings | None = None,
        own_folder: str = "",
        repeats: bool = False,
    ) -> None:
        self.agent = agent
        self.most_bytes = most_bytes
        """The most bytes of a block that it takes whole."""
        self.own_modes = own_modes
        """The modes of delivery that it carries out by itself (Dialect.own_modes)."""
        self.place = own.place if own else ""
        """Where the packet stands by its own settings (OwnSettings.place)."""
        self.fetches_at_start = own.fetches if own else True
        """Whether its sessions may begin with a fetch."""
        self.own_folder = own_folder
        """The folder of notes that it loads by itself at a start, which is the moment that asks for it."""
        self.repeats = repeats
        """Whether each request shows what was given for it, and no other (Dialect.repeats)."""


class World:
    """What every hook needs: the compiled settings, the memory repository that it answers from, and how its
    agent is given memory. It is made once per hook and stays as it is."""

    def __init__(
        self, settings: dict[str, str], state: str, repo: Repo, delivery: AgentDelivery | None = None
    ) -> None:
        # A missing key is from an older worker: then the default holds. `remote`, `trust` and `semantic` are
        # off by default, the other switches on.
        text = settings.get
        self.settings = settings
        """All that is compiled, as text; known/tape.py reads what few hooks need."""
        self.state = state
        """The state root: the folder of what is kept on this machine outside the clones."""
        self.repo = repo
        self.delivery = delivery or AgentDelivery()
        self.config_file, self.config_stamp = text("config", ""), text("stamp", "")
        """The settings file, and the stamp that it had when the worker read it."""
        self.interpreter = text("interpreter", "")
        """The Python that a worker is started with."""
        self.secret = text("secret", "")
        """Key of the seal, in hex."""
        self.silence = text("silence", "")
        """How a code folder asks to be given no memory: lines of a file in it, a tab, a path in its JSON."""
        self.gives_preamble = settings.get("preamble") != ""
        """Whether sessions start with the rules for using the memory."""
        self.gives_receipt = text("receipt") != "off"
        """Whether the user is shown what a session was given."""
        self.global_folder = text("global", "global")
        """The folder of the global scope."""
        self.hook_marks = text("hook_marks", "")
        """`VARIABLE=AGENT` for each agent that also runs the hooks of others, and marks hooks so."""
        self.instructions = text("instructions", "AGENTS.md")
        """The files at the top of a checkout that agents read at a start, as a list in a sentence."""
        self.mode, self.preset = text("mode", ""), text("preset", "")
        self.budget = _number(settings, "budget_bytes", BUDGET)
        self.recall_limit = _number(settings, "recall_limit", RECALL_LIMIT)
        self.recall_bytes = _number(settings, "recall_bytes", RECALL_BYTES)
        self.ttl = _number(settings, "ttl", 120)
        """Seconds for which a fetch counts as fresh."""
        self.fetches_at_start = text("remote") == "1"
        """Whether there is a remote, and the settings let a session start fetch from it."""
        self.asks_for_trust = text("trust") == "ask"
        self.recalls = text("recall") != "off"
        self.is_gated = text("gate") != "off"
        self.reminds = text("reminders") != "off"
        self.is_semantic = text("semantic") == "on"
        self.model = text("model", "")
        """The model that knows meanings, as config.toml names it."""
        self.wakes_at_stop = text("turn_end") != "off"
        self.wakes_at_end = text("session_end") != "off"

    def of_tape(self, key: str, agent: str) -> str:
        """One setting of the tape for this agent's sessions, where a hook needs to know no more of it."""
        return self.settings.get(f"tape_{key}:{agent}", self.settings.get(f"tape_{key}", ""))

    def switches_in(self, folder: str) -> list[tuple[str, str]]:
        """The files in this folder that may ask for silence, each with the path in its JSON that does."""
        return silence_switches_in(self.silence, folder)

    @property
    def packet_budget(self) -> int:
        """The most bytes of a packet: what the settings say, but no more than the agent takes."""
        return min(self.budget, self.delivery.most_bytes)

    @property
    def tape_owner(self) -> str:
        """The agent's name where it has settings of its own for the tape; '' where config.toml's hold."""
        agent = self.delivery.agent
        return agent if f"tape_enabled:{agent}" in self.settings else ""


def silence_switches_in(silence: str, folder: str) -> list[tuple[str, str]]:
    """World.switches_in for these lines of World.silence."""
    switches = [line.partition("\t") for line in silence.split("\n") if line]
    files = [(f"{folder}/{name}", path) for name, _, path in switches]
    return [(file, path) for file, path in files if os.path.exists(file)]


def _number(settings: dict[str, str], key: str, default: int) -> int:
    """The setting as a whole number; `default` when it is missing or isn't a number."""
    try:
        return int(float(settings.get(key, default)))
    except (ValueError, OverflowError):
        return default


class CheckoutRow:
    """What hooks.db says of a checkout: its git config, the stamp of that file, its project and the project's
    folder in the memory. A checkout that is to be given nothing has neither project nor folder here."""

    def __init__(self, config: str, stamp: str, project: str, folder: str) -> None:
        self.config = config
        self.stamp = stamp
        self.project = project
        self.folder = folder


def checkout_of(db: _sqlite3.Connection, top: str) -> CheckoutRow | None:
    """The row of the checkout at `top`; None when none is recorded."""
    row = db.execute("select config, stamp, project, folder from given where top = ?", (top,)).fetchone()
    return CheckoutRow(*row) if row else None


UNKNOWN = "unknown"
"""The stamp of a checkout of which git couldn't tell what it is: no file ever has it."""


def claim_of(db: _sqlite3.Connection, top: str) -> tuple[str, bool, bool]:
    """(why the checkout at `top` may not be what it says, or which project it was, or ''; whether it is
    therefore given nothing; whether it is unknown what it is)."""
    row = db.execute("select claim, is_held, stamp, offer from given where top = ?", (top,)).fetchone()
    return (row[0] or row[3], bool(row[1]), row[2] == UNKNOWN) if row else ("", False, False)


def checkout_with_config(db: _sqlite3.Connection, config: str, stamp: str) -> CheckoutRow | None:
    """The row that the recorded worktrees with this git config and stamp have in common. None where there is
    none, where their rows differ, and where worktrees don't share a project."""
    rows = db.execute(_OF_WORKTREES, (config, stamp)).fetchall()
    return CheckoutRow(*rows.pop()) if len(rows) == 1 else None


def stamp_of(path: str) -> str:
    """`mtime_ns:size` of a file, or '' when it can't be looked at."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}"


DEFAULT = "delta"

_GIVES = {
    "delta": ("preamble", "packet", "recall", "changes", "bridge", "subindex"),
    "turn": ("preamble", "packet", "recall", "changes", "bridge", "subindex"),
    "once": ("preamble", "packet", "subindex"),
    "system": ("recall", "changes", "bridge", "subindex"),
    "file": ("recall", "changes", "bridge"),
    "pull": ("preamble",),
}


def gives(world: World, part: str) -> bool:
    """Whether the hooks give this part: `preamble` and `packet` at a start, `recall`, `changes` and `bridge`
    beside prompts, `subindex` to a subagent."""
    mode = world.mode if world.mode in _GIVES else DEFAULT
    if mode == "system" and ("system" in world.delivery.own_modes or world.delivery.place == "message"):
        mode = DEFAULT  # the agent itself puts the packet into its system prompt, or wants it as a message
    return part in _GIVES[mode]


def is_in_system_prompt(world: World) -> bool:
    """Whether the agent puts what a start gives it into its system prompt."""
    is_wanted = world.delivery.place == "system" or (world.mode == "system" and not world.delivery.place)
    return is_wanted and "system" in world.delivery.own_modes


def is_for_one_turn(world: World) -> bool:
    """Whether the agent shows recalled entries in the requests of one turn alone, and keeps none."""
    return world.delivery.repeats or (world.mode == "turn" and "turn" in world.delivery.own_modes)


def why_not(world: World, part: str) -> str:
    """Why this part isn't given, for a person who wonders; '' where it is."""
    return "" if gives(world, part) else f"delivery.mode is {world.mode}"


class CompiledTape:
    """What is compiled of `[tape]` for the sessions of one agent."""

    def __init__(self, values: dict[str, str]) -> None:
        # A missing key is from an older worker: then the tape is off until this one has compiled it.
        text = values.get
        self.is_on = text("tape_enabled") == "on"
        self.keywords = _lines(text("tape_keywords", ""))
        self.bridge_seconds = int(text("tape_bridge_seconds", "0"))
        self.only_git = text("tape_only_git") == "on"
        self.exclude_dirs = _lines(text("tape_exclude_dirs", ""))
        self.has_tools = text("tape_tools") == "on"
        """Whether the agent's bridge offers the model tools for the tape."""
        self.is_manual = text("tape_mode") == "manual"
        """Whether an agent may leave an anchor only where its user asked for one."""
        self.label_prefix = text("tape_label_prefix", "")

    def leaves_alone(self, cwd: str, is_in_project: bool) -> bool:
        """Whether nothing is kept of sessions in this folder."""
        return is_left_alone(self.is_on, self.only_git, self.exclude_dirs, cwd, is_in_project)


def is_left_alone(
    is_on: bool, only_git: bool, exclude_dirs: list[str], cwd: str, is_in_project: bool
) -> bool:
    """Whether these settings say that nothing is kept of sessions in the folder `cwd`."""
    if not is_on or (only_git and not is_in_project):
        return True
    return any(f"{cwd}/".startswith(f"{folder.rstrip('/')}/") for folder in exclude_dirs)


def tape_of(world: World, agent: str) -> CompiledTape:
    """The settings of the tape for this agent's sessions."""
    own = f":{agent}"
    values = {key: value for key, value in world.settings.items() if key.startswith("tape_")}
    values.update({key.removesuffix(own): value for key, value in values.items() if key.endswith(own)})
    return CompiledTape(values)


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []
