# SPDX-License-Identifier: Apache-2.0
"""ranking.py table FILE QUERIES SEED: a CSV table of 5 to 60 rows a query, with 20 numbers of which eight decide
the `relevance` from 0 to 4 besides noise; every fourth query is `held_out`.

ranking.py fit LIBRARY FILE: ndcg@10 and ndcg@5 of the held-out rows by LIBRARY (lightgbm or xgboost), 200 trees of
31 leaves. Ours: protium run bench/tables/ranking.toml --set data=FOLDER.
"""

import sys

import numpy as np
import pandas

from forests import print_figure

NAMES = [f"f{i}" for i in range(20)]
TREES, LEAVES, RATE = 200, 31, 0.05


def write_table(path, queries, seed):
    random = np.random.default_rng(seed)
    weights = random.normal(size=20) * (np.arange(20) < 8)
    with open(path, "w", encoding="utf-8") as out:
        out.write("query," + ",".join(NAMES) + ",relevance,held_out\n")
        for query in range(queries):
            rows = random.integers(5, 61)
            level = random.normal(size=20) * (random.random(20) < 0.3)  # Of the query: says nothing about the order.
            x = random.normal(size=(rows, 20)) + level
            score = x @ weights + 1.5 * np.sin(2 * x[:, 0]) * x[:, 1] + (x[:, 2] > 0.5) * x[:, 3]
            score += random.normal(size=rows) * 2
            score -= score.mean()
            grades = np.digitize(score, np.std(score) * np.array([0.2, 0.9, 1.5, 2.1]))
            for row, grade in zip(x, grades):
                out.write(f"q{query}," + ",".join(f"{each:.5g}" for each in row) + f",{grade},{int(query % 4 == 0)}\n")


def ndcg(table, scores, top):
    from sklearn.metrics import ndcg_score
    values = []
    for rows in table.groupby("query").indices.values():
        gains = 2.0 ** table.relevance.values[rows] - 1
        values.append(ndcg_score([gains], [scores[rows]], k=top) if gains.max() > 0 else 1)
    return float(np.mean(values))


def fit(library, path):
    table = pandas.read_csv(path)
    learn, test = table[table.held_out == 0], table[table.held_out == 1].reset_index(drop=True)
    if library == "lightgbm":
        import lightgbm
        sizes = learn.groupby("query", sort=False).size().values
        model = lightgbm.LGBMRanker(n_estimators=TREES, num_leaves=LEAVES, learning_rate=RATE, n_jobs=2, verbose=-1)
        model.fit(learn[NAMES], learn.relevance, group=sizes)
    else:
        import xgboost
        model = xgboost.XGBRanker(objective="rank:ndcg", n_estimators=TREES, max_leaves=LEAVES, max_depth=0,
                                  grow_policy="lossguide", tree_method="hist", learning_rate=RATE, n_jobs=2)
        model.fit(learn[NAMES], learn.relevance, qid=pandas.factorize(learn["query"])[0])
    scores = model.predict(test[NAMES])
    for top in (10, 5):
        print_figure(f"ndcg@{top}, {library}", ndcg(test, scores, top), "ndcg")


if sys.argv[1] == "table":
    write_table(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    fit(*sys.argv[2:])
