# SPDX-License-Identifier: Apache-2.0
"""Nets for tables in scikit-learn's manner.

Columns are recognised by their types: numbers are filled and scaled, texts, booleans and categories
indexed and embedded, times turned into seconds.
"""

from __future__ import annotations

from typing import Any

from ._table_columns import of_kind
from ._table_estimator import TableClassifier, TableEstimator, TableRegressor


class _Net(TableEstimator):
    # Of nets that read numbers alone; beside embeddings wider weights learn too fast.
    _initial_weights = "pytorch"

    def __init__(self, hidden: Any = (128, 64), *, net: Any = None, epochs: int = 20,
                 batch_size: int | None = None, learning_rate: float = 0.001, dropout: float = 0.0,
                 validation: float = 0.0, patience: int = 0, workers: int = 1,
                 random_state: Any = None, engine: str = "local", train: Any = None) -> None:
        self.hidden = hidden
        self.net = net
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.validation = validation
        self.patience = patience
        self.workers = workers
        self.random_state = random_state
        self.engine = engine
        self.train = train

    def _fit(self, *args: Any) -> Any:
        super()._fit(*args)
        self.n_iter_ = len(self.metrics_.get("training", {}).get("history", [])) or self.epochs
        return self

    def _stages(self, kinds: dict[str, str], rows: int) -> list[dict[str, Any]]:
        numeric, texts = of_kind(kinds, "number"), of_kind(kinds, "text")
        stages: list[dict[str, Any]] = []
        estimator: dict[str, Any] = {"kind": "torch_estimator", "net": self._net(texts),
                                     "train": self._train(rows)}
        if numeric:
            # The mean, since a median of millions of different numbers takes long.
            stages.append({"kind": "imputer", "id": "fill", "with": "mean", "inputs": numeric})
            stages.append({"kind": "standard_scaler", "id": "scale", "inputs": [{"stage": "fill"}]})
            estimator["numeric"] = [{"stage": "scale"}]
        if texts:
            stages.append({"kind": "string_indexer", "id": "index", "inputs": texts})
            estimator["categorical"] = [{"stage": "index"}]
        return [*stages, estimator]

    def _net(self, texts: list[str]) -> Any:
        if self.net is not None:
            return self.net
        return {"name": "tabular_mlp", "hidden": [int(width) for width in self.hidden],
                "dropout": self.dropout,
                "initial_weights": "pytorch" if texts else self._initial_weights}

    def _train(self, rows: int) -> dict[str, Any]:
        # Some fifty steps an epoch where there are few rows.
        batch = self.batch_size or min(512, max(16, rows // 50))
        return self._train_options(epochs=self.epochs, batch_size=batch,
                                   optimizer={"name": "adam", "learning_rate": self.learning_rate})


class TabularRegressor(_Net, TableRegressor):
    """A net that predicts numbers.

    hidden: neurons in each layer. net: any net of `protium help nets` instead, as in a job file.
    batch_size: rows per step; unless set, 512, and less where there are few rows. workers: processes
    that train together; they do not change the result. validation: share of the rows held out to
    choose the best epoch; patience: epochs without a better one before training ends. engine: where
    it is trained. train: further options of [train] in job files, such as {"clip_norm": 1.0}.
    """


class TabularClassifier(_Net, TableClassifier):
    """A net that predicts classes; parameters as for TabularRegressor."""

    _initial_weights = "glorot"
