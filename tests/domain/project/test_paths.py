from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.project import layout
from ctxrepo.domain.project.layout import (
    archived,
    fold,
    is_archived,
    is_ignored,
    is_note,
    note_path,
    shown,
    unsafe,
)
from ctxrepo.errors import UsageError

GOOD = [
    "global/MEMORY.md",
    "my-project/topics/build.md",
    "TAPE/my-project/host-1a2b-202601.jsonl",
    ".ctx/evidence/host-1a2b-202601.jsonl",
    ".gitattributes",
    ".gitignore",
    "ctxrepo.toml",
    "conflicts/global/topics/a.md--0a1b2c.md",
    "überblick/日本語/naïve café.md",
    "a/gitlog.md",
    "a/git~notes.md",
    "a/.github.md",
    "a/console.md",
    "a/com.md",
    "a/com10.md",
    "a/what now?.md",
    "a/x-y.md",
    "/".join(["d"] * 16),
    "n" * 255,
]

BAD = {
    "": "empty",
    "/etc/passwd": "absolute",
    "//host/share": "absolute",
    "..": "'..'",
    "a/../../b.md": "'..'",
    "a/./b.md": "'.'",
    "a//b.md": "empty part",
    "a/": "empty part",
    ".git/config": "git",
    "a/.git/hooks/post-checkout": "git",
    ".GIT/hooks/x": "git",
    ".gIt": "git",
    ".git./x": "git",
    ".git /x": "git",
    ".git . ./x": "git",
    ".git::$INDEX_ALLOCATION/x": "git",
    ".git:stream": "git",
    "git~1/config": "git",
    "GIT~1": "git",
    "git~2.": "git",
    ".g\u200cit/config": "git",
    ".git\u200d/config": "git",
    "\ufeff.git/config": "git",
    ".\u206agit": "git",
    ".gitmodules": "git",
    ".GitModules ": "git",
    "GITMOD~1": "git",
    "gi7eba~1": "git",
    "a\\b.md": "backslash",
    "..\\..\\b.md": "backslash",
    "C:/x.md": "colon",
    "a.md:hidden": "colon",
    "a/b\x00.md": "invisible",
    "a/b\n.md": "invisible",
    "a/b\x1b[2J.md": "invisible",
    "a/b\x7f.md": "invisible",
    "a/b\x9b.md": "invisible",
    "a/\u202egnp.md": "invisible",
    "a/b\u200b.md": "invisible",
    "a/b\u2028.md": "invisible",
    "a/b\U000e0041.md": "invisible",
    "a/b\ufe0f.md": "invisible",
    "a/b.": "dot or a space",
    "a /b.md": "dot or a space",
    "-rf.md": "dash",
    "a/--upload-pack=x.md": "dash",
    "CON": "Windows",
    "a/aux.md": "Windows",
    "a/Nul .md": "Windows",
    "a/lpt1.tar.md": "Windows",
    "a/COM¹": "Windows",
    "a/" + "n" * 256: "255 bytes",
    "a/" + "é" * 128: "255 bytes",
    "/".join(["d" * 250] * 16) + "/" + "d" * 250: "4096 bytes",
    "/".join(["d"] * 17): "16 folders",
    "a/\udcff.md": "UTF-8",
}


@pytest.mark.parametrize("path", GOOD)
def test_an_ordinary_path_is_safe(path: str) -> None:
    assert unsafe(path) is None


@pytest.mark.parametrize("path", BAD, ids=ascii)
def test_a_path_that_could_do_harm_says_why(path: str) -> None:
    reason = unsafe(path)
    assert reason is not None
    assert BAD[path] in reason


@given(
    st.text(max_size=30),
    st.sampled_from(["\u200c", "\u200e", "\u202a", "\u206f", "\ufeff"]),
    st.integers(0, 4),
)
def test_git_is_found_in_every_disguise(tail: str, invisible: str, at: int) -> None:
    name = ".gIt"[:at] + invisible + ".gIt"[at:]
    for path in (name, f"a/{name}/config", f"{name}. . ", f"{name}:{tail}", f"a/{name}/{tail}"):
        assert unsafe(path) is not None


@given(st.text())
def test_what_is_safe_stays_below_the_repository(path: str) -> None:
    if unsafe(path) is None:
        parts = path.split("/")
        assert all(part not in ("", ".", "..") for part in parts)
        assert "\0" not in path
        assert path.encode()


