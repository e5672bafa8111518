# SPDX-License-Identifier: Apache-2.0
"""Frames of Polars on their way in."""

from __future__ import annotations

from typing import Any

from .errors import InputError


def taken(data: Any) -> Any:
    """A lazy frame computed, and any frame without columns of Python's objects; others as they are."""
    if type(data).__module__.split(".")[0] != "polars":
        return data
    if type(data).__name__ == "LazyFrame":
        try:
            data = data.collect()
        except Exception as error:  # Of Polars' own kinds.
            raise InputError("the lazy frame cannot be computed", why=str(error)) from error
    # Of dictionaries of their own, which say no more than their texts.
    texts = [name for name, kind in getattr(data, "schema", {}).items()
             if str(kind).startswith(("Categorical", "Enum"))]
    if texts:
        import polars

        data = data.with_columns(polars.col(texts).cast(polars.String))
    for name, kind in getattr(data, "schema", {}).items():
        if str(kind) == "Object":
            # Polars would hand out where the objects lie in memory.
            raise InputError(f'column "{name}" contains Python objects, which tables cannot hold',
                             fix="cast it to numbers or texts")
    return data
