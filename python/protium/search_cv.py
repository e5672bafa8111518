# SPDX-License-Identifier: Apache-2.0
"""A search over the parameters of an estimator, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .errors import EnvironmentFault, UsageError
from .search import Search

try:
    from sklearn.base import clone
    from sklearn.model_selection._search import BaseSearchCV
except ImportError as error:
    raise EnvironmentFault("SearchCV uses scikit-learn's folds, and scikit-learn is not installed",
                           why=str(error), fix="pip install scikit-learn") from None


class SearchCV(BaseSearchCV):  # type: ignore[misc]
    """GridSearchCV, but the parameters to try are those of a protium.Search.

        search = pt.SearchCV(pt.TreeClassifier(), {"leaves": {"log_int_uniform": [4, 256]},
                                                   "learning_rate": {"log_uniform": [0.01, 0.3]}})
        search.fit(X, y).best_params_

    `space`, `method`, `trials`, `seed` and `first` are those of the search; all else, also what is known
    after fit(), is as for GridSearchCV. The trials come one after another, each of them after the
    scores of those before; `n_jobs` folds of one are fitted at the same time. verbose: whether to
    print a line for each trial; unless set, on terminals and in notebooks; from 2 on also what
    GridSearchCV prints.
    """

    def __init__(self, estimator: Any, space: Mapping[str, Any], *, method: str = "tpe",
                 trials: int = 64, seed: int = 0, scoring: Any = None, n_jobs: int | None = None,
                 refit: Any = True, cv: Any = None, verbose: int | None = None,
                 pre_dispatch: Any = "2*n_jobs", error_score: Any = float("nan"),
                 return_train_score: bool = False,
                 first: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv,
                         verbose=verbose, pre_dispatch=pre_dispatch, error_score=error_score,
                         return_train_score=return_train_score)
        self.space = space
        self.method = method
        self.trials = trials
        self.seed = seed
        self.first = first

    def fit(self, X: Any, y: Any = None, **params: Any) -> SearchCV:
        """Searches, and fits the best parameters to all rows. Fits print no progress unless the
        estimator has verbose=True."""
        given, shown = self.estimator, self.verbose
        self.verbose = max(int(shown or 0) - 1, 0)  # What scikit-learn prints beside it.
        self._shown = None if shown is None else bool(shown)
        if hasattr(given, "get_params") and given.get_params(deep=False).get("verbose", False) is None:
            self.estimator = clone(given).set_params(verbose=False)
        try:
            return super().fit(X, y, **params)
        finally:
            self.estimator, self.verbose = given, shown

    def _run_search(self, evaluate_candidates: Callable[..., Mapping[str, Any]]) -> None:
        search = Search(self.space, method=self.method, seed=self.seed, higher_is_better=True,
                        first=self.first, verbose=self._shown,
                        trials=0 if self.method == "grid" else self.trials)
        for trial in search:
            results = evaluate_candidates([trial.values])
            search.tell(trial, results[self._score_in(results)][-1])

    def _score_in(self, results: Mapping[str, Any]) -> str:
        name = f"mean_test_{self.refit if isinstance(self.refit, str) else 'score'}"
        if name in results:
            return name
        raise UsageError("with several scores the search needs to know which one decides",
                         fix="refit=NAME, one of the names of scoring")
