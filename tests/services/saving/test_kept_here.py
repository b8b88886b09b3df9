"""What git's own files say of a note holds for us, too: it is ignored, or another form of it is stored."""

from __future__ import annotations

import json
import subprocess

import pytest
from machines import NOW, Machine

from ctxrepo.services.rescue.cache_repair import verify
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.committed import committed_already

ROT = "tr a-zA-Z n-za-mN-ZA-M"
NOTE = "shop/private/pay.md"
Pair = tuple[Machine, Machine]


@pytest.fixture
def mine(pair: Pair) -> Machine:
    pair[0].remember("first fact")
    pair[0].sync()
    return pair[0]


def on_remote(machine: Machine) -> str:
    """All that the remote's branch ever held."""
    remote = machine.git("remote", "get-url", "origin")
    log = ["git", "--git-dir", remote, "log", "-p", "--text", "main"]
    return subprocess.run(log, capture_output=True, text=True, check=True).stdout


def encrypt(machine: Machine, line: str = "*.md filter=crypt diff=crypt") -> None:
    """The person has notes encrypted from now on, and their git knows how."""
    for way in ("clean", "smudge"):
        machine.git("config", "--global", f"filter.crypt.{way}", ROT)
    machine.git("config", "--global", "filter.crypt.required", "true")
    machine.write(".gitattributes", machine.read(".gitattributes") + f"{line}\n")
    machine.git("commit", "-qam", "encrypt notes")


CONVERSIONS = {
    ".gitattributes": "*.md filter=lfs diff=lfs merge=lfs -text",
    "shop/.gitattributes": "* filter=git-crypt diff=git-crypt",
    ".git/info/attributes": "/shop/** working-tree-encoding=UTF-16LE",
    "../.config/git/attributes": "MEMORY.md filter=age",
}


@pytest.mark.parametrize("place", CONVERSIONS)
def test_what_git_stores_in_another_form_is_neither_committed_nor_sent(mine: Machine, place: str) -> None:
    mine.write(place, CONVERSIONS[place] + "\n")
    mine.sync()
    run = mine.ctxrepo("remember", "second fact")
    assert "shop/MEMORY.md held back: git stores it in another form" in run.stderr
    mine.ctxrepo("remember", "goes on", "--scope", "global", "--note", "other.txt.d/a.md")
    synced = mine.ctxrepo("sync")
    assert synced.returncode == 6
    assert "another form" in synced.stderr
    assert "second fact" not in on_remote(mine)
    assert "second fact" in mine.read("shop/MEMORY.md")
    (fault,) = (f for f in mine.json("status")["data"]["faults"] if "another form" in f)
    assert "`git commit`" in fault
    assert fault in mine.ctxrepo("doctor").stdout
    assert not mine.open().journal.names()


def test_one_named_in_the_users_or_the_clones_configuration_is_heard_as_well(mine: Machine) -> None:
    (mine.home / "attributes").write_text("shop/* filter=crypt\n")
    mine.git("config", "--global", "core.attributesFile", "~/attributes")
    mine.remember("by the user")
    assert [held.path for held in mine.sync().held] == ["shop/MEMORY.md"]
    mine.git("config", "--global", "--unset", "core.attributesFile")
    assert mine.sync().held == ()
    mine.git("config", "core.attributesFile", str(mine.home / "attributes"))
    mine.remember("by the clone")
    assert [held.path for held in mine.sync().held] == ["shop/MEMORY.md"]


def test_line_ends_are_left_to_git_where_it_would_change_them(mine: Machine) -> None:
    mine.write(".gitattributes", "* text=auto\n*.txt.md -text\nlater.md crlf eol=crlf\n")
    for name in ("unix.md", "dos.md", "as-it-is.txt.md", "later.md"):
        end = b"\n" if name == "unix.md" else b"\r\n"
        (mine.clone / "shop" / name).write_bytes(b"- a fact of " + name.encode() + end)
    assert sorted(held.path for held in mine.sync().held) == ["shop/dos.md", "shop/later.md"]
    sent = on_remote(mine)
    assert "a fact of unix" in sent
    assert "a fact of as-it-is" in sent
    assert "a fact of dos" not in sent


@pytest.mark.parametrize(
    "line", ["* -text", "*.md merge=ctxrepo", "*.md binary", "*.md diff=markdown", "# *.md filter=x"]
)
def test_attributes_that_change_no_byte_change_nothing(mine: Machine, line: str) -> None:
    mine.write(".gitattributes", f"{line}\n")
    mine.remember("as ever")
    assert mine.sync().held == ()
    assert "as ever" in on_remote(mine)


