# SPDX-License-Identifier: Apache-2.0
"""Nets for tables, with scikit-learn's interface.

Columns are recognised by their types: numbers are filled and scaled, texts, booleans and categories
indexed and embedded, times turned into seconds.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

from . import _estimator
from ._fit_options import effort_for
from ._table_columns import numbers_of, of_kind
from ._table_estimator import TableEstimator
from ._table_targets import TableClassifier, TableRegressor
from .errors import UsageError

_MANY_NUMBERS = 200  # With more, a small net learns more from the rows that there usually are.
_MANY_ROWS = 1_000_000  # A median of so many different numbers takes long.


class _Net(TableEstimator):
    def __init__(self, hidden: Any = None, *, net: Any = None, epochs: int | None = None,
                 batch_size: int | None = None, learning_rate: float | None = None,
                 dropout: float | None = None, loss: Any = None, validation: float | None = None,
                 patience: int | None = None, metrics: Any = None, workers: int = 1,
                 check_leaks: bool = True, warm_start: bool = False,
                 verbose: bool | None = None, callbacks: Any = None, random_state: Any = None,
                 engine: str = "local", train: Any = None) -> None:
        self.hidden = hidden
        self.net = net
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.loss = loss
        self.validation = validation
        self.patience = patience
        self.metrics = metrics
        self.workers = workers
        self.check_leaks = check_leaks
        self.warm_start = warm_start
        self.verbose = verbose
        self.callbacks = callbacks
        self.random_state = random_state
        self.engine = engine
        self.train = train

    def _fit(self, *args: Any) -> Any:
        super()._fit(*args)
        self.n_iter_ = len(self.metrics_["training"]["history"])
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learns from some rows for one epoch, after those of earlier calls, or of fit().

        What the first rows determine holds for all later ones: how missing values are filled, the
        scale of numbers and of y, the categories; later categories count as one. So they should
        resemble the rows to come, and every call needs rows of each class. The optimiser starts
        afresh in each call, and no rows are held out. classes: all of them, for a check.
        """
        import numpy as np

        if classes is not None and not np.isin(np.asarray(classes), np.asarray(y)).all():
            raise UsageError("these rows lack one of the classes", fix="give rows of every class in each call")
        if "_archive" in vars(self):
            _estimator.checked(self, X, reset=False)
        options = self.get_params(deep=False)
        options.update(epochs=1, validation=0.0, patience=None, warm_start=True,
                       train={"schedule": "constant", **(self.train or {})})
        step = type(self)(**options)
        vars(step).update({name: each for name, each in vars(self).items() if name not in options})
        step.fit(X, y, sample_weight)
        vars(self).update({name: each for name, each in vars(step).items() if name not in options})
        self._moved_from(step)
        return self

    @property
    def feature_importances_(self) -> Any:
        """Permutation importance (importance_), as shares that add up to 1."""
        import numpy as np

        worse = np.array([max(self.importance_.get(name, 0.0), 0.0) for name in self._features], "float64")
        return worse / worse.sum() if worse.sum() > 0 else worse

    def _held_out(self, rows: int) -> float:
        return effort_for(rows).net_validation

    def _stages(self, kinds: dict[str, str], rows: int, validation: dict[str, Any]) -> list[dict[str, Any]]:
        numeric, texts = numbers_of(kinds), of_kind(kinds, "text")
        wide = len(numeric) > _MANY_NUMBERS
        stages: list[dict[str, Any]] = []
        estimator: dict[str, Any] = {"kind": "torch_estimator", "net": self._net(wide),
                                     "train": self._train(rows, validation, wide)}
        if numeric:
            stages.append({"kind": "imputer", "id": "fill", "inputs": numeric,
                           "with": "median" if rows < _MANY_ROWS else "mean"})
            scaler = "standard_scaler" if wide or self.net is not None else "quantile_scaler"
            stages.append({"kind": scaler, "id": "scale", "inputs": [{"stage": "fill"}]})
            estimator["numeric"] = [{"stage": "scale"}]
        if texts:
            stages.append({"kind": "string_indexer", "id": "index", "inputs": texts})
            estimator["categorical"] = [{"stage": "index"}]
        return [*stages, estimator]

    def _net(self, wide: bool) -> Any:
        if self.net is not None:
            return self.net
        hidden = self.hidden if self.hidden is not None else (64, 32) if wide else (64, 64)
        layers = [hidden] if isinstance(hidden, Integral) else hidden
        if isinstance(layers, str):  # Of which each digit would be a layer.
            raise UsageError(f"hidden={hidden!r} is a text: it is a list of numbers, the neurons in each layer",
                             fix="hidden=[64, 64]")
        net = {"name": "tabular_mlp" if wide else "tabm", "hidden": [int(width) for width in layers]}
        return net if self.dropout is None else {**net, "dropout": self.dropout}

    def _train(self, rows: int, validation: dict[str, Any], wide: bool) -> dict[str, Any]:
        effort = effort_for(rows)
        rate = self.learning_rate or (1e-3 if wide else 3e-3)
        return self._train_options(
            validation, effort.patience, {"epochs": "epochs", "batch_size": "batch_size", "learning_rate": "optimizer"},
            epochs=self.epochs or effort.epochs, batch_size=self.batch_size or effort.batch, schedule="cosine",
            optimizer={"name": "adamw", "learning_rate": rate})


