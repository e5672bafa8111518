# SPDX-License-Identifier: Apache-2.0
"""Pipelines, models, and what may happen to a process while it fits."""

import datetime
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import protium as pt

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed")

STAGES = pt.stages
NET = [STAGES.StandardScaler(id="scale", inputs=["x"]),
       STAGES.StringIndexer(id="index", inputs=["shop"]),
       STAGES.TorchEstimator(net={"name": "tabular_mlp", "hidden": [8]}, label="y",
                             numeric=[STAGES.outputs_of("scale")],
                             categorical=[STAGES.outputs_of("index")], train={"epochs": 2})]


def sales(rows=500):
    x = np.arange(rows) % 100 / 10.0
    return {"x": x, "shop": ["north", "south"] * (rows // 2), "y": 2 * x + 1}


# Ctrl-C in the middle of a training: the session goes on afterwards.
INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import protium as pt
import test_models

signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell's background jobs ignore it.

def hear(event):
    if event["event"] == "epoch" and event["epoch"] == 1:
        os.kill(os.getpid(), signal.SIGINT)

session = pt.Session(on_event=hear)
table = session.table(test_models.sales())
net = [*test_models.NET[:-1], {**test_models.NET[-1], "train": {"epochs": 1000000}}]
try:
    pt.Pipeline(net).fit(table)
except KeyboardInterrupt:
    print("interrupted", table.count())
"""

FORKED = """
import os, sys
sys.path.insert(0, sys.argv[1])
import protium as pt
session = pt.Session()
frame = session.sql("SELECT 1 AS one")
child = os.fork()
if child == 0:
    try:
        frame.count()
    except pt.UsageError as error:
        print("child:", error.what, flush=True)
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("parent:", frame.count())
"""

# The user's own Arrow and LibTorch beside ours, before or after them.
BESIDE = """
import sys
sys.path.insert(0, sys.argv[1])
order = sys.argv[2].split(",")
for name in order:
    __import__(name)
    if name == "protium":
        import protium
        session = protium.Session()
        print(session.sql("SELECT 1 AS one").count())
import protium, test_models
model = protium.Pipeline(test_models.NET).fit(session.table(test_models.sales()))
rows = model.transform(session.table(test_models.sales())).to_arrow() if "pyarrow" in order else []
import pyarrow, pyarrow.compute
assert pyarrow.compute.sum(pyarrow.array([1, 2])).as_py() == 3
if "torch" in order:
    import torch
    layer = torch.nn.Linear(2, 1)
    layer(torch.ones(3, 2)).sum().backward()
print("rows", len(rows))
"""


def run(script, *arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    return subprocess.run([sys.executable, "-c", script, here, *arguments], capture_output=True,
                          text=True, timeout=120)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.session = pt.Session("local[2]")
        cls.table = cls.session.table(sales())

    @classmethod
    def tearDownClass(cls):
        cls.session.close()

    def test_decimals_are_learned_as_floats_and_stay_decimals(self):
        from decimal import Decimal

        numbers = sales()
        given = {**numbers, **{name: [Decimal(f"{each:.2f}") for each in numbers[name]] for name in "xy"}}
        stages = [*NET[:-1], STAGES.SqlTransformer(id="part", inputs=["x"],
                                        statement="SELECT *, x / 3 AS third FROM __THIS__"),
                  {**NET[-1], "numeric": [STAGES.outputs_of("scale"), STAGES.outputs_of("part")]}]
        told = []
        for data in (numbers, given):
            frame = self.session.table(data)
            model = pt.Pipeline(stages).fit(frame)
            told.append(model.transform(frame))
        floats, decimals = (each.to_columns() for each in told)
        np.testing.assert_array_equal(floats["prediction"], decimals["prediction"])
        self.assertEqual(told[1].schema["x"], "decimal(3,2)")
        self.assertEqual(sorted(decimals["y"].tolist()), sorted(given["y"]))
        self.assertEqual(list(told[1].schema), list(told[0].schema))

    def test_stages_alone(self):
        model = pt.Pipeline(NET[:2]).fit(self.table)
        told = model.transform(self.table, keep=["x"]).to_columns()
        self.assertAlmostEqual(float(told["x__scale"].mean()), 0, 9)
        self.assertEqual([each["kind"] for each in model.pipeline], ["standard_scaler", "string_indexer"])

    def test_a_net_saved_and_loaded_predicts_the_same(self):
        model = pt.Pipeline(NET).fit(self.table)
        self.assertEqual(model.metrics["training"]["rows"], 500)
        self.assertIn("rows", model._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, "model"))
            again = self.session.load(os.path.join(folder, "model"))
            scorer = pt.load_scorer(os.path.join(folder, "model"))
            for keep in (None, ["y"]):
                one, other = (each.transform(self.table, keep=keep).to_columns() for each in (model, again))
                self.assertEqual(sorted(one["prediction"]), sorted(other["prediction"]))
        told = model.transform(self.table).to_columns()
        rows = [{"x": float(x), "shop": shop} for x, shop in zip(told["x"], told["shop"])]
        self.assertEqual([each["prediction"] for each in scorer.score_rows(rows)], list(told["prediction"]))
        self.assertEqual(model.score_row({**rows[3], "y": 1}), {"prediction": told["prediction"][3]})
        self.assertEqual(scorer.input, {"x": "float64", "shop": "string"})
        with self.assertRaisesRegex(pt.InputError, "row 1, column \"x\""):
            scorer.score_row({"x": "many", "shop": "north"})

    def test_a_scorer_takes_batches_of_pyarrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        scorer = pt.Pipeline(NET[:2]).fit(self.table).scorer()
        batch = pyarrow.RecordBatch.from_pydict({"shop": ["south", "west"], "x": [1.0, 2.0]})
        self.assertEqual(scorer.score(batch).schema.names, list(scorer.output))
        # As pandas and Polars have texts.
        large = batch.set_column(0, "shop", batch["shop"].cast(pyarrow.large_string()))
        self.assertEqual(scorer.score(large), scorer.score(batch))
        with self.assertRaisesRegex(pt.InputError, "lacks 1 column"):
            scorer.score(batch.select(["x"]))

    def test_a_scorer_computes_what_is_sql(self):
        model = pt.Pipeline([
            pt.stages.SqlTransformer(id="more", inputs=["x", "shop"],
                                     statement="SELECT *, upper(shop) AS loud, floor(x) % 2 AS odd FROM __THIS__"),
            pt.stages.StringIndexer(id="index", inputs=["loud"]),
        ]).fit(self.table)
        told = model.transform(self.table).to_columns()
        rows = [{"x": float(x), "shop": shop} for x, shop in zip(told["x"][:20], told["shop"][:20])]
        scored = model.scorer().score_rows(rows)
        for name in ("loud", "odd", "loud__index"):
            self.assertEqual([each[name] for each in scored], list(told[name][:20]))

    def test_series_are_predicted_further_than_the_model_looks_back(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(64)]
        rides = pyarrow.table({"day": days[:60], "rides": [float(i % 7) for i in range(60)]})
        model = pt.Pipeline([
            STAGES.Lag(id="ago", inputs=["rides"], time="day", lags=[1, 7]),
            STAGES.TreeEstimator(numeric=[STAGES.outputs_of("ago")], label="rides", loss="mse",
                                 trees={"rounds": 200}, train={"seed": 1}),
        ]).fit(self.session.table(rides))
        week = model.forecast("4d")
        self.assertEqual(week["day"].to_pylist(), days[60:])
        for i, value in enumerate(week["prediction"].to_pylist()):
            self.assertAlmostEqual(value, (60 + i) % 7, delta=0.5)
        newer = pyarrow.table({"day": days[60:62], "rides": [4.0, 5.0]})
        self.assertEqual(model.forecast(1, newer=newer)["day"].to_pylist(), days[62:63])
        rows = pyarrow.table({"day": days[60:62], "rides": pyarrow.array([4.0, None])})
        self.assertEqual(model.forecast(newer=rows)["day"].to_pylist(), days[60:62])
        with self.assertRaisesRegex(pt.UsageError, "not a horizon"):
            model.forecast("soon")
        scorer = model.scorer()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scorer.score_row({"day": days[60], "rides": None})
            self.assertEqual(caught, [])
            for _ in range(2):
                scorer.score_row({"day": days[63], "rides": None})
            self.assertEqual(len(caught), 1)
            self.assertIn("the model keeps rows up to 2024-02-29, and a request begins on 2024-03-04",
                          str(caught[0].message))

    def test_a_column_without_values_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            with open(path, "w") as file:
                file.write("x,shop,y\n" + ",north,1\n,south,2\n" * 20)
            with self.assertRaisesRegex(pt.ProtiumError, 'column "x" has no value in any row') as caught:
                pt.Pipeline(NET).fit(self.session.read(path))
            self.assertIn('types = { x = "float64" }', caught.exception.fix)

    def test_mistakes_are_told_before_anything_starts(self):
        for stages, says in (([{"kind": "standard_scalar"}], "standard_scaler"),
                             ([{**NET[0], "input": []}], "inputs"),
                             ([*NET[:2], {**NET[2], "label": "z"}], "z")):
            with self.assertRaisesRegex(pt.UsageError, says):
                pt.Pipeline(stages).fit(self.table)
        told = pt.Pipeline(NET).check(self.table)
        self.assertEqual(told["training"]["epochs"], 2)

    def test_ctrl_c_ends_a_training_and_not_the_session(self):
        told = run(INTERRUPTED)
        self.assertEqual((told.returncode, told.stdout), (0, "interrupted 500\n"), told.stderr)

    def test_a_session_that_is_collected_within_an_event_does_not_wait_for_itself(self):
        sessions = []
        told = []

        def hear(event):
            told.append(event["event"])
            sessions.clear()  # The last reference.

        sessions.append(pt.Session(on_event=hear))
        sessions[0].table({"x": [1]})
        pt.Pipeline(NET).fit(pt.Session(on_event=hear).table(sales()))
        self.assertIn("train_start", told)

    def test_a_forked_child_is_refused_and_harmless(self):
        told = run(FORKED)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("child: the session belongs to the process", told.stdout)
        self.assertIn("parent: 1", told.stdout)

    def test_other_libraries_beside_ours_in_either_order(self):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            self.skipTest("pyarrow is not installed")
        for order in ("protium,pyarrow", "pyarrow,protium"):
            told = run(BESIDE, order)
            self.assertEqual((told.returncode, told.stdout), (0, "1\nrows 500\n"), told.stderr)


if __name__ == "__main__":
    unittest.main()
