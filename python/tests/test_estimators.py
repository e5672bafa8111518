# SPDX-License-Identifier: Apache-2.0
"""Estimators as the door to the whole product: their defaults, their options, their columns."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import protium as pt
from estimator_checks import module

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed")


def learned_by(estimator):
    """What the stages of its model have learned."""
    with tempfile.TemporaryDirectory() as folder:
        estimator.save(os.path.join(folder, "model"))
        with open(os.path.join(folder, "model", "stages.json"), encoding="utf-8") as file:
            return json.load(file)


QUICK = {"epochs": 3, "random_state": 1}
NETS, FORESTS = (pt.TabularRegressor, pt.TabularClassifier), (pt.TreeRegressor, pt.TreeClassifier)


def passengers(rows=900):
    """Columns as of a ship's passengers, and whether they survived, which only chance knows in full."""
    pd = module("pandas")
    random = np.random.default_rng(0)
    sex = random.choice(["male", "female"], rows, p=[0.65, 0.35])
    level = random.choice([1, 2, 3], rows, p=[0.25, 0.2, 0.55])
    age = np.where(random.random(rows) < 0.2, np.nan, random.normal(30, 14, rows).clip(0.5, 80))
    fare = np.exp(random.normal(4.5 - 0.8 * level, 0.7, rows))
    lean = 1.2 + 2.6 * (sex == "female") - 1.1 * level - 0.03 * np.nan_to_num(age, nan=30)
    survived = random.random(rows) < 1 / (1 + np.exp(-lean))
    columns = {"sex": sex, "level": level, "age": age, "fare": fare}
    return pd.DataFrame(columns), pd.Series(np.where(survived, "yes", "no"), name="survived")


def log_loss(y, shares):
    return -np.log(shares[np.arange(len(y)), (y == "yes").to_numpy().astype(int)]).mean()