def test_an_encrypted_note_stays_readable_where_it_is_and_its_own_commit_is_sent(mine: Machine) -> None:
    encrypt(mine)
    mine.ctxrepo("remember", "second fact")
    assert "second fact" in mine.ctxrepo("search", "second").stdout
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md") + "- third by hand\n")
    mine.git("commit", "-qam", "by hand")
    mine.sync()
    sent = on_remote(mine)
    assert "frpbaq snpg" in sent
    assert "second fact" not in sent
    assert mine.read("shop/MEMORY.md").count("\n- ") == 3
    assert "frpbaq" not in mine.ctxrepo("search", "f", "--regex").stdout
    assert "third by hand" in mine.ctxrepo("recall", "what was done by hand third").stdout
    assert verify(mine.open()) == []


def test_a_machine_without_the_key_reads_no_ciphertext_and_says_so(pair: Pair, mine: Machine) -> None:
    other = pair[1]
    encrypt(mine, "shop/** filter=crypt")
    mine.write("shop/topics/new.md", "- a secret of ours\n")
    mine.git("add", "-A")
    mine.git("commit", "-qm", "all encrypted")
    mine.sync()
    before = other.ctxrepo("list").stdout
    other.sync()
    assert not (other.clone / "shop/topics/new.md").exists()
    assert "frperg" not in other.ctxrepo("search", "frperg").stdout
    assert other.ctxrepo("list").stdout == before
    (fault,) = other.json("status")["data"]["faults"]
    assert fault.startswith(
        "shop/MEMORY.md and 1 more held back: git stores it in another form (filter=crypt)"
    )
    assert "another form" in other.ctxrepo("doctor").stdout
    refused = other.ctxrepo("remember", "over it", "--note", "topics/new.md")
    assert refused.returncode == 6
    assert "its text is not on this machine" in refused.stderr
    other.git("checkout", "-q", "--", ".")
    assert other.ctxrepo("read", "topics/new.md").returncode == 6
    assert other.ctxrepo("list").stdout == before


def test_two_encrypted_versions_are_not_mixed_into_one(pair: Pair, mine: Machine) -> None:
    first, second = pair
    encrypt(first)
    first.sync()
    second.sync()
    for way in ("clean", "smudge"):
        second.git("config", "--global", f"filter.crypt.{way}", ROT)
    second.git("checkout", "-q", "HEAD", "--", ".")
    for machine, word in ((first, "alpha"), (second, "omega")):
        machine.write("shop/MEMORY.md", machine.read("shop/MEMORY.md") + f"- {word}\n")
        machine.git("commit", "-qam", "an edit")
    first.sync()
    second.sync()
    stored = second.git("cat-file", "-p", "HEAD:shop/MEMORY.md")
    assert ("nycun" in stored) != ("bzrtn" in stored)  # one of the two, whole
    assert "alpha" not in on_remote(second)
    assert "omega" in second.read("shop/MEMORY.md")


@pytest.fixture
def hiding(mine: Machine) -> Machine:
    """A memory whose git ignores some notes."""
    ignore = mine.read(".gitignore")
    mine.write(".gitignore", f"{ignore}private/\n*.local.md\n!open.local.md\n")
    mine.write("shop/deep/.gitignore", "/x/**\n")
    mine.write(".git/info/exclude", "ex/\n")
    for path in ("private/pay.md", "a.local.md", "open.local.md", "deep/x/y/z.md", "deep/ok.md", "ex/e.md"):
        mine.write(f"shop/{path}", f"- fact in {path}\n")
    return mine


def test_an_ignored_note_stays_on_this_machine_and_is_found_there(hiding: Machine) -> None:
    assert hiding.sync().held == ()
    sent = on_remote(hiding)
    for path in ("private/pay.md", "a.local.md", "deep/x/y/z.md", "ex/e.md"):
        assert f"fact in {path}" not in sent
        assert hiding.read(f"shop/{path}")
        assert (
            f"shop/{path} — No description  (only on this machine: git ignores it)"
            in hiding.ctxrepo("list").stdout
        )
        assert f"fact in {path} (only on this machine)" in hiding.ctxrepo("search", f'"in {path}"').stdout
    assert "fact in open.local.md" in sent
    assert "fact in deep/ok.md" in sent
    assert hiding.json("status")["data"]["faults"] == []
    assert "only on this machine" in hiding.ctxrepo("read", "a.local.md").stderr
    assert "4 only on this machine, for git ignores them" in hiding.ctxrepo("status").stdout


def test_a_command_that_writes_into_an_ignored_note_says_so_and_tells_no_other_machine(
    hiding: Machine,
) -> None:
    done = hiding.ctxrepo("remember", "what I earn", "--note", "private/pay.md")
    assert f"{NOTE} stays on this machine: git ignores it" in done.stderr
    assert "stays on" in hiding.ctxrepo("new", "b.local.md", "-d", "mine", stdin="").stderr
    assert "stays on" not in hiding.ctxrepo("remember", "for all").stderr
    hiding.sync()
    assert "pay.md" not in on_remote(hiding)
    assert not hiding.open().journal.names()
    assert hiding.json("status")["data"]["waiting"] == 0


