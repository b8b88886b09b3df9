"""What a code project's own git configuration names is not run when ctxrepo looks at the project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ctxrepo.errors import GitFailed
from ctxrepo.storage.user.code import describe_checkout, first_commit, tracking

pytestmark = pytest.mark.each_commit

KEYS = (
    "core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.askPass", "core.pager", "core.editor",
    "core.alternateRefsCommand", "core.hooksPath", "credential.helper", "diff.external", "gpg.program",
    "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "merge.x.driver",
    "remote.origin.uploadpack", "remote.origin.vcs", "uploadpack.packObjectsHook", "pager.config",
    "pager.ls-files", "alias.config", "alias.rev-parse", "alias.ls-files", "trace2.eventTarget",
    "sequence.editor", "browser.x.cmd", "init.templateDir", "gc.recentObjectsHook",
)  # fmt: skip


def test_nothing_is_run_and_nothing_is_fetched(tmp_path: Path) -> None:
    mark, program, top = tmp_path / "sprung", tmp_path / "program", tmp_path / "shop"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    program.chmod(0o755)

    def git(*words: str) -> str:
        run = subprocess.run(["git", *words], cwd=top, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    top.mkdir()
    git("init", "-q")
    (top / "a.py").write_text("x\n")
    (top / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    git("commit", "-q", "--allow-empty", "-m", "y")
    first = git("rev-parse", "HEAD^")
    file = top / ".git/config"
    more = (("remote.origin.url", f"ext::{program}"), ("protocol.ext.allow", "always"))
    for key, value in (*((key, str(program)) for key in KEYS), *more, ("remote.origin.promisor", "true")):
        subprocess.run(["git", "config", "--file", str(file), key, value], check=True, cwd=tmp_path)
    for name in ("pre-commit", "post-index-change", "reference-transaction"):
        (top / ".git/hooks").mkdir(exist_ok=True)
        (top / ".git/hooks" / name).symlink_to(program)
    (top / ".git/objects" / first[:2] / first[2:]).unlink()  # only to be had from the remote
    os.utime(top / "a.py", (0, 0))
    env = dict(os.environ)
    checkout = describe_checkout(top, env, "share")
    assert checkout
    assert checkout.remotes == {"origin": f"ext::{program}"}
    with pytest.raises(GitFailed, match="Could not read"):
        first_commit(top, env)
    assert tracking(top / "a.py", env) == "tracked"
    assert tracking(top / "new.py", env) == "seen"
    assert not mark.exists()
