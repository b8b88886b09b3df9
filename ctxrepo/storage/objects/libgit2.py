"""pygit2, loaded without two modules of the standard library that it imports for what we don't use.

For TLS it imports ssl and reads the certificates of the machine; we leave the network to git. For archives it
imports tarfile. While it is loaded, stand-ins with the few names that it asks for take their place. Another
version of pygit2 may ask for more: then it is loaded as ever (docs/adr/0058-pygit2-without-tls.md).
"""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace


def _stand_ins() -> dict[str, ModuleType]:
    """Module name -> stand-in. By this one libgit2 would trust no server at all."""
    no_certificates = SimpleNamespace(cafile=None, capath=os.devnull)
    ssl, tarfile = ModuleType("ssl"), ModuleType("tarfile")
    vars(ssl).update(DefaultVerifyPaths=SimpleNamespace, get_default_verify_paths=lambda: no_certificates)
    vars(tarfile).update(TarFile=object)
    return {"ssl": ssl, "tarfile": tarfile}


def load() -> None:
    """Load pygit2 beside the stand-ins, unless it is loaded already. Where that fails nothing of it stays, so
    that the next import loads it as ever."""
    if "pygit2" in sys.modules:
        return
    stand_ins = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        import pygit2  # noqa: F401 - it is loaded, and used by all who import it from now on
    except Exception:  # whatever another version of it says to the stand-ins
        for name in [name for name in sys.modules if name.partition(".")[0] == "pygit2"]:
            del sys.modules[name]
    finally:
        for name in stand_ins:
            del sys.modules[name]


load()
import pygit2 as pygit2  # noqa: E402 - after `load`
from pygit2.enums import FileMode as FileMode  # noqa: E402
from pygit2.enums import ObjectType as ObjectType  # noqa: E402
from pygit2.enums import Option as Option  # noqa: E402
from pygit2.enums import RepositoryOpenFlag as RepositoryOpenFlag  # noqa: E402
from pygit2.enums import SortMode as SortMode  # noqa: E402
