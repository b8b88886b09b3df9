"""A proxy between client and server that does what bad networks do, and stops doing it when told to."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

Kind = Literal["none", "refuse", "reset", "hang", "garbage", "cut", "flap", "delay", "slow"]

_CHUNK = 16 * 1024


@dataclass(frozen=True)
class Fault:
    """What is wrong with the network.

    `refuse` nobody listens, `reset` each call is dropped, `hang` it is taken and nothing said, `garbage` a
    line of nonsense is said, `cut` the connection breaks after `amount` bytes, `flap` each chunk breaks it
    with the probability `amount`, `delay` each chunk is `amount` seconds late, `slow` lets `amount` bytes
    through in a second.
    """

    kind: Kind = "none"
    amount: float = 0


class Proxy:
    """Listens on `port`, the same whatever happens; counts `connections` and those it broke."""

    def __init__(self, target: int, seed: int) -> None:
        self.port = 0
        self.connections = 0
        self.broken = 0
        self._target = target
        self._chance = random.Random(seed)
        self._fault = Fault()
        self._changed = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._refusing: socket.socket | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def suffer(self, kind: Kind, amount: float = 0) -> None:
        """From now on, for calls that are under way too."""
        self._do(self._change(Fault(kind, amount)))

    def heal(self) -> None:
        self.suffer("none")

    def start(self) -> None:
        self._thread.start()
        self._do(self._listen())

    def stop(self) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _do(self, work: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _change(self, fault: Fault) -> None:
        self._fault = fault
        self._changed.set()  # whoever hangs is let go
        self._changed = asyncio.Event()
        if fault.kind == "refuse":
            await self._end()
            # The port stays ours: a socket that is bound and doesn't listen refuses.
            self._refusing = _bound(self.port)
        elif self._server is None:
            await self._listen()

    async def _listen(self) -> None:
        if self._refusing:
            self._refusing.close()
            self._refusing = None
        self._server = await asyncio.start_server(self._take, sock=_bound(self.port))
        self.port = self._server.sockets[0].getsockname()[1]

    async def _end(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        if self._refusing:
            self._refusing.close()
            self._refusing = None
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            _reset(writer)
        finally:
            self._calls.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match self._fault.kind:
            case "reset":
                self._break()
            case "hang":
                await self._hang()
            case "garbage":
                writer.write(b"\xff\xfe220 this is no git \xe9\r\n" * 20)
                await writer.drain()
                await reader.read(_CHUNK)
            case _:
                await self._forward(reader, writer)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._target)
        passed = [0]
        both = [
            asyncio.ensure_future(self._pump(reader, there_writer, passed)),
            asyncio.ensure_future(self._pump(there_reader, writer, passed)),
        ]
        try:
            await asyncio.gather(*both)
        finally:
            for pump in both:
                pump.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            there_writer.close()

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, passed: list[int]
    ) -> None:
        """The bytes of one direction; `passed` counts those of both."""
        while chunk := await source.read(_CHUNK):
            match self._fault:
                case Fault("cut", limit) if passed[0] + len(chunk) > limit:
                    sink.write(chunk[: max(0, int(limit) - passed[0])])
                    await sink.drain()
                    self._break()
                case Fault("flap", probability) if self._chance.random() < probability:
                    self._break()
                case Fault("hang"):
                    await self._hang()
                case Fault("delay", seconds):
                    await asyncio.sleep(seconds)
                case Fault("slow", speed):
                    for start in range(0, len(chunk), 512):
                        await asyncio.sleep(512 / speed)
                        sink.write(chunk[start : start + 512])
                        await sink.drain()
                    chunk = b""
                case _:
                    pass
            passed[0] += len(chunk)
            sink.write(chunk)
            await sink.drain()
        with suppress(OSError):
            sink.write_eof()

    async def _hang(self) -> None:
        await self._changed.wait()
        raise ConnectionResetError

    def _break(self) -> None:
        self.broken += 1
        raise ConnectionResetError


@contextmanager
def proxy(target: int, seed: int = 0) -> Iterator[Proxy]:
    """A proxy to a port of this machine; its thread and calls are ended at the end."""
    proxy = Proxy(target, seed)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()


def _bound(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    return listener


def _reset(writer: asyncio.StreamWriter) -> None:
    """End the connection the hard way, as a router that lost its memory does."""
    connection = writer.get_extra_info("socket")
    if connection is not None:
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
