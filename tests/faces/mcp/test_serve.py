"""A real server, spoken to by the official client in both eras of the protocol, and by lines of our own."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from hosts import TOOLS, Host, Server, is_sealed, plant_code, request, unsealed
from machines import PROJECT_URL, Machine
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from processes import wait_for_workers
from repositories import make_checkout

from ctxrepo import __version__
from ctxrepo.faces.mcp import serve
from ctxrepo.faces.mcp.tools import ToolRequest, perform

Speak = Callable[..., AbstractAsyncContextManager[Client]]

PORT = "The port of postgres is 5433"
MODES = ("legacy", "2026-07-28")

pytestmark = [
    pytest.mark.slow,  # each test starts a server or two, half a second each, and waits for its worker
    pytest.mark.filterwarnings(
        "ignore::mcp.shared.exceptions.MCPDeprecationWarning"
    ),  # ping, as hosts send it
]


@pytest.fixture
def mine(ada: Machine) -> Any:
    """A memory with a fact; the project's folder has code that nobody may run."""
    ada.init()
    ada.remember(PORT)
    plant_code(ada.project_folder)
    yield ada
    wait_for_workers(ada)


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        with anyio.fail_after(60):
            await story()

    anyio.run(within)


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.mark.each_commit
@pytest.mark.parametrize("mode", MODES)
def test_a_host_of_either_era_lists_calls_and_reads(mine: Machine, speak: Speak, mode: str) -> None:
    async def story() -> None:
        async with speak(mine, mode) as client:
            await lists(client)
            await calls(client)
            await reads(client)
            await errs(client)

    async def lists(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["recall", "search", "read", "remember", "edit", "handoff"]
        assert all(tool.annotations and tool.annotations.open_world_hint is False for tool in tools)
        (index,) = (await client.list_resources()).resources
        (note,) = (await client.list_resource_templates()).resource_templates
        assert (str(index.uri), note.uri_template) == ("ctxrepo://index", "ctxrepo://note/{+path}")
        if mode == "legacy":
            info = client.server_info
            assert info
            assert (info.name, info.version) == ("ctxrepo", __version__)
            assert client.instructions
            assert "recall" in client.instructions
            await client.send_ping()

    async def calls(client: Client) -> None:
        result = await client.call_tool("recall", {"text": "which port does postgres have?"})
        assert PORT in unsealed(text_of(result))
        assert (result.is_error, result.structured_content) == (False, None)
        result = await client.call_tool("remember", {"text": '"Deploys run on Tuesdays"', "scope": None})
        assert result.structured_content
        assert result.structured_content["scope"] == "project shop"
        assert text_of(result).startswith(
            f"remembered: {result.structured_content['id']} at shop/MEMORY.md#L"
        )
        assert "- Deploys run on Tuesdays\n" in mine.read("shop/MEMORY.md")

    async def reads(client: Client) -> None:
        (note,) = (await client.read_resource("ctxrepo://note/shop/MEMORY.md")).contents
        assert isinstance(note, types.TextResourceContents)
        assert (note.mime_type, str(note.uri)) == ("text/markdown", "ctxrepo://note/shop/MEMORY.md")
        assert f"- {PORT}\n" in unsealed(note.text)
        (index,) = (await client.read_resource("ctxrepo://index")).contents
        assert isinstance(index, types.TextResourceContents)
        assert is_sealed(index.text)
        assert PORT in index.text

    async def errs(client: Client) -> None:
        result = await client.call_tool("recall", {"txt": "x"})
        assert result.is_error
        assert text_of(result) == "there is no argument `txt`. Did you mean `text`?"
        result = await client.call_tool("read", {"target": "nowhere\x1b[2J"})
        assert result.is_error
        assert "\x1b" not in text_of(result)
        with pytest.raises(MCPError) as caught:
            await client.call_tool("forget_all", {})
        assert caught.value.error.code == types.INVALID_PARAMS
        assert "recall" in caught.value.error.message
        for uri in ("ctxrepo://nope", "ctxrepo://note/nope", "ctxrepo://note/../../x", "file:///etc/passwd"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.error.code == types.INVALID_PARAMS
            assert caught.value.error.data == {"uri": uri}

    run(story)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_is_about_the_root_that_is_open_and_from_the_host_that_calls(
    mine: Machine, speak: Speak, mode: str, tmp_path: Path
) -> None:
    till = mine.home / "the till"
    make_checkout(till, PROJECT_URL.replace("shop", "till"))

    async def story() -> None:
        async with speak(mine, mode, name="cursor-vscode", roots=[till.as_uri()], cwd=tmp_path) as client:
            result = await client.call_tool("remember", {"text": "The till has a drawer"})
            assert text_of(result).endswith("(project till)")
            result = await client.call_tool("read", {"target": "index"})
            assert "till/MEMORY.md" in text_of(result)
            (index,) = (await client.read_resource("ctxrepo://note/till/MEMORY.md")).contents
            assert isinstance(index, types.TextResourceContents)
            assert "drawer" in index.text

    run(story)
    wait_for_workers(mine)
    assert "agent: cursor" in mine.git("log", "-3", "--format=%B").casefold()


def test_a_host_that_names_its_roots_late_or_not_or_oddly_is_answered(mine: Machine) -> None:
    """By the folder of the server; a root that is no file is no reason to fail either."""
    greeting = request(
        0,
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={"roots": {}},
        clientInfo={"name": "x", "version": "1"},
    )
    answers: list[dict[str, Any] | None] = [
        {"error": {"code": -32601, "message": "no roots"}},
        {"result": {"roots": [{"uri": "vscode-remote://wsl/home"}]}},
        {"result": {"nothing": 1}},
        {"result": {"roots": []}},
        None,
    ]
    with Server(mine) as server:
        server.send(greeting)
        server.answer(0)
        server.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        for number, answer in enumerate(answers, 1):
            server.call(number, "read", target="MEMORY")
            asked = server.receive()
            assert asked["method"] == "roots/list"
            if answer is not None:
                server.send(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}))
            result = server.answer(number)["result"]
            assert PORT in result["content"][0]["text"]
            assert not result.get("isError")
        server.call(9, "read", target="MEMORY")  # one that was silent isn't waited for again
        assert server.receive()["id"] == 9
        server.close_input()
        assert "doesn't name them" in server.errors()


