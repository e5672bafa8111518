# SPDX-License-Identifier: Apache-2.0
"""Rows in and out by the Arrow C interfaces, without pyarrow.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from typing import Any, Iterator

_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
_python.PyCapsule_GetPointer.restype = c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]
_python.PyMem_RawCalloc.restype = c_void_p
_python.PyMem_RawCalloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
_python.PyMem_RawFree.argtypes = [c_void_p]
# The same function for a capsule that is being destroyed: as an object it must not be touched.
_pointer_in = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))

_STREAM = b"arrow_array_stream"
_SCHEMA = b"arrow_schema"


class Schema(Structure):
    """struct ArrowSchema."""


class Array(Structure):
    """struct ArrowArray."""


class Stream(Structure):
    """struct ArrowArrayStream."""


_RELEASE_SCHEMA = CFUNCTYPE(None, POINTER(Schema))
_RELEASE_ARRAY = CFUNCTYPE(None, POINTER(Array))
_RELEASE_STREAM = CFUNCTYPE(None, POINTER(Stream))
_GET_SCHEMA = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
_GET_NEXT = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
_GET_LAST_ERROR = CFUNCTYPE(c_void_p, POINTER(Stream))

Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)), ("release", _RELEASE_SCHEMA), ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)), ("release", _RELEASE_ARRAY), ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", _GET_SCHEMA), ("get_next", _GET_NEXT), ("get_last_error", _GET_LAST_ERROR),
    ("release", _RELEASE_STREAM), ("private_data", c_void_p),
]


# ---- Capsules.


@CFUNCTYPE(None, c_void_p)
def _free_stream(capsule: int) -> None:
    address = _pointer_in(capsule, _STREAM)
    release(Stream.from_address(address))
    _python.PyMem_RawFree(address)


@CFUNCTYPE(None, c_void_p)
def _free_schema(capsule: int) -> None:
    address = _pointer_in(capsule, _SCHEMA)
    release(Schema.from_address(address))
    _python.PyMem_RawFree(address)


# A capsule may be destroyed after this module was, at the interpreter's end.
for _kept in (_free_stream, _free_schema):
    _python.Py_IncRef(ctypes.py_object(_kept))


def _capsule(kind: type[Structure], name: bytes, free: Any) -> tuple[Any, int]:
    address = _python.PyMem_RawCalloc(1, ctypes.sizeof(kind))
    if not address:
        raise MemoryError
    return _python.PyCapsule_New(address, name, ctypes.cast(free, c_void_p)), address


def stream_capsule() -> tuple[Any, int]:
    """An empty stream in a capsule that releases it, and the stream's address."""
    return _capsule(Stream, _STREAM, _free_stream)


def schema_capsule() -> tuple[Any, int]:
    """The same for a schema."""
    return _capsule(Schema, _SCHEMA, _free_schema)


def stream_address(capsule: Any) -> int:
    """The address of the stream in a capsule of somebody else's."""
    return int(_python.PyCapsule_GetPointer(capsule, _STREAM))


def is_table(stream: Stream) -> bool:
    """Whether the rows of a stream have columns, and are no column themselves."""
    schema = Schema()
    if stream.get_schema(byref(stream), byref(schema)) != 0:
        return True  # What is wrong with it is told by whoever reads it.
    try:
        return bool(schema.format == b"+s")
    finally:
        release(schema)


def release(structure: Any) -> None:
    """Releases what a structure holds, unless it was moved elsewhere."""
    if structure.release:
        structure.release(byref(structure))


class Kept:
    """An array that outlives its stream: moved here, and released when nobody views it any more."""

    def __init__(self, array: Array) -> None:
        self._array = Array()
        ctypes.memmove(byref(self._array), byref(array), ctypes.sizeof(Array))
        array.release = _RELEASE_ARRAY()  # Moved, as the interface has it.

    def __del__(self) -> None:
        if not sys.is_finalizing():
            release(self._array)


def batches(stream: Stream) -> Iterator[Array]:
    """The batches of a stream; each is released when the next one is asked for.

    Ends where the stream does, whether it failed or not: who made it knows which.
    """
    while True:
        array = Array()
        if stream.get_next(byref(stream), byref(array)) != 0 or not array.release:
            return
        try:
            yield array
        finally:
            release(array)
