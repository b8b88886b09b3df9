"""What a session is told in a checkout that may not be the project that it says it is."""

import _blake2
import _sqlite3

from ctxrepo.domain.text import seal
from ctxrepo.hooks.known.locate import FORMER, OFFER, SessionFolder, claim_at
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.own_files import LOG_BYTES, append_rolling, lines_of
from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

_GIVEN = (
    "It is given the memory of that project all the same. Tell the user: if it is theirs, "
    "`ctxrepo project trust` there says so; if not, `git config ctxrepo.project NAME` there gives it "
    "a name of its own."
)
_UNKNOWN = (
    "So it isn't known which project this is: it is given global memory alone, and `ctxrepo remember` needs "
    "--scope there. Tell the user."
)
_WITHHELD = (
    "It is given nothing from memory. Tell the user, who may trust it in a terminal of their own: "
    "`ctxrepo project trust`."
)

_OFFERED = "Ask the user."


def claim_block(
    db: _sqlite3.Connection, world: World, folder: SessionFolder, session: str, silence: str
) -> tuple[str, bool]:
    """(a block that tells the session of its checkout's claim, or ''; whether it is given nothing else).

    `silence` is why the session is given nothing anyway, or ''. Where memory is given, the first session
    alone is told; where it isn't, or not the project's or what was the checkout's before, each session is
    told once."""
    claim, is_withheld, is_unknown = claim_at(db, folder)
    if not claim:
        return "", False
    key = f"{session} {claim}" if is_withheld or is_unknown or claim.startswith(FORMER) else claim
    file = f"{world.repo.state}/claims"  # what can't be noted there is told again
    digest = _blake2.blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
    if silence or digest in lines_of(file, LOG_BYTES):
        return "", is_withheld
    append_rolling(file, digest + "\n", LOG_BYTES)
    way_on = _UNKNOWN if is_unknown and not is_withheld else _WITHHELD if is_withheld else _GIVEN
    way_on = _OFFERED if claim.startswith((OFFER, FORMER)) else way_on
    line = f"{claim.removesuffix('.')}. {way_on}"
    return seal(fault_section([line], FAULT_ROOM), world.secret), is_withheld


def is_withheld(db: _sqlite3.Connection, world: World, folder: SessionFolder) -> bool:
    """Whether the checkout around this folder is given nothing because of its claim."""
    return world.asks_for_trust and claim_at(db, folder)[1]
