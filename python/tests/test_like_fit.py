# SPDX-License-Identifier: Apache-2.0
"""New rows whose columns come in other types than at the fit: the same predictions, or refused by name."""

import datetime
import tempfile
import unittest

import protium as pt
from protium import _command
from protium._like_fit import like_fit
from estimator_checks import module

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed")

ROWS = 120  # More than are predicted in this process.

# Columns as they are fitted.
FITTED = {
    "number": [i % 7 + 0.5 for i in range(ROWS)],
    "whole": [i % 5 for i in range(ROWS)],
    "flag": [i % 2 == 0 for i in range(ROWS)],
    "text": ["n" if i % 3 else "p" for i in range(ROWS)],
    "code": [f"{i % 4:03d}" for i in range(ROWS)],
    "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i % 9) for i in range(ROWS)],
    "at": [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=i % 11) for i in range(ROWS)],
    "written": [f"{i % 28 + 1:02d}.03.2024" for i in range(ROWS)],
}
CATEGORY = "category"  # Whole numbers that pandas calls a category.


def frame(**changed):
    pd = module("pandas")
    made = pd.DataFrame({**FITTED, **changed})
    if CATEGORY not in changed:
        made[CATEGORY] = pd.Categorical([i % 3 + 10 for i in range(ROWS)])
    return made


# What a column may come as: its type, and the values that stand for those of the fit, by the columns that are read
# from it exactly; all other columns refuse it.
FORMS = {
    "text": ("string", str, {"number", "whole", "flag", "text", "code", "written", "day", "at", CATEGORY}),
    "float": ("float64", float, {"number", "whole", "flag", CATEGORY}),
    "integer": ("int64", int, {"whole", "flag", CATEGORY}),
    "boolean": ("bool", bool, {"flag"}),
    "timestamp": ("timestamp", lambda each: datetime.datetime(each.year, each.month, each.day), {"day"}),
}
# What holds no values of the fit, but others that are read all the same.
ALSO = {("number", "integer"), ("number", "boolean"), ("whole", "boolean"), (CATEGORY, "boolean"), ("at", "timestamp")}


