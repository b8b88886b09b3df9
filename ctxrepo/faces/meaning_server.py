"""The helper's door: `python -m ctxrepo _warm --state DIR`, a process that knows meanings and is warm.

Heavy code is loaded once it is clear that nobody else is the helper; code is compared with what it was then.
"""

from __future__ import annotations

import _sqlite3
import os
import time
from contextlib import suppress
from pathlib import Path

from ctxrepo.hooks.files.daemon import WARM_LOCK, take
from ctxrepo.hooks.files.logs import LOG_BYTES, append_rolling
from ctxrepo.hooks.known.compiled import open_hooks, settings_of, stamp_of
from ctxrepo.hooks.recall.semantic import FAILED


def main(argv: list[str]) -> int:
    """Be the helper of the memory compiled under the state folder, unless there is one; ends quietly."""
    state = argv[argv.index("--state") + 1]
    settings = _settings_now(state)
    if settings is None or settings.get("semantic") != "on":
        return 0
    folder, lock = settings["folder"], -1
    try:
        lock = int(argv[argv.index("--lock") + 1]) if "--lock" in argv else take(f"{folder}/{WARM_LOCK}")
        if lock < 0:
            return 0
        os.set_inheritable(lock, False)
        _be(settings)
    except Exception as error:
        from ctxrepo.errors import in_words

        _fail(folder, in_words(error))
    finally:
        if lock >= 0:
            os.close(lock)
    return 0


def _settings_now(state: str) -> dict[str, str] | None:
    """The settings as they are compiled now; None where they can't be read."""
    try:
        db = open_hooks(state)
        if db is None:
            return None
        try:
            return settings_of(db, state)
        finally:
            db.close()
    except _sqlite3.Error:
        return None


def _be(settings: dict[str, str]) -> None:
    """Answer until there is a reason to end."""
    before = code_stamp()  # taken before the code is read
    from ctxrepo.services.meaning.helper import Helper
    from ctxrepo.storage.processes.listener import Listener

    folder = Path(settings["folder"])
    helper = Helper(settings, lambda: _is_same(settings, before), lambda why: _tell(settings["folder"], why))
    (folder / FAILED).unlink(missing_ok=True)
    listener = Listener(folder)
    try:
        helper.serve(listener)
    finally:
        helper.stop()
        listener.close()


def _is_same(settings: dict[str, str], code: str) -> bool:
    now = _settings_now(settings["state"]) or {}
    kept = ("semantic", "model", "interpreter", "folder")
    return all(now.get(key) == settings[key] for key in kept) and code_stamp() == code


def code_stamp() -> str:
    """Of the files that this process has been read from."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = [
        f"{room}/{name}" for room, _, names in os.walk(package) for name in names if name.endswith(".py")
    ]
    return ",".join(sorted(map(stamp_of, files)))


def _fail(folder: str, why: str) -> None:
    """Have it known, so that prompts start no other one for a while."""
    _tell(folder, why)
    from ctxrepo.storage.disk.private import put

    with suppress(OSError):
        put(Path(folder, FAILED), why.partition("\n")[0])


def _tell(folder: str, why: str) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    append_rolling(f"{folder}/work.log", f"{stamp} warm: {why.rstrip()}\n", LOG_BYTES)
