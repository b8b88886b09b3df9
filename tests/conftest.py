"""Every test has a home, a git identity and an environment of its own, and none of the machine's.

Servers that tests start are here too, one of each for all tests.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from _pytest.python import importtestmodule
from _pytest.tmpdir import tmppath_result_key
from copies import Copies
from hypothesis import settings
from long import STORIES, leave_most, takes_turns
from machines import Machine, make_machine, make_remote
from rubbish import Rubbish
from servers.https import HttpsServer, https_server
from servers.ssh import SshServer, ssh_server
from world import NOTES, World

from ctxrepo.lazy import make_all
from ctxrepo.storage.objects.libgit2 import enums, pygit2
from ctxrepo.storage.processes import apart

# A law holds on a busy machine too, so no example has a deadline. `make long` asks for the thorough profile.
settings.register_profile("quick", settings.default, deadline=None, max_examples=30)
settings.register_profile("thorough", settings.default, deadline=None, max_examples=1000)
settings.load_profile("quick")

NOBODY = 65534
"""The id of a user who owns nothing."""

# What a test may see of the machine it runs on.
_KEPT = ("PATH", "TMPDIR", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE", "COVERAGE_PROCESS_START")


MEMORY_DISK = Path("/dev/shm")
"""Where Linux keeps files in memory."""

ROOM = 4 << 30
"""More than the folders of all tests take at once, in bytes."""


def pytest_configure() -> None:
    """Run commands in the process of the tests, and put their folders into memory where there is room: on a
    disk, a third of the time goes to fsync.

    PYTEST_DEBUG_TEMPROOT, pytest's own variable, or --basetemp put them elsewhere.
    """
    Machine.is_in_pytest = True
    if os.access(MEMORY_DISK, os.W_OK) and shutil.disk_usage(MEMORY_DISK).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stories",
        action="store_true",
        help="run all tests of which a commit runs a part: the stories and the slow ones",
    )


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have each test process load a share of all modules before it collects them: in a fresh checkout their
    asserts have to be prepared, which takes five times as long as to load what another one has prepared."""
    worker, args = os.environ.get("PYTEST_XDIST_WORKER"), session.config.args
    if worker and [Path(arg).resolve() for arg in args] == [Path(__file__).parent]:
        modules = sorted(Path(__file__).parent.rglob("test_*.py"))
        for module in modules[int(worker[2:]) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
            with suppress(session.CollectError):  # it is told where the module is collected
                importtestmodule(module, session.config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark what this commit leaves out, before `-m "not long"` looks for it.

    The stories come first, so that no test process is left alone with a long file at the end.
    """
    if config.getoption("stories"):
        config.hook.pytest_deselected(items=[item for item in items if not takes_turns(item)])
        items[:] = [item for item in items if takes_turns(item)]
    else:
        leave_most(items)
    yield
    items.sort(key=lambda item: not item.nodeid.startswith(STORIES))


def pytest_collection_finish() -> None:
    """Make all classes, as whoever starts threads has to (lazy.py), and have the garbage collector leave
    alone what stands for thirteen thousand tests until they are over."""
    make_all()
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as processors: tests wait for workers, remotes and clocks a third of the time."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(scope="session")
def rubbish(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rubbish]:
    rubbish = Rubbish(tmp_path_factory.mktemp("rubbish"))
    yield rubbish
    rubbish.empty()


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest, rubbish: Rubbish) -> Iterator[Path]:
    """Pytest's own folder of a test. When the test has passed it goes where many are deleted at once: after
    what the test has patched is as it was, since `home` asks for this folder before anything patches."""
    yield tmp_path
    if request.node.stash[tmppath_result_key].get("call", True):
        rubbish.take(tmp_path)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh HOME with a git identity; everything ctxrepo keeps lies below it."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    for name in list(os.environ):
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    for name, value in {**kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}.items():
        monkeypatch.setenv(name, value)
    return home


_has_one_thread = apart.has_one_thread


@pytest.fixture(autouse=True)
def _forks_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test asks the helper process, as a server does. To fork a process that has collected all tests takes
    a tenth of a second with the pages that are copied afterwards, and pytest-xdist has threads."""
    monkeypatch.setattr(apart, "has_one_thread", lambda: False)


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test forks, as a command does: its questions may be functions of its own."""
    monkeypatch.setattr(apart, "has_one_thread", lambda: True)


@pytest.fixture
def threads_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether something is forked depends on the threads that there are."""
    monkeypatch.setattr(apart, "has_one_thread", _has_one_thread)


@pytest.fixture(scope="module")
def _copies(tmp_path_factory: pytest.TempPathFactory, rubbish: Rubbish) -> Iterator[Copies]:
    folder = tmp_path_factory.mktemp("copies")
    yield Copies(folder)
    rubbish.take(folder)


@pytest.fixture
def copies(_copies: Copies, tmp_path: Path) -> Iterator[Copies]:
    """Machines as a maker left them; `tmp_path` has them when the test is over."""
    yield _copies
    _copies.leave(tmp_path)


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    """A machine before `init`."""
    return make_machine(tmp_path, "ada")


@pytest.fixture
def ben(tmp_path: Path) -> Machine:
    """Another machine before `init`."""
    return make_machine(tmp_path, "ben")


@pytest.fixture
def pair(ada: Machine, ben: Machine, remote: Path) -> tuple[Machine, Machine]:
    """Two machines whose memories share a remote."""
    ada.init(str(remote))
    ben.init(str(remote))
    return ada, ben


@pytest.fixture
def commoner(tmp_path: Path) -> Iterator[Path]:
    """A folder of somebody who is not root, and for as long as the test takes only their rights."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp())  # below what pytest gives to root nobody else may look
    os.chown(folder, NOBODY, -1)
    os.setresuid(NOBODY, NOBODY, 0)  # the last one is the way back
    paths = pygit2.settings.search_path
    of_root = paths[enums.ConfigLevel.GLOBAL]  # which nobody else may look at
    paths[enums.ConfigLevel.GLOBAL] = str(folder)
    try:
        yield folder
    finally:
        os.setresuid(0, 0, 0)
        paths[enums.ConfigLevel.GLOBAL] = of_root
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with ssh_server(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture(scope="session")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpsServer]:
    with https_server(tmp_path_factory.mktemp("nginx"), tmp_path_factory.getbasetemp()) as server:
        yield server


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A memory as hooks see it, with the usual notes in its cache."""
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


@pytest.fixture
def known(ada: Machine) -> Machine:
    """A machine with something to deliver."""
    ada.init()
    ada.write("global/MEMORY.md", "# Me\n\n- Answer in Dutch\n")
    ada.sync()
    return ada
