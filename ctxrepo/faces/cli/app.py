"""The one boundary of the command line, where errors become words and exit codes."""

import os
from collections.abc import Sequence

from ctxrepo.app.surprise import log_traceback, of_database
from ctxrepo.errors import INTERRUPTED, CtxrepoError, Unsaved, next_step
from ctxrepo.faces.cli import output, pipe, table, waiting
from ctxrepo.faces.cli.answer import ExitWith, close_desks
from ctxrepo.faces.cli.plain import plain_call
from ctxrepo.faces.cli.synonyms import with_own_names


def main(words: Sequence[str]) -> int:
    """Run one command; returns its exit code and never shows a traceback."""
    output.prepare()
    words = with_own_names(list(words))
    waiting.begin()
    try:
        code = _run(words, as_json="--json" in words)
    finally:
        waiting.over()
        close_desks()
    return pipe.finish(code)


def _run(words: Sequence[str], as_json: bool) -> int:
    try:
        return _call(words)
    except ExitWith as ended:
        return ended.code
    except Unsaved as error:
        from ctxrepo.app.unsaved import with_ticket  # only in sandboxes

        output.failed(as_json, with_ticket(error, words, os.environ))
        return error.exit_code
    except CtxrepoError as error:
        output.failed(as_json, error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        log_traceback(os.environ)
        where = f"{error.filename}: " if error.filename else ""
        hint = next_step(error) or "Remove what is in the way there, and run the command again."
        output.failed(as_json, CtxrepoError(f"{where}{error.strerror or error}", hint))
        return 1
    except Exception as error:
        output.failed(as_json, _surprise(error, log_traceback(os.environ)))
        return 1


def _call(words: Sequence[str]) -> int:
    """Run the command of a command line; the parser is loaded only for lines that aren't plain."""
    call = plain_call(words, table.read())
    if call:
        call()
        return 0
    from ctxrepo.faces.cli.parser import run

    return run(words)


def _surprise(error: Exception, report: str) -> CtxrepoError:
    return of_database(error, os.environ) or CtxrepoError(
        f"unexpected: {type(error).__name__}: {error}", report
    )
