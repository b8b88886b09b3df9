"""What can be set in config.toml, with the sentence that explains each key beside it."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from ctxrepo.domain.project.layout import GLOBAL
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Most:
    """The largest value that a number may have: beyond it a slip of the finger is likelier than a wish."""

    value: int


@dataclass(frozen=True)
class RepositorySettings:
    """A memory repository: `[[repository]]`."""

    path: str = ""
    """Folder of the clone; `~` stands for the home folder. Default: `~/.ctxrepo`."""
    remote: str = ""
    """URL or path of the git remote; empty keeps the memory on this machine only."""
    branch: str = "main"
    """The branch that every machine shares."""
    review: Literal["direct", "branch"] = "direct"
    """`direct`: what is written here goes to the shared branch; `branch`: to one for review each day."""
    global_folder: str = GLOBAL
    """Folder of the notes that hold everywhere. `init` takes another name over from pi-memory-md."""


@dataclass(frozen=True)
class DeliverySettings:
    """What a session is given: `[delivery]`."""

    preset: Literal["", "md", "daily", "semantic"] = ""
    """What a session start is made of: our own packet, or that of another design. `ctxrepo context --explain`
    shows the parts."""
    budget_bytes: Annotated[int, Most(1_000_000)] = 9500
    """Most bytes of one delivered block. Agents cut larger ones."""
    mode: Literal["delta", "turn", "once", "system", "pull", "file"] = "delta"
    """`delta`: the packet at a start, recalled entries and changes beside prompts; `turn`: the same, but
    recalled entries stand in that turn's requests alone, where the agent can do so; `once`: the packet alone;
    `system`: no packet, for it stands in the system prompt; `pull`: only how to ask for it; `file`: no
    packet, for it stands in files that `ctxrepo file add` named."""
    preamble: bool = True
    """Whether a session start begins with the rules for using the memory."""


@dataclass(frozen=True)
class RecallSettings:
    """What is put beside a prompt: `[recall]`."""

    enabled: bool = True
    """Whether entries are recalled at all."""
    limit: Annotated[int, Most(100)] = 24
    """Most entries beside one prompt."""
    budget_bytes: Annotated[int, Most(100_000)] = 2500
    """Most bytes beside one prompt."""
    gate: bool = True
    """Whether prompts that are short or social, and prompts that no entry really fits, are left alone. Off:
    every prompt is given the best entries, however weak."""
    reminders: bool = True
    """Whether a file that is edited brings the entries that name it, or by meaning the one it is about."""
    semantic: bool = False
    """Whether entries are found by meaning too. It takes the extra `semantic` and a model."""
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """The model that knows meanings: a folder with `tokenizer.json` and an ONNX file, or a name of the hub
    for `ctxrepo cache embed` to fetch."""


@dataclass(frozen=True)
class HookSettings:
    """What the moments of a session set off: `[hooks]`. An empty list leaves a moment alone."""

    session_start: tuple[Literal["pull"], ...] = ("pull",)
    """`pull`: fetch and integrate when the last fetch is older than `sync.ttl`."""
    turn_end: tuple[Literal["commit"], ...] = ("commit",)
    """`commit`: what was written is committed within 2 seconds."""
    pre_compact: tuple[Literal["handoff"], ...] = ("handoff",)
    """`handoff`: leave an anchor for what comes after the compaction."""
    session_end: tuple[Literal["commit", "push"], ...] = ("commit", "push")
    """`commit`: what was written is committed; `push`: and reaches the remote."""


@dataclass(frozen=True)
class SyncSettings:
    """How machines exchange: `[sync]`."""

    ttl: Annotated[float, Most(2_592_000)] = 120
    """Seconds for which a successful fetch counts as fresh at a session start."""
    timeout: Annotated[float, Most(3600)] = 8
    """Seconds without a sign of life after which a conversation with the remote is given up."""
    sparse: bool = False
    """Whether `init` leaves other projects' notes with the remote, as `init --sparse` does."""
    retries: Annotated[int, Most(100)] = 8
    """How often a push that another machine overtook is tried again."""


@dataclass(frozen=True)
class SecretSettings:
    """What the secret scan lets through: `[secrets]`."""

    allow_secret: tuple[str, ...] = ()
    """Fingerprints, as a refusal shows them, of strings that are no secrets."""


@dataclass(frozen=True)
class ProjectSettings:
    """How projects are recognised: `[project]`."""

    worktrees: Literal["share", "isolate"] = "share"
    """`share`: the worktrees of one repository are one project; `isolate`: each is its own."""
    trust: Literal["open", "ask"] = "open"
    """`open`: a checkout gets the memory of the project that it says it is, and a session is told where
    that is doubtful; `ask`: one that is new on this machine gets nothing before `ctxrepo project trust`."""


@dataclass(frozen=True)
class TapeSettings:
    """What is kept of sessions, and which files a session is shown for it: `[tape]`."""

    enabled: bool = True
    """Whether sessions leave anchors by themselves: where they begin and end, and what keywords ask for.
    `ctxrepo anchor` works all the same."""
    sync: Literal["handoffs", "all", "none"] = "handoffs"
    """Which anchors other machines get: those that were left on purpose, `all`, or `none`."""
    mode: Literal["auto", "manual"] = "auto"
    """`auto`: an agent may leave anchors as it sees fit; `manual`: only where its user asked for one."""
    keywords: tuple[str, ...] = ()
    """Words that ask for an anchor where a prompt of 10 to 300 characters has one of them."""
    strategy: Literal["smart", "recent"] = "smart"
    """What puts notes first: `smart`: what sessions did with them; `recent`: their dates alone, and no files
    of the project are named."""
    file_limit: Annotated[int, Most(100)] = 10
    """Most notes that are put first for what sessions did with them, and most files of the project."""
    scan_hours: Annotated[int, Most(8760)] = 72
    """Hours that count, back from the last use of a file in the project; where they hold fewer than 5 uses, a
    day more at a time."""
    scan_hours_max: Annotated[int, Most(8760)] = 168
    """Hours beyond which no more is taken; no less than `scan_hours`."""
    whitelist: tuple[str, ...] = ()
    """Notes and files, or folders of them, that always come first: absolute, or below the memory or the
    project."""
    blacklist: tuple[str, ...] = ()
    """Notes and files, or folders of them, that are never put first."""
    only_git: bool = False
    """Whether sessions outside git repositories are left alone."""
    exclude_dirs: tuple[str, ...] = ()
    """Absolute paths of folders whose sessions are left alone."""
    bridge_seconds: Annotated[int, Most(86_400)] = 60
    """A session that begins within so many seconds of another one's end is given, with its first prompt, what
    of that one bears on it; 0: never."""
    tools: bool = False
    """Whether pi's sessions have tools for the tape. They do where pi's settings have pi-memory-md's tape."""
    label_prefix: str = "⚓ "
    """What the names of anchors begin with in pi's tree."""


@dataclass(frozen=True)
class Settings:
    """All of config.toml. `origin` names, key by key, where a value that is no default came from."""

    repository: tuple[RepositorySettings, ...] = ()
    delivery: DeliverySettings = field(default_factory=DeliverySettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    secrets: SecretSettings = field(default_factory=SecretSettings)
    project: ProjectSettings = field(default_factory=ProjectSettings)
    tape: TapeSettings = field(default_factory=TapeSettings)
    origin: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
