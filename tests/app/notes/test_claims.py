"""Claims at the command line: declared with a fact, refused where false, told where the fact is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from codebases import Codebase
from machines import Machine, make_ada

HOLDS = "src/api.py::RETRIES=3"


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    ada = make_ada(tmp_path)
    Codebase(ada.project_folder).commit({"src/api.py": "RETRIES = 3\n"})
    return ada


def records(ada: Machine) -> list[dict[str, object]]:
    files = sorted((ada.clone / ".ctx/evidence").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_claim_that_holds_is_recorded_with_the_commit(ada: Machine) -> None:
    run = ada.ctxrepo("remember", "We retry three times", "--holds", HOLDS, "--holds", "!old.py")
    assert (run.returncode, run.stderr) == (0, "")
    (stated,) = records(ada)
    assert stated["holds"] == [HOLDS, "!old.py"]
    assert stated["code"] == Codebase(ada.project_folder).git("rev-parse", "HEAD")
    again = ada.ctxrepo("remember", "We retry three times", "--holds", "src/api.py")
    assert again.returncode == 0
    assert records(ada)[-1]["holds"] == ["src/api.py"]


@pytest.mark.parametrize(
    ("claim", "code", "words"),
    [
        ("src/api.py::RETRIES=4", 6, "the claim src/api.py::RETRIES=4 is false in "),
        ("!src/api.py", 6, "the claim !src/api.py is false in "),
        ("src/none.py", 6, "is false"),
        ("/etc/hosts", 2, "isn't from the top of the repository"),
        ("src/api.py::", 2, "no name after `::`"),
    ],
)
def test_a_claim_that_is_false_or_none_saves_nothing(ada: Machine, claim: str, code: int, words: str) -> None:
    run = ada.ctxrepo("remember", "We retry", "--holds", HOLDS, "--holds", claim)
    assert run.returncode == code
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert not (ada.clone / "shop").exists()


def test_outside_of_code_and_for_everybody_there_is_nothing_to_claim(ada: Machine) -> None:
    for words, cwd in ((("--scope", "global"), None), ((), ada.home)):
        run = ada.ctxrepo("remember", "We retry", "--holds", HOLDS, *words, cwd=cwd)
        assert run.returncode == 2
        assert "--holds is about a project's code" in run.stderr


def test_what_is_not_committed_yet_and_what_nobody_can_tell_is_said(ada: Machine) -> None:
    code = Codebase(ada.project_folder)
    (code.top / "src/api.py").write_text("RETRIES = 5\nLIMIT = other()\n")
    holds = ("--holds", "src/api.py::RETRIES=5", "--holds", "src/api.py::LIMIT=3")
    run = ada.ctxrepo("remember", "We retry five times", *holds)
    assert run.returncode == 0
    assert "src/api.py::RETRIES=5 holds in the files, and in no commit yet" in run.stderr
    assert "nobody can tell whether src/api.py::LIMIT=3 holds" in run.stderr
    assert "rests on src/api.py::RETRIES=5: can't tell" in ada.ctxrepo("recall", "retry five times").stderr
    code.commit({"b.py": ""})
    assert "RETRIES=5: held at" in ada.ctxrepo("recall", "retry five times").stderr


def test_how_a_claim_stands_is_told_where_the_fact_is_used(ada: Machine) -> None:
    code = Codebase(ada.project_folder)
    ada.ctxrepo("remember", "We retry three times", "--holds", HOLDS)
    entry = f"^{records(ada)[0]['entry']}"
    uses = (("read", entry), ("read", "MEMORY.md"), ("recall", "retry three times"), ("why", entry))
    commit = code.git("rev-parse", "HEAD")[:10]
    for words in uses:
        run = ada.ctxrepo(*words)
        assert f"rests on {HOLDS}: held at {commit}" in run.stdout + run.stderr, words
    code.count = 1
    changed = code.commit({"src/api.py": "RETRIES = 4\n"})[:10]
    code.commit({"other.py": ""})
    for words in uses:
        run = ada.ctxrepo(*words, cwd=ada.home if words[0] == "why" else None)
        assert f"rests on {HOLDS}: changed since {changed} of " in run.stdout + run.stderr, words
    code.top.rename(ada.home / "gone")
    run = ada.ctxrepo("read", f"shop:{records(ada)[0]['path'].__str__().removeprefix('shop/')}", cwd=ada.home)
    assert f"rests on {HOLDS}: can't tell" in run.stderr


def test_a_fact_without_claims_asks_nothing_of_the_code(
    ada: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxrepo.storage.code.tree.CodeTree.open", lambda *_: pytest.fail("asked"))
    ada.ctxrepo("remember", "We retry three times")
    assert ada.ctxrepo("read", "MEMORY.md").returncode == 0


def test_a_proposal_keeps_its_claims_until_it_is_accepted(ada: Machine) -> None:
    ada.ctxrepo("remember", "We retry three times", "--holds", HOLDS, "--stage")
    (waiting,) = json.loads(ada.ctxrepo("inbox", "list", "--json").stdout)["data"]["items"]
    item = waiting["id"]
    assert HOLDS in ada.ctxrepo("inbox", "show", item).stdout
    assert ada.ctxrepo("inbox", "accept", item).returncode == 0
    assert records(ada)[-1]["holds"] == [HOLDS]
    assert "held at" in ada.ctxrepo("recall", "retry three times").stderr
    assert ada.ctxrepo("remember", "Four", "--holds", "src/api.py::RETRIES=4", "--stage").returncode == 6
