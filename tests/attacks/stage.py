"""A machine with a memory and a real remote, put back as it was before every attack."""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from attacks.canaries import FOREIGN, Canaries
from attacks.forks import LIMIT, Ended, Runner
from attacks.orders import Order, asked
from machines import make_machine, make_remote
from processes import processes_of
from servers.https import HttpsServer
from servers.line import ssh_client
from servers.ssh import SshServer

NOTES = {"global/topics/known.md": "- alpha\n- beta\n", "global/topics/gone.md": "- gamma\n"}


@dataclass(frozen=True)
class Setup:
    """How the remote is reached: its `address`, lines of the person's `.gitconfig`, words for `init`,
    and what `config.toml` says besides."""

    name: str
    address: str
    client: str = ""
    options: tuple[str, ...] = ()
    config: str = ""


def setups(root: Path, remote: Path, sshd: SshServer | None, nginx: HttpsServer | None) -> dict[str, Setup]:
    """All that this machine has servers for."""
    key = root / "signing"
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    kinds = [
        Setup("path", str(remote)),
        Setup("file", remote.as_uri()),
        Setup("review", remote.as_uri(), config='review = "branch"\n'),
    ]
    if sshd:
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
        signs = f"[user]\n\tsigningKey = {key}\n[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n"
        client = ssh_client(sshd.client)
        short = f'[url "{sshd.url(remote.parent)}/"]\n\tinsteadOf = shelf:\n'
        kinds += [
            Setup("ssh", sshd.url(remote), client),
            Setup("signed", sshd.url(remote), client + signs),
            Setup("short", f"shelf:{remote.name}", client + short),
        ]
    if nginx:
        kinds += [
            Setup("https", nginx.url(remote), nginx.client()),
            Setup("sparse", nginx.url(remote), nginx.client(), ("--sparse",)),
        ]
    return {setup.name: setup for setup in kinds}


class Stage:
    """`machine` is the attacked one; `restore` puts it and the remote back."""

    def __init__(self, root: Path, remote: Path, setup: Setup, canaries: Canaries, runner: Runner) -> None:
        self.root, self.remote, self.setup, self.canaries = root, remote, setup, canaries
        self._runner = runner
        self.machine = make_machine(root, f"ada-{setup.name}")
        self._saved = root / f"saved-{setup.name}"
        with (self.machine.home / ".gitconfig").open("a") as config:
            config.write(setup.client)
        if setup.config:
            self.machine.places.config_file.parent.mkdir(parents=True)
            self.machine.places.config_file.write_text(f"[[repository]]\n{setup.config}")
        for words in (
            ("init", *setup.options, setup.address), ("setup", "claude", "--yes"),
            ("remember", "written before the attack"), ("sync",),
        ):  # fmt: skip
            if words[0] == "setup":
                (self.machine.home / ".claude").mkdir()
            ended = self.run(words)
            assert ended.code == 0, ended.output
        self.asks_for_silence()
        self.state = self.machine.places.state
        self._save()

    def run(self, order: Order, **more: str) -> Ended:
        """Run a command of ours there; `more` are further variables."""
        fill = {
            "address": self.setup.address,
            "aside": str(self.aside),
            "state": str(self.machine.places.state),
        }
        words = tuple(word.format(**fill) if word.startswith("{") else word for word in order)
        edited = self.machine.clone / "global/topics/known.md"
        words, stdin = asked(words, self.machine.project_folder, edited)
        return self._runner.run(words, self.machine.project_folder, self.machine.env | more, stdin)

    @property
    def aside(self) -> Path:
        """A folder beside the clone for what an attacker keeps elsewhere."""
        return self.root / "aside"

    def asks_for_silence(self, within: float = LIMIT) -> list[str]:
        """Wait until nobody works for the machine; the command lines of who doesn't end, and is ended."""
        end = time.monotonic() + within
        while (left := processes_of(self.machine)) and time.monotonic() < end:
            time.sleep(0.05)
        for number in left:
            subprocess.run(["kill", "-9", str(number)], capture_output=True)
        return list(left.values())

    def restore(self) -> None:
        self.canaries.reset()
        shutil.rmtree(self.aside, ignore_errors=True)
        self.aside.mkdir()
        for place in (self.machine.home, self.remote):
            self._remove(place)
            shutil.copytree(self._saved / place.name, place, symlinks=True)

    def _remove(self, place: Path) -> None:
        """Also where a git that serves the remote, which nobody here started, is still writing."""
        end = time.monotonic() + LIMIT
        while place.exists():
            try:
                shutil.rmtree(place)
            except OSError:
                assert time.monotonic() < end, place
                time.sleep(0.1)

    def arrived(self, fact: str) -> bool:
        """Whether the remote has a fact, on the shared branch or another."""
        return bool(self._grep(fact))

    def foreign_notes(self) -> list[str]:
        """Where a foreign note has arrived."""
        notes = ["a foreign note is at the remote"] if self._grep(FOREIGN) else []
        files = [p for p in self.machine.clone.rglob("*") if ".git" not in p.parts and p.is_file()]
        return notes + [
            f"a foreign note is in {p.name}" for p in files if FOREIGN in p.read_text(errors="replace")
        ]

    def _grep(self, text: str) -> str:
        refs = ["git", "-C", str(self.remote), "for-each-ref", "--format=%(refname)"]
        names = subprocess.run(refs, capture_output=True, text=True, check=True).stdout.split()
        words = ["git", "-C", str(self.remote), "grep", "-hF", text, *names]
        return subprocess.run(words, capture_output=True, text=True).stdout

    def _save(self) -> None:
        for place in (self.machine.home, self.remote):
            shutil.copytree(place, self._saved / place.name, symlinks=True)


def make_memory(root: Path) -> Path:
    """A remote with some notes, which lets partial clones leave things there."""
    remote = make_remote(root)
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        subprocess.run(["git", "-C", str(remote), "config", key, "true"], check=True)
    first = make_machine(root, "first")
    first.init(str(remote))
    for path, text in NOTES.items():
        first.write(path, text)
    first.sync()
    return remote
