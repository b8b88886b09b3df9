"""What the lines of a ledger say of a session (session/ledger.py)."""

from ctxrepo.hooks.session.ledger import lines_about

GIVEN, WROTE = "entry", "wrote"
"""The words that lines of entries given and of notes written begin with."""

NO_TEXT = "-"
"""Stands in place of a hash: the session removed the note, or the cache has caught up with what the session
wrote. Either way the next version is not the session's own."""

EARLIER_PROMPTS = 2
"""How many earlier prompts are kept, to search a vague follow-up together with them."""


class WantedAnchor:
    """An anchor that a session's user asked for: in so many words, or by keywords in a prompt."""

    __slots__ = ("keywords", "name")

    def __init__(self, name: str = "", keywords: tuple[str, ...] = ()) -> None:
        self.name = name
        """The name that keywords ask for; '' where the user asked in so many words, whatever its name."""
        self.keywords = keywords

    @property
    def is_manual(self) -> bool:
        """Whether the user asked for it in so many words."""
        return not self.name


class SessionRecord:
    """What a ledger says of a session, and of what it knows of one repository."""

    __slots__ = (
        "asked", "began", "compaction", "cwd", "ended", "entries", "faults", "generation", "giver", "handoff",
        "is_compacted", "is_off", "owed_since", "own", "packet", "parent", "project", "sought", "transcript",
        "waited", "wanted", "wrote",
    )  # fmt: skip

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        """Entries that the session knows: id -> hash."""
        self.own: set[str] = set()
        """Those of them that it wrote itself and was never given."""
        self.generation: int | None = None
        """The generation of the cache that the session has seen."""
        self.faults: set[str] = set()
        """Hashes of the faults that it was told."""
        self.project: str | None = None
        """Its project's folder; '' for none, '?' while the project is unknown."""
        self.asked: list[str] = []
        """What its last prompts were about, oldest first."""
        self.compaction = ""
        """The last compaction that it was given the packet after, where its agent tells no hook of one."""
        self.handoff = ""
        """The time of the handoff that it began with, '-' for none; '' once a newer one was looked for."""
        self.is_off = False
        """Whether it is hushed: given nothing."""
        self.sought = ""
        """The stamps of its folder's git files when the worker was last asked for the project."""
        self.owed_since = 0.0
        """When it began to wait for a round of the worker that its start could not wait for, in Unix seconds;
        0 when it is owed nothing."""
        self.packet = ""
        """What it was given at its start, where its agent forgets that when it is resumed."""
        self.is_compacted = False
        """Whether it was compacted by an agent that calls no start's hook then."""
        self.giver = ""
        """Which process gives it the packet after that compaction; '' while it is owed one."""
        self.wrote: dict[str, str] = {}
        """Notes that it wrote: path -> the hash of what it made of the note last, or NO_TEXT."""
        self.began = 0.0
        """When it began, in Unix seconds; 0 where that isn't known."""
        self.cwd = ""
        self.parent = ""
        """The session that started it, where it is a subagent's."""
        self.ended = 0.0
        """When it ended, in Unix seconds; 0 while it goes on, and where its agent doesn't tell."""
        self.transcript = ""
        """The file in which its agent recorded it, known once it has ended."""
        self.waited: int | None = None
        """How many prompts have waited for what it is to be told of the session before; None: none waits."""
        self.wanted: WantedAnchor | None = None
        """The anchor that its user asked for and that isn't left yet."""

    def read(self, line: str) -> None:
        """Apply one line of the ledger, without its mark; a line that can't be understood changes nothing."""
        word, _, rest = line.partition(" ")
        first, _, second = rest.partition(" ")
        if word in (GIVEN, "own") and second:
            if word == GIVEN:
                self.own.discard(first)
            elif first not in self.entries:
                self.own.add(first)
            self.entries[first] = second
        elif word in (WROTE, "moved"):
            path, _, digest = rest.rpartition(" ")
            if path:
                self.wrote[path] = digest
        elif word == "generation" and _is_number(first):
            self.generation = int(first)
        elif word == "fault" and first:
            self.faults.add(first)
        elif word == "asked":
            self.asked = [*self.asked, rest][-EARLIER_PROMPTS:]
        elif word in ("project", "handoff", "sought", "cwd", "compaction"):
            setattr(self, word, rest)
        elif word == "packet":
            self.packet = "\\".join([part.replace("\\n", "\n") for part in rest.split("\\\\")])
        elif line == "compacted":
            self.is_compacted, self.giver = True, ""
        elif word == "gives":
            self.giver = self.giver or rest
        elif word == "of":
            self.parent = rest
        elif line in ("off", "on"):
            self.is_off = line == "off"
        elif word == "owed" and first.replace(".", "", 1).isdecimal() and first.isascii():
            self.owed_since = float(first)
        elif word == "began" and _is_number(rest):
            self.began = float(rest)
        elif word == "ended":
            self.ended, self.transcript = (float(first), second) if _is_number(first) else (0.0, "")
        elif word == "bridge":
            self.waited = int(first) if _is_number(first) else None
        elif word == "wanted" and not (first == "keyword" and self.wanted and self.wanted.is_manual):
            self.wanted = _wanted(first, second)


def read_ledger(path: str, repo: str) -> SessionRecord:
    """What the ledger at `path` says of the session and of the repository with this id; an empty record where
    there is no ledger."""
    record = SessionRecord()
    for line in lines_about(path, repo):
        record.read(line)
    return record


def given_before_writes(path: str, repo: str) -> list[tuple[str, dict[str, str]]]:
    """Each write of the session to this repository: (the note's path, the entries of the repository that it
    was given before: id -> hash)."""
    given: dict[str, str] = {}
    found = []
    for line in lines_about(path, repo):
        word, _, rest = line.partition(" ")
        if word == GIVEN:
            name, _, digest = rest.partition(" ")
            given[name] = digest
        elif word == WROTE:
            found.append((rest.rpartition(" ")[0], {**given}))
    return found


def _wanted(kind: str, rest: str) -> WantedAnchor | None:
    name, _, words = rest.partition(" ")
    if kind == "manual":
        return WantedAnchor()
    return WantedAnchor(name, tuple(words.split("\t"))) if kind == "keyword" and name else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
