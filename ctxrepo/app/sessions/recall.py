"""Operations that recall: for a query or a prompt from the memory or a folder, and for a file of prompts."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.notes.claims import claim_lines
from ctxrepo.app.result import Result
from ctxrepo.app.surprise import log_traceback, of_database
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.recall.recall import Question, RecalledEntry, RecallResult
    from ctxrepo.services.recall.recall_folder import Batch, Way

_EXIT = {"ok": 0, "no_match": 3, "denied": 3, "malformed": 2, "unavailable": 1, "backend_error": 1}
"""Status of a recall -> exit code."""


@dataclass(frozen=True)
class MemoryRecallRequest:
    """A query or a prompt, for one scope or for those in view. `is_explained`: with the reason for each entry
    that is recalled or left out."""

    question: Question
    scope: str = ""
    is_explained: bool = False


@dataclass(frozen=True)
class FolderRecallRequest:
    """A query or a prompt for a folder of markdown; with a `model`, it is answered by meaning, too."""

    question: Question
    folder: Path
    model: str = ""
    is_explained: bool = False


@dataclass(frozen=True)
class BatchRequest:
    """A folder of markdown, a file of prompts, and the file that the answers go to."""

    folder: Path
    queries: Path
    out: Path
    limit: int | None = None
    is_gated: bool = True
    model: str = ""


def recall(desk: Desk, request: MemoryRecallRequest) -> Result[RecallResult]:
    """Answer a query or a prompt. To find nothing is an outcome; a text that can't be read is an error."""
    from ctxrepo.services.recall.recall import failed

    try:
        result = _recalled(desk, request)
    except (UsageError, NotFound):
        raise  # the request or config.toml is wrong, so this is no outcome of a recall
    except CtxrepoError as error:
        result = failed(error, "")
    except (sqlite3.Error, OSError) as error:
        result = _surprise(desk, error)
    return _outcome(result, request.is_explained)


def _recalled(desk: Desk, request: MemoryRecallRequest) -> RecallResult:
    from ctxrepo.services.delivery.sessions import Caller
    from ctxrepo.services.reading.find import search_order
    from ctxrepo.services.recall.recall import recall

    desk.commit_pending()
    folders = search_order(desk.memory, desk.project, request.scope)[::-1]
    caller = Caller(desk.cwd, desk.env, (desk.origin.agent, desk.origin.session))
    result = recall(desk.memory, request.question, folders, caller, desk.now)
    desk.notice(*claim_lines(desk, [(hit.id.removeprefix("^"), hit.path) for hit in result.hits]))
    return result


def recall_in_folder(desk: Desk, request: FolderRecallRequest) -> Result[RecallResult]:
    """Answer a query or a prompt from any folder of markdown, without a memory."""
    from ctxrepo.services.recall.recall_folder import recall_in

    way = _way(desk, None, request.model)
    try:
        result, skipped = recall_in(request.folder, request.question, desk.now, way)
    except (sqlite3.Error, OSError) as error:
        return _outcome(_surprise(desk, error), request.is_explained)
    _notice_skipped(desk, skipped)
    return _outcome(result, request.is_explained)


def recall_batch(desk: Desk, request: BatchRequest) -> Result[Batch]:
    """Answer every prompt of a file from a folder of markdown."""
    from ctxrepo.services.recall.queries import BadLines
    from ctxrepo.services.recall.recall_folder import recall_batch

    way = replace(_way(desk, request.limit, request.model), is_gated=request.is_gated)
    try:
        batch = recall_batch(request.folder, request.queries, request.out, way)
    except BadLines as error:
        desk.notice(*error.lines)
        raise
    _notice_skipped(desk, batch.skipped)
    data = {"queries": batch.queries, "silent": batch.silent, "ms": batch.ms, "out": str(request.out)}
    return Result(batch, data)


def _way(desk: Desk, limit: int | None, model: str) -> Way:
    from ctxrepo.services.recall.recall_folder import LIMIT, Way
    from ctxrepo.storage.user.places import Places

    if model and (folder := Path(model).expanduser()).is_dir():
        model = str(folder.resolve())  # a person may type a relative path; settings have absolute ones
    return Way(limit or LIMIT, model=model, models=Places.of(desk.env).models)


def _surprise(desk: Desk, error: Exception) -> RecallResult:
    from ctxrepo.services.recall.recall import failed

    known = of_database(error, desk.env)
    return failed(known, "") if known else failed(error, log_traceback(desk.env))


def _notice_skipped(desk: Desk, skipped: Mapping[str, str]) -> None:
    desk.notice(*(f"{path} {why}, and is not read" for path, why in skipped.items()))


def _outcome(result: RecallResult, is_explained: bool) -> Result[RecallResult]:
    data: dict[str, Any] = {
        "status": result.status,
        "reason": result.reason,
        "hits": [_fields(hit, is_explained) for hit in result.hits],
        "trace_id": result.trace_id,
        "silence": result.silence,
    }
    if is_explained:
        data["left_out"] = [{**_fields(left.entry, False), "why": left.why} for left in result.left_out]
    error = None
    if _EXIT[result.status] in (1, 2):
        error = CtxrepoError(result.reason, result.hint)
        error.code = result.status
    return Result(result, data, _EXIT[result.status], error)


def _fields(hit: RecalledEntry, is_explained: bool) -> dict[str, Any]:
    fields = asdict(hit)
    explanation = fields.pop("explanation")
    return {**fields, "explanation": [list(pair) for pair in explanation]} if is_explained else fields
