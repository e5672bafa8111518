# SPDX-License-Identifier: Apache-2.0
"""Searches for your own objective: they propose what to try, and are told the result."""

from __future__ import annotations

import ctypes
import json
import math
import os
import sys
from typing import Any, Iterator, Mapping, Sequence

from . import _library
from ._progress import is_watched


class Trial:
    """A set of values to try. `trial["x"]` is the value of x, `trial.values` are all of them."""

    def __init__(self, search: "Search", number: int, values: dict[str, Any]) -> None:
        self.number = number
        self.values = values
        self._search = search

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def report(self, step: int, value: float) -> None:
        """An intermediate value, at a step above the last one."""
        _library.call("pt_search_report", self._search._handle, self.number, step, float(value))

    def should_prune(self) -> bool:
        """Whether the trial should be stopped here, by what was reported.

        `search.tell(trial)` then ends it, and the table says that it was pruned.
        """
        prune = ctypes.c_int32()
        _library.call("pt_search_should_prune", self._search._handle, self.number,
                      ctypes.byref(prune))
        return bool(prune.value)

    def __repr__(self) -> str:
        return f"<protium.Trial {self.number} {self.values}>"


class Search:
    """A search over `space`, {"x": {"log_uniform": [1e-4, 1]}, "kind": ["a", "b"], ...}.

        search = pt.Search({"x": {"uniform": [-5, 5]}}, trials=50)
        for trial in search:
            search.tell(trial, (trial["x"] - 1) ** 2)
        print(search.best)

    Space, method, trials, seed, first, prune, grace, reduction, brackets, seconds, target, patience,
    metric, choose and require are those of [search] in a job file (docs/choosing-a-model.md), but
    metrics may have any names. Of several, higher_is_better names those that are better when higher,
    and a trial is told all of them: search.tell(trial, {"auc": 0.9, "latency_us": 30}). The same
    seed and results give the same trials, however many are open at the same time; `lag` allows as
    many besides the one that is asked for. Any number of threads may use it at once.

    With save="trials.jsonl" all that is asked, reported and told is written there, and a program
    that was killed goes on with the next trial; those that were never told are asked for again.
    verbose: whether to print a line for each trial; unless set, on terminals and in notebooks.
    """

    def __init__(self, space: Mapping[str, Any], *, method: str = "tpe", trials: int = 20,
                 seed: int = 0, lag: int = 0, prune: str = "none", grace: int = 1,
                 reduction: int = 3, brackets: int = 0, seconds: float = 0,
                 target: float | None = None, patience: int = 0,
                 metric: str | Sequence[str] = "", choose: str = "knee",
                 require: Sequence[str] = (),
                 higher_is_better: bool | str | Sequence[str] = False,
                 save: str | os.PathLike[str] = "", least: float = 0,
                 first: Sequence[Mapping[str, Any]] = (), verbose: bool | None = None) -> None:
        self._handle = 0
        self._planned, self._verbose = 0 if method == "grid" else trials, verbose
        options = {"space": {name: _plain(values) for name, values in space.items()},
                   "method": method, "trials": trials, "seed": seed, "lag": lag, "prune": prune,
                   "grace": grace, "reduction": reduction, "brackets": brackets,
                   "seconds": seconds, "patience": patience, "least": least, "metric": metric, "choose": choose,
                   "require": list(require), "higher_is_better": higher_is_better,
                   "save": os.fspath(save)}
        if first:
            options["first"] = [dict(values) for values in first]
        if target is not None:
            options["target"] = target
        self._handle = _library.made("pt_search_open", json.dumps(options, default=_plain).encode())

    def __del__(self) -> None:
        if getattr(self, "_handle", 0) and not sys.is_finalizing():
            _library.library().pt_search_free(self._handle)

    def ask(self) -> Trial | None:
        """The next trial; None after the last one.

        Fails while a trial is open that it learns from: tell that one first, or set a larger lag.
        """
        asked = json.loads(_library.text_of("pt_search_ask", self._handle))
        return asked and Trial(self, asked["trial"], asked["values"])

    def tell(self, trial: Trial, value: float | Mapping[str, float] | None = None, *,
             error: str = "") -> None:
        """The trial is over: with its value, or without one, if it was pruned or failed.

        With several metrics, or with requirements, the value is {name: number}.
        """
        if isinstance(value, Mapping):
            measured = {name: float(number) if math.isfinite(number) else None
                        for name, number in value.items()}
            _library.call("pt_search_tell_all", self._handle, trial.number,
                          json.dumps(measured).encode())
        else:
            given = math.nan if value is None else float(value)
            _library.call("pt_search_tell", self._handle, trial.number, given, error.encode())
        if is_watched() if self._verbose is None else self._verbose:
            print(self._line(trial), file=sys.stderr, flush=True)

    def _line(self, trial: Trial) -> str:
        """What is known of a trial that is over."""
        table = self._table()
        rows = {each["trial"]: each for each in table["trials"]}
        parts = [f"trial {trial.number}" + (f" of {self._planned}" if self._planned else ""),
                 _result_of(rows[trial.number])]
        best = rows.get(table["best"])
        if "front" in table:
            parts.append(f"{len(table['front'])} on the Pareto front")
        elif best is not None and best.get("value") is not None:
            parts.append(f"best {best['value']:.4g} in trial {best['trial']}")
        return "  ".join([*parts, *(f"{name} {_short(each)}" for name, each in trial.values.items())])

    def __iter__(self) -> Iterator[Trial]:
        """Asks until there are no more trials."""
        while (trial := self.ask()) is not None:
            yield trial

    def _table(self) -> dict[str, Any]:
        return dict(json.loads(_library.text_of("pt_search_table", self._handle)))

    @property
    def trials(self) -> list[dict[str, Any]]:
        """The finished trials, each a dict: "trial", "values", "state", "value", ..."""
        return list(self._table()["trials"])

    @property
    def best(self) -> dict[str, Any] | None:
        """The best trial, the first of equal ones; None until one has a value."""
        table = self._table()
        return next((each for each in table["trials"] if each["trial"] == table["best"]), None)

    @property
    def front(self) -> list[dict[str, Any]]:
        """With several metrics, the Pareto front."""
        table = self._table()
        return [each for each in table["trials"] if each["trial"] in table.get("front", ())]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _result_of(row: Mapping[str, Any]) -> str:
    """The value of a trial, or those of several metrics, or why it has none."""
    metrics = row.get("measured") or {}
    if len(metrics) > 1:
        return "  ".join(f"{name} {each:.4g}" for name, each in metrics.items() if each is not None)
    return str(row["state"]) if row.get("value") is None else f"value {row['value']:.4g}"


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as those of Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return value
