# SPDX-License-Identifier: Apache-2.0
"""The rows of an Arrow C stream as NumPy arrays, without pyarrow."""

from __future__ import annotations

import ctypes
from ctypes import byref
from decimal import Decimal
from typing import Any

from . import _arrow
from .errors import UsageError

_TYPES = {b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8",
          b"L": "u8", b"e": "f2", b"f": "f4", b"g": "f8", b"tdD": "i4"}


def _view(array: Any, buffer: int, kind: str, length: int, owner: Any = None) -> Any:
    """So many values of a buffer, without its offset, as they lie there, for as long as `owner`
    does."""
    import numpy as np

    dtype = np.dtype(kind)
    address = array.buffers[buffer]
    if not address or length == 0:
        return np.zeros(0 if not address else length, dtype)
    raw = (ctypes.c_char * (length * dtype.itemsize)).from_address(address)
    raw.owner = owner  # Arrays keep what they were made from, and that keeps its owner.
    return np.frombuffer(raw, dtype)


def _bits(array: Any, buffer: int) -> Any:
    import numpy as np

    end = array.offset + array.length
    packed = _view(array, buffer, "u1", (end + 7) // 8)
    return np.unpackbits(packed, bitorder="little", count=end)[array.offset:].astype(bool)


def _missing(array: Any) -> Any:
    """Where values are missing, or None if none is."""
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    missing = ~_bits(array, 0)
    return missing if missing.any() else None


def _with_none(values: Any, missing: Any) -> Any:
    objects = values.astype(object)
    objects[missing] = None
    return objects


def _numbers(format: bytes, array: Any, missing: Any) -> Any:
    import numpy as np

    values = _view(array, 1, _TYPES[format], array.offset + array.length)[array.offset:]
    if format == b"tdD":
        values = values.astype("datetime64[D]")
        if missing is not None:
            values[missing] = np.datetime64("NaT")
        return values
    if missing is None:
        return values.copy()
    values = values.astype("f8" if values.dtype.kind != "f" else values.dtype)
    values[missing] = np.nan
    return values


def _times(format: bytes, array: Any, missing: Any) -> Any:
    import numpy as np

    unit = {b"s": "s", b"m": "ms", b"u": "us", b"n": "ns"}[format[2:3]]
    values = _view(array, 1, "i8", array.offset + array.length)[array.offset:].copy()
    values = values.view(f"datetime64[{unit}]")
    if missing is not None:
        values[missing] = np.datetime64("NaT")
    return values


def _texts(format: bytes, array: Any, missing: Any) -> Any:
    import numpy as np

    width = "i4" if format in b"uz" else "i8"
    offsets = _view(array, 1, width, array.offset + array.length + 1)[array.offset:]
    text = format in b"uU"
    values = np.empty(array.length, object)
    if array.length == 0:
        return values
    base = array.buffers[2]
    whole = ctypes.string_at(base + int(offsets[0]), int(offsets[-1] - offsets[0])) if base else b""
    starts = (offsets - offsets[0]).tolist()
    for i in range(array.length):
        part = whole[starts[i]:starts[i + 1]]
        values[i] = part.decode() if text else part
    if missing is not None:
        values[missing] = None
    return values


def _lists(schema: Any, format: bytes, array: Any, missing: Any) -> Any:
    import numpy as np

    width = "i4" if format == b"+l" else "i8"
    offsets = _view(array, 1, width, array.offset + array.length + 1)[array.offset:]
    items = column(schema.children[0].contents, array.children[0].contents)
    lengths = np.diff(offsets)
    if missing is None and len(lengths) > 0 and (lengths == lengths[0]).all():
        return items[offsets[0]:offsets[-1]].reshape(array.length, int(lengths[0]))
    values = np.empty(array.length, object)
    for i in range(array.length):
        values[i] = items[offsets[i]:offsets[i + 1]]
    if missing is not None:
        values[missing] = None
    return values


def _decimals(format: bytes, array: Any, missing: Any) -> Any:
    import numpy as np

    scale = int(format.split(b",")[1])
    words = _view(array, 1, "u8", 2 * (array.offset + array.length))[2 * array.offset:]
    values = np.empty(array.length, object)
    for i in range(array.length):
        whole = int(words[2 * i]) | int(words[2 * i + 1]) << 64
        whole -= (1 << 128) if whole >> 127 else 0
        values[i] = Decimal(whole).scaleb(-scale)
    if missing is not None:
        values[missing] = None
    return values


def floats_of(values: Any) -> Any:
    """Decimals as the nearest floats, None being NaN; any other column as it is."""
    import numpy as np

    if values.dtype != object or not all(each is None or isinstance(each, Decimal) for each in values):
        return values
    return np.array([np.nan if each is None else float(each) for each in values], "f8")


def column(schema: Any, array: Any) -> Any:
    """A copy of a column. Missing numbers are NaN, missing times NaT, all others None."""
    format, missing = schema.format, _missing(array)
    if format in _TYPES:
        return _numbers(format, array, missing)
    if format == b"b":
        values = _bits(array, 1)
        return values if missing is None else _with_none(values, missing)
    if format in (b"u", b"U", b"z", b"Z"):
        return _texts(format, array, missing)
    if format.startswith(b"ts"):
        return _times(format, array, missing)
    if format in (b"+l", b"+L"):
        return _lists(schema, format, array, missing)
    if format.startswith(b"d:") and format.count(b",") == 1:
        return _decimals(format, array, missing)
    raise UsageError(f'column "{schema.name.decode()}" has no equivalent in NumPy', fix="to_arrow()")


def _lent(schema: Any, array: Any, owner: Any) -> Any:
    """column() of numbers without missing ones where they lie, as long as anybody views them."""
    plain = schema.format in _TYPES and schema.format != b"tdD" and _missing(array) is None
    if not plain:
        return column(schema, array)
    end = array.offset + array.length
    return _view(array, 1, _TYPES[schema.format], end, owner)[array.offset:]


def columns(stream: _arrow.Stream, lent: bool = False) -> dict[str, Any]:
    """All columns of a stream, which is read to its end, or to where it fails.

    `lent`: numbers of a stream of one batch are those of its own memory, not copied.
    """
    import numpy as np

    schema = _arrow.Schema()
    if stream.get_schema(byref(stream), byref(schema)) != 0:
        return {}
    try:
        fields = [schema.children[i].contents for i in range(schema.n_children)]
        parts: list[list[Any]] = [[] for _ in fields]
        for batch in _arrow.batches(stream):
            owner = _arrow.Kept(batch) if lent else None
            for i, field in enumerate(fields):
                values = batch.children[i].contents
                parts[i].append(_lent(field, values, owner) if lent else column(field, values))
        return {field.name.decode(): _joined(np, part) if part else column(field, _empty(field))
                for field, part in zip(fields, parts)}
    finally:
        _arrow.release(schema)


def _empty(schema: Any) -> _arrow.Array:
    """A column without rows."""
    none = (ctypes.c_void_p * 3)()
    array = _arrow.Array(n_buffers=3, buffers=none)
    if schema.n_children:
        child = _empty(schema.children[0].contents)
        array.children = (ctypes.POINTER(_arrow.Array) * 1)(ctypes.pointer(child))
    return array


def _joined(np: Any, parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if len({part.ndim for part in parts}) > 1 or len({part.shape[1:] for part in parts}) > 1:
        parts = [_rows_as_objects(np, part) for part in parts]
    kinds = {part.dtype.kind for part in parts}
    if "O" in kinds and len(kinds) > 1:
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def _rows_as_objects(np: Any, part: Any) -> Any:
    values = np.empty(len(part), object)
    for i, row in enumerate(part):
        values[i] = row
    return values
