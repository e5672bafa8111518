# SPDX-License-Identifier: Apache-2.0
"""Stages by name: StandardScaler(inputs=["x"]) is {"kind": "standard_scaler", "inputs": ["x"]}.

`protium help stages` tells what there is and every option; a name or an option that there is not is
told when the pipeline is fitted, with the nearest one.
"""

from __future__ import annotations

import re
from typing import Any, Callable

from .model import Stage


def __getattr__(name: str) -> Callable[..., Stage]:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()

    def make(**options: Any) -> Stage:
        return Stage(kind=kind, **options)

    make.__name__ = make.__qualname__ = name
    return make


def outputs_of(stage: str) -> dict[str, str]:
    """All outputs of an earlier stage, as an input of a later one."""
    return {"stage": stage}