class Estimators(unittest.TestCase):
    def test_the_defaults_learn_what_there_is_to_learn(self):
        X, y = passengers()
        for kind, most in ((pt.TabularClassifier, 0.48), (pt.TreeClassifier, 0.54)):
            model = kind(random_state=1).fit(X[:700], y[:700])
            self.assertLess(log_loss(y[700:], model.predict_proba(X[700:])), most)
            self.assertIn("validation", model.metrics_)
            self.assertAlmostEqual(model.evaluate(X[700:], y[700:])["log_loss"],
                                   log_loss(y[700:], model.predict_proba(X[700:])), 5)
            self.assertEqual(next(iter(model.importance_)), "sex")
            if kind in NETS:
                self.assertEqual(model.feature_importances_.argmax(), 0)
            self.assertGreaterEqual(len(model.history_), model.n_iter_ if kind in NETS else 1)

    def test_a_fitted_estimator_is_a_model_and_a_run(self):
        X, y = passengers(300)
        model = pt.TabularClassifier(**QUICK).fit(X, y)
        self.assertEqual(model.run_.settings["train.epochs"], 3)
        self.assertEqual(model.model_.classes, ["no", "yes"])
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, "model"))
            again = pt.default_session().load(os.path.join(folder, "model"))
            self.assertEqual(again.predict(X).tolist(), model.predict(X).tolist())
            # The label has its own name, so that what reads the model measures it, too.
            self.assertIn("log_loss", again.evaluate(X.assign(survived=y)))
            model.export("onnx", os.path.join(folder, "m.onnx"))
        row = {"sex": "female", "level": 1, "age": None, "fare": 30.0}
        self.assertIn(model.scorer().score_row(row)["prediction"], ("no", "yes"))

    def test_nothing_is_fitted_after_a_fit_that_did_not_end(self):
        X, y = passengers(200)
        model = pt.TabularClassifier(**QUICK)
        with self.assertRaisesRegex((ValueError, AttributeError), "not fitted"):
            model.model_
        model.fit(X, y)
        model.set_params(train={"nonsense": 1})
        with self.assertRaises(pt.UsageError):
            model.fit(X, y)
        for read in (lambda: model.predict(X), lambda: model.model_, lambda: model.evaluate(X, y)):
            with self.assertRaisesRegex((ValueError, AttributeError), "not fitted"):
                read()

    def test_another_seed_is_drawn_each_time_and_recorded(self):
        X, y = passengers(200)
        one, other = (pt.TabularClassifier(epochs=2).fit(X, y) for _ in range(2))
        self.assertNotEqual(one.seed_, other.seed_)
        same = pt.TabularClassifier(epochs=2, random_state=one.seed_).fit(X, y)
        np.testing.assert_array_equal(same.predict_proba(X), one.predict_proba(X))

    def test_options_of_jobs_are_arguments(self):
        X, y = passengers(400)
        model = pt.TabularClassifier(**QUICK, class_weight={"yes": 3}, calibration="temperature", threshold="f1",
                                     metrics=["auc", "f1"]).fit(X, y)
        self.assertEqual(list(model.metrics_["validation"])[:2], ["auc", "f1"])
        plain = pt.TabularClassifier(**QUICK).fit(X, y)
        self.assertGreater(model.predict_proba(X)[:, 1].mean(), plain.predict_proba(X)[:, 1].mean())
        with self.assertRaisesRegex(ValueError, "maybe"):
            pt.TabularClassifier(class_weight={"maybe": 2}).fit(X, y)
        fares = X.pop("fare")
        levels = {"name": "quantile", "levels": [0.1, 0.9]}
        self.assertEqual(pt.TabularRegressor(**QUICK, loss=levels).fit(X, fares).predict(X).shape, (400, 2))
        both = np.column_stack([fares, 2 * fares])
        two = pt.TabularRegressor(**QUICK).fit(X, both)
        self.assertEqual(two.predict(X).shape, (400, 2))
        self.assertGreater(two.evaluate(X, both)["rows"], 0)

    def test_what_is_given_twice_or_cannot_be_is_refused(self):
        X, y = passengers(200)
        with self.assertRaisesRegex(pt.UsageError, "epochs is given twice"):
            pt.TabularClassifier(epochs=3, train={"epochs": 4}).fit(X, y)
        for kind in (pt.TabularClassifier, pt.TreeClassifier):
            with self.assertRaisesRegex(pt.UsageError, "patience needs validation rows"):
                kind(validation=0, patience=3).fit(X, y)

    def test_given_rows_choose_the_best_epoch_and_are_not_learned_from(self):
        X, y = passengers(500)
        given = (X[400:], y[400:])
        for kind in (pt.TabularClassifier, pt.TreeClassifier):
            options = {"random_state": 0} if kind is pt.TreeClassifier else QUICK
            model = kind(**options).fit(X[:400], y[:400], eval_set=given)
            self.assertAlmostEqual(model.metrics_["validation"]["log_loss"],
                                   model.evaluate(*given)["log_loss"], places=5)
            # Their labels choose the epoch alone: with other ones every first epoch is the same.
            other = kind(**options).fit(X[:400], y[:400], eval_set=(X[400:], y[400:][::-1].to_numpy()))
            self.assertEqual(model.history_[0]["loss"], other.history_[0]["loss"])
            self.assertNotEqual(model.history_[0]["validation"], other.history_[0]["validation"])
            with self.assertRaisesRegex(pt.UsageError, "given twice: by validation= and by eval_set="):
                kind(validation=0.1).fit(X, y, eval_set=given)
            with self.assertRaisesRegex(pt.UsageError, "validation is given twice: as eval_set= and in train="):
                kind(train={"validation": {"share": 0.1}}).fit(X, y, eval_set=given)
        with self.assertRaisesRegex(ValueError, "maybe"):
            pt.TreeClassifier().fit(X, y, eval_set=(X[:2], ["maybe", "yes"]))
        with self.assertRaisesRegex(pt.UsageError, "eval_set is 2 sets"):
            pt.TreeClassifier().fit(X, y, eval_set=[given, given])
        matrix = X[["fare"]].to_numpy()
        numbers = pt.TreeRegressor(random_state=0).fit(matrix[:400], matrix[:400, 0],
                                                       eval_set=[(matrix[400:], matrix[400:, 0])])
        self.assertIn("rmse", numbers.metrics_["validation"])

    def test_given_rows_keep_categories_of_both(self):
        pd = module("pandas")
        X = pd.DataFrame({"a": pd.Categorical([3, 5] * 100), "b": np.arange(200.0)})
        below = pd.DataFrame({"a": pd.Categorical([5, 7] * 25), "b": np.arange(50.0)})
        y = np.arange(200) % 2
        model = pt.TreeClassifier(random_state=0).fit(X, y, eval_set=(below, [1, 0] * 25))
        self.assertLess(model.metrics_["validation"]["log_loss"], 0.5)  # 7 is new: not a number above 5.
        polars = module("polars")
        model = pt.TreeClassifier(random_state=0).fit(polars.from_pandas(X), y,
                                                      eval_set=(polars.from_pandas(below), [1, 0] * 25))
        self.assertIn("validation", model.metrics_)

    def test_texts_that_are_times_are_learned_as_such(self):
        pd = module("pandas")
        days = pd.date_range("2015-01-01", periods=900, freq="D")
        y = np.arange(900) / 100.0
        for pattern in ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%Y-%m-%d %H:%M:%S"):
            X = pd.DataFrame({"day": days.strftime(pattern), "code": ["x", "y", "z"] * 300})
            model = pt.TreeRegressor(random_state=0).fit(X, y)
            self.assertGreater(model.score(X, y), 0.99, pattern)
            asked = X.iloc[[100, 700]]
            np.testing.assert_allclose(model.predict(asked), [1, 7], atol=0.2)
            np.testing.assert_array_equal(model.predict(X.head(100))[:64], model.predict(X.head(64)))
            again = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(again.predict(asked), model.predict(asked))
            self.assertEqual(model.evaluate(X, y)["rows"], 900)
        around = pd.date_range("1998-06-01", periods=900, freq="D").strftime("%m/%d/%y").to_series(index=range(900))
        years = pt.TreeRegressor(random_state=0).fit(around.to_frame("day"), y)
        np.testing.assert_allclose(years.predict(around.iloc[[100, 700]].to_frame("day")), [1, 7], atol=0.2)
        odd = X.assign(day=["someday", *X["day"][1:]])
        self.assertTrue(np.isfinite(model.predict(odd)).all())

    def test_texts_that_nearly_every_row_has_its_own_of_are_left_out(self):
        pd = module("pandas")
        X = pd.DataFrame({"name": [f"n{i}" for i in range(300)], "place": ["x", "y", "z"] * 100})
        y = np.arange(300) % 3
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = pt.TreeClassifier(rounds=5, random_state=0, check_leaks=False).fit(X, y)
        self.assertIn("name is left out: it has 300 distinct values in 300 rows", str(said[0].message))
        self.assertEqual(said[0].filename, __file__)
        self.assertEqual(model.feature_importances_.tolist(), [0, 1])
        self.assertEqual(model.score(X, y), 1)
        self.assertEqual(model.predict(X.head(2)).tolist(), [0, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pt.TreeClassifier(rounds=5, check_leaks=False).fit(X.astype({"name": "category"}), y)
            pt.TreeClassifier(rounds=5, check_leaks=False).fit(X[["name"]], y)

    def test_classes_that_are_missing_are_refused(self):
        pd = module("pandas")
        X, y = pd.DataFrame({"a": [1.0, 2, 3, 4]}), pd.Series(["no", None, "yes", "no"])
        with self.assertRaisesRegex(ValueError, "y is missing in 1 of 4 rows"):
            pt.TabularClassifier().fit(X, y)

    def test_training_goes_on_from_the_last_fit_and_is_watched(self):
        X, y = passengers(300)
        seen = []
        model = pt.TabularClassifier(**QUICK, learning_rate=1e-4, warm_start=True, verbose=False,
                                     callbacks=[seen.append]).fit(X, y)
        self.assertEqual([each["epoch"] for each in seen if each["event"] == "epoch"], [1, 2, 3])
        first = model.history_[0]["validation"]["log_loss"]
        self.assertLess(model.fit(X, y).history_[0]["validation"]["log_loss"], first)

    def test_rows_that_come_in_parts_are_learned_one_after_the_other(self):
        X, y = passengers(600)
        parts = [(X[i:i + 200], y[i:i + 200]) for i in (0, 200, 400)]
        model = pt.TabularClassifier(hidden=[16], random_state=1, verbose=False)
        losses = []
        for _ in range(4):
            for some_X, some_y in parts:
                self.assertIs(model.partial_fit(some_X, some_y, classes=["no", "yes"]), model)
            losses.append(model.evaluate(X, y)["log_loss"])
        self.assertLess(losses[-1], losses[0])
        self.assertEqual(len(model.predict(X)), 600)
        # What the stages learned is that of the first rows.
        first = pt.TabularClassifier(hidden=[16], random_state=1, verbose=False).partial_fit(*parts[0])
        fills = [next(each["learned"] for each in learned_by(fitted)["stages"] if each["id"] == "fill")
                 for fitted in (first, model)]
        self.assertEqual(fills[0], fills[1])
        with self.assertRaisesRegex(pt.UsageError, "lack one of the classes"):
            model.partial_fit(X[y == "no"], y[y == "no"], classes=["no", "yes"])
        with self.assertRaises(ValueError):
            model.partial_fit(X[["level"]], y)

    def test_few_rows_are_predicted_in_this_process_with_the_same_bits(self):
        X, y = passengers(300)
        pd = module("pandas")
        X["day"] = pd.date_range("2020-01-01", periods=300, freq="7h")
        X["first"] = X["level"] == 1
        for kind in (pt.TabularClassifier, pt.TreeClassifier):
            model = kind(random_state=1).fit(X, y)
            rows = [model.predict_proba(X[i:i + 1]) for i in range(70)]
            np.testing.assert_array_equal(np.vstack(rows), model.predict_proba(X)[:70])
            one = X[:1]
            seconds = []
            for _ in range(30):
                since = time.perf_counter()
                model.predict(one)
                seconds.append(time.perf_counter() - since)
            self.assertLess(min(seconds), 0.003)  # 0.5 ms, and some for a busy machine.

    def test_columns_come_as_pandas_and_polars_have_them(self):
        pd = module("pandas")
        X, y = passengers(200)
        odd = X.assign(prediction=X["fare"], wait=pd.to_timedelta(X["fare"], unit="h"),
                       mixed=pd.Series(["a", 1, 2.5, None] * 50, dtype=object))
        model = pt.TabularClassifier(**QUICK).fit(odd, y)
        self.assertEqual(len(model.predict(odd)), 200)
        self.assertEqual(model.predict(odd[:3]).tolist(), model.predict(odd)[:3].tolist())
        self.assertIn("prediction_", model.importance_)
        sparse = module("scipy.sparse")
        numbers = X[["level", "fare"]].to_numpy()
        dense = pt.TabularClassifier(**QUICK).fit(numbers, y)
        thin = pt.TabularClassifier(**QUICK).fit(sparse.csr_matrix(numbers), y)
        np.testing.assert_array_equal(thin.predict_proba(numbers), dense.predict_proba(numbers))

    def test_frames_of_polars_with_categories_durations_and_lazy_ones(self):
        pl = module("polars")
        X, y = passengers(200)
        frame = pl.DataFrame(X.to_dict("list")).with_columns(
            pl.col("sex").cast(pl.Categorical), kind=pl.Series(["a", "b"] * 100, dtype=pl.Enum(["a", "b"])),
            wait=pl.duration(seconds=pl.col("level")))
        model = pt.TabularClassifier(**QUICK).fit(frame, y)
        self.assertEqual(model.predict(frame.lazy()).tolist(), model.predict(frame).tolist())
        self.assertEqual(pt.default_session().table(frame.select("sex", "kind")).schema,
                         {"sex": "string", "kind": "string"})

    def test_what_gives_the_label_away_is_said_before_it_is_learned(self):
        X, y = passengers(400)
        leaky = X.assign(boat=np.where(y == "yes", "a", None))
        with self.assertWarnsRegex(pt.LeakWarning, r"boat gives survived away in every row.*drop\(columns='boat'"):
            pt.TabularClassifier(**QUICK).fit(leaky, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pt.LeakWarning)
            pt.TabularClassifier(**QUICK).fit(X, y)
            pt.TreeClassifier(check_leaks=False).fit(leaky, y)

    def test_a_leak_in_a_sorted_table_is_said_with_what_to_write_for_a_matrix(self):
        y = np.repeat([0, 1], [21_000, 3_000])  # The first 20,000 rows are of one class.
        X = np.column_stack([np.random.default_rng(1).random(24_000), y * 2 + 1])
        with self.assertWarnsRegex(pt.LeakWarning, r"x1 gives label away in every row.*np.delete\(X, 1, axis=1\)"):
            pt.TreeClassifier(rounds=1, leaves=2).fit(X, y)

    def test_copies_of_training_rows_in_eval_set_are_said(self):
        X, y = passengers(400)
        with self.assertWarnsRegex(pt.LeakWarning, "100% of the rows of eval_set have the inputs and the label of a training row"):
            pt.TreeClassifier(rounds=2).fit(X, y, eval_set=(X[:200], y[:200]))
        with warnings.catch_warnings():
            warnings.simplefilter("error", pt.LeakWarning)
            pt.TreeClassifier(rounds=2).fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
            pt.TreeClassifier(rounds=2, check_leaks=False).fit(X, y, eval_set=(X, y))

    def test_a_feature_with_most_of_the_importance_and_a_test_far_from_validation_are_said(self):
        rng = np.random.default_rng(4)
        X = rng.normal(size=(1000, 4))
        y = X[:, 1] + 0.1 * rng.normal(size=1000)
        with self.assertWarnsRegex(pt.LeakWarning, r"x1 alone has 9\d% of the feature importance, and the model's error is "
                                                   r".*: is it known when you predict\? check_leaks=False silences this"):
            model = pt.TreeRegressor(rounds=60, validation=0.3, random_state=1).fit(X, y)
        with self.assertWarnsRegex(pt.LeakWarning, r"test rows are predicted far worse than validation rows \(rmse"):
            model.evaluate(X, y + rng.normal(size=1000))
        self.assertEqual(len(model.model_.doubts(model.model_.session.table({"label": y}))), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pt.LeakWarning)
            pt.TreeRegressor(rounds=60, validation=0.3, check_leaks=False).fit(X, y).evaluate(X, y + rng.normal(size=1000))
            noisy = y + rng.normal(size=1000)
            pt.TreeRegressor(rounds=20, random_state=1).fit(X[:750], noisy[:750]).evaluate(X[750:], noisy[750:])

    def test_layers_targets_and_formats_that_make_no_sense_are_refused_by_name(self):
        X, y = passengers(200)
        with self.assertRaisesRegex(pt.UsageError, "hidden='64' is a text"):
            pt.TabularClassifier(hidden="64", check_leaks=False).fit(X, y)
        with self.assertRaisesRegex(ValueError, "y holds something other than numbers"):
            pt.TreeRegressor().fit(X, y)
        model = pt.TabularClassifier(**{**QUICK, "hidden": 8}).fit(X, y)
        self.assertEqual(model.model_.pipeline[-1]["net"]["hidden"], [8])
        with self.assertRaises(pt.UsageError) as refused:
            model.export("pmml", "model.pmml")
        self.assertEqual(refused.exception.where, "format")

    def test_rows_that_are_mostly_equal_can_be_held_out(self):
        X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        for seed in range(3):
            model = pt.TabularClassifier(epochs=2, random_state=seed).fit(X, X[:, 0])
            self.assertGreater(model.metrics_["validation"]["rows"] if "rows" in model.metrics_["validation"]
                               else model.metrics_["training"]["validation_rows"], 10)

    def test_without_scikit_learn_they_do_the_same(self):
        told = subprocess.run([sys.executable, "-c", """
import sys
sys.modules["sklearn"] = None
import numpy as np, protium as pt
model = pt.TabularRegressor(epochs=2)
try:
    model.predict(np.ones((2, 2)))
except (ValueError, AttributeError) as error:
    assert "not fitted" in str(error), error
X = np.random.default_rng(1).normal(size=(150, 2))
print(model.fit(X, X[:, 0]).predict(X).shape, len(model.history_))
"""], capture_output=True, text=True, timeout=60)
        self.assertEqual(told.stdout, "(150,) 2\n", told.stderr)


if __name__ == "__main__":
    unittest.main()
