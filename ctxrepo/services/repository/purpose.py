"""Whether a repository that `init` was given holds a memory, or may become one: not if it holds code."""

import re
from collections.abc import Iterator, Mapping

from ctxrepo.domain.note.note import Note, decode
from ctxrepo.domain.project.layout import REGISTRY, TAPES, is_note, shown
from ctxrepo.errors import BeyondBounds, Damaged
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key

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
    described = sum(_described(objects, notes))
    is_built = not described and any(map(_BUILDS.fullmatch, code))
    if not code or (len(code) <= (described or len(notes)) and not is_built):
        return ""
    more = f" and {len(code) - 3} more" if len(code) > 3 else ""
    return f"{', '.join(map(shown, code[:3]))}{more}"


def _is_code(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(_BUILDS.fullmatch(name) or not _BESIDE_NOTES.fullmatch(name))


def _described(objects: Objects, notes: Mapping[str, Key]) -> Iterator[bool]:
    """Whether each note has a head that describes it, as memories have."""
    for path in sorted(path for path in notes if objects.has(notes[path]))[:_MOST_READ]:
        yield bool(Note(path, decode(objects.data_or_empty(notes[path]))).head.description)
