# SPDX-License-Identifier: Apache-2.0
"""spark_job.py JOB TABLES SCRATCH [ADDRESS]: a job of ours by PySpark, TorchDistributor and
mapInPandas, in a Spark of its own or on the Spark Connect server at ADDRESS.

Runs the SQL of JOB (the flights or the stores of examples/) on the tables, then the same stages, net,
loss and number of epochs, in 2 processes that share a batch.
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
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from torch import nn

LOSSES = {"huber": nn.HuberLoss, "mae": nn.L1Loss, "mse": nn.MSELoss}


# One embedding a categorical column, then the hidden layers with dropout.
class TabularNet(nn.Module):
    def __init__(self, cardinalities, numeric, hidden, dropout):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(n, min(50, (n + 1) // 2)) for n in cardinalities)
        width, layers = numeric + sum(e.embedding_dim for e in self.embeddings), []
        for out in hidden:
            layers += [nn.Linear(width, out), nn.ReLU(), nn.Dropout(dropout)]
            width = out
        self.dense = nn.Sequential(*layers, nn.Linear(width, 1))

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


class Recipe:
    """What the job's file says of stages, net and training."""

    def __init__(self, job):
        stages = {stage.get("id", stage["kind"]): stage for stage in job["pipeline"]}
        estimator = stages["torch_estimator"]
        self.categorical, self.filled = stages["index"]["inputs"], stages["fill"]["inputs"]
        self.numeric = [name for name in stages["scale"]["inputs"] if isinstance(name, str)] + self.filled
        self.codes = [f"{name}_code" for name in self.categorical]
        self.label, self.log = estimator["label"], estimator["label_scale"] == "log1p"
        loss = estimator["loss"]
        self.loss = loss if isinstance(loss, str) else loss["name"]
        self.hidden, self.dropout = estimator["net"]["hidden"], estimator["net"].get("dropout", 0)
        train = job["train"]
        self.epochs, self.batch = train["epochs"], train["batch_size"]
        self.rate, self.decay = train["optimizer"]["learning_rate"], train["optimizer"].get("weight_decay", 0)
        self.split = job["split"]

    def net(self, cardinalities):
        return TabularNet(cardinalities, len(self.numeric), self.hidden, self.dropout)

    # A boolean column of the rows held out, or a hash of the columns that stay together.
    def test(self):
        if "column" in self.split:
            return F.col(self.split["column"])
        return F.crc32(F.concat_ws("-", *self.split["by"]).cast("binary")) % round(1 / self.split["test"]) == 0


# Fits the stages on the training rows; gives both sides, ready for the net, the cardinalities, and
# what is to be released at the end.
def prepare(rows, recipe):
    categorical, filled, numeric, codes = recipe.categorical, recipe.filled, recipe.numeric, recipe.codes
    rows = rows.where(F.col(recipe.label).isNotNull())
    for name in numeric:
        rows = rows.withColumn(name, F.col(name).cast("double"))
    for name in categorical:
        rows = rows.withColumn(name, F.col(name).cast("string"))
    rows = rows.withColumn("test", recipe.test()).cache()
    train, test = rows.where("not test"), rows.where("test")
    fitted = Pipeline(stages=[
        StringIndexer(inputCols=categorical, outputCols=codes, handleInvalid="keep"),
        Imputer(inputCols=filled, outputCols=filled, strategy="median")]).fit(train)
    sides = [fitted.transform(side).select(*codes, *numeric, recipe.label) for side in (train, test)]
    moments = sides[0].select(*[F.avg(c).alias(f"{c}_mean") for c in numeric],
                              *[F.stddev(c).alias(f"{c}_deviation") for c in numeric]).first()
    for name in numeric:
        scaled = (F.col(name) - moments[f"{name}_mean"]) / moments[f"{name}_deviation"]
        sides = [side.withColumn(name, scaled) for side in sides]
    return sides, [len(labels) + 1 for labels in fitted.stages[0].labelsArray], rows


# One rank of two; rank 0 leaves the weights behind, and how the label was scaled.
def train_rank(scratch, recipe, cardinalities):
    import numpy as np
    import pyarrow.parquet as parquet
    import torch.distributed as dist
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    table = parquet.read_table(scratch + "/train.parquet")
    stack = lambda names: np.stack([table[name].to_numpy() for name in names], 1)
    labels = table[recipe.label].to_numpy().astype("float64")
    labels = np.log1p(labels) if recipe.log else labels
    middle, spread = labels.mean(), labels.std()
    data = TensorDataset(torch.tensor(stack(recipe.numeric), dtype=torch.float32),
                         torch.tensor(stack(recipe.codes)).long(),
                         torch.tensor(((labels - middle) / spread).astype("float32")))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, recipe.batch // 2, sampler=sampler)
    net = nn.parallel.DistributedDataParallel(recipe.net(cardinalities))
    optimizer = torch.optim.Adam(net.parameters(), recipe.rate, weight_decay=recipe.decay)
    loss = LOSSES[recipe.loss]()
    for epoch in range(recipe.epochs):
        sampler.set_epoch(epoch)
        for numbers, values, label in loader:
            optimizer.zero_grad()
            loss(net(numbers, values), label).backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save((net.module.state_dict(), float(middle), float(spread)), scratch + "/weights.pt")
    dist.destroy_process_group()


def score(rows, scratch, recipe, cardinalities):
    def score_batches(batches):
        import numpy as np

        torch.set_num_threads(1)
        net = recipe.net(cardinalities)
        weights, middle, spread = torch.load(scratch + "/weights.pt")
        net.load_state_dict(weights)
        net.eval()
        for batch in batches:
            numbers = torch.tensor(batch[recipe.numeric].values, dtype=torch.float32)
            with torch.no_grad():
                guess = net(numbers, torch.tensor(batch[recipe.codes].values).long()).numpy().astype("float64")
            guess = guess * spread + middle
            yield pandas.DataFrame({"label": batch[recipe.label].astype("double"),
                                    "prediction": np.expm1(guess) if recipe.log else guess})

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
    recipe, name = Recipe(job), job["name"]
    (train, test), cardinalities, kept = prepare(spark.sql(job["etl"]["sql"]), recipe)
    train.write.parquet(scratch + "/train.parquet")
    made = say(f"{name}, ETL", ready)
    TorchDistributor(num_processes=2, local_mode=True, use_gpu=False).run(train_rank, scratch, recipe, cardinalities)
    trained = say(f"{name}, training", made)
    score(test, scratch, recipe, cardinalities)
    scored = spark.read.parquet(scratch + "/scored")
    off = (F.col("label") - F.col("prediction")) / F.stddev("label").over(Window.partitionBy())
    error, rows = scored.select((off * off).alias("error")).select(F.sqrt(F.avg("error")), F.count("*")).first()
    assert rows > 0 and error < 0.9, f"{error} deviations off over {rows} rows"
    say(f"{name}, scoring", trained)
    say(f"{name}, after the session's start", ready)
    say(f"{name} job", BEGUN)
    kept.unpersist()


main()
