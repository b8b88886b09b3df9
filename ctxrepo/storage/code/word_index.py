"""Which words the source files of a tree have, and which they had: for names of what is defined in them."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.lazy import dataclass
from ctxrepo.storage.code.file_history import MOST, History
from ctxrepo.storage.code.tree import CodeTree, TreeFile

PLACES = 8
"""Of the files that have a word so many are noted; a word that more files have is rarely gone at once."""

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
    is_text_or_data = ending in _NAMES["prose"] | _NAMES["data"]
    return not (is_text_or_data or name in _NAMES["locks"] or ".min." in name)


def update_index(tree: CodeTree, index: WordIndex | None, words: Collection[str]) -> WordIndex:
    """Where the `words` are in the tree. Only files that changed since `index` are read, unless there
    are new words, or one has gone from all files that were noted and may be in others."""
    known = index.places if index else {}
    former = tree.changed_since(index.commit) if index else None
    if former is None:
        return WordIndex(tree.commit, _places_in_tree(tree, words))
    old = {word: [path for path in known[word] if path not in former] for word in words if word in known}
    new = find_words(tree, _sources(tree, (path for path in former if path in tree.files)), old)
    places = {
        word: tuple(dict.fromkeys((*paths, *new.get(word, ()))))[:PLACES] for word, paths in old.items()
    }
    unsure = {word for word in words if word not in known}
    unsure |= {word for word, paths in places.items() if not paths and len(known[word]) >= PLACES}
    return WordIndex(tree.commit, places | _places_in_tree(tree, unsure))


def _places_in_tree(tree: CodeTree, words: Collection[str]) -> dict[str, tuple[str, ...]]:
    places = find_words(tree, _sources(tree, tree.files), words) if words else {}
    return {word: tuple(places.get(word, ())) for word in words}


def _sources(tree: CodeTree, paths: Iterable[str]) -> dict[str, TreeFile]:
    files = ((path, tree.files[path]) for path in paths if is_source(path))
    return {path: file for path, file in files if file.size <= MOST}


def find_words(
    tree: CodeTree, files: Mapping[str, TreeFile], words: Collection[str], most: int = PLACES
) -> dict[str, list[str]]:
    """word -> at most `most` of the keys of `files` that have it, in their order; a word that no file has is
    left out."""
    names = {word.encode() for word in words}
    paths: dict[str, list[str]] = {}
    for path, file in files.items():
        paths.setdefault(file.oid, []).append(path)
    places: dict[str, list[str]] = {}
    for file, data in tree.blobs({file.oid: file for file in files.values()}.values()) if names else ():
        for word in names.intersection(data.translate(_SEPARATORS).split()):
            holders = places.setdefault(word.decode(), [])
            if len(holders) < most:
                holders += paths[file.oid][: most - len(holders)]
    return places


def words_before(
    tree: CodeTree, history: History, words_at: Mapping[str, Collection[str]]
) -> dict[str, dict[str, str]]:
    """commit -> word -> a source file that had the word there, '' for none, for words that no file has any
    more. Whatever had them has changed since, so only old versions are read, each once."""
    spans = [  # a version was there from the commit of the number `start` up to the one before `end`
        (path, version.before, start, version.number)
        for path, versions in history.versions.items()
        if is_source(path)
        for start, version in zip([-1, *(version.number for version in versions)], versions, strict=False)
        if version.before
    ]
    numbers = sorted(number for commit in words_at if (number := tree.number(commit)) >= 0)
    spans = [(p, oid, a, b) for p, oid, a, b in spans if bisect_left(numbers, b) > bisect_left(numbers, a)]
    branches = {commit: _changed_from(tree, commit) for commit in words_at if tree.number(commit) < 0}
    oids = {oid for _, oid, _, _ in spans} | {oid for files in branches.values() for oid in files.values()}
    files = {oid: file for oid, file in tree.files_by_id(oids).items() if file.size <= MOST}
    words_of: dict[str, list[str]] = {}
    for word, holders in find_words(tree, files, set().union(*words_at.values()), most=len(files)).items():
        for oid in holders:
            words_of.setdefault(oid, []).append(word)
    by_word: dict[str, list[tuple[int, int, str]]] = {}
    for path, oid, start, end in spans:
        for word in words_of.get(oid, ()):
            by_word.setdefault(word, []).append((start, end, path))
    places_at: dict[str, dict[str, str]] = {}
    for commit, words in words_at.items():
        number, branch = tree.number(commit), branches.get(commit, {})
        places = {word: path for path, oid in branch.items() for word in words_of.get(oid, ())}
        for word in words if number >= 0 else ():
            for start, end, path in by_word.get(word, ()):
                if start <= number < end:
                    places[word] = path
        places_at[commit] = {word: places.get(word, "") for word in words}
    return places_at


def _changed_from(tree: CodeTree, commit: str) -> dict[str, str]:
    """path -> id of the source files of a commit that have changed since."""
    former = tree.changed_since(commit) or {}
    return {path: oid for path, oid in former.items() if oid and is_source(path)}


def is_partial(tree: CodeTree) -> bool:
    """Whether a source file of the tree isn't on this machine: then no word is known to be gone. A file
    without an ending is rather a program."""
    missing = (path for path, file in tree.files.items() if file.size < 0)
    return any(is_source(path) and "." in path.rpartition("/")[2] for path in missing)
