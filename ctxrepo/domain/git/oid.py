"""Git's ids of bytes and folders, and the version that a file is based on when the record of it is lost."""

from collections.abc import Callable, Mapping

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def blob_id(data: bytes) -> str:
    """The same as `git hash-object` tells."""
    return _id(b"blob", data)


def blob_id_of(data: bytes | None) -> str | None:
    """`blob_id`; None for no file."""
    return None if data is None else blob_id(data)


def tree_id(files: Mapping[str, str], folders: Mapping[str, str]) -> str:
    """Id of the tree of plain files (name -> blob id) and folders (name -> tree id)."""
    # git orders a folder as if its name ended in a slash.
    entries = [(name.encode(), b"100644", name.encode(), oid) for name, oid in files.items()]
    entries += [(name.encode() + b"/", b"40000", name.encode(), oid) for name, oid in folders.items()]
    return _id(b"tree", b"".join(b"%b %b\0%b" % (m, n, bytes.fromhex(o)) for _, m, n, o in sorted(entries)))


def _id(kind: bytes, data: bytes) -> str:
    import hashlib  # loads OpenSSL, which isn't needed to read notes

    return hashlib.sha1(b"%b %d\0" % (kind, len(data)) + data, usedforsecurity=False).hexdigest()


def bases_of_same_head(
    disk: Mapping[str, str], head: Mapping[str, str], base: Mapping[str, str], has: Callable[[str], bool]
) -> dict[str, str]:
    """path -> id, where only the record is damaged. A file without a base is merged with the branch's as a
    stranger, so that nothing is lost; one that isn't on disk has none: its absence is no deletion."""
    bases: dict[str, str] = {}
    for path, here in disk.items():
        recorded = base.get(path)
        if here == head.get(path):
            bases[path] = here
        elif recorded is not None and has(recorded):
            bases[path] = recorded
    return bases


def bases_of_older_head(
    disk: Mapping[str, str],
    head: Mapping[str, str],
    base: Mapping[str, str],
    following: Mapping[str, str],
    *,
    disk_is_newer: bool,
) -> dict[str, str]:
    """path -> id, where the branch went back because its newest commits are lost. With `disk_is_newer` the
    files had followed those, and what they hold beyond `head` is an edit; else what differs has no base."""
    bases: dict[str, str] = {}
    for path in disk.keys() & head.keys():
        here, in_head, recorded = disk[path], head[path], base.get(path)
        had_followed = disk_is_newer and here == recorded == following.get(path)
        if in_head in (here, recorded) or had_followed:
            bases[path] = in_head
    return bases
