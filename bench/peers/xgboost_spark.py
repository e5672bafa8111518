# SPDX-License-Identifier: Apache-2.0
"""xgboost_spark.py MASTER FOLDER OUT [TREES]: xgboost.spark fits trees of 63 leaves to
FOLDER/train.parquet with two workers and scores FOLDER/test.parquet into OUT, in a Spark of its own:
it needs a SparkContext, which Spark Connect does not give.

A small training that is not measured comes first, as the other side's server has had one too.
"""

import os
import sys
import time

os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.ml.functions import vector_to_array
from pyspark.sql import SparkSession
from xgboost.spark import SparkXGBClassifier

from forests import print_figure

NAMES, TREES, LEAVES, RATE, BINS = [f"x{i}" for i in range(30)], 300, 63, 0.1, 255


def classifier(trees):
    return SparkXGBClassifier(
        features_col=NAMES, label_col="y", num_workers=2, n_estimators=trees, max_leaves=LEAVES, max_depth=0,
        grow_policy="lossguide", tree_method="hist", max_bin=BINS, learning_rate=RATE)


def main():
    master, folder, out = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    trees = int(sys.argv[4]) if len(sys.argv) > 4 else TREES
    spark = (SparkSession.builder.master(master).config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "2g")
             .config("spark.sql.shuffle.partitions", "2").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    train, test = (spark.read.parquet(f"{folder}/{name}.parquet") for name in ("train", "test"))
    classifier(2).fit(train.limit(10_000)).transform(test.limit(100)).count()
    begun = time.perf_counter()
    model = classifier(trees).fit(train)
    fitted = time.perf_counter()
    scored = model.transform(test).select("y", vector_to_array("probability")[1].alias("probability"))
    scored.write.mode("overwrite").parquet(out)
    ended = time.perf_counter()
    print_figure("trees on Spark, training", fitted - begun, "s")
    print_figure("trees on Spark, after the session's start", ended - begun, "s")
    spark.stop()


main()
