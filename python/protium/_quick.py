# SPDX-License-Identifier: Apache-2.0
"""A few rows of a matrix or a frame, predicted in this process."""

from __future__ import annotations

import datetime
from typing import Any, Mapping

from . import _estimator
from ._like_fit import Fitted
from ._table_columns import columns_of
from .errors import ProtiumError

MOST_ROWS = 64  # More are worth the workers' start.


def quick(scorer: Any, X: Any, fitted: Mapping[str, Fitted]) -> dict[str, Any] | None:
    """The predictions' columns for the rows, of which `fitted` has the columns; None where these rows
    need the workers, who say what is wrong, too."""
    import numpy as np

    rows = _rows_of(X, fitted)
    if rows is None:
        return None
    try:
        scored = scorer.score_rows(rows)
    except ProtiumError:
        return None
    return {name: np.array([row[name] for row in scored]) for name in scored[0]}


def _rows_of(X: Any, fitted: Mapping[str, Fitted]) -> list[dict[str, Any]] | None:
    """The rows, or None where they hold what a table turns into something else."""
    if not _estimator.is_frame(X):
        if X.dtype.kind not in "biuf":
            return None
        return [dict(zip(fitted, row)) for row in X.tolist()]
    if hasattr(X, "assign"):
        values = [column.tolist() for _, column in X.items()]
    elif hasattr(X, "with_columns"):
        values = [X[name].to_list() for name in X.columns]
    else:
        return None
    names = columns_of(X)
    types = [fitted[name].type if name in fitted else "" for name in names]
    plain = [[_plain(each, type) for each in column] for column, type in zip(values, types)]
    if any(each is NotImplemented for column in plain for each in column):
        return None
    return [dict(zip(names, row)) for row in zip(*plain)]


def _plain(value: Any, type_: str) -> Any:
    """A value for a column of this type as JSON has it; NotImplemented where it has to be read as one of
    that type, or where JSON has none."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float):
        return value if value == value else None
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value if type_ == "string" else NotImplemented
    if isinstance(value, datetime.datetime):
        fits = type_ == "timestamp" and value.tzinfo is None
        return value.isoformat(sep=" ", timespec="microseconds") if fits else NotImplemented
    if isinstance(value, datetime.date):
        return value.isoformat() if type_ in ("date", "timestamp") else NotImplemented
    return NotImplemented
