# SPDX-License-Identifier: Apache-2.0
"""Predictions in this process, for rows that come one by one."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from . import _arrow, _library

if TYPE_CHECKING:
    from .model import Model


class Scorer:
    """A model that is ready to predict, without workers, with the same bits as `Model.transform`.

    Any number of threads may use it at once. The nets cnn, ft_transformer and text_classifier are
    computed by ONNX Runtime, whose predictions differ by rounding; without it they are refused, and
    so are nets of one's own, when it is made.
    """

    def __init__(self, model: "Model") -> None:
        self._handle = 0
        self._handle = _library.made("pt_scorer_open", model._own())
        self._watch_gap = bool(self._facts()["reads_history"])

    def __del__(self) -> None:
        if getattr(self, "_handle", 0) and not sys.is_finalizing():
            _library.library().pt_scorer_free(self._handle)

    def _facts(self) -> dict[str, Any]:
        return dict(json.loads(_library.text_of("pt_scorer_describe", self._handle)))

    @property
    def input(self) -> dict[str, str]:
        """The columns that rows must have, with their types."""
        return {each["name"]: each["type"] for each in self._facts()["input"]}

    @property
    def output(self) -> dict[str, str]:
        """The columns of predictions, with their types."""
        return {each["name"]: each["type"] for each in self._facts()["output"]}

    def score_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The predictions for one row: a value for each column, None where it is missing."""
        return dict(self._checked(self._json(dict(row))))

    def score_rows(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The predictions for these rows, in their order."""
        return list(self._checked(self._json([dict(row) for row in rows])))

    def score(self, batch: Any) -> Any:
        """A pyarrow.RecordBatch of predictions for one of rows."""
        import pyarrow

        given, schema = _arrow.Array(), _arrow.Schema()
        made, made_schema = _arrow.Array(), _arrow.Schema()
        batch._export_to_c(ctypes.addressof(given), ctypes.addressof(schema))
        _library.call("pt_scorer_score", self._handle, *map(ctypes.addressof, (
            schema, given, made_schema, made)))
        self._checked(None)
        return pyarrow.RecordBatch._import_from_c(ctypes.addressof(made),
                                                  ctypes.addressof(made_schema))

    def forecast(self, horizon: int | str | None = None, newer: Any = None) -> Any:
        """Predicts further ahead than a model of series looks back: a pyarrow.RecordBatch.

        `horizon`: how many rows of each series, or a time such as "28d", after those that the model
        keeps; later rows read the predictions of earlier ones. `newer`: a pyarrow.RecordBatch of
        rows that have come since training, which the new ones then follow. Without a horizon,
        the rows of `newer` are predicted, where a missing label is read as predicted.
        """
        import pyarrow

        options = {} if horizon is None else {"horizon": horizon}
        given, schema = _arrow.Array(), _arrow.Schema()
        made, made_schema = _arrow.Array(), _arrow.Schema()
        if newer is not None:
            newer._export_to_c(ctypes.addressof(given), ctypes.addressof(schema))
        rows = (None, None) if newer is None else (ctypes.addressof(schema), ctypes.addressof(given))
        _library.call("pt_scorer_forecast", self._handle, json.dumps(options).encode(), *rows,
                      ctypes.addressof(made_schema), ctypes.addressof(made))
        return pyarrow.RecordBatch._import_from_c(ctypes.addressof(made),
                                                  ctypes.addressof(made_schema))

    def _checked(self, scored: Any) -> Any:
        """Warns once if rows seem to be missing before those that were scored."""
        if self._watch_gap and (gap := self._facts()["gap"]):
            self._watch_gap = False
            warnings.warn(gap, stacklevel=3)
        return scored

    def _json(self, rows: Any) -> Any:
        # NaN, as pandas and NumPy write what is missing, is not JSON.
        text = json.dumps(rows, default=_plain, ensure_ascii=False)
        if "NaN" in text:
            text = json.dumps(_without_nan(rows), default=_plain, ensure_ascii=False)
        return json.loads(_library.text_of("pt_scorer_score_json", self._handle, text.encode()))


def _plain(value: Any) -> Any:
    """Values that json cannot encode: NumPy numbers and arrays, dates and times."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if value != value else value


def load_scorer(folder: str | os.PathLike[str]) -> Scorer:
    """A saved model, ready to predict in this process."""
    from .session import Session

    with Session("local[1]") as session:
        return Scorer(session.load(folder))
