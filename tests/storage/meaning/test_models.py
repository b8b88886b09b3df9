"""Models are found where they are, and brought only when somebody asks, whole or not at all."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from checkout import MODEL

from ctxrepo.errors import ModelUnusable
from ctxrepo.storage.meaning.models import bring, find_model

NAME = "acme/tiny"


class Hub:
    """A hub on this machine: what it has by path, and how many bytes it sends of each."""

    def __init__(self) -> None:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                data = hub.files.get(self.path)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write((data or b"")[: hub.sends])

            def log_message(self, *_: object) -> None:
                pass

        self.files: dict[str, bytes] = {}
        self.sends = 1 << 30
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def has(self, path: str, data: bytes) -> None:
        self.files[f"/{NAME}/resolve/main/{path}"] = data


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    hub.has("tokenizer.json", (MODEL / "tokenizer.json").read_bytes())
    thread = threading.Thread(target=hub.server.serve_forever)
    thread.start()
    yield hub
    hub.server.shutdown()
    thread.join()
    hub.server.server_close()


def test_a_folder_or_a_name(tmp_path: Path) -> None:
    assert find_model(str(MODEL), tmp_path) is not None
    assert find_model(str(tmp_path), tmp_path) is None
    assert find_model(NAME, tmp_path) is None


@pytest.mark.parametrize("path", ["onnx/model.onnx", "model.onnx"])
def test_what_was_brought_is_found(hub: Hub, tmp_path: Path, path: str) -> None:
    hub.has(path, (MODEL / "model.onnx").read_bytes())
    progress: list[tuple[int, int]] = []
    made = bring(NAME, tmp_path, lambda done, of: progress.append((done, of)), hub.url)
    assert find_model(NAME, tmp_path) == made
    assert progress[-1][0] == progress[-1][1] == (MODEL / "model.onnx").stat().st_size


def test_half_a_file_is_none(hub: Hub, tmp_path: Path) -> None:
    hub.has("model.onnx", (MODEL / "model.onnx").read_bytes())
    hub.sends = 100
    with pytest.raises(ModelUnusable, match=r"can't be fetched"):
        bring(NAME, tmp_path / "models", lambda *_: None, hub.url)
    assert find_model(NAME, tmp_path / "models") is None
    assert [file.name for file in tmp_path.rglob("*.onnx*")] == []


def test_nobody_is_asked_for_what_is_no_name(tmp_path: Path) -> None:
    for name in ("", "../x", "a", "a/b/c", "/nowhere", "https://evil.example/x"):
        with pytest.raises(ModelUnusable, match=r"neither a folder"):
            bring(name, tmp_path / "models", lambda *_: None, "http://127.0.0.1:1")
    assert not (tmp_path / "models").exists()


def test_no_network_is_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match=r"can't be fetched") as caught:
        bring(NAME, tmp_path, lambda *_: None, "http://127.0.0.1:1")
    assert "\n" not in caught.value.message


def test_only_the_web_is_fetched_from(tmp_path: Path) -> None:
    there = tmp_path / "hub" / NAME / "resolve/main"
    shutil.copytree(MODEL, there)
    with pytest.raises(ModelUnusable, match=r"can't be fetched"):
        bring(NAME, tmp_path / "models", lambda *_: None, (tmp_path / "hub").as_uri())
    assert find_model(NAME, tmp_path / "models") is None
