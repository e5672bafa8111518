# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's: as gangs, over rows, as nets."""

import os
import subprocess
import sys
import threading
import unittest

import protium as pt


def doubled(number):
    rank = int(os.environ["RANK"])
    if number < 0 and rank == 1:
        raise ValueError("below zero")
    return rank, os.environ["WORLD_SIZE"], 2 * number


def needs(*names):
    for name in names:
        try:
            __import__(name)
        except ImportError:
            raise unittest.SkipTest(f"{name} is not installed")


NOTEBOOK = """
import protium as pt
here = 20
def local(x):
    return x + here
print(pt.run(local, [1], logs="none"))
"""
ALONE = """
import sys
sys.modules["cloudpickle"] = None
import protium as pt
def local():
    pass
try:
    pt.run(local)
except pt.UsageError as error:
    print(error.fix)
"""


class Unknown:
    """Can be sent, and not be read."""

    def __reduce__(self):
        return __import__, ("no_such_module",)


class Gangs(unittest.TestCase):
    def test_each_rank_answers(self):
        self.assertEqual(pt.run(doubled, [21], workers=2, logs="none"), [(0, "2", 42), (1, "2", 42)])

    def test_the_environment_reaches_ranks(self):
        self.assertEqual(pt.run(os.getenv, ["PT_TEST_OWN"], env={"PT_TEST_OWN": "of a caller"}, logs="none"),
                         ["of a caller"])

    def test_a_failure_comes_back_with_its_traceback(self):
        with self.assertRaises(pt.RankError) as caught:
            pt.run(doubled, [-1], workers=2, logs="none")
        self.assertEqual(caught.exception.rank, 1)
        self.assertIn("ValueError: below zero", caught.exception.what)
        self.assertIn("in doubled", caught.exception.traceback)
        self.assertIsInstance(caught.exception.__cause__, ValueError)

    def test_functions_of_a_notebook_are_taken(self):
        needs("cloudpickle")
        told = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, timeout=60)
        self.assertEqual((told.returncode, told.stdout), (0, "[21]\n"), told.stderr)

    def test_without_cloudpickle_they_are_refused(self):
        told = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=60)
        self.assertEqual(told.stdout, "pip install cloudpickle, or move it into a module\n", told.stderr)

    def test_what_cannot_be_read_is_told(self):
        with self.assertRaisesRegex(pt.RankError, "no_such_module") as caught:
            pt.run(doubled, [Unknown()], logs="none")
        self.assertIn("files=FOLDER", caught.exception.fix)
        with self.assertRaisesRegex(pt.UsageError, "what rank 0 returned cannot be read here"):
            pt.run(Unknown, logs="none")

    def test_a_python_of_another_version_is_refused(self):
        from protium import _rank

        version, _rank.version = _rank.version, lambda: "3.0"
        self.addCleanup(setattr, _rank, "version", version)
        with self.assertRaisesRegex(pt.RankError, "a function of Python 3.0 cannot be read by") as caught:
            pt.run(os.getenv, ["HOME"], logs="none")
        self.assertIn("python=PATH names a Python 3.0", caught.exception.fix)

    def test_a_function_that_ends_its_process_is_told(self):
        with self.assertRaisesRegex(pt.ProtiumError, "rank 0 ended without an error, but left no result"):
            pt.run(sys.exit, logs="none")

    def test_what_the_command_refuses_is_its_error(self):
        with self.assertRaisesRegex(pt.UsageError, '--workers takes a number of 1 or more, .* got "0"'):
            pt.run(doubled, [1], workers=0)

    def test_a_token_is_no_argument(self):
        from protium import gang

        self.assertEqual(gang._without_token("sc://host:15002/;user_id=u;token=a%3Bb;x=1"),
                         ("sc://host:15002/;user_id=u;x=1", {"SPARK_CONNECT_AUTHENTICATE_TOKEN": "a;b"}))

    def test_what_cannot_be_sent_is_refused(self):
        with self.assertRaisesRegex(pt.UsageError, "cannot be sent"):
            pt.run(doubled, [threading.Lock()], logs="none")


class Batches(unittest.TestCase):
    def test_a_function_makes_other_rows(self):
        needs("numpy", "pyarrow")
        with pt.Session() as session:
            frame = session.table({"x": list(range(100_000))})
            told = frame.map_batches(lambda batch: {"y": [sum(batch["x"].to_pylist())]})
            self.assertEqual(sum(told.to_columns()["y"]), 99_999 * 50_000)
            with self.assertRaisesRegex(ZeroDivisionError, "division"):
                frame.map_batches(lambda batch: 1 / 0)
            with self.assertRaisesRegex(pt.UsageError, "int, which is not a table"):
                frame.map_batches(lambda batch: 1)


class Nets(unittest.TestCase):
    def test_a_module_of_pytorchs_is_trained(self):
        needs("numpy", "torch")
        import torch

        net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        x = [i / 100 for i in range(200)]
        stages = [pt.stages.StandardScaler(id="scale", inputs=["x"]), pt.stages.TorchEstimator(
            net=pt.nets.from_torch(net), numeric=[pt.stages.outputs_of("scale")], label="y",
            train={"epochs": 2})]
        with pt.Session() as session:
            frame = session.table({"x": x, "y": [2 * each for each in x]})
            model = pt.Pipeline(stages).fit(frame)
            self.assertEqual(len(model.transform(frame).to_columns()["prediction"]), 200)

    def test_a_module_that_cannot_be_traced_is_refused(self):
        needs("torch")
        import torch

        class Odd(torch.nn.Module):
            def forward(self, x):
                return open("/dev/null") if x else sorted(x, key=lambda each: -each)

        with self.assertRaisesRegex(pt.UsageError, "Odd cannot be scripted"):
            pt.nets.from_torch(Odd())


if __name__ == "__main__":
    unittest.main()