@pytest.mark.parametrize(
    "path",
    [
        "a/.b.md.swp",
        "a/b.md~",
        "a/#b.md#",
        "a/.#b.md",
        "a/.DS_Store",
        ".DS_Store",
        "a/b.md.tmp",
        "a/b.md.tmp.4711.170000",
        "a/4913",
        "a/b.md___jb_tmp___",
        "a/Thumbs.db",
        ".github/workflows/run.yml",
        ".obsidian/workspace.json",
        ".git/config",
        ".ctx/memory/x.md",
        ".ctx/evidence/.hidden.jsonl",
        ".ctx/evidence/x.txt",
        "a/.ctx/evidence/x.jsonl",
        "a/.md",
    ],
)
def test_leftovers_and_foreign_dot_files_are_ignored(path: str) -> None:
    assert is_ignored(path)


@pytest.mark.parametrize(
    "path",
    [
        "a/b.md",
        "a/tmp.md",
        "a/part.md",
        "a/C#.md",
        "a/~home.md",
        "a/b.swift.md",
        ".ctx/evidence/host-202601.jsonl",
        ".gitattributes",
        "a/.gitignore",
        "a/.gitkeep",
        "ctxrepo.toml",
    ],
)
def test_what_people_write_is_not_ignored(path: str) -> None:
    assert not is_ignored(path)


def test_notes_are_markdown_files() -> None:
    assert is_note("a/b.md")
    assert is_note("b.MD")
    assert not is_note("a/.md")
    assert not is_note("a/b.markdown")
    assert not is_note("a.md/b.txt")
    assert not is_note("TAPE/a/b.jsonl")


def test_twins_fold_to_the_same() -> None:
    assert fold("a/Good.md") == fold("A/good.MD")
    assert fold(unicodedata.normalize("NFD", "é.md")) == fold("É.md")
    assert fold("a/b.md") != fold("a/c.md")


@given(st.text())
def test_folding_twice_changes_nothing(path: str) -> None:
    assert fold(fold(path)) == fold(path)
    assert fold(path) == fold(unicodedata.normalize("NFD", path)) == fold(unicodedata.normalize("NFC", path))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("topics/build", "topics/build.md"),
        ("topics/build.md", "topics/build.md"),
        ("  ./topics//build  ", "topics/build.md"),
        ("MEMORY.MD", "MEMORY.MD"),
        ("daily/2026-01-02", "daily/2026-01-02.md"),
        ("v1.2", "v1.2.md"),
        ("e\u0301t\u00e9", "\u00e9t\u00e9.md"),
    ],
)
def test_a_typed_name_becomes_a_note_path(text: str, path: str) -> None:
    assert note_path(text) == path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no file"),
        ("topics/", "names no file"),
        ("../other/x", "'..'"),
        ("/etc/passwd", "absolute"),
        ("notes.txt", "ends in .txt"),
        ("node.js", "notes end in .md"),
        (".hidden", "hidden"),
        (".hidden.md", "hidden"),
        ("a/.obsidian/x", "hidden"),
        (".git/x", "git"),
        ("why?", "* ?"),
        ("a:b", "colon"),
        ("-x", "dash"),
        ("a\nb", "invisible"),
    ],
)
def test_a_name_that_can_not_be_a_note_is_refused_with_its_reason(text: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        note_path(text)
    assert words in raised.value.message
    assert raised.value.hint


@given(st.text(max_size=40))
def test_every_note_path_is_a_safe_note_and_stays_as_it_is(text: str) -> None:
    try:
        path = note_path(text)
    except UsageError:
        return
    assert unsafe(path) is None
    assert is_note(path)
    assert not is_ignored(path)
    assert note_path(path) == path


@given(st.text(), st.integers(2, 50))
def test_what_is_shown_is_one_visible_line(text: str, limit: int) -> None:
    assert len(shown(text, limit)) <= limit
    assert len(shown(text).splitlines()) <= 1
    shown(text).encode()


@pytest.mark.parametrize("path", ["shop/a.md", "shop/topics/archive/a.md", "shop/archive.md"])
def test_what_is_in_the_archive_of_its_scope(path: str) -> None:
    assert is_archived(archived(path))
    assert not is_archived(path)


_PIECES = (
    "con",
    "COM1",
    "aux",
    "nul",
    "4913",
    "___jb_tmp___",
    "_",
    "-",
    ".",
    "a",
    "Note",
    "7",
    "git",
    "x" * 60,
    "~",
)


@given(
    st.lists(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=3).map("".join), min_size=1, max_size=12)
)
def test_a_path_that_needs_no_second_look_breaks_no_rule(parts: list[str]) -> None:
    path = "/".join(parts) + ".md"
    quick = unsafe.__wrapped__(path), is_ignored(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_PLAIN", re.compile("(?!)"))
        assert (unsafe.__wrapped__(path), is_ignored(path)) == quick


def test_nearly_all_paths_need_no_second_look() -> None:
    assert layout._PLAIN.fullmatch("project-00003/topics/2026-11-23_a-Note.md")
