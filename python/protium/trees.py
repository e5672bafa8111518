# SPDX-License-Identifier: Apache-2.0
"""Boosted trees for tables, with scikit-learn's interface.

Columns are recognised by their types: texts, booleans and categories are categories, times become
seconds. Nothing is filled or scaled: trees learn where to send missing values.
"""

from __future__ import annotations

from typing import Any

from . import _estimator
from ._fit_options import effort_for
from ._held_out import Rows, pair_of
from ._table_columns import number_of, numbers_of, of_kind, same_rows
from ._table_estimator import TableEstimator
from ._table_targets import TableClassifier, TableRegressor

_INDEX = "index"
_ROUNDS_AT_MOST, _ROUNDS = 1000, 200  # Where validation rows choose how many, and where there are none.
_PATIENCE = 50  # Rounds.


class _Trees(TableEstimator):
    def __init__(self, *, loss: Any = None, rounds: int | None = None, learning_rate: float = 0.05,
                 leaves: int | None = None, depth: int = 0, bins: int = 255, min_weight: float = 1.0,
                 min_gain: float = 0.0, l1: float = 0.0, l2: float = 1.0, rows: float = 1.0,
                 columns: float = 0.5, one_hot: int = 4, smoothing: float = 10.0,
                 monotone: Any = None, interactions: Any = None, validation: float | None = None,
                 patience: int | None = None, metrics: Any = None, workers: int = 1,
                 check_leaks: bool = True, warm_start: bool = False, verbose: bool | None = None, callbacks: Any = None,
                 random_state: Any = None, engine: str = "local", train: Any = None) -> None:
        self.loss = loss
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.depth = depth
        self.bins = bins
        self.min_weight = min_weight
        self.min_gain = min_gain
        self.l1 = l1
        self.l2 = l2
        self.rows = rows
        self.columns = columns
        self.one_hot = one_hot
        self.smoothing = smoothing
        self.monotone = monotone
        self.interactions = interactions
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

    @property
    def feature_importances_(self) -> Any:
        """Total gain of the splits on each column, as shares; zeros if there are no splits."""
        import numpy as np

        _estimator.require_fitted(self)
        gains = {each["column"]: each["gain"] for each in self.metrics_["splits"]}
        read = {name: number_of(name, each.kind) for name, each in self._columns.items()}
        gain = np.array([gains.get(read[name], gains.get(name, 0.0)) for name in self._features], "float64")
        return gain / gain.sum() if gain.sum() > 0 else gain

    def _fit(self, *args: Any) -> Any:
        super()._fit(*args)
        training = self.metrics_["training"]
        self.n_iter_ = training["best_epoch"] or training["rounds"]
        return self

    def _held_out(self, rows: int) -> float:
        return effort_for(rows).validation

    def _stages(self, kinds: dict[str, str], rows: int, validation: dict[str, Any]) -> list[dict[str, Any]]:
        numeric, texts = numbers_of(kinds), of_kind(kinds, "text")
        estimator: dict[str, Any] = {"kind": "tree_estimator", "trees": self._shape(kinds, rows, bool(validation)),
                                     "train": self._train_options(validation, _PATIENCE, {})}
        if numeric:
            estimator["numeric"] = numeric
        if not texts:
            return [estimator]
        # A category that is missing or new goes where trees send missing values.
        indexer = {"kind": "string_indexer", "id": _INDEX, "inputs": texts, "unseen": "null",
                   "missing": "null"}
        return [indexer, {**estimator, "categorical": [{"stage": _INDEX}]}]

    def _shape(self, kinds: dict[str, str], rows: int, validated: bool) -> dict[str, Any]:
        """The estimator's options `trees`."""
        shape = {name: getattr(self, name) for name in
                 ("rounds", "learning_rate", "leaves", "depth", "bins", "min_weight", "min_gain",
                  "l1", "l2", "rows", "columns", "one_hot", "smoothing")}
        shape["rounds"] = self.rounds or (_ROUNDS_AT_MOST if validated else _ROUNDS)
        shape["leaves"] = self.leaves or effort_for(rows).leaves
        if self.monotone:
            shape["monotone"] = [{"column": _input(column, kinds), "direction": direction}
                                 for column, direction in self.monotone.items()]
        if self.interactions:
            shape["interactions"] = [[_input(column, kinds) for column in together]
                                     for together in self.interactions]
        return shape


def _input(column: Any, kinds: dict[str, str]) -> str:
    """The estimator's name for a column of X: by its name or, as in matrices, by its position."""
    if not isinstance(column, str):
        names = list(kinds)
        if not 0 <= column < len(names):
            raise ValueError(f"there is no column {column}: X has {len(names)}, from 0 on")
        column = names[column]
    return f"{column}__{_INDEX}" if kinds.get(column) == "text" else number_of(column, kinds.get(column, ""))


class TreeRegressor(_Trees, TableRegressor):
    """Boosted trees that predict numbers.

    loss: mse, mae, huber, poisson, tweedie or quantile, or such a loss with its options as in a job
    file: {"name": "huber", "delta": 2}, {"name": "quantile", "levels": [0.1, 0.9]}. rounds to
    smoothing: as in [trees] of job files (`protium help stages tree_estimator`); unless set, rounds and
    leaves are as `protium init` writes them for this many rows. monotone: {column: "rising"} or
    "falling". interactions: lists of columns; those on the way to a leaf come from one list. Columns
    have names in frames and positions in matrices. validation: share of the rows held out to choose
    the best round, 0 for none; unless set, 0.2 or 0.1 of 100 rows or more. patience: rounds without
    improvement before training ends. metrics, check_leaks, warm_start, verbose, callbacks,
    random_state and what there is once fitted: as for TabularRegressor. workers: processes that train
    together; they do not change the result. engine: where it is trained. train: further options of
    [train] in job files, such as {"from": "model"}.
    """


