"""The host that calls: which agent it is, and in which folder it works at the moment of a call, for which it
is asked in both eras of the protocol."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ctxrepo.agents.known import AGENTS, agent_in, session_in
from ctxrepo.app.desk import Call

Context = ServerRequestContext[Any, Any]

ROOTS_SECONDS = 2.0
"""How long a host may take to name them; one that takes longer isn't asked again."""

_ROOTS = "roots"
"""The name under which a host of the newer era is asked for them."""

UNKNOWN = "mcp"
"""What writes are said to come from where a host doesn't say its name."""

_LONGEST = 40
"""Characters of a host's name that are kept."""


def call_of(client: str, roots: Sequence[str], environment: Mapping[str, str]) -> Call:
    """The call of a host with this name, which has these roots open, as URIs."""
    agent = agent_of(client, environment)
    folder = folder_of(roots or workspace_of(agent, environment))
    return Call(folder, environment, session=(agent, session_of(agent, environment)))


def agent_of(client: str, environment: Mapping[str, str]) -> str:
    """The agent by the name with which its client introduces itself; else the one that started the server, or
    the name itself as one word."""
    word = re.sub(r"[^a-z0-9]+", "-", client.casefold()).strip("-")[:_LONGEST].strip("-")
    for agent in AGENTS.values():
        if any(f"{word}-".startswith(f"{known}-") for known in agent.identity.CLIENTS):
            return agent.name
    return agent_in(environment) or word or UNKNOWN


def session_of(agent: str, environment: Mapping[str, str]) -> str:
    """The id of the agent's session that started the server; '' where nothing tells it."""
    name, session = session_in(environment)
    return session if name == agent else ""


def workspace_of(agent: str, environment: Mapping[str, str]) -> list[str]:
    """The folders that the agent names in the environment of servers, as URIs."""
    variable = AGENTS[agent].identity.WORKSPACE if agent in AGENTS else ""
    paths = environment.get(variable, "") if variable else ""
    return [Path(path).as_uri() for path in re.split(r"[,:](?=/)", paths) if path.startswith("/")]


def folder_of(roots: Sequence[str]) -> Path:
    """The folder that a call is about: that of the process if it lies in a root or there is none, else the
    first root."""
    folders = [folder for folder in map(_path_of, roots) if folder]
    here = _current_folder()
    if here and (not folders or any(here.is_relative_to(folder) for folder in folders)):
        return here
    return folders[0] if folders else Path.home()


def _current_folder() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was deleted; a server goes on for those that name a root
        return None


def _path_of(uri: str) -> Path | None:
    """The folder of a `file:` URI; None for anything else."""
    try:
        parts = urlsplit(uri)
        path = os.fsdecode(unquote_to_bytes(parts.path))
    except ValueError:  # such as a torn address
        return None
    is_here = parts.scheme == "file" and parts.netloc in ("", "localhost", os.uname().nodename)
    return Path(path) if is_here and path.startswith("/") and "\0" not in path else None


class Roots:
    """Asks one host, as far as it says that it has roots."""

    def __init__(self) -> None:
        self._is_silent = False

    def needed(
        self, context: Context, params: types.InputResponseRequestParams
    ) -> types.InputRequiredResult | None:
        """What asks a host of the newer era, which calls again with the answer; None where it has answered,
        or isn't asked so."""
        is_asked = params.input_responses is not None
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS or is_asked or not _has_roots(context):
            return None
        return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})

    async def of(self, context: Context, params: types.InputResponseRequestParams) -> list[str]:
        """The roots for this call, as URIs; none where the host names none."""
        if not _has_roots(context) or self._is_silent:
            return []
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = (params.input_responses or {}).get(_ROOTS)
            return _uris(answer) if isinstance(answer, types.ListRootsResult) else []
        try:
            with anyio.fail_after(ROOTS_SECONDS):
                return _uris(await context.session.list_roots())
        except TimeoutError:
            self._is_silent = True
            logging.warning("the host says that it has roots, and doesn't name them")
        except MCPError as error:
            logging.warning("the host names no roots: %s", error)
        except ValueError:  # roots that are no files, or no roots
            logging.warning("the host names roots that can't be read")
        return []


def _has_roots(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    return capabilities is not None and capabilities.roots is not None


def _uris(answer: types.ListRootsResult) -> list[str]:
    return [str(root.uri) for root in answer.roots]
