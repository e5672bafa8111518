# SPDX-License-Identifier: Apache-2.0
"""Pipelines, and the models that fitting returns."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from . import _library
from ._runs import Run
from .errors import UsageError
from .frame import Frame
from .scorer import Scorer

if TYPE_CHECKING:
    from .session import Session


class Stage(dict):  # type: ignore[type-arg]
    """A stage with its options, as one object of a job file's [[pipeline]]."""


class Pipeline:
    """An unfitted list of stages; fitting does not change it.

    Stages are dicts as in a job file, or made by name: protium.stages.StandardScaler(inputs=["x"]).
    """

    def __init__(self, stages: Iterable[Mapping[str, Any]]) -> None:
        self.stages = [dict(stage) for stage in stages]

    def _json(self) -> bytes:
        return json.dumps(self.stages, default=_plain).encode()

    def check(self, table: Any) -> dict[str, Any]:
        """Checks the stages against the columns, reads no rows, and returns every option in effect."""
        frame = _frame_of(table)
        return dict(json.loads(_library.text_of("pt_frame_check", frame._own(), self._json())))

    def fit(self, table: Any) -> "Model":
        """Learns from the rows. Blocks until the net is trained; Ctrl-C ends it cleanly."""
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
        """The metrics measured when it was trained."""
        return dict(self._facts()["metrics"])

    @property
    def run(self) -> Run | None:
        """The run that fitted it; None for a model that was loaded."""
        folder = self._facts()["run"]
        return Run(folder) if folder else None

    @property
    def input(self) -> dict[str, str]:
        """The columns of the table that it was fitted on, with their types."""
        return {each["name"]: each["type"] for each in self._facts()["input"]}

    @property
    def importance(self) -> dict[str, float]:
        """How much a metric worsens on validation rows when a column is shuffled, by column, the
        most important first. Needs validation rows: train={"validation": {"share": 0.1}}.
        """
        measured = self.metrics.get("importance")
        if not measured:
            raise UsageError("the importance of the columns was not measured", why="there were no validation rows",
                             fix='train={"validation": {"share": 0.1}} in the estimator')
        worse = {each["column"]: float(each["worse"]) for each in measured["columns"]}
        return dict(sorted(worse.items(), key=lambda each: -each[1]))

    @property
    def classes(self) -> list[str]:
        """The classes of a classifier, as text, in the order of their probabilities."""
        return list(self._facts()["classes"])

    def transform(self, table: Any, keep: Sequence[str] | None = None) -> Frame:
        """The table with the predictions; without an estimator, with the outputs of all stages.

        `keep`: the columns of the table to carry along; unless set, all. Rows may come in any order.
        """
        frame = self.session.table(table)
        names = None if keep is None else json.dumps(list(keep)).encode()
        return Frame(self.session, self.session._made("pt_model_transform", self._own(),
                                                      frame._own(), names))

    def predict(self, table: Any) -> Any:
        """The predictions for the rows of a table, in their order: an array, or, where the model
        predicts several columns beside probabilities, a dict of them."""
        import numpy as np

        from ._rows import in_order

        columns = in_order(self, table)
        values = {name: each for name, each in columns.items()
                  if not name.startswith(("probability", "probabilities"))} or columns
        return next(iter(values.values())) if len(values) == 1 else \
            {name: np.asarray(each) for name, each in values.items()}

    def evaluate(self, table: Any) -> dict[str, Any]:
        """The training's metrics on other rows, which must have labels."""
        frame = self.session.table(table)
        measured = _library.interruptible(
            lambda: _library.text_of("pt_model_evaluate", self._own(), frame._own()), self.session.cancel)
        return dict(json.loads(measured)["metrics"])

    def doubts(self, table: Any, *, measured: Mapping[str, Any] | None = None,
               known: Sequence[str] = ()) -> list[str]:
        """What the results say against themselves, a sentence each: one feature with most of the
        importance of a model that is very good or, with the metrics that evaluate() has `measured`
        on this table, test rows that are predicted far better or worse than validation rows.
        known: features that are no surprise. The table has labels like those of training.
        """
        frame = self.session.table(table)
        options = {"known": list(known), **({} if measured is None else {"measured": dict(measured)})}
        return list(json.loads(_library.interruptible(
            lambda: _library.text_of("pt_model_doubts", self._own(), frame._own(), json.dumps(options).encode()),
            self.session.cancel)))

    def scorer(self) -> Scorer:
        """Predicts in this process, for rows that come one by one; created at its first use."""
        if self._scorer is None:
            self._scorer = Scorer(self)
        return self._scorer

    def score_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The predictions for one row, given as a dict, computed in this process."""
        return self.scorer().score_row(row)

    def score_rows(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The predictions for a few rows, computed in this process."""
        return self.scorer().score_rows(rows)

    def forecast(self, horizon: int | str | None = None, newer: Any = None) -> Any:
        """Predicts series further ahead than the model looks back: a pyarrow.Table of the new rows.

        `horizon`: how many rows of each series, or a time such as "28d"; `newer`: a table of rows
        since training, with their labels, which they then follow. Without a horizon, the rows of
        `newer` are predicted, where a missing label is read as predicted by later rows.
        """
        import pyarrow

        batch = None
        if newer is not None:
            rows = self.session.table(newer).to_arrow().combine_chunks()
            batch = (rows.to_batches() or [pyarrow.RecordBatch.from_pylist([], rows.schema)])[0]
        return pyarrow.Table.from_batches([self.scorer().forecast(horizon, batch)])

    def export(self, format: str, path: str | os.PathLike[str], *, force: bool = False, precision: str | None = None,
               most_loss: float | None = None) -> list[str]:
        """Writes the model for another tool: "onnx", or another format of `protium export --help`.
        precision="int8" or "bf16": with weights of 8 or 16 bits, unless that makes it worse by more than the share
        `most_loss`.
        Returns what the format cannot hold."""
        from . import _command

        if not force and os.path.exists(path):
            raise UsageError(f"{os.fspath(path)} already exists", fix="another path, or force=True to replace it")
        with tempfile.TemporaryDirectory(prefix="protium-") as scratch:
            self.save(Path(scratch) / "model")
            words = ["export", os.path.join(scratch, "model"), "--to", format, "--output", os.path.abspath(path)]
            words += ["--force"] if force else []
            words += ["--precision", precision] if precision is not None else []
            words += ["--most-loss", str(most_loss)] if most_loss is not None else []
            try:
                return list(_command.said_json(*words)["left_out"])
            except UsageError as error:
                error.where = "format" if error.where == "--to" else error.where
                raise

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the model's folder atomically; an existing model is replaced."""
        _library.call("pt_model_save", self._own(), os.fspath(folder).encode())

    def __reduce__(self) -> Any:
        raise UsageError("a model belongs to its session and cannot be pickled",
                         fix='model.save("folder"), and session.load("folder") where it is needed')

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
