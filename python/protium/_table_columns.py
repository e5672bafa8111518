# SPDX-License-Identifier: Apache-2.0
"""Matrices and frames as tables whose columns estimators can use."""

from __future__ import annotations

from typing import Any

from . import _estimator
from .errors import InputError
from .frame import Frame
from .session import Session

LABEL, WEIGHT, ROW = "__label__", "__weight__", "__row__"
_NUMBERS = ("bool", "int32", "int64", "float32", "float64", "decimal")

_WHOLE = ("int32", "int64")

# Times by their type as seconds since 1970.
_SECONDS = {"date": "CAST(unix_date({}) AS DOUBLE) * 86400",
            "timestamp": "CAST(unix_micros({}) AS DOUBLE) / 1000000"}


def same_rows(X: Any, y: Any) -> None:
    """Raises unless X and y have as many rows."""
    rows = X.shape[0] if hasattr(X, "shape") else len(y)
    if rows != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                         f"[{rows}, {len(y)}]")


def table_of(session: Session, X: Any, extra: dict[str, Any]) -> tuple[Frame, dict[str, str]]:
    """The table of X with `extra` columns or, without any, the numbers of its rows; and what each
    column of X is: "number", "text", or "" where it is neither. Columns of a matrix are x0, x1, ...
    """
    import numpy as np

    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    extra = extra or {ROW: np.arange(rows)}
    if not _estimator.is_frame(X):
        columns = {f"x{i}": column for i, column in enumerate(_columns(X))}
        return session.table({**columns, **extra}), {name: "number" for name in columns}
    frame = session.table(_joined(X, extra))
    categories = _categories(X)
    kinds = {name: "text" if name in categories and kind in _WHOLE else _kind(kind)
             for name, kind in frame.schema.items() if name not in extra}
    return _with_seconds(frame, kinds)


def of_kind(kinds: dict[str, str], wanted: str) -> list[str]:
    """The names of the columns of this kind."""
    return [name for name, kind in kinds.items() if kind == wanted]


def require_usable(kinds: dict[str, str]) -> None:
    """Raises where columns are neither numbers nor texts nor times."""
    if "" in kinds.values():
        names = ", ".join(f'"{name}"' for name, kind in kinds.items() if not kind)
        raise InputError(f"columns {names} hold neither numbers nor texts nor times",
                         fix="leave them out, or turn them into such")


def _columns(X: Any) -> Any:
    """The columns of a matrix, each in one piece. Rows are turned in blocks that stay in the
    processor's cache; column after column reads the whole matrix each time.
    """
    import numpy as np

    if not X.flags.c_contiguous or X.dtype.kind not in "fiu":
        return X.T
    rows_at_once = 2048
    columns = np.empty(X.shape[::-1], X.dtype)
    for begin in range(0, X.shape[0], rows_at_once):
        columns[:, begin:begin + rows_at_once] = X[begin:begin + rows_at_once].T
    return columns


def _joined(X: Any, extra: dict[str, Any]) -> Any:
    """The frame X with columns of NumPy's behind its own."""
    taken = set(extra) & {str(name) for name in getattr(X, "columns", [])}
    if taken:
        raise InputError(f'column "{taken.pop()}" has a name that fitting needs', fix="rename it")
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


def _categories(X: Any) -> set[str]:
    """The columns that pandas calls categories, which may be numbers."""
    if not hasattr(X, "assign"):
        return set()
    return {str(name) for name, dtype in X.dtypes.items() if str(dtype) == "category"}


def _kind(kind: str) -> str:
    if kind in _SECONDS:
        return kind
    if kind == "string" or kind == "bool":
        return "text"
    return "number" if kind.split("(")[0] in _NUMBERS else ""


def _with_seconds(frame: Frame, kinds: dict[str, str]) -> tuple[Frame, dict[str, str]]:
    """Times as seconds since 1970, which are numbers."""
    if not set(kinds.values()) & set(_SECONDS):
        return frame, kinds
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in frame.columns}
    terms = [_SECONDS.get(kinds.get(name, ""), "{}").format(each) + f" AS {each}"
             for name, each in quoted.items()]
    told = frame.sql(f"SELECT {', '.join(terms)} FROM this")
    return told, {name: "number" if kind in _SECONDS else kind for name, kind in kinds.items()}
