# SPDX-License-Identifier: Apache-2.0
"""Columns of new rows as an estimator was fitted on them: of the same type, converted exactly, or
refused by name."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._table_columns import quoted
from .errors import InputError
from .frame import Frame


class Fitted(NamedTuple):
    """A column of the table that was fitted."""

    type: str  # As Frame.schema names it.
    kind: str  # As table_of() has it.


class _Way(NamedTuple):
    """How values of another type are read. `{}` stands for the column."""

    sql: str
    holds: str  # Where values are read without loss; NULL counts as no.
    not_so: str  # What a value is for which it does not hold: '"n/a" is not a number'.


_TIME = _Way("CAST({0} AS TIMESTAMP)", "{0} LIKE '____-__-__%' AND TRY_CAST({0} AS TIMESTAMP) IS NOT NULL",
             "is not a date such as 2024-03-25 or a time such as 2024-03-25 14:05:00")
_WAYS = {
    ("number", "bool"): _Way("CAST({0} AS DOUBLE)", "true", ""),
    ("number", "text"): _Way("CAST({0} AS DOUBLE)", "TRY_CAST({0} AS DOUBLE) IS NOT NULL", "is not a number"),
    ("whole", "bool"): _Way("CAST({0} AS BIGINT)", "true", ""),
    ("whole", "number"): _Way("CAST({0} AS BIGINT)", "TRY_CAST({0} AS BIGINT) = {0}", "is not an integer"),
    ("whole", "text"): _Way("CAST({0} AS BIGINT)", "TRY_CAST({0} AS BIGINT) IS NOT NULL", "is not an integer"),
    ("bool", "number"): _Way("({0} = 1)", "{0} IN (0, 1)", "is neither 0 nor 1"),
    ("bool", "text"): _Way("(lower({0}) = 'true')", "lower({0}) IN ('true', 'false')", "is neither true nor false"),
    ("time", "text"): _TIME,
}
_FIXES = {
    "number": 'numbers, with a missing value for what is none: pandas.to_numeric(X["{0}"], errors="coerce")',
    "whole": "integers, as it was fitted",
    "bool": "true and false, as it was fitted",
    "text": "texts, written as in the rows that were fitted",
    "time": 'dates or timestamps: pandas.to_datetime(X["{0}"])',
}
_SQL_TYPES = {"number": "DOUBLE", "whole": "BIGINT", "bool": "BOOLEAN", "text": "STRING", "time": "TIMESTAMP"}


def fitted_columns(frame: Frame, kinds: dict[str, str]) -> dict[str, Fitted]:
    """The columns of a table as they are fitted."""
    types = frame.schema
    return {name: Fitted(types[name], kind) for name, kind in kinds.items()}


def like_fit(frame: Frame, fitted: dict[str, Fitted]) -> Frame:
    """The table with the types of the fitted one. Raises InputError where a value of another type does
    not stand for one of that type."""
    changed = _changed(frame.schema, fitted)
    if not changed:
        return frame
    found = _counts(frame, changed)
    refused = {name: text for name, column in changed.items() if (text := column.refusal(found[name]))}
    if refused:
        first = next(iter(refused))
        raise InputError("; ".join(refused.values()),
                         fix=f'give "{first}" as {_FIXES[changed[first].wanted].format(first)}')
    terms = [f"{changed[name].sql(found[name]) if name in changed else quoted(name)} AS {quoted(name)}"
             for name in frame.columns]
    return frame.sql(f"SELECT {', '.join(terms)} FROM this")


class _Found(NamedTuple):
    """What the rows hold."""

    values: int  # That are not missing.
    others: int  # Of these, those that cannot be read.
    other: str | None  # One of them.


class _Changed(NamedTuple):
    """A column of another type than the fitted one."""

    name: str
    then: str  # The types.
    now: str
    wanted: str  # Families of types: keys of _SQL_TYPES.
    given: str

    @property
    def way(self) -> _Way | None:
        return _WAYS.get((self.wanted, self.given))

    @property
    def value(self) -> str:
        """The column in SQL; NaN is a missing value."""
        name = quoted(self.name)
        return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if self.now.startswith("float") else name

    @property
    def holds(self) -> str:
        return self.way.holds.format(quoted(self.name)) if self.way is not None else "false"

    def sql(self, found: _Found) -> str:
        if found.values == 0 or self.way is None:
            return f"CAST(NULL AS {_SQL_TYPES[self.wanted]})"
        return self.way.sql.format(f"({self.value})")

    def refusal(self, found: _Found) -> str | None:
        if found.others == 0:
            return None
        text = f'column "{self.name}" was {self.then} in fit() and is {self.now} here'
        if self.way is None:
            return text
        rows = f" in {found.others:,} rows" if found.others > 1 else ""
        return f'{text}, where "{found.other}"{rows} {self.way.not_so}'


def _changed(types: dict[str, str], fitted: dict[str, Fitted]) -> dict[str, _Changed]:
    changed = {}
    for name, column in fitted.items():
        if name not in types or column.kind == "left out":
            continue
        wanted, given = _wanted(column), _family(types[name])
        same = wanted == given or (wanted == "whole" and types[name].startswith("int"))
        if not same:
            changed[name] = _Changed(name, column.type, types[name], wanted, given)
    return changed


def _wanted(column: Fitted) -> str:
    """The family of what is read of a column: of numbers that are categories, whole ones."""
    family = _family(column.type)
    return "whole" if family == "number" and column.kind == "text" else family


def _family(type: str) -> str:
    if type.startswith(("int", "float", "decimal")):
        return "number"
    return {"bool": "bool", "string": "text", "date": "time", "timestamp": "time"}.get(type, type)


def _counts(frame: Frame, changed: dict[str, _Changed]) -> dict[str, _Found]:
    terms = []
    for i, column in enumerate(changed.values()):
        other = f"CASE WHEN NOT coalesce({column.holds}, false) THEN {column.value} END"
        shown = "NULL" if column.way is None else other  # What is refused anyway need not be shown.
        terms += [f"count({column.value}) AS values_{i}", f"count({other}) AS others_{i}",
                  f"min(CAST({shown} AS STRING)) AS other_{i}"]
    found = frame.sql(f"SELECT {', '.join(terms)} FROM this").to_columns()
    one: Any = {name: each[0] for name, each in found.items()}
    return {name: _Found(int(one[f"values_{i}"]), int(one[f"others_{i}"]), one[f"other_{i}"])
            for i, name in enumerate(changed)}
