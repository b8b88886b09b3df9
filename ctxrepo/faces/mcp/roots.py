"""The folders that are open in a host, its roots: asked for at each call, in both eras of the protocol."""

from __future__ import annotations

import logging
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]

ROOTS_SECONDS = 2.0
"""How long a host may take to name them; one that takes longer isn't asked again."""

_NAME = "roots"
"""The name under which a host of the newer era is asked for them."""


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
        return types.InputRequiredResult(input_requests={_NAME: types.ListRootsRequest()})

    async def of(self, context: Context, params: types.InputResponseRequestParams) -> list[str]:
        """The roots for this call, as URIs; none where the host names none."""
        if not _has_roots(context) or self._is_silent:
            return []
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = (params.input_responses or {}).get(_NAME)
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
