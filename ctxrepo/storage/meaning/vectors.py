"""Texts become vectors by a local ONNX model, the only owner of onnxruntime and tokenizers; and vectors.db,
which owns what they have become. It is disposable, and apart from cache.db, so that a writer of one never
waits for a writer of the other."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from ctxrepo.domain.text import blake2b
from ctxrepo.errors import ModelUnusable
from ctxrepo.storage.meaning.models import Model
from ctxrepo.storage.processes.database import Schema, discard, rerun_if_damaged, transaction

# From 1.29 on it tells its makers, over the network, of each model that it loads. This alone prevents all of
# that, and only before it begins: the line has to stand above the import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

BATCH = 8
"""Texts at once: so few that whoever asks something meanwhile has not long to wait."""

Array = np.ndarray[Any, Any]

_SMALLEST = 1e-9


class Embedder:
    """A loaded model. One thread: whoever works at this machine has the others."""

    def __init__(self, model: Model) -> None:
        """Load `model`; ModelUnusable when its files can't be."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            providers = ["CPUExecutionProvider"]
            self._session = onnxruntime.InferenceSession(str(model.onnx), options, providers=providers)
            self._tokenizer = Tokenizer.from_file(str(model.tokenizer))
            self._inputs = {node.name for node in self._session.get_inputs()}
            self._tokenizer.enable_truncation(model.most_tokens)
            self._tokenizer.enable_padding()
            self.model = model
            self.width = len(self._run(["a"])[0])
        except Exception as error:  # each library raises what it likes
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelUnusable(
                f"{model.folder} holds no usable model: {reason}",
                "`ctxrepo config set recall.model FOLDER` names another.",
            ) from error

    def entries(self, texts: Sequence[str]) -> Array:
        """A row of length 1 for each text that is kept."""
        return self._all([self.model.entry_prefix + text for text in texts])

    def prompt(self, text: str) -> Array:
        """One such row for a text that asks."""
        row: Array = self._all([self.model.prompt_prefix + text])[0]
        return row

    def pieces(self, text: str) -> int:
        """Into how many tokens the model takes a text apart, as far as it reads it."""
        encoding = self._tokenizer.encode(text)
        return sum(encoding.attention_mask) - sum(encoding.special_tokens_mask)

    def _all(self, texts: Sequence[str]) -> Array:
        """Texts of like length go together, because all are padded to the longest."""
        vectors = np.zeros((len(texts), self.width), np.float32)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for first in range(0, len(order), BATCH):
            numbers = order[first : first + BATCH]
            vectors[numbers] = self._run([texts[number] for number in numbers])
        return vectors

    def _run(self, texts: Sequence[str]) -> Array:
        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in encoded], np.int64)
        inputs = {
            "input_ids": np.array([encoding.ids for encoding in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([encoding.type_ids for encoding in encoded], np.int64),
        }
        out = self._session.run(None, {name: inputs[name] for name in self._inputs})[0]
        rows = self._pooled(np.asarray(out, np.float32), mask)
        length = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)
        vectors: Array = rows / length
        if not np.isfinite(vectors).all():
            raise ValueError("it answers with numbers that are none")
        return vectors

    def _pooled(self, out: Array, mask: Array) -> Array:
        if out.ndim == 2:  # it pools by itself
            return out
        if self.model.pools_first:
            return out[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        pooled: Array = (out * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), _SMALLEST)
        return pooled


_SCHEMA = Schema(1, __spec__, "vectors.sql")
_PUT = "insert or replace into vector values (?, ?, ?)"
_GET = "select text, data from vector where model = ?"
_TIMES = 2
"""Vectors that nobody needs any more are kept until there are so many times what is needed."""

_AT_ONCE = 500
_KEPT = np.float16


def digest_of(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _discard(vectors: "Vectors") -> None:
    vectors._db.close()
    discard(vectors._path)
    vectors._db = _SCHEMA.open(vectors._path)


class Vectors:
    """The vectors of one model."""

    def __init__(self, path: Path, model: str) -> None:
        self._path, self._model = path, model
        self._db = _SCHEMA.open(path)

    def close(self) -> None:
        self._db.close()

    @rerun_if_damaged(_discard)
    def some(self, digests: Collection[bytes]) -> dict[bytes, bytes]:
        """Digest of a text -> its vector as it is kept, of these that are there."""
        vectors: dict[bytes, bytes] = {}
        keys = list(digests)
        for first in range(0, len(keys), _AT_ONCE):
            batch = keys[first : first + _AT_ONCE]
            places = ",".join("?" * len(batch))
            vectors.update(self._db.execute(f"{_GET} and text in ({places})", (self._model, *batch)))
        return vectors

    @rerun_if_damaged(_discard)
    def count(self, digests: Collection[bytes]) -> int:
        """How many of these are there."""
        rows = self._db.execute("select text from vector where model = ?", (self._model,))
        return len({row[0] for row in rows} & set(digests))

    @rerun_if_damaged(_discard)
    def put(self, digests: Sequence[bytes], rows: Array) -> None:
        data = [(self._model, d, row.astype(_KEPT).tobytes()) for d, row in zip(digests, rows, strict=True)]
        with transaction(self._db):
            self._db.executemany(_PUT, data)

    @rerun_if_damaged(_discard)
    def tidy(self, needed: set[bytes]) -> None:
        """Let go of other models' vectors, and of gone texts' once these are as many as the others."""
        with transaction(self._db):
            self._db.execute("delete from vector where model != ?", (self._model,))
            there = [row[0] for row in self._db.execute("select text from vector")]
            if len(there) > _TIMES * len(needed):
                rows = [(text,) for text in there if text not in needed]
                self._db.executemany("delete from vector where text = ?", rows)


def row_of(data: bytes, width: int) -> Array | None:
    """A vector as it was kept; None when it isn't of this width."""
    row: Array = np.frombuffer(data, _KEPT) if len(data) == 2 * width else np.empty(0)
    return row if len(row) else None
