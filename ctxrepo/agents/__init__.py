"""The coding agents that ctxrepo connects to: each is a folder here.

No code outside its folder names an agent (ADR 63). Two things of agents stand elsewhere: the marker of their
notices (domain/words/prompt_terms.py), and where the plugin's script looks for its settings (hooks/run).

Light, because hooks load it: what a folder offers besides its dialect is in `known.py`."""

import os

from ctxrepo.hooks.dialect import Dialect

_HERE = os.path.dirname(os.path.abspath(__file__))
_LOADED: dict[str, Dialect] = {}


def names() -> list[str]:
    """The names of all agents, as the command line and the hook lines spell them."""
    return sorted(name for name in os.listdir(_HERE) if os.path.isfile(f"{_HERE}/{name}/dialect.py"))


def dialect_of(name: str) -> Dialect | None:
    """How the agent of this name talks to hooks; None when there is no such agent. ImportError when its
    folder is there and its dialect isn't."""
    low = name.lower()
    if low in _LOADED:
        return _LOADED[low]
    if not low.isalnum() or not os.path.isdir(f"{_HERE}/{low}"):
        return None
    module = __import__(f"ctxrepo.agents.{low}.dialect", fromlist=["DIALECT"])
    _LOADED[low] = module.DIALECT
    return _LOADED[low]


def only_reads(agent: str, tool: str) -> bool:
    """Whether this tool of the agent only reads the files that it names."""
    dialect = dialect_of(agent)
    return dialect is not None and dialect.only_reads(tool)