class TabularRegressor(_Net, TableRegressor):
    """A net that predicts numbers. Defaults are those that `protium init` writes for this many rows.

    hidden: neurons in each layer of the net (tabm); net: another net of `protium help nets`, as in a
    job file. epochs: at most; batch_size: rows per step. loss: huber, mse, mae, poisson, ..., or such
    a loss with its options: {"name": "quantile", "levels": [0.1, 0.9]}. validation: share of the rows
    held out to choose the best epoch, 0 for none; unless set, 0.2 or 0.1 of 100 rows or more.
    patience: epochs without improvement before training ends. metrics: the metrics measured on them.
    workers: processes that train together; they do not change the result. check_leaks: whether to
    warn (LeakWarning) of columns that give y away, in 20,000 rows. warm_start: a further fit()
    continues from the weights of the last one. verbose: whether to print progress; unless set, on
    terminals. callbacks: functions called with each event of an epoch or a validation, a dict.
    random_state: the seed; unless set, a new one for each fit, kept in seed_. engine: where it is
    trained. train: further options of [train] in job files: {"clip_norm": 1.0}.

    Once fitted: predict, evaluate, save, export, scorer; model_, run_, history_, importance_,
    feature_importances_, metrics_, n_iter_, seed_.
    """

    _usual_loss = {"name": "huber", "delta": 1.0}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags


class TabularClassifier(_Net, TableClassifier):
    """A net that predicts classes; parameters as for TabularRegressor, and

    class_weight: "balanced", or a weight for each class. calibration: "temperature" or "isotonic",
    which fit probabilities to the validation rows. threshold: the probability above which a row is of
    the greater of two classes, or the metric that chooses it: "f1".
    """

    def __init__(self, hidden: Any = None, *, net: Any = None, epochs: int | None = None,
                 batch_size: int | None = None, learning_rate: float | None = None,
                 dropout: float | None = None, loss: Any = None, class_weight: Any = None,
                 calibration: str | None = None, threshold: Any = None, validation: float | None = None,
                 patience: int | None = None, metrics: Any = None, workers: int = 1,
                 check_leaks: bool = True, warm_start: bool = False,
                 verbose: bool | None = None, callbacks: Any = None, random_state: Any = None,
                 engine: str = "local", train: Any = None) -> None:
        super().__init__(hidden, net=net, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
                         dropout=dropout, loss=loss, validation=validation, patience=patience, metrics=metrics,
                         workers=workers, check_leaks=check_leaks,
                         warm_start=warm_start, verbose=verbose, callbacks=callbacks,
                         random_state=random_state, engine=engine, train=train)
        self.class_weight = class_weight
        self.calibration = calibration
        self.threshold = threshold
