# SPDX-License-Identifier: Apache-2.0
"""Pipelines, and the models that fitting them gives."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from . import _library
from .frame import Frame
from .scorer import Scorer

if TYPE_CHECKING:
    from .session import Session


class Stage(dict):  # type: ignore[type-arg]
    """A stage with its options, as one object of a job file's [[pipeline]]."""


class Pipeline:
    """A list of stages that has learned nothing yet; fitting leaves it as it is.

    Stages are dicts as in a job file, or made by name: protium.stages.StandardScaler(inputs=["x"]).
    """

    def __init__(self, stages: Iterable[Mapping[str, Any]]) -> None:
        self.stages = [dict(stage) for stage in stages]

    def _json(self) -> bytes:
        return json.dumps(self.stages, default=_plain).encode()

    def check(self, table: Any) -> dict[str, Any]:
        """Checks the stages against the columns, reads no rows, and gives every option in effect."""
        frame = _frame_of(table)
        return dict(json.loads(_library.text_of("pt_frame_check", frame._own(), self._json())))

    def fit(self, table: Any) -> "Model":
        """Learns from the rows. Blocks until the net is trained; Ctrl-C ends it in good order."""
        frame = _frame_of(table)
        return Model(frame.session, frame.session._made("pt_frame_fit", frame._own(), self._json()))

    def __repr__(self) -> str:
        return f"<protium.Pipeline {', '.join(str(each.get('kind')) for each in self.stages)}>"


def _plain(value: Any) -> Any:
    """Numbers of NumPy and paths, which JSON does not know, as numbers and texts."""
    return value.item() if hasattr(value, "item") else os.fspath(value)


def _frame_of(table: Any) -> Frame:
    if isinstance(table, Frame):
        return table
    from .session import default_session

    return default_session().table(table)


class Model:
    """A fitted pipeline. Immutable."""

    def __init__(self, session: "Session", handle: int) -> None:
        self.session = session
        self._handle = handle
        self._scorer: Scorer | None = None

    def __del__(self) -> None:
        if getattr(self, "_handle", 0) and not sys.is_finalizing():
            _library.library().pt_model_free(self._handle)

    def _own(self) -> int:
        self.session.handle  # Refuses where the session is closed or another process's.
        return self._handle

    def _facts(self) -> dict[str, Any]:
        return dict(json.loads(_library.text_of("pt_model_describe", self._own())))

    @property
    def pipeline(self) -> list[dict[str, Any]]:
        """The stages with all their options."""
        return list(self._facts()["pipeline"])

    @property
    def metrics(self) -> dict[str, Any]:
        """What was measured when it was trained."""
        return dict(self._facts()["metrics"])

    @property
    def classes(self) -> list[str]:
        """Of a model of classes: these as text, in the order of their probabilities."""
        return list(self._facts()["classes"])

    def transform(self, table: Any, keep: Sequence[str] | None = None) -> Frame:
        """The table with the predictions; without an estimator, with the outputs of all stages.

        `keep`: the columns of the table to carry along; unless set, all. Rows may come in any order.
        """
        frame = self.session.table(table)
        names = None if keep is None else json.dumps(list(keep)).encode()
        return Frame(self.session, self.session._made("pt_model_transform", self._own(),
                                                      frame._own(), names))

    def scorer(self) -> Scorer:
        """Predicts in this process, for rows that come one by one; made when it is first asked for."""
        if self._scorer is None:
            self._scorer = Scorer(self)
        return self._scorer

    def score_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The predictions for one row, a value for each column, computed in this process."""
        return self.scorer().score_row(row)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the model's folder, whole or not at all; a model that is there is replaced."""
        _library.call("pt_model_save", self._own(), os.fspath(folder).encode())

    def __repr__(self) -> str:
        try:
            kinds = ", ".join(str(each["kind"]) for each in self.pipeline)
        except Exception as error:  # A closed session is no reason for repr() to fail.
            return f"<protium.Model: {type(error).__name__}>"
        return f"<protium.Model {kinds}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(where)}</td><td>{escape(name)}</td><td>{value:.6g}</td></tr>"
            for where, figures in self.metrics.items() if isinstance(figures, dict)
            for name, value in figures.items() if isinstance(value, (int, float)))
        return f"<p>{escape(repr(self))}</p><table>{rows}</table>"
