# SPDX-License-Identifier: Apache-2.0
"""Matrices and frames as tables whose columns estimators can use."""

from __future__ import annotations

import warnings
from typing import Any, Collection, Sequence

from . import _estimator
from ._rows import ROW, count_of, joined
from .errors import InputError
from .frame import Frame
from .session import Session

WEIGHT, GROUP = "__weight__", "__group__"
# What a model adds, which no column of the table may be called.
_RESERVED = ("prediction", "probability", "probabilities")
_NUMBERS = ("bool", "int32", "int64", "float32", "float64", "decimal")

_WHOLE = ("int32", "int64")

_ODD_FIX = "leave out what no estimator takes, or make a column of each item of a list"

# As `protium init` has them.
_FEW_TEXTS, _ROWS_OF_TEXT = 20, 3

# The ids of the stages that make numbers of times, and of texts that are times.
_TIMES, _TEXT_TIMES = "time", "read"


def same_rows(X: Any, y: Any) -> None:
    """Raises unless X and y have as many rows."""
    rows = count_of(X)
    if rows != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                         f"[{rows}, {len(y)}]")


def table_of(session: Session, X: Any, extra: dict[str, Any],
             as_texts: Collection[str] = (), names: Sequence[str] = ()) -> tuple[Frame, dict[str, str]]:
    """The table of X with `extra` columns or, without any, the numbers of its rows; and what each
    column of X is: "number", "text", "time", or "" where it is none of these. Columns of a matrix are
    `names`, unless given x0, x1, ... `as_texts`: columns of pandas whose every value becomes a text.
    """
    import numpy as np

    extra = extra or {ROW: np.arange(count_of(X))}
    if not _estimator.is_frame(X):
        columns = dict(zip(names or columns_of(X), _columns(X)))
        return session.table({**columns, **extra}), {name: "number" for name in columns}
    X = _named(_plain_types(X, as_texts))
    frame = session.table(joined(X, extra))
    categories = _categories(X)
    kinds = {name: "text" if name in categories and kind in _WHOLE else _kind(kind)
             for name, kind in frame.schema.items() if name not in extra}
    return frame, kinds


def free_name(wanted: Any, X: Any, otherwise: str) -> str:
    """A name for a column beside those of X: the wanted one if it is a text and free."""
    names = {name.lower() for name in columns_of(X)} | set(_RESERVED)
    name = wanted if isinstance(wanted, str) and wanted else otherwise
    while name.lower() in names:
        name += "_"
    return name


def columns_of(X: Any) -> list[str]:
    """The names that the columns of X have in tables."""
    if not _estimator.is_frame(X):
        return [f"x{i}" for i in range(X.shape[1])]
    given = X.columns if hasattr(X, "assign") or hasattr(X, "with_columns") else pyarrow_names(X)
    names = [str(name) for name in given]
    taken = {name.lower() for name in names}
    for i, name in enumerate(names):
        if name.lower() in _RESERVED:
            while names[i].lower() in taken | set(_RESERVED):
                names[i] += "_"
            taken.add(names[i].lower())
    return names


def pyarrow_names(X: Any) -> list[str]:
    """The names of the columns of what has __arrow_c_stream__."""
    names = getattr(X, "column_names", None)
    return list(names) if names is not None else list(X.columns)


def _named(X: Any) -> Any:
    """The frame with the names of columns_of()."""
    names = columns_of(X)
    if hasattr(X, "set_axis"):  # pandas.
        return X.set_axis(names, axis=1)
    if hasattr(X, "with_columns"):  # Polars.
        return X.rename(dict(zip(X.columns, names)))
    if not hasattr(X, "rename_columns"):
        import pyarrow

        X = pyarrow.table(X)
    return X.rename_columns(names)


def _plain_types(X: Any, as_texts: Collection[str] = ()) -> Any:
    """A frame without what tables do not carry: durations as seconds, columns of texts and others as
    texts, sparse columns as full ones."""
    if hasattr(X, "with_columns"):
        import polars

        long = [name for name, kind in X.schema.items() if str(kind).startswith("Duration")]
        return X.with_columns([polars.col(name).dt.total_microseconds() / 1e6 for name in long]) if long else X
    if not hasattr(X, "assign"):
        return X
    changed = {}
    for i, (name, dtype) in enumerate(X.dtypes.items()):
        if str(name) in as_texts and dtype.kind in "Oiub":
            changed[name] = X.iloc[:, i].astype(object).map(str, na_action="ignore")
            continue
        column = X.iloc[:, i] if str(dtype).startswith(("timedelta", "Sparse")) or dtype == object else None
        if column is None:
            continue
        if str(dtype).startswith("timedelta"):
            changed[name] = column.dt.total_seconds()
        elif str(dtype).startswith("Sparse"):
            changed[name] = column.sparse.to_dense()
        elif _is_mixed(column):
            changed[name] = column.map(str, na_action="ignore")
    return _replaced(X, changed) if changed else X


