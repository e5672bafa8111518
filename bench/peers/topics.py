# SPDX-License-Identifier: Apache-2.0
"""topics.py FOLDER SERVERS JARS ROWS RATE SECONDS EACH: Spark's structured streaming from the topic "in", which has ROWS messages
of 16 numbers in JSON, through a pandas UDF that runs FOLDER/net.onnx in ONNX Runtime, into the topic "theirs": rows a second;
and the time from a message of "events" to its row in "theirs-late", while RATE lines a second of FOLDER/lines.csv are sent."""

import json
import os
import sys
import time

import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, from_json, struct, to_json

from streams import NUMBERS, SCHEMA, SETTINGS, print_figure, scorer


class Topics:
    def __init__(self, folder, servers, jars):
        builder = SparkSession.builder.master("local[2]").config("spark.jars", jars)
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        self.spark, self.folder, self.servers = builder.getOrCreate(), folder, servers
        self.spark.sparkContext.setLogLevel("ERROR")
        self.score = scorer(f"{folder}/net.onnx")

    def query(self, source, sink, name, start, **trigger):
        events = (self.spark.readStream.format("kafka").option("kafka.bootstrap.servers", self.servers)
                  .option("subscribe", source).option("startingOffsets", start).load())
        rows = events.select(from_json(col("value").cast("string"), SCHEMA).alias("event")).select("event.*")
        scored = rows.withColumn("prediction", self.score(*NUMBERS))
        messages = scored.select(to_json(struct("*")).alias("value"), col("id").cast("string").alias("key"))
        writer = (messages.writeStream.format("kafka").option("kafka.bootstrap.servers", self.servers).option("topic", sink)
                  .option("checkpointLocation", f"{self.folder}/{name}"))
        writer = writer.trigger(**trigger) if trigger else writer
        return writer.start()

    def table(self, topic):
        return self.spark.read.format("kafka").option("kafka.bootstrap.servers", self.servers).option("subscribe", topic).load()

    def rate(self, rows, name):
        before = self.table("theirs").count()
        begun = time.perf_counter()
        self.query("in", "theirs", name, "earliest", availableNow=True).awaitTermination()
        seconds = time.perf_counter() - begun
        found = self.table("theirs").count() - before
        if found != rows:
            sys.exit(f"{found} of {rows} rows were scored")
        return rows / seconds / 1e6

    # By the client of the connector, through Spark's Java.
    def sender(self):
        java = self.spark._jvm
        settings = java.java.util.Properties()
        settings.put("bootstrap.servers", self.servers)
        for part in ("key", "value"):
            settings.put(f"{part}.serializer", "org.apache.kafka.common.serialization.StringSerializer")
        producer = java.org.apache.kafka.clients.producer.KafkaProducer(settings)
        return producer, java.org.apache.kafka.clients.producer.ProducerRecord

    def send(self, rate, seconds, each):
        with open(f"{self.folder}/lines.csv", encoding="utf-8") as file:
            file.readline()
            lines = [line.strip().split(",") for line in file]
        producer, record = self.sender()
        begun = time.perf_counter()
        for number in range(int(rate * seconds) // each):
            for at in range(each):
                cells = lines[(number * each + at) % len(lines)]
                event = {"id": number * each + at, **{name: float(cell) for name, cell in zip(NUMBERS, cells[1:])}}
                producer.send(record("events", json.dumps(event)))
            time.sleep(max(0, begun + (number + 1) * each / rate - time.perf_counter()))
        producer.flush()
        return int(rate * seconds) // each * each

    def latency(self, rate, seconds, each):
        query = self.query("events", "theirs-late", "late", "latest")
        while not query.lastProgress:
            time.sleep(0.2)
        self.send(rate, 5, each)
        query.processAllAvailable()
        before = self.table("theirs-late").count()
        began = int(time.time() * 1000)
        sent = self.send(rate, seconds, each)
        query.processAllAvailable()
        query.stop()
        when = "CAST(get_json_object(CAST(value AS STRING), '$.id') AS LONG) AS id", "CAST(timestamp AS DOUBLE) * 1000 AS at"
        read = self.table("events").selectExpr(*when).where(f"at >= {began}").withColumnRenamed("at", "sent")
        written = self.table("theirs-late").selectExpr(*when).where(f"at >= {began}")
        found = [row[0] for row in read.join(written, "id").selectExpr("at - sent").collect()]
        if before == 0 or len(found) != sent:
            sys.exit(f"{len(found)} of {sent} rows were scored")
        return found


def main():
    folder, servers, jars, rows = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    rate, seconds, each = int(sys.argv[5]), float(sys.argv[6]), int(sys.argv[7])
    topics = Topics(folder, servers, jars)
    topics.rate(rows, "first")
    print_figure("16 numbers, topic to topic", topics.rate(rows, "second"), "M rows/s")
    found = topics.latency(rate, seconds, each)
    for share in (50, 99):
        for name in ("transactions", "at least once"):
            print_figure(f"{rate:,} rows/s, topic, {name}, p{share}", float(np.percentile(found, share)), "ms")


main()
