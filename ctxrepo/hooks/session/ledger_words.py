"""What the lines of a ledger say of a session: of every word, how it is written and how it is read.

A line is a word and what belongs to it. Two versions of ctxrepo may read and write one ledger at once, so a
line that can't be understood changes nothing. The file is in session/ledger.py."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading it would cost a hook more than it saves
    from collections.abc import Callable

NO_TEXT = "-"
"""Stands in place of a hash: the session removed the note, or the cache has caught up with what the session
wrote. Either way the next version is not the session's own."""

EARLIER_PROMPTS = 2
"""How many earlier prompts are remembered, to search a vague follow-up together with them."""


class RequestedAnchor:
    """An anchor that a session's user asked for: in so many words, or by keywords in a prompt."""

    def __init__(self, name: str = "", keywords: tuple[str, ...] = ()) -> None:
        self.name = name
        """The name that keywords ask for; '' where the user asked in so many words, whatever its name."""
        self.keywords = keywords

    @property
    def is_manual(self) -> bool:
        """Whether the user asked for it in so many words."""
        return not self.name


class SessionRecord:
    """What a ledger says of a session, and of what the session knows of one repository."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        """Entries that the session knows: id -> hash."""
        self.own: set[str] = set()
        """Those of them that it wrote itself and was never given."""
        self.generation: int | None = None
        """The generation of the cache that the session has seen."""
        self.faults: set[str] = set()
        """Hashes of the faults that it was told."""
        self.rules: dict[str, str] = {}
        """How it stands with rules, by their entries, as EnforcedRule.judge has it."""
        self.project: str | None = None
        """Its project's folder; '' for none, '?' while the project is unknown."""
        self.asked: list[str] = []
        """What its last prompts were about, oldest first."""
        self.compaction = ""
        """The last compaction that it was given the packet after, where its agent tells no hook of one."""
        self.handoff = ""
        """The time of the handoff that it began with, '-' for none; '' once a newer one was looked for."""
        self.is_off = False
        """Whether somebody switched memory off for it."""
        self.sought = ""
        """The stamps of its folder's git files when the worker was last asked for the project."""
        self.owed_since = 0.0
        """When it began to wait for what its start could not wait for, in Unix seconds; 0: owed nothing."""
        self.packet = ""
        """What it was given at its start, where its agent forgets that when it is resumed, or with the next
        request; then with what has been added since."""
        self.turn = ""
        """What its last prompt recalled, where its agent forgets that with the next request."""
        self.prompt = ""
        """What names that prompt."""
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
        self.bridge_wait: int | None = None
        """How many prompts have waited for what it is to be told of the session before; None: none waits."""
        self.anchor_request: RequestedAnchor | None = None
        """The anchor that its user asked for and that isn't left yet."""

    def read(self, line: str) -> None:
        """Apply one line of the ledger, without its mark."""
        name, _, rest = line.partition(" ")
        if word := WORDS.get(name):
            word.read(self, rest)


class LedgerWord:
    """A word that lines of a ledger begin with: how such a line is written, and what it tells."""

    def __init__(
        self,
        name: str,
        read: "Callable[[SessionRecord, str], object]",
        write: "Callable[..., str]" = str,
        *,
        is_about_repository: bool = False,
        is_lasting: bool = False,
    ) -> None:
        self.name = name
        self.read = read
        """Tells a record what follows the word; what can't be understood changes nothing."""
        self.write = write
        """Makes what follows the word of the values that belong to it."""
        self.is_about_repository = is_about_repository
        """Whether its lines bear a repository's mark."""
        self.is_lasting = is_lasting
        """Whether its last line outlasts a compaction: it is about the session itself."""

    def line(self, *values: object) -> str:
        """The line of these values, without a mark and a newline."""
        rest = self.write(*values).replace("\n", " ")
        return f"{self.name} {rest}" if rest else self.name


def _pair(name: str, digest: str) -> str:
    return f"{name} {digest}"


def _moment(seconds: float) -> str:
    return f"{seconds:.6f}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _seconds(at: float, transcript: str = "") -> str:
    """Whole seconds, and the transcript of a session that ended then."""
    return f"{int(at)} {transcript}" if transcript else str(int(at))