def test_what_is_offered_is_narrowed_and_widened_by_the_environment(mine: Machine) -> None:
    def offered(value: str) -> tuple[list[str], str]:
        with Server(mine, CTXREPO_MCP=value) as server:
            server.greet()
            server.request(1, "tools/list")
            names = [tool["name"] for tool in server.answer(1)["result"]["tools"]]
            server.call(2, "memory_remember", type="lesson", rule="be kind")
            server.call(3, "remember", text="x is y")
            for number in (2, 3):
                answer = server.answer(number)
                assert ("error" in answer) == (value != " Former ")
            server.close_input()
            return names, server.errors()

    with ThreadPoolExecutor(2) as threads:
        plain, read, former, both = threads.map(offered, ("nonsense", "read", " Former ", "read,former"))
    six = ["recall", "search", "read", "remember", "edit", "handoff"]
    five = ["memory_search", "memory_remember", "memory_forget", "memory_lessons", "memory_stats"]
    assert plain == (
        six[:3],
        "ctxrepo mcp: CTXREPO_MCP takes read and former, not 'nonsense': only reading is offered\n",
    )
    assert read == (six[:3], "")
    assert former == (six + five, "")
    assert both == ([*six[:3], "memory_search", "memory_lessons", "memory_stats"], "")


def test_a_memory_may_be_made_while_the_server_runs(ada: Machine, speak: Speak) -> None:
    async def story() -> None:
        async with speak(ada) as client:
            result = await client.call_tool("recall", {"text": "which port?"})
            assert result.is_error
            assert "`ctxrepo init" in text_of(result)
            with pytest.raises(MCPError) as caught:
                await client.read_resource("ctxrepo://index")
            assert "`ctxrepo init" in caught.value.error.message
            assert ada.ctxrepo("init").returncode == 0
            assert not (await client.call_tool("remember", {"text": PORT})).is_error
            assert PORT in text_of(await client.call_tool("search", {"query": "postgres"}))

    run(story)
    wait_for_workers(ada)


def test_what_another_machine_has_sent_arrives_while_the_server_runs(
    pair: tuple[Machine, Machine], speak: Speak
) -> None:
    """A call has a worker fetch where that is due, as a session's start does, and a later one has it."""
    ada, ben = pair
    ben.remember(PORT)
    ben.sync()
    ada.open().state.fetched.unlink(missing_ok=True)

    async def story() -> None:
        async with speak(ada) as client:
            result = await client.call_tool("search", {"query": "postgres"})
            assert text_of(result) == "Nothing found for 'postgres'."
            while PORT not in text_of(result):
                await anyio.sleep(0.1)
                result = await client.call_tool("search", {"query": "postgres"})

    run(story)
    wait_for_workers(ada)


