"""Which files a model consists of, where they are on this machine, and bringing them when a person asks."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.domain.text import blake2b
from ctxrepo.errors import ModelUnusable
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.disk.private import make_folder, opened

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

HUB = "https://huggingface.co"

MOST_TOKENS = 256
"""The most tokens of a text that are read, if its model takes them: later ones hardly move a mean."""

EXTRA = "`pipx inject ctxrepo numpy onnxruntime tokenizers`, or `pip install` them beside ctxrepo"

_LIBRARIES = ("numpy", "onnxruntime", "tokenizers")
_MOST_BYTES = 2 << 30
_DOWNLOAD_WAIT = 30.0
_CHUNK = 1 << 20
_TOKENIZER = "tokenizer.json"
_NETS = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_POOLING = "1_Pooling/config.json"
_BESIDE = ("sentence_bert_config.json", _POOLING, "config_sentence_transformers.json")
_NAME = lazy_pattern(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_ENDS = 1 << 18


@dataclass(frozen=True)
class Model:
    """A model's files and how it wants to be used."""

    folder: Path
    onnx: Path
    tokenizer: Path
    most_tokens: int
    pools_first: bool
    """The first token's vector stands for a text, rather than the mean of all."""
    entry_prefix: str
    prompt_prefix: str
    key: str
    """Another model's is another, and so is that of other weights under the same name."""


def find_model(name: str, models: Path) -> Model | None:
    """The model at the path `name`, or brought into `models` under this name; None when it isn't there."""
    folder = folder_of(name, models)
    nets = [folder / net for net in _NETS if (folder / net).is_file()] or sorted(folder.glob("*.onnx"))
    if not nets or not (folder / _TOKENIZER).is_file():
        return None
    limit = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    most = min(limit, MOST_TOKENS) if isinstance(limit, int) and limit > 0 else MOST_TOKENS
    first = _json(folder / _POOLING).get("pooling_mode_cls_token") is True
    entry = text_of(prompts, "document") or text_of(prompts, "passage")
    return Model(
        folder=folder,
        onnx=nets[0],
        tokenizer=folder / _TOKENIZER,
        most_tokens=most,
        pools_first=first,
        entry_prefix=entry,
        prompt_prefix=text_of(prompts, "query"),
        key=_key(nets[0], folder / _TOKENIZER, f"{most} {first} {entry!r}"),
    )


def has_libraries() -> bool:
    """Whether what runs models is installed; nothing of it is loaded."""
    return all(find_spec(name) for name in _LIBRARIES)


def is_path(name: str) -> bool:
    return name.startswith(("/", "~/"))


def folder_of(name: str, models: Path) -> Path:
    """Where the model of this name is, or would be."""
    if is_path(name):
        return Path(name).expanduser()
    return models / name.replace("/", "--")


def bring(name: str, models: Path, tell: Callable[[int, int], None], hub: str = HUB) -> Model:
    """Fetch the model that the hub has under `name` into `models`, only ever at a person's word; `tell`
    hears of bytes fetched, and of how many there are."""
    if not _NAME.fullmatch(name):
        raise ModelUnusable(
            f"recall.model is {name!r}, which is neither a folder with a model nor a name of the hub",
            "Names look like sentence-transformers/all-MiniLM-L6-v2.",
        )
    folder = folder_of(name, models)
    make_folder(folder)
    base = f"{hub}/{name}/resolve/main"
    for file in _BESIDE:
        _fetch(f"{base}/{file}", folder / file, tell, is_needed=False)
    _fetch(f"{base}/{_TOKENIZER}", folder / _TOKENIZER, tell)
    first, second = _NETS[1], _NETS[0]
    if not _fetch(f"{base}/{first}", folder / first, tell, is_needed=False):
        _fetch(f"{base}/{second}", folder / second, tell)
    model = find_model(name, models)
    assert model is not None
    return model


def _fetch(url: str, to: Path, tell: Callable[[int, int], None], is_needed: bool = True) -> bool:
    """One file, whole or not at all; False where the hub has none and none `is_needed`."""
    part = to.with_name(to.name + ".part")
    to.parent.mkdir(exist_ok=True, mode=0o700)
    try:
        with _web().open(url, timeout=_DOWNLOAD_WAIT) as answer, opened(part, "wb") as file:
            total = int(answer.headers.get("Content-Length") or 0)
            count = 0
            while chunk := answer.read(_CHUNK):
                count += len(chunk)
                if count > _MOST_BYTES:
                    raise OSError("it is larger than 2 GiB")
                file.write(chunk)
                tell(count, total)
            if count < total:
                raise OSError(f"it ended after {count} of {total} bytes")
        part.replace(to)
    except OSError as error:
        part.unlink(missing_ok=True)
        if getattr(error, "code", 0) == 404 and not is_needed:
            return False
        cause = getattr(error, "reason", None)  # urllib wraps what the network said
        reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else error
        raise ModelUnusable(
            f"{url} can't be fetched: {reason}", "Try again, or set recall.model to a folder."
        ) from error
    return True


def _web() -> "OpenerDirector":
    """What opens addresses of the web and no others: nothing that a hub answers leads to a file."""
    from urllib import request  # it loads half the standard library, and hardly anybody fetches

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _key(onnx: Path, tokenizer: Path, how: str) -> str:
    """A digest of the files' beginnings and ends: whole files would take as long as loading the model."""
    digest = blake2b(how.encode(), digest_size=8)
    for file in (onnx, tokenizer):
        with file.open("rb") as data:
            size = file.stat().st_size
            digest.update(size.to_bytes(8, "big") + data.read(_ENDS))
            data.seek(max(0, size - _ENDS))
            digest.update(data.read(_ENDS))
    return digest.hexdigest()


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
