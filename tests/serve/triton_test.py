# SPDX-License-Identifier: Apache-2.0
"""triton_test.py PROTIUM: the Open Inference Protocol of `protium serve`, asked by Triton's client."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

PROTIUM = sys.argv.pop(1)
ROWS = 200

JOB = """
[tables]
days = "days.csv"

[etl]
sql = "SELECT x, n, shop, day, x + n AS y FROM days"

[[pipeline]]
kind   = "string_indexer"
id     = "shops"
inputs = ["shop"]

[[pipeline]]
kind   = "datetime_parts"
id     = "parts"
inputs = ["day"]
parts  = ["month"]

[[pipeline]]
kind        = "tree_estimator"
categorical = [{ stage = "shops" }]
numeric     = ["x", "n", { stage = "parts" }]
label       = "y"
trees       = { rounds = 5 }

[train]
validation = { share = 0 }
"""


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(cls.folder.name)
        cls.x = numpy.arange(ROWS) / 8
        cls.n = numpy.arange(ROWS) % 7
        cls.shop = numpy.array(["north", "süd", "ост"] * ROWS, dtype=object)[:ROWS]
        cls.day = numpy.array([f"2024-{1 + i % 12:02}-03" for i in range(ROWS)], dtype=object)
        with open(place / "days.csv", "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["x", "n", "shop", "day"])
            writer.writerows(zip(cls.x, cls.n, cls.shop, cls.day))
        (place / "job.toml").write_text(JOB)
        run = subprocess.run([PROTIUM, "run", "job.toml", "--quiet", "--json"], cwd=place,
                             capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        model = json.loads(run.stdout)["model"]
        cls.server = subprocess.Popen([PROTIUM, "serve", model, "--name", "days", "--port", "0"],
                                      cwd=place, stdout=subprocess.PIPE, text=True)
        cls.address = cls.server.stdout.readline().strip()
        cls.client = triton.InferenceServerClient(cls.address.removeprefix("http://").strip("/"))
        scored = subprocess.run([PROTIUM, "predict", "--model", model, "--input", "days.csv",
                                 "--output", "scored.csv", "--quiet"], cwd=place,
                                capture_output=True, text=True, timeout=120)
        assert scored.returncode == 0, scored.stderr
        with open(place / "scored.csv", newline="") as rows:
            cls.expected = numpy.array([float(row["prediction"]) for row in csv.DictReader(rows)])

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.terminate()
        cls.server.wait(timeout=30)
        cls.server.stdout.close()
        cls.folder.cleanup()

    def inputs(self, binary):
        made = []
        for name, kind, values in [("x", "FP64", self.x), ("n", "INT64", self.n),
                                   ("shop", "BYTES", self.shop), ("day", "BYTES", self.day)]:
            one = triton.InferInput(name, [ROWS], kind)
            one.set_data_from_numpy(values, binary_data=binary)
            made.append(one)
        return made

    def test_is_known(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("days"))
        self.assertFalse(self.client.is_model_ready("nights"))
        self.assertEqual(self.client.get_server_metadata()["name"], "protium")
        inputs = self.client.get_model_metadata("days")["inputs"]
        self.assertEqual({one["name"]: one["datatype"] for one in inputs},
                         {"x": "FP64", "n": "INT64", "shop": "BYTES", "day": "BYTES"})

    def test_predicts_as_predict_does(self):
        for binary in (True, False):
            for answer in (True, False):
                wanted = triton.InferRequestedOutput("prediction", binary_data=answer)
                result = self.client.infer("days", self.inputs(binary), outputs=[wanted],
                                           request_id="7")
                numpy.testing.assert_array_equal(result.as_numpy("prediction"), self.expected)
                self.assertEqual(result.get_response()["id"], "7")

    def test_answers_all_outputs_without_being_told(self):
        result = self.client.infer("days", self.inputs(True))
        numpy.testing.assert_array_equal(result.as_numpy("prediction"), self.expected)

    def test_predicts_while_other_requests_do(self):
        waiting = [self.client.async_infer("days", self.inputs(True)) for _ in range(20)]
        for each in waiting:
            numpy.testing.assert_array_equal(each.get_result().as_numpy("prediction"),
                                             self.expected)

    def test_says_what_is_wrong(self):
        short = self.inputs(True)[:2]
        with self.assertRaisesRegex(InferenceServerException, "shop"):
            self.client.infer("days", short)
        with self.assertRaisesRegex(InferenceServerException, 'no model "nights"'):
            self.client.infer("nights", self.inputs(True))
        wrong = triton.InferInput("x", [ROWS], "BYTES")
        wrong.set_data_from_numpy(self.shop)
        with self.assertRaisesRegex(InferenceServerException, "not BYTES"):
            self.client.infer("days", [wrong])


if __name__ == "__main__":
    unittest.main(verbosity=2)