def _request(name: str = "", keywords: "list[str] | None" = None) -> str:
    if not name:
        return "manual"
    return f"keyword {name} " + "\t".join([" ".join(word.split()) for word in keywords or []])


def _store(
    field: str, understood: "Callable[[str], object]" = str
) -> "Callable[[SessionRecord, str], object]":
    """Reads what is `understood` of a line into this field of the record; None changes nothing."""

    def read(record: SessionRecord, rest: str) -> None:
        if (value := understood(rest)) is not None:
            setattr(record, field, value)

    return read


def _read_entry(record: SessionRecord, rest: str, is_own: bool = False) -> None:
    entry, _, digest = rest.partition(" ")
    if not digest:
        return
    if not is_own:
        record.own.discard(entry)
    elif entry not in record.entries:
        record.own.add(entry)
    record.entries[entry] = digest


def _read_wrote(record: SessionRecord, rest: str) -> None:
    path, _, digest = rest.rpartition(" ")
    if path:
        record.wrote[path] = digest


def _read_fault(record: SessionRecord, rest: str) -> None:
    if rest:
        record.faults.add(rest)


def _read_rule(record: SessionRecord, rest: str) -> None:
    entry, _, state = rest.partition(" ")
    record.rules[entry] = state


def _read_compacted(record: SessionRecord, rest: str) -> None:
    if not rest:
        record.is_compacted, record.giver = True, ""


def _read_giver(record: SessionRecord, rest: str) -> None:
    record.giver = record.giver or rest


def _read_asked(record: SessionRecord, rest: str) -> None:
    record.asked = [*record.asked, rest][-EARLIER_PROMPTS:]


def _read_bridge(record: SessionRecord, rest: str) -> None:
    record.bridge_wait = _whole(rest)


def _read_off(record: SessionRecord, rest: str) -> None:
    record.is_off = record.is_off or not rest


def _read_on(record: SessionRecord, rest: str) -> None:
    record.is_off = record.is_off and bool(rest)


def _read_ended(record: SessionRecord, rest: str) -> None:
    at, _, transcript = rest.partition(" ")
    ended = _whole(at)
    record.ended, record.transcript = (0.0, "") if ended is None else (float(ended), transcript)


def _read_anchor_request(record: SessionRecord, rest: str) -> None:
    """Keywords don't displace what the user asked for in so many words."""
    kind, _, rest = rest.partition(" ")
    name, _, words = rest.partition(" ")
    if kind != "keyword":
        record.anchor_request = RequestedAnchor() if kind == "manual" else None
    elif not (record.anchor_request and record.anchor_request.is_manual):
        record.anchor_request = RequestedAnchor(name, tuple(words.split("\t"))) if name else None


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _decimal(text: str) -> float | None:
    return float(text) if text.isascii() and text.replace(".", "", 1).isdecimal() else None


def _unescaped(text: str) -> str:
    return "\\".join([part.replace("\\n", "\n") for part in text.split("\\\\")])


