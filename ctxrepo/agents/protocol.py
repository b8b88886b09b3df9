"""What an agent's folder offers, file by file.

`dialect.py` is loaded by hooks and holds a `DIALECT`, an instance of a subclass of `hooks.dialect.Dialect`.
`switches.tsv` has what in the agent's settings switches hooks off, where anything does (`switches.py`), and
`retention.tsv` what makes it delete its transcripts (there, too).
The other files turn text into text and values into paths; reading and writing is for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:  # an installation needs none of what else there is
    from ctxrepo.agents.recorded import Message, RecordedSession, SessionHead
    from ctxrepo.agents.wanted import Document, Line, Wanted
    from ctxrepo.domain.settings.values import OwnMemory
    from ctxrepo.sources.source import Source


class AgentIdentity(Protocol):
    """`__init__.py`: what the agent is called. It is light, for hooks load it too.

    Example usage::

        who = AGENTS[name].identity
        session = os.environ.get(who.SESSION, "") if who.SESSION else ""
    """

    TITLE: str
    """Its name in a sentence."""

    INSTRUCTIONS: str
    """The file at the top of a checkout that it reads at a session's start."""

    FOLDER: str
    """The environment variable that names the user's folder of it, '' where none of its own does."""

    SESSION: str
    """The environment variable in which its commands find the id of their session, '' where there is none."""

    MARKS: Mapping[str, str]
    """Variables with the values that they must have too, so that it is this agent."""

    CLIENTS: Sequence[str]
    """How the names begin with which its clients of the Model Context Protocol introduce themselves; none
    where it has none, or nobody has looked."""

    WORKSPACE: str
    """The variable in which such a client names the folders that are open; '' where it names none so."""


class Install(Protocol):
    """`install.py`: what makes the agent call our hooks and know our skills.

    Example usage::

        for wanted in AGENTS[name].install.files(home, environment, line):
            print(wanted.path)

    Where the agent can be told in advance which commands it may run, there is a `RULES`, what these rules are
    called in a sentence. Where MCP servers can be added to the agent, there is a `SERVERS`, the file that
    lists them; with `NEEDS_SERVER` ours is wanted unless declined, because hooks don't do all there."""

    def folder(self, user_home: Path, environment: Mapping[str, str]) -> Path:
        """The user's folder of this agent; ConfigError when the environment names an unusable one."""
        ...

    def files(
        self, user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
    ) -> Sequence[Wanted]:
        """All that is wanted on the disk, with these `options`. The receipt is found by the first file, which
        therefore stays the first in later versions; there is one at least beside skills."""
        ...


@dataclass(frozen=True)
class AskedHook:
    """A hook of ours as the agent knows it: its key, a hash of what it calls, and whether that is trusted."""

    key: str
    hash: str
    is_trusted: bool


