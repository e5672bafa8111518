# SPDX-License-Identifier: Apache-2.0
"""What a fit leaves: a run, and a model that is the whole product."""

import datetime
import inspect
import os
import pickle
import tempfile
import unittest

import protium as pt
from estimator_checks import module

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed")

STAGES = [pt.stages.StandardScaler(id="scale", inputs=["x"]),
          pt.stages.StringIndexer(id="index", inputs=["shop"])]


def sales(rows=500):
    x = np.arange(rows) % 100 / 10.0
    return {"x": x, "shop": ["north", "south"] * (rows // 2), "y": 2 * x + 1}


def fitted(session, epochs=3, validation=0.2):
    net = pt.stages.TorchEstimator(net={"name": "tabular_mlp", "hidden": [8]}, label="y",
                                   numeric=[pt.stages.outputs_of("scale")],
                                   categorical=[pt.stages.outputs_of("index")],
                                   train={"epochs": epochs, "validation": {"share": validation}})
    return pt.Pipeline([*STAGES, net]).fit(session.table(sales()))


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.session = pt.Session("local[2]")
        cls.model = fitted(cls.session)

    @classmethod
    def tearDownClass(cls):
        cls.session.close()

    def test_a_fit_is_a_run_with_its_figures_and_events(self):
        run = self.model.run
        self.assertEqual(run.settings["train.epochs"], 3)
        self.assertEqual(run.metrics["validation"], self.model.metrics["validation"])
        self.assertEqual([each["event"] for each in run.events][0], "start")
        self.assertEqual(run.events[-1]["state"], "done")
        self.assertIn("train", run.result["seconds"])
        self.assertGreater(run.report().stat().st_size, 10_000)

    def test_runs_are_compared_and_kept_where_the_command_finds_them(self):
        told = self.model.run.compare(fitted(self.session, epochs=4).run)
        self.assertRegex(told, r"train\.epochs +3 +4")
        with tempfile.TemporaryDirectory() as folder:
            kept = self.model.run.keep(folder)
            self.assertTrue(kept.result["model"].startswith(folder))
            with self.session.__class__("local[1]") as other:
                again = other.load(kept.folder / "model")
                np.testing.assert_array_equal(again.predict(sales()), self.model.predict(sales()))
                self.assertIsNone(again.run)
            with self.assertRaisesRegex(pt.UsageError, "already exists"):
                self.model.run.keep(folder)
        with self.assertRaisesRegex(pt.InputError, "not the folder of a run"):
            pt.Run(folder)

    def test_a_fit_that_fails_leaves_no_folder_in_a_session_that_goes(self):
        before = sorted(self.model.run.folder.parent.iterdir())
        with self.assertRaises(pt.ProtiumError):
            pt.Pipeline([*STAGES, pt.stages.TorchEstimator(label="none")]).fit(self.session.table(sales()))
        self.assertEqual(sorted(self.model.run.folder.parent.iterdir()), before)

    def test_a_model_predicts_in_the_order_of_the_rows(self):
        rows = sales(200)
        predicted = self.model.predict(rows)
        one = [each["prediction"] for each in self.model.score_rows({"x": x, "shop": shop} for x, shop in
                                                                    zip(rows["x"], rows["shop"]))]
        np.testing.assert_array_equal(predicted, one)
        frame = self.session.table(rows)
        self.assertEqual(sorted(self.model.predict(frame)), sorted(one))
        pd = module("pandas")
        np.testing.assert_array_equal(self.model.predict(pd.DataFrame(rows, index=range(200, 0, -1))), one)

    def test_a_model_is_evaluated_on_rows_with_their_labels(self):
        rows = sales(200)
        measured = self.model.evaluate(rows)
        off = self.model.predict(rows) - rows["y"]
        self.assertAlmostEqual(measured["rmse"], float(np.sqrt(np.mean(off ** 2))), 5)
        self.assertEqual(measured["rows"], 200)
        self.assertEqual(self.model.evaluate(sales(100))["rows"], 100)
        with self.assertRaisesRegex(pt.InputError, "label"):
            self.model.evaluate({"x": rows["x"], "shop": rows["shop"]})

    def test_a_model_says_which_columns_matter(self):
        self.assertEqual(list(self.model.importance), ["x", "shop"])
        with self.assertRaisesRegex(pt.UsageError, "validation"):
            fitted(self.session, 1, 0.0).importance

    def test_a_model_is_exported_and_says_how_to_keep_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            self.assertEqual(self.model.export("onnx", path), [])
            self.assertGreater(os.path.getsize(path), 500)
            self.assertEqual(self.model.export("onnx", path, force=True, precision="int8", most_loss=1), [])
            with self.assertRaisesRegex(pt.UsageError, "force=True"):
                self.model.export("onnx", path)
            with self.assertRaisesRegex(pt.UsageError, 'did you mean "onnx"'):
                self.model.export("onx", path, force=True)
        with self.assertRaisesRegex(pt.UsageError, "model.save"):
            pickle.dumps(self.model)

    def test_frames_are_looked_at_as_elsewhere(self):
        frame = self.session.table({"age": [3, 5, None], "sex": ["f", "m", "f"]})
        self.assertEqual(frame.shape, (3, 2))
        self.assertEqual(frame.head(2).count(), 2)
        self.assertEqual(frame.filter("age > 4 OR sex = 'f'").count(), 3)
        self.assertEqual(frame["sex"].tolist(), ["f", "m", "f"])
        self.assertEqual(frame[["sex"]].columns, ["sex"])
        told = frame.describe()
        self.assertEqual((told["age"]["mean"], told["age"]["missing"], told["sex"]["distinct"]), (4, 1, 2))
        self.assertIn("<tr><th>age</th><td>int64</td><td>2</td>", told._repr_html_())
        with self.assertRaises(KeyError):
            frame["ages"]
        self.assertEqual(list(frame), ["age", "sex"])
        with self.assertRaisesRegex(TypeError, "head"):
            frame[0]
        for belongs in (frame, self.session):
            with self.assertRaisesRegex(pt.UsageError, "cannot be pickled"):
                pickle.dumps(belongs)

    def test_nan_is_missing_where_columns_are_described(self):
        told = self.session.table({"x": np.array([1.0, np.nan, 3.0])}).describe()["x"]
        self.assertEqual((told["count"], told["missing"], told["mean"], told["max"]), (2, 1, 2, 3))

    def test_durations_are_refused_with_what_to_write(self):
        for column in (np.array([1], "timedelta64[s]"), [datetime.timedelta(1), None]):
            with self.assertRaisesRegex(pt.InputError, "numbers of seconds"):
                self.session.table({"took": column})

    def test_a_frame_names_the_columns_that_give_another_one_away(self):
        random = np.random.default_rng(1)
        casual, members = random.integers(1, 400, 300), random.integers(1, 900, 300)
        frame = self.session.table({"casual": casual, "members": members, "wind": random.random(300),
                                    "count": casual + members})
        told = frame.leaks("count")
        self.assertEqual(sorted(told), ["casual", "members"])
        self.assertIn("casual + members in every row", told["casual"])
        self.assertEqual(frame.leaks("wind"), {})
        with self.assertRaisesRegex(pt.UsageError, 'did you mean "count"'):
            frame.leaks("cont")

    def test_a_frame_says_what_test_rows_share_with_it(self):
        random = np.random.default_rng(2)
        own = np.repeat(random.normal(size=200), 5)
        rows = {"patient_id": np.repeat(np.arange(200), 5), "a": random.random(1000), "y": own + random.normal(size=1000)}
        part = np.arange(1000) % 5 == 0
        train, test = (self.session.table({name: each[keep] for name, each in rows.items()}) for keep in (~part, part))
        (told,) = train.split_leaks(test, "y")
        self.assertIn("100% of the test rows have a patient_id that training rows have, too", told)
        self.assertEqual(len(train.split_leaks(train, "y")), 2)
        self.assertEqual(train.select("a", "y").split_leaks(test.select("a", "y"), "y"), [])
        with self.assertRaisesRegex(pt.ProtiumError, "patient_id"):
            train.split_leaks(test.select("a", "y"), "y")
        with pt.Session() as other, self.assertRaisesRegex(pt.UsageError, "different sessions"):
            train.split_leaks(other.table({"y": [1]}), "y")

    def test_stages_are_listed_described_and_refused_by_name(self):
        self.assertIn("StandardScaler", dir(pt.stages))
        self.assertIn("TabularClassifier", dir(pt))
        self.assertNotIn("TYPE_CHECKING", dir(pt))
        self.assertEqual(list(inspect.signature(pt.stages.StandardScaler).parameters)[:2], ["id", "inputs"])
        self.assertIn("inputs: ", pt.stages.StandardScaler.__doc__)
        self.assertEqual(pt.stages.Imputer(with_="mean"), {"kind": "imputer", "with": "mean"})
        for name in dir(pt.stages):
            self.assertTrue(callable(getattr(pt.stages, name)))
        with self.assertRaisesRegex(AttributeError, "did you mean StandardScaler"):
            pt.stages.StandrdScaler
        with self.assertRaisesRegex(pt.UsageError, "inputs"):
            pt.stages.StandardScaler(input=["x"])


if __name__ == "__main__":
    unittest.main()
