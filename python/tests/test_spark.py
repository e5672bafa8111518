# SPDX-License-Identifier: Apache-2.0
"""What the package does on the Spark server that PROTIUM_TEST_SPARK names, and the notebook about it."""

import os
import sys
import tempfile
import unittest

import protium as pt
import test_notebooks

_SERVER = os.environ.get("PROTIUM_TEST_SPARK")
_NO_SERVER = "PROTIUM_TEST_SPARK names no server: ./dev test starts one"


@unittest.skipUnless(_SERVER, _NO_SERVER)
class SparkNotebook(test_notebooks.NotebookTest):
    def test_runs(self):
        self.assertIn("prediction", self.run_one("spark.ipynb", ["numpy"], PROTIUM_SPARK=_SERVER))


# A module that executors do not have.
_SENT = """
import os

import protium as pt


def told(word):
    print("a line of", os.environ["RANK"])
    if word == "fail" and os.environ["RANK"] == "1":
        raise ValueError("no such word")
    return pt.__name__, int(os.environ["RANK"]), os.environ["WORLD_SIZE"], os.environ["PT_OWN"], 2 * word
"""


@unittest.skipUnless(_SERVER, _NO_SERVER)
class Functions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # Where the call goes.
        os.mkdir("sent")
        with open("sent/pt_sent.py", "w", encoding="utf-8") as file:
            file.write(_SENT)
        sys.path.insert(0, os.path.join(folder.name, "sent"))
        self.addCleanup(sys.path.pop, 0)
        self.addCleanup(sys.modules.pop, "pt_sent", None)

    def run_on_spark(self, word, **options):
        import pt_sent

        return pt.run(pt_sent.told, [word], workers=2, engine=_SERVER, files="sent", python=sys.executable,
                      env={"PT_OWN": "of a caller"}, **options)

    def test_run_on_executors(self):
        self.assertEqual(self.run_on_spark("ab"), [("protium", 0, "2", "of a caller", "abab"),
                                                   ("protium", 1, "2", "of a caller", "abab")])
        self.assertEqual(os.listdir(), ["sent"])

    def test_that_fail_come_back_with_their_traceback(self):
        with self.assertRaises(pt.RankError) as caught:
            self.run_on_spark("fail", logs="none")
        self.assertEqual((caught.exception.rank, type(caught.exception.__cause__)), (1, ValueError))
        self.assertIn("in told", caught.exception.traceback)

    def test_a_python_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(pt.ProtiumError, "/nowhere/python3"):
            pt.run(os.getenv, ["HOME"], engine=_SERVER, python="/nowhere/python3", logs="none")


@unittest.skipUnless(_SERVER, _NO_SERVER)
class ScoreInSql(unittest.TestCase):
    def test_gives_what_the_embedded_engine_gives(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("numpy is not installed")
        query = """
            WITH few AS (SELECT id, CASE WHEN id % 3 = 0 THEN NULL ELSE id / 7 END AS x FROM rows),
              best AS (SELECT id % 10 AS digit, max(prediction) AS most FROM score('{0}', few) GROUP BY digit)
            SELECT r.id, coalesce(s.x, -1) AS x, s.prediction, b.most FROM rows r
            JOIN score('{0}', (SELECT * FROM few)) s ON r.id = s.id
            JOIN best b ON b.digit = r.id % 10 ORDER BY r.id"""
        with tempfile.TemporaryDirectory() as folder:
            model, answers = os.path.join(folder, "model"), []
            for engine in ("local[1]", _SERVER):
                with pt.Session(engine) as session:
                    rows = session.sql("SELECT id FROM range(0, 200)")
                    if not answers:
                        table = session.sql("SELECT CAST(id AS DOUBLE) AS x, id * 0.5D AS y FROM rows", rows=rows)
                        pt.Pipeline([
                            pt.stages.Imputer(id="fill", inputs=["x"]),
                            pt.stages.StandardScaler(id="scale", inputs=[pt.stages.outputs_of("fill")]),
                            pt.stages.TorchEstimator(numeric=[pt.stages.outputs_of("scale")], label="y",
                                                     train={"epochs": 1}),
                        ]).fit(table).save(model)
                    found = session.sql(query.format(model), rows=rows).to_columns()
                    answers.append({name: list(values) for name, values in found.items()})
        self.assertEqual(answers[0], answers[1])
        self.assertEqual((len(answers[0]["most"]), len(set(answers[0]["most"]))), (200, 10))


if __name__ == "__main__":
    unittest.main()
