# SPDX-License-Identifier: Apache-2.0
"""Nets in scikit-learn's manner."""

import pickle
import unittest

import protium as pt
from estimator_checks import module, run_checks

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed")

# What sklearn.utils.estimator_checks asks for and these estimators do not do, and why.
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data":
        "a row of weight 2 takes one place in a batch, two equal rows take two",
    "check_sample_weight_equivalence_on_sparse_data":
        "a row of weight 2 takes one place in a batch, two equal rows take two",
}


def rows(count=400):
    random = np.random.default_rng(1)
    X = random.normal(size=(count, 4))
    return X, X[:, 0] - 2 * X[:, 1]


class Tabular(unittest.TestCase):
    def test_numbers_are_learned_in_the_order_of_the_rows(self):
        X, y = rows()
        model = pt.TabularRegressor(epochs=30, learning_rate=0.01).fit(X[:300], y[:300])
        self.assertGreater(model.score(X[300:], y[300:]), 0.95)
        np.testing.assert_allclose(model.predict(X)[::-1], model.predict(X[::-1]))
        self.assertEqual(model.n_features_in_, 4)

    def test_classes_of_any_type_with_their_probabilities(self):
        X, y = rows()
        for names in (np.array(["low", "high"]), np.array([7, -3])):
            classes = names[(y > 0).astype(int)]
            model = pt.TabularClassifier(hidden=[16], epochs=10, learning_rate=0.01).fit(X, classes)
            self.assertEqual(model.classes_.tolist(), sorted(names.tolist()))
            self.assertGreater(model.score(X, classes), 0.95)
            shares = model.predict_proba(X)
            np.testing.assert_allclose(shares.sum(axis=1), 1)
            self.assertEqual((model.classes_[shares.argmax(axis=1)] == model.predict(X)).all(), True)
        three = np.digitize(y, [-1, 1])
        model = pt.TabularClassifier(epochs=10, learning_rate=0.01).fit(X, three)
        self.assertEqual(model.predict_proba(X).shape, (400, 3))
        self.assertGreater(model.score(X, three), 0.9)

    def test_missing_numbers_are_filled(self):
        X, y = rows()
        X[::7, 2] = np.nan
        self.assertTrue(np.isfinite(pt.TabularRegressor(epochs=1).fit(X, y).predict(X)).all())

    def test_it_is_pickled_with_its_weights(self):
        X, y = rows(100)
        model = pt.TabularRegressor(epochs=1, random_state=3).fit(X, y, sample_weight=np.ones(100))
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        same = pt.TabularRegressor(**model.get_params()).fit(X, y, sample_weight=np.ones(100))
        np.testing.assert_array_equal(same.predict(X), model.predict(X))

    def test_columns_of_frames_are_recognised_by_their_types(self):
        pd = module("pandas")
        shops = ["a", "b", None, "c"] * 50
        X = pd.DataFrame({"shop": pd.Categorical(shops), "open": [True, False] * 100,
                          "day": pd.date_range("2020-01-01", periods=200),
                          "on": pd.date_range("2020-01-01", periods=200).date,
                          "price": np.r_[np.nan, np.arange(199.0)]})
        y = np.array([shop == "a" for shop in shops])
        model = pt.TabularClassifier(epochs=15, learning_rate=0.01).fit(X, y)
        self.assertGreater(model.score(X, y), 0.95)
        kinds = {each["kind"]: each.get("inputs") for each in model._model().pipeline}
        self.assertEqual(kinds["string_indexer"], ["shop", "open"])
        self.assertEqual(kinds["datetime_parts"], ["day", "on"])
        self.assertEqual(kinds["imputer"], ["day__time__unix_time", "on__time__unix_time", "price"])
        np.testing.assert_array_equal(model.predict(X[::-1]), model.predict(X)[::-1])
        with self.assertRaisesRegex(ValueError, "feature names should match|features"):
            model.predict(X.drop(columns="price"))

    def test_in_searches_over_pipelines(self):
        selection = module("sklearn.model_selection")
        pipeline = module("sklearn.pipeline")
        X, y = rows(200)
        made = pipeline.make_pipeline(pt.TabularRegressor(epochs=2))
        search = selection.GridSearchCV(made, {"tabularregressor__hidden": [[4], [8]]}, cv=2)
        self.assertIn(search.fit(X, y).best_params_["tabularregressor__hidden"], ([4], [8]))

    def test_what_scikit_learn_asks_of_estimators(self):
        run_checks(self, (pt.TabularRegressor(), pt.TabularClassifier()), EXPECTED_FAILURES)


if __name__ == "__main__":
    unittest.main()
