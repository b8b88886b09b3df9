"""What a person's own git does in a poisoned clone: by it one sees that the poison is one."""

from __future__ import annotations

import subprocess

from attacks.stage import Stage

COMMANDS = """
status
fetch {address}
push {address} HEAD:refs/heads/main
push origin HEAD:refs/heads/new
ls-remote {address}
add -A
commit -qm x --allow-empty
diff HEAD~1
diff --no-ext-diff HEAD~1
log -p -1 --show-signature
commit-tree -S HEAD^{{tree}} -m x
archive --format=x HEAD
interpret-trailers --trailer x=1
checkout -f HEAD~1
checkout -f main
difftool -y HEAD~1
mergetool -y
gc --auto
rebase -i HEAD~1
commit --amend
web--browse x
""".strip().splitlines()


def bites(stage: Stage) -> list[str]:
    """Which canaries are touched when a person works in the clone as it is."""
    for command in COMMANDS:
        words = ["git", *command.format(address=stage.setup.address).split()]
        process = subprocess.Popen(
            words,
            cwd=stage.machine.clone,
            env=stage.machine.env | {"GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    stage.asks_for_silence(0)
    return stage.canaries.touched()
