"""Whether entries can be found by meaning here, what is missing for it, making it so, and finding them."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import field
from pathlib import Path

from ctxrepo.domain.formats.plain_data import in_data
from ctxrepo.errors import CtxrepoError, ModelUnusable
from ctxrepo.hooks.recall.ranking import RecallRequest
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.entries import EntryMatch, all_scopes, entries_numbered
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

    try:
        meanings, embedder = open_semantic(name, models, memory.state.vectors)
    except ModelUnusable as error:  # for doctor to tell, and hooks start no helper for a while
        memory.state.warm_failed.write_text(error.message, "utf-8")
        raise
    _ = memory.cache.head  # laid out, should it be missing
    cache = memory.hook_cache()
    if cache is None:
        raise ModelUnusable(f"{memory.state.cache} can't be read", "`ctxrepo cache rebuild` makes it anew.")
    with closing(cache):
        texts = pending(cache, meanings.vectors)
        _, number = standing(cache, meanings.vectors)
    embed(
        meanings.vectors, embedder, texts, lambda done, of: _tell(memory, f"embedding: {done} of {of} texts")
    )
    memory.state.warm_failed.unlink(missing_ok=True)
    return ReadyResult(embedder.model.folder, not is_here, len(texts), number)


def readiness(memory: Memory) -> Readiness:
    """How it stands; nothing is loaded that runs a model, and nobody is asked."""
    recall = memory.settings.recall
    if not recall.semantic:
        return Readiness()
    if not has_libraries():
        return Readiness(
            "recall.semantic is on, and the libraries that run a model aren't installed", f"{EXTRA}."
        )
    model = find_model(recall.model, memory.places.models)
    if model is None:
        remedy = "Name a folder that holds one." if is_path(recall.model) else f"{EMBED} fetches it."
        return Readiness(f"recall.semantic is on, and the model {recall.model} isn't on this machine", remedy)
    if memory.state.warm_failed.exists():
        why = memory.state.warm_failed.read_text("utf-8", "replace")
        return Readiness(
            f"the helper that knows meanings could not begin: {why[:300]}", f"{EMBED} tries again."
        )
    from ctxrepo.services.meaning.meanings import standing
    from ctxrepo.storage.meaning.vectors import Vectors

    cache = memory.hook_cache()
    if cache is None:
        return Readiness()
    with closing(cache), closing(Vectors(memory.state.vectors, model.key)) as vectors:
        behind, texts = standing(cache, vectors)
    return Readiness(behind=behind, texts=texts)


def _tell(memory: Memory, what: str) -> bool:
    if memory.progress:
        memory.progress(what)
    return True


Near = tuple[EntryMatch, float, float]
"""(the entry, what it is put in order by, and how near its meaning comes: 1 for the same, 0 for nothing)"""


def near(
    memory: Memory, text: str, scopes: Sequence[str] | None, most: int, *, by_words_too: bool
) -> list[Near]:
    """The entries of some scopes (None: of all) nearest to a text by meaning, or also by words, best first;
    only what prompts may be given. ModelUnusable, with the way on, where no model has read any entry."""
    if not has_libraries():
        raise ModelUnusable(
            "searching by meaning needs libraries that are not installed",
            f"{EXTRA}, then `ctxrepo config set recall.semantic true` and `ctxrepo cache embed`.",
        )
    cache = memory.hook_cache()
    if cache is None:
        raise CtxrepoError("there is no cache that can be read", "`ctxrepo cache rebuild` makes it.")
    # Only now: numpy and what runs the model take as long to load as ten interpreters.
    from ctxrepo.services.meaning.semantic import open_semantic, score_by_meaning, text_of

    name = memory.settings.recall.model
    with closing(cache):
        meanings, embedder = open_semantic(name, memory.places.models, memory.state.vectors)
        with closing(meanings.vectors):
            request = RecallRequest(text, [], list(scopes or all_scopes(cache)), most)
            space = meanings.of(cache, request.scopes)
            if not space.is_known.any():
                raise ModelUnusable(
                    "no entry here was read for its meaning yet", "`ctxrepo cache embed` reads them, once."
                )
            numbers, likeness = space.numbers.tolist(), space.ranked @ embedder.prompt(text_of(request))
            rows = zip(numbers, likeness.tolist(), space.is_known, strict=True)
            nearness = {number: likeness for number, likeness, is_known in rows if is_known}
            fused = score_by_meaning(cache, meanings, embedder, request) if by_words_too else None
    scores = fused.by_number if fused else nearness
    order = sorted(scores, key=lambda number: (-scores[number], number))[:most]
    entries = memory.cache.ask(entries_numbered, order)
    return [(entries[n], scores[n], nearness.get(n, 0.0)) for n in order if n in entries]
