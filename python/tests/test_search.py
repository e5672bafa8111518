# SPDX-License-Identifier: Apache-2.0
"""Searches over objectives of Python's, and over scikit-learn's folds."""

import contextlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import protium as pt

BOWL = {"x": {"uniform": [-5, 5]}, "y": {"log_uniform": [1e-3, 10]}, "kind": ["a", "b"]}


# Asks for a sixth trial and dies.
KILLED = f"""
import os, signal, sys
import protium as pt
search = pt.Search({BOWL!r}, trials=20, save=sys.argv[1])
for trial in search:
    if trial.number == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    search.tell(trial, (trial["x"] - 1) ** 2 + abs(trial["y"] - 1) + (trial["kind"] == "a"))
"""

# Optuna measures trees of ours, and dies in the third trial.
DRIVEN = """
import os, signal, sys
import optuna
sys.path.insert(0, sys.argv[2])
from test_search import measured, suggested
backend = optuna.storages.journal.JournalFileBackend(sys.argv[1])
study = optuna.create_study(study_name="driven", direction="maximize",
                            storage=optuna.storages.JournalStorage(backend))
for number in range(3):
    trial = study.ask()
    values = suggested(trial)
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    study.tell(trial, measured(values))
"""


def suggested(trial):
    return {"leaves": trial.suggest_int("leaves", 2, 16),
            "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.5, log=True)}


def measured(values):
    X = [[float(i % 7), float(i % 5)] for i in range(200)]
    y = [a * b for a, b in X]
    return float(pt.TreeRegressor(rounds=5, random_state=0, **values).fit(X, y).score(X, y))


def height(values):
    return (values["x"] - 1) ** 2 + abs(values["y"] - 1) + (values["kind"] == "a")


def minimised(**options):
    search = pt.Search(BOWL, **options)
    for trial in search:
        search.tell(trial, height(trial))
    return search


class Asking(unittest.TestCase):
    def test_the_search_learns_from_what_it_is_told(self):
        searches = [minimised(trials=60, seed=seed) for seed in range(9)]
        best = sorted(searches, key=lambda each: each.best["value"])[4].best  # The median.
        self.assertEqual(len(searches[3].trials), 60)
        self.assertLess(best["value"], 0.2)
        self.assertEqual(best["values"]["kind"], "b")
        drawn = [minimised(trials=60, seed=seed, method="random") for seed in range(9)]
        self.assertLess(best["value"], sorted(each.best["value"] for each in drawn)[4])
        self.assertEqual(searches[3].trials, minimised(trials=60, seed=3).trials)

    def test_trials_that_promise_little_are_pruned(self):
        search = pt.Search(BOWL, trials=30, method="random", prune="asha")
        steps = 0
        for trial in search:
            for step in range(1, 28):
                steps += 1
                trial.report(step, height(trial) + 1 / step)
                if trial.should_prune():
                    search.tell(trial)
                    break
            else:
                search.tell(trial, height(trial))
        states = [each["state"] for each in search.trials]
        self.assertGreater(states.count("pruned"), 10)
        self.assertLess(steps, 27 * 30 // 2)
        self.assertRegex(next(each["error"] for each in search.trials if each["error"]),
                         r"the value .* at step \d+, where .* was needed \(asha, \d+ trials? before")

    def test_a_program_that_was_killed_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            save = os.path.join(folder, "trials.jsonl")
            killed = subprocess.run([sys.executable, "-c", KILLED, save], check=False, timeout=60)
            self.assertEqual(killed.returncode, -signal.SIGKILL)
            self.assertEqual(minimised(trials=20, save=save).trials, minimised(trials=20).trials)
            with open(save, encoding="utf-8") as lines:
                asked = [json.loads(line)["ask"]["trial"] for line in lines if '"ask"' in line]
            self.assertEqual(asked, list(range(1, 21)))
            with self.assertRaisesRegex(pt.UsageError, "search.seed"):
                pt.Search(BOWL, trials=20, save=save, seed=1)

    # Optuna keeps its study in a file of its own, and our estimator is what it measures.
    def test_optuna_that_dies_while_it_drives_goes_on(self):
        if importlib.util.find_spec("optuna") is None:
            self.skipTest("there is no optuna")
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "study.log")
            here = os.path.dirname(os.path.abspath(__file__))
            killed = subprocess.run([sys.executable, "-c", DRIVEN, log, here], check=False,
                                    timeout=300)
            self.assertEqual(killed.returncode, -signal.SIGKILL)
            storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(log))
            study = optuna.load_study(study_name="driven", storage=storage)
            states = [each.state.name for each in study.trials]
            self.assertEqual(states, ["COMPLETE", "COMPLETE", "RUNNING"])
            trial = study.ask()
            # The fit of the same values is the same, in whichever process.
            first = study.trials[0]
            self.assertEqual(measured(first.params), first.value)
            study.tell(trial, measured(suggested(trial)))
            self.assertEqual(study.trials[-1].state.name, "COMPLETE")

    def test_threads_give_the_trials_of_one(self):
        search = pt.Search(BOWL, trials=40, lag=3)
        told, ended = threading.Condition(), [0]

        def work():
            while True:
                with told:
                    while True:
                        try:
                            trial = search.ask()
                            break
                        except pt.UsageError:
                            self.assertTrue(told.wait(10))
                if trial is None:
                    return
                value = height(trial)
                with told:
                    search.tell(trial, value)
                    ended[0] += 1
                    told.notify_all()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(ended[0], 40)
        self.assertEqual(search.trials, minimised(trials=40, lag=3).trials)

    def test_several_metrics_have_a_front(self):
        search = pt.Search({"x": {"uniform": [0, 1]}}, trials=30, metric=["gain", "cost"],
                           higher_is_better="gain", require=["cost < 0.9"], choose="first")
        for trial in search:
            x = trial["x"]
            search.tell(trial, {"gain": x ** 0.5, "cost": x})
        self.assertGreater(len(search.front), 5)
        self.assertLess(max(each["measured"]["cost"] for each in search.front), 0.9)
        self.assertEqual(search.best["measured"]["gain"],
                         max(each["measured"]["gain"] for each in search.front))
        with self.assertRaisesRegex(pt.UsageError, "told already|no trial"):
            search.tell(trial, {"gain": 1, "cost": 1})

    def test_budgets_end_the_iteration(self):
        search = pt.Search(BOWL, trials=100, method="random", target=1e9)
        for trial in search:
            search.tell(trial, 5.0)
        self.assertEqual(len(search.trials), 1)
        search = pt.Search(BOWL, trials=100, method="random", patience=3)
        for trial in search:
            search.tell(trial, 5.0)
        self.assertEqual(len(search.trials), 4)

    def test_failures_are_rows(self):
        search = pt.Search(BOWL, trials=3, method="random")
        for trial in search:
            search.tell(trial, error="it broke")
        self.assertIsNone(search.best)
        self.assertEqual([each["error"] for each in search.trials], ["it broke"] * 3)

    def test_mistakes_are_refused(self):
        with self.assertRaisesRegex(pt.UsageError, "log_unifrm"):
            pt.Search({"x": {"log_unifrm": [1, 2]}})
        with self.assertRaisesRegex(pt.UsageError, "hyperband"):
            pt.Search(BOWL, prune="hyperbnd")
        with self.assertRaisesRegex(pt.UsageError, "set brackets"):
            pt.Search(BOWL, prune="hyperband")
        pt.Search(BOWL, prune="hyperband", brackets=3)
        search = pt.Search(BOWL, trials=30)
        for _ in range(10):
            search.ask()
        with self.assertRaisesRegex(pt.UsageError, "trial 11 learns from trial 1"):
            search.ask()


