"""pygit2 is loaded without ssl and tarfile, and whoever wants these is given the real ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_WORKS = """
import os, sys
from ctxrepo.storage.objects.libgit2 import pygit2
pygit2.init_repository(sys.argv[1], bare=True)
made = pygit2.Repository(sys.argv[1]).create_blob(b"it works")
"""


def told(tmp_path: Path, before: str, after: str) -> str:
    """What a new process prints that uses pygit2 with `before` and `after` around it."""
    words = [sys.executable, "-c", before + _WORKS + after, str(tmp_path / "repo")]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def test_neither_ssl_nor_archives_are_loaded(tmp_path: Path) -> None:
    loaded = "print({'ssl', '_ssl', 'tarfile'} & set(sys.modules))"
    assert told(tmp_path, "", loaded) == "set()"


def test_whoever_imports_them_later_is_given_the_real_ones(tmp_path: Path) -> None:
    later = "import ssl, tarfile; print(ssl.create_default_context().verify_mode, tarfile.open.__name__)"
    assert told(tmp_path, "", later) == "2 open"


def test_one_that_is_loaded_already_stays(tmp_path: Path) -> None:
    kept = "print(sys.modules['ssl'] is ssl, pygit2.settings.ssl_cert_dir != os.devnull)"
    assert told(tmp_path, "import ssl", kept) == "True True"


def test_by_the_stand_in_libgit2_trusts_no_server(tmp_path: Path) -> None:
    assert told(tmp_path, "", "print(pygit2.settings.ssl_cert_file, pygit2.settings.ssl_cert_dir)") == (
        "None /dev/null"
    )


def test_a_version_that_asks_for_more_is_loaded_as_ever(tmp_path: Path) -> None:
    asks_for_more = """
import importlib.abc, sys
class Loader(importlib.abc.Loader):
    def exec_module(self, module):
        from ssl import SSLContext  # this pygit2 asks for it
        sys.meta_path.remove(FINDER)
        del sys.modules["pygit2"]
        vars(module).update(vars(__import__("pygit2")))
        sys.modules["pygit2"] = module
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "pygit2":
            return importlib.machinery.ModuleSpec(name, Loader())
FINDER = Finder()
sys.meta_path.insert(0, FINDER)
"""
    loaded = "print(made, FINDER in sys.meta_path, 'ssl' in sys.modules)"
    assert told(tmp_path, asks_for_more, loaded).split()[1:] == ["False", "True"]