def mixed_columns(X: Any) -> list[str]:
    """The columns of pandas that hold texts and others, which become texts."""
    if not hasattr(X, "assign"):
        return []
    return [str(name) for i, (name, dtype) in enumerate(X.dtypes.items())
            if dtype == object and _is_mixed(X.iloc[:, i])]


def _replaced(X: Any, changed: dict[Any, Any]) -> Any:
    X = X.copy(deep=False)
    for name, each in changed.items():
        X[name] = each
    return X


def _is_mixed(column: Any) -> bool:
    """Whether values of several types are in a column, none of which holds several itself."""
    from pandas.api.types import infer_dtype

    return infer_dtype(column, skipna=True) in ("mixed", "mixed-integer") and \
        not any(isinstance(each, (list, tuple, dict, set)) or hasattr(each, "shape") for each in column)


def of_kind(kinds: dict[str, str], wanted: str) -> list[str]:
    """The names of the columns of this kind."""
    return [name for name, kind in kinds.items() if kind == wanted]


def require_usable(kinds: dict[str, str], types: dict[str, str]) -> None:
    """Raises where columns are neither numbers nor texts nor times."""
    odd = [f'"{name}" ({types[name]})' for name in of_kind(kinds, "")]
    if len(odd) == 1:
        raise InputError(f"column {odd[0]} holds neither numbers nor texts nor times", fix=_ODD_FIX)
    if odd:
        raise InputError(f"columns {', '.join(odd)} hold neither numbers nor texts nor times", fix=_ODD_FIX)


def without_names(frame: Frame, kinds: dict[str, str], X: Any) -> dict[str, str]:
    """The kinds, "left out" for texts of which most rows have one of their own, such as names and
    remarks: as categories they would be memorised. Categories that are given as such stay."""
    given = _categories(X) if _estimator.is_frame(X) else set()
    texts = [name for name in of_kind(kinds, "text") if name not in given]
    if not texts:
        return kinds
    terms = ", ".join(f"count({quoted(name)}) AS rows_{i}, count(DISTINCT {quoted(name)}) AS texts_{i}"
                      for i, name in enumerate(texts))
    counts = {name: int(each[0]) for name, each in frame.sql(f"SELECT {terms} FROM this").to_columns().items()}
    left_out = {name: (counts[f"texts_{i}"], counts[f"rows_{i}"]) for i, name in enumerate(texts)
                if counts[f"texts_{i}"] > _FEW_TEXTS and counts[f"texts_{i}"] * _ROWS_OF_TEXT > counts[f"rows_{i}"]}
    if len(left_out) == len(kinds):
        return kinds
    for name, (distinct, rows) in left_out.items():
        warnings.warn(f"{name} is left out: it has {distinct:,} distinct values in {rows:,} rows, too few rows for each. "
                      "To use it anyway, make it a pandas or Polars category", UserWarning, stacklevel=6)
    return {name: "left out" if name in left_out else kind for name, kind in kinds.items()}


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


def _categories(X: Any) -> set[str]:
    """The columns that pandas or Polars calls categories, in pandas also numbers."""
    if hasattr(X, "with_columns"):
        return {name for name, kind in X.schema.items() if str(kind).startswith(("Categorical", "Enum"))}
    if not hasattr(X, "assign"):
        return set()
    return {str(name) for name, dtype in X.dtypes.items() if str(dtype) == "category"}


def _kind(kind: str) -> str:
    if kind in ("date", "timestamp"):
        return "time"
    if kind == "string" or kind == "bool":
        return "text"
    return "number" if kind.split("(")[0] in _NUMBERS else ""


def number_of(name: str, kind: str) -> str:
    """The column of numbers that the estimator reads for a column of this kind."""
    if kind == "time":
        return f"{name}__{_TIMES}__unix_time"
    return f"{name}__{_TEXT_TIMES}" if kind == "text time" else name


def numbers_of(kinds: dict[str, str]) -> list[str]:
    """The columns of numbers, those of times among them."""
    return [number_of(name, kind) for name, kind in kinds.items() if kind in ("number", "time", "text time")]


def time_stages(kinds: dict[str, str], reads: dict[str, str]) -> list[dict[str, Any]]:
    """The stages that make numbers of times, and of texts that are times, which SQL in `reads` reads."""
    stages: list[dict[str, Any]] = []
    times, texts = of_kind(kinds, "time"), of_kind(kinds, "text time")
    if times:
        stages.append({"kind": "datetime_parts", "id": _TIMES, "inputs": times, "parts": ["unix_time"]})
    if texts:
        terms = ", ".join(f"{reads[name]} AS {quoted(number_of(name, 'text time'))}" for name in texts)
        stages.append({"kind": "sql_transformer", "id": _TEXT_TIMES, "inputs": texts,
                       "statement": f"SELECT *, {terms} FROM __THIS__"})
    return stages


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
