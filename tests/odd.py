"""Makers of what may stand where a file or folder is expected, each in a place that is free."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def pipe(place: Path) -> None:
    """Who opens it to read waits for ever."""
    os.mkfifo(place)


def bound_socket(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # a socket's path may not be long
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(place.name)
    finally:
        os.chdir(here)


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def huge(place: Path) -> None:
    """20 GiB, of which the disk holds nothing."""
    with place.open("wb") as file:
        file.truncate(20 * 2**30)


def loop(place: Path) -> None:
    place.symlink_to(place.name)


def terminal(place: Path) -> None:
    place.symlink_to("/dev/tty")


def link_to_nothing(place: Path) -> None:
    place.symlink_to("nowhere")


def folder(place: Path) -> None:
    place.mkdir()


def garbage(place: Path) -> None:
    place.write_bytes(b"\xff\0garbage")
