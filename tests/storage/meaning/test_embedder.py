"""Texts become vectors: those that mean the same are near, whatever else goes through with them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import MODEL

from ctxrepo.errors import ModelUnusable
from ctxrepo.storage.meaning.models import Model, find_model


@pytest.fixture
def model() -> Model:
    local_model = find_model(str(MODEL), Path("/nowhere"))
    assert local_model is not None
    return local_model


def test_what_means_the_same_is_near(model: Model) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    embedder = Embedder(model)
    puppy, dog, car = embedder.entries(["the puppy", "the dog", "the car"])
    assert puppy @ dog == pytest.approx(1.0)
    assert puppy @ car == pytest.approx(0.0)
    assert embedder.prompt("hound") @ dog == pytest.approx(1.0)


def test_company_changes_nothing(model: Model) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    embedder = Embedder(model)
    texts = [f"{'quick dog ' * n}house" for n in range(1, 20)]
    alone = [embedder.entries([text])[0] for text in texts]
    assert [row.tolist() for row in embedder.entries(texts)] == [pytest.approx(row.tolist()) for row in alone]


def test_a_text_without_meaning_is_no_number_gone_wrong(model: Model) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    assert not Embedder(model).entries(["", "qqq"]).any()


def test_prefixes_and_the_first_token(model: Model) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    prefixed = Embedder(replace(model, prompt_prefix="dog: "))
    assert prefixed.prompt("car") @ prefixed.entries(["dog"])[0] > 0.5
    first = Embedder(replace(model, pools_first=True))
    assert first.entries(["dog car"])[0] @ first.prompt("dog") == pytest.approx(1.0)


def test_what_cant_be_loaded_is_told_with_what_helps(model: Model, tmp_path: Path) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    (tmp_path / "model.onnx").write_bytes(b"no net")
    with pytest.raises(ModelUnusable, match="holds no usable model") as caught:
        Embedder(replace(model, folder=tmp_path, onnx=tmp_path / "model.onnx"))
    assert "\n" not in caught.value.message


def test_the_directory_says_how_its_model_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    shutil.copytree(MODEL, folder)
    plain = find_model(str(folder), tmp_path)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "q: "}}))
    model = find_model(str(folder), tmp_path)
    assert model is not None
    assert plain is not None
    assert (model.most_tokens, model.pools_first, model.prompt_prefix) == (64, True, "q: ")
    assert model.key != plain.key


def test_nobody_is_told_that_a_model_was_loaded(tmp_path: Path) -> None:
    """The library leaves the session of its reports in TMPDIR and who it is in HOME, before it sends any."""
    load = (
        "import sys; from pathlib import Path; "
        "from ctxrepo.storage.meaning.vectors import Embedder; "
        "from ctxrepo.storage.meaning.models import find_model; "
        "Embedder(find_model(sys.argv[1], Path('/nowhere'))).prompt('dog')"
    )
    home = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    before = {*tmp_path.rglob("*")}
    subprocess.run([sys.executable, "-c", load, str(MODEL)], env=home, cwd=tmp_path, check=True)
    assert {*tmp_path.rglob("*")} == before


def test_pieces_are_what_a_model_takes_a_text_apart_into(model: Model) -> None:
    from ctxrepo.storage.meaning.vectors import Embedder

    embedder = Embedder(model)
    embedder.entries(["a much longer text beside it", "short"])
    assert [embedder.pieces(text) for text in ("", "dog", "dog car", "dog quux car")] == [0, 1, 2, 3]
