# SPDX-License-Identifier: Apache-2.0
"""How estimators are fitted where nothing is said: as a job that `protium init` writes."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from . import _estimator
from .errors import UsageError
from .frame import Frame

FEWEST_TO_HOLD_OUT = 100  # Rows; of fewer, a share may well be none.


class Effort(NamedTuple):
    """How long to learn, by the number of rows."""

    batch: int
    epochs: int
    patience: int
    validation: float  # Of trees,
    net_validation: float  # and of nets.
    leaves: int


def effort_for(rows: int) -> Effort:
    """As SetEffort() of src/doors/inspect/first_outline.cc."""
    batch = 256 if rows < 200_000 else 512
    while batch > 16 and batch * 20 > rows:
        batch //= 2
    epochs = min(max(1500 * batch // max(rows, 1), 8), 100)
    held_out = rows >= FEWEST_TO_HOLD_OUT
    return Effort(batch, epochs, max(epochs // 4, 5), (0.2 if rows < 1000 else 0.1) if held_out else 0.0,
                  (0.2 if rows < 20_000 else 0.1) if held_out else 0.0,
                  15 if rows < 20_000 else 31 if rows < 200_000 else 63)


def seed_for(random_state: Any) -> int:
    """The seed of a state; another one each time for None, as scikit-learn has it."""
    if random_state is None:
        return random.SystemRandom().randrange(2**31 - 1)
    return _estimator.seed_of(random_state)


def mostly_equal(frame: Frame, names: list[str]) -> bool:
    """Whether most rows equal another one in these columns: to hold out by their values, which keeps
    equal rows together, would leave few groups of rows to choose from."""
    columns = frame.select(*names).limit(2000).to_columns()
    rows = len(next(iter(columns.values()), ()))
    different = len(set(zip(*(map(repr, each.tolist()) for each in columns.values()))))
    return different * 2 < rows


def merged(own: dict[str, Any], named: dict[str, str], given: Any) -> dict[str, Any]:
    """Options of [train], of which `given` says more. What a parameter has set already, by the names in
    `named`, is refused there."""
    for key in given or {}:
        if key in named:
            raise UsageError(f"{key} is given twice: as {named[key]}= and in train=", fix="leave one of them out")
    return {**own, **(given or {})}
