"""What git's words mean, told from those of real conversations."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from checkout import DOCS

from ctxrepo.domain.git.remote import Outcome, RemoteAnswer, classify, ignored_variable, meanings, reason

PAGE = DOCS / "reference" / "sync-messages.md"

SAID = [
    ("overtaken", " ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs"),
    ("overtaken", "!\trefs/heads/main:refs/heads/main\t[rejected] (fetch first)\nDone"),
    ("overtaken", "remote: error: cannot lock ref 'refs/heads/main': is at 1\n ! [remote rejected]"),
    ("overtaken", " ! [remote rejected] main -> main (incorrect old value provided)"),
    ("protected", "remote: use a pull request\n ! [remote rejected] (pre-receive hook declined)"),
    ("protected", "remote: error: hook declined to update refs/heads/main"),
    ("protected", "remote: error: GH006: Protected branch update failed for refs/heads/main."),
    ("protected", "remote: error: GH013: Repository rule violations found for refs/heads/main."),
    ("protected", "remote: GitLab: You are not allowed to push code to protected branches on this project."),
    ("protected", "remote: Gitea: Not allowed to push to protected branch main"),
    ("protected", "remote: TF402455: Pushes to this branch are not permitted; use a pull request"),
    ("refused", "remote: error: GH013: Violations\n- Push cannot contain secrets\n(push declined)"),
    ("refused", "remote: error: refusing to update\n ! [remote rejected] (branch is currently checked out)"),
    ("refused", "remote: GitLab: Commit message does not follow the pattern\n(pre-receive hook declined)"),
    ("quota", "remote: fatal: pack exceeds maximum allowed size (1.00 KiB)\nerror: remote unpack failed"),
    ("quota", "remote: fatal: unable to write loose object file: No space left on device"),
    ("quota", "remote: error: File a.md is 120 MB; this exceeds GitHub's file size limit of 100 MB"),
    ("quota", "remote: Your push was rejected: disk quota exceeded\n(pre-receive hook declined)"),
    ("quota", "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413"),
    ("failed", "error: unable to write file .git/objects/1: No space left on device"),
    ("readonly", "remote: Permission to a/b.git denied to ben.\nfatal: The URL returned error: 403"),
    ("readonly", "ERROR: The key you are authenticating with has been marked as read only."),
    ("readonly", "remote: ERROR: This deploy key does not have write access to this project."),
    ("readonly", "error: remote unpack failed: unable to create temporary object directory"),
    ("failed", "error: unable to create '.git/x.lock': Read-only file system"),
    ("malformed", "error: object 0b7378ce: hasDotgit: contains '.git'\nfatal: fsck error in packed object"),
    ("malformed", "fatal: remote did not send all necessary objects"),
    ("refused", "remote: fatal: fsck error in packed object\n! [remote rejected] (unpacker error)"),
    ("readonly", "FATAL: W any memory ben DENIED by fallthru"),
    ("auth", "FATAL: R any memory ben DENIED by fallthru"),
    ("auth", "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository."),
    ("auth", "fatal: could not read Username for 'https://h': terminal prompts disabled"),
    ("auth", "fatal: Authentication failed for 'https://h/x.git/'"),
    ("auth", "fatal: unable to access 'https://h/x/': The requested URL returned error: 403"),
    ("auth", "fatal: detected dubious ownership in repository at '/x'"),
    ("untrusted", "Host key verification failed.\nfatal: Could not read from remote repository."),
    ("untrusted", "fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate"),
    ("untrusted", "fatal: unable to access 'https://h': server certificate verification failed. CAfile: x"),
    ("untrusted", "SSL: certificate subject name (h) does not match target host name 'i'"),
    ("missing", "fatal: '/x/nope.git' does not appear to be a git repository"),
    ("missing", "remote: Repository not found.\nfatal: repository 'https://h/x.git/' not found"),
    ("missing", "fatal: couldn't find remote ref refs/heads/main\nfatal: the remote end hung up"),
    ("missing", "ERROR: The project you were looking for does not exist or you don't have permission"),
    ("missing", "fatal: https://h/info/refs not valid: is this a git repository?"),
    ("address", "fatal: transport 'ext' not allowed"),
    ("address", "fatal: unable to access 'https://h/': The requested URL returned error: 301"),
    ("offline", "ssh: Could not resolve hostname h: Name or service not known\nfatal: Could not read"),
    ("offline", "fatal: unable to access 'https://h/': Could not resolve host: h"),
    ("offline", "fatal: unable to access 'https://h/': Failed to connect to h port 443: Connection refused"),
    ("offline", "ssh: connect to host h port 22: No route to host"),
    ("offline", "ssh: connect to host h port 22: Connection timed out"),
    ("busy", "error: RPC failed; HTTP 503 curl 22 The requested URL returned error: 503"),
    ("busy", "fatal: unable to access 'https://h/': The requested URL returned error: 429"),
    ("cut", "fatal: the remote end hung up unexpectedly"),
    ("cut", "remote: Create a pull request for 'x' by visiting:\nfatal: the remote end hung up"),
    ("cut", "fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF"),
    ("cut", "Connection reset by 1.2.3.4 port 22\nfatal: Could not read from remote repository."),
    ("cut", "gnutls_handshake() failed: An unexpected TLS packet was received."),
    ("cut", "fatal: unable to access 'https://h/': GnuTLS recv error (-54): Error in the pull function."),
    ("failed", "fatal: something nobody has heard of"),
    ("cut", ""),
]  # fmt: skip


@pytest.mark.parametrize(("outcome", "words"), SAID)
def test_words_of_git_and_forges(outcome: str, words: str) -> None:
    assert classify(words) == outcome
    assert classify(words.upper()) == outcome


def test_who_was_let_in_to_read_and_not_to_write_has_read_only_credentials() -> None:
    words = "fatal: unable to access 'https://h/x/': The requested URL returned error: 403"
    assert classify(words, pushing=True) == "readonly"
    assert classify("fatal: Authentication failed for 'https://h'", pushing=True) == "auth"


PUSHED = """\
Enumerating objects: 3, done.
Writing objects:  33% (1/3)
Writing objects: 100% (3/3), 3.11 KiB | 3.11 MiB/s, done.
Total 3 (delta 0), reused 0 (delta 0), pack-reused 0
remote: =================================
remote:
remote: main is for the robots of Mondays
error: failed to push some refs to 'ssh://h/x'
To ssh://h/x
!	HEAD:refs/heads/main	[remote rejected] (pre-receive hook declined)
Done
"""


def test_the_reason_is_what_the_keepers_of_the_remote_wrote() -> None:
    outcome = classify(PUSHED)
    assert (outcome, reason(PUSHED, outcome)) == ("protected", "remote: main is for the robots of Mondays")
    silent = PUSHED.replace("remote: main is for the robots of Mondays\n", "")
    assert reason(silent, "protected").endswith("[remote rejected] (pre-receive hook declined)")


def test_what_the_remote_says_in_the_middle_of_a_line_of_gits_counts_as_well() -> None:
    """`git push` packs in a process of its own, which ends its last line when the remote may have spoken."""
    for message, outcome in (
        ("remote: GH006: Protected branch update failed", "protected"),
        ("remote: fatal: pack exceeds maximum allowed size (1.00 KiB)", "quota"),
        ("remote: no space left on device", "quota"),
        ("error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413", "quota"),
    ):
        words = (
            f"Writing objects: 100% (5/5), 415 bytes | 415.00 KiB/s, done.\n"
            f"Total 5 (delta 0), reused 0 (delta 0), pack-reused 0{message}        \n\n"
            "error: failed to push some refs to 'there'\nTo there\n"
            "!\tHEAD:refs/heads/main\t[remote rejected] (pre-receive hook declined)\nDone\n"
        )
        assert classify(words, pushing=True) == outcome
        assert reason(words, classify(words, pushing=True)) == message


def test_the_reason_is_the_line_that_decided() -> None:
    changed = "@@@@\n@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @\n@@@@\nfatal: Could not read"
    assert "IDENTIFICATION HAS CHANGED" in reason(changed, classify(changed))
    assert reason("fatal: one\nfatal: two", "failed") == "fatal: one"
    assert reason("", "failed") == ""


@pytest.mark.parametrize(
    "fatal",
    [
        "fatal: something nobody has heard of",
        "fatal: unable to access 'https://h/': gnutls_handshake() failed: Handshake failed",
    ],
)
def test_the_reason_is_gits_fatal_line_whatever_else_it_says(fatal: str) -> None:
    words = f"Cloning into '/home/ada/.ctxrepo'...\nwarning: templates not found\n{fatal}\n"
    assert reason(words, classify(words)) == fatal


def test_every_outcome_but_well_says_what_to_do() -> None:
    assert set(get_args(Outcome)) == {*meanings(), "ok"}
    for outcome in get_args(Outcome):
        answer = RemoteAnswer(outcome)
        assert answer.ok == (outcome == "ok")
        assert bool(answer.next_step) != answer.ok
        assert answer.is_worth_retrying == (outcome in ("overtaken", "cut"))
        assert not (answer.is_worth_retrying and answer.trouble)
        assert not any(word in answer.next_step for word in ("--force", "reset", "rm "))


def test_the_page_of_messages_has_a_row_for_every_outcome() -> None:
    passes = {"seconds": "within seconds: tried again at once", "later": "later", "never": "no"}
    rows = dict(re.findall(r"^\| `(\w+)` (\|.*\|)$", PAGE.read_text("utf-8"), re.MULTILINE))
    assert list(rows) == list(meanings())
    for outcome, meaning in meanings().items():
        message, means, step, when, code = (cell.strip() for cell in rows[outcome].strip("|").split("|"))
        assert (means, step, when) == (meaning.means, meaning.next_step, passes[meaning.passes])
        assert code == ("6" if outcome == "secret" else "5")
        samples = re.findall(r"`([^`]+)`", message)
        assert samples
        if outcome not in ("timeout", "secret", "changed", "bounds"):  # these are told by ctxrepo itself
            assert all(classify(sample) == outcome for sample in samples), samples


@pytest.mark.parametrize(
    ("name", "url", "is_told"),
    [
        ("GIT_SSH_COMMAND", "git@example.org:me/memory.git", True),
        ("GIT_SSH_COMMAND", "ssh://git@example.org/me/memory.git", True),
        ("GIT_SSH_COMMAND", "https://example.org/me/memory.git", False),
        ("GIT_SSH_COMMAND", "/srv/memory:old.git", False),
        ("GIT_SSH_COMMAND", "", False),
        ("GIT_SSH", "host:memory.git", True),
        ("GIT_SSL_CAINFO", "https://example.org/me/memory.git", True),
        ("GIT_TRACE", "host:memory.git", False),
    ],
)
def test_what_the_environment_says_of_a_remote_is_told_to_be_unheard(
    name: str, url: str, is_told: bool
) -> None:
    assert (name in ignored_variable({name: "x"}, url)) == is_told
    assert ignored_variable({name: ""}, url) == ""
