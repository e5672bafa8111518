// SPDX-License-Identifier: Apache-2.0
// bench_kafka SERVERS IN OUT: reads all of the topic IN, whose messages are {"id": int, "price":
// float, "name": text, "when": time, "ok": bool}, writes the rows to the topic OUT in transactions,
// and then 200 batches of 10 rows. Prints the rates, and how long a small batch takes.
// bench_kafka make SERVERS PARTITIONS TOPIC...: makes topics.
#include <arrow/api.h>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "base/fault.h"
#include "base/json.h"
#include "kafka/open.h"

namespace protium {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

void Print(const std::string& figure, double value, const std::string& unit) {
  fmt::print("{}\n", Dump(Json{{"figure", figure}, {"value", value}, {"unit", unit}}));
}

SchemaPtr Columns5() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("price", arrow::float64()),
                        arrow::field("name", arrow::utf8()),
                        arrow::field("when", arrow::timestamp(arrow::TimeUnit::MICRO)),
                        arrow::field("ok", arrow::boolean())});
}

Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> ReadAll(StreamSource& source) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  int64_t rows = 0;
  double decoding = 0;
  const auto began = Clock::now();
  while (true) {
    PT_LET(const Json stretch, source.Next({.rows = 50'000}, std::chrono::milliseconds(100), {}));
    if (stretch.is_null()) break;
    const auto read_at = Clock::now();
    PT_LET(const StreamRows read, source.Read(stretch));
    decoding += Since(read_at);
    rows += read.rows->num_rows();
    batches.push_back(read.rows);
    PT_TRY(source.Done(stretch));
  }
  Print("messages read and decoded", double(rows) / (Since(began) - 0.1), "messages/s");
  Print("messages decoded alone", double(rows) / decoding, "messages/s");
  return batches;
}

Status WriteAll(StreamSink& sink, const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
                int64_t& number) {
  int64_t rows = 0;
  const auto began = Clock::now();
  for (const auto& batch : batches) {
    rows += batch->num_rows();
    PT_TRY(sink.Write({.number = number++, .rows = batch}));
  }
  Print("messages written in transactions", double(rows) / Since(began), "messages/s");
  return Status::OK();
}

Status WriteSmall(StreamSink& sink, const arrow::RecordBatch& rows, const std::string& what,
                  int64_t& number) {
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    const auto began = Clock::now();
    PT_TRY(sink.Write({.number = number++, .rows = rows.Slice(0, 10)}));
    times.push_back(Since(began) * 1000);
  }
  std::ranges::sort(times);
  Print("a small batch " + what + ", p50", times[100], "ms");
  Print("a small batch " + what + ", p99", times[197], "ms");
  return Status::OK();
}

Status Run(const std::string& servers, const std::string& in, const std::string& out) {
  const auto to = [&](const std::string& topic) {
    return KafkaConnection{.servers = servers, .topic = topic, .name = "bench", .where = "bench"};
  };
  PT_LET(const auto source, OpenKafkaSource({.kafka = to(in), .columns = Columns5()}));
  PT_TRY(source->Start({}));
  PT_LET(const auto batches, ReadAll(*source));
  if (batches.empty()) return Fail({.exit = Exit::kInput, .what = "topic " + in + " is empty"});
  int64_t number = 0;
  PT_LET(const auto sink, OpenKafkaSink({.kafka = to(out)}));
  PT_TRY(sink->Start(*Columns5()));
  PT_TRY(WriteAll(*sink, batches, number));
  PT_TRY(WriteSmall(*sink, *batches.front(), "in a transaction", number));
  PT_LET(const auto quick, OpenKafkaSink({.kafka = to(out), .delivery = Delivery::kAtLeastOnce}));
  PT_TRY(quick->Start(*Columns5()));
  return WriteSmall(*quick, *batches.front(), "at least once", number);
}

Status MakeTopics(const std::string& servers, int partitions, std::span<char*> names) {
  char why[256] = "";
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", servers.c_str(), why, sizeof(why));
  rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof(why));
  if (client == nullptr) return Fail({.exit = Exit::kRemote, .what = why});
  std::vector<rd_kafka_NewTopic_t*> topics;
  for (const char* name : names) {
    topics.push_back(rd_kafka_NewTopic_new(name, partitions, 1, why, sizeof(why)));
  }
  rd_kafka_queue_t* const queue = rd_kafka_queue_new(client);
  rd_kafka_CreateTopics(client, topics.data(), topics.size(), nullptr, queue);
  rd_kafka_event_t* const made = rd_kafka_queue_poll(queue, 30'000);
  const bool ok = made != nullptr && rd_kafka_event_error(made) == RD_KAFKA_RESP_ERR_NO_ERROR;
  if (made != nullptr) rd_kafka_event_destroy(made);
  rd_kafka_NewTopic_destroy_array(topics.data(), topics.size());
  rd_kafka_queue_destroy(queue);
  rd_kafka_destroy(client);
  return ok ? Status::OK() : Fail({.exit = Exit::kRemote, .what = "the topics were not made"});
}

}  // namespace
}  // namespace protium

int main(int argc, char** argv) {
  const bool makes = argc >= 5 && std::string(argv[1]) == "make";
  if (argc != 4 && !makes) {
    fmt::print(stderr,
               "bench_kafka SERVERS IN OUT, or bench_kafka make SERVERS PARTITIONS TOPIC...\n");
    return 2;
  }
  const protium::Status ran =
      makes ? protium::MakeTopics(argv[2], std::atoi(argv[3]), std::span(argv + 4, argv + argc))
            : protium::Run(argv[1], argv[2], argv[3]);
  if (ran.ok()) return 0;
  fmt::print(stderr, "{}", protium::Render(protium::FaultOf(ran)));
  return 1;
}
