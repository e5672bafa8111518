# SPDX-License-Identifier: Apache-2.0
"""What estimators learn: numbers, or classes."""

from __future__ import annotations

from typing import Any

from . import _estimator
from ._estimator import ClassifierMixin, RegressorMixin
from ._held_out import Rows
from ._table_columns import same_rows
from ._table_estimator import TableEstimator
from .errors import UsageError


class TableRegressor(RegressorMixin, TableEstimator):
    """A TableEstimator of numbers."""

    loss: Any
    _usual_loss = "mse"

    def _loss(self) -> dict[str, Any]:
        loss = self.loss or self._usual_loss
        return {"name": loss} if isinstance(loss, str) else dict(loss)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None) -> Any:
        """Learns from rows X, a matrix or a frame, and their numbers y; several columns of y are
        learned together. eval_set: rows (X, y) that choose the best epoch in place of a share of X;
        they are not learned from."""
        name = getattr(y, "name", None)
        y = _estimator.numbers(_estimator.one_column_or_more(y))
        X = _estimator.checked(self, X, reset=True)
        same_rows(X, y)
        rows = Rows(X, y, _estimator.weights(sample_weight, X, len(y)))
        return self._fit(self._and_validation(rows, eval_set), {"loss": self._loss()}, name)

    def predict(self, X: Any) -> Any:
        """A number for each row; with several quantiles, a column for each level, ascending; with
        several columns of y, a column for each."""
        import numpy as np

        predictions = list(self._scored(X).values())
        return predictions[0] if len(predictions) == 1 else np.column_stack(predictions)


class TableClassifier(ClassifierMixin, TableEstimator):
    """A TableEstimator of classes."""

    loss: Any
    class_weight: Any
    calibration: str | None
    threshold: Any

    def _loss(self) -> dict[str, Any]:
        """The loss for classes_, which are learned as they are or as 0, 1, ..."""
        loss = {"name": "binary_cross_entropy" if len(self.classes_) == 2 else "cross_entropy",
                **({"name": self.loss} if isinstance(self.loss, str) else self.loss or {})}
        weights = loss.get("class_weights")
        if weights is not None and self.class_weight is not None:
            raise UsageError("class weights are given twice", fix="class_weight= alone")
        weights = self.class_weight if weights is None else weights
        if weights is not None:
            loss["class_weights"] = self._weights_by_code(weights) if isinstance(weights, dict) else weights
        return loss

    def _weights_by_code(self, weights: dict[Any, float]) -> dict[str, float]:
        texts = {each: str(own) for each, own in zip(self.classes_.tolist(), self._coded(self.classes_).tolist())}
        unknown = [each for each in weights if each not in texts]
        if unknown:
            raise ValueError(f"class_weight has {unknown[0]!r}, which is not one of the classes "
                             f"{list(texts)}")
        return {texts[each]: weight for each, weight in weights.items()}

    def _coded(self, y: Any) -> Any:
        """Classes as a column: themselves where the model has them in the same order, else codes."""
        import numpy as np

        known = self.classes_
        if known.dtype.kind in "iu" or (known.dtype.kind == "U" and all(each for each in known.tolist())):
            return np.asarray(y).astype(np.int64 if known.dtype.kind in "iu" else known.dtype)
        return np.searchsorted(known, y).astype(np.int64)

    def _targets(self, y: Any) -> Any:
        import numpy as np

        y = np.asarray(_estimator.one_column(y))
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            raise ValueError(f"y has {y[unknown].tolist()[0]!r}, which is not one of the classes {self.classes_.tolist()}")
        return self._coded(y.astype(self.classes_.dtype))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None) -> Any:
        """Learns from rows X, a matrix or a frame, and their classes y, of any type. eval_set: rows
        (X, y) that choose the best epoch in place of a share of X; they are not learned from."""
        import numpy as np

        name = getattr(y, "name", None)
        y = _estimator.one_column(y)
        _require_known(np.asarray(y))
        _estimator.check_classes(y)
        X = _estimator.checked(self, X, reset=True)
        same_rows(X, y)
        y = np.asarray(y)
        self.classes_ = np.unique(y if y.dtype != object or not _all_texts(y) else y.astype(str))
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_.tolist()[0]!r}: there is nothing to learn")
        learns = {"loss": self._loss(), "probabilities": "probabilities"}
        options = {"calibration": self.calibration, "threshold": self.threshold}
        learns.update({option: each for option, each in options.items() if each is not None})
        rows = Rows(X, self._coded(y.astype(self.classes_.dtype)), _estimator.weights(sample_weight, X, len(y)))
        return self._fit(self._and_validation(rows, eval_set), learns, name)

    def predict(self, X: Any) -> Any:
        """A class for each row."""
        predicted = self._scored(X)["prediction"]
        if self._coded(self.classes_).dtype.kind == self.classes_.dtype.kind:
            return predicted.astype(self.classes_.dtype)
        return self.classes_[predicted]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each of classes_, one row for each row of X."""
        return self._scored(X)["probabilities"]


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _require_known(y: Any) -> None:
    missing = sum(map(_is_missing, y.tolist())) if y.dtype == object else 0
    if missing:
        raise ValueError(f"y is missing in {missing} of {len(y)} rows: leave these out")


def _all_texts(y: Any) -> bool:
    return all(isinstance(each, str) for each in y.tolist())
