# SPDX-License-Identifier: Apache-2.0
"""Streams of pyarrow, also of versions before 15, which have no capsules."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _arrow, _library


def reader_of(frame: Any) -> Any:
    """A pyarrow.RecordBatchReader of a frame's rows."""
    import pyarrow

    if hasattr(pyarrow.RecordBatchReader, "from_stream"):
        return pyarrow.RecordBatchReader.from_stream(frame)
    stream = _arrow.Stream()
    _library.call("pt_frame_stream", frame._own(), ctypes.addressof(stream))
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))


def exported(data: Any) -> _arrow.Stream | None:
    """The rows of an older pyarrow's table, batch or reader; None for anything else."""
    if type(data).__module__.split(".")[0] != "pyarrow":
        return None
    import pyarrow

    if isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    reader = data.to_reader() if isinstance(data, pyarrow.Table) else data
    if not hasattr(reader, "_export_to_c"):
        return None
    stream = _arrow.Stream()
    reader._export_to_c(ctypes.addressof(stream))
    return stream
