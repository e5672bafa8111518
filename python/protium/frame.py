# SPDX-License-Identifier: Apache-2.0
"""Tables that are not computed yet."""

from __future__ import annotations

import ctypes
import json
import operator
import os
import sys
from ctypes import byref, c_int64, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

from . import _arrow, _library
from ._shown import described, html, quoted, type_name
from .errors import UsageError

if TYPE_CHECKING:
    from .session import Session


class Frame:
    """A lazy table: nothing is computed until rows, a count or a file are requested."""

    def __init__(self, session: "Session", handle: int) -> None:
        self.session = session
        self._handle = handle

    def __del__(self) -> None:
        if getattr(self, "_handle", 0) and not sys.is_finalizing():
            _library.library().pt_frame_free(self._handle)

    def _own(self) -> int:
        self.session.handle  # Refuses where the session is closed or another process's.
        return self._handle

    # ---- What it is.

    @property
    def schema(self) -> dict[str, str]:
        """The columns with their types, as Arrow's format strings name them. Computes nothing."""
        schema = _arrow.Schema()
        _library.call("pt_frame_schema", self._own(), ctypes.addressof(schema))
        try:
            fields = [schema.children[i].contents for i in range(schema.n_children)]
            return {field.name.decode(): type_name(field) for field in fields}
        finally:
            _arrow.release(schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in their order."""
        return list(self.schema)

    def count(self) -> int:
        """Runs the plan and counts its rows."""
        rows = c_int64()
        self.session._run("pt_frame_count", self._own(), byref(rows))
        return rows.value

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns. Counts the rows."""
        return self.count(), len(self.columns)

    def describe(self) -> dict[str, dict[str, Any]]:
        """Statistics of each column: type, count, missing, distinct, mean, std, min, max. One pass over
        the rows. Notebooks show a table; pandas.DataFrame(frame.describe()) is one, too.
        """
        return described(self)

    def leaks(self, label: str) -> dict[str, str]:
        """The columns that give another one away by themselves (target leaks), each with the reason.
        Reads the rows twice.
        """
        return dict(json.loads(_library.interruptible(
            lambda: _library.text_of("pt_frame_leaks", self._own(), label.encode()), self.session.cancel)))

    def split_leaks(self, test: "Frame", label: str) -> list[str]:
        """What test rows share with these training rows, a sentence each: copies of rows, and ids such as
        patient_id of which both have rows that are alike. Reads at most a million rows of each.
        """
        return list(json.loads(_library.interruptible(
            lambda: _library.text_of("pt_frame_split_leaks", self._own(), test._own(), label.encode()), self.session.cancel)))

    def explain(self) -> dict[str, Any]:
        """What running it would do: engine, tree, sql, what may differ between engines, placement."""
        return dict(json.loads(_library.text_of("pt_frame_plan", self._own())))

    # ---- Other tables.

    def _derived(self, name: str, *arguments: Any) -> "Frame":
        return Frame(self.session, self.session._made(name, self._own(), *arguments))

    def select(self, *names: str) -> "Frame":
        """These columns alone, in this order."""
        return self._derived("pt_frame_select", json.dumps(names).encode())

    def limit(self, rows: int) -> "Frame":
        """At most this many rows; which ones is up to the engine."""
        return self._derived("pt_frame_limit", operator.index(rows))

    def head(self, rows: int = 5) -> "Frame":
        """limit(), under the name that pandas and Polars have for it."""
        return self.limit(rows)

    def filter(self, condition: str) -> "Frame":
        """The rows for which a SQL condition holds: frame.filter("age > 30 AND sex = 'f'")."""
        return self.sql(f"SELECT * FROM this WHERE {condition}")

    def __getitem__(self, names: str | list[str]) -> Any:
        """frame["age"] is the column as an array; frame[["age", "sex"]] these columns as a frame."""
        if isinstance(names, (int, slice)):
            raise TypeError("rows have no numbers: frame.head(10), or frame.filter(...)")
        names = names if isinstance(names, str) else list(names)
        for name in [names] if isinstance(names, str) else names:
            if name not in self.columns:
                raise KeyError(name)
        return self.to_numpy(names) if isinstance(names, str) else self.select(*names)

    def __iter__(self) -> Iterator[str]:
        """The names of the columns, as in pandas."""
        return iter(self.columns)

    def __reduce__(self) -> Any:
        raise UsageError("a frame belongs to its session and cannot be pickled",
                         fix='frame.write("rows.parquet"), and session.read() where they are needed')

    def keep(self, name: str | None = None) -> "Frame":
        """The same rows, computed at most once per session, or once for all sessions with `store`.

        With a name they are computed now, and stay as they are for every session and job on this
        machine that reads "kept:NAME", until others are kept under it: session.read("kept:clean").
        """
        if name is None:
            return self._derived("pt_frame_keep")
        return self._derived("pt_frame_keep_as", name.encode())

    def sql(self, query: str) -> "Frame":
        """A SELECT over this table, which is called `this`."""
        return self.session.sql(query, this=self)

    def split(self, test: float = 0.2, *, by: Sequence[str] = (), seed: int = 0,
              column: str = "", by_time: str = "",
              time_from: str = "") -> tuple["Frame", "Frame"]:
        """Training and test rows, the same in every run and on every engine.

        Rows that agree in `by` stay together. `column`: a boolean column that is true for test rows.
        `by_time`: a column of dates or times; the test rows are the latest `test` of all, or
        all from `time_from` on.
        """
        options = {"test": test, "by": list(by), "seed": seed, "column": column,
                   "by_time": by_time, "from": time_from}
        train, other = c_void_p(), c_void_p()
        self.session._run("pt_frame_split", self._own(), json.dumps(options).encode(), byref(train),
                          byref(other))
        return Frame(self.session, train.value or 0), Frame(self.session, other.value or 0)

    def map_batches(self, function: Callable[[Any], Any]) -> "Frame":
        """Applies a function to the rows, some thousand at a time, in this process.

        It gets a pyarrow.RecordBatch and gives another one, a table, a pandas frame or a dict of
        columns, always with the same columns and any number of rows.
        """
        from ._batches import mapped

        return mapped(self, function)

    # ---- Rows.

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Runs the plan; the rows come as they are computed, without a copy."""
        capsule, address = _arrow.stream_capsule()
        self.session._run("pt_frame_stream", self._own(), address)
        return capsule

    def __arrow_c_schema__(self) -> object:
        capsule, address = _arrow.schema_capsule()
        _library.call("pt_frame_schema", self._own(), address)
        return capsule

    def _read(self, read: Any) -> Any:
        """Has the rows read by `read`; tells why they ended early, if they did, in our own terms."""
        def act() -> Any:
            try:
                value = read()
            except Exception:
                _library.check(_library.library().pt_frame_failure(self._handle))
                raise
            _library.check(_library.library().pt_frame_failure(self._handle))
            return value

        return _library.interruptible(act, self.session.cancel)

    def to_columns(self) -> dict[str, Any]:
        """The columns as NumPy arrays, by name; without pyarrow.

        Missing numbers are NaN, missing times NaT, all others None.
        """
        return self._columns(lent=False)

    def _columns(self, lent: bool) -> dict[str, Any]:
        from . import _taken

        def read() -> dict[str, Any]:
            stream = _arrow.Stream()
            _library.call("pt_frame_stream", self._own(), ctypes.addressof(stream))
            try:
                return _taken.columns(stream, lent)
            finally:
                _arrow.release(stream)

        return dict(self._read(read))

    def to_numpy(self, *names: str) -> Any:
        """A column as an array; of several columns, or of all, a matrix of numbers."""
        import numpy

        columns = (self.select(*names) if names else self).to_columns()
        if len(names) == 1:
            return columns[next(iter(columns))]
        from ._taken import floats_of

        try:
            return numpy.column_stack([floats_of(each) for each in columns.values()])
        except TypeError as error:
            kinds = ", ".join(f"{name} {each.dtype}" for name, each in columns.items())
            raise UsageError(f"columns of these types cannot form a matrix: {kinds}", why=str(error),
                             fix="frame.select(...) of the numbers, or to_columns()") from error

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table."""
        from ._pyarrow import reader_of

        return self._read(lambda: reader_of(self).read_all())

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame."""
        import pandas

        try:
            import pyarrow  # noqa: F401
        except ImportError:
            columns = self.to_columns()
            return pandas.DataFrame({name: list(each) if each.ndim > 1 else each
                                     for name, each in columns.items()})
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The rows as a polars.DataFrame."""
        import polars

        return self._read(lambda: polars.DataFrame(self))

    def to_torch(self, *names: str) -> Any:
        """A column as a tensor; of several columns, or of all, a matrix of numbers.

        A column without missing values that comes as one batch of rows is not copied.
        """
        import numpy
        import torch

        columns = _numbers((self.select(*names) if names else self)._columns(lent=True))
        return torch.from_numpy(columns[0] if len(names) == 1 else numpy.column_stack(columns))

    def __dlpack__(self, **asked: Any) -> object:
        """The only column, of numbers, for from_dlpack() of PyTorch, JAX, CuPy and others.

        Runs the plan; not copied where to_torch() does not.
        """
        names = self.columns
        if len(names) != 1:
            raise UsageError(f"a tensor is made from one column, and there are {len(names)}",
                             fix='frame.select("name")')
        return _numbers(self._columns(lent=True))[0].__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # The memory of the host (kDLCPU).

    def write(self, path: str | os.PathLike[str], *, partitions: Sequence[str] = ()) -> None:
        """Writes the rows in the format of the name's ending: .parquet, .csv, .jsonl, .arrow; text
        also .gz, .zst.

        An existing file is refused, unless this session wrote it or was opened with force=True.
        """
        options = json.dumps({"partitions": list(partitions)}).encode()
        self.session._run("pt_frame_write", self._own(), os.fspath(path).encode(), options)

    # ---- People.

    def __repr__(self) -> str:
        try:
            columns = ", ".join(f"{name} {kind}" for name, kind in self.schema.items())
        except Exception as error:  # A closed session is no reason for repr() to fail.
            return f"<protium.Frame: {type(error).__name__}>"
        return f"<protium.Frame {columns}>"

    def _repr_html_(self) -> str:
        return html(self.limit(10).to_columns(), self.schema)


def _numbers(columns: dict[str, Any]) -> list[Any]:
    """Columns for a tensor, decimals as floats; refuses those that are no numbers."""
    import numpy

    from ._taken import floats_of

    numbers = {name: floats_of(each) for name, each in columns.items()}
    for name, each in numbers.items():
        if each.dtype.kind not in "biuf":
            raise UsageError(f'column "{name}" does not hold numbers, or has missing booleans',
                             why="a matrix or a tensor holds numbers",
                             fix="frame.select(...) of the others, or to_columns()")
    return [numpy.asarray(each) for each in numbers.values()]
