"""What may stand where a person pressed Tab and an id is wanted: of conflicts, projects, traces, sessions."""

from pathlib import Path

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.project.layout import CONFLICTS, REGISTRY, shown
from ctxrepo.domain.project.registry import Registry, parse
from ctxrepo.domain.records.conflict_copy import copy_id
from ctxrepo.hooks.own_files import lines_of
from ctxrepo.hooks.session.ledger import FOLDER
from ctxrepo.hooks.session.traces import MAX_BYTES
from ctxrepo.services.reading.complete import MANY, WIDTH, Candidate
from ctxrepo.storage.cache.completion import Known, known_at
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.state.ledgers import ledgers
from ctxrepo.storage.user.places import RepositoryPlaces


def conflicts(state: Path, cwd: Path) -> list[Candidate]:
    """The ids of versions that are kept aside, with the files that keep them."""
    with known_at(state, cwd) as known:
        kept = known.notes(f"{CONFLICTS}/", MANY) if known else []
        return [(name, path) for path, _ in kept if (name := copy_id(path))]


def projects(state: Path, cwd: Path) -> list[Candidate]:
    """The ids of projects, with their folders."""
    with known_at(state, cwd) as known:
        return list(_registry(known).projects.items()) if known else []


def linked(state: Path, cwd: Path) -> list[Candidate]:
    """The further names of projects, with the ids they stand for."""
    with known_at(state, cwd) as known:
        return list(_registry(known).aliases.items()) if known else []


def traces(state: Path, cwd: Path) -> list[Candidate]:
    """The ids of traces, the newest first, with the prompts."""
    with known_at(state, cwd) as known:
        lines = lines_of(str(RepositoryPlaces(known.folder).traces), MAX_BYTES)[-MANY:] if known else []
        found = [fields for line in reversed(lines) if (fields := record(line))]
        said = ((text_of(f, "id"), text_of(f, "prompt") or text_of(f, "edited")) for f in found)
        return [(name, shown(" ".join(prompt.split()), WIDTH)) for name, prompt in said if name]


def sessions(state: Path, cwd: Path) -> list[Candidate]:
    """The ids of sessions, the latest first, with where they were."""
    with known_at(state, cwd) as known:
        found = ledgers(state / FOLDER, known.folder.name)[:MANY] if known else []
        return [(one.session, f"{one.agent} {one.cwd}".strip()) for one in found if not one.parent]


def _registry(known: Known) -> Registry:
    return parse(text(known.home / REGISTRY))