GIVEN = LedgerWord("entry", _read_entry, _pair, is_about_repository=True)
"""ID HASH: the session was given this entry."""
OWN = LedgerWord("own", lambda r, rest: _read_entry(r, rest, is_own=True), _pair, is_about_repository=True)
"""ID HASH: it wrote this entry itself."""
WROTE = LedgerWord("wrote", _read_wrote, _pair, is_about_repository=True)
"""PATH HASH: it wrote the note, which has this text now; NO_TEXT where it removed the note."""
MOVED = LedgerWord("moved", _read_wrote, _pair, is_about_repository=True)
"""PATH HASH: it moved or pinned the note, whose text stayed, or it knows the note as it is now."""
GENERATION = LedgerWord("generation", _store("generation", _whole), is_about_repository=True)
"""NUMBER: it was told of all changes up to this generation of the cache."""
FAULT = LedgerWord("fault", _read_fault, is_about_repository=True)
"""HASH: it was told this fault."""
RULE = LedgerWord("rule", _read_rule, lambda entry, state: f"{entry} {state}", is_about_repository=True)
"""ID STATE: how it stands with the rule beside this entry (SessionRecord.rules); '' as at its start."""
PROJECT = LedgerWord("project", _store("project"), is_about_repository=True)
"""FOLDER: it was told that it is in this project; '' for none, `?` while that is unknown."""
HANDOFF = LedgerWord("handoff", _store("handoff"), is_about_repository=True)
"""TIME: it began with the handoff of that time; `-` for none, '' once a newer one was looked for."""
OWED = LedgerWord("owed", _store("owed_since", _decimal), _moment, is_about_repository=True)
"""TIME: it is owed what a round of the worker brings that begins after this time; 0 for nothing."""
PACKET = LedgerWord("packet", _store("packet", _unescaped), _escaped, is_about_repository=True)
"""TEXT, with newlines and backslashes escaped: its start gave it this, and gives it again when resumed, or
each request does."""
TURN = LedgerWord("turn", _store("turn", _unescaped), _escaped, is_about_repository=True)
"""TEXT, as above: each request gives it this again, until the next prompt."""
PROMPT = LedgerWord("prompt", _store("prompt"), is_about_repository=True)
"""NAME: this prompt was the last for which something was looked up."""
COMPACTED = LedgerWord("compacted", _read_compacted, is_about_repository=True)
"""It was compacted by an agent that calls no start's hook then, and is owed the packet."""
GIVER = LedgerWord("gives", _read_giver, str, is_about_repository=True)
"""PROCESS: the hook in this process gives it that packet; the first line after `compacted` counts."""
ASKED = LedgerWord("asked", _read_asked)
"""WORDS: its prompt was about these words."""
COMPACTION = LedgerWord("compaction", _store("compaction"))
"""NAME: it was given the packet again after this compaction."""
SOUGHT = LedgerWord("sought", _store("sought"))
"""STAMPS: the worker was asked for the project of the folder, whose git files had these stamps."""
PARENT = LedgerWord("of", _store("parent"))
"""SESSION: it is a subagent, which this session started."""
BRIDGE = LedgerWord("bridge", _read_bridge, str)
"""COUNT: how many of its prompts have waited for what it is told of the last session; `-`: none waits."""
BEGAN = LedgerWord("began", _store("began", _whole), _seconds, is_lasting=True)
"""TIME: it began then."""
CWD = LedgerWord("cwd", _store("cwd"), is_lasting=True)
"""FOLDER: it began there."""
OFF = LedgerWord("off", _read_off, is_lasting=True)
"""It is given nothing from now on."""
ON = LedgerWord("on", _read_on, is_lasting=True)
"""It is given memory again."""
ANCHOR_REQUEST = LedgerWord("wanted", _read_anchor_request, _request, is_lasting=True)
"""`manual`: its user asked for an anchor in so many words. `keyword NAME WORDS`: keywords of a prompt ask for
this anchor; the words have a tab between them."""
NO_ANCHOR_REQUEST = LedgerWord("wanted", _read_anchor_request, lambda: "-", is_lasting=True)
"""`-`: what was asked for was left, or isn't asked for any more."""
ENDED = LedgerWord("ended", _read_ended, _seconds, is_lasting=True)
"""TIME FILE: it ended then, with this transcript."""
GOES_ON = LedgerWord("ended", _read_ended, lambda: "-", is_lasting=True)
"""`-`: it goes on."""

WORDS = {
    word.name: word
    for word in (
        *(
            GIVEN,
            OWN,
            WROTE,
            MOVED,
            GENERATION,
            FAULT,
            RULE,
            PROJECT,
            HANDOFF,
            OWED,
            PACKET,
            COMPACTED,
            GIVER,
        ),
        *(TURN, PROMPT, ASKED, COMPACTION, SOUGHT, PARENT, BRIDGE, BEGAN, CWD),
        *(OFF, ON, ANCHOR_REQUEST, ENDED),
    )
}
"""All words, by name."""

LASTING = frozenset(word.name for word in WORDS.values() if word.is_lasting)
"""The words about the session itself, which outlast a compaction; the last line of each counts."""
