# SPDX-License-Identifier: Apache-2.0
"""Stages by name: StandardScaler(inputs=["x"]) is {"kind": "standard_scaler", "inputs": ["x"]}.

dir() lists them and help() shows the options of each, as `protium help stages` does. A stage of an
extension is protium.Stage(kind="its_name", ...).
"""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import keyword
import re
from pathlib import Path
from typing import Any, Callable

from .errors import UsageError
from .model import Stage


class _Unset:
    def __repr__(self) -> str:
        return "unset"


_UNSET = _Unset()


@functools.lru_cache(maxsize=None)
def _kinds() -> dict[str, Any]:
    """What each stage does, and its options, by the name of its constructor."""
    kinds = json.loads(Path(__file__).with_name("stages.json").read_text(encoding="utf-8"))
    return {"".join(word.capitalize() for word in kind.split("_")): {"kind": kind, **own}
            for kind, own in kinds.items()}


def _nearest(name: str, known: Any) -> str:
    # Capitals and underscores are what is mistaken most often.
    plain = {re.sub("[^a-z0-9]", "", each.lower()): each for each in known}
    close = difflib.get_close_matches(re.sub("[^a-z0-9]", "", name.lower()), plain, 1, 0.6)
    return plain[close[0]] if close else ""


def _constructor(name: str, own: dict[str, Any]) -> Callable[..., Stage]:
    options = own["options"]

    def make(**given: Any) -> Stage:
        given = {option.rstrip("_"): each for option, each in given.items()}  # with_ is "with".
        for option in given:
            if option not in options:
                near = _nearest(option, options)
                raise UsageError(f"{name} has no option {option!r}",
                                 fix=f'did you mean "{near}"?' if near else f"one of {', '.join(options)}")
        return Stage(kind=own["kind"], **given)

    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    lines = [f"    {option}: {says}" for option, says in options.items()]
    make.__doc__ = "\n".join([own["says"][:1].upper() + own["says"][1:] + ".", "", *lines, ""])
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(option + "_" * keyword.iskeyword(option), inspect.Parameter.KEYWORD_ONLY, default=_UNSET)
         for option in options], return_annotation="Stage")
    return make


def __getattr__(name: str) -> Callable[..., Stage]:
    own = _kinds().get(name) if not name.startswith("_") else None
    if own is not None:
        made = globals()[name] = _constructor(name, own)
        return made
    message = f"module {__name__!r} has no attribute {name!r}"
    if re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        near = _nearest(name, _kinds())
        message = f"there is no stage {name}" + (f"; did you mean {near}?" if near else ".") + \
            " dir(protium.stages) lists all; one of an extension is protium.Stage(kind=...)"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted([*_kinds(), "outputs_of"])


def outputs_of(stage: str) -> dict[str, str]:
    """All outputs of an earlier stage, as inputs of a later one."""
    return {"stage": stage}
