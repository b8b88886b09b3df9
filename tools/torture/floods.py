"""What a remote can hold too much of: paths, depth, names, commits, parents, bytes, refs.

Each is made of few bytes, or of objects that git itself lets through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torture.bombs import bombs
from torture.forge import FILE, FOLDER, GITLINK, LINK, Forge, Item, commit_data, key_of, tree_data
from torture.hostile import Attack, Case, commit_files


def floods() -> list[Case]:
    """Every one at its full size."""
    return [*_trees(), *_histories(), *_commits(), *_files(), *_refs(), *bombs()]


def flood(name: str) -> Case:
    return next(case for case in floods() if case.name == name)


def _trees() -> Iterator[Case]:
    yield Case("10^10 paths", lambda forge, _: fan(forge, 10, 10), is_refused=True)
    yield Case("10^3000 paths", lambda forge, _: fan(forge, 1000, 50), is_refused=True)
    yield Case(
        "10^10 folders without a file", lambda forge, _: fan(forge, 10, 10, leaf=False), is_refused=True
    )
    yield Case("900 folders deep", lambda forge, _: dig(forge, 900), is_refused=True)
    yield Case("3,000 folders deep", lambda forge, _: dig(forge, 3000), is_refused=True)
    yield Case("300,000 entries", lambda forge, _: widen(forge, 300_000), is_refused=True)
    yield Case(
        "300,000 entries in 3,000 folders", lambda forge, _: spread(forge, 3_000, 100), is_refused=True
    )
    yield Case("names of 100 KB", lambda forge, _: widen(forge, 1_000, name=b"n" * 100_000), is_refused=True)
    yield Case("20,000 links", lambda forge, _: widen(forge, 20_000, mode=LINK))
    yield Case("20,000 submodules", lambda forge, _: widen(forge, 20_000, mode=GITLINK))
    yield Case("20,000 names that differ in case", lambda forge, _: _like(forge, 20_000))
    yield Case("a bomb that was taken back", lambda forge, _: _hidden(forge))


def _histories() -> Iterator[Case]:
    yield Case("60,000 commits in a chain", lambda forge, _: chain(forge, 60_000))
    yield Case("600,000 commits in a chain", lambda forge, _: chain(forge, 600_000), is_refused=True)
    yield Case("30,000 merges that cross", lambda forge, _: cross(forge, 15_000))
    yield Case("a comb of 20,000 branches", lambda forge, _: comb(forge, 20_000))


def _commits() -> Iterator[Case]:
    def message(data: bytes, times: int = 1) -> Attack:
        return lambda forge, _: odd_commit(forge, message=data * times)

    def header(data: bytes, times: int = 1) -> Attack:
        return lambda forge, _: odd_commit(forge, more=data * times + b"\n")

    yield Case("a message of 20 MiB", message(b"word ", 4 * 2**20), is_refused=True)
    yield Case("a message of 500 KiB", message(b"word\n", 100_000))
    yield Case("a message in no encoding", message(b"\xff\xfe\x80 \x1b[2J\n"))
    yield Case("a header of 5 MiB", header(b"x-long " + b"h" * 1024, 5 * 2**10), is_refused=True)
    yield Case("100,000 headers", header(b"x-more h\n", 99_999))
    yield Case("an encoding nobody knows", header(b"encoding klingon"))
    yield Case("an octopus of 5,000", lambda forge, _: octopus(forge, 5_000), is_refused=True)
    yield Case("an octopus of 90", lambda forge, _: octopus(forge, 90))
    yield Case("the year 292277026596", _at("9223372036854775807 +0000"))
    yield Case("the year 500000", _at("15778800000000 +0000"))
    yield Case("a time zone of 99 hours", _at("1790000000 +9959"))
    yield Case("a time before all", _at("0 -0000"))
    yield Case("no time at all", _at("now"), is_sound=False)
    yield Case("a time below zero", _at("-1 +0000"), is_sound=False)


def _files() -> Iterator[Case]:
    def note(path: bytes, data: Callable[[], bytes]) -> Attack:
        return lambda forge, _: commit_files(forge, {path: Item(FILE, data())})

    tape, registry = b"shop/TAPE/2026-01.jsonl", b"ctxrepo.toml"
    yield Case("a file of 1 GiB", note(b"global/good.md", lambda: b"\0" * 2**30))
    yield Case("a million lines", note(b"global/lines.md", lambda: b"\n" * (2**20 - 1)))
    yield Case(
        "50,000 entries of one id", note(b"global/same.md", lambda: b"- the same ^aaaaaaaa\n" * 50_000)
    )
    yield Case("a tape of a line of 200 MB", note(tape, lambda: b'{"type":"' + b"x" * 200 * 2**20 + b'"}\n'))
    yield Case("a tape nested 500,000 deep", note(tape, lambda: b"[" * 500_000 + b"]" * 500_000 + b"\n"))
    yield Case("a head of 20,000 aliases", note(b"global/head.md", _aliases))
    yield Case("40,000 projects", note(registry, _projects))
    yield Case("a table nested 20,000 deep", note(registry, lambda: b"a=" + b"[" * 20_000))


def _aliases() -> bytes:
    return b"---\n" + b"".join(b"k%d: &a%d [*a%d]\n" % (n, n, n - 1) for n in range(1, 20_000)) + b"---\n"


def _projects() -> bytes:
    return b"[projects]\n" + b"".join(b'"p%d" = "q%d"\n' % (n, n) for n in range(40_000))


def _refs() -> Iterator[Case]:
    yield Case("10,000 refs", lambda forge, _: _branches(forge, b"topic/%d"))
    yield Case("10,000 refs below ctxrepo/", lambda forge, _: _branches(forge, b"ctxrepo/known/%d"))
    yield Case("10,000 refs of 200 bytes", lambda forge, _: _branches(forge, b"n" * 200 + b"%d"))
    yield Case("tags nested 10,000 deep", lambda forge, _: tags(forge, 10_000), is_sound=False)
    # git's own server sends what the graft says, and no client can clone that.
    yield Case("replaced and grafted", lambda forge, _: _replaced(forge), is_sound=False)


def fan(forge: Forge, width: int, levels: int, *, leaf: bool = True) -> None:
    """A folder that holds the next one `width` times, and so on: width ** levels paths of few objects."""
    key = forge.store("blob", b"- a\n") if leaf else forge.tree([])
    mode = FILE if leaf else FOLDER
    for _ in range(levels):
        key = forge.tree(sorted((mode, b"%05d" % n, key) for n in range(width)))
        mode = FOLDER
    _beside(forge, b"zz", key)


def dig(forge: Forge, depth: int) -> None:
    key = forge.tree([(FILE, b"note.md", forge.store("blob", b"- deep\n"))])
    trees = []
    for _ in range(depth):
        trees.append(("tree", data := tree_data([(FOLDER, b"d", key)])))
        key = key_of("tree", data)
    forge.store_all(trees)
    _beside(forge, b"zz", key)


def widen(forge: Forge, size: int, name: bytes = b"note", mode: str = FILE) -> None:
    key = "1" * 40 if mode == GITLINK else forge.store("blob", b"- a\n")
    _beside(forge, b"zz", forge.tree((mode, b"%s%06d.md" % (name, n), key) for n in range(size)))


def spread(forge: Forge, folders: int, size: int) -> None:
    """Folders of which no two are the same."""
    key = forge.store("blob", b"- a\n")
    data = [tree_data((FILE, b"n%04d-%03d.md" % (f, n), key) for n in range(size)) for f in range(folders)]
    forge.store_all(("tree", tree) for tree in data)
    top = forge.tree((FOLDER, b"f%05d" % n, key_of("tree", tree)) for n, tree in enumerate(data))
    _beside(forge, b"zz", top)


def chain(forge: Forge, size: int) -> None:
    """Commits of one tree, one behind the other."""
    tip, tree = forge.tip, forge.tree_of(forge.tip)
    commits = []
    for number in range(size):
        commits.append(("commit", data := commit_data(tree, [tip], message=b"%d\n" % number)))
        tip = key_of("commit", data)
    forge.store_all(commits)
    forge.point(tip)


def cross(forge: Forge, size: int) -> None:
    """Two branches that merge each other again and again: each pair has two common ancestors."""
    tree = forge.tree_of(forge.tip)
    sides = [forge.tip, forge.tip]
    commits = []
    for number in range(size):
        data = [commit_data(tree, dict.fromkeys(sides), message=b"%d %d\n" % (number, n)) for n in (0, 1)]
        commits += [("commit", commit) for commit in data]
        sides = [key_of("commit", commit) for commit in data]
    forge.store_all(commits)
    forge.point(forge.commit(tree, sides))


def comb(forge: Forge, size: int) -> None:
    """Branches of one commit each, merged one after the other."""
    tree, base = forge.tree_of(forge.tip), forge.tip
    tip, commits = base, []
    for number in range(size):
        commits.append(("commit", tooth := commit_data(tree, [base], message=b"%d\n" % number)))
        commits.append(("commit", data := commit_data(tree, [tip, key_of("commit", tooth)])))
        tip = key_of("commit", data)
    forge.store_all(commits)
    forge.point(tip)


def octopus(forge: Forge, arms: int) -> None:
    tree, base = forge.tree_of(forge.tip), forge.tip
    data = [commit_data(tree, [base], message=b"%d\n" % number) for number in range(arms - 1)]
    forge.store_all(("commit", commit) for commit in data)
    forge.point(forge.commit(tree, [base, *(key_of("commit", commit) for commit in data)]))


def odd_commit(
    forge: Forge, when: str = "1790000000 +0000", more: bytes = b"", message: bytes = b"odd\n"
) -> None:
    """A commit that changes nothing and says something odd of itself."""
    data = commit_data(forge.tree_of(forge.tip), [forge.tip], when=when, more=more, message=message)
    forge.point(forge.store("commit", data))


def _at(when: str) -> Attack:
    return lambda forge, _: odd_commit(forge, when=when)


def _beside(forge: Forge, name: bytes, key: str) -> None:
    """A commit with one more folder at the top."""
    items = [(mode, n, k) for mode, n, k in forge.items(forge.tip) if n != name]
    order = sorted([*items, (FOLDER, name, key)], key=lambda e: e[1] + (b"/" if e[0] == FOLDER else b""))
    forge.point(forge.commit(forge.tree(order), [forge.tip]))


def _like(forge: Forge, size: int) -> None:
    """Names that a file system which ignores case, or spells in NFD, takes for one."""
    key = forge.store("blob", b"- a\n")
    word = "abcdefghijklmnop"
    names = (
        "".join(c.upper() if number >> n & 1 else c for n, c in enumerate(word)) for number in range(size)
    )
    _beside(forge, b"zz", forge.tree((FILE, n, key) for n in sorted(f"{name}.md".encode() for name in names)))


def _hidden(forge: Forge) -> None:
    """A tree of 10^10 paths in the middle of the history; the last commit is as good as the first."""
    tree = forge.tree_of(forge.tip)
    fan(forge, 10, 10)
    forge.point(forge.commit(tree, [forge.tip]))


def _branches(forge: Forge, name: bytes) -> None:
    tip = forge.tip
    lines = sorted(b"%s refs/heads/%s\n" % (tip.encode(), name % n) for n in range(10_000))
    forge.point(tip)  # or the pack would be all there is of it
    header = b"# pack-refs with: peeled fully-peeled sorted \n"
    (forge.root / "packed-refs").write_bytes(header + b"".join(lines))


def tags(forge: Forge, depth: int) -> None:
    key, kind, objects = forge.tip, "commit", []
    for number in range(depth):
        text = (
            f"object {key}\ntype {kind}\ntag t{number}\ntagger Eve <eve@example.org> 1790000000 +0000\n\nt\n"
        )
        objects.append(("tag", text.encode()))
        key, kind = key_of("tag", text.encode()), "tag"
    forge.store_all(objects)
    forge.point(key)


def _replaced(forge: Forge) -> None:
    other = forge.commit(forge.tree([]), [])
    forge.point(other, f"refs/replace/{forge.tip}")
    (forge.root / "info").mkdir(exist_ok=True)
    (forge.root / "info" / "grafts").write_text(f"{forge.tip} {other}\n")
    (forge.root / "shallow").write_text("")
