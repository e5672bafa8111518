# SPDX-License-Identifier: Apache-2.0
"""What estimators in scikit-learn's manner share, whatever learns in them.

A class of these has __init__() with its parameters, among them those that TableEstimator names, and
_stages(), the pipeline whose last stage is the estimator.
"""

from __future__ import annotations

import io
import tempfile
import weakref
import zipfile
from pathlib import Path
from typing import Any

from . import _estimator
from ._estimator import BaseEstimator, ClassifierMixin, RegressorMixin
from ._table_columns import LABEL, ROW, WEIGHT, require_usable, same_rows, table_of
from .model import Model, Pipeline
from .session import Session, default_session

# Models as sessions have them, beside the estimators, which must not change while they predict.
_loaded: "weakref.WeakKeyDictionary[Any, Model]" = weakref.WeakKeyDictionary()


class TableEstimator(BaseEstimator):
    """Fits a pipeline to a matrix or a frame, and predicts in the order of the rows."""

    engine: str
    workers: int
    validation: float
    patience: int
    random_state: Any
    train: Any

    def _stages(self, kinds: dict[str, str], rows: int) -> list[dict[str, Any]]:
        """The stages for so many rows of columns of these kinds (table_of); the last one still lacks
        label, weight, loss and gang."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any, learns: dict[str, Any]) -> Any:
        rows = len(y)
        extra = {LABEL: y}
        weight = _estimator.weights(sample_weight, X, rows)
        if weight is not None:
            extra[WEIGHT] = weight
        frame, kinds = table_of(default_session(self.engine), X, extra)
        require_usable(kinds)
        *stages, estimator = self._stages(kinds, rows)
        estimator = {**estimator, "label": LABEL, "gang": {"workers": self.workers}, **learns}
        if weight is not None:
            estimator["weight"] = WEIGHT
        model = Pipeline([*stages, estimator]).fit(frame)
        self.metrics_ = model.metrics
        self._features = list(kinds)
        self._archive = _pack(model)
        _loaded[self] = model
        return self

    def _train_options(self, **own: Any) -> dict[str, Any]:
        options = {**own, "seed": _estimator.seed_of(self.random_state)}
        if self.validation:
            options["validation"] = {"share": self.validation}
        if self.patience:  # Refused where there are no validation rows.
            options["early_stopping"] = {"patience": self.patience}
        return {**options, **(self.train or {})}

    def _model(self) -> Model:
        model = _loaded.get(self)
        if model is None or not model.session._handle:
            model = _loaded[self] = _unpack(default_session(self.engine), self._archive)
        return model

    def _scored(self, X: Any) -> dict[str, Any]:
        """The predictions' columns, in the order of the rows."""
        import numpy as np

        _estimator.require_fitted(self)
        X = _estimator.checked(self, X, reset=False)
        model = self._model()
        frame, _ = table_of(model.session, X, {})
        columns = model.transform(frame, keep=[ROW]).to_columns()
        order = np.argsort(columns.pop(ROW))
        return {name: each[order] for name, each in columns.items()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class TableRegressor(RegressorMixin, TableEstimator):
    """A TableEstimator of numbers."""

    def _loss(self) -> dict[str, Any]:
        return {"name": "mse"}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learns from rows X, a matrix or a frame, and their numbers y."""
        y = _estimator.numbers(_estimator.one_column(y))
        X = _estimator.checked(self, X, reset=True)
        same_rows(X, y)
        return self._fit(X, y, sample_weight, {"loss": self._loss()})

    def predict(self, X: Any) -> Any:
        """A number for each row."""
        return self._scored(X)["prediction"]


class TableClassifier(ClassifierMixin, TableEstimator):
    """A TableEstimator of classes."""

    def _loss(self) -> dict[str, Any]:
        """The loss for classes_, which are learned as 0, 1, ..."""
        return {"name": "binary_cross_entropy" if len(self.classes_) == 2 else "cross_entropy"}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learns from rows X, a matrix or a frame, and their classes y, of any type."""
        import numpy as np

        y = _estimator.one_column(y)
        _estimator.check_classes(y)
        X = _estimator.checked(self, X, reset=True)
        same_rows(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}: there is nothing to learn")
        return self._fit(X, codes.astype(np.int64), sample_weight,
                         {"loss": self._loss(), "probabilities": "probabilities"})

    def predict(self, X: Any) -> Any:
        """A class for each row."""
        codes = self._scored(X)["prediction"]
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each of classes_, a row for each row."""
        return self._scored(X)["probabilities"]


def _pack(model: Model) -> bytes:
    """The model's folder as one text of bytes, which can be pickled."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        model.save(folder)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for file in sorted(folder.iterdir()):
                archive.writestr(file.name, file.read_bytes())
        return packed.getvalue()


def _unpack(session: Session, packed: bytes) -> Model:
    folder = Path(tempfile.mkdtemp(prefix="protium-model-"))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in archive.namelist():
            (folder / Path(name).name).write_bytes(archive.read(name))
    model = session.load(folder)
    # The weights are read from there as long as the model lives.
    weakref.finalize(model, _remove, folder)
    return model


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
