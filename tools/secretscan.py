"""How much of what is no secret is flagged: `.venv/bin/python tools/secretscan.py [--ext .md,.txt] PATH…`.

Prints each rule's flagged lines, and flagged lines in a thousand. With --show the places, never the text.
`--tree` takes the files that git knows below a path.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ctxrepo.domain.guard.refusals import MAX_BYTES
from ctxrepo.domain.secrets import scan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--ext", default="", help="endings of names, with commas between them")
    parser.add_argument("--tree", action="store_true", help="only files that git knows")
    parser.add_argument("--show", action="store_true", help="the places of what was found")
    options = parser.parse_args()
    flagged: Counter[str] = Counter()
    lines = size = 0
    places: set[tuple[Path, int]] = set()
    start = time.process_time()
    for file in _files(options.paths, tuple(options.ext.split(",")) if options.ext else ("",), options.tree):
        data = file.read_bytes()[:MAX_BYTES]
        if b"\0" in data:
            continue
        text = data.decode("utf-8", "replace")
        lines += text.count("\n")
        size += len(data)
        for secret in scan(text):
            places.add((file, secret.line))
            flagged[secret.rule] += 1
            if options.show:
                print(f"{file}:{secret.line}: {secret.rule}")
    spent = time.process_time() - start
    for rule, count in flagged.most_common():
        print(f"{count:6}  {rule}")
    print(
        f"{len(places)} of {lines} lines, {1000 * len(places) / max(1, lines):.3f} in 1,000;"
        f" {size / 1e6 / spent:.1f} MB/s"
    )


def _files(paths: list[Path], endings: tuple[str, ...], is_tree: bool) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        elif is_tree:
            listed = subprocess.run(
                ["git", "ls-files", "-z"], cwd=path, capture_output=True, check=True
            ).stdout
            yield from (
                path / name.decode()
                for name in listed.split(b"\0")
                if name and (path / name.decode()).is_file()
            )
        else:
            yield from sorted(f for f in path.rglob("*") if f.is_file() and f.name.lower().endswith(endings))


if __name__ == "__main__":
    main()
