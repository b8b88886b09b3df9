"""The switch: hooks, worker, helper, MCP, git and shells go to their doors, all else to the command line."""

import os
import sys

TYPE_CHECKING = False  # `typing` costs as much as Python's start, and Tab runs at every key
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from typing import NoReturn

_GC_THRESHOLD = 50_000
"""New objects after which garbage is collected; most commands make fewer, and imports are never garbage."""

_CLEAN_EXITS = ("hook", "_work", "_warm", "_merge")
"""What ends by sys.exit, with Python's own cleanup; commands and completion can't wait for that."""


def main() -> int:
    """Run the command in sys.argv; returns its exit code."""
    words = sys.argv[1:]
    os.umask(os.umask(0o077) & 0o077)  # a umask must not deny users the files that are made for them
    # Imports stand in the branches: the command line costs several times what a hook may.
    from ctxrepo.hooks.loading import find_quickly

    find_quickly()
    if words[:1] == ["hook"] and len(words) == 3:
        from ctxrepo.errors import ConfigError
        from ctxrepo.faces.hook import main as hook
        from ctxrepo.storage.user.places import Places

        try:
            return hook([*words[1:], str(Places.of(os.environ).state)])
        except ConfigError:  # a state folder that can't be one: an agent's work doesn't stop for that
            return 0
    if words[:1] == ["_work"]:
        from ctxrepo.faces.worker import main as work

        return work(words[1:])
    if words[:1] == ["_warm"]:
        from ctxrepo.faces.meaning_server import main as warm

        return warm(words[1:])
    if words[:1] == ["_answer"]:
        from ctxrepo.storage.processes.apart import serve

        return serve()
    if words[:1] == ["_merge"] and len(words) == 5:
        from ctxrepo.faces.merge_driver import main as merge

        return merge(words[1:])
    if words == ["mcp"]:
        from ctxrepo.faces.mcp.launch import main as serve_host

        return serve_host()
    if words[:1] == ["_complete"]:
        from ctxrepo.faces.cli.completion.door import main as complete

        return complete(words[1:])
    from ctxrepo.faces.cli import pipe, table

    pipe.open_closed()
    if table.with_own_names(words) == ["--version"]:
        from ctxrepo import __version__

        pipe.verbatim(f"ctxrepo {__version__}\n".encode())
        return pipe.finish(0)
    import gc

    gc.set_threshold(_GC_THRESHOLD)
    put_off_inspect()
    from ctxrepo.faces.cli.app import main as cli

    return cli(words)


class _InspectFinder:
    """Finds `inspect`, to be loaded when something of it is first used; an item of `sys.meta_path`."""

    @staticmethod
    def find_spec(name: str, path: "Sequence[str] | None", _: object = None) -> "ModuleSpec | None":
        if name != "inspect":
            return None
        from importlib.machinery import PathFinder
        from importlib.util import LazyLoader

        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def put_off_inspect() -> None:
    """Have `inspect` loaded at its first use, if nothing has imported `dataclasses` yet, which imports it
    and, with Python 3.11, mostly doesn't use it (ADR 46)."""
    sys.meta_path.insert(0, _InspectFinder)


def run() -> "NoReturn":
    """Run the command in sys.argv and end the process with its exit code; a command without Python's own
    cleanup, which takes as long as starting Python twice. All files and connections are closed by then."""
    try:
        code = main()
    except KeyboardInterrupt:  # while modules are loaded; later the command itself ends in order
        from ctxrepo.errors import INTERRUPTED

        code = INTERRUPTED
    if sys.argv[1:2] and sys.argv[1] in _CLEAN_EXITS:
        sys.exit(code)
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
