"""Where what pi is given stands in each shape of delivery, and what a request keeps of the one before."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace

from live.play import INDEX, PORT, TESTS, Play
from live.recorded import Prompt, added, breaks
from live.steps import Text


def shape_turn(play: Play) -> None:
    """`delivery.mode` is turn: entries stand before the prompt in the requests of that turn alone."""
    play.stage.ctxrepo("config", "set", "delivery.mode", "turn")
    talk = play.talk()
    for prompt in (PORT, TESTS, PORT):
        play.stage.model.will(play.agent.shell("true"), Text())
        talk.say(prompt)
    prompts = play.prompts()
    for request, prompt, words in zip(
        prompts,
        (PORT, PORT, TESTS, TESTS, PORT, PORT),
        ("6380", "6380", "make db", "make db", "6380", "6380"),
        strict=False,
    ):
        texts = _of_user(request)
        at = max(number for number, text in enumerate(texts) if prompt in text)
        ours = [
            number for number, text in enumerate(texts) if "<ctxrepo-memory" in text and INDEX not in text
        ]
        before = texts[at - 1] if at else ""
        play.report.look(
            f"one block, before the prompt: {prompt}", ours == [at - 1] and words in before, (ours, at)
        )
    play.report.look("the index came once", sum(INDEX in text for text in _of_user(prompts[-1])) == 1)
    play.report.look("the system prompt stays as it was", len({request.system for request in prompts}) == 1)
    for number in (0, 2, 4):
        gaps = breaks(prompts[number : number + 2])
        play.report.look("within a turn each request continues the one before", not gaps, gaps)
    kept = [_kept(before, other) for before, other in zip(prompts[1::2], prompts[2::2], strict=False)]
    play.report.look("a turn changes only what is behind the prompt before it", kept == [1, 5], kept)
    talk.end()
    play.asks_for_silence()


def shape_turn_steered(play: Play) -> None:
    """In the mode turn the user says the same again while the agent works: entries stay in their place."""
    play.stage.ctxrepo("config", "set", "delivery.mode", "turn")
    talk, held = play.talk(), threading.Event()
    shell = play.agent.shell("true")
    play.stage.model.will(replace(shell, held=held), shell, Text())
    talk.begin(PORT)
    talk.command("steer", message=PORT)
    held.set()
    talk.finish()
    prompts = play.prompts()
    texts = _of_user(prompts[-1])
    typed = [number for number, text in enumerate(texts) if text == PORT]
    ours = [number for number, text in enumerate(texts) if "6380" in text and "<ctxrepo-memory" in text]
    play.report.look(
        "the prompt is there twice, the entries once", (len(typed), len(ours)) == (2, 1), (typed, ours)
    )
    play.report.look("before the first one", ours == [typed[0] - 1], (typed, ours))
    play.continues(prompts)
    talk.say("Thanks a lot.")
    play.report.look("the next turn has none", "6380 on every" not in "".join(_of_user(play.prompts()[-1])))
    talk.end()
    play.asks_for_silence()


def shape_system(play: Play) -> None:
    """pi's own `delivery` is system-prompt: the packet stands there, in every request, and after a resume."""
    settings = play.stage.machine.home / ".pi" / "agent" / "settings.json"
    text = json.loads(settings.read_text())
    settings.write_text(json.dumps({**text, "pi-memory-md": {"delivery": "system-prompt"}}))
    turns = play.turns()
    turns.say(PORT)
    turns.say(TESTS)
    turns.say(PORT)
    turns.fork(f"{PORT} I forgot it.")
    prompts = play.prompts()
    play.report.look(
        "the packet is in the system prompt", all(INDEX in request.system for request in prompts)
    )
    play.report.look(
        "and in no message", not any(INDEX in text for request in prompts for text in _of_user(request))
    )
    play.report.look("the system prompt stays as it was", len({request.system for request in prompts}) == 1)
    play.report.look("an entry comes once", [len(play.given(turn)) for turn in range(4)] == [1, 1, 0, 0])
    play.continues(prompts)
    talk = play.talk()
    talk.say(PORT)
    play.stage.ctxrepo("new", "topics/late.md", "-d", "What came late")
    talk.shown("memory-refresh")
    talk.say(TESTS)
    play.report.look("/memory-refresh renews it", "What came late" in _system(play.prompts()[-1]))
    talk.end()
    play.asks_for_silence()


def shape_once(play: Play) -> None:
    """`delivery.mode` is once: the packet at the start, and nothing beside prompts."""
    play.stage.ctxrepo("config", "set", "delivery.mode", "once")
    talk = play.talk()
    for prompt in (PORT, TESTS):
        talk.say(prompt)
    texts = [text for text in _of_user(play.prompts()[-1]) if "<ctxrepo-memory" in text]
    play.report.look("one block, the packet", len(texts) == 1 and INDEX in texts[0], len(texts))
    play.continues(play.prompts())
    talk.end()
    play.asks_for_silence()


def _of_user(request: Prompt) -> list[str]:
    """The texts that aren't the model's own, in order."""
    return added(None, request)


def _system(request: Prompt) -> str:
    """The system prompt, with the patches that stand in messages."""
    return request.system + "".join(
        text for role, texts in request.texts if role == "system" for text in texts
    )


def _kept(before: Prompt, after: Prompt) -> int:
    """How many messages of `before` stand in `after` as they were, from the first one."""
    pairs = zip(before.messages, after.messages, strict=False)
    return next((n for n, (message, other) in enumerate(pairs) if message != other), len(before.messages))


ALL: dict[str, Callable[[Play], None]] = {
    f"pi-{row.__name__.replace('_', '-')}": row
    for row in (shape_turn, shape_turn_steered, shape_system, shape_once)
}
