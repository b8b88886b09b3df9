"""What can be set in config.toml, with the sentence that explains each key beside it; and what an agent's own
settings say of memory in its sessions, whichever agent it is."""

from dataclasses import field
from typing import Annotated, Literal

from ctxrepo.domain.formats.described import Between, Like
from ctxrepo.domain.project.layout import GLOBAL
from ctxrepo.domain.project.policy import POLICY_RULE
from ctxrepo.lazy import dataclass


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
    """`direct`: local writes go to the shared branch; `branch`: to a new branch for review each day."""
    global_folder: str = GLOBAL
    """Folder of the notes that apply everywhere. `init` copies another name from pi-memory-md."""


@dataclass(frozen=True)
class DeliverySettings:
    """What a session is given: `[delivery]`."""

    preset: Literal["", "md", "daily", "semantic", "scored", "clawvm"] = ""
    """Which parts the block at a session start has: our own, or those of another design. `ctxrepo context
    --explain` shows them."""
    budget_bytes: Annotated[int, Between(0, 1_000_000)] = 9500
    """Most bytes of one delivered block. Agents cut larger ones."""
    mode: Literal["delta", "turn", "once", "system", "pull", "file"] = "delta"
    """`delta`: the block at a start, recalled entries and changes with prompts; `turn`: the same, but
    recalled entries are only in that turn's requests, if the agent supports it; `once`: the block alone;
    `system`: no block, because it is in the system prompt; `pull`: only how to ask; `file`: no block, because
    it is in the files that `ctxrepo file add` named."""
    preamble: bool = True
    """Whether the block begins with the rules for using the memory."""
    receipt: bool = True
    """Whether a line at a start shows you what the session was given, in agents that show one."""


@dataclass(frozen=True)
class RecallSettings:
    """What a prompt is given: `[recall]`."""

    enabled: bool = True
    """Whether entries are recalled at all."""
    limit: Annotated[int, Between(0, 100)] = 24
    """Most entries for one prompt."""
    budget_bytes: Annotated[int, Between(0, 100_000)] = 2500
    """Most bytes for one prompt."""
    gate: bool = True
    """Whether prompts that are short or social, and prompts that no entry really fits, are given nothing.
    Off: every prompt is given the best entries, however weak."""
    reminders: bool = True
    """Whether editing a file brings the entries that mention it, or by meaning the one that it is about."""
    semantic: bool = False
    """Whether entries are found by meaning too. Needs the extra `semantic` and a model."""
    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    """The embedding model: a folder with `tokenizer.json` and an ONNX file, or a name on the hub
    that `ctxrepo cache embed` downloads."""


@dataclass(frozen=True)
class HookSettings:
    """What each event of a session triggers: `[hooks]`. An empty list: nothing."""

    session_start: tuple[Literal["pull"], ...] = ("pull",)
    """`pull`: fetch and merge if the last fetch is older than `sync.ttl`."""
    before_tool: tuple[Literal["enforce"], ...] = ()
    """`enforce`: agents ask before they use a tool, and are held to the rules of `ctxrepo enforce`. `ctxrepo
    setup --all` has them ask."""
    turn_end: tuple[Literal["commit"], ...] = ("commit",)
    """`commit`: changes are committed within 2 seconds."""
    pre_compact: tuple[Literal["handoff"], ...] = ("handoff",)
    """`handoff`: leave a handoff for the time after the compaction."""
    session_end: tuple[Literal["commit", "push"], ...] = ("commit", "push")
    """`commit`: changes are committed; `push`: and sent to the remote."""


@dataclass(frozen=True)
class SyncSettings:
    """How machines sync: `[sync]`."""

    ttl: Annotated[float, Between(0, 2_592_000)] = 120
    """Seconds for which a successful fetch counts as fresh at a session start."""
    timeout: Annotated[float, Between(0, 3600)] = 8
    """Seconds of silence after which a connection to the remote is given up."""
    sparse: bool = False
    """Whether `init` leaves other projects' notes on the remote, as `init --sparse` does."""
    retries: Annotated[int, Between(0, 100)] = 8
    """How often to retry a push when another machine was faster."""


@dataclass(frozen=True)
class SecretSettings:
    """What the secret scan lets through: `[secrets]`."""

    allow_secret: tuple[str, ...] = ()
    """Fingerprints, as refusals show them, of strings that are not secrets."""


@dataclass(frozen=True)
class ProjectSettings:
    """How projects are recognised: `[project]`."""

    worktrees: Literal["share", "isolate"] = "share"
    """`share`: the worktrees of one repository are one project; `isolate`: each is its own."""
    trust: Literal["open", "ask"] = "open"
    """`open`: a checkout gets the memory of the project that it claims to be, and a session is told if that
    is doubtful; `ask`: one that is new on this machine gets nothing before `ctxrepo project trust`."""


