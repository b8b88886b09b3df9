"""Whether entries can be found by meaning here, what is missing for it, and making it so."""

from contextlib import closing
from dataclasses import field
from pathlib import Path

from ctxrepo.domain.formats.plain_data import in_data
from ctxrepo.errors import ModelUnusable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.meaning.models import EXTRA, bring, find_model, has_libraries, is_path
from ctxrepo.storage.memory import Memory

EMBED = "`ctxrepo cache embed`"


@dataclass(frozen=True)
class ReadyResult:
    """What was made ready: how many texts were embedded, of how many."""

    model: Path
    was_fetched: bool = field(metadata=in_data("fetched"))
    embedded: int
    texts: int


@dataclass(frozen=True)
class Readiness:
    """What is missing, and what helps; '' when nothing is. `behind` of `texts` have no vectors yet."""

    missing: str = ""
    remedy: str = ""
    behind: int = 0
    texts: int = 0


def make_ready(memory: Memory) -> ReadyResult:
    """Fetch the model if it isn't here, and embed what isn't yet; ModelUnusable says what keeps it."""
    name, models = memory.settings.recall.model, memory.places.models
    if not has_libraries():
        raise ModelUnusable("the libraries that run a model aren't installed", EXTRA)
    is_here = find_model(name, models) is not None
    if not is_here:
        if is_path(name):
            raise ModelUnusable(
                f"recall.model is {name}, and there is no model",
                "It takes a folder with tokenizer.json and an ONNX file.",
            )

        def tell(done: int, of: int) -> None:
            _tell(memory, f"fetching {name}: {done >> 20} of {of >> 20} MB")

        bring(name, memory.places.models, tell)
    # Only now: numpy and what runs the model take as long to load as ten interpreters.
    from ctxrepo.services.meaning.meanings import embed, pending, standing
    from ctxrepo.services.meaning.semantic import open_semantic

    meanings, embedder = open_semantic(name, models, memory.state.vectors)
    _ = memory.cache.head  # laid out, should it be missing
    cache = memory.hook_cache()
    if cache is None:
        raise ModelUnusable(f"{memory.state.cache} can't be read", "`ctxrepo cache rebuild` makes it anew.")
    with closing(cache):
        texts = pending(cache, meanings.vectors)
        number = standing(cache, meanings.vectors).texts
    embed(
        meanings.vectors, embedder, texts, lambda done, of: _tell(memory, f"embedding: {done} of {of} texts")
    )
    memory.state.warm_failed.unlink(missing_ok=True)
    return ReadyResult(embedder.model.folder, not is_here, len(texts), number)


def readiness(memory: Memory) -> Readiness:
    """How it stands; nothing is loaded that runs a model, and nobody is asked."""
    wanted = memory.settings.recall
    if not wanted.semantic:
        return Readiness()
    if not has_libraries():
        return Readiness(
            "recall.semantic is on, and the libraries that run a model aren't installed", f"{EXTRA}."
        )
    model = find_model(wanted.model, memory.places.models)
    if model is None:
        remedy = "Name a folder that holds one." if is_path(wanted.model) else f"{EMBED} fetches it."
        return Readiness(f"recall.semantic is on, and the model {wanted.model} isn't on this machine", remedy)
    if memory.state.warm_failed.exists():
        why = memory.state.warm_failed.read_text("utf-8", "replace")
        return Readiness(
            f"the helper that knows meanings could not begin: {why[:300]}", f"{EMBED} tries again."
        )
    return _behind(memory, model.key)


def _behind(memory: Memory, key: str) -> Readiness:
    from ctxrepo.services.meaning.meanings import standing
    from ctxrepo.storage.meaning.vectors import Vectors

    cache = memory.hook_cache()
    if cache is None:
        return Readiness()
    with closing(cache), closing(Vectors(memory.state.vectors, key)) as vectors:
        now = standing(cache, vectors)
    return Readiness(behind=now.behind, texts=now.texts)


def _tell(memory: Memory, what: str) -> bool:
    if memory.progress:
        memory.progress(what)
    return True
