"""What a command in a sandbox may hand over: what adds. Others can write where it is put, too."""

from collections.abc import Sequence

from ctxrepo.domain.note.note import decode, encode, units_of
from ctxrepo.domain.project.layout import REGISTRY, is_evidence, is_note, shown, tape_folder, unsafe
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.records.proposal import inbox_lines, is_inbox
from ctxrepo.domain.records.save import Save
from ctxrepo.domain.secrets import mask

ADDING = frozenset(
    {"remember", "stage", "new", "edit", "tags", "touch", "log", "anchor", "handoff"}
    | {"reinforce", "verify"}
    | {f"scratch {verb}" for verb in ("add", "done", "undo")}
)
"""The operations that may be handed over."""


_REPLACING = frozenset({"remember", "edit", "tags", "scratch done", "scratch undo"})
"""Those of them that write one entry anew; `remember` does where a key has a value."""


def why_not_taken(saves: Sequence[Save]) -> str:
    """Why the saves of one operation are not taken in, '' if they are. Who hands them over asks that, too."""
    if not saves:
        return "it can't be read"
    for save in saves:
        if save.op not in ADDING:
            return f"`{_named(save.op)}` may not be handed over"
        path = save.path
        is_known = is_note(path) or is_evidence(path) or tape_folder(path) or path == REGISTRY
        if is_inbox(path) and not _proposes(save):
            return "it does more than propose"
        if unsafe(path) or not (is_known or is_inbox(path)):
            return f"{_named(path)} is no note"
        if save.after is None or not _only_adds(save):
            return f"it takes more away from {_named(path)} than it adds"
    return ""


def _only_adds(save: Save) -> bool:
    """Whether nothing is gone but the one entry that an operation writes anew, or gives another value, and no
    project gets another folder."""
    if save.path == REGISTRY:
        was, became = (parse(decode(side or b"")) for side in (save.base, save.after))
        return (
            was.projects.items() <= became.projects.items() and was.aliases.items() <= became.aliases.items()
        )
    before, after = units_of(save.path, save.base), units_of(save.path, save.after)
    gone, come = (before - after).total(), (after - before).total()
    return gone <= min(come, 1 if save.op in _REPLACING else 0)


def _proposes(save: Save) -> bool:
    """Whether all that is new in a file of the inbox are proposals: a line of another kind might decide some
    of others."""
    before, after = ({*decode(side or b"").splitlines()} for side in (save.base, save.after))
    new = [line for line in after - before if line.strip()]
    return len([line for line in inbox_lines(save.path, encode("\n".join(new))) if line.proposal]) == len(new)


def _named(text: str) -> str:
    """What anybody may have made up, for a message that agents read and act on."""
    return shown(mask(text), 60).replace("`", "'")
