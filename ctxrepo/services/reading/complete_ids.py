"""What may stand where a person pressed Tab and an id is wanted, or a note that is gone."""

from collections.abc import Iterator
from itertools import islice

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.guard.takeback import named
from ctxrepo.domain.project.layout import ARCHIVE, CONFLICTS, REGISTRY, is_note, shown
from ctxrepo.domain.project.registry import Registry, parse
from ctxrepo.domain.records.conflict_copy import copy_id
from ctxrepo.hooks.own_files import lines_of
from ctxrepo.hooks.session.ledger_file import FOLDER
from ctxrepo.hooks.session.traces import MAX_BYTES
from ctxrepo.services.reading.complete import MANY, WIDTH, Candidate
from ctxrepo.storage.cache.completion import Known
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.state.committed_records import DoneLog, Operation
from ctxrepo.storage.state.ledgers import ledgers
from ctxrepo.storage.user.places import RepositoryPlaces


def conflicts(known: Known) -> list[Candidate]:
    """The ids of versions that are kept aside, with the files that keep them."""
    copies = known.notes(f"{CONFLICTS}/", MANY)
    return [(name, path) for path, _ in copies if (name := copy_id(path))]


def projects(known: Known) -> list[Candidate]:
    """The ids of projects, with their folders."""
    return list(_registry(known).projects.items())


def linked(known: Known) -> list[Candidate]:
    """The further names of projects, with the ids they stand for."""
    return list(_registry(known).aliases.items())


def commits(known: Known) -> list[Candidate]:
    """The commits with what commands of this machine did lately, the newest first."""
    operations = (operation for operation in _done(known) if operation.commit)
    lines = {operation.commit[:10]: named(operation.op, operation.note) for operation in operations}
    return [(commit, shown(line, WIDTH)) for commit, line in lines.items()]


def gone_notes(known: Known) -> list[Candidate]:
    """The notes that commands of this machine took away lately, and the archived ones, as paths in scopes in
    view and as whole paths."""
    writes = (write for operation in _done(known) for write in operation.writes if write.after is None)
    paths = [write.path for write in writes if is_note(write.path) and not (known.home / write.path).exists()]
    scopes = [f"{folder}/" for folder in (known.project, known.everywhere) if folder]
    paths += [path for scope in scopes for path, _ in known.notes(f"{scope}{ARCHIVE}/", MANY)]
    near = [path.removeprefix(scope) for scope in scopes for path in paths if path.startswith(scope)]
    return [(path, "") for path in dict.fromkeys([*near, *paths])]


def _done(known: Known) -> Iterator[Operation]:
    return islice(DoneLog(RepositoryPlaces(known.folder).done).newest(), MANY)


def traces(known: Known) -> list[Candidate]:
    """The ids of traces, the newest first, with the prompts."""
    lines = lines_of(str(RepositoryPlaces(known.folder).traces), MAX_BYTES)[-MANY:]
    records = [fields for line in reversed(lines) if (fields := record(line))]
    prompts = ((text_of(f, "id"), text_of(f, "prompt") or text_of(f, "edited")) for f in records)
    return [(name, shown(" ".join(prompt.split()), WIDTH)) for name, prompt in prompts if name]


def sessions(known: Known) -> list[Candidate]:
    """The ids of sessions, the latest first, with where they were."""
    latest = ledgers(known.folder.with_name(FOLDER), known.folder.name)[:MANY]
    sessions = (ledger for ledger in latest if not ledger.parent)
    return [(ledger.session, f"{ledger.agent} {ledger.cwd}".strip()) for ledger in sessions]


def _registry(known: Known) -> Registry:
    return parse(text(known.home / REGISTRY))
