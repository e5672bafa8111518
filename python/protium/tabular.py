# SPDX-License-Identifier: Apache-2.0
"""Nets for tables in scikit-learn's manner.

Columns are recognised by their types: numbers are filled and scaled, texts, booleans and categories
indexed and embedded, times turned into seconds.
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
from .errors import InputError
from .frame import Frame
from .model import Model, Pipeline
from .session import Session, default_session

_LABEL, _WEIGHT, _ROW = "__label__", "__weight__", "__row__"
_NUMBERS = ("bool", "int32", "int64", "float32", "float64", "decimal")

# Times by their type as seconds since 1970.
_SECONDS = {"date": "CAST(unix_date({}) AS DOUBLE) * 86400",
            "timestamp": "CAST(unix_micros({}) AS DOUBLE) / 1000000"}

# Models as sessions have them, beside the estimators, which must not change while they predict.
_loaded: "weakref.WeakKeyDictionary[Any, Model]" = weakref.WeakKeyDictionary()


class _Tabular(BaseEstimator):
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

    # ---- Fitting.

    def _fit(self, X: Any, y: Any, sample_weight: Any, loss: dict[str, Any]) -> Any:
        rows = len(y)
        extra = {_LABEL: y}
        weight = _estimator.weights(sample_weight, X, rows)
        if weight is not None:
            extra[_WEIGHT] = weight
        session = default_session(self.engine)
        frame, kinds = _features(session, X, extra)
        if "" in kinds.values():
            names = ", ".join(f'"{name}"' for name, kind in kinds.items() if not kind)
            raise InputError(f"columns {names} hold neither numbers nor texts nor times",
                             fix="leave them out, or turn them into such")
        stages = self._stages(kinds, loss, rows, weight is not None)
        model = Pipeline(stages).fit(frame)
        self.metrics_ = model.metrics
        self.n_iter_ = len(self.metrics_.get("training", {}).get("history", [])) or self.epochs
        self._archive = _pack(model)
        _loaded[self] = model
        return self

    def _stages(self, kinds: dict[str, str], loss: dict[str, Any], rows: int,
                weighted: bool) -> list[dict[str, Any]]:
        numeric = [name for name, kind in kinds.items() if kind == "number"]
        texts = [name for name, kind in kinds.items() if kind == "text"]
        stages: list[dict[str, Any]] = []
        estimator: dict[str, Any] = {"kind": "torch_estimator", "net": self._net(texts),
                                     "label": _LABEL, "train": self._train(rows),
                                     "gang": {"workers": self.workers}}
        if numeric:
            # The mean, since a median of millions of different numbers takes long.
            stages.append({"kind": "imputer", "id": "fill", "with": "mean", "inputs": numeric})
            stages.append({"kind": "standard_scaler", "id": "scale", "inputs": [{"stage": "fill"}]})
            estimator["numeric"] = [{"stage": "scale"}]
        if texts:
            stages.append({"kind": "string_indexer", "id": "index", "inputs": texts})
            estimator["categorical"] = [{"stage": "index"}]
        if weighted:
            estimator["weight"] = _WEIGHT
        return [*stages, {**estimator, **loss}]

    def _net(self, texts: list[str]) -> Any:
        if self.net is not None:
            return self.net
        return {"name": "tabular_mlp", "hidden": [int(width) for width in self.hidden],
                "dropout": self.dropout,
                "initial_weights": "pytorch" if texts else self._initial_weights}

    def _train(self, rows: int) -> dict[str, Any]:
        # Some fifty steps an epoch where there are few rows.
        batch = self.batch_size or min(512, max(16, rows // 50))
        options: dict[str, Any] = {
            "epochs": self.epochs, "batch_size": batch,
            "seed": _estimator.seed_of(self.random_state),
            "optimizer": {"name": "adam", "learning_rate": self.learning_rate}}
        if self.validation:
            options["validation"] = {"share": self.validation}
            if self.patience:
                options["early_stopping"] = {"patience": self.patience}
        return {**options, **(self.train or {})}

    # ---- Predicting.

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
        frame, _ = _features(model.session, X, {})
        columns = model.transform(frame, keep=[_ROW]).to_columns()
        order = np.argsort(columns[_ROW])
        return {name: each[order] for name, each in columns.items()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class TabularRegressor(RegressorMixin, _Tabular):
    """A net that predicts numbers.

    hidden: neurons in each layer. net: any net of `protium help nets` instead, as in a job file.
    batch_size: rows per step; unless set, 512, and less where there are few rows. workers: processes
    that train together; they do not change the result. validation: share of the rows held out to
    choose the best epoch; patience: epochs without a better one before training ends. engine: where
    it is trained. train: further options of [train] in job files, such as {"clip_norm": 1.0}.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TabularRegressor":
        """Learns from rows X, a matrix or a frame, and their numbers y."""
        y = _estimator.numbers(_estimator.one_column(y))
        X = _estimator.checked(self, X, reset=True)
        _same_rows(X, y)
        self._fit(X, y, sample_weight, {"loss": {"name": "mse"}})
        return self

    def predict(self, X: Any) -> Any:
        """A number for each row."""
        return self._scored(X)["prediction"]


