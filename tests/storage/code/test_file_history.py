"""What commits did to files: departures, renames, and when something went out of a file."""

from __future__ import annotations

from pathlib import Path

from codebases import Codebase

from ctxrepo.storage.code.file_history import History

_LONG = "".join(f"line {number}\n" for number in range(30))


def test_departures_are_told_in_order_with_what_git_takes_for_a_rename(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    first = shop.commit({"a.py": _LONG, "b.py": "b\n", "größe.py": _LONG.replace("line", "row")})
    shop.commit(moved={"a.py": "new/a2.py", "größe.py": "maß.py"})
    shop.commit({"b.py": None})
    history = History(shop.tree(), [first])
    assert {*history.versions} == {"a.py", "new/a2.py", "größe.py", "maß.py", "b.py"}
    departures = [(departure.path, departure.to, departure.moment.day) for departure in history.departures]
    assert sorted(departures[:2]) == [("a.py", "new/a2.py", shop.day(1)), ("größe.py", "maß.py", shop.day(1))]
    assert departures[2:] == [("b.py", "", shop.day())]


def test_a_name_may_have_any_character(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    first = shop.commit({"a\x01b.py": _LONG, ":x\n\x01.py": "x\n"})
    shop.commit(moved={"a\x01b.py": "\x01c.py"})
    shop.commit({":x\n\x01.py": None})
    departures = History(shop.tree(), [first]).departures
    assert [(departure.path, departure.to) for departure in departures] == [
        ("a\x01b.py", "\x01c.py"),
        (":x\n\x01.py", ""),
    ]


def test_a_merge_is_one_commit(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    first = shop.commit({"a.py": _LONG})
    shop.git("checkout", "-q", "-b", "side")
    shop.commit({"a.py": None})
    shop.git("checkout", "-q", "main")
    shop.commit({"b.py": ""})
    shop.git("merge", "-q", "--no-edit", "side")
    history = History(shop.tree(), [first])
    assert "a.py" in history.versions
    assert [departure.moment.commit for departure in history.departures] == [shop.git("rev-parse", "HEAD")]


def test_when_something_went_out_of_a_file(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    first = shop.commit({"a.py": "RETRIES = 3\n"})
    for number in range(5):
        shop.commit({"a.py": f"RETRIES = 3\n# {number}\n"})
    went = shop.commit({"a.py": "TRIES = 3\n"})
    shop.commit({"a.py": "TRIES = 4\n"})
    history = History(shop.tree(), [first])
    moment = history.lost("a.py", first, lambda data: b"RETRIES" in data)
    assert moment
    assert moment.commit == went
    assert history.lost("a.py", first, lambda data: b"TRIES" in data) is None
    assert history.lost("other.py", first, lambda data: True) is None


def test_what_later_commits_made_of_a_file_or_of_a_folder(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    first = shop.commit({"src/a.py": "1\n", "b.py": "1\n"})
    second = shop.commit({"src/a.py": "2\n"})
    third = shop.commit({"src/a.py": None, "src/c.py": "3\n", "src2.py": ""})
    history = History(shop.tree(), [first])
    assert [version.moment.commit for version in history.later("src/a.py", first)] == [second, third]
    assert [(version.path, version.after == "") for version in history.later("src", second)] == [
        ("src/a.py", True),
        ("src/c.py", False),
    ]
    assert history.later("b.py", first) == []


def test_where_versions_are_not_here_renames_of_equal_files_are_still_known(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    first = shop.commit({"a.py": _LONG, "big.bin": f"{_LONG}1"})
    shop.commit({"big.bin": None, "other.bin": f"{_LONG}2"}, moved={"a.py": "b.py"})
    oid = shop.git("rev-parse", "HEAD~1:big.bin")
    (shop.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    history = History(shop.tree(), [first])
    assert {path: len(versions) for path, versions in history.versions.items() if path.endswith("py")} == {
        "a.py": 1,
        "b.py": 1,
    }
    assert ("a.py", "b.py") in [(departure.path, departure.to) for departure in history.departures]