class Trust(Protocol):
    """`trust.py`, where the agent runs no hook that its user hasn't trusted: what it is asked about that, as
    calls of JSON-RPC to a program of its own.

    Example usage::

        *_, answer = [rpc.call(*call) for call in trust.question()]
        rpc.call(*trust.grant([hook for hook in trust.hooks(answer) if not hook.is_trusted]))"""

    PROGRAM: Sequence[str]
    """The program that answers on its standard output, as words of a command line."""

    HINT: str
    """How a person trusts hooks in the agent itself, as the end of a sentence."""

    FILE: str
    """The file in the agent's folder in which it keeps its trust."""

    LEFT: str
    """What stays behind in that file when our hooks are removed, as a sentence without its stop."""

    def is_left(self, text: str, folder: Path) -> bool:
        """Whether that stays behind there, of hooks in this folder; ValueError if the text can't be read."""
        ...

    def question(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """The calls that ask for our hooks: (method, parameters), each answered before the next."""
        ...

    def hooks(self, answer: object) -> Sequence[AskedHook]:
        """Our hooks in the answer to the last of these calls."""
        ...

    def grant(self, hooks: Sequence[AskedHook]) -> tuple[str, Mapping[str, Any]]:
        """The call that has the agent trust these hooks."""
        ...


@dataclass(frozen=True)
class Plugin:
    """`PLUGIN` in `install.py`, where there is a plugin or extension of ours for the agent: how it notes that
    it is on. `note` is the file in the agent's folder in which it does, and `is_on` whether the text of that
    file, when it is there, says so; ValueError when it can't be read."""

    note: str
    is_on: Callable[[str], bool]


@dataclass(frozen=True)
class Redirection:
    """Where an agent can be told in which folder to keep the memory of its own: in the file `settings`, seen
    from the folder of a checkout that it works in, as the `document` for that folder. `named` is the folder
    that the text of that file names, '' for none; ValueError when it can't be read."""

    settings: str
    document: Callable[[str], Document]
    named: Callable[[str], str]


@dataclass(frozen=True)
class NativeMemory:
    """`NATIVE_MEMORY` in `install.py`, where the agent has a memory of its own, which no other agent sees.

    `name` is what it is called in a sentence, `settings` the file in the agent's folder in which a person
    turns it off, and `off` what to write there. `is_on` tells from its text and the environment whether it is
    on; ValueError when it can't be read. `redirection` is None where it can't be kept elsewhere."""

    name: str
    settings: str
    off: str
    is_on: Callable[[str, Mapping[str, str]], bool]
    redirection: Redirection | None = None


class Imports(Protocol):
    """`imports.py`, where there are memory programs of the agent's whose notes can be brought here.

    Example usage::

        names = [source.name for source in AGENTS[name].imports.SOURCES]"""

    SOURCES: Sequence[Source]


class MemorySettings(Protocol):
    """`memory_settings.py`, where a memory program of the agent's has settings of its own: what they say.

    Example usage::

        settings = AGENTS[name].memory_settings
        file = settings.file(home, environment)
        memory = settings.read(json.loads(file.read_text()), home)
        print(memory.local_path if memory else f"{file} doesn't mention {settings.PROGRAM}")"""

    PROGRAM: str
    """The memory program whose settings they are."""

    SILENCE: tuple[str, str]
    """The agent's settings of a project, as a path below its folder, and where in their JSON a project asks
    to be given no memory."""

    WRITES_ANCHORS_FILE: bool
    """Whether the program keeps a project's anchors in the file `layout.anchors_file`: a line there that
    names no agent is of this agent's sessions."""

    OFFERS_TAPE_TOOLS: bool
    """Whether our extension of the agent can offer the model tools for the tape (`tape.tools`)."""

    ANCHOR_COMMAND: str
    """The command of our extension with which a user of the agent asks for an anchor."""

    def file(self, user_home: Path, environment: Mapping[str, str]) -> Path:
        """The agent's settings for all projects."""
        ...

    def read(self, fields: Mapping[str, Any], user_home: Path) -> OwnMemory | None:
        """What these settings say of memory; None where they say nothing."""
        ...

    def redirecting(self, fields: Mapping[str, Any]) -> Sequence[str]:
        """The keys in a project's settings by which it would decide where memory is or what runs."""
        ...


class Transcripts(Protocol):
    """`records.py`: how the agent records what is said in its sessions, in all forms that it has ever used:
    a form is known by what is in a file, and `PATTERN` names where files are.

    Where messages and their parts are files of their own, there is a `PARTS`: the folders of messages and of
    the parts of each, seen from the folder of the session's file. `NOT_RESUMED` has patterns of files from
    which the agent doesn't go on, `FORMER` further folders below the home in which some versions keep them,
    and `VARIABLES` what in the environment moves the transcripts alone. Where only the name of a folder tells
    in which folder a session worked, `folder_names(top)` gives those of sessions in the folder `top`.

    Example usage::

        transcripts = AGENTS[name].transcripts
        for path in transcripts.folder(home, environment).glob(transcripts.PATTERN):
            said = list(transcripts.messages(path.read_text().splitlines()))"""

    def folder(self, user_home: Path, environment: Mapping[str, str]) -> Path:
        """Where the transcripts are; ConfigError when the environment names an unusable place."""
        ...

    PATTERN: str
    """The files of sessions below `folder`: one each, or a database for many. `|` parts patterns."""

    OF_SESSION: str
    """The same for one session, whose id stands for `{session}`. Of a session that is there in several forms
    the one of the first pattern counts."""

    SUBAGENTS: str
    """The files of a session's subagents, one each, below the folder that has the name of the session's file
    without its ending; '' where there are none."""

    QUERY: str
    """Where the files are SQLite databases, what selects the lines of the session `:session`, oldest first;
    '' where they are files of lines. Only those of the messages from `:since` to `:until` are wanted, which
    are ids, or '' for the first and the last."""

    SESSIONS: str
    """Where the files are databases, what selects of each session that a person began its id, its folder and
    a mark that changes with it, the newest first; '' where they are files of lines."""

    TEXTS: str
    """Where the files are databases, what selects (id of a session, text) of all that holds `:text`, with
    `:any_case` whatever the case; '' where they are files of lines."""

    FOLDER_FILE: str
    """The file, seen from the folder that a session's file is in, whose text is the folder that the session
    works in; '' where the transcript tells it."""

    RESUME: str
    """The command with which a person goes on with the session `{session}`, in the folder it works in."""

    def head(self, lines: Iterable[str], /) -> SessionHead:
        """What the first lines of a file tell of its session."""
        ...

    def is_quiet(self, records: Sequence[Mapping[str, Any]], /) -> bool:
        """Whether in a file without messages nobody said anything, as far as its first records show: each is
        of a kind that is known, or looks like no message. A subagent's is quiet, too."""
        ...

    def messages(self, lines: Iterable[str]) -> Iterator[Message]:
        """What user and agent said in these lines of a file, oldest first. Lines that can't be read are
        passed over; some may be missing."""
        ...


class Records(Protocol):
    """`records.py`, where it has a `read`: what the agent records about our hooks in its transcripts.

    Example usage::

        session = AGENTS[name].records.read(lines)
        ended = [call for call in session.calls if call.outcome == "ended"] if session else []"""

    UNRECORDED: Mapping[str, str]
    """What the agent doesn't record about an event's hooks."""

    def read(
        self, lines: Iterable[str], is_whole: bool = True, is_subagent: bool = False
    ) -> RecordedSession | None:
        """The session in these lines of a file, None when there is none. Lines that can't be read are passed
        over; without `is_whole` some in the middle are missing. `is_subagent`: it is the file of one, and the
        part of the session is told that it played."""
        ...


def named_folder(variable: str, environment: Mapping[str, str]) -> Path | None:
    """The folder that this variable names, None where it is unset; ConfigError for a relative path."""
    path = environment.get(variable, "")
    if path and not Path(path).is_absolute():
        raise ConfigError(
            f"{variable} is {path!r}, which is not an absolute path", "Set it to one, or unset it."
        )
    return Path(path) if path else None
