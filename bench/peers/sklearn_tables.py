# SPDX-License-Identifier: Apache-2.0
"""sklearn_tables.py FOLDER: the tables that come with scikit-learn as CSV files in FOLDER, and how
well its linear models predict them: the mean over 10 folds."""

import os
import sys
import warnings

from sklearn import datasets
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from net import print_figure

warnings.simplefilter("ignore")
FOLDS = {"n_splits": 10, "shuffle": True, "random_state": 1}


def write(folder, name, table):
    columns = [each.replace(" (cm)", "").replace(" ", "_").replace("/", "_") for each in table.feature_names]
    with open(os.path.join(folder, f"{name}.csv"), "w", encoding="ascii") as file:
        print("row", *columns, "label", sep=",", file=file)
        for number, (row, label) in enumerate(zip(table.data, table.target)):
            print(number, *[float(value) for value in row], label, sep=",", file=file)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    for name, load, metric, scoring in (("breast_cancer", datasets.load_breast_cancer, "auc", "roc_auc"),
                                        ("wine", datasets.load_wine, "accuracy", "accuracy"),
                                        ("iris", datasets.load_iris, "accuracy", "accuracy")):
        table = load()
        write(folder, name, table)
        scores = cross_val_score(classifier, table.data, table.target, scoring=scoring, cv=StratifiedKFold(**FOLDS))
        print_figure(f"{name}, {metric}", float(scores.mean()), metric)
    table = datasets.load_diabetes(scaled=False)
    write(folder, "diabetes", table)
    scores = cross_val_score(make_pipeline(StandardScaler(), LinearRegression()), table.data, table.target,
                             scoring="neg_root_mean_squared_error", cv=KFold(**FOLDS))
    print_figure("diabetes, rmse", -float(scores.mean()), "")


main()
