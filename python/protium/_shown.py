# SPDX-License-Identifier: Apache-2.0
"""Tables for people: the names of types, rows as HTML, and what columns hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .frame import Frame

_TYPE_NAMES = {b"b": "bool", b"i": "int32", b"l": "int64", b"f": "float32", b"g": "float64",
               b"u": "string", b"U": "string", b"z": "binary", b"Z": "binary", b"tdD": "date"}


def type_name(field: Any) -> str:
    format = field.format
    if format.startswith(b"ts"):
        return "timestamp"
    if format in (b"+l", b"+L"):
        return f"list<{type_name(field.children[0].contents)}>"
    if format.startswith(b"d:"):
        return f"decimal({format[2:].decode()})"
    if format == b"+s":
        parts = [field.children[i].contents for i in range(field.n_children)]
        return f"struct<{', '.join(f'{part.name.decode()} {type_name(part)}' for part in parts)}>"
    if format == b"+m":
        pair = field.children[0].contents
        return f"map<{type_name(pair.children[0].contents)}, {type_name(pair.children[1].contents)}>"
    return _TYPE_NAMES.get(format, format.decode())


def html(columns: dict[str, Any], schema: dict[str, str]) -> str:
    from html import escape

    heads = "".join(f"<th>{escape(name)}<br><small>{escape(kind)}</small></th>"
                    for name, kind in schema.items())
    rows = "".join("<tr>" + "".join(f"<td>{escape(str(each))}</td>" for each in row) + "</tr>"
                   for row in zip(*columns.values()))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


_FLOATS = ("float32", "float64")
_NUMBERS = ("int32", "int64", *_FLOATS, "decimal")
_ORDERED = (*_NUMBERS, "string", "date", "timestamp", "bool")


def quoted(name: str) -> str:
    """A name as SQL reads it."""
    return '"' + name.replace('"', '""') + '"'


class Description(dict[str, dict[str, Any]]):
    """What each column holds, by its name; a table in notebooks."""

    def _repr_html_(self) -> str:
        from html import escape

        facts = list(dict.fromkeys(fact for own in self.values() for fact in own))
        heads = "".join(f"<th>{escape(fact)}</th>" for fact in facts)
        rows = "".join(f"<tr><th>{escape(name)}</th>"
                       + "".join(f"<td>{escape(_short(own.get(fact, '')))}</td>" for fact in facts) + "</tr>"
                       for name, own in self.items())
        return f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def described(frame: "Frame") -> Description:
    """What each column holds, from one pass over the rows."""
    schema = frame.schema
    terms = ["count(*) AS n"]
    for i, (name, kind) in enumerate(schema.items()):
        own = quoted(name)
        plain = kind.split("(")[0]
        if plain in _FLOATS:  # NaN is how NumPy and pandas have missing numbers.
            own = f"CASE WHEN isnan({own}) THEN NULL ELSE {own} END"
        if plain in _ORDERED:
            terms += [f"count({own}) AS c{i}", f"count(DISTINCT {own}) AS d{i}", f"min({own}) AS l{i}",
                      f"max({own}) AS g{i}"]
        if plain in _NUMBERS:
            terms += [f"avg(CAST({own} AS DOUBLE)) AS m{i}", f"stddev_samp(CAST({own} AS DOUBLE)) AS s{i}"]
    row = {name: each[0] for name, each in frame.sql(f"SELECT {', '.join(terms)} FROM this").to_columns().items()}
    facts = (("c", "count"), ("d", "distinct"), ("m", "mean"), ("s", "std"), ("l", "min"), ("g", "max"))
    told = Description()
    for i, (name, kind) in enumerate(schema.items()):
        own = {said: _plain(row[f"{letter}{i}"]) for letter, said in facts if f"{letter}{i}" in row}
        if "count" in own:
            own["missing"] = int(row["n"]) - own["count"]
        told[name] = {"type": kind, **own}
    return told


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and value.dtype.kind in "biuf" else value
