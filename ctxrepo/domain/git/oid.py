"""The ids that git gives to bytes and to folders: 40 hex digits."""

from __future__ import annotations

from collections.abc import Mapping

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
    found = [(name.encode(), b"100644", name.encode(), oid) for name, oid in files.items()]
    found += [(name.encode() + b"/", b"40000", name.encode(), oid) for name, oid in folders.items()]
    return _id(b"tree", b"".join(b"%b %b\0%b" % (m, n, bytes.fromhex(o)) for _, m, n, o in sorted(found)))


def _id(kind: bytes, data: bytes) -> str:
    import hashlib  # loads OpenSSL, which isn't needed to read notes

    return hashlib.sha1(b"%b %d\0" % (kind, len(data)) + data, usedforsecurity=False).hexdigest()
