"""`python -m live.pi_types`, with tests/ on the path: pi's extension of ours against pi's own types.

The types of what pi itself depends on are brought as far as the extension's events mention them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from live import install, pi
from live.install import CHECKOUT

FOLDER = CHECKOUT / "hooks" / "pi"
SOURCE = FOLDER / "ctxrepo.ts"

_PACKS = ("pi-coding-agent", "pi-agent-core", "pi-ai")
_COMPILER = ("typescript@5.9.3", "@types/node@22.20.5", "typebox@1.3.27")

_OPTIONS = {
    "strict": True,
    "noEmit": True,
    "noUnusedLocals": True,
    "noUnusedParameters": True,
    "noUncheckedIndexedAccess": True,
    "target": "es2023",
    "module": "nodenext",
    "allowImportingTsExtensions": True,
    "skipLibCheck": True,
    "types": ["node"],
}


def root() -> Path:
    """Where compiler and types are."""
    return install.root() / "pi-types"


def are_there(below: Path) -> bool:
    """Whether compiler and types are there, those of the pi that is played."""
    manifest = below / "node_modules" / "@earendil-works" / _PACKS[0] / "package.json"
    has_compiler = (below / "node_modules" / ".bin" / "tsc").exists()
    return (
        has_compiler
        and manifest.exists()
        and f'"version": "{pi.PACKAGE.version}"' in manifest.read_text("utf-8")
    )


def bring(below: Path) -> None:
    """Bring both from npm; SystemExit with what to do when they can't be had."""
    path = install.path_with_node(below.parent, pi.PACKAGE.node)
    if not install.npm(below, *_COMPILER, path=path):
        raise SystemExit(f"live: npm could not install {_COMPILER[0]}")
    scope = below / "node_modules" / "@earendil-works"
    for name in _PACKS:
        install.take_out(f"@earendil-works/{name}@{pi.PACKAGE.version}", scope, path=path)
        (scope / "package").rename(scope / name)


def complaints(below: Path, right: str = "", wrong: str = "") -> str:
    """What the compiler says of the extension, '' when it is content; with `wrong` in place of `right`."""
    with tempfile.TemporaryDirectory(dir=below) as folder:
        for file in (SOURCE, *sorted((FOLDER / "ctxrepo").glob("*.ts"))):
            copy = Path(folder) / file.relative_to(FOLDER)
            copy.parent.mkdir(exist_ok=True)
            text = file.read_text("utf-8")
            copy.write_text(text.replace(right, wrong) if right else text, "utf-8")
        (Path(folder) / "package.json").write_text('{"type": "module"}')
        config = {"compilerOptions": _OPTIONS, "files": [SOURCE.name]}
        (Path(folder) / "tsconfig.json").write_text(json.dumps(config))
        node = below.parent / "node" / "node_modules" / "node" / "bin"
        words = [str(below / "node_modules" / ".bin" / "tsc"), "-p", folder, "--pretty", "false"]
        env = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        run = subprocess.run(words, env=env, capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else ""


def main() -> int:
    below = root()
    if not are_there(below):
        bring(below)
    output = complaints(below)
    print(output or f"{SOURCE.relative_to(CHECKOUT)} agrees with the types of {pi.PACKAGE.wanted}")
    return 1 if output else 0


if __name__ == "__main__":
    sys.exit(main())
