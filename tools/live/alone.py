"""A network of one's own: this program again, in a namespace that has nothing but loopback."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_INSIDE = "CTXREPO_LIVE_INSIDE"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def go_inside(words: Sequence[str]) -> bool:
    """Run `python WORDS` in this place, in a network with only loopback; whether this is so.

    Where namespaces can't be made it says so aloud, and returns in the machine's network.
    """
    if _INSIDE in os.environ:
        _raise_loopback()
        return True
    for how in (["-n"], ["-rn"]):
        if (
            shutil.which("unshare")
            and subprocess.run(["unshare", *how, "true"], capture_output=True).returncode == 0
        ):
            os.execvpe("unshare", ["unshare", *how, sys.executable, *words], {**os.environ, _INSIDE: "1"})
    print("live: no network namespace can be made here: agents could reach the network, if they tried")
    return False


def company(root: Path) -> list[str]:
    """Command lines of the processes that a run with this root folder has going, but for this one and its
    helper process (ADR 64), which waits for the next question.

    In a network of our own they are all that are in it, whatever they call themselves; elsewhere those
    that name the folder.
    """
    if _INSIDE in os.environ:
        here = os.readlink("/proc/self/ns/net")
        others = [pid for pid in _processes() if pid != os.getpid() and _network(pid) == here]
        return [words for pid in others if not _is_own_helper(pid, words := _words(pid))]
    listed = subprocess.run(["ps", "-axo", "pid=,args="], capture_output=True, text=True).stdout
    return [
        line
        for line in listed.splitlines()
        if str(root) in line and not line.strip().startswith(f"{os.getpid()} ")
    ]


def _raise_loopback() -> None:
    """A new namespace has its loopback down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0) + bytes(22)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request)[:18])[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | _IFF_UP) + bytes(22))


def _processes() -> list[int]:
    return [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]


def _network(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def _is_own_helper(pid: int, words: str) -> bool:
    try:
        _, _, fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return False
    return words.endswith(" ctxrepo _answer") and int(fields.split()[1]) == os.getpid()


def _words(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        )
    except OSError:
        return "one that is gone by now"