class LikeFit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X = frame()
        weights = np.arange(1, 9)
        codes = np.column_stack([np.unique(cls.X[name].astype(str), return_inverse=True)[1] for name in FITTED])
        cls.y = codes @ weights + cls.X[CATEGORY].astype(int) * 3.0
        cls.model = pt.TreeRegressor(rounds=40, columns=1.0, validation=0, random_state=1, check_leaks=False)
        cls.model.fit(cls.X, cls.y)
        cls.predicted = cls.model.predict(cls.X)

    def pairs(self):
        """Each column as fitted with each form: the values, and whether these stand for those of the fit."""
        for name in self.X.columns:
            for form, (_, turned, exact) in FORMS.items():
                given = self.X[name].tolist() if name in exact else list(range(ROWS))
                if turned is FORMS["timestamp"][1] and name not in exact:
                    given = [datetime.date(2024, 1, 1)] * ROWS
                yield name, form, [turned(each) for each in given]

    def test_what_stands_for_the_values_of_the_fit_is_predicted_as_they_are(self):
        together = {form: {} for form in FORMS}
        for name, form, values in self.pairs():
            if name in FORMS[form][2]:
                together[form][name] = values
        for form, columns in together.items():
            changed = self.X.assign(**columns)
            for rows in (ROWS, 3):
                np.testing.assert_array_equal(self.model.predict(changed[:rows]), self.predicted[:rows], form)

    def test_every_other_pair_of_types_is_refused_by_name(self):
        columns, fitted, told = {}, {}, []
        for name, form, values in self.pairs():
            if name in FORMS[form][2] or (name, form) in ALSO:
                continue
            pair = f"{name} as {form}"
            columns[pair], fitted[pair] = values, self.model._columns[name]
            told.append(f'column "{pair}" was {fitted[pair].type} in fit() and is {FORMS[form][0]} here')
        with self.assertRaises(pt.InputError) as refused:
            like_fit(pt.default_session().table(columns), fitted)
        self.assertEqual([each.split(",")[0] for each in refused.exception.what.split("; ")], told)
        self.assertGreater(len(told), 15)
        for rows in (ROWS, 2):
            with self.assertRaisesRegex(pt.InputError, 'column "code" was string in fit'):
                self.model.predict(self.X.assign(code=7)[:rows])

    def test_a_column_without_values_is_missing_whatever_its_type(self):
        for without in (None, np.nan):
            changed = self.X.assign(**{name: [without] * ROWS for name in self.X.columns})
            predicted = self.model.predict(changed)
            np.testing.assert_array_equal(predicted[:3], self.model.predict(changed[:3]))
            self.assertFalse(np.isnan(predicted).any())

    def test_what_cannot_be_read_is_shown_with_what_to_do(self):
        odd = self.X.assign(number=["n/a", "7"] + ["1.5"] * (ROWS - 2))
        with self.assertRaises(pt.InputError) as refused:
            self.model.evaluate(odd, self.y)
        self.assertEqual(refused.exception.what, 'column "number" was float64 in fit() and is string here, '
                                                 'where "n/a" is not a number')
        self.assertIn('pandas.to_numeric(X["number"], errors="coerce")', refused.exception.fix)
        both = odd.assign(code=1, flag=2)
        with self.assertRaisesRegex(pt.InputError, '"n/a".*"flag" was bool.*"2" in 120 rows is neither.*"code" was string'):
            self.model.predict(both)
        with self.assertRaisesRegex(pt.InputError, 'column "number" was float64 in fit.. and is list<float64> here'):
            self.model.predict(self.X.assign(number=[[1.0, 2.0]] * ROWS))
        with self.assertRaisesRegex(pt.InputError, '"12.5" in 120 rows is not an integer'):
            self.model.predict(self.X.assign(category=12.5))

    def test_a_column_of_texts_and_numbers_stays_one_when_it_has_numbers_alone(self):
        pd = module("pandas")
        X = pd.DataFrame({"size": pd.Series([1, 2, "big"] * 40, dtype=object)})
        y = np.array([1.0, 2.0, 9.0] * 40)
        model = pt.TreeRegressor(rounds=60, columns=1.0, validation=0, check_leaks=False).fit(X, y)
        for numbers in (pd.DataFrame({"size": [1, 2] * 60}), pd.DataFrame({"size": [1, 2]})):
            np.testing.assert_allclose(model.predict(numbers)[:2], [1, 2], atol=0.5)

    def test_validation_rows_of_another_type_are_refused(self):
        below = self.X.assign(whole=self.X["whole"].astype(str))
        with self.assertRaisesRegex(pt.InputError, 'column "whole" holds numbers in X and texts in eval_set'):
            pt.TreeRegressor(check_leaks=False).fit(self.X, self.y, eval_set=(below, self.y))

    def test_parts_that_come_later_are_read_as_the_first_ones(self):
        X = self.X[["number", "text"]]
        model = pt.TabularRegressor(hidden=[4], random_state=1, check_leaks=False, verbose=False).partial_fit(X, self.y)
        model.partial_fit(X.assign(number=X["number"].astype(str)), self.y)
        with self.assertRaisesRegex(pt.InputError, 'column "text" was string in fit'):
            model.partial_fit(X.assign(text=7), self.y)

    def test_a_matrix_has_the_columns_of_the_frame_that_was_fitted(self):
        X = self.X[["number", "whole"]]
        model = pt.TreeRegressor(rounds=5, validation=0, random_state=1, check_leaks=False).fit(X, self.y)
        for rows in (ROWS, 3):
            np.testing.assert_array_equal(model.predict(X.to_numpy()[:rows]), model.predict(X)[:rows])

    def test_a_name_that_others_have_for_a_metric_says_ours(self):
        with self.assertRaisesRegex(pt.UsageError, 'unknown metric "roc_auc"(.|\n)*did you mean "auc"'):
            pt.TreeClassifier(metrics=["roc_auc"], check_leaks=False).fit(self.X, self.X["text"])

    def test_a_list_is_no_column_of_an_estimator(self):
        X = self.X.assign(l=[[1.0, 2.0]] * ROWS)
        with self.assertRaisesRegex(pt.InputError, r'column "l" \(list<float64>\) holds neither numbers nor texts'):
            pt.TreeRegressor(check_leaks=False).fit(X, self.y)

    def test_the_model_itself_takes_the_table_that_was_fitted(self):
        session = pt.default_session()
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(folder + "/model")
            again = session.load(folder + "/model")
            session.table(self.X.assign(row=range(ROWS))).write(folder + "/rows.parquet")
            _command.said("predict", "--model", folder + "/model", "--input", folder + "/rows.parquet",
                          "--output", folder + "/scored.parquet", "--columns", "row,prediction")
            scored = session.read(folder + "/scored.parquet").to_columns()
            np.testing.assert_array_equal(scored["prediction"][np.argsort(scored["row"])], self.predicted)
            for model in (self.model.model_, again):
                self.assertEqual({name: model.input[name] for name in ("day", "at", "written")},
                                 {"day": "date", "at": "timestamp", "written": "string"})
                np.testing.assert_array_equal(model.predict(self.X), self.predicted)
        row = {name: each[1] for name, each in {**FITTED, CATEGORY: [10, 11]}.items()}
        self.assertEqual(self.model.scorer().score_row(row)["prediction"], self.predicted[1])
        self.assertGreater(self.model.feature_importances_[list(self.X.columns).index("written")], 0)


if __name__ == "__main__":
    unittest.main()