class Progress(unittest.TestCase):
    def lines(self, told, **options):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            search = pt.Search({"x": {"uniform": [-5, 5]}, "kind": ["a"]}, trials=3, **options)
            for trial in search:
                told(search, trial)
        return said.getvalue().splitlines()

    def test_each_trial_is_a_line(self):
        lines = self.lines(lambda search, trial: search.tell(trial, [4.0, 1.5, 2.0][trial.number - 1]), verbose=True)
        self.assertEqual([line.split("  x ")[0] for line in lines],
                         ["trial 1 of 3  value 4  best 4 in trial 1", "trial 2 of 3  value 1.5  best 1.5 in trial 2",
                          "trial 3 of 3  value 2  best 1.5 in trial 2"])
        self.assertRegex(lines[0], r"  x -?\d\.\d+  kind a$")

    def test_trials_without_a_value_and_with_several_say_so(self):
        self.assertIn("trial 1 of 3  failed", self.lines(lambda search, trial: search.tell(trial, error="no"), verbose=True)[0])
        several = self.lines(lambda search, trial: search.tell(trial, {"a": 1.0, "b": 2.5}), verbose=True, metric=["a", "b"])
        self.assertIn("trial 1 of 3  a 1  b 2.5  1 on the Pareto front  x ", several[0])

    def test_where_nobody_watches_it_is_quiet(self):
        for options in ({}, {"verbose": False}):
            self.assertEqual(self.lines(lambda search, trial: search.tell(trial, 1.0), **options), [])


