"""The memory repository is created, cloned or connected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.repository.init import InitRequest, InitResult


@dataclass(frozen=True)
class InitOutcome:
    """What was done; `url` is the remote's without a password, `is_unsparse` says that a sparse clone was
    asked for and this one has everything."""

    made: InitResult
    url: str
    is_unsparse: bool


def init(desk: Desk, request: InitRequest) -> Result[InitOutcome]:
    """Create the memory repository, or clone it; a second time nothing changes."""
    from ctxrepo.app.repository.sync import code_of
    from ctxrepo.domain.git.remote import ignored_variable
    from ctxrepo.domain.secrets import redact
    from ctxrepo.services.repository.init import init

    request = replace(request, cwd=desk.cwd)
    made = init(desk.places, desk.env, request, desk.interpreter, desk.now, desk.progress)
    url = redact(made.remote)
    desk.wake()
    data = {"root": str(made.root), "remote": url, "action": made.action}
    for warning in (*desk.project_warnings, *made.warnings):
        desk.notice(warning)
    if told := ignored_variable(desk.env, made.remote):
        desk.notice(told)
    if made.source:
        data["settings"] = str(made.source)
        desk.notice(f"folder and remote are as {made.program}'s settings say: {made.source}")
    is_unsparse = request.sparse and made.action != "cloned" and desk.memory.clone.cone is None
    code = code_of(made.synced) if made.synced else 0
    return Result(InitOutcome(made, url, is_unsparse), data, code)
