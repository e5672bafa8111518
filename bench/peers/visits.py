# SPDX-License-Identifier: Apache-2.0
"""visits.py ours|theirs TABLE SCORED...: how well the probabilities of our job `visits` order and hit
what happened, or those of scikit-learn's HistGradientBoostingClassifier, which learns from the rows
of TABLE that SCORED, an output of the job, lacks and predicts those that it has."""

import difflib
import sys

import numpy as np
import pandas
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score

from net import print_figure

SOURCES = ["newsletter", "social media", "partner", "search", "direct"]
CATEGORIES = ["country", "device", "came_from", "hour", "weekday", "month"]


# What the job's SQL and its stages make of the table.
def features(table):
    started, registered = pandas.to_datetime(table["started"]), pandas.to_datetime(table["registered"])
    nearest = {text: (difflib.get_close_matches(text.strip().lower(), SOURCES, 1, 0.5) or ["other"])[0]
               for text in table["came_from"].unique()}
    made = pandas.DataFrame({
        "country": table["country"], "device": table["device"], "came_from": table["came_from"].map(nearest),
        "hour": started.dt.hour, "weekday": started.dt.dayofweek, "month": started.dt.month,
        "orders": table["orders"], "seconds": table["seconds"], "days_known": (started - registered).dt.days,
        "pages": table["pages"].str.count("[|]") + 1})
    for name in CATEGORIES:
        made[name] = made[name].astype("category").cat.codes
    return made


def counts(texts, learned_from, **options):
    counter = CountVectorizer(max_features=40, **options).fit(texts[learned_from])
    return counter.transform(texts).toarray()


def probabilities(table, made, held_out, seed):
    learned_from = ~held_out
    x = np.hstack([made.to_numpy("float64"),
                   counts(table["message"].fillna(""), learned_from, token_pattern=r"\S+"),
                   counts(table["pages"], learned_from, token_pattern=r"[^|]+", binary=True)])
    model = HistGradientBoostingClassifier(categorical_features=range(len(CATEGORIES)), random_state=seed)
    model.fit(x[learned_from], table["bought"][learned_from])
    return model.predict_proba(x[held_out])[:, 1]


# Rows in ten equal parts by their probability: the largest difference between the mean of a part and
# the share of its rows in which it happened.
def calibration(happened, probability):
    parts = np.array_split(np.argsort(probability, kind="stable"), 10)
    return max(abs(float(happened[part].mean() - probability[part].mean())) for part in parts)


def main():
    whose, table = sys.argv[1], pandas.read_csv(sys.argv[2])
    made = features(table) if whose == "theirs" else None
    for seed, path in enumerate(sys.argv[3:], 1):
        scored = pandas.read_parquet(path).sort_values("visit")
        held_out = table["visit"].isin(scored["visit"]).to_numpy()
        happened = table["bought"].to_numpy()[held_out].astype("float64")
        probability = scored["probability"].to_numpy()
        if whose == "theirs":
            probability = probabilities(table, made, held_out, seed)
        print_figure("visits, auc", float(roc_auc_score(happened, probability)), "auc")
        print_figure("visits, calibration", calibration(happened, probability), "")


main()
