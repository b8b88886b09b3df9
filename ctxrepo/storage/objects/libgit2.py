"""pygit2, loaded without two modules of the standard library that it imports for what we don't use.

For TLS it imports ssl and reads the certificates of the machine; we leave the network to git. For archives it
imports tarfile. While it is loaded, stand-ins with the few names that it asks for take their place. Another
version of pygit2 may ask for more: then it is loaded as ever (docs/adr/0058-pygit2-without-tls.md)."""

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING


def _stand_ins() -> dict[str, ModuleType]:
    """Module name -> stand-in. By this one libgit2 would trust no server at all."""
    no_certificates = SimpleNamespace(cafile=None, capath=os.devnull)
    ssl, tarfile = ModuleType("ssl"), ModuleType("tarfile")
    vars(ssl).update(DefaultVerifyPaths=SimpleNamespace, get_default_verify_paths=lambda: no_certificates)
    vars(tarfile).update(TarFile=object)
    return {"ssl": ssl, "tarfile": tarfile}


def _load() -> ModuleType:
    """pygit2, loaded beside the stand-ins unless it is loaded already, or as ever where that fails."""
    if "pygit2" in sys.modules:
        return sys.modules["pygit2"]
    stand_ins = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        return __import__("pygit2")
    except Exception:  # whatever another version of it says to the stand-ins
        for name in [name for name in sys.modules if name.partition(".")[0] == "pygit2"]:
            del sys.modules[name]
    finally:
        for name in stand_ins:
            del sys.modules[name]
    return __import__("pygit2")


if TYPE_CHECKING:
    import pygit2 as pygit2
    from pygit2 import enums as enums
else:
    pygit2 = _load()
    enums = pygit2.enums
