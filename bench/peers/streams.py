# SPDX-License-Identifier: Apache-2.0
"""streams.py FOLDER ROWS RATE SECONDS EACH: Spark's structured streaming over FOLDER, whose in/ has ROWS rows of 16 numbers as
Parquet, through a pandas UDF that runs FOLDER/net.onnx in ONNX Runtime, to Parquet: rows a second of what is there; and the
time from an event to its row, while RATE rows a second of FOLDER/lines.csv come for SECONDS in files of EACH."""

import json
import os
import sys
import time

import numpy as np
import onnxruntime
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

os.environ["PYSPARK_PYTHON"] = sys.executable
NUMBERS = [f"x{i}" for i in range(16)]
SCHEMA = ", ".join(["id LONG", *(f"{name} DOUBLE" for name in NUMBERS)])
# As for our own sessions on Spark: whole batches through Arrow.
SETTINGS = {"spark.sql.execution.arrow.pyspark.enabled": "true", "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
            "spark.ui.enabled": "false", "spark.driver.memory": "4g", "spark.sql.shuffle.partitions": "2"}


def print_figure(figure, value, unit):
    print(json.dumps({"figure": figure, "value": value, "unit": unit}), flush=True)


# One session of ONNX Runtime for each Python worker.
def scorer(net):
    sessions = []

    @pandas_udf("double")
    def score(*columns: pd.Series) -> pd.Series:
        if not sessions:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            sessions.append(onnxruntime.InferenceSession(net, options, providers=["CPUExecutionProvider"]))
        wanted = sessions[0].get_inputs()
        given = dict(zip(NUMBERS, columns))
        kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64}
        inputs = {one.name: given[one.name].to_numpy(kinds[one.type]) for one in wanted}
        return pd.Series(sessions[0].run(None, inputs)[0].reshape(-1).astype(np.float64))

    return score


class Streams:
    def __init__(self, folder):
        builder = SparkSession.builder.master("local[2]")
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        self.spark, self.folder = builder.getOrCreate(), folder
        self.spark.sparkContext.setLogLevel("ERROR")
        self.score = scorer(f"{folder}/net.onnx")

    def query(self, source, form, name, **trigger):
        events = self.spark.readStream.schema(SCHEMA).format(form)
        if form == "csv":
            events = events.option("header", "true")
        scored = events.load(f"{self.folder}/{source}").withColumn("prediction", self.score(*NUMBERS))
        writer = scored.writeStream.format("parquet").option("checkpointLocation", f"{self.folder}/{name}-checkpoint")
        writer = writer.trigger(**trigger) if trigger else writer
        return writer.start(f"{self.folder}/{name}")

    def rate(self, rows, name):
        begun = time.perf_counter()
        self.query("in", "parquet", name, availableNow=True).awaitTermination()
        seconds = time.perf_counter() - begun
        found = self.spark.read.parquet(f"{self.folder}/{name}").count()
        if found != rows:
            sys.exit(f"{found} of {rows} rows were scored")
        return rows / seconds / 1e6

    def put(self, rate, seconds, each):
        with open(f"{self.folder}/lines.csv", encoding="utf-8") as file:
            head, lines = file.readline(), file.readlines()
        begun, files = time.perf_counter(), int(rate * seconds) // each
        for number in range(files):
            first = number * each % (len(lines) - each)
            draft = f"{self.folder}/events/.{number:06}.csv"
            with open(draft, "w", encoding="utf-8") as file:
                file.write(head)
                file.writelines(lines[first:first + each])
            os.rename(draft, f"{self.folder}/events/{number:06}.csv")
            time.sleep(max(0, begun + (number + 1) * each / rate - time.perf_counter()))
        return files

    # Milliseconds from each file's last byte until the sink lists its rows.
    def latencies(self, name):
        written = {}
        for batch in os.listdir(f"{self.folder}/{name}/_spark_metadata"):
            if not batch.startswith("."):
                written[int(batch.split(".")[0])] = os.path.getmtime(f"{self.folder}/{name}/_spark_metadata/{batch}")
        taken = {}
        log = f"{self.folder}/{name}-checkpoint/sources/0"
        for batch in os.listdir(log):
            if batch.startswith("."):
                continue
            with open(f"{log}/{batch}", encoding="utf-8") as file:
                for line in file.readlines()[1:]:
                    entry = json.loads(line)
                    taken[os.path.basename(entry["path"])] = entry["batchId"]
        return [(written[batch] - os.path.getmtime(f"{self.folder}/events/{file}")) * 1000
                for file, batch in taken.items() if batch in written]

    def latency(self, rate, seconds, each):
        os.makedirs(f"{self.folder}/events")
        query = self.query("events", "csv", "late")
        self.put(rate, 5, each)
        query.processAllAvailable()
        warm = len(os.listdir(f"{self.folder}/events"))
        for name in os.listdir(f"{self.folder}/events"):
            os.remove(f"{self.folder}/events/{name}")
        query.stop()
        query = self.query("events", "csv", "timed")
        files = self.put(rate, seconds, each)
        query.processAllAvailable()
        found = self.latencies("timed")
        query.stop()
        if warm == 0 or len(found) != files:
            sys.exit(f"{len(found)} of {files} files were scored")
        return found


def main():
    folder, rows, rate, seconds, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
    streams = Streams(folder)
    streams.rate(rows, "first")
    print_figure("16 numbers, folder to folder", streams.rate(rows, "second"), "M rows/s")
    found = streams.latency(rate, seconds, each)
    for name, share in (("p50", 50), ("p99", 99)):
        print_figure(f"{rate:,} rows/s, folder, {name}", float(np.percentile(found, share)), "ms")


if __name__ == "__main__":
    main()
