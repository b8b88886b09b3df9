"""What a hostile remote can hold: trees that mislead, and objects that git itself would refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from torture.forge import EXEC, FILE, GITLINK, LINK, Folder, Forge, Item, put

Attack = Callable[[Forge, Path], None]


@dataclass(frozen=True)
class Case:
    """`is_sound`: git's own check lets it through, so what is good in it has to arrive; unless it
    `is_refused`, for it is more than a memory may have. `stays` is what people are told where git's words
    keep on a machine what is written there (ADR 75)."""

    name: str
    attack: Attack
    is_sound: bool = True
    is_refused: bool = False
    stays: str = ""


def cases() -> list[Case]:
    """Every case; `canary` is a file that exists once something was executed, beside it lies `victim/`."""
    return [*_links(), *_modules(), *_git_files(), *_names(), *_shapes(), *_trees(), *_roots(), *_settings()]


def all_at_once() -> Case:
    """One commit with every odd thing in it that stands at a path of its own and that git lets through."""

    def attack(forge: Forge, canary: Path) -> None:
        for case in [*_links(), *_modules(), *_git_files(), *_names(), *_shapes(), *_settings()]:
            is_small = case.name not in ("20,000 files", "32 MB", "a megabyte of NUL", "50,000 entries")
            if (
                case.is_sound
                and is_small
                and not case.stays
                and " place of " not in case.name
                and " was" not in case.name
            ):
                case.attack(forge, canary)

    return Case("all at once", attack)


def _adds(files: dict[bytes, Item]) -> Attack:
    return lambda forge, canary: commit_files(forge, {p: _filled(i, canary) for p, i in files.items()})


def _filled(item: Item, canary: Path) -> Item:
    words = {b"{canary}": canary, b"{victim}": canary.parent / "victim", b"{root}": canary.parent}
    data = item.data
    for word, path in words.items():
        data = data.replace(word, str(path).encode())
    return Item(item.mode, data, item.key)


def commit_files(forge: Forge, files: dict[bytes, Item]) -> None:
    tree: Folder = forge.folder()
    for path, item in files.items():
        put(tree, path, item)
    forge.point(forge.commit(forge.grow(tree), [forge.tip]))


def _case(name: str, files: dict[bytes, Item], is_sound: bool = True, stays: str = "") -> Case:
    return Case(name, _adds(files), is_sound, stays=stays)


def _note(text: bytes = b"- a note\n") -> Item:
    return Item(FILE, text)


def _links() -> Iterator[Case]:
    yield _case("link to a file", {b"global/topics/link.md": Item(LINK, b"{victim}/note.md")})
    yield _case("link up and out", {b"global/topics/up.md": Item(LINK, b"../../../../victim/note.md")})
    yield _case("link in place of a project", {b"shop": Item(LINK, b"{victim}")})
    yield _case("link in place of the global folder", {b"global": Item(LINK, b"{victim}")})
    yield _case("link in place of the tape", {b"TAPE": Item(LINK, b"{victim}")})
    yield _case("link into .git", {b"global/git": Item(LINK, b"../.git")})
    yield _case("link as a hook", {b"global/hooks": Item(LINK, b"../.git/hooks")})
    yield _case(
        "links in a circle", {b"global/a.md": Item(LINK, b"b.md"), b"global/b.md": Item(LINK, b"a.md")}
    )
    yield _case("link to itself", {b"global/topics/self": Item(LINK, b"../topics")})
    yield _case("link with an empty target", {b"global/empty.md": Item(LINK, b"")})
    yield _case("link as .gitmodules", {b".gitmodules": Item(LINK, b"{victim}/note.md")}, is_sound=False)
    yield _case("link as the registry", {b"ctxrepo.toml": Item(LINK, b"{victim}/note.md")})


def _modules() -> Iterator[Case]:
    link = Item(GITLINK, key="1" * 40)
    config = b'[submodule "m"]\n\tpath = m\n\turl = %s\n'
    yield _case("gitlink alone", {b"global/module": link})
    yield _case("gitlink as a note", {b"global/topics/module.md": link})
    ext = config % b"ext::sh -c touch% {canary}"
    yield _case("submodule that runs a command", {b".gitmodules": _note(ext), b"m": link}, is_sound=False)
    dash = config % b"--upload-pack=touch {canary}"
    yield _case("submodule that is an option", {b".gitmodules": _note(dash), b"m": link}, is_sound=False)
    up = (config % b"https://git.example.org/m").replace(b'"m"', b'"../../x"')
    yield _case("submodule that climbs out", {b".gitmodules": _note(up), b"m": link}, is_sound=False)


def _git_files() -> Iterator[Case]:
    config = _note(b"[core]\n\tfsmonitor = touch {canary}\n\tsshCommand = touch {canary}\n")
    hook = Item(EXEC, b"#!/bin/sh\ntouch {canary}\n")
    for folder in (
        b".git",
        b".GIT",
        b"git~1",
        ".g\u200cit".encode(),
        b".git ",
        b".git.",
        b".Git::$INDEX_ALLOCATION",
    ):
        shown = folder.decode().encode("ascii", "replace").decode()
        files = {folder + b"/config": config, folder + b"/hooks/post-checkout": hook}
        yield _case(f"{shown} with config and hook", files, is_sound=False)
    yield _case(".git further down", {b"global/topics/.git/config": config}, is_sound=False)
    yield _case(".git as a file", {b"global/topics/.git": _note(b"gitdir: {victim}\n")}, is_sound=False)
    every = b"* filter=evil diff=evil merge=evil eol=crlf working-tree-encoding=UTF-16 ident\n"
    attributes = {b".gitattributes": _note(every), b"global/.gitattributes": _note(every)}
    yield _case("attributes", attributes, stays="held back: git stores it in another form")
    ignores = {b".gitignore": _note(b"*\n"), b".git-blame": _note()}
    yield _case("everything is ignored", ignores, stays="only on this machine, for git ignores them")
    bare = {b"global/repo/HEAD": _note(b"ref: refs/heads/main\n"), b"global/repo/config": config}
    bare |= {
        b"global/repo/objects/x": _note(),
        b"global/repo/refs/x": _note(),
        b"global/repo/hooks/update": hook,
    }
    yield _case("a bare repository", bare)


def _names() -> Iterator[Case]:
    names = {
        "not UTF-8": b"caf\xe9.md",
        "control characters": b"a\nb\x1b[2Jc.md",
        "backslash": b"..\\..\\victim\\note.md",
        "colon": b"C:note.md",
        "reserved": b"con.md",
        "dot at the end": b"note.md.",
        "space at the end": b"note.md ",
        "leading dash": b"--help.md",
        "turned around": "note\u202edm.exe".encode(),
        "300 bytes": b"n" * 300 + b".md",
        "a shell's words": b"$(touch {canary});`id`.md",
        "a tilde": b"~root.md",
        "a percent": b"%s%n%x.md",
    }
    for name, path in names.items():
        yield _case(f"name: {name}", {b"global/topics/" + path: _note()})
    yield _case("name: 60 folders deep", {b"global/" + b"d/" * 60 + b"note.md": _note()})
    yield _case(
        "twins by case", {b"global/Good.md": _note(b"- upper\n"), b"global/good.md": _note(b"- lower\n")}
    )
    twins = {
        "global/caf\u00e9.md".encode(): _note(b"- one\n"),
        "global/cafe\u0301.md".encode(): _note(b"- two\n"),
    }
    yield _case("twins by spelling", twins)


def _shapes() -> Iterator[Case]:
    yield _case(
        "exec bit", {b"global/run.md": Item(EXEC, b"#!/bin/sh\ntouch {canary}\n"), b"run": Item(EXEC, b"#!")}
    )
    yield _case("a mode of old", {b"global/old.md": Item("100664", b"- old\n")})
    yield _case("a file where a folder was", {b"global": _note()})
    yield _case("a file where the project was", {b"shop": _note()})
    yield _case("a folder where a note was", {b"global/MEMORY.md/inner.md": _note()})
    yield _case("a folder where the registry was", {b"ctxrepo.toml/inner.md": _note()})
    yield _case("32 MB", {b"global/huge.md": _note(b"- zeros\n" * (4 * 2**20))})
    yield _case("a megabyte of NUL", {b"global/nul.md": _note(b"\0" * 2**20)})
    yield _case(
        "50,000 entries", {b"global/long.md": _note(b"".join(b"- entry %d\n" % n for n in range(50_000)))}
    )
    yield Case("20,000 files", _many)


def _many(forge: Forge, canary: Path) -> None:
    files = {b"bulk/%02d/%05d.md" % (n % 100, n): _note(b"- fact number %d\n" % n) for n in range(20_000)}
    commit_files(forge, files)


def _trees() -> Iterator[Case]:
    """Trees whose entries git would never write."""
    yield Case("a part that is ..", _entry(b".."), is_sound=False)
    yield Case("a part that is .", _entry(b"."), is_sound=False)
    yield Case("a slash in a name", _entry(b"../victim/note.md"), is_sound=False)
    yield Case("an absolute name", _entry(b"/tmp/note.md"), is_sound=False)
    yield Case("an empty name", _entry(b""), is_sound=False)
    yield Case("a name twice", _entry(b"global"), is_sound=False)
    yield Case("a mode with a zero before it", _entry(b"zzz.md", mode="0100644"), is_sound=False)
    yield Case("an object that is not there", _entry(b"zzz.md", key="2" * 40), is_sound=False)


def _entry(name: bytes, mode: str = FILE, key: str = "") -> Attack:
    def attack(forge: Forge, canary: Path) -> None:
        whole = [
            (i.mode, n, i.key) if isinstance(i, Item) else ("40000", n, forge.grow(i)) for n, i in _top(forge)
        ]
        added = (mode, name, key or forge.store("blob", b"- evil\n"))
        forge.point(forge.commit(forge.tree([*whole, added]), [forge.tip]))

    return attack


def _top(forge: Forge) -> list[tuple[bytes, Item | Folder]]:
    folder = forge.folder()
    return sorted(folder.items(), key=lambda e: e[0] + (b"/" if isinstance(e[1], dict) else b""))


def _roots() -> Iterator[Case]:
    def unrelated(forge: Forge, canary: Path) -> None:
        tree: Folder = {b"global": {b"other.md": _note(b"- from another root\n")}}
        forge.point(forge.commit(forge.grow(tree), []))

    def nameless(forge: Forge, canary: Path) -> None:
        forge.point(forge.commit(forge.grow(forge.folder()), [forge.tip], author="Eve"))

    def beside(forge: Forge, canary: Path) -> None:
        evil = forge.commit(forge.grow({b"evil.md": _note()}), [])
        for ref in (
            "refs/ctxrepo/wt",
            "refs/ctxrepo/wt-next",
            "refs/tags/main",
            "refs/heads/-evil",
            "refs/heads/$(id)",
        ):
            forge.point(evil, ref)

    yield Case("another root", unrelated)
    yield Case("a commit of nobody", nameless, is_sound=False)
    yield Case("refs like ours", beside)


def _settings() -> Iterator[Case]:
    hooks = b'{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch {canary}"}]}]}}'
    files = {b".claude/settings.json": _note(hooks), b".mcp.json": _note(hooks), b"CLAUDE.md": _note()}
    files |= {b".vscode/tasks.json": _note(hooks), b".github/workflows/x.yml": _note(b"on: push\n")}
    files |= {
        b".envrc": _note(b"touch {canary}\n"),
        b"hooks/pre-commit": Item(EXEC, b"#!/bin/sh\ntouch {canary}\n"),
    }
    yield _case("settings of programs", files)
    ours = b'[repository]\npath = "{victim}"\nremote = "ext::touch {canary}"\n'
    yield _case("settings of ours", {b"config.toml": _note(ours), b".ctxrepo/config.toml": _note(ours)})
    away = b'[projects]\n"git.example.org/ada/shop" = "../../victim"\n'
    yield _case("a registry that leads away", {b"ctxrepo.toml": _note(away)})
    inside = b'[projects]\n"git.example.org/ada/shop" = ".git/hooks"\n'
    yield _case("a registry that leads into .git", {b"ctxrepo.toml": _note(inside)})
    yield _case("conflicts is a file", {b"conflicts": _note(), b"inbox": _note(), b".ctx": _note()})
