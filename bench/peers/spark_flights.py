# SPDX-License-Identifier: Apache-2.0
"""spark_flights.py JOB TABLES SCRATCH [ADDRESS]: the flights job by PySpark, TorchDistributor and
mapInPandas, in a Spark of its own or on the Spark Connect server at ADDRESS.

Runs the SQL of JOB (examples/flights/flights.toml) on the tables, then the same stages, the same
net and the same number of epochs: 2 processes, 256 rows each.
"""

import json
import os
import sys
import time
import tomllib

BEGUN = time.perf_counter()
os.environ["PYSPARK_PYTHON"] = sys.executable

import pandas
import torch
from pyspark.ml import Pipeline
from pyspark.ml.feature import Imputer, StringIndexer
from pyspark.ml.torch.distributor import TorchDistributor
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from torch import nn

LABEL_SCALE = 40.0


# One embedding a categorical column, then 128 and 64 units with dropout.
class TabularNet(nn.Module):
    def __init__(self, cardinalities, numeric):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(n, min(50, (n + 1) // 2)) for n in cardinalities)
        width = numeric + sum(e.embedding_dim for e in self.embeddings)
        self.dense = nn.Sequential(nn.Linear(width, 128), nn.ReLU(), nn.Dropout(0.1),
                                   nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, numbers, codes):
        parts = [e(codes[:, i]) for i, e in enumerate(self.embeddings)]
        return self.dense(torch.cat([*parts, numbers], 1)).squeeze(1)


def start_spark(address):
    if address:
        spark = SparkSession.builder.remote(address).getOrCreate()
        spark.conf.set("spark.sql.execution.pyspark.python", sys.executable)
        spark.conf.set("spark.sql.shuffle.partitions", "2")
        return spark
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false")
             .config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "2g").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def read_tables(spark, job, folder):
    for name, table in job["tables"].items():
        options = {"header": True, "inferSchema": True}
        if "null" in table:
            options["nullValue"] = table["null"]
        spark.read.csv(os.path.join(folder, table["csv"]), **options).createOrReplaceTempView(name)


# The columns of the job's stages: (categorical, filled, all numeric).
def columns_of(job):
    stages = {stage.get("id", stage["kind"]): stage for stage in job["pipeline"]}
    filled = stages["fill"]["inputs"]
    numeric = [name for name in stages["scale"]["inputs"] if isinstance(name, str)] + filled
    return stages["index"]["inputs"], filled, numeric


# Fits the stages on the training days; gives both sides, ready for the net, the names of codes, the
# cardinalities, and what is to be released at the end.
def prepare(rows, categorical, filled, numeric):
    rows = rows.where("arr_delay IS NOT NULL")
    for name in numeric:
        rows = rows.withColumn(name, F.col(name).cast("double"))
    for name in categorical:
        rows = rows.withColumn(name, F.col(name).cast("string"))
    day = F.concat_ws("-", "year", "month", "day").cast("binary")
    rows = rows.withColumn("test", F.crc32(day) % 5 == 0).cache()
    train, test = rows.where("not test"), rows.where("test")
    codes = [f"{name}_code" for name in categorical]
    fitted = Pipeline(stages=[
        StringIndexer(inputCols=categorical, outputCols=codes, handleInvalid="keep"),
        Imputer(inputCols=filled, outputCols=filled, strategy="median")]).fit(train)
    sides = [fitted.transform(side).select(*codes, *numeric, "arr_delay") for side in (train, test)]
    moments = sides[0].select(*[F.avg(c).alias(f"{c}_mean") for c in numeric],
                              *[F.stddev(c).alias(f"{c}_deviation") for c in numeric]).first()
    for name in numeric:
        scaled = (F.col(name) - moments[f"{name}_mean"]) / moments[f"{name}_deviation"]
        sides = [side.withColumn(name, scaled) for side in sides]
    return sides, codes, [len(labels) + 1 for labels in fitted.stages[0].labelsArray], rows


# One rank of two; rank 0 leaves the weights behind.
def train_rank(scratch, codes, numeric, cardinalities, epochs):
    import numpy as np
    import pyarrow.parquet as parquet
    import torch.distributed as dist
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    table = parquet.read_table(scratch + "/train.parquet")
    stack = lambda names: np.stack([table[name].to_numpy() for name in names], 1)
    data = TensorDataset(torch.tensor(stack(numeric), dtype=torch.float32), torch.tensor(stack(codes)).long(),
                         torch.tensor(table["arr_delay"].to_numpy().astype("float32") / LABEL_SCALE))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 256, sampler=sampler)
    net = nn.parallel.DistributedDataParallel(TabularNet(cardinalities, len(numeric)))
    optimizer = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-4)
    loss = nn.HuberLoss()
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for numbers, values, label in loader:
            optimizer.zero_grad()
            loss(net(numbers, values), label).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.module.state_dict(), scratch + "/weights.pt")
    dist.destroy_process_group()


def score(rows, scratch, codes, numeric, cardinalities):
    def score_batches(batches):
        torch.set_num_threads(1)
        net = TabularNet(cardinalities, len(numeric))
        net.load_state_dict(torch.load(scratch + "/weights.pt"))
        net.eval()
        for batch in batches:
            numbers = torch.tensor(batch[numeric].values, dtype=torch.float32)
            with torch.no_grad():
                guess = net(numbers, torch.tensor(batch[codes].values).long()).numpy() * LABEL_SCALE
            yield pandas.DataFrame({"label": batch["arr_delay"].astype("double"), "prediction": guess.astype("float64")})

    rows.mapInPandas(score_batches, "label double, prediction double").write.parquet(scratch + "/scored")


def say(name, since):
    now = time.perf_counter()
    print(json.dumps({"figure": name, "value": now - since, "unit": "s"}), flush=True)
    return now


def main():
    job_path, tables, scratch = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    with open(job_path, "rb") as file:
        job = tomllib.load(file)
    spark = start_spark(sys.argv[4] if len(sys.argv) > 4 else None)
    ready = time.perf_counter()
    read_tables(spark, job, tables)
    categorical, filled, numeric = columns_of(job)
    (train, test), codes, cardinalities, kept = prepare(spark.sql(job["etl"]["sql"]), categorical, filled, numeric)
    train.write.parquet(scratch + "/train.parquet")
    made = say("flights, ETL", ready)
    TorchDistributor(num_processes=2, local_mode=True, use_gpu=False).run(
        train_rank, scratch, codes, numeric, cardinalities, job["train"]["epochs"])
    trained = say("flights, training", made)
    score(test, scratch, codes, numeric, cardinalities)
    scored = spark.read.parquet(scratch + "/scored")
    error = F.col("label") - F.col("prediction")
    rmse, rows = scored.select(F.sqrt(F.avg(error * error)), F.count("*")).first()
    assert rows > 0 and rmse < 40, f"rmse {rmse} of {rows} rows"
    say("flights, scoring", trained)
    say("flights, after the session's start", ready)
    say("flights job", BEGUN)
    kept.unpersist()


main()
