"""`ctxrepo mcp`: the memory over standard input and output, in both eras of the protocol, by its SDK.

Loading the SDK takes most of a start; what carries out a tool is loaded at its first use."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from ctxrepo import __version__
from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.repository.exchange import fetch_soon
from ctxrepo.app.surprise import as_known
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.faces.mcp.answers import ToolAnswer, lines_of
from ctxrepo.faces.mcp.former_tools import former_tools
from ctxrepo.faces.mcp.host import Context, Roots, call_of
from ctxrepo.faces.mcp.lifetime import end, end_with_host
from ctxrepo.faces.mcp.resources import INDEX_URI, ResourceRequest, read_resource
from ctxrepo.faces.mcp.tools import Tool, ToolRequest, perform, tools

Request = TypeVar("Request")
Answer = TypeVar("Answer")

OPTIONS = "CTXREPO_MCP"
"""The variable that narrows or widens what is offered: `read` for tools that read, `former` for former names,
too; both with a comma between."""

_FETCH_SECONDS = 10.0
"""How often it is looked whether a fetch is due, at most."""


def main() -> int:
    """Serve until the host closes standard input, or is gone; the process ends here."""
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # of roots, which hosts still have
    logging.basicConfig(level=logging.WARNING, format="ctxrepo mcp: %(message)s")
    environment = dict(os.environ)
    desk = Desk.shared(Call(Path.home(), environment), partial(datetime.now, UTC), sys.executable)
    end_with_host(desk.close)
    code = 0
    try:
        anyio.run(_serve, MemoryServer(desk, environment))
    except* OSError:
        code = 1  # the host has closed its end: there is nobody to tell
    end(desk.close, code)


async def _serve(memory: MemoryServer) -> None:
    server = memory.server()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class MemoryServer:
    """Answers a host's requests by operations, which one thread carries out in turn."""

    def __init__(self, desk: Desk, environment: Mapping[str, str]) -> None:
        self.desk = desk
        self.environment = environment
        words = {word.strip().casefold() for word in environment.get(OPTIONS, "").split(",")} - {""}
        for word in sorted(words - {"read", "former"}):
            logging.warning("%s takes read and former, not %r: only reading is offered", OPTIONS, word[:40])
            words |= {"read"}  # whoever narrows what is offered mustn't widen it by a typing error
        former = former_tools()
        offered = {**tools(), **former} if "former" in words else tools()
        self.tools: Mapping[str, Tool] = {**former, **tools()}
        """What can be called; former names also where hosts aren't told of them."""
        if "read" in words:
            self.tools = {name: tool for name, tool in self.tools.items() if tool.reads}
        self._instructions = _instructions(is_reading="read" in words)
        self.offered = [name for name in offered if name in self.tools]
        self._looked_at = -_FETCH_SECONDS
        self._roots = Roots()

    def server(self) -> Server[Any]:
        """The server of the SDK with what is offered."""
        return Server(
            "ctxrepo",
            version=__version__,
            title="ctxrepo",
            instructions=self._instructions,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        definitions = [self.tools[name].definition for name in self.offered]
        return types.ListToolsResult(tools=[types.Tool.model_validate(each) for each in definitions])

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Carry out a tool. What goes wrong in it is told in its result, so that the model can mend it."""
        tool = self.tools.get(params.name)
        if tool is None:
            known = ", ".join(self.offered)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}; there are {known}")
        if needed := self._roots.needed(context, params):
            return needed
        try:
            answer = await self._perform(context, params, perform, ToolRequest(tool, params.arguments or {}))
        except CtxrepoError as error:
            return _result(ToolAnswer(_words_of(error)), is_error=True)
        return _result(answer)

    async def list_resources(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        about = "What a session is given at its start: rules, what came last, and what notes there are."
        index = types.Resource(
            uri=INDEX_URI, name="index", title="Memory", description=about, mime_type="text/markdown"
        )
        return types.ListResourcesResult(resources=[index])

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        note = types.ResourceTemplate(
            uri_template="ctxrepo://note/{+path}",
            name="note",
            title="Note",
            description="A note, by its path as `read` takes it.",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[note])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await self._perform(context, params, read_resource, ResourceRequest(uri))
        except (NotFound, UsageError) as error:
            raise MCPError(types.INVALID_PARAMS, _words_of(error), {"uri": uri}) from error
        except CtxrepoError as error:
            raise MCPError(types.INTERNAL_ERROR, _words_of(error), {"uri": uri}) from error
        contents = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _perform(
        self,
        context: Context,
        params: types.InputResponseRequestParams,
        operation: Callable[[Desk, Request], Answer],
        request: Request,
    ) -> Answer:
        """Carry out an operation for this call; CtxrepoError for whatever goes wrong."""
        info = context.session.client_params
        client = info.client_info.name if info else ""
        call = call_of(client, await self._roots.of(context, params), self.environment)
        action = partial(self._perform_here, operation, request, call)
        return await anyio.to_thread.run_sync(action)

    def _perform_here(
        self, operation: Callable[[Desk, Request], Answer], request: Request, call: Call
    ) -> Answer:
        try:
            answer = self.desk.perform(operation, request, call)
        except CancelledError:
            raise CtxrepoError("the server is ending, and has not begun with this") from None
        except Exception as error:
            raise as_known(error, self.environment) from error
        self._fetch_at_times(call)
        return answer

    def _fetch_at_times(self, call: Call) -> None:
        """Have a worker fetch where that is due. The answer to the call stands, whatever becomes of that."""
        if time.monotonic() - self._looked_at < _FETCH_SECONDS:
            return
        self._looked_at = time.monotonic()
        try:
            self.desk.perform(fetch_soon, None, call)
        except Exception as error:
            logging.warning("nothing is fetched: %s", _words_of(as_known(error, self.environment)))


def _instructions(*, is_reading: bool) -> str:
    """What a host is told of the server; where only reading is offered, the first part."""
    text = Path(__file__).with_name("instructions.txt").read_text("utf-8")
    return text.partition("\n\n")[0] if is_reading else text.replace("\n\n", "\n")


def _result(answer: ToolAnswer, *, is_error: bool = False) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=answer.text)]
    fields = None if answer.fields is None else dict(answer.fields)
    return types.CallToolResult(content=content, structured_content=fields, is_error=is_error)


def _words_of(error: CtxrepoError) -> str:
    """An error in a line."""
    message, hint = lines_of([error.message, error.hint])
    return f"{message.rstrip('.')}. {hint}".rstrip()
