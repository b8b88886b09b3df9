"""What a command in a sandbox may hand over: what adds. Others can write where it is put, too."""

from collections.abc import Sequence

from ctxrepo.domain.note.note import units_of
from ctxrepo.domain.project.layout import REGISTRY, is_evidence, is_note, shown, tape_folder, unsafe
from ctxrepo.domain.records.save import Save
from ctxrepo.domain.secrets import mask

ADDING = frozenset(
    {"remember", "stage", "new", "edit", "tags", "touch", "log", "anchor", "handoff"}
    | {f"scratch {verb}" for verb in ("add", "done", "undo")}
)
"""The operations that may be handed over."""


def why_not_taken(saves: Sequence[Save]) -> str:
    """Why the saves of one operation are not taken in, '' if they are."""
    if not saves:
        return "it can't be read"
    for save in saves:
        if save.op not in ADDING:
            return f"`{_named(save.op)}` may not be handed over"
        path = save.path
        is_known = is_note(path) or is_evidence(path) or tape_folder(path) or path == REGISTRY
        if unsafe(path) or not is_known:
            return f"{_named(path)} is no note"
        before, after = units_of(path, save.base), units_of(path, save.after)
        gone, come = (before - after).total(), (after - before).total()
        if save.after is None or gone > come:
            return f"it takes more away from {_named(path)} than it adds"
    return ""


def _named(text: str) -> str:
    """What anybody may have made up, for a message that agents read and act on."""
    return shown(mask(text), 60).replace("`", "'")
