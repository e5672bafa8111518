# SPDX-License-Identifier: Apache-2.0
"""What the estimators with scikit-learn's interface share.

A class of these has __init__() with its parameters, among them those that TableEstimator names, and
_stages(), the pipeline whose last stage is the estimator.
"""

from __future__ import annotations

import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any

from . import _estimator
from ._estimator import BaseEstimator
from ._fit_options import merged, mostly_equal, seed_for
from ._held_out import HELD_OUT, Rows, pair_of, with_validation
from ._packed import extract, packed, unpacked
from ._quick import MOST_ROWS, quick
from ._rows import ROW, count_of, sorted_by_row
from ._runs import Run
from ._like_fit import fitted_columns, like_fit
from ._table_columns import (GROUP, WEIGHT, columns_of, free_name, mixed_columns, of_kind, quoted, require_usable,
                             same_rows, table_of, time_stages, without_names)
from ._text_times import text_times
from .errors import LeakWarning, ProtiumError, UsageError
from .model import Model, Pipeline
from .scorer import Scorer
from .session import Session, default_session

# Models as sessions have them, beside the estimators, which must not change while they predict;
# and scorers, None where a net needs workers.
_loaded: "weakref.WeakKeyDictionary[Any, Model]" = weakref.WeakKeyDictionary()
_scorers: "weakref.WeakKeyDictionary[Any, Scorer | None]" = weakref.WeakKeyDictionary()

# Nets whose scorer rounds otherwise than workers do: an estimator predicts the same for a row,
# however many rows there are.
_ROUND_OTHERWISE = frozenset({"cnn", "ft_transformer", "text_classifier"})


def _rounds_otherwise(model: Model) -> bool:
    net = model.pipeline[-1].get("net")
    return isinstance(net, dict) and net.get("name") in _ROUND_OTHERWISE


