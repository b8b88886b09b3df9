"""The helper's door: `python -m ctxrepo _warm --state DIR`, a process that knows meanings and is warm.

Heavy code is loaded once it is clear that nobody else is the helper; code is compared with what it was then.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from ctxrepo.hooks.known.world import World, compiled_world, stamp_of
from ctxrepo.hooks.own_files import LOG_BYTES, append_rolling
from ctxrepo.hooks.recall.ask_helper import FAILED
from ctxrepo.hooks.wakeup import HELPER_LOCK, take


def main(argv: list[str]) -> int:
    """Be the helper of the memory compiled under the state folder, unless there is one; ends quietly."""
    state = argv[argv.index("--state") + 1]
    world = compiled_world(state)
    if world is None or not world.is_semantic:
        return 0
    folder, lock = world.repo.state, -1
    try:
        lock = int(argv[argv.index("--lock") + 1]) if "--lock" in argv else take(f"{folder}/{HELPER_LOCK}")
        if lock < 0:
            return 0
        os.set_inheritable(lock, False)
        _be(world)
    except Exception as error:
        from ctxrepo.errors import in_words
        from ctxrepo.storage.disk.private import put

        _tell(folder, why := in_words(error))
        with suppress(OSError):  # prompts start no other one for a while
            put(Path(folder, FAILED), why.partition("\n")[0])
    finally:
        if lock >= 0:
            os.close(lock)
    return 0


def _be(world: World) -> None:
    """Answer until there is a reason to end."""
    before = code_stamp()  # taken before the code is read
    from ctxrepo.services.meaning.helper import Helper
    from ctxrepo.storage.processes.listener import Listener

    def is_same() -> bool:
        now = compiled_world(world.state)
        return now is not None and _of_helper(now) == _of_helper(world) and code_stamp() == before

    folder = Path(world.repo.state)
    helper = Helper(world, is_same, lambda why: _tell(world.repo.state, why))
    (folder / FAILED).unlink(missing_ok=True)
    listener = Listener(folder)
    try:
        helper.serve(listener)
    finally:
        helper.stop()
        listener.close()


def _of_helper(world: World) -> tuple[bool, str, str, str]:
    """What a helper starts with: once any of it has changed, the helper ends."""
    return (world.is_semantic, world.model, world.interpreter, world.repo.state)


def code_stamp() -> str:
    """A digest of the stamps of the files that this process was loaded from."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = [
        f"{room}/{name}" for room, _, names in os.walk(package) for name in names if name.endswith(".py")
    ]
    return ",".join(sorted(map(stamp_of, files)))


def _tell(folder: str, why: str) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    append_rolling(f"{folder}/work.log", f"{stamp} warm: {why.rstrip()}\n", LOG_BYTES)
