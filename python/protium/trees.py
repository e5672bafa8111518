# SPDX-License-Identifier: Apache-2.0
"""Forests of boosted trees for tables in scikit-learn's manner.

Columns are recognised by their types: texts, booleans and categories are categories, times become
seconds. Nothing is filled or scaled: trees learn where rows go whose value is missing.
"""

from __future__ import annotations

from typing import Any

from ._table_columns import of_kind
from ._table_estimator import TableClassifier, TableEstimator, TableRegressor

_INDEX = "index"


class _Trees(TableEstimator):
    def __init__(self, *, loss: Any = None, rounds: int = 200, learning_rate: float = 0.05,
                 leaves: int = 31, depth: int = 0, bins: int = 255, min_weight: float = 1.0,
                 min_gain: float = 0.0, l1: float = 0.0, l2: float = 1.0, rows: float = 1.0,
                 columns: float = 0.5, one_hot: int = 4, smoothing: float = 10.0,
                 monotone: Any = None, interactions: Any = None, validation: float = 0.0,
                 patience: int = 0, workers: int = 1, random_state: Any = None,
                 engine: str = "local", train: Any = None) -> None:
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
        self.workers = workers
        self.random_state = random_state
        self.engine = engine
        self.train = train

    @property
    def feature_importances_(self) -> Any:
        """The share of each column in what all splits gained; zeros where nothing was split."""
        import numpy as np

        gains = {each["column"]: each["gain"] for each in self.metrics_["splits"]}
        gain = np.array([gains[name] for name in self._features], "float64")
        return gain / gain.sum() if gain.sum() > 0 else gain

    def _fit(self, *args: Any) -> Any:
        super()._fit(*args)
        training = self.metrics_["training"]
        self.n_iter_ = training["best_epoch"] or training["rounds"]
        return self

    def _stages(self, kinds: dict[str, str], rows: int) -> list[dict[str, Any]]:
        numeric, texts = of_kind(kinds, "number"), of_kind(kinds, "text")
        estimator: dict[str, Any] = {"kind": "tree_estimator", "trees": self._shape(kinds),
                                     "train": self._train_options()}
        if numeric:
            estimator["numeric"] = numeric
        if not texts:
            return [estimator]
        # A category that is missing or new goes where trees send missing values.
        indexer = {"kind": "string_indexer", "id": _INDEX, "inputs": texts, "unseen": "null",
                   "missing": "null"}
        return [indexer, {**estimator, "categorical": [{"stage": _INDEX}]}]

    def _shape(self, kinds: dict[str, str]) -> dict[str, Any]:
        """The estimator's options `trees`."""
        shape = {name: getattr(self, name) for name in
                 ("rounds", "learning_rate", "leaves", "depth", "bins", "min_weight", "min_gain",
                  "l1", "l2", "rows", "columns", "one_hot", "smoothing")}
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
    return f"{column}__{_INDEX}" if kinds.get(column) == "text" else column


class TreeRegressor(_Trees, TableRegressor):
    """Boosted trees that predict numbers.

    loss: mse, mae, huber, poisson, tweedie or quantile, or such a loss with its options as in a job
    file: {"name": "huber", "delta": 2}, {"name": "quantile", "levels": [0.1, 0.9]}. rounds to
    smoothing: as in [trees] of job files (`protium help tree_estimator`). monotone: {column:
    "rising"} or "falling". interactions: lists of columns; those on the way to a leaf come from one
    list. Columns have names in frames and positions in matrices. validation: share of the rows held
    out to choose the best round; patience: rounds without a better one before training ends.
    workers: processes that train together; they do not change the result. engine: where it is
    trained. train: further options of [train] in job files, such as {"from": "model"}.
    """

    def _loss(self) -> dict[str, Any]:
        loss = self.loss or "mse"
        return {"name": loss} if isinstance(loss, str) else dict(loss)

    def predict(self, X: Any) -> Any:
        """A number for each row; of several quantiles, a column for each level, ascending."""
        import numpy as np

        predictions = list(self._scored(X).values())
        return predictions[0] if len(predictions) == 1 else np.column_stack(predictions)


class TreeClassifier(_Trees, TableClassifier):
    """Boosted trees that predict classes.

    loss: options of binary_cross_entropy or, for more than two classes, cross_entropy, such as
    {"class_weights": "balanced"}, {"class_weights": {"yes": 5}} or {"label_smoothing": 0.1}. Other
    parameters as for TreeRegressor.
    """

    def _loss(self) -> dict[str, Any]:
        loss = {**super()._loss(), **(self.loss or {})}
        weights = loss.get("class_weights")
        if isinstance(weights, dict):
            loss["class_weights"] = self._weights_by_code(weights)
        return loss

    def _weights_by_code(self, weights: dict[Any, float]) -> dict[str, float]:
        codes = {each: str(code) for code, each in enumerate(self.classes_.tolist())}
        unknown = [each for each in weights if each not in codes]
        if unknown:
            raise ValueError(f"class_weights has {unknown[0]!r}, which is not one of the classes "
                             f"{list(codes)}")
        return {codes[each]: weight for each, weight in weights.items()}