class OverFolds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import numpy as np
            import sklearn.model_selection as selection
        except ImportError as error:
            raise unittest.SkipTest(f"{error.name} is not installed")
        cls.np, cls.selection = np, selection
        draws = np.random.default_rng(1)
        cls.X = draws.normal(size=(200, 4))
        cls.y = (cls.X[:, 0] * cls.X[:, 1] > 0).astype(int)

    def test_it_is_used_as_a_grid_search_is(self):
        np = self.np
        search = pt.SearchCV(pt.TreeClassifier(rounds=10, min_weight=0.1),
                             {"leaves": {"int_uniform": [2, 16]}, "learning_rate": [0.01, 0.3]},
                             trials=5, cv=2).fit(self.X, self.y)
        self.assertEqual(len(search.cv_results_["params"]), 5)
        self.assertEqual(set(search.best_params_), {"leaves", "learning_rate"})
        self.assertEqual(search.best_score_, np.max(search.cv_results_["mean_test_score"]))
        self.assertEqual(search.best_params_, search.cv_results_["params"][search.best_index_])
        self.assertGreater(search.score(self.X, self.y), 0.7)
        self.assertEqual(search.predict(self.X[:5]).shape, (5,))
        self.assertEqual(search.predict_proba(self.X[:5]).shape, (5, 2))
        np.testing.assert_array_equal(search.classes_, [0, 1])

    def test_a_grid_is_that_of_scikit_learn(self):
        trees = pt.TreeClassifier(rounds=3, min_weight=0.1, random_state=1)
        ours = pt.SearchCV(trees, {"leaves": self.np.array([2, 8])}, method="grid", cv=2)
        theirs = self.selection.GridSearchCV(trees, {"leaves": [2, 8]}, cv=2)
        for search in (ours, theirs):
            search.fit(self.X, self.y)
        self.np.testing.assert_array_equal(ours.cv_results_["mean_test_score"],
                                           theirs.cv_results_["mean_test_score"])

    def test_progress_is_that_of_the_search(self):
        from sklearn.tree import DecisionTreeClassifier

        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            search = pt.SearchCV(DecisionTreeClassifier(), {"max_depth": {"int_uniform": [1, 6]}}, trials=2, cv=2,
                                 verbose=True).fit(self.X, self.y)
        self.assertEqual(len(said.getvalue().splitlines()), 2, said.getvalue())
        self.assertRegex(said.getvalue(), r"^trial 1 of 2  value 0\.\d+  best 0\.\d+ in trial 1  max_depth \d\n")
        self.assertIs(search.get_params()["verbose"], True)

    def test_of_several_scores_one_is_learned_from(self):
        from sklearn.tree import DecisionTreeClassifier

        space = {"max_depth": {"int_uniform": [1, 6]}}
        search = pt.SearchCV(DecisionTreeClassifier(), space, trials=4, cv=2, refit="roc_auc",
                             scoring=["accuracy", "roc_auc"]).fit(self.X, self.y)
        self.assertIn("mean_test_accuracy", search.cv_results_)
        with self.assertRaisesRegex(pt.UsageError, "which one decides"):
            pt.SearchCV(DecisionTreeClassifier(), space, trials=4, cv=2, refit=False,
                        scoring=["accuracy", "roc_auc"]).fit(self.X, self.y)


if __name__ == "__main__":
    unittest.main()
