# SPDX-License-Identifier: Apache-2.0
"""search_tables.py FOLDER: ten tables that come with scikit-learn and statsmodels, as NAME.csv in FOLDER, and
tables.json: of each what it has to predict, and the metric."""

import json
import os
import sys

from sklearn import datasets
from statsmodels import datasets as more


def of_sklearn(load, **settings):
    table = load(as_frame=True, **settings)
    return table.frame.rename(columns={"target": "label"})


def fair():
    table = more.fair.load_pandas().data
    table["label"] = (table.pop("affairs") > 0).astype(int)
    return table


def anes96():
    table = more.anes96.load_pandas().data.drop(columns=["PID"])
    return table.rename(columns={"vote": "label"}).astype({"label": int})


def modechoice():
    table = more.modechoice.load_pandas().data.drop(columns=["individual"])
    return table.rename(columns={"choice": "label"}).astype({"label": int})


def star98():
    table = more.star98.load_pandas().data
    above, below = table.pop("NABOVE"), table.pop("NBELOW")
    table["label"] = above / (above + below)
    return table


# Every fifth row.
def randhie():
    table = more.randhie.load_pandas().data.iloc[::5].reset_index(drop=True)
    return table.rename(columns={"mdvis": "label"}).astype({"label": float})


TABLES = {
    "iris": (lambda: of_sklearn(datasets.load_iris), "log_loss", "cross_entropy"),
    "wine": (lambda: of_sklearn(datasets.load_wine), "log_loss", "cross_entropy"),
    "breast_cancer": (lambda: of_sklearn(datasets.load_breast_cancer), "log_loss", "binary_cross_entropy"),
    "digits": (lambda: of_sklearn(datasets.load_digits), "log_loss", "cross_entropy"),
    "diabetes": (lambda: of_sklearn(datasets.load_diabetes, scaled=False), "rmse", "mse"),
    "fair": (fair, "log_loss", "binary_cross_entropy"),
    "anes96": (anes96, "log_loss", "binary_cross_entropy"),
    "modechoice": (modechoice, "log_loss", "binary_cross_entropy"),
    "star98": (star98, "rmse", "mse"),
    "randhie": (randhie, "rmse", "mse"),
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    facts = {}
    for name, (load, metric, loss) in TABLES.items():
        table = load()
        table.columns = [str(each).lower().replace(" (cm)", "").replace(" ", "_").replace("/", "_") for each in table.columns]
        inputs = [each for each in table.columns if each != "label" and table[each].nunique() > 1]
        table = table[[*inputs, "label"]].astype({each: float for each in inputs})
        table.insert(0, "row", range(len(table)))
        table.to_csv(os.path.join(folder, f"{name}.csv"), index=False)
        facts[name] = {"inputs": inputs, "metric": metric, "loss": loss, "rows": len(table)}
    with open(os.path.join(folder, "tables.json"), "w", encoding="utf-8") as file:
        json.dump(facts, file)


main()