def test_two_servers_and_a_terminal_write_at_once_and_nothing_is_lost(mine: Machine, speak: Speak) -> None:
    facts = {name: [f"{name} says number {n}, which is {n * 7919}" for n in range(10)] for name in "abc"}

    async def serve_one(name: str) -> None:
        async with speak(mine, name=name) as client, anyio.create_task_group() as calls:
            for fact in facts[name]:
                calls.start_soon(remember, client, fact)

    async def remember(client: Client, fact: str) -> None:
        result = await client.call_tool("remember", {"text": fact})
        assert not result.is_error, text_of(result)

    async def story() -> None:
        async with anyio.create_task_group() as writers:
            writers.start_soon(serve_one, "a")
            writers.start_soon(serve_one, "b")
            writers.start_soon(anyio.to_thread.run_sync, terminal)

    def terminal() -> None:
        for fact in facts["c"]:
            run = mine.process("remember", fact, "--scope", "shop", cwd=mine.home)
            assert run.returncode == 0, run.stderr

    run(story)
    wait_for_workers(mine)
    mine.sync()
    lines = mine.git("show", "HEAD:shop/MEMORY.md").splitlines()
    assert [fact for of_one in facts.values() for fact in of_one if f"- {fact}" not in lines] == []


def test_lines_that_are_no_messages_are_answered_or_passed_over_and_others_go_on(mine: Machine) -> None:
    """Standard output has nothing but messages: `receive` reads each line as one."""
    with Server(mine) as server:
        server.greet()
        for line in (
            "no json",
            "",
            "   ",
            "{",
            "null",
            "[]",
            '"text"',
            '{"jsonrpc": "1.0", "id": 7, "method": "ping"}',
            f"[{request(8, 'ping')}, {request(9, 'ping')}]",
            b"\xff\xfe\x00",
            "[" * 100_000,
            "x" * 3_000_000,
        ):
            server.send(line)
        server.request(1, "nothing/like/this")
        server.request(2, "tools/call")
        server.request(3, "tools/call", name="recall", arguments=[1])
        server.request(4, "tools/call", name=7)
        for number in range(1, 5):
            assert server.answer(number)["error"]["code"] < 0
        server.call(5, "remember", text="x" * 2_000_000)
        assert server.answer(5)["result"]["isError"]
        server.call(6, "recall", text="y" * 2_000_000)
        assert len(json.dumps(server.answer(6))) < 10_000
        server.call(7, "read", target="MEMORY")
        assert PORT in server.answer(7)["result"]["content"][0]["text"]
        server.close_input()
        assert server.ends() == 0
        assert "Traceback" not in server.errors()
    assert not (mine.places.state / "errors.log").exists()


def test_many_calls_at_once_are_answered_each_and_a_ping_between_them(mine: Machine) -> None:
    with Server(mine) as server:
        server.greet()
        for number in range(1, 61):
            server.call(number, "search", query="postgres")
        server.request(99, "ping")
        server.request(100, "notifications/cancelled")
        answers = {server.receive()["id"] for _ in range(62)}
        assert answers == {*range(1, 61), 99, 100}


def test_a_server_whose_folder_was_deleted_goes_on(mine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    with Server(mine, folder) as server:
        server.greet()
        folder.rmdir()
        server.call(1, "remember", text="Ada is left-handed")
        assert server.answer(1)["result"]["content"][0]["text"].endswith("(global)")
        server.call(2, "recall", text="is Ada left-handed?")
        assert "left-handed" in server.answer(2)["result"]["content"][0]["text"]
        server.close_input()
        assert (server.ends(), server.errors()) == (0, "")


@pytest.mark.each_commit
def test_a_fetch_that_fails_leaves_the_answer_as_it_is(
    ada: Machine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    ada.init()
    monkeypatch.setattr("ctxrepo.app.desk.run_forking", lambda start: None)
    monkeypatch.setattr(serve, "fetch_soon", fail)
    host = Host(ada)
    server = serve.MemoryServer(host.desk(), ada.env)
    action = partial(
        server._perform_here, perform, ToolRequest(TOOLS["remember"], {"text": PORT}), host.call()
    )
    assert action().text.startswith("remembered: ")
    assert action().text.startswith("in memory already: ")
    (record,) = caplog.records
    assert record.getMessage().startswith("nothing is fetched: No space left on device.")