class TableEstimator(BaseEstimator):
    """Fits a pipeline to a matrix or a frame, and predicts in the order of the rows."""

    engine: str
    workers: int
    validation: float | None
    patience: int | None
    metrics: Any
    random_state: Any
    check_leaks: bool
    warm_start: bool
    verbose: bool | None
    callbacks: Any
    train: Any

    def _stages(self, kinds: dict[str, str], rows: int, validation: dict[str, Any]) -> list[dict[str, Any]]:
        """The stages for so many rows of columns of these kinds (table_of) with these options of
        train.validation; the last one still lacks label, weight, loss and gang."""
        raise NotImplementedError

    def _held_out(self, rows: int) -> float:
        """The share of the rows that is held out where nothing is said."""
        raise NotImplementedError

    def _fit(self, given: Rows, learns: dict[str, Any], name: Any = None) -> Any:
        start = vars(self).pop("_archive", None)  # A fit that does not end leaves nothing fitted.
        _scorers.pop(self, None)
        y, rows = given.y, len(given.y)
        label = free_name(name, given.X, "label")
        labels = [label] if y.ndim == 1 else [f"{label}_{i}" for i in range(y.shape[1])]
        known = {WEIGHT: given.weight, GROUP: given.group, HELD_OUT: given.held_out}
        extra = dict(zip(labels, [y] if y.ndim == 1 else y.T))
        extra.update({column: each for column, each in known.items() if each is not None})
        self.seed_ = seed_for(self.random_state)
        validation = self._validation(given)
        by_row = self.validation is None and given.group is None and "share" in validation
        extra = {**extra, ROW: _estimator.row_numbers(rows)} if by_row else extra
        frame, kinds = self._fitted_table(given.X, extra, goes_on=self.warm_start and start is not None)
        *stages, estimator = self._stages(kinds, rows, validation)
        stages = [*time_stages(kinds, self._text_times), *stages]
        if by_row and mostly_equal(frame, [*kinds, *labels]):
            estimator["train"]["validation"].setdefault("by", [ROW])
        estimator = {**estimator, "gang": {"workers": self.workers}, **learns}
        estimator.update({"label": label} if y.ndim == 1 else {"labels": labels})
        if given.weight is not None:
            estimator["weight"] = WEIGHT
        if given.group is not None:
            estimator["group"] = GROUP
        if self.check_leaks and y.ndim == 1:
            known = _warn_of_leaks(frame, [*kinds, label], label, given.X)
            if given.held_out is not None:
                _warn_of_copies(frame, [*kinds, label], label)
        self._labels, self._features = labels, list(kinds)
        self._keep(self._learned([*stages, estimator], frame, start))
        if self.check_leaks and y.ndim == 1:
            _warn_of_results(self._model(), _sample(frame, rows), 5, known=known)
        return self

    def _validation(self, given: Rows) -> dict[str, Any]:
        """The options of train.validation; none: no rows are held out."""
        if given.held_out is not None:
            if self.validation:
                raise UsageError("validation rows are given twice: by validation= and by eval_set=",
                                 fix="leave one of them out")
            return {"column": HELD_OUT}
        share = self._held_out(len(given.y)) if self.validation is None else self.validation
        return {"share": share} if share else {}

    def _and_validation(self, rows: Rows, eval_set: Any, group: Any = None) -> Rows:
        """The rows with those of eval_set=, if there are any."""
        if eval_set is None:
            return rows
        X, y = pair_of(eval_set)
        X, y = _estimator.checked(self, X, reset=False), self._targets(y)
        same_rows(X, y)
        return with_validation(rows, X, y, group)

    def _fitted_table(self, X: Any, extra: dict[str, Any], goes_on: bool) -> tuple[Any, dict[str, str]]:
        """table_of() for a fit, with what else the kinds say: "text time", "left out". `goes_on`: columns
        of the names of the last fit are what they were there."""
        if goes_on and columns_of(X) == list(self._columns):
            return self._table(X, extra), {name: each.kind for name, each in self._columns.items()}
        self._mixed = mixed_columns(X)
        frame, kinds = table_of(default_session(self.engine), X, extra)
        require_usable(kinds, frame.schema)
        self._text_times = text_times(frame.limit(_ROWS_FOR_TIMES), of_kind(kinds, "text"))
        kinds = without_names(frame, {**kinds, **dict.fromkeys(self._text_times, "text time")}, X)
        self._columns = fitted_columns(frame, kinds)
        return frame, kinds

    def _table(self, X: Any, extra: dict[str, Any]) -> Any:
        """table_of() with the types of the fit, and with its names for a matrix."""
        frame, _ = table_of(default_session(self.engine), X, extra, self._mixed, list(self._columns))
        return like_fit(frame, self._columns)

    def _learned(self, stages: list[dict[str, Any]], frame: Any, start: bytes | None) -> Model:
        with frame.session._watch.during(self.verbose, self.callbacks):
            if not self.warm_start or start is None:
                return Pipeline(stages).fit(frame)
            with tempfile.TemporaryDirectory(prefix="protium-") as folder:
                extract(start, Path(folder))
                train = {**stages[-1]["train"], "from": {"model": folder}}
                return Pipeline([*stages[:-1], {**stages[-1], "train": train}]).fit(frame)

    def _keep(self, model: Model) -> None:
        self.metrics_ = model.metrics
        self._archive = packed(model)
        _loaded[self] = model

    def _moved_from(self, other: Any) -> None:
        """The model of another estimator, whose fitted attributes this one has."""
        _scorers.pop(self, None)
        _loaded[self] = _loaded[other]

    def _train_options(self, validation: dict[str, Any], patience: int, named: dict[str, str],
                       **own: Any) -> dict[str, Any]:
        options = {**own, "seed": self.seed_}
        if validation:
            options["validation"] = validation
        if self.patience or (self.patience is None and validation):
            if not validation:
                raise UsageError("patience needs validation rows, and there are none",
                                 fix="validation=0.1, fit(..., eval_set=(X, y)), or leave patience out")
            options["early_stopping"] = {"patience": self.patience or patience}
        if self.metrics:
            options["metrics"] = [self.metrics] if isinstance(self.metrics, str) else list(self.metrics)
        said = {"random_state": "seed", "validation": "validation", "patience": "early_stopping", "metrics": "metrics",
                **named}
        set_here = {option: name for name, option in said.items() if getattr(self, name) is not None}
        if "column" in validation:
            set_here["validation"] = "eval_set"
        return merged(options, set_here, self.train)

    def __sklearn_is_fitted__(self) -> bool:
        return "_archive" in vars(self)

    # ---- What was learned.

    @property
    def model_(self) -> Model:
        """The model, a protium.Model: save(), export(), scorer(), evaluate(), ..."""
        _estimator.require_fitted(self)
        return self._model()

    @property
    def run_(self) -> Run | None:
        """The run that fitted it: its folder, report, settings; None where it no longer exists, as
        after unpickling."""
        return self.model_.run

    @property
    def history_(self) -> list[dict[str, Any]]:
        """The metrics after each epoch, or after some of the rounds."""
        _estimator.require_fitted(self)
        return list(self.metrics_["training"]["history"])

    @property
    def importance_(self) -> dict[str, float]:
        """How much the first metric worsens on validation rows when a column is shuffled."""
        return self.model_.importance

    def save(self, folder: Any) -> None:
        """Writes the model's folder, for protium.Session.load(), `protium predict`, serve, ..."""
        self.model_.save(folder)

    def export(self, format: str, path: Any, *, force: bool = False) -> list[str]:
        """Writes the model for another tool ("onnx"); returns what the format cannot hold."""
        return self.model_.export(format, path, force=force)

    def scorer(self) -> Scorer:
        """Predicts rows that come as dicts, in this process."""
        return self.model_.scorer()

    def evaluate(self, X: Any, y: Any) -> dict[str, Any]:
        """The training's metrics on other rows."""
        _estimator.require_fitted(self)
        X, y = _estimator.checked(self, X, reset=False), self._targets(y)
        same_rows(X, y)
        model = self._model()
        extra = dict(zip(self._labels, [y] if y.ndim == 1 else y.T))
        frame = self._table(X, extra)
        measured = model.evaluate(frame)
        if self.check_leaks and y.ndim == 1:
            _warn_of_results(model, frame, 3, measured=measured)
        return measured

    def _targets(self, y: Any) -> Any:
        return _estimator.numbers(y)

    def _model(self) -> Model:
        model = _loaded.get(self)
        if model is None or not model.session._handle:
            model = _loaded[self] = unpacked(default_session(self.engine), self._archive)
        return model

    def _quick_scorer(self) -> Scorer | None:
        if self not in _scorers:
            try:
                model = self._model()
                _scorers[self] = None if _rounds_otherwise(model) else model.scorer()
            except ProtiumError:  # LibTorch computes the net.
                _scorers[self] = None
        return _scorers[self]

    def _scored(self, X: Any) -> dict[str, Any]:
        """The predictions' columns, in the order of the rows."""
        _estimator.require_fitted(self)
        X = _estimator.checked(self, X, reset=False)
        if 0 < count_of(X) <= MOST_ROWS:
            scorer = self._quick_scorer()
            columns = quick(scorer, X, self._columns) if scorer is not None else None
            if columns is not None:
                return columns
        model = self._model()
        frame = self._table(X, {})
        return sorted_by_row(model.transform(frame, keep=[ROW]).to_columns())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


