"""A person says that a checkout is the project that it says it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.errors import NotFound, Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.look import checkout_at, identity_at, locate_with_git
from ctxrepo.services.locate.project import Project
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.trusted import TrustedCheckouts


@dataclass(frozen=True)
class TrustResult:
    """A checkout that is trusted; `is_changed` says that it wasn't before."""

    top: Path
    project: Project
    is_changed: bool


def trust_project(memory: Memory, folder: Path, env: Mapping[str, str], agent: str) -> TrustResult:
    """Take the checkout that `folder` is in at its word, here and under the id it has by now.

    Refused for an agent, which does what it reads: `agent` is its name, '' for a person.
    """
    if agent:
        raise Refused(
            f"{agent} may not say which checkout is to be trusted",
            "A person does, in a terminal of their own.",
        )
    env = {**env, "CTXREPO_PROJECT": ""}
    code = checkout_at(memory, folder)
    identity = identity_at(memory, folder, env)
    if code is None or identity is None:
        raise NotFound(f"{folder} belongs to no project", "Name a folder in a checkout.")
    is_changed = TrustedCheckouts(memory.state.trusted).add(code.top, identity.id)
    project = locate_with_git(memory, folder, env).project
    assert project is not None  # it has an identity
    return TrustResult(code.top, project, is_changed)
