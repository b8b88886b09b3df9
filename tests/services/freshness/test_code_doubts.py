"""Which entries are in doubt by a project's code, and which never are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from codebases import DAY, Codebase

from ctxrepo.domain.doubts.doubt import MOST_BYTES, Doubt
from ctxrepo.services.freshness.code_names import CodeFacts
from ctxrepo.services.freshness.code_source import CodeEntry, scan_code
from ctxrepo.storage.code.tree import CodeTree

_BODY = "".join(f"line {number} of it\n" for number in range(30))
FILES = {
    "src/pay.py": f"def retry_policy(): MAX_RETRIES\n{_BODY}",
    "src/api/client.ts": "class Client { sendAll() {} }\n",
    "Makefile": "deploy: build\n\ttrue\nbuild:\n\ttrue\n",
    "package.json": '{"scripts": {"lint": "eslint"}}',
    "docs/guide.md": "retry_policy told_only\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Codebase:
    shop = Codebase(tmp_path / "shop")
    shop.commit(FILES)
    return shop


def entry(
    shop: Codebase, text: str, *, code: str | None = None, at: float | None = None, cites: Sequence[str] = ()
) -> CodeEntry:
    """One that was stated at the last commit, or as `code` and `at` say."""
    code = shop.git("rev-parse", "HEAD") if code is None else code
    return CodeEntry("e", "shop/a.md", text, code, shop.now if at is None else at, cites)


def doubts(tree: Codebase | CodeTree, *entries: CodeEntry) -> Sequence[Doubt]:
    tree = tree.tree() if isinstance(tree, Codebase) else tree
    return scan_code(tree, entries, CodeFacts()).doubts


def words(tree: Codebase | CodeTree, *entries: CodeEntry) -> list[str]:
    return [doubt.words for doubt in doubts(tree, *entries)]


def test_a_file_that_went_is_told_with_its_day_and_commit(shop: Codebase) -> None:
    fact = entry(shop, "Retries live in `src/pay.py`, see src/api/client.ts.")
    assert not doubts(shop, fact)
    commit = shop.commit({"src/pay.py": None})
    shop.commit({"other.py": ""})
    (doubt,) = doubts(shop, fact)
    assert (doubt.kind, doubt.subject, doubt.by) == ("gone", "src/pay.py", commit)
    assert doubt.words == f"src/pay.py is gone since {shop.day(1)}"
    assert doubt.since.startswith(shop.day(1))
    shop.commit({"src/pay.py": "back"})
    assert not doubts(shop, fact)


def test_a_renamed_file_is_told_with_its_new_name(shop: Codebase) -> None:
    fact = entry(shop, "Retries live in `src/pay.py`.")
    shop.commit(moved={"src/pay.py": "src/billing.py"})
    shop.commit(moved={"src/billing.py": "lib/größe.py"})
    (doubt,) = doubts(shop, fact)
    assert (doubt.kind, doubt.words) == ("renamed", f"src/pay.py is called lib/größe.py since {shop.day(1)}")


def test_a_renamed_folder(shop: Codebase) -> None:
    fact = entry(shop, "All of src/api/ is generated.")
    shop.commit(moved={"src/api/client.ts": "src/web/client.ts"})
    (doubt,) = doubts(shop, fact)
    assert (doubt.kind, doubt.words) == ("renamed", f"src/api/ is called src/web since {shop.day()}")


def test_a_name_by_its_end_holds_while_a_file_has_it(shop: Codebase) -> None:
    fact = entry(shop, "See `client.ts` and api/client.ts.")
    shop.commit(moved={"src/api/client.ts": "web/api/client.ts"})
    assert not doubts(shop, fact)
    shop.commit({"web/api/client.ts": None})
    assert {doubt.subject for doubt in doubts(shop, fact)} == {"client.ts", "api/client.ts"}


def test_a_symbol_is_gone_when_no_source_file_has_it(shop: Codebase) -> None:
    fact = entry(
        shop, "`retry_policy` and `Client.sendAll()` use `MAX_RETRIES`; `told_only` is in the guide."
    )
    shop.commit(
        {"src/pay.py": "x = MAX_RETRIES", "other.py": "def retry_policy(): pass", "docs/guide.md": "x"}
    )
    assert not doubts(shop, fact)  # it moved
    went = shop.commit({"src/api/client.ts": "class Client {}\n"})
    (doubt,) = doubts(shop, fact)
    assert (doubt.kind, doubt.subject, doubt.by) == ("gone", "Client.sendAll", went)
    assert doubt.words == f"Client.sendAll is gone since {shop.day()}"


def test_a_command_is_gone_when_nothing_defines_it(shop: Codebase) -> None:
    fact = entry(shop, "Run `make deploy` and `npm run lint`, then `make nothing`.")
    assert not doubts(shop, fact)
    went = shop.commit({"Makefile": "build:\n\ttrue\n"})
    (doubt,) = doubts(shop, fact)
    assert (doubt.subject, doubt.by) == ("make deploy", went)
    shop.commit({"package.json": "{}"})
    assert {doubt.subject for doubt in doubts(shop, fact)} == {"make deploy", "npm run lint"}


def test_what_never_was_there_is_not_doubted(shop: Codebase) -> None:
    fact = entry(shop, "`src/none.py`, `never_there`, `make none`; src/Pay.py in another case.")
    shop.commit({"later.py": "later_word"})
    later = entry(shop, "`later_word` and `later.py`", code=shop.git("rev-parse", "HEAD~1"))
    shop.commit({"later.py": None})
    assert not doubts(shop, fact, later)


def test_without_a_commit_the_moment_decides(shop: Codebase) -> None:
    text = "Retries live in `src/pay.py`."
    shop.commit({"src/pay.py": None})
    before, after = shop.now - DAY, shop.now
    assert len(doubts(shop, entry(shop, text, code="", at=before))) == 1
    assert not doubts(shop, entry(shop, text, code="", at=after))
    assert not doubts(shop, entry(shop, text, code="", at=0.0))
    assert len(doubts(shop, entry(shop, text, code="0" * 40, at=before))) == 1


def test_what_only_another_branch_had_is_not_gone(shop: Codebase) -> None:
    shop.git("checkout", "-q", "-b", "side")
    side = shop.commit({"side.py": "side_word", "Makefile": f"{FILES['Makefile']}ship:\n"})
    cites = [f"side.py@{side}#L1", f"Makefile@{side}#L5"]
    fact = entry(shop, "`side.py` has `side_word`; `src/pay.py` stays; `make ship` sends it.", cites=cites)
    shop.git("checkout", "-q", "main")
    shop.commit({"a.py": ""})
    assert not doubts(shop, fact)  # nothing was merged yet
    shop.git("checkout", "-q", "HEAD~1")
    assert not doubts(shop, replace(fact, code=side))  # an older commit is checked out
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--no-edit", "side")
    shop.commit({"side.py": None})
    assert {doubt.subject for doubt in doubts(shop, fact)} == {"side.py", "side_word"}


def test_a_path_that_two_branches_made_and_one_removed_is_not_gone_for_the_other(shop: Codebase) -> None:
    shop.git("checkout", "-q", "-b", "side")
    shop.commit({"new.py": "1"})
    fact = entry(shop, "See `new.py`.")
    shop.git("checkout", "-q", "main")
    shop.commit({"new.py": "2"})
    shop.commit({"new.py": None})
    assert not doubts(shop, fact)


def test_an_older_commit_at_hand_shows_nothing(shop: Codebase) -> None:
    shop.commit({"new.py": "new_word"})
    fact = entry(shop, "`new.py` has `new_word`")
    shop.git("checkout", "-q", "HEAD~1")
    assert not doubts(shop, fact)


def test_a_shallow_clone_cannot_tell(shop: Codebase, tmp_path: Path) -> None:
    fact = entry(shop, "`src/pay.py` has `retry_policy`, run `make deploy`", cites=())
    shop.commit({"src/pay.py": None, "Makefile": "x:\n"})
    shop.git("clone", "-q", "--depth=1", f"file://{shop.top}", str(tmp_path / "shallow"))
    tree = CodeTree.open(tmp_path / "shallow", dict(os.environ))
    assert tree
    assert not doubts(tree, fact)
    assert len(doubts(shop, fact)) == 3


def test_what_a_submodule_holds_is_not_gone(shop: Codebase, tmp_path: Path) -> None:
    shop.commit({"lib/x.py": ""})
    fact = entry(shop, "See `lib/x.py`.")
    library = Codebase(tmp_path / "library")
    library.commit({"y.py": ""})
    shop.commit({"lib/x.py": None})
    (shop.top / "lib").rmdir()
    shop.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "lib")
    shop.commit()
    assert not doubts(shop, fact)


def test_what_lies_there_though_git_has_it_no_longer_is_not_gone(shop: Codebase) -> None:
    shop.commit({"local.toml": "x = 1"})
    cites = [f"{path}@{shop.git('rev-parse', 'HEAD')}#L1" for path in ("local.toml", "src/pay.py")]
    fact = entry(shop, "See `local.toml` and `src/pay.py`.", cites=cites)
    shop.git("rm", "-q", "--cached", "local.toml", "src/pay.py")
    shop.commit({".gitignore": "local.toml\nsrc/pay.py\n"})
    assert not doubts(shop, fact)
    (shop.top / "src/pay.py").unlink()
    assert [doubt.subject for doubt in doubts(shop, fact)] == ["src/pay.py"]


def test_where_source_files_are_missing_no_symbol_is_gone(shop: Codebase) -> None:
    fact = entry(shop, "`retry_policy` in `src/pay.py`")
    shop.commit({"src/pay.py": None})
    oid = shop.git("rev-parse", "HEAD:src/api/client.ts")
    (shop.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert [doubt.subject for doubt in doubts(shop, fact)] == ["src/pay.py"]


def test_a_sentence_that_tells_of_a_change_is_not_doubted(shop: Codebase) -> None:
    fact = entry(shop, "`src/pay.py` was removed. `retry_policy` remains.")
    shop.commit({"src/pay.py": None})
    assert [doubt.subject for doubt in doubts(shop, fact)] == ["retry_policy"]


def test_lines_that_are_cited_hold_while_they_stand_anywhere_in_the_file(shop: Codebase) -> None:
    commit = shop.git("rev-parse", "HEAD")
    fact = entry(
        shop, "It retries.", cites=[f"src/pay.py@{commit}#L1-L2", "nonsense", f"none.py@{commit}#L1"]
    )
    shop.commit({"src/pay.py": f"import os\n\n    def  retry_policy(): MAX_RETRIES\n{_BODY}"})
    assert not doubts(shop, fact)
    changed = shop.commit({"src/pay.py": f"def retry_policy(): TRIES\n{_BODY}"})
    shop.commit({"src/pay.py": f"def retry_policy(): TRIES\n{_BODY}more\n"})
    (doubt,) = doubts(shop, fact)
    assert (doubt.kind, doubt.by) == ("changed", changed)
    assert doubt.words == f"src/pay.py#L1 has changed since {shop.day(1)}"
    shop.commit(moved={"src/pay.py": "src/paid.py"})
    assert [doubt.kind for doubt in doubts(shop, fact)] == ["renamed"]


def test_words_fit_however_long_names_are(shop: Codebase) -> None:
    long = "/".join(["folder"] * 20)
    shop.commit({f"{long}/old.py": _BODY})
    fact = entry(shop, f"See `{long}/old.py`.")
    shop.commit(moved={f"{long}/old.py": f"{long}/new.py"})
    (doubt,) = doubts(shop, fact)
    assert len(doubt.words.encode()) <= MOST_BYTES
    assert "old.py is called …" in doubt.words
    assert "new.py since" in doubt.words


def test_facts_of_an_earlier_scan_change_no_answer(shop: Codebase) -> None:
    entries = [entry(shop, "`retry_policy` in `src/pay.py`"), entry(shop, "`sendAll()` of `never_there`")]
    facts = scan_code(shop.tree(), entries, CodeFacts()).facts
    for files in ({"src/pay.py": "x"}, {"src/pay.py": "def retry_policy()"}, {"src/api/client.ts": None}):
        shop.commit(files)
        fresh, known = (scan_code(shop.tree(), entries, given) for given in (CodeFacts(), facts))
        assert fresh.doubts == known.doubts
        assert fresh.facts.index == known.facts.index
        facts = known.facts
