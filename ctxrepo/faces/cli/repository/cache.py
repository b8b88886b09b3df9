"""Commands about the cache that hooks answer from: cache verify, rebuild, embed."""

from __future__ import annotations

from time import monotonic

import typer

from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb

group = typer.Typer()


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="cache")


@group.callback(invoke_without_command=True)
def cache(context: typer.Context, json: Json = False) -> None:
    """Verify or rebuild what hooks answer from.

    The cache is made from the notes and follows them by itself; it can be thrown away at any time.
    Without a verb it is verified.

    Example: ctxrepo cache
    """
    without_verb(context, verify, json=json)


@group.command()
def verify(json: Json = False) -> None:
    """Compare the cache with the notes.

    Ends with 1 when it doesn't say what they say.

    Example: ctxrepo cache verify
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.rescue.verify import verify

    run = Runtime()
    run.settle()
    found = verify(run.memory)
    lines = [f"cache: {line}. `ctxrepo cache rebuild` makes it anew." for line in found]
    output.done(json, {"findings": found}, "\n".join(lines) or "the cache says what the notes say")
    raise typer.Exit(1 if found else 0)


@group.command()
def rebuild(json: Json = False) -> None:
    """Throw the cache away and build it anew from the notes.

    Example: ctxrepo cache rebuild
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.rescue.rebuild import rebuild

    run = Runtime()
    began = monotonic()
    done = rebuild(run.memory)
    seconds = round(monotonic() - began, 2)
    data = {"notes": done.notes, "entries": done.entries, "seconds": seconds}
    counted = f"{output.counted(done.notes, 'note')}, {output.counted(done.entries, 'entry', 'entries')}"
    output.done(json, data, f"built the cache anew: {counted} in {seconds} s")


@group.command()
def embed(json: Json = False) -> None:
    """Make ready what finding by meaning needs, now.

    A model that recall.model names and that isn't on this machine is fetched from the hub; nothing else ever
    does that. Then entries that have no vectors get some, which otherwise happens in the background.

    Example: ctxrepo cache embed
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.meaning.ready import make_ready
    from ctxrepo.services.repository.publish_settings import compile_for_hooks

    run = Runtime()
    run.settle()
    began = monotonic()
    done = make_ready(run.memory)
    compile_for_hooks(run.memory, run.interpreter)
    run.wake()
    seconds = round(monotonic() - began, 2)
    data = {
        "model": str(done.model),
        "fetched": done.was_fetched,
        "embedded": done.embedded,
        "texts": done.texts,
    }
    if not run.memory.settings.recall.semantic:
        output.notice("prompts are answered by words alone: `ctxrepo config set recall.semantic true`")
    texts = output.counted(done.embedded, "text")
    output.done(json, {**data, "seconds": seconds}, f"embedded {texts} of {done.texts} in {seconds} s")
