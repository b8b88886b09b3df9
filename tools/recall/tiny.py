"""Makes `tests/fixtures/model/`, a model of a few words that tests embed with: `python tools/recall/tiny.py`.

Words of one line of `GROUPS` mean the same to it, and all others nothing. Needs the package onnx.
"""

from __future__ import annotations

import json

import numpy as np
import onnx
from checkout import MODEL
from onnx import TensorProto, helper, numpy_helper

FOLDER = MODEL
GROUPS = """
    database postgres storage
    port socket endpoint
    deploy ship release rollout
    money invoice billing payment
    dog puppy hound
    cat kitten feline
    fast quick rapid swift
    slow sluggish tardy
    happy glad cheerful
    car automobile vehicle
    house home dwelling
    test check exam
"""


def main() -> None:
    groups = [line.split() for line in GROUPS.strip().splitlines()]
    words = ["[PAD]", "[UNK]", *(word for group in groups for word in group)]
    table = np.zeros((len(words), len(groups)), np.float32)
    for number, group in enumerate(groups):
        for word in group:
            table[words.index(word), number] = 1.0
    FOLDER.mkdir(exist_ok=True)
    onnx.save(net(table), FOLDER / "model.onnx")
    (FOLDER / "tokenizer.json").write_text(json.dumps(tokenizer(words), indent=1) + "\n")


def net(table: np.ndarray) -> onnx.ModelProto:
    given = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
        for n in ("input_ids", "attention_mask")
    ]
    value = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["batch", "length", table.shape[1]]
    )
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "tiny", given, [value], [numpy_helper.from_array(table, "table")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def tokenizer(words: list[str]) -> dict[str, object]:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {w: n for n, w in enumerate(words)}, "unk_token": "[UNK]"},
    }


if __name__ == "__main__":
    main()
