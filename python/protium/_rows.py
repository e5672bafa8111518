# SPDX-License-Identifier: Apache-2.0
"""Predictions in the order of the rows: engines give them in any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from .errors import InputError
from .frame import Frame

if TYPE_CHECKING:
    from .model import Model

ROW = "__row__"


def joined(X: Any, extra: dict[str, Any]) -> Any:
    """A frame of pandas, Polars or pyarrow, or a dict, with columns of NumPy's behind its own."""
    taken = set(extra) & {str(name) for name in getattr(X, "columns", X if isinstance(X, Mapping) else [])}
    if taken:
        raise InputError(f'column "{taken.pop()}" has a name that is needed here', fix="rename it")
    if isinstance(X, Mapping):
        return {**X, **extra}
    if hasattr(X, "assign"):  # pandas.
        named = X.set_axis([str(name) for name in X.columns], axis=1)
        return named.reset_index(drop=True).assign(**extra)
    if hasattr(X, "with_columns"):  # Polars.
        import polars

        return X.with_columns(**{name: polars.Series(each) for name, each in extra.items()})
    import pyarrow

    table = pyarrow.table(X)
    for name, each in extra.items():
        table = table.append_column(name, pyarrow.array(each))
    return table


def count_of(X: Any) -> int:
    """The number of rows of a matrix, a frame or a dict of columns."""
    if isinstance(X, Mapping):
        return len(next(iter(X.values()), ()))
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def sorted_by_row(columns: dict[str, Any]) -> dict[str, Any]:
    """Columns, one of them ROW, in the order that it says, without it."""
    import numpy as np

    order = np.argsort(columns.pop(ROW))
    return {name: each[order] for name, each in columns.items()}


def in_order(model: "Model", table: Any) -> dict[str, Any]:
    """The columns that the model predicts, in the order of the rows. Frames of a session and files have
    no order of their own: theirs come as the engine gives them."""
    import numpy as np

    if not isinstance(table, Frame) and not hasattr(table, "__fspath__") and not isinstance(table, str):
        rows = joined(table, {ROW: np.arange(count_of(table))})
        return sorted_by_row(model.transform(rows, keep=[ROW]).to_columns())
    frame = model.session.table(table)
    scored = model.transform(frame)
    return scored.select(*[name for name in scored.columns if name not in frame.columns]).to_columns()
