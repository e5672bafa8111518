# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays, lists and pandas' columns as an Arrow C stream of one batch.

A column is shared where its memory is what Arrow asks for; texts, booleans and missing values are
written anew.
"""

from __future__ import annotations

import ctypes
import datetime
import itertools
from ctypes import POINTER, byref, c_void_p
from decimal import Decimal
from typing import Any, Mapping

from . import _arrow
from .errors import InputError

_NUMBERS = {"i1": b"c", "u1": b"C", "i2": b"s", "u2": b"S", "i4": b"i", "u4": b"I", "i8": b"l",
            "u8": b"L", "f2": b"e", "f4": b"f", "f8": b"g"}
_SPANS = 'numbers of seconds: x / numpy.timedelta64(1, "s")'
_TIMES = {"s": b"tss:", "ms": b"tsm:", "us": b"tsu:", "ns": b"tsn:"}

# What the structures that somebody holds need, by the number in their private_data.
_held: dict[int, Any] = {}
_numbers = itertools.count(1)


class Column:
    """A column as Arrow has it: its format and its buffers, the first being that of missing values."""

    def __init__(self, format: bytes, length: int, buffers: list[Any], nulls: int = 0) -> None:
        self.format, self.length, self.buffers, self.nulls = format, length, buffers, nulls


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError("tables of lists and arrays need numpy; those of pyarrow and Polars do not"
                          ) from None
    return numpy


def _bits(mask: Any) -> Any:
    return _numpy().packbits(mask, bitorder="little")


def _masked(format: bytes, values: Any, missing: Any) -> Column:
    nulls = int(missing.sum())
    return Column(format, len(values), [_bits(~missing) if nulls else None, values], nulls)


def _of_objects(name: str, values: Any) -> Column:
    np = _numpy()
    missing = np.fromiter((_is_missing(each) for each in values), bool, len(values))
    kinds = {type(each) for each, gone in zip(values, missing) if not gone}
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds) and kinds:
        filled = np.fromiter((bool(each) and not gone for each, gone in zip(values, missing)), bool,
                             len(values))
        return Column(b"b", len(values), [_bits(~missing), _bits(filled)], int(missing.sum()))
    if all(issubclass(kind, (int, np.integer)) for kind in kinds) and kinds:
        return _of_numbers(name, values, missing, "i8")
    if all(issubclass(kind, (int, float, np.number)) for kind in kinds) and kinds:
        return _of_numbers(name, values, missing, "f8")
    if all(issubclass(kind, (bytes, str)) for kind in kinds) and len({issubclass(k, str) for k in kinds}) < 2:
        return _of_texts(name, values, missing)
    if kinds and all(issubclass(kind, (Decimal, int)) and kind is not bool for kind in kinds):
        return _of_decimals(name, [None if gone else Decimal(each) for each, gone in zip(values, missing)])
    if kinds == {datetime.date}:
        return _of_times(name, np.array([None if gone else each for each, gone in zip(values, missing)],
                                        "datetime64[D]"))
    if kinds and all(issubclass(kind, datetime.datetime) for kind in kinds):
        return _of_moments(name, [None if gone else each for each, gone in zip(values, missing)])
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    spans = bool(kinds) and all(issubclass(kind, datetime.timedelta) for kind in kinds)
    raise InputError(f'column "{name}" holds {found}, which cannot form a column of one type' if not spans
                     else f'column "{name}" holds durations, which tables cannot hold',
                     fix=_SPANS if spans else "numbers, decimals, texts, booleans or times alone")


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":  # The latter is pandas' own.
        return True
    unlike = value != value  # NaN, NaT. An array compares item by item.
    return bool(unlike) if isinstance(unlike, (bool, _numpy().bool_)) else False


def _of_decimals(name: str, values: list[Decimal | None]) -> Column:
    """Decimals with as many digits as the longest one needs on either side of the point."""
    np = _numpy()
    parts = [None if each is None else each.as_tuple() for each in values]
    if any(part is not None and not isinstance(part.exponent, int) for part in parts):
        raise InputError(f'column "{name}" holds a decimal that is infinite', fix="None, or floats")
    scale = max((max(0, -int(part.exponent)) for part in parts if part is not None), default=0)
    whole = max((len(part.digits) + int(part.exponent) for part in parts if part is not None), default=1)
    digits = max(1, scale + max(0, whole))
    if digits > 38:
        raise InputError(f'column "{name}" needs decimals of {digits} digits',
                         why="tables have up to 38", fix="floats, or texts")
    raw = b"".join(_unscaled(part, scale).to_bytes(16, "little", signed=True) for part in parts)
    missing = np.fromiter((each is None for each in values), bool, len(values))
    held = np.frombuffer(raw or bytes(16), np.uint8)
    return Column(f"d:{digits},{scale}".encode(), len(values),
                  [_bits(~missing) if missing.any() else None, held], int(missing.sum()))


def _unscaled(part: Any, scale: int) -> int:
    if part is None:
        return 0
    whole = int("".join(map(str, part.digits))) * 10 ** (int(part.exponent) + scale)
    return -whole if part.sign else whole


def _of_moments(name: str, values: list[datetime.datetime | None]) -> Column:
    """Points in time; those with a zone in UTC."""
    np = _numpy()
    zoned = {each.tzinfo is not None for each in values if each is not None}
    if len(zoned) > 1:
        raise InputError(f'column "{name}" holds times with a zone and without',
                         fix="give all of them a zone, or none")
    if True in zoned:
        values = [None if each is None else each.astimezone(datetime.timezone.utc).replace(tzinfo=None)
                  for each in values]
    column = _of_times(name, np.array(values, "datetime64[us]"))
    if True in zoned:
        column.format += b"UTC"
    return column


def _of_numbers(name: str, values: Any, missing: Any, kind: str) -> Column:
    np = _numpy()
    try:
        filled = np.array([0 if gone else each for each, gone in zip(values, missing)], kind)
    except OverflowError:
        raise InputError(f'column "{name}" holds a whole number beyond 64 bits') from None
    return _masked(_NUMBERS[kind], filled, missing)


def _of_texts(name: str, values: Any, missing: Any) -> Column:
    np = _numpy()
    try:
        parts = [b"" if gone else each.encode() if isinstance(each, str) else each
                 for each, gone in zip(values, missing)]
    except UnicodeEncodeError as error:
        raise InputError(f'column "{name}" holds a text that is not valid Unicode: {error.object!a}') from None
    binary = any(isinstance(each, bytes) for each, gone in zip(values, missing) if not gone)
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    nulls = int(missing.sum())
    text = np.frombuffer(b"".join(parts) or b"\0", np.uint8)
    return Column(b"Z" if binary else b"U", len(parts),
                  [_bits(~missing) if nulls else None, offsets, text], nulls)


def _of_times(name: str, values: Any) -> Column:
    np = _numpy()
    unit = np.datetime_data(values.dtype)[0]
    missing = np.isnat(values)
    if unit == "D":
        return _masked(b"tdD", values.astype(np.int64).astype(np.int32), missing)
    if unit not in _TIMES:
        values, unit = values.astype("datetime64[us]"), "us"
    return _masked(_TIMES[unit], np.ascontiguousarray(values).view(np.int64), missing)


def _object_array(values: Any) -> Any:
    """One dimension, whatever the values are: np.array() makes two of lists of one length."""
    array = _numpy().empty(len(values), object)
    for i, each in enumerate(values):
        array[i] = each
    return array


def column(name: str, values: Any) -> Column:
    """A column of a one-dimensional array, a list, or a column of pandas."""
    np = _numpy()
    if hasattr(values, "cat") and hasattr(values, "astype"):  # pandas' categories.
        values = values.astype(object)
    if getattr(getattr(values, "dtype", None), "na_value", None) is not None:  # Its own types.
        values = values.to_numpy(dtype=object, na_value=None)
    array = _object_array(values) if isinstance(values, (list, tuple)) else np.asarray(values)
    if array.ndim != 1:
        raise InputError(f'column "{name}" has {array.ndim} dimensions', fix="one list for each column")
    if array.dtype.kind == "b":
        return Column(b"b", len(array), [None, _bits(array)])
    code = array.dtype.kind + str(array.dtype.itemsize)
    if code in _NUMBERS:
        numbers = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
        # NaN is how pandas has missing numbers, and pyarrow reads it so.
        if hasattr(values, "iloc") and array.dtype.kind == "f":
            return _masked(_NUMBERS[code], numbers, np.isnan(numbers))
        return Column(_NUMBERS[code], len(array), [None, numbers])
    if array.dtype.kind == "M":
        return _of_times(name, array)
    if array.dtype.kind in "UST":
        array = array.astype(object)
    if array.dtype.kind == "O":
        return _of_objects(name, array)
    raise InputError(f'column "{name}" is of type {array.dtype}, which tables cannot hold',
                     fix="two columns, of real and imaginary parts" if array.dtype.kind == "c"
                     else _SPANS if array.dtype.kind == "m" else "numbers, texts, booleans or times")


# ---- Structures. Each keeps what it needs until it is released, also where it was moved away.


def _hold(structure: Any, kept: Any) -> None:
    number = next(_numbers)
    _held[number] = kept
    structure.private_data = number


def _let_go(pointer: Any, empty: Any) -> None:
    structure = pointer.contents
    for i in range(getattr(structure, "n_children", 0)):
        _arrow.release(structure.children[i].contents)
    structure.release = empty
    _held.pop(structure.private_data, None)


@_arrow._RELEASE_SCHEMA
def _release_schema(pointer: Any) -> None:
    _let_go(pointer, _arrow._RELEASE_SCHEMA())


@_arrow._RELEASE_ARRAY
def _release_array(pointer: Any) -> None:
    _let_go(pointer, _arrow._RELEASE_ARRAY())


@_arrow._RELEASE_STREAM
def _release_stream(pointer: Any) -> None:
    _let_go(pointer, _arrow._RELEASE_STREAM())


@_arrow._GET_SCHEMA
def _get_schema(stream: Any, out: Any) -> int:
    _fill_schema(out.contents, b"", b"+s", _held[stream.contents.private_data][0])
    return 0


@_arrow._GET_NEXT
def _get_next(stream: Any, out: Any) -> int:
    columns = _held[stream.contents.private_data].pop() if len(
        _held[stream.contents.private_data]) > 1 else None
    if columns is None:
        out.contents.release = _arrow._RELEASE_ARRAY()
        return 0
    length = next(iter(columns.values())).length if columns else 0
    _fill_array(out.contents, Column(b"+s", length, [None]), list(columns.values()))
    return 0


@_arrow._GET_LAST_ERROR
def _get_last_error(stream: Any) -> Any:
    return None


def _fill_schema(schema: Any, name: bytes, format: bytes, columns: Mapping[str, Column]) -> None:
    children = [_arrow.Schema() for _ in columns]
    for child, (each, of) in zip(children, columns.items()):
        _fill_schema(child, each.encode(), of.format, {})
    pointers = (POINTER(_arrow.Schema) * len(children))(*(ctypes.pointer(c) for c in children))
    schema.format, schema.name, schema.metadata, schema.flags = format, name, None, 2
    schema.n_children, schema.children = len(children), pointers
    schema.dictionary, schema.release = None, _release_schema
    _hold(schema, (format, name, children, pointers))


def _fill_array(array: Any, of: Column, columns: list[Column]) -> None:
    children = [_arrow.Array() for _ in columns]
    for child, each in zip(children, columns):
        _fill_array(child, each, [])
    pointers = (POINTER(_arrow.Array) * len(children))(*(ctypes.pointer(c) for c in children))
    buffers = (c_void_p * len(of.buffers))(
        *(None if each is None else each.ctypes.data for each in of.buffers))
    array.length, array.null_count, array.offset = of.length, of.nulls, 0
    array.n_buffers, array.buffers = len(of.buffers), buffers
    array.n_children, array.children = len(children), pointers
    array.dictionary, array.release = None, _release_array
    _hold(array, (of, children, pointers, buffers))


def stream(columns: Mapping[str, Column]) -> _arrow.Stream:
    """A stream of these columns, which are of one length, in one batch."""
    lengths = {each.length for each in columns.values()}
    if len(lengths) > 1:
        raise InputError("the columns have different lengths: " + ", ".join(
            f"{name} {each.length}" for name, each in list(columns.items())[:5]))
    made = _arrow.Stream(_get_schema, _get_next, _get_last_error, _release_stream, None)
    _hold(made, [columns, columns])
    return made
