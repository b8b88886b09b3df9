"""Which words the source files of a tree have, and which they had: for names of what is defined in them."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.lazy import dataclass
from ctxrepo.storage.code.file_history import MOST, History
from ctxrepo.storage.code.tree import CodeTree, TreeFile

PLACES = 8
"""So many files are noted that have a word; one with more isn't easily gone."""

_NAMES = {name: frozenset(text.split()) for name, text in texts_beside(__spec__, "files.words").items()}
"""Endings of what tells of code, and of what programs write, and names of files that these write."""

_SEPARATORS = bytes(c if chr(c).isalnum() or c == 95 or c > 127 else 32 for c in range(256))


@dataclass(frozen=True)
class WordIndex:
    """Where words are in the source files of the tree `commit`: at most PLACES paths each. Of the words that
    were asked for those that are nowhere have none."""

    commit: str
    places: Mapping[str, tuple[str, ...]]


def is_source(path: str) -> bool:
    """Whether a file holds code or settings, by its name; what tells of code doesn't count, nor what
    programs write."""
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    return (
        ending not in _NAMES["prose"] | _NAMES["data"] and name not in _NAMES["locks"] and ".min." not in name
    )


def update_index(tree: CodeTree, index: WordIndex | None, wanted: Collection[str]) -> WordIndex:
    """Where the `wanted` words are in the tree. Only files that changed since `index` are read, unless there
    are new words, or one has gone from all files that were noted and may be in others."""
    known = index.places if index else {}
    changes = tree.changed_since(index.commit) if index else {}
    if index is None or changes is None:
        return _whole(tree, wanted, {})
    kept = {
        word: tuple(path for path in known[word] if path not in changes) for word in wanted if word in known
    }
    changed = [path for path, (_, now) in changes.items() if now and path in tree.files]
    more = find_words(tree, _sources(tree, changed), kept)
    places = {word: _joined(kept[word], more.get(word, ())) for word in kept}
    unsure = {word for word in wanted if word not in known}
    unsure |= {word for word, paths in places.items() if not paths and len(known[word]) >= PLACES}
    return _whole(tree, unsure, places) if unsure else WordIndex(tree.commit, places)


def _whole(tree: CodeTree, words: Collection[str], places: Mapping[str, tuple[str, ...]]) -> WordIndex:
    found = find_words(tree, _sources(tree, tree.files), words) if words else {}
    return WordIndex(tree.commit, {**places, **{word: tuple(found.get(word, ())) for word in words}})


def _sources(tree: CodeTree, paths: Iterable[str]) -> dict[str, TreeFile]:
    files = ((path, tree.files[path]) for path in paths if is_source(path))
    return {path: file for path, file in files if file.size <= MOST}


def find_words(
    tree: CodeTree, files: Mapping[str, TreeFile], wanted: Collection[str], most: int = PLACES
) -> dict[str, list[str]]:
    """word -> at most `most` of the files that have it, by path; words that no file has are left out."""
    names = {word.encode() for word in wanted}
    paths: dict[str, list[str]] = {}
    for path, file in files.items():
        paths.setdefault(file.oid, []).append(path)
    found: dict[str, list[str]] = {}
    for file, data in tree.blobs({file.oid: file for file in files.values()}.values()) if names else ():
        for word in names.intersection(data.translate(_SEPARATORS).split()):
            places = found.setdefault(word.decode(), [])
            if len(places) < most:
                places += paths[file.oid][: most - len(places)]
    return found


def words_before(
    tree: CodeTree, history: History, asked: Mapping[str, Collection[str]]
) -> dict[str, dict[str, str]]:
    """commit -> word -> a source file that had it there, of words that no file has any more. What they were
    in has changed since, so that only old versions are read, each once."""
    wanted = set().union(*asked.values())
    spans = [
        (path, version.before, start, version.number)
        for path, versions in history.versions.items()
        if is_source(path)
        for start, version in zip([-1, *(version.number for version in versions)], versions, strict=False)
        if version.before
    ]
    numbers = sorted(number for commit in asked if (number := tree.number(commit)) >= 0)
    spans = [(p, oid, a, b) for p, oid, a, b in spans if bisect_left(numbers, b) > bisect_left(numbers, a)]
    aside = {commit: _changed_from(tree, commit) for commit in asked if tree.number(commit) < 0}
    oids = {oid for _, oid, _, _ in spans} | {oid for files in aside.values() for oid in files.values()}
    files = tree.sized({oid: TreeFile(oid, 0) for oid in oids})
    files = {oid: file for oid, file in files.items() if file.size <= MOST}
    words_of: dict[str, list[str]] = {}
    for word, holders in find_words(tree, files, wanted, most=len(files)).items():
        for oid in holders:
            words_of.setdefault(oid, []).append(word)
    by_word: dict[str, list[tuple[int, int, str]]] = {}
    for path, oid, start, end in spans:
        for word in words_of.get(oid, ()):
            by_word.setdefault(word, []).append((start, end, path))
    found: dict[str, dict[str, str]] = {}
    for commit, words in asked.items():
        number = tree.number(commit)
        places = {word: path for path, oid in aside.get(commit, {}).items() for word in words_of.get(oid, ())}
        for word in words if number >= 0 else ():
            for start, end, path in by_word.get(word, ()):
                if start <= number < end:
                    places[word] = path
        found[commit] = {word: places.get(word, "") for word in words}
    return found


def _changed_from(tree: CodeTree, commit: str) -> dict[str, str]:
    """path -> id of the source files of a commit that have changed since."""
    changes = tree.changed_since(commit) or {}
    return {path: was.oid for path, (was, _) in changes.items() if was and is_source(path)}


def is_partial(tree: CodeTree) -> bool:
    """Whether a source file of the tree isn't on this machine: then no word is known to be gone. A file
    without an ending is rather a program."""
    missing = (path for path, file in tree.files.items() if file.size < 0)
    return any(is_source(path) and "." in path.rpartition("/")[2] for path in missing)


def _joined(first: tuple[str, ...], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))[:PLACES]
