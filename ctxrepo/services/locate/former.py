"""What a checkout was before its address changed: named until a person decides whether it still is."""

from collections.abc import Iterable, Sequence

from ctxrepo.domain.project.registry import Registry
from ctxrepo.hooks.known.locate import FORMER
from ctxrepo.services.locate.identify import Project, is_there
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledCheckout, TrustedCheckouts, read_checkouts
from ctxrepo.storage.user.code import CodeCheckout


def former_ids(memory: Memory, code: CodeCheckout, project: Project, registry: Registry) -> tuple[str, ...]:
    """The projects with notes that this checkout was under other ids, and isn't now; the last one last. None
    where a person decided: gave it its id, or trusts that it is what it says it is."""
    before = _before(memory, code)
    if before is None or code.explicit.strip():
        return ()
    if TrustedCheckouts(memory.state.trusted).has(code.top, project.checkout_id):
        return ()
    is_same = before.own == project.checkout_id
    return undecided(before.former.splitlines() if is_same else all_before(before), project, registry)


def all_before(row: CompiledCheckout) -> tuple[str, ...]:
    """All that a checkout was, up to this record of it."""
    return (*row.former.splitlines(), *filter(None, [row.project]))


def undecided(names: Iterable[str], project: Project, registry: Registry) -> tuple[str, ...]:
    """Those that are projects still, and another one than `project`: it wasn't linked to them."""
    there = dict.fromkeys(map(registry.canonical, names))
    return tuple(name for name in there if name != project.id and registry.folder_of(name))


def former_hint(former: Sequence[str], registry: Registry) -> str:
    """One sentence on the project that a checkout was last, '' for none."""
    if not former:
        return ""
    folder = registry.folder_of(former[-1])
    return (
        f"this checkout was {former[-1]} in {folder}/ before; if it still is, "
        f"`ctxrepo project link {folder}`, if it isn't, `ctxrepo project trust`"
    )


def former_offer(former: Sequence[str], registry: Registry) -> str:
    """The same for sessions, which aren't given those notes."""
    if not former:
        return ""
    folder = registry.folder_of(former[-1])
    return (
        f"{FORMER}{former[-1]} before its address changed, and the notes of that in {folder}/ are not given "
        f"here: `ctxrepo project link {folder}` there makes the two one, `ctxrepo project trust` says that "
        "they are two"
    )


def _before(memory: Memory, code: CodeCheckout) -> CompiledCheckout | None:
    """What was recorded last of this checkout, also of its main worktree, or where it stood before it was
    moved; not of another one that stood in this place."""
    for row in reversed(read_checkouts(memory.places.state)):
        if code.born and row.born and row.born != code.born:
            continue
        if (row.project or row.former) and str(code.top) == row.top:
            return row
    for row in reversed(read_checkouts(memory.places.state)):
        is_same = bool(code.born) and row.born == code.born and row.project
        if is_same and (row.config == str(code.config) or not is_there(memory, row.top)):
            return row
    return None
