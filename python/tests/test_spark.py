# SPDX-License-Identifier: Apache-2.0
"""What the package does on the Spark server that PROTIUM_TEST_SPARK names, and the notebook about it."""

import os
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


@unittest.skipUnless(_SERVER, _NO_SERVER)
class ScoreInSql(unittest.TestCase):
    def test_gives_what_the_embedded_engine_gives(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("numpy is not installed")
        query = """
            SELECT r.id, s.x__fill, s.x__fill__scale FROM rows r
            JOIN score('{}', (SELECT id, CASE WHEN id % 3 = 0 THEN NULL ELSE id / 7 END AS x FROM rows)) s
            ON r.id = s.id ORDER BY r.id"""
        with tempfile.TemporaryDirectory() as folder:
            model, answers = os.path.join(folder, "model"), []
            for engine in ("local[1]", _SERVER):
                with pt.Session(engine) as session:
                    rows = session.sql("SELECT id FROM range(0, 200)")
                    if not answers:
                        table = session.sql("SELECT CAST(id AS DOUBLE) AS x FROM rows", rows=rows)
                        pt.Pipeline([
                            pt.stages.Imputer(id="fill", inputs=["x"]),
                            pt.stages.StandardScaler(id="scale", inputs=[pt.stages.outputs_of("fill")]),
                        ]).fit(table).save(model)
                    found = session.sql(query.format(model), rows=rows).to_columns()
                    answers.append({name: list(values) for name, values in found.items()})
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(len(answers[0]["x__fill"]), 200)


if __name__ == "__main__":
    unittest.main()
