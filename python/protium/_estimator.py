# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's base classes, or, where it is not installed, as much of them as estimators need."""

from __future__ import annotations

import inspect
from typing import Any

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (_check_sample_weight, check_array, check_is_fitted,
                                          column_or_1d, validate_data)
    HAS_SKLEARN = True
except ImportError:  # None at all, or one before 1.6.
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """fit() was not called, or did not finish."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are those of __init__, under the same names."""

        @classmethod
        def _names(cls) -> list[str]:
            return sorted(set(inspect.signature(cls.__init__).parameters) - {"self"})

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                if name not in self._names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. "
                                     f"Valid parameters are: {self._names()!r}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            return f"{type(self).__name__}()"

    class ClassifierMixin:  # type: ignore[no-redef]
        """Accuracy as the score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            import numpy as np

            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    class RegressorMixin:  # type: ignore[no-redef]
        """R² as the score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            import numpy as np

            y = np.asarray(y, float)
            mean = np.average(y, weights=sample_weight)
            left = np.average((y - self.predict(X)) ** 2, weights=sample_weight)
            return float(1 - left / np.average((y - mean) ** 2, weights=sample_weight))


def is_frame(X: Any) -> bool:
    """Whether X has named columns."""
    return hasattr(X, "__arrow_c_stream__") or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def checked(estimator: Any, X: Any, reset: bool) -> Any:
    """X as a frame, or as a matrix of numbers; sets or compares the number and names of columns."""
    import numpy as np

    if hasattr(X, "collect_schema") and hasattr(X, "collect"):  # Lazy, of Polars.
        X = X.collect()
    if HAS_SKLEARN:
        if is_frame(X) and hasattr(X, "shape"):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
            return X
        if not is_frame(X):
            X = validate_data(estimator, X, reset=reset, dtype="numeric", accept_sparse=True,
                              ensure_all_finite="allow-nan")
            return X.toarray() if hasattr(X, "toarray") else X
    if not is_frame(X):
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    columns = X.shape[1] if hasattr(X, "shape") else len(X.columns)
    if reset:
        estimator.n_features_in_ = columns
    elif columns != estimator.n_features_in_:
        raise ValueError(f"X has {columns} features, but {type(estimator).__name__} is expecting "
                         f"{estimator.n_features_in_} features as input")
    return X


def require_fitted(estimator: Any) -> None:
    """Raises unless fit() was called."""
    if HAS_SKLEARN:
        check_is_fitted(estimator)
    elif not estimator.__sklearn_is_fitted__():
        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet")


def one_column(y: Any) -> Any:
    """y as a one-dimensional array."""
    import numpy as np

    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if hasattr(y, "collect_schema"):  # Lazy, of Polars.
        y = y.collect()
    if HAS_SKLEARN:
        return column_or_1d(y, warn=True)
    y = np.asarray(y)
    return y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y


def one_column_or_more(y: Any) -> Any:
    """y as an array of one dimension, or of two with several columns."""
    import numpy as np

    if y is not None and not hasattr(y, "collect_schema"):
        shape = np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:
            return y
    return one_column(y)


def row_numbers(rows: int) -> Any:
    """0, 1, 2, ..."""
    import numpy as np

    return np.arange(rows)


def numbers(y: Any) -> Any:
    """Targets of a regression: finite numbers."""
    import numpy as np

    try:
        made = np.asarray(y, "float64")
    except (TypeError, ValueError):
        raise ValueError("y holds something other than numbers: texts and other classes are for a classifier") from None
    if HAS_SKLEARN:
        return check_array(y, ensure_2d=False, dtype="float64", input_name="y")
    if not np.isfinite(made).all():
        raise ValueError(f"y is missing or infinite in {int((~np.isfinite(made)).sum())} of {made.size} values: leave these out")
    return made


def check_classes(y: Any) -> None:
    """Raises where y holds no classes."""
    if HAS_SKLEARN:
        check_classification_targets(y)


def weights(sample_weight: Any, X: Any, rows: int) -> Any:
    """A weight for each row, or None."""
    import numpy as np

    if sample_weight is None:
        return None
    if HAS_SKLEARN and hasattr(X, "shape"):
        return _check_sample_weight(sample_weight, X, dtype="float64", ensure_non_negative=True)
    return np.broadcast_to(np.asarray(sample_weight, "float64"), (rows,)).copy()


def seed_of(random_state: Any) -> int:
    """A seed, the same one for the same state."""
    if isinstance(random_state, int) or not HAS_SKLEARN:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
