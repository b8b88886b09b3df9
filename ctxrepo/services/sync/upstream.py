"""Compares the remote's branch with its tip at our last exchange: has it moved on, gone back, or changed?"""

import re
from collections.abc import Sequence

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.refusals import Refusal, check_file
from ctxrepo.domain.note.note import Note, decode
from ctxrepo.domain.project.layout import REGISTRY, TAPES, is_note, shown
from ctxrepo.domain.secrets import redact
from ctxrepo.errors import BeyondBounds, Damaged
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.clone import LAST_TIP
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects


@dataclass(frozen=True)
class UpstreamState:
    """`answer` is not ok when a person has to confirm first; `notice` is what they must be told otherwise.
    Only if the branch still `has_known_tip` is what is missing there a deletion."""

    answer: RemoteAnswer = RemoteAnswer("ok")
    notice: str = ""
    has_known_tip: bool = False


_FINE = UpstreamState(has_known_tip=True)


def state_of_upstream(memory: Memory, theirs: str | None, *, accept: bool = False) -> UpstreamState:
    """What the remote's tip `theirs` means (None: no such branch). A remote that went back or was rewritten
    is merged, so that neither side loses anything. A new address, or one suddenly empty or full of code, a
    person has to confirm with `accept`: it was probably replaced, or is somebody else's."""
    state = _state(memory, theirs)
    if accept:
        remember_tip(memory, theirs)
    return UpstreamState(has_known_tip=state.has_known_tip) if accept else state


def _state(memory: Memory, theirs: str | None) -> UpstreamState:
    objects = memory.objects
    last = objects.ref(LAST_TIP)
    if last is None or theirs == last or not objects.has(last):
        return _FINE
    if theirs is None:
        if memory.remote.has(last):
            return UpstreamState(notice="the memory's branch was deleted on the remote; it is sent again")
        return _changed("the remote is empty, and it wasn't before: it may have been replaced")
    if objects.contains(theirs, last):
        return _FINE
    if objects.contains(last, theirs):
        return UpstreamState(notice="the remote went back to an earlier state; what it lost is sent again")
    if objects.merge_base(last, theirs) is not None:
        return UpstreamState(notice="the remote's history was rewritten; both histories are kept")
    if code := why_no_memory(objects, theirs):
        return _changed(f"the remote holds {code}, and no memory: another repository may be in its place")
    last_url = memory.exchanges.url
    if last_url and last_url != memory.repository.remote:
        return _changed(f"this is another remote than {redact(last_url)}, and it holds another memory")
    return UpstreamState(
        notice="the remote holds another history, which has nothing in common with ours; both are kept"
    )


def remember_tip(memory: Memory, theirs: str | None) -> None:
    """Remember `theirs` as the tip that we last exchanged with."""
    if theirs is None:
        memory.objects.drop_ref(LAST_TIP)
    elif memory.objects.ref(LAST_TIP) != theirs:
        memory.objects.set_ref(LAST_TIP, theirs)


def _changed(reason: str) -> UpstreamState:
    return UpstreamState(RemoteAnswer("changed", reason))


def outgoing_secret(memory: Memory, commit: str, sent: Sequence[str]) -> str:
    """What says which commit holds a secret that pushing `commit` would add to a remote with the commits
    `sent`, the oldest one; '' where none does. The files may be without it by now."""
    objects = memory.objects
    allow = memory.settings.secrets.allow_secret
    trees = [objects.tree_of(k) for k in sent]
    for new in reversed([*objects.new_commits(commit, *sent)]):
        for path, key in _new_files(objects, new).items():
            if (path, key) in memory.guarded:
                continue
            if refused := _secrets(path, objects.data_or_empty(key), allow):
                sent_keys = [key for tree in trees for key in objects.files(tree, [path]).values()]
                texts = map(objects.data_or_empty, sent_keys)
                old = {r.fingerprint for data in texts for r in _secrets(path, data, allow)}
                if first := next((r for r in refused if r.fingerprint not in old), None):
                    return f"commit {new[:10]} holds a secret at {first.at} ({first.fingerprint})"
    return ""


def _new_files(objects: Objects, commit: str) -> dict[str, str]:
    """path -> key of the plain files in this commit that differ from those in every parent."""
    tree = objects.tree_of(commit)
    trees = [objects.tree_of(p) for p in objects.parents(commit)] or [None]
    first, *others = [objects.diff(parent, tree) for parent in trees]
    return {
        path: key
        for path, (_, key) in first.items()
        if key is not None and ":" not in key and all(path in other for other in others)
    }


def _secrets(path: str, data: bytes, allow: Sequence[str]) -> list[Refusal]:
    return [r for r in check_file(path, data, allow) if r.fingerprint]


_BUILDS = lazy_pattern(
    r"makefile|dockerfile|cmakelists\.txt|requirements\.txt|gemfile|configure\.ac|(package|composer|deno)\.json"
    r"|(pyproject|cargo)\.toml|setup\.py|go\.mod|pom\.xml|build\.gradle(\.kts)?|mix\.exs|flake\.nix|meson\.build",
    re.IGNORECASE,
)
_BESIDE_NOTES = lazy_pattern(
    r"[^.]*|.*\.(md|markdown|mdx|txt|org|rst|adoc|jsonl?|csv|canvas|base|png|jpe?g|gif|svg|webp|heic|pdf|docx"
    r"|xlsx|pptx|mp3|m4a|mp4|mov|excalidraw|bib|gpg|age|asc)",
    re.IGNORECASE | re.DOTALL,
)
"""What people keep beside notes; a name without an ending is a LICENSE or the like."""

_MOST_READ = 300
"""Notes whose heads are read."""


def why_no_memory(objects: Objects, commit: str | None) -> str:
    """What of a commit says that it is code and no memory, in a few words; '' for a memory, for notes of any
    kind, and where nothing is in it."""
    try:
        everything = objects.files(objects.tree_of(commit)).items()
    except (BeyondBounds, Damaged):
        return ""  # which is refused for that
    files = {path: key for path, key in everything if "/." not in f"/{path}" and ":" not in key}
    if REGISTRY in files or any(path.startswith(f"{TAPES}/") for path in files):
        return ""
    code = sorted(filter(_is_code, files), key=lambda path: (path.count("/"), path))
    notes = {path: key for path, key in files.items() if is_note(path) and "/" in path}
    # As memories have them; a shallow clone lacks some.
    there = sorted(path for path, key in notes.items() if objects.has(key))[:_MOST_READ]
    heads = (Note(path, decode(objects.data_or_empty(notes[path]))).head for path in there)
    described = sum(bool(head.description) for head in heads)
    is_built = not described and any(map(_BUILDS.fullmatch, code))
    if not code or (len(code) <= (described or len(notes)) and not is_built):
        return ""
    more = f" and {len(code) - 3} more" if len(code) > 3 else ""
    return f"{', '.join(map(shown, code[:3]))}{more}"


def _is_code(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(_BUILDS.fullmatch(name) or not _BESIDE_NOTES.fullmatch(name))
