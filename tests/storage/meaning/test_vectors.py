"""Vectors are kept by model and text, and may be lost at any time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

TEXTS = ["one", "two", "three"]


def rows(count: int) -> np.ndarray:
    import numpy as np

    return np.eye(count, 8, dtype=np.float32)


def test_what_was_put_is_there_for_its_model_only(tmp_path: Path) -> None:
    from ctxrepo.storage.meaning.vectors import Vectors, digest_of, row_of

    digests = [digest_of(text) for text in TEXTS]
    vectors = Vectors(tmp_path / "vectors.db", "m1")
    vectors.put(digests, rows(3))
    by_digest = Vectors(tmp_path / "vectors.db", "m1").some([*digests, digest_of("four")])
    assert set(by_digest) == set(digests)
    row = row_of(by_digest[digests[1]], 8)
    assert row is not None
    assert row.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert row_of(by_digest[digests[1]], 9) is None
    assert vectors.count(digests[:2]) == 2
    assert Vectors(tmp_path / "vectors.db", "m2").some(digests) == {}


def test_what_nobody_needs_goes_when_it_is_as_much_again(tmp_path: Path) -> None:
    from ctxrepo.storage.meaning.vectors import Vectors, digest_of

    digests = [digest_of(text) for text in TEXTS]
    Vectors(tmp_path / "vectors.db", "other").put(digests, rows(3))
    vectors = Vectors(tmp_path / "vectors.db", "m1")
    vectors.put(digests, rows(3))
    vectors.tidy(set(digests[:2]))
    assert vectors.count(digests) == 3
    vectors.tidy(set(digests[:1]))
    assert vectors.count(digests) == 1
    assert Vectors(tmp_path / "vectors.db", "other").count(digests) == 0


def test_a_torn_file_is_begun_anew(tmp_path: Path) -> None:
    from ctxrepo.storage.meaning.vectors import Vectors, digest_of

    path = tmp_path / "vectors.db"
    vectors = Vectors(path, "m1")
    vectors.put([digest_of(text) for text in TEXTS], rows(3))
    vectors.close()
    path.write_bytes(b"no database at all" * 1000)
    again = Vectors(path, "m1")
    assert again.some([digest_of("one")]) == {}
    again.put([digest_of("one")], rows(1))
    assert again.count([digest_of("one")]) == 1
