# SPDX-License-Identifier: Apache-2.0
"""A few rows of a matrix or a frame, predicted in this process."""

from __future__ import annotations

import datetime
from typing import Any, Callable

from . import _estimator
from ._table_columns import columns_of
from .errors import ProtiumError

MOST_ROWS = 64  # More are worth the workers' start.


def quick(scorer: Any, X: Any, read: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> dict[str, Any] | None:
    """The predictions' columns for the rows as `read` returns them; None where these rows need the
    workers, who say what is wrong, too."""
    import numpy as np

    rows = _rows_of(X)
    if rows is None:
        return None
    try:
        scored = scorer.score_rows(read(rows))
    except ProtiumError:
        return None
    return {name: np.array([row[name] for row in scored]) for name in scored[0]}


def _rows_of(X: Any) -> list[dict[str, Any]] | None:
    """The rows, or None where they hold what a table turns into something else."""
    if not _estimator.is_frame(X):
        if X.dtype.kind not in "biuf":
            return None
        names = [f"x{i}" for i in range(X.shape[1])]
        return [dict(zip(names, row)) for row in X.tolist()]
    if hasattr(X, "assign"):
        values = [column.tolist() for _, column in X.items()]
    elif hasattr(X, "with_columns"):
        values = [X[name].to_list() for name in X.columns]
    else:
        return None
    plain = [[_plain(each) for each in column] for column in values]
    if any(each is NotImplemented for column in plain for each in column):
        return None
    names = columns_of(X)
    return [dict(zip(names, row)) for row in zip(*plain)]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value == value else None
    if isinstance(value, datetime.datetime):
        if value != value:  # NaT.
            return None
        return NotImplemented if value.tzinfo is not None else _micros(value - _EPOCH) / 1e6
    if isinstance(value, datetime.date):
        return (value - _EPOCH.date()).days * 86400.0
    if type(value).__name__ == "NAType":
        return None
    return NotImplemented


_EPOCH = datetime.datetime(1970, 1, 1)


def _micros(span: datetime.timedelta) -> int:
    return (span.days * 86400 + span.seconds) * 1_000_000 + span.microseconds
