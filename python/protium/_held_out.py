# SPDX-License-Identifier: Apache-2.0
"""Validation rows that were given beside the training rows, as one table with them."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _estimator
from ._rows import count_of
from .errors import InputError, UsageError

HELD_OUT = "__held_out__"  # The column that is true in the validation rows.


class Rows(NamedTuple):
    """The rows of a fit."""

    X: Any
    y: Any
    weight: Any = None  # A number for each row.
    group: Any = None  # What group each row is of.
    held_out: Any = None  # Whether each row is of eval_set; None: no such rows were given.


def pair_of(eval_set: Any) -> tuple[Any, Any]:
    """(X, y) of eval_set=, which may be a list of one such pair."""
    pairs = [eval_set] if isinstance(eval_set, tuple) else list(eval_set)
    if len(pairs) != 1 or len(pairs[0]) != 2:
        raise UsageError(f"eval_set is {len(pairs)} sets, not one pair (X, y)",
                         fix="give the rows that choose the best epoch; evaluate() measures others")
    return pairs[0]


def with_validation(rows: Rows, X: Any, y: Any, group: Any = None) -> Rows:
    """The training rows followed by the validation rows X, y. These weigh 1."""
    import numpy as np

    before, behind = count_of(rows.X), count_of(X)
    weight = None if rows.weight is None else np.concatenate([rows.weight, np.ones(behind)])
    return Rows(_stacked(rows.X, X), np.concatenate([rows.y, y]), weight,
                None if group is None else np.concatenate([rows.group, group]),
                np.repeat([False, True], [before, behind]))


def _stacked(X: Any, below: Any) -> Any:
    import numpy as np

    if _estimator.is_frame(X) != _estimator.is_frame(below):
        raise UsageError("X of eval_set is not of the kind of X", fix="give both as frames, or both as matrices")
    if not _estimator.is_frame(X):
        return np.concatenate([X, below])
    if hasattr(X, "assign") and hasattr(below, "assign"):
        return _pandas_stacked(X, below)
    if hasattr(X, "with_columns") and hasattr(below, "with_columns"):
        import polars

        return polars.concat([X, below.select(X.columns)], how="vertical_relaxed")
    import pyarrow

    first, second = pyarrow.table(X), pyarrow.table(below)
    return pyarrow.concat_tables([first, second.select(first.column_names)], promote_options="permissive")


def _pandas_stacked(X: Any, below: Any) -> Any:
    """Categories stay such: where both frames have others, those of both."""
    import pandas

    below = below[list(X.columns)]
    for name, dtype in X.dtypes.items():
        if below[name].dtype != dtype:
            _require_alike(name, X[name], below[name])
        if str(dtype) != "category" or dtype == below[name].dtype:
            continue
        every = dtype.categories.union(below[name].astype("category").cat.categories, sort=False)
        X = X.assign(**{name: X[name].cat.set_categories(every)})
        below = below.assign(**{name: below[name].astype("category").cat.set_categories(every)})
    return pandas.concat([X, below], ignore_index=True)


def _require_alike(name: Any, column: Any, below: Any) -> None:
    """Raises where pandas would make one column of texts of two of different types."""
    kinds = [_kind_of(each) for each in (column, below)]
    if len(set(kinds) - {"nothing"}) > 1:
        raise InputError(f'column "{name}" holds {kinds[0]} in X and {kinds[1]} in eval_set',
                         fix=f'give both as {kinds[0]}')


def _kind_of(column: Any) -> str:
    from pandas.api.types import infer_dtype, is_datetime64_any_dtype

    if not column.notna().any():
        return "nothing"
    values = column.astype(object) if str(column.dtype) == "category" else column
    kind = infer_dtype(values, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        return "numbers"
    if kind in ("date", "datetime", "datetime64") or is_datetime64_any_dtype(values):
        return "times"
    return {"boolean": "booleans", "timedelta": "durations", "timedelta64": "durations"}.get(kind, "texts")
