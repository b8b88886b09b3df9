"""How declared claims stand at a commit: held, changed since which one, or nobody can tell."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from codebases import Codebase

from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.services.freshness.code_claims import ClaimState, claim_states
from ctxrepo.storage.code.tree import CodeTree


@pytest.fixture
def shop(tmp_path: Path) -> Codebase:
    shop = Codebase(tmp_path / "shop")
    shop.commit({"src/api.py": "RETRIES = 3\nclass Client: pass\n", "lib/a.ts": "const X = 1;\n"})
    return shop


def state_in(tree: CodeTree, claim: str, code: str, at: float) -> ClaimState:
    evidence = EntryEvidence("e", code=code, holds=(claim,), last=second_at(at))
    (state,) = claim_states([evidence], tree)["e"]
    return state


def stands(shop: Codebase, claim: str, *, code: str = "", at: float = 0.0) -> tuple[str, str]:
    """(outcome, commit) of a claim that was declared at the first commit, or as `code` or `at` says."""
    first = "" if at else shop.git("rev-list", "--max-parents=0", "HEAD")
    state = state_in(shop.tree(), claim, code or first, at)
    return state.outcome, state.moment.commit if state.moment else ""


HELD = [
    "src/api.py",
    "src",
    "src/api.py::Client",
    "src/api.py::RETRIES=3",
    "lib/a.ts::X=1",
    "!old.py",
    "!src/b",
]


@pytest.mark.parametrize("claim", HELD)
def test_what_holds_is_held_at_the_commit(shop: Codebase, claim: str) -> None:
    last = shop.commit({"src/api.py": "# more\nRETRIES = 3\nclass Client: pass\n"})
    assert stands(shop, claim) == ("held", last)


@pytest.mark.parametrize("claim", HELD)
def test_what_changed_is_told_with_the_commit(shop: Codebase, claim: str) -> None:
    shop.commit({"src/api.py": "# more\nRETRIES = 3\nclass Client: pass\n", "lib/a.ts": "const X = 1;\n//\n"})
    went = shop.commit(
        {"src/api.py": None, "lib/a.ts": None, "old.py": "", "src2/x": ""}
        | ({"src/b/c.py": ""} if claim == "!src/b" else {})
    )
    shop.commit({"other.py": ""})
    assert stands(shop, claim) == ("changed", went)


def test_a_value_that_came_back_holds(shop: Codebase) -> None:
    shop.commit({"src/api.py": "RETRIES = 4\n"})
    last = shop.commit({"src/api.py": "RETRIES = 3\n"})
    assert stands(shop, "src/api.py::RETRIES=3") == ("held", last)


def test_what_was_declared_before_it_was_committed_counts_from_then(shop: Codebase) -> None:
    assert stands(shop, "src/api.py::RETRIES=5") == ("unknown", "")
    last = shop.commit({"src/api.py": "RETRIES = 5\n"})
    assert stands(shop, "src/api.py::RETRIES=5") == ("held", last)
    went = shop.commit({"src/api.py": "RETRIES = 6\n"})
    assert stands(shop, "src/api.py::RETRIES=5") == ("changed", went)


def test_without_a_commit_the_moment_decides(shop: Codebase) -> None:
    at = shop.now
    went = shop.commit({"src/api.py": None})
    assert stands(shop, "src/api.py", at=at) == ("changed", went)
    assert stands(shop, "src/api.py", at=1.0) == ("unknown", "")


@pytest.mark.parametrize(
    "claim", ["src/api.py::LIMIT=3", "not a claim ::", "src/big.py::RETRIES=3", "src/odd.py::RETRIES=3"]
)
def test_what_nobody_can_tell_is_never_called_held(shop: Codebase, claim: str) -> None:
    body = "RETRIES = 3\n" + "#" * (1 << 20)
    shop.commit(
        {
            "src/api.py": "import os\nLIMIT = os.environ.get('LIMIT', 3)\n",
            "src/big.py": body,
            "src/odd.py": "RETRIES = = 3",
        }
    )
    assert stands(shop, claim) == ("unknown", "")


def test_another_branch_and_a_shallow_clone_cannot_tell(shop: Codebase, tmp_path: Path) -> None:
    shop.git("checkout", "-q", "-b", "side")
    side = shop.commit({"side.py": ""})
    shop.git("checkout", "-q", "main")
    shop.commit({"src/api.py": None})
    assert stands(shop, "side.py", code=side) == ("unknown", "")
    shop.git("clone", "-q", "--depth=1", f"file://{shop.top}", str(tmp_path / "shallow"))
    tree = CodeTree.open(tmp_path / "shallow", dict(os.environ))
    assert tree
    state = state_in(tree, "src/api.py", side, shop.now - 2 * 86_400)
    assert (state.outcome, state.words) == ("unknown", "src/api.py: can't tell")