class TabularClassifier(ClassifierMixin, _Tabular):
    """A net that predicts classes; parameters as for TabularRegressor."""

    _initial_weights = "glorot"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TabularClassifier":
        """Learns from rows X, a matrix or a frame, and their classes y, of any type."""
        import numpy as np

        y = _estimator.one_column(y)
        _estimator.check_classes(y)
        X = _estimator.checked(self, X, reset=True)
        _same_rows(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}: there is nothing to learn")
        two = len(self.classes_) == 2
        self._fit(X, codes.astype(np.int64), sample_weight,
                  {"loss": {"name": "binary_cross_entropy" if two else "cross_entropy"},
                   "probabilities": "probabilities"})
        return self

    def predict(self, X: Any) -> Any:
        """A class for each row."""
        codes = self._scored(X)["prediction"]
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each of classes_, a row for each row."""
        return self._scored(X)["probabilities"]


def _same_rows(X: Any, y: Any) -> None:
    rows = X.shape[0] if hasattr(X, "shape") else len(y)
    if rows != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                         f"[{rows}, {len(y)}]")


def _features(session: Session, X: Any, extra: dict[str, Any]) -> tuple[Frame, dict[str, str]]:
    """The table of X with `extra` columns or, without any, the numbers of its rows; and what each
    column of X is: "number", "text", or "" where it is neither.
    """
    import numpy as np

    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    extra = extra or {_ROW: np.arange(rows)}
    if not _estimator.is_frame(X):
        columns = {f"x{i}": column for i, column in enumerate(_columns(X))}
        return session.table({**columns, **extra}), {name: "number" for name in columns}
    frame = session.table(_joined(X, extra))
    kinds = {name: _kind(kind) for name, kind in frame.schema.items() if name not in extra}
    return _with_seconds(frame, kinds)


def _columns(X: Any) -> Any:
    """The columns of a matrix, each in one piece. Rows are turned in blocks that stay in the
    processor's cache; column after column reads the whole matrix each time.
    """
    import numpy as np

    if not X.flags.c_contiguous or X.dtype.kind not in "fiu":
        return X.T
    rows_at_once = 2048
    columns = np.empty(X.shape[::-1], X.dtype)
    for begin in range(0, X.shape[0], rows_at_once):
        columns[:, begin:begin + rows_at_once] = X[begin:begin + rows_at_once].T
    return columns


def _joined(X: Any, extra: dict[str, Any]) -> Any:
    """The frame X with columns of NumPy's behind its own."""
    taken = set(extra) & {str(name) for name in getattr(X, "columns", [])}
    if taken:
        raise InputError(f'column "{taken.pop()}" has a name that fitting needs', fix="rename it")
    if hasattr(X, "assign"):  # pandas.
        named = X.set_axis([str(name) for name in X.columns], axis=1)
        return named.reset_index(drop=True).assign(**extra)
    if hasattr(X, "with_columns"):  # Polars.
        import polars

        return X.with_columns(**{name: polars.Series(each) for name, each in extra.items()})
    import pyarrow

    table = pyarrow.table(X)
    for name, each in extra.items():
        table = table.append_column(name, pyarrow.array(each))
    return table


def _kind(kind: str) -> str:
    if kind in _SECONDS:
        return kind
    if kind == "string" or kind == "bool":
        return "text"
    return "number" if kind.split("(")[0] in _NUMBERS else ""


def _with_seconds(frame: Frame, kinds: dict[str, str]) -> tuple[Frame, dict[str, str]]:
    """Times as seconds since 1970, which are numbers."""
    if not set(kinds.values()) & set(_SECONDS):
        return frame, kinds
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in frame.columns}
    terms = [_SECONDS.get(kinds.get(name, ""), "{}").format(each) + f" AS {each}"
             for name, each in quoted.items()]
    told = frame.sql(f"SELECT {', '.join(terms)} FROM this")
    return told, {name: "number" if kind in _SECONDS else kind for name, kind in kinds.items()}


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
