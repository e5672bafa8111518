# SPDX-License-Identifier: Apache-2.0
"""Functions over the rows of a frame, a batch at a time."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterator

from ._pyarrow import reader_of
from .errors import UsageError
from .frame import Frame


def _refusing(make: Callable[[], Any]) -> Any:
    """A batch, or why there is none, not in pyarrow's kinds of errors."""
    try:
        return make()
    except Exception as error:
        raise UsageError("the function returned columns that do not form a table",
                         why=str(error.args[0] if error.args else error)) from error


def _as_batches(made: Any) -> list[Any]:
    """What a function has made, as record batches."""
    import pyarrow

    if isinstance(made, pyarrow.RecordBatch):
        return [made]
    if isinstance(made, dict):
        return [_refusing(lambda: pyarrow.RecordBatch.from_pydict(made))]
    if hasattr(made, "columns") and hasattr(made, "dtypes") and not hasattr(made, "to_batches"):
        return [_refusing(lambda: pyarrow.RecordBatch.from_pandas(made, preserve_index=False))]
    if isinstance(made, pyarrow.Table):
        return list(made.to_batches())
    if hasattr(made, "__arrow_c_stream__"):
        return list(pyarrow.RecordBatchReader.from_stream(made))
    raise UsageError(f"the function returned a {type(made).__name__}, which is not a table")


def _of_no_rows(frame: Frame, function: Callable[[Any], Any]) -> Any:
    """What the function makes of a batch without rows, for its columns."""
    import pyarrow

    schema = reader_of(frame.limit(0)).schema
    empty = pyarrow.RecordBatch.from_arrays([pyarrow.nulls(0, each.type) for each in schema], schema=schema)
    try:
        return _as_batches(function(empty))[0]
    except Exception as error:
        raise UsageError("there are no rows, so the columns that the function returns are unknown",
                         why=f"it failed for a batch without rows: {error!r}") from error


def mapped(frame: Frame, function: Callable[[Any], Any]) -> Frame:
    """The rows that `function` makes of those of `frame`, as a table of its session."""
    import pyarrow

    failures: list[BaseException] = []

    def made() -> Iterator[Any]:
        try:
            for batch in reader_of(frame):
                yield from _as_batches(function(batch))
        except BaseException as error:  # It reaches the caller through C, as a text alone.
            failures.append(error)
            raise

    batches = made()
    first = next(batches, None)
    if first is None:
        first = _of_no_rows(frame, function)
    reader = pyarrow.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))
    try:
        return frame.session.table(reader)
    except Exception:
        if failures:
            raise failures[0]
        raise