def test_what_ctxrepo_keeps_beside_the_notes_is_told_where_it_is_ignored(mine: Machine) -> None:
    mine.write(".gitignore", "TAPE/\n")
    mine.ctxrepo("anchor", "here", "--summary", "a fact of the day")
    mine.sync()
    assert "a fact of the day" not in on_remote(mine)
    (fault,) = mine.json("status")["data"]["faults"]
    assert fault.startswith("git ignores 1 file of ctxrepo's, such as TAPE/shop/")
    assert fault in mine.ctxrepo("doctor").stdout
    mine.write(".gitignore", "")
    mine.sync()
    assert "a fact of the day" in on_remote(mine)
    assert mine.json("status")["data"]["faults"] == []


@pytest.mark.parametrize(
    ("line", "file"), [("/shop/private/", ".gitignore"), ("/shop/private/** filter=crypt", ".gitattributes")]
)
def test_no_command_brings_it_from_where_it_is_kept_to_where_it_is_sent(
    mine: Machine, line: str, file: str
) -> None:
    mine.write(file, f"{line}\n")
    mine.ctxrepo("remember", "what I earn", "--note", "private/pay.md")
    (earned,) = mine.json("read", "private/pay.md")["data"]["entries"]
    for words in (
        ("move", "private/pay.md", "topics/pay.md"),
        ("move", earned["id"], "MEMORY.md"),
        ("archive", "private/pay.md"),
        ("project", "rename", "store"),
    ):
        refused = mine.ctxrepo(*words)
        assert refused.returncode == 6, words
        assert mine.read(NOTE).endswith("- what I earn\n")
    assert mine.ctxrepo("move", "private/pay.md", "private/wages.md").returncode == 0
    mine.sync()
    assert "what I earn" not in on_remote(mine)


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("private/\nstore/\narchive/", ".gitignore"),
        ("shop/private/*\nstore/*\nshop/archive/**", ".git/info/exclude"),
        ("*/private/** filter=crypt\nstore/** filter=crypt\n*/archive/** filter=crypt", ".gitattributes"),
    ],
)
def test_no_command_takes_from_all_other_machines_what_they_have(mine: Machine, line: str, file: str) -> None:
    mine.remember("sold since May", category="pay")
    (entry,) = mine.json("read", "topics/pay.md")["data"]["entries"]
    mine.write(file, f"{line}\n")
    mine.sync()
    before = mine.git("rev-parse", "HEAD")
    for words in (
        ("move", "topics/pay.md", "private/pay.md"),
        ("move", entry["id"], "private/pay.md"),
        ("archive", "topics/pay.md"),
        ("project", "rename", "store"),
    ):
        refused = mine.ctxrepo(*words)
        assert refused.returncode == 6, words
        assert "no other machine would have" in refused.stderr
    mine.sync()
    assert mine.git("rev-parse", "HEAD") == before
    assert mine.read("shop/topics/pay.md").endswith("sold since May\n")


def test_a_note_that_no_commit_holds_is_not_forgotten_for_good(hiding: Machine) -> None:
    refused = hiding.ctxrepo("forget", "private/pay.md")
    assert refused.returncode == 6
    assert "nothing could bring it back" in refused.stderr
    assert hiding.read(NOTE)


def test_a_note_that_git_knows_is_never_hidden_by_a_pattern(mine: Machine) -> None:
    mine.write(".gitignore", "shop/\n")
    mine.remember("still sent")
    mine.sync()
    assert "still sent" in on_remote(mine)
    assert "still sent" in mine.ctxrepo("search", "still").stdout


def test_patterns_for_all_of_a_persons_repositories_hide_no_note(mine: Machine) -> None:
    (mine.home / ".config/git").mkdir(parents=True)
    (mine.home / ".config/git/ignore").write_text("topics/\n")
    mine.remember("in view", category="build")
    mine.sync()
    assert "in view" in on_remote(mine)


def test_a_note_that_a_person_took_out_of_git_stays_on_disk(mine: Machine) -> None:
    mine.write(NOTE, "- what I earn\n")
    mine.sync()
    mine.write(".gitignore", "private/\n")
    mine.git("rm", "-q", "--cached", NOTE)
    mine.git("commit", "-qam", "keep it here")
    mine.sync()
    assert mine.read(NOTE) == "- what I earn\n"
    mine.write(".gitignore", "")
    mine.sync()
    assert "what I earn" in mine.git("show", f"HEAD:{NOTE}")


def test_nothing_is_asked_twice_where_only_ignored_notes_are_left(hiding: Machine) -> None:
    commit(hiding.open(), NOW)
    assert hiding.ctxrepo("list").returncode == 0
    commit(hiding.open(), NOW)
    assert committed_already(hiding.open()) is not None
    assert '"ex/e.md"' in json.dumps(hiding.json("list"))
    hiding.write(".git/info/exclude", "")
    assert committed_already(hiding.open()) is None
