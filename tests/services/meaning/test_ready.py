"""Finding by meaning is made ready by a command, and doctor says what is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from checkout import MODEL
from machines import Machine
from meanings import within

from ctxrepo.errors import ModelUnusable
from ctxrepo.services.meaning.ready import make_ready, readiness
from ctxrepo.services.repository.published import can_find_by_meaning
from ctxrepo.storage.processes.lock import is_held
from ctxrepo.storage.state.compiled import read_settings


@pytest.fixture
def machine(ada: Machine) -> Machine:
    """Somebody with a few facts in their memory."""
    ada.init()
    for fact in ("The postgres endpoint is 5433", "The office puppy is called Rex"):
        ada.remember(fact)
    ada.sync()
    return ada


def setting(machine: Machine, name: str, value: str) -> None:
    assert machine.process("config", "set", name, value).returncode == 0


def end_helper(machine: Machine) -> None:
    """Switch it off, and wait until the helper has seen it."""
    setting(machine, "recall.semantic", "false")
    lock = machine.open().state.lock("warm")
    assert within(30, lambda: not is_held(lock))


def test_off_nothing_is_missing(machine: Machine) -> None:
    assert readiness(machine.open()).missing == ""
    assert not can_find_by_meaning(machine.open())


def test_a_model_that_isnt_there_is_told_with_what_helps(machine: Machine) -> None:
    setting(machine, "recall.model", "acme/none")
    setting(machine, "recall.semantic", "true")
    now = readiness(machine.open())
    assert "acme/none isn't on this machine" in now.missing
    assert "ctxrepo cache embed" in now.remedy
    assert not can_find_by_meaning(machine.open())
    assert read_settings(machine.places.state)["semantic"] == "off"
    words = machine.process("doctor").stdout
    assert "acme/none isn't on this machine; prompts are answered by words alone" in words
    setting(machine, "recall.model", "/nowhere")
    assert "Name a folder" in readiness(machine.open()).remedy
    with pytest.raises(ModelUnusable, match="there is no model"):
        make_ready(machine.open())


def test_the_command_embeds_and_prompts_find_by_meaning(machine: Machine) -> None:
    setting(machine, "recall.model", str(MODEL))
    setting(machine, "recall.semantic", "true")
    try:
        done = machine.json("cache", "embed")
        assert done["exit"] == 0
        assert done["data"]["texts"] > 3
        assert not done["data"]["fetched"]
        assert readiness(machine.open()).behind == 0
        assert read_settings(machine.places.state)["semantic"] == "on"
        texts = done["data"]["texts"]
        assert f"meaning  {texts} of {texts} texts embedded" in machine.process("status").stdout
    finally:
        end_helper(machine)


def test_after_a_commit_the_worker_has_it_embedded(machine: Machine) -> None:
    setting(machine, "recall.model", str(MODEL))
    setting(machine, "recall.semantic", "true")
    try:
        assert machine.process("remember", "The automobile is blue").returncode == 0
        assert within(
            60, lambda: readiness(machine.open()).texts > 6 and not readiness(machine.open()).behind
        )
    finally:
        end_helper(machine)


def test_what_is_behind_is_told_while_nobody_is_at_it(machine: Machine) -> None:
    setting(machine, "recall.model", str(MODEL))
    end_helper(machine)
    machine.open().state.vectors.unlink(missing_ok=True)
    config = machine.places.config_file
    config.write_text(config.read_text().replace("semantic = false", "semantic = true"))
    assert "texts of entries have no vectors yet" in machine.process("doctor").stdout
    end_helper(machine)


def test_a_helper_that_could_not_begin_is_told(machine: Machine) -> None:
    setting(machine, "recall.model", str(MODEL))
    end_helper(machine)
    config = machine.places.config_file
    config.write_text(config.read_text().replace("semantic = false", "semantic = true"))
    machine.open().state.warm_failed.write_text("the disk is full")
    now = readiness(machine.open())
    assert "could not begin: the disk is full" in now.missing
    make_ready(machine.open())
    assert readiness(machine.open()).missing == ""
    end_helper(machine)


@pytest.fixture
def rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models put all texts near to each other, as those do whose rounded weights a processor can't add up."""
    from ctxrepo.storage.meaning.vectors import Embedder

    exact = Embedder._run

    def run(self: Embedder, texts: Sequence[str]) -> Any:
        import numpy as np

        rows = exact(self, texts)
        noise = [np.random.default_rng(len(text)).normal(0, 0.2, rows.shape[1]) for text in texts]
        near = 1.0 + np.array(noise)
        vectors: Any = near / np.linalg.norm(near, axis=1, keepdims=True)
        return vectors

    monkeypatch.setattr(Embedder, "_run", run)


@pytest.mark.usefixtures("rounded")
def test_a_model_that_tells_nothing_apart_is_refused_and_words_answer(machine: Machine) -> None:
    setting(machine, "recall.model", str(MODEL))
    end_helper(machine)
    config = machine.places.config_file
    config.write_text(config.read_text().replace("semantic = false", "semantic = true"))
    refused = machine.json("cache", "embed")
    assert refused["exit"] == 1
    assert "doesn't tell texts apart on this machine" in refused["error"]["message"]
    assert "reduce_range" in refused["error"]["hint"]
    assert "doesn't tell texts apart" in readiness(machine.open()).missing
    asked = machine.json("recall", "which endpoint has postgres?")
    assert "doesn't tell texts apart" in str(asked)
    end_helper(machine)


def test_without_the_libraries_it_says_how_to_get_them(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxrepo.storage.meaning.models._LIBRARIES", ("no_such_library",))
    config = machine.places.config_file
    config.write_text(config.read_text() + "\n[recall]\nsemantic = true\n")
    assert "`pipx inject ctxrepo numpy onnxruntime tokenizers`" in readiness(machine.open()).remedy
    with pytest.raises(ModelUnusable, match="aren't installed"):
        make_ready(machine.open())
    assert not can_find_by_meaning(machine.open())


def test_what_does_not_need_the_libraries_loads_without_them() -> None:
    code = """
import sys

class Missing:
    @staticmethod
    def find_spec(name, *_):
        if name.partition(".")[0] in ("numpy", "onnxruntime", "tokenizers"):
            raise ImportError(name)

sys.meta_path.insert(0, Missing)
import ctxrepo.services.health.doctor, ctxrepo.services.health.status, ctxrepo.services.recall.recall
import ctxrepo.services.meaning.ready, ctxrepo.services.meaning.ready
import ctxrepo.app.repository.diagnosis
import ctxrepo.services.worker.work, ctxrepo.services.repository.published
"""
    subprocess.run([sys.executable, "-c", code], check=True)
