"""Texts become vectors by a local ONNX model; the only owner of onnxruntime and tokenizers."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from ctxrepo.errors import ModelUnusable
from ctxrepo.storage.meaning.models import Model

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
            self._inputs = {given.name for given in self._session.get_inputs()}
            self._tokenizer.enable_truncation(model.most_tokens)
            self._tokenizer.enable_padding()
            self.model = model
            self.width = len(self._run(["a"])[0])
        except Exception as error:  # each library raises what it likes
            told = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelUnusable(
                f"{model.folder} holds no usable model: {told}",
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
        found = self._tokenizer.encode(text)
        return sum(found.attention_mask) - sum(found.special_tokens_mask)

    def _all(self, texts: Sequence[str]) -> Array:
        """Texts of like length go together, because all are padded to the longest."""
        found = np.zeros((len(texts), self.width), np.float32)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for first in range(0, len(order), BATCH):
            numbers = order[first : first + BATCH]
            found[numbers] = self._run([texts[number] for number in numbers])
        return found

    def _run(self, texts: Sequence[str]) -> Array:
        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
        }
        out = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        rows = self._pooled(np.asarray(out, np.float32), mask)
        length = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)
        found: Array = rows / length
        if not np.isfinite(found).all():
            raise ValueError("it answers with numbers that are none")
        return found

    def _pooled(self, out: Array, mask: Array) -> Array:
        if out.ndim == 2:  # it pools by itself
            return out
        if self.model.pools_first:
            return out[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        pooled: Array = (out * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), _SMALLEST)
        return pooled