class TreeClassifier(_Trees, TableClassifier):
    """Boosted trees that predict classes.

    loss: options of binary_cross_entropy or, for more than two classes, cross_entropy, such as
    {"label_smoothing": 0.1}. class_weight, calibration and threshold: as for TabularClassifier. Other
    parameters as for TreeRegressor.
    """

    def __init__(self, *, loss: Any = None, class_weight: Any = None, calibration: str | None = None,
                 threshold: Any = None, rounds: int | None = None, learning_rate: float = 0.05,
                 leaves: int | None = None, depth: int = 0, bins: int = 255, min_weight: float = 1.0,
                 min_gain: float = 0.0, l1: float = 0.0, l2: float = 1.0, rows: float = 1.0,
                 columns: float = 0.5, one_hot: int = 4, smoothing: float = 10.0,
                 monotone: Any = None, interactions: Any = None, validation: float | None = None,
                 patience: int | None = None, metrics: Any = None, workers: int = 1,
                 check_leaks: bool = True, warm_start: bool = False, verbose: bool | None = None, callbacks: Any = None,
                 random_state: Any = None, engine: str = "local", train: Any = None) -> None:
        super().__init__(loss=loss, rounds=rounds, learning_rate=learning_rate, leaves=leaves, depth=depth, bins=bins,
                         min_weight=min_weight, min_gain=min_gain, l1=l1, l2=l2, rows=rows, columns=columns,
                         one_hot=one_hot, smoothing=smoothing, monotone=monotone, interactions=interactions,
                         validation=validation, patience=patience, metrics=metrics, workers=workers,
                         check_leaks=check_leaks, warm_start=warm_start, verbose=verbose, callbacks=callbacks,
                         random_state=random_state, engine=engine, train=train)
        self.class_weight = class_weight
        self.calibration = calibration
        self.threshold = threshold


class TreeRanker(_Trees, TableEstimator):
    """Boosted trees that rank the rows of a group, such as the answers to a query (lambdarank).

    loss: options of lambdarank, such as {"top": 10}. Other parameters as for TreeRegressor, except
    that validation holds out whole groups.
    """

    def fit(self, X: Any, y: Any, group: Any = None, sample_weight: Any = None, *,
            qid: Any = None, eval_set: Any = None, eval_group: Any = None) -> Any:
        """Learns from rows X, a matrix or a frame, and their relevance y, whole numbers from 0 to
        31. group, also called qid: which group each row is of, numbers or texts, in any order.
        eval_set: rows (X, y) of other groups, eval_group, that choose the best round."""
        y = _estimator.numbers(_estimator.one_column(y))
        X = _estimator.checked(self, X, reset=True)
        same_rows(X, y)
        groups = _groups(qid if group is None else group, len(y))
        rows = Rows(X, y, _estimator.weights(sample_weight, X, len(y)), groups)
        if eval_set is not None:
            eval_group = _groups(eval_group, len(pair_of(eval_set)[1]))
        rows = self._and_validation(rows, eval_set, eval_group)
        return self._fit(rows, {"loss": {"name": "lambdarank", **(self.loss or {})}})

    def predict(self, X: Any) -> Any:
        """A score for each row: within a group, rows of higher scores come first."""
        return self._scored(X)["prediction"]

    def score(self, X: Any, y: Any, group: Any = None, *, qid: Any = None) -> float:
        """ndcg@10: how well the first ten rows of a group are chosen and ordered, 1 being best."""
        import numpy as np

        y = _estimator.numbers(_estimator.one_column(y))
        groups = _groups(qid if group is None else group, len(y))
        gains, scores = np.exp2(y) - 1, self.predict(X)
        _, codes = np.unique(groups, return_inverse=True)
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
        return float(np.mean([_ndcg(gains[part], scores[part], 10) for part in parts]))


def _groups(group: Any, rows: int) -> Any:
    """A group for each row."""
    import numpy as np

    if group is None:
        raise ValueError("a ranker needs group=, the group of each row")
    group = np.asarray(group)
    if group.shape == (rows,):
        return group
    sizes = group.ndim == 1 and group.dtype.kind in "iu" and group.sum() == rows
    raise ValueError(f"group has shape {group.shape}, but there are {rows} rows" +
                     (": turn sizes of groups into a number for each row with "
                      "numpy.repeat(numpy.arange(len(group)), group)" if sizes else ""))


def _ndcg(gains: Any, scores: Any, top: int) -> float:
    """As the metric ndcg@k: rows of equal scores share their places."""
    import numpy as np

    discounts = 1 / np.log2(2 + np.arange(len(gains)))
    discounts[top:] = 0
    best = np.sort(gains)[::-1] @ discounts
    _, ties = np.unique(-scores, return_inverse=True)
    counts = np.bincount(ties)
    places = np.bincount(np.sort(ties), weights=discounts)
    reached = np.bincount(ties, weights=gains) / counts @ places
    return float(reached / best) if best > 0 else 1.0
