"""Where the memory stands, without asking the network."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.domain.records.decision import ItemToDecide
from ctxrepo.domain.secrets import redact
from ctxrepo.errors import CtxrepoError, in_words
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.faults import (
    LastExchange,
    LastSession,
    current_faults,
    last_exchange,
    last_served,
    of_remote,
)
from ctxrepo.services.faults.finding import halfway
from ctxrepo.services.locate.identify import Location, Project, read_registry, registry_problem
from ctxrepo.services.meaning.ready import readiness
from ctxrepo.services.reading.find import note_paths
from ctxrepo.services.review.items import DeclinedReview, declined, items_to_decide
from ctxrepo.services.review.open_review import Review, in_review, open_review
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import Standing, standings
from ctxrepo.storage.cache.cache import remark_of
from ctxrepo.storage.cache.layout import Fault
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexSize, size_of_index
from ctxrepo.storage.user.config import is_kept


@dataclass(frozen=True)
class Status:
    """`waiting` counts acknowledged writes no commit holds yet, `ahead` and `behind` commits against what
    the remote was last seen to have; `exchanged` is the last exchange with it."""

    root: Path
    remote: str
    branch: str
    checked_out: str
    """The branch that the clone is on, '' when a person left it on none; else the same as `branch`."""
    project: Project | None
    claim: str
    """Why the checkout may not be the project that it says it is, '' otherwise."""
    is_withheld: bool
    """Whether it is given nothing for that, until its user trusts it."""
    unknown: str
    """Why it isn't known which project this is, with the way on; '' where it is."""
    hint: str
    """Which project of the memory this may be, by another address."""
    knows_others: bool
    """Whether the memory has other projects, one of which this may be under an address it had before."""
    notes: int
    waiting: int
    ahead: int
    behind: int
    exchanged: LastExchange
    agents: Sequence[Standing]
    """Those that are on this machine, or connected."""
    served: LastSession | None
    """The session that a hook answered last."""
    faults: Sequence[str]
    deleted: Sequence[str]
    """What was deleted by hand lately, with what brings it back."""
    obstacle: str
    """What keeps the memory from going on, with the way out."""
    review: str = ""
    """The branch that waits for people to look at it."""
    in_review: int = 0
    """Commits that lie on it; `ahead` doesn't count them."""
    declined: Sequence[DeclinedReview] = ()
    to_decide: Sequence[ItemToDecide] = ()
    """What waits for a person; `declined` is part of it."""
    owner: str = ""
    """What belongs to another user, with what would help: then remote, agents and sessions aren't known."""
    embedded: tuple[int, int] | None = None
    """How many of the texts of entries have vectors, and how many there are; None while words are enough."""
    ignored: int = 0
    """Notes that git ignores, which stay on this machine."""
    indexed: IndexSize | None = None
    """What of agents' sessions is indexed for search; None while nothing is."""

    @property
    def staged(self) -> int:
        """Proposals of all machines that wait in the inbox."""
        return sum(item.kind == "proposal" for item in self.to_decide)

    @property
    def doubtful(self) -> int:
        """Entries that are given with a doubt."""
        return sum(item.kind == "doubt" for item in self.to_decide)


def status(memory: Memory, here: Location, machine: Machine) -> Status:
    """What a person wants to know at a glance."""
    memory.require_whole()
    clone, project, current = memory.clone, here.project, open_review(memory)
    faults = current_faults(memory)
    ahead, behind = _ahead_behind(memory, current)
    meaning = readiness(memory)
    return Status(
        root=memory.root,
        remote=_address(memory),
        branch=clone.branch,
        checked_out=clone.checked_out(),
        project=project,
        claim=here.claim,
        is_withheld=here.is_withheld,
        unknown=in_words(here.unknown) if here.unknown else "",
        hint=here.hint,
        knows_others=bool(set(read_registry(memory).projects) - {project.id if project else ""}),
        notes=len(note_paths(memory)),
        waiting=len({save.id for save in memory.journal.read()}),
        ignored=len(memory.cache.ask(remark_of, "ignored")),
        ahead=ahead,
        behind=behind,
        exchanged=last_exchange(memory),
        agents=standings(machine),
        served=last_served(memory),
        faults=[*of_remote(memory), *_of_files(memory, faults)],
        deleted=_deleted(memory, faults),
        obstacle=_obstacle(memory),
        owner=in_words(memory.places.other_owner) if memory.places.other_owner else "",
        review=current.branch if current else "",
        in_review=len(in_review(memory)),
        declined=declined(memory),
        to_decide=items_to_decide(memory),
        indexed=size_of_index(memory.state.root),
        embedded=(meaning.texts - meaning.behind, meaning.texts) if meaning.texts else None,
    )


def _address(memory: Memory) -> str:
    """The remote's address without credentials. To look for some takes longer than a start of Python; in a
    copied config.toml there are none."""
    places, remote = memory.places, memory.repository.remote
    return remote if is_kept(places.config_file, places.config_before) else redact(remote)


def _of_files(memory: Memory, faults: Sequence[Fault]) -> Iterator[str]:
    """What is wrong with files: the faults that are noted, and a registry that a commit by hand spoiled."""
    yield from (text for kind, text in faults if kind not in ("clone", "deletion", "proposal"))
    if (problem := registry_problem(memory)) and not any(text.startswith(REGISTRY) for _, text in faults):
        yield problem


def _deleted(memory: Memory, faults: Sequence[Fault]) -> list[str]:
    """What was deleted by hand: the faults that are noted, unless a person has moved the branch since."""
    if memory.cache.head == (memory.refs.find(memory.clone.branch_ref) or ""):
        return [text for kind, text in faults if kind == "deletion"]
    from ctxrepo.services.faults.past_deletions import of_deletions  # loads pygit2

    return of_deletions(memory)


def _ahead_behind(memory: Memory, current: Review | None) -> tuple[int, int]:
    """How many commits the remote hasn't, less those in review, and how many only it has."""
    ours, there = (memory.refs.resolve(ref) for ref in (memory.clone.branch_ref, memory.clone.upstream_ref))
    if ours is None or ours == there:
        return 0, 0
    ahead, behind = memory.objects.ahead_behind(ours, there) if there else (0, 0)
    if current or (memory.has_remote and not there):
        sent = (there, current.tip) if current else (there,)
        ahead = len(list(memory.objects.new_commits(ours, *sent)))
    return ahead, behind


def _obstacle(memory: Memory) -> str:
    try:
        require_ready(memory)
    except CtxrepoError as error:
        return in_words(error)
    half = halfway(memory)
    return f"{half.problem}. {half.remedy}" if half else ""
