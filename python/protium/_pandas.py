# SPDX-License-Identifier: Apache-2.0
"""Frames of pandas on their way in, a part of the rows at a time where that needs no guess."""

from __future__ import annotations

from typing import Any, Iterator

from .errors import InputError

_ROWS = 1 << 18  # At a time.


def is_pandas(data: Any) -> bool:
    """Whether it is a frame of pandas."""
    return hasattr(data, "iloc") and hasattr(data, "dtypes") and hasattr(data, "columns")


def refused(frame: Any, error: Exception) -> InputError:
    """What pandas or pyarrow refused about a frame, by the name of the column."""
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            return InputError(f'two columns are named "{name}"', fix="rename one of them")
    for name, column in frame.items():
        if _converts(column):
            continue
        if column.dtype != object:
            return InputError(f'column "{name}" is of type {column.dtype}, which tables cannot hold',
                              why=_said(error), fix=f'frame["{name}"].astype(...), or leave it out')
        kinds = sorted({type(each).__name__ for each in column.dropna()})
        return InputError(f'column "{name}" holds {", ".join(kinds)}, which cannot form a column of one type',
                          why=_said(error), fix=f'frame["{name}"].astype(str), or another type')
    return InputError("the pandas frame cannot become a table", why=_said(error))


def _converts(column: Any) -> bool:
    try:
        import pyarrow

        pyarrow.array(column, from_pandas=True)
        return not str(column.dtype).startswith("Sparse")
    except Exception:
        return False


def _said(error: Exception) -> str:
    """The first of the texts of an error: pyarrow's have several."""
    return str(error.args[0]) if error.args else type(error).__name__


def with_index(frame: Any) -> Any:
    """The frame with its index as columns where it has names; else without it.

    An index without a name says where rows came from, not what they are.
    """
    names = [name for name in frame.index.names if name is not None]
    if names:
        return frame.reset_index()
    return frame if type(frame.index).__name__ == "RangeIndex" else frame.reset_index(drop=True)


def in_parts(frame: Any) -> Any:
    """A reader that turns some rows of the frame after the other into Arrow's, or the frame itself.

    As a whole they would be there twice, where their columns are not one behind the other. What
    columns of objects hold shows only in all of their rows.
    """
    if len(frame) <= _ROWS or any(dtype == object for dtype in frame.dtypes):
        return frame
    import pyarrow

    schema = pyarrow.Schema.from_pandas(frame.iloc[:1], preserve_index=False)

    def parts() -> Iterator[Any]:
        for row in range(0, len(frame), _ROWS):
            yield pyarrow.RecordBatch.from_pandas(frame.iloc[row:row + _ROWS], schema=schema,
                                                  preserve_index=False)

    return pyarrow.RecordBatchReader.from_batches(schema, parts())
