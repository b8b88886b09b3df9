"""Commands about what waits for a decision: inbox list, show, accept, decline, edit; stale."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from ctxrepo.app.repository import decide as operations
from ctxrepo.app.repository.decide import AcceptRequest, DeclineRequest, InboxRequest, RewordRequest
from ctxrepo.app.review import decisions
from ctxrepo.app.review.decisions import StaleRequest
from ctxrepo.app.views.deciding import decided_view, inbox_view, item_view, stale_view
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer_with_view, open_desk, perform
from ctxrepo.faces.cli.options import SCOPE, Group, command, json_option


@command(scope=SCOPE, project="--project P")
def stale(request: StaleRequest, json: bool = False) -> None:
    """List entries that may hold no longer, and how to clear them."""
    answer_with_view(decisions.list_stale, request, json, stale_view)


inbox = Group("inbox", "List, show and decide what waits for a person.", "list")


@inbox.command("list")
def list_items(json: Annotated[bool, json_option()] = False) -> None:
    """List everything that waits for a decision."""
    desk = open_desk()
    answer_with_view(operations.list_items, None, json, partial(inbox_view, now=desk.now), desk=desk)


@inbox.command()
@command(id="ID")
def show(request: InboxRequest, json: bool = False) -> None:
    """Show an item, and the commands that decide it."""
    desk = open_desk()
    view = partial(item_view, now=desk.now, with_commands=True)
    answer_with_view(operations.show_item, request, json, view, desk=desk)


@inbox.command()
@command(ids="ID...")
def accept(request: AcceptRequest, json: bool = False) -> None:
    """Accept items: what waits holds from now on."""
    answer_with_view(operations.accept_items, request, json, decided_view)


@inbox.command()
@command(ids="ID...", reason="--reason WHY")
def decline(request: DeclineRequest, json: bool = False) -> None:
    """Decline items: what holds now stays."""
    answer_with_view(operations.decline_items, request, json, decided_view)


@inbox.command()
@command(id="ID", text="--text TEXT")
def edit(request: RewordRequest, json: bool = False) -> None:
    """Accept a proposal with another text, in your editor or as given."""

    from ctxrepo.faces.cli.editor import edit_text, editor_of

    desk = open_desk()
    if request.text:
        answer_with_view(operations.reword_item, request, json, decided_view, desk=desk)
        return
    item = perform(desk, operations.find_proposal, InboxRequest(request.id)).value
    editor = editor_of(desk)
    if not editor:
        raise UsageError("there is no editor to open", "Give the text with --text, or set EDITOR.")
    before = f"{item.after}\n".replace("\r\n", "\n")
    text, file = edit_text(editor, before, desk.env)
    if text == before:
        output.done(json, {"changed": False}, f"unchanged, and it waits on: {item.id}")
    else:
        answer_with_view(operations.reword_item, replace(request, text=text), json, decided_view, desk=desk)
    file.unlink()
    file.parent.rmdir()
