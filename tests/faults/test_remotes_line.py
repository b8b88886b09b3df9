"""Bad lines: whatever happens between machine and remote, a sync ends soon, says one line, and heals."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from machines import Machine
from servers.expect import agree, failed, logged
from servers.https import HttpsServer, needs_https
from servers.line import Line, line_to, machine_at
from servers.proxy import Kind

from ctxrepo.domain.git.remote import Outcome

BAD: list[tuple[Kind, int, Outcome]] = [
    ("refuse", 0, "offline"),
    ("reset", 0, "cut"),
    ("garbage", 0, "cut"),
    ("hang", 0, "timeout"),
    ("cut", 0, "cut"),
    ("cut", 300, "cut"),
    ("cut", 3_000, "cut"),
    ("cut", 30_000, "cut"),
]


def test_bad_lines_cost_nothing_but_time(machines: tuple[Machine, Machine], line: Line) -> None:
    """Over https those that are cut and the silence, over ssh the others."""
    ada, ben = machines
    bad = BAD[3:] if line.url.startswith("https") else BAD[:4]
    ada.write("global/topics/long.md", "".join(f"- {os.urandom(40).hex()}\n" for _ in range(1500)))
    for number, (kind, amount, outcome) in enumerate(bad):
        ada.write(f"global/topics/line-{number}.md", f"- written while the line suffered {kind}\n")
        line.proxy.suffer(kind, amount)
        began = time.monotonic()
        failed(ada.ctxrepo("sync"), outcome)
        assert time.monotonic() - began < 20, kind
        assert kind in ada.git("show", f"HEAD:global/topics/line-{number}.md")
    assert f"{len(bad)} to send" in ada.ctxrepo("status").stdout
    line.proxy.heal()
    agree(ada, ben)
    for number, (kind, _, _) in enumerate(bad):
        assert kind in ben.read(f"global/topics/line-{number}.md")


@needs_https
def test_pull_and_push_fail_alike(nginx: HttpsServer, remote: Path, tmp_path: Path) -> None:
    with line_to(nginx, remote) as line:
        ada = machine_at(tmp_path, "ada", line.client)
        ada.init(line.url)
        line.proxy.suffer("refuse")
        failed(ada.ctxrepo("pull"), "offline")
        failed(ada.ctxrepo("push"), "offline")
        assert ada.json("sync")["data"]["remote"] == "offline"


@needs_https
def test_out_of_the_box_a_hung_remote_is_given_up_within_ten_seconds(
    nginx: HttpsServer, remote: Path, tmp_path: Path
) -> None:
    with line_to(nginx, remote) as line:
        ada = machine_at(tmp_path, "ada", line.client, sync="")
        ada.init(line.url)
        line.proxy.suffer("hang")
        began = time.monotonic()
        failed(ada.ctxrepo("sync"), "timeout")
        took = time.monotonic() - began
        line.proxy.suffer("refuse")
        began = time.monotonic()
        failed(ada.ctxrepo("sync"), "offline")  # what a sync costs that waits for nobody
        assert 8 < took < 12 + time.monotonic() - began


@needs_https
def test_a_session_starts_at_once_and_in_silence_while_the_remote_hangs(
    nginx: HttpsServer, remote: Path, tmp_path: Path
) -> None:
    with line_to(nginx, remote) as line:
        ada = machine_at(tmp_path, "ada", line.client, sync="timeout = 8")
        ada.init(line.url)
        ada.remember("redis listens on port 6380", category="gotcha")
        ada.sync()
        ada.open().state.fetched.unlink()  # so that this session wants news
        line.proxy.suffer("hang")
        payload = {"session_id": "s-1", "cwd": str(ada.project_folder), "source": "startup"}
        began = time.monotonic()
        run = ada.process("hook", "claude", "SessionStart", stdin=json.dumps(payload))
        assert time.monotonic() - began < 8
        assert (run.returncode, run.stderr) == (0, "")
        given = json.loads(run.stdout)["hookSpecificOutput"]["additionalContext"]
        assert "shop/topics/gotcha.md" in given
        assert logged(ada, "remote timeout")


@needs_https
def test_a_slow_line_carries_more_than_the_silence_allows(
    nginx: HttpsServer, remote: Path, tmp_path: Path
) -> None:
    with line_to(nginx, remote) as line:
        # A busy machine is silent for seconds, too; what is tried here is the line, so the limit is far off.
        ada, ben = (machine_at(tmp_path, name, line.client, sync="timeout = 10") for name in ("ada", "ben"))
        ada.init(line.url)
        ada.write("global/topics/long.md", "".join(f"- {os.urandom(40).hex()}\n" for _ in range(3000)))
        ada.sync()
        line.proxy.suffer("slow", 12_000)
        began = time.monotonic()
        ben.init(line.url)
        assert time.monotonic() - began > 10
        assert ben.tree() == ada.tree()


@needs_https
def test_one_exchange_serves_all_that_was_written_meanwhile(
    nginx: HttpsServer, remote: Path, tmp_path: Path
) -> None:
    with line_to(nginx, remote) as line:
        ada = machine_at(tmp_path, "ada", line.client)
        ada.init(line.url)
        line.proxy.suffer("delay", 0.2)
        before = line.proxy.connections
        began = time.monotonic()
        for number in range(8):
            ada.remember(f"fact {number} is so")
        assert line.proxy.connections == before, "a writer waits for no remote"
        run = ada.ctxrepo("sync")
        assert (run.returncode, run.stdout) == (0, "received 0, sent 1 commit\n"), run.stderr
        assert line.proxy.connections - before < 6
        assert time.monotonic() - began < 30
