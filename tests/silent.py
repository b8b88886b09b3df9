"""A disk that takes every question and answers none, as a network disk does whose server is gone.

Linux lets a program be a file system (FUSE). This one says that it is there, and nothing any more.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from checkout import PYTHONPATH
from needs import unless
from torture.mounts import why_no_mount

_DEVICE = "/dev/fuse"
_HEADER = struct.Struct("<IIQQ")
_ROOM = 1 << 17


@contextmanager
def silent_disk(folder: Path, *, takes: bool = True) -> Iterator[Path]:
    """Mounted at `folder`; whoever waits for it goes on with an error when this is left.

    What it `takes` and never answers is waited for whatever happens, as Linux has it; otherwise the questions
    lie before it, and who asked can be ended.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, __file__, str(folder)]
    env = {**os.environ, "PYTHONPATH": PYTHONPATH}
    server = subprocess.Popen(words, stdout=subprocess.PIPE, env=env)
    assert server.stdout
    try:
        assert server.stdout.readline() == b"mounted\n"
        if not takes:
            server.send_signal(signal.SIGSTOP)
        yield folder
    finally:
        server.kill()  # all who hang in a question of theirs are told that the disk is gone
        server.communicate()
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _serve(folder: str) -> None:
    device = os.open(_DEVICE, os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"silent", folder.encode(), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    number = _HEADER.unpack_from(os.read(device, _ROOM))[2]
    answer = struct.pack("<IIII", 7, 31, 65536, 0).ljust(64, b"\0")
    os.write(device, struct.pack("<IiQ", 16 + len(answer), 0, number) + answer)
    print("mounted", flush=True)
    while True:
        os.read(device, _ROOM)


needs_silent_disk = unless(
    why_no_mount()
    or ("" if os.path.exists(_DEVICE) else "it is a file system of its own, and there is no /dev/fuse here")
)

if __name__ == "__main__":
    _serve(sys.argv[1])