@dataclass(frozen=True)
class TapeSettings:
    """Anchors of sessions, and which notes and files come first: `[tape]`."""

    enabled: bool = True
    """Whether sessions leave anchors automatically: where they begin and end, and for keywords.
    `ctxrepo anchor` works either way."""
    sync: Literal["handoffs", "all", "none"] = "handoffs"
    """Which anchors other machines get: those left on purpose, `all`, or `none`."""
    mode: Literal["auto", "manual"] = "auto"
    """`auto`: an agent may leave anchors as it sees fit; `manual`: only if its user asked for one."""
    keywords: tuple[str, ...] = ()
    """Words that request an anchor when a prompt of 10 to 300 characters contains one."""
    strategy: Literal["smart", "recent"] = "smart"
    """What puts notes first: `smart`: what sessions did with them; `recent`: their dates alone, and no
    project files are listed."""
    file_limit: Annotated[int, Between(0, 100)] = 10
    """Most notes that come first because sessions used them, and most project files."""
    scan_hours: Annotated[int, Between(0, 8760)] = 72
    """Hours to look back from the last use of a file in the project; if they have fewer than 5 uses, one more
    day at a time."""
    scan_hours_max: Annotated[int, Between(0, 8760)] = 168
    """Most hours to look back; no less than `scan_hours`."""
    whitelist: tuple[str, ...] = ()
    """Notes and files, or folders of them, that always come first: absolute, or below the memory or the
    project."""
    blacklist: tuple[str, ...] = ()
    """Notes and files, or folders of them, that never come first."""
    only_git: bool = False
    """Whether sessions outside git repositories leave no anchors automatically."""
    exclude_dirs: tuple[str, ...] = ()
    """Absolute paths of folders whose sessions leave no anchors automatically."""
    bridge_seconds: Annotated[int, Between(0, 86_400)] = 60
    """A session that begins within so many seconds of another one's end is given, with its first prompt, what
    from that one fits it; 0: never."""
    tools: bool = False
    """Whether pi's sessions have tools for anchors. They do if pi's settings have pi-memory-md's tape."""
    label_prefix: str = "⚓ "
    """The prefix of anchor names in pi's tree."""


@dataclass(frozen=True)
class SessionSettings:
    """What is kept of agents' sessions on this machine: `[sessions]`."""

    keep: Literal["off", "texts", "whole"] = "off"
    """Agents delete their transcripts. `texts`: what you and the agent said, and the files and command lines
    that tools were given, is copied on this machine as transcripts are read, with secrets masked, and found
    when they have gone; `whole`: what tools gave back, too; `off`: nothing more is copied, and what was
    copied stays until `ctxrepo sessions forget`."""
    keep_bytes: Annotated[int, Between(1_000_000, 1_000_000_000_000)] = 500_000_000
    """How many bytes of the disk that may take; the oldest sessions go first."""
    keep_months: Annotated[int, Between(0, 1200)] = 24
    """For how many months after its last message a session is kept; 0: for ever."""


@dataclass(frozen=True)
class ScoreSettings:
    """In which order entries come where there isn't room for all: `[score]`."""

    profile: Literal["ctx", "seed"] = "ctx"
    """`ctx`: by evidence, use and activity, and nothing goes for its age alone; `seed`: by the score of the
    design that the preset `scored` comes from, which falls with time."""


@dataclass(frozen=True)
class InboxSettings:
    """What waits for a person's yes: `[inbox]`."""

    policy: tuple[
        Annotated[str, Like(POLICY_RULE, "rules such as direct, project=stage or AGENT:global=stage")], ...
    ] = ("direct",)
    """What agents' writes become. `direct`: entries; `stage`: proposals, which `ctxrepo inbox` lists. A rule
    may be for a scope (`project=stage`; `global`, `project` or a project's folder), for an agent
    (`AGENT:*=stage`) or both (`AGENT:global=stage`); the last one that fits holds. Your own commands always
    write. A list in `[policy]` of the memory's `ctxrepo.toml`, `inbox = ["project=stage"]`, stages more and
    never less."""
    cues: bool = True
    """Propose to remember what you tell an agent to do from now on (always, never, from now on …), in your
    own words and once. Nothing is remembered before you accept it."""


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
    sessions: SessionSettings = field(default_factory=SessionSettings)
    score: ScoreSettings = field(default_factory=ScoreSettings)
    inbox: InboxSettings = field(default_factory=InboxSettings)
    origin: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class OwnHooks:
    """Names of actions at each moment of the agent's sessions. `is_explicit`: somebody chose them."""

    session_start: tuple[str, ...] = ("pull",)
    session_end: tuple[str, ...] = ()
    is_explicit: bool = False


@dataclass(frozen=True)
class OwnMemory:
    """Paths are absolute as far as they were so written; `global_folder` '' is no global memory.

    `names_path`: the folder was chosen and is not the default. `is_in_system_prompt`: what is delivered is to
    stand there. `has_tape`: anchors are kept, in the memory repository itself. `tape` is None where nothing
    is said of it. `odd` tells what ctxrepo doesn't do as it is said there, a sentence each."""

    enabled: bool = True
    repo_url: str = ""
    local_path: str = ""
    names_path: bool = False
    global_folder: str = ""
    is_in_system_prompt: bool = False
    hooks: OwnHooks = field(default_factory=OwnHooks)
    has_tape: bool = False
    tape: TapeSettings | None = None
    odd: tuple[str, ...] = ()
