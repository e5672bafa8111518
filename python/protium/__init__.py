# SPDX-License-Identifier: Apache-2.0
"""From raw tables to a trained model, in Python.

    import protium as pt

    session = pt.Session("local[2]")
    sales = session.sql("SELECT * FROM sales WHERE open", sales=frame)
    train, test = sales.split(by=["day"])
    model = pt.Pipeline([
        pt.stages.StandardScaler(id="scale", inputs=["price"]),
        pt.stages.TorchEstimator(numeric=[pt.stages.outputs_of("scale")], label="amount"),
    ]).fit(train)
    predicted = model.transform(test).to_pandas()
    one = model.score_row({"day": "2024-02-29", "price": 7.5})

Training and scoring happen in worker processes; nothing of LibTorch is loaded into this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import nets, stages
from ._runs import Run
from .errors import (BugError, EnvironmentFault, InputError, LeakWarning, NoRoomError, ProtiumError,
                     RemoteError, StalledError, StoppedError, UsageError)
from .frame import Frame
from .model import Model, Pipeline, Stage
from .scorer import Scorer, load_scorer
from .search import Search, Trial
from .session import Session, default_session

if TYPE_CHECKING:
    from .gang import RankError, run
    from .search_cv import SearchCV
    from .tabular import TabularClassifier, TabularRegressor
    from .trees import TreeClassifier, TreeRanker, TreeRegressor

__version__ = "0.1.0"
__all__ = ["BugError", "EnvironmentFault", "Frame", "InputError", "LeakWarning", "Model", "NoRoomError", "Pipeline",
           "ProtiumError", "RankError", "RemoteError", "Run", "Scorer", "Search",
           "SearchCV", "Session", "Stage", "StalledError",
           "StoppedError", "TabularClassifier", "TabularRegressor", "TreeClassifier", "TreeRanker",
           "TreeRegressor", "Trial", "UsageError", "default_session", "load_scorer", "nets", "run", "stages"]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    # They bring scikit-learn along, where it is installed.
    if name in ("TabularClassifier", "TabularRegressor"):
        from . import tabular

        return getattr(tabular, name)
    if name in ("TreeClassifier", "TreeRanker", "TreeRegressor"):
        from . import trees

        return getattr(trees, name)
    if name == "SearchCV":
        from .search_cv import SearchCV

        return SearchCV
    # What it starts processes with takes time to import.
    if name in ("run", "RankError"):
        from . import gang

        return getattr(gang, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