_ROWS_FOR_TIMES = 20_000
_ROWS_FOR_LEAKS = 20_000  # Enough to see one; all would take as long as a short training.


def _sample(frame: Any, rows: int) -> Any:
    """Not the first ones: those of a sorted table are of one class."""
    share = _ROWS_FOR_LEAKS / max(rows, 1)
    return frame.split(test=share)[1] if share < 1 else frame


def _warn_of_leaks(frame: Any, names: list[str], label: str, X: Any) -> list[str]:
    """Returns the columns that were named."""
    found = _sample(frame.select(*names), count_of(X)).leaks(label)
    for column, why in found.items():
        warnings.warn(f"possible target leak: {column} {why}. Leave it out: {_without(column, X)}; check_leaks=False silences this",
                      LeakWarning, stacklevel=5)
    return list(found)


def _warn_of_results(model: Model, frame: Any, stacklevel: int, **options: Any) -> None:
    for doubt in model.doubts(frame, **options):
        warnings.warn(f"{doubt} check_leaks=False silences this", LeakWarning, stacklevel=stacklevel)


def _without(column: str, X: Any) -> str:
    """What to write to leave a column out."""
    if not _estimator.is_frame(X):
        return f"np.delete(X, {column[1:]}, axis=1)"
    return f"X.drop(columns={column!r})" if hasattr(X, "assign") else f"X.drop({column!r})" if hasattr(X, "with_columns") \
        else f"X.drop_columns({column!r})"


def _warn_of_copies(frame: Any, names: list[str], label: str) -> None:
    columns = ", ".join(map(quoted, names))
    learned, held_out = (frame.sql(f"SELECT {columns} FROM this WHERE {condition}")
                         for condition in (f"NOT {HELD_OUT}", HELD_OUT))
    for finding in learned.split_leaks(held_out, label):
        warnings.warn(f"{finding.replace('of the test rows', 'of the rows of eval_set', 1)}; check_leaks=False silences this",
                      LeakWarning, stacklevel=5)
