"""`python -m mcp_checks CHECK …`, with tests/ and tools/ on the path: what takes too long for tests.

conformance  the protocol's suite and the Inspector, in both eras; --npm FOLDER has them (make mcp-checks)
orphans      servers whose hosts are ended in every way: which are left, and after how long
kills        servers that are killed in the middle of their work: what they answered must be there
load         two hosts and a terminal at once on one memory: what is lost, and the server's memory
weight       a start, and what it holds, beside others, as multiples of a bare interpreter's start
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from mcp_checks import conformance, kills, load, orphans, weight

CHECKS = {"conformance": conformance, "orphans": orphans, "kills": kills, "load": load, "weight": weight}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mcp_checks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"{', '.join(CHECKS)}; all by default")
    parser.add_argument(
        "--npm", type=Path, default=Path(".mcp"), help="the folder with the packages from npm"
    )
    options = parser.parse_args()
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"no check is called {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    ended_well = True
    for name in options.checks or CHECKS:
        print(f"\n## {name}\n", flush=True)
        with tempfile.TemporaryDirectory(prefix="ctxrepo-mcp-") as folder:
            ended_well &= CHECKS[name].run(Path(folder), options.npm.absolute())
    return 0 if ended_well else 1


if __name__ == "__main__":
    sys.exit(main())
