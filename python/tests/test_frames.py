# SPDX-License-Identifier: Apache-2.0
"""Tables of all kinds in and out."""

import contextlib
import datetime
import decimal
import gc
import importlib
import io
import os
import tempfile
import unittest

import protium as pt

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed")


def module(name):
    """The module, or a skip that says which one is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed")


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.session = pt.Session("local[2]")

    @classmethod
    def tearDownClass(cls):
        cls.session.close()

    def back(self, data):
        return self.session.table(data).to_columns()

    def test_kept_frames_outlive_sessions_that_ask_for_it(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            before = os.environ.get("PROTIUM_STORE")
            os.environ["PROTIUM_STORE"] = os.path.join(folder, "store")
            try:
                taken = []
                for store in (False, True, True):
                    events = []
                    with pt.Session("local[2]", store=store, on_event=events.append) as session:
                        table = session.table({"x": np.array([1.0, 2.0, 4.0])})
                        kept = session.sql("SELECT x * 2 AS y FROM t", t=table).keep()
                        self.assertEqual(list(kept.to_columns()["y"]), [2, 4, 8])
                    taken.append([each["event"] for each in events].count("table_taken"))
                self.assertEqual(taken, [0, 0, 1])
            finally:
                if before is None:
                    del os.environ["PROTIUM_STORE"]
                else:
                    os.environ["PROTIUM_STORE"] = before

    def test_a_kept_name_is_found_by_other_sessions(self):
        from unittest import mock

        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.dict(os.environ, PROTIUM_STORE=os.path.join(folder, "store")):
            with pt.Session("local[2]") as session:
                kept = session.sql("SELECT x * 2 AS y FROM t", t={"x": [1.0, 2.0]}).keep("doubled")
                self.assertEqual(kept.to_columns()["y"].tolist(), [2, 4])
            with pt.Session("local[2]") as session:
                self.assertEqual(session.read("kept:doubled").to_columns()["y"].tolist(), [2, 4])
                with self.assertRaisesRegex(pt.ProtiumError, 'no table is kept as "doubledd"'):
                    session.read("kept:doubledd")

    def test_columns_of_every_type_come_back(self):
        for kind in "int8 int16 int32 int64 uint8 uint16 uint32 float32 float64 bool".split():
            given = np.array([1, 0, 1], kind)
            told = self.back({"x": given})["x"]
            np.testing.assert_array_equal(told, given, kind)
        days = np.array(["2020-02-29", "NaT"], "datetime64[D]")
        np.testing.assert_array_equal(self.back({"x": days})["x"], days)
        dates = [datetime.date(2020, 2, 29), None]
        np.testing.assert_array_equal(self.back({"x": dates})["x"], days)
        for unit in ("s", "ms", "us", "ns"):
            times = np.array(["2020-02-29T12:34:56", "NaT"], f"datetime64[{unit}]")
            np.testing.assert_array_equal(self.back({"x": times})["x"], times.astype("datetime64[us]"))

    def test_missing_values_stay_missing(self):
        told = self.back({"t": ["a", None, "ü" * 300], "n": [1, None, 3], "b": [True, None, False],
                          "f": [1.5, float("nan"), None]})
        self.assertEqual(told["t"].tolist(), ["a", None, "ü" * 300])
        np.testing.assert_array_equal(told["n"], [1, np.nan, 3])
        self.assertEqual(told["b"].tolist(), [True, None, False])
        np.testing.assert_array_equal(told["f"], [1.5, np.nan, np.nan])

    def addresses_of(self, read):
        """What `read` gives, and where the batches of its stream had their first column."""
        from unittest import mock
        from protium import _arrow

        seen, batches = [], _arrow.batches

        def noted(stream):
            for batch in batches(stream):
                seen.append(batch.children[0].contents.buffers[1])
                yield batch

        with mock.patch.object(_arrow, "batches", noted):
            return read(), seen

    def test_tensors_lie_where_the_rows_came(self):
        torch = module("torch")
        frame = self.session.table({"x": np.arange(5000.0), "n": [1, None] * 2500, "t": ["a"] * 5000})
        numbers = frame.select("x")
        for read in (lambda: frame.to_torch("x"), lambda: torch.from_dlpack(numbers)):
            tensor, seen = self.addresses_of(read)
            self.assertEqual([tensor.data_ptr()], seen)
            gc.collect()
            self.assertEqual(tensor.sum().item(), 4999 * 2500)
        self.assertEqual(int(torch.isnan(frame.to_torch("n")).sum()), 2500)
        with self.assertRaisesRegex(pt.UsageError, "made from one column, and there are 3"):
            torch.from_dlpack(frame)

    def test_columns_that_are_none_are_refused(self):
        for data, says in (({"x": [1, "a"]}, "holds int, str"), ({"x": [2**70]}, "beyond 64 bits"),
                           ({"x": [1], "y": [1, 2]}, "different lengths"),
                           ({"x": np.zeros((2, 2))}, "2 dimensions"), ({"x": [1], "X": [2]}, "two columns"),
                           (7, "int is not a table"), ({}, "no columns"), ({"x": [1j]}, "holds complex"),
                           ({"x": np.zeros(2, complex)}, "complex128"), ({"x": ["\ud800"]}, "not valid Unicode"),
                           ({"x": [np.zeros(2), np.zeros(1)]}, "holds ndarray"),
                           ({"x": [decimal.Decimal("1e40")]}, "41 digits"),
                           ({"x": [decimal.Decimal("Infinity")]}, "infinite")):
            with self.assertRaisesRegex(ValueError, says):
                self.session.table(data)

    def test_columns_of_pandas_that_are_none_are_named(self):
        pd = module("pandas")
        for data, says in ((pd.DataFrame({"y": [1], "x": [1 + 2j]}), 'column "x" is of type complex128'),
                           (pd.DataFrame({"y": [1, 2], "x": [1, "a"]}), 'column "x" holds int, str'),
                           (pd.DataFrame([[1, 2]], columns=["x", "x"]), 'two columns are named "x"'),
                           (pd.DataFrame({"x": pd.arrays.SparseArray([1.0, 0.0])}), "Sparse"),
                           (pd.DataFrame({"x": [1] * 300_000 + ["a"]}), 'column "x" holds int, str'),
                           (pd.DataFrame(), "no columns"), (pd.Series([1, 2]), "Series is one column")):
            with self.assertRaisesRegex((pt.InputError, pt.UsageError), says):
                self.session.table(data)

    def test_decimals_and_moments_of_lists(self):
        given = [decimal.Decimal("12345678901234567.1234567890"), None, decimal.Decimal("-0.10")]
        frame = self.session.table({"x": given})
        self.assertEqual(frame.schema, {"x": "decimal(27,10)"})
        self.assertEqual(frame.to_columns()["x"].tolist(), given)
        twice = frame.sql("SELECT x, x AS y FROM this")
        np.testing.assert_array_equal(twice.to_numpy()[:, 1], [12345678901234567.1, np.nan, -0.1])
        zone = datetime.timezone(datetime.timedelta(hours=2))
        told = self.back({"x": [datetime.datetime(2020, 1, 1, 1, tzinfo=zone), None],
                          "y": [datetime.datetime(2020, 1, 1, 1), None]})
        np.testing.assert_array_equal(told["x"], np.array(["2019-12-31T23:00", "NaT"], "datetime64[us]"))
        np.testing.assert_array_equal(told["y"], np.array(["2020-01-01T01:00", "NaT"], "datetime64[us]"))
        with self.assertRaisesRegex(pt.InputError, "with a zone and without"):
            self.session.table({"x": [datetime.datetime(2020, 1, 1, tzinfo=zone), datetime.datetime(2020, 1, 1)]})

    def test_results_keep_their_types(self):
        pa = module("pyarrow")
        frame = self.session.sql("SELECT CAST('12345678901234567.1234567890' AS DECIMAL(38, 10)) AS d, "
                                 "array(CAST(1.50 AS DECIMAL(9, 2))) AS l, X'00FF' AS b")
        told = frame.to_arrow()
        self.assertEqual(told.schema.field("d").type, pa.decimal128(38, 10))
        self.assertEqual(told.schema.field("l").type.value_type, pa.decimal128(9, 2))
        self.assertEqual(told["d"].to_pylist(), [decimal.Decimal("12345678901234567.1234567890")])
        again = self.session.table(told).to_arrow()
        self.assertEqual(again.to_pydict(), told.to_pydict())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.parquet")
            frame.write(path)
            self.assertEqual(self.session.read(path).to_arrow().to_pydict(), told.to_pydict())
            with self.assertRaisesRegex(pt.UsageError, 'column "l".*cannot be written as CSV'):
                frame.write(os.path.join(folder, "t.csv"))

    def test_what_makes_no_matrix_says_so(self):
        frame = self.session.sql("SELECT 1 AS a, DATE '2020-01-01' AS b, 'x' AS c")
        with self.assertRaisesRegex(pt.UsageError, "cannot form a matrix: a int32, b datetime64"):
            frame.select("a", "b").to_numpy()
        with self.assertRaisesRegex(pt.UsageError, 'column "c" does not hold numbers'):
            np.from_dlpack(frame.select("c"))

    def test_functions_over_no_rows_and_of_no_table(self):
        module("pyarrow")
        none = self.session.table({"x": [1]}).sql("SELECT x FROM this WHERE x > 1")
        self.assertEqual(none.map_batches(lambda batch: batch).to_columns()["x"].tolist(), [])
        with self.assertRaisesRegex(pt.UsageError, "there are no rows"):
            none.map_batches(lambda batch: {"y": batch["x"][0]})
        some = self.session.table({"x": [1]})
        for made in ({"x": [1, "a"]}, {"x": [1], "y": [1, 2]}):
            with self.assertRaisesRegex(pt.UsageError, "do not form a table"):
                some.map_batches(lambda batch: made)

    def test_many_rows_in_many_batches(self):
        rows = 300_000
        told = self.back({"x": np.arange(rows), "t": [str(i) for i in range(rows)]})
        order = np.argsort(told["x"])
        np.testing.assert_array_equal(told["x"][order], np.arange(rows))
        self.assertEqual(told["t"][order][-1], str(rows - 1))

    def test_sql_over_tables_by_name(self):
        told = self.session.sql("SELECT a.k, sum(b.v) AS s FROM a JOIN b ON a.k = b.k GROUP BY a.k ORDER BY k",
                                a={"k": [1, 2]}, b={"k": [1, 1, 2], "v": [1.0, 2.0, 4.0]})
        self.assertEqual(told.to_columns()["s"].tolist(), [3.0, 4.0])
        self.assertEqual(told.schema, {"k": "int64", "s": "float64"})
        self.assertEqual(told.sql("SELECT max(s) AS m FROM this").to_numpy("m").tolist(), [4.0])

    def test_decimals_lists_and_no_rows(self):
        told = self.session.sql("SELECT CAST(1.25 AS DECIMAL(20, 2)) AS d, array(1.5D, 2.5D) AS l, "
                                "DATE '2020-01-02' AS day").to_columns()
        self.assertEqual(told["d"][0], decimal.Decimal("1.25"))
        np.testing.assert_array_equal(told["l"], [[1.5, 2.5]])
        self.assertEqual(told["day"][0], np.datetime64(datetime.date(2020, 1, 2)))
        none = self.session.table({"x": [1.0], "t": ["a"]}).sql("SELECT * FROM this WHERE x > 1")
        self.assertEqual([len(each) for each in none.to_columns().values()], [0, 0])

    def test_errors_have_parts(self):
        with self.assertRaises(pt.UsageError) as caught:
            self.session.sql("SELECT price FROM t", t={"prize": [1]})
        self.assertIn("price", caught.exception.what)
        self.assertIn("prize", caught.exception.fix)
        self.assertEqual(caught.exception.exit, 2)
        failing = self.session.table({"t": ["1", "x"]}).sql("SELECT CAST(t AS BIGINT) AS n FROM this")
        with self.assertRaisesRegex(pt.InputError, "not a whole number"):
            failing.to_columns()
        module("pyarrow")
        with self.assertRaisesRegex(pt.InputError, "not a whole number"):
            failing.to_arrow()

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            with open(path, "w") as file:
                file.write("x;t\n1,5;NA\n2,5;b\n")
            frame = self.session.read(path, delimiter=";", decimal=",", null="NA")
            self.assertEqual(frame.to_columns()["x"].tolist(), [1.5, 2.5])
            out = os.path.join(folder, "t.parquet")
            frame.write(out)
            self.assertEqual(self.session.table(out).count(), 2)
        with self.assertRaisesRegex(pt.InputError, "t.csv"):
            self.session.read(path)

    def test_split_limit_and_explain(self):
        frame = self.session.table({"x": np.arange(100)})
        train, test = frame.split(0.3)
        self.assertEqual(train.count() + test.count(), 100)
        self.assertEqual(frame.limit(7).count(), 7)
        self.assertIn("engine", frame.explain())
        self.assertIn("<td>", frame.limit(1)._repr_html_())

    def test_pandas(self):
        pd = module("pandas")
        given = pd.DataFrame({"c": pd.Categorical(["a", "b", "a"]), "n": pd.array([1, None, 3], "Int64"),
                              "t": pd.date_range("2020-01-01", periods=3), "s": ["x", None, "z"]})
        told = self.session.table(given).to_pandas().sort_values("t")
        self.assertEqual(told["c"].tolist(), ["a", "b", "a"])
        self.assertEqual(told["n"].isna().tolist(), [False, True, False])
        self.assertEqual(told["t"].tolist(), given["t"].tolist())

    def test_pandas_indexes_are_columns_where_they_have_names(self):
        pd = module("pandas")
        given = pd.DataFrame({"x": [3, 1, 2]}, index=[7, 8, 9])
        self.assertEqual(self.session.table(given).columns, ["x"])
        self.assertEqual(self.session.table(given.rename_axis("id")).columns, ["id", "x"])

    def test_large_pandas_frames_come_in_parts(self):
        pd = module("pandas")
        rows = 600_000
        given = pd.DataFrame(np.arange(2.0 * rows).reshape(rows, 2), columns=["a", "b"])
        given["c"] = pd.Categorical.from_codes(np.arange(rows) % 2, ["x", "y"])
        told = self.session.table(given).sql("SELECT count(*) AS n, sum(b) - sum(a) AS d, min(c) AS c FROM this")
        self.assertEqual([each[0] for each in told.to_columns().values()], [rows, rows, "x"])

    def test_pandas_without_pyarrow(self):
        pd = module("pandas")

        class Bare(pd.DataFrame):
            def __arrow_c_stream__(self, requested_schema=None):
                raise ImportError("no pyarrow")

        given = Bare({"c": pd.Categorical(["a", None]), "n": pd.array([1, None], "Int64"), "f": [1.5, np.nan]})
        told = self.back(given)
        self.assertEqual(told["c"].tolist(), ["a", None])
        # NULL, as with pyarrow: stages and splits tell it from NaN.
        nulls = self.session.table(given).sql("SELECT count(*) AS n FROM this WHERE f IS NULL")
        self.assertEqual(nulls.to_columns()["n"].tolist(), [1])
        np.testing.assert_array_equal(told["n"], [1, np.nan])

    def test_pyarrow(self):
        pa = module("pyarrow")
        table = pa.table({"x": pa.array([1, 2], pa.uint16()), "s": pa.array(["a", "b"]).dictionary_encode()})
        self.assertEqual(self.session.table(table).to_arrow().to_pydict(), {"x": [1, 2], "s": ["a", "b"]})
        frame = self.session.table(table)
        again = self.session.table(frame.to_arrow().to_reader())
        self.assertEqual(again.count(), 2)

    def test_lazy_frames_and_objects_of_polars(self):
        pl = module("polars")
        lazy = pl.DataFrame({"x": [1, 2]}).lazy()
        self.assertEqual(self.session.table(lazy.filter(pl.col("x") > 1)).to_columns()["x"].tolist(), [2])
        with self.assertRaisesRegex(pt.InputError, "the lazy frame cannot be computed"):
            self.session.table(lazy.select("y"))
        with self.assertRaisesRegex(pt.InputError, 'column "o" contains Python objects'):
            self.session.table(pl.DataFrame({"o": [object()]}))
        with self.assertRaisesRegex(pt.UsageError, "Series is one column"):
            self.session.table(pl.Series("x", [1]))

    def test_polars(self):
        pl = module("polars")
        told = self.session.table(pl.DataFrame({"x": [1, None], "s": ["a", "b"]})).to_polars()
        self.assertEqual(told.sort("s")["x"].to_list(), [1, None])

    def test_duckdb(self):
        duckdb = module("duckdb")
        relation = duckdb.sql("SELECT range AS n, 'a' || range AS s FROM range(5)")
        self.assertEqual(self.session.table(relation).count(), 5)

    def test_capsules_that_nobody_reads_are_released(self):
        frame = self.session.table({"x": [1]})
        for _ in range(3):
            capsule = frame.__arrow_c_stream__()
            del capsule
        self.assertEqual(frame.count(), 1)

    def test_what_is_noted_of_a_column_is_told_once(self):
        pd = module("pandas")
        rows = pd.DataFrame({"at": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin")})
        said = io.StringIO()
        with contextlib.redirect_stderr(said), pt.Session("local[1]", progress=True) as session:
            for _ in range(2):
                self.assertEqual(session.table(rows).count(), 3)
        self.assertEqual(said.getvalue().count("those of UTC, not of Europe/Berlin"), 1, said.getvalue())

    def test_what_outlives_a_session_says_so(self):
        session = pt.Session()
        frame = session.table({"x": [1]})
        session.close()
        with self.assertRaisesRegex(pt.UsageError, "closed"):
            frame.count()
        self.assertIn("UsageError", repr(frame))


if __name__ == "__main__":
    unittest.main()
