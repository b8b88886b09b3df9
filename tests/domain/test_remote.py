"""What git's words mean, told from those of real conversations."""

from __future__ import annotations

from typing import get_args

import pytest

from ctxrepo.domain.remote import Outcome, RemoteAnswer, classify

SAID = [
    ("overtaken", " ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs"),
    ("overtaken", "!\trefs/heads/main:refs/heads/main\t[rejected] (fetch first)\nDone"),
    ("overtaken", "remote: error: cannot lock ref 'refs/heads/main': is at 1\n ! [remote rejected]"),
    ("overtaken", " ! [remote rejected] main -> main (incorrect old value provided)"),
    ("refused", "remote: use a pull request\n ! [remote rejected] main -> main (pre-receive hook declined)"),
    ("refused", "remote: error: GH006: Protected branch update failed for refs/heads/main."),
    ("refused", "remote: GitLab: You are not allowed to push code to protected branches on this project."),
    ("refused", "remote: fatal: pack exceeds maximum allowed size (1.00 KiB)\nerror: remote unpack failed"),
    ("refused", "remote: Permission to a/b.git denied to ben.\nfatal: The requested URL returned error: 403"),
    ("refused", "error: remote unpack failed: unable to create temporary object directory"),
    ("auth", "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository."),
    ("auth", "fatal: could not read Username for 'https://h': terminal prompts disabled"),
    ("auth", "fatal: Authentication failed for 'https://h/x.git/'"),
    ("auth", "Host key verification failed.\nfatal: Could not read from remote repository."),
    ("auth", "fatal: unable to access 'https://h/': SSL certificate problem: self-signed certificate"),
    ("auth", "fatal: unable to access 'https://h/x/': The requested URL returned error: 403"),
    ("auth", "fatal: detected dubious ownership in repository at '/x'"),
    ("missing", "fatal: '/x/nope.git' does not appear to be a git repository"),
    ("missing", "remote: Repository not found.\nfatal: repository 'https://h/x.git/' not found"),
    ("missing", "fatal: couldn't find remote ref refs/heads/main"),
    ("missing", "ERROR: The project you were looking for does not exist or you don't have permission"),
    ("offline", "ssh: Could not resolve hostname h: Name or service not known\nfatal: Could not read"),
    ("offline", "fatal: unable to access 'https://h/': Could not resolve host: h"),
    ("offline", "fatal: unable to access 'https://h/': Failed to connect to h port 443: Connection refused"),
    ("offline", "ssh: connect to host h port 22: No route to host"),
    ("offline", "ssh: connect to host h port 22: Connection timed out"),
    ("offline", "fatal: the remote end hung up unexpectedly"),
    ("offline", "error: RPC failed; HTTP 503 curl 22 The requested URL returned error: 503"),
    ("offline", "fatal: unable to access 'https://h/': The requested URL returned error: 429"),
    ("offline", "fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF"),
    ("failed", "fatal: something nobody has heard of"),
    ("failed", ""),
]  # fmt: skip


@pytest.mark.parametrize(("outcome", "words"), SAID)
def test_words_of_git_and_forges(outcome: str, words: str) -> None:
    assert classify(words) == outcome
    assert classify(words.upper()) == outcome


def test_every_outcome_but_well_says_what_to_do() -> None:
    for outcome in get_args(Outcome):
        answer = RemoteAnswer(outcome)
        assert answer.ok == (outcome == "ok")
        assert bool(answer.next_step) != answer.ok
        assert answer.may_pass == (outcome in ("overtaken", "offline"))
        assert not any(word in answer.next_step for word in ("--force", "reset", "rm "))
