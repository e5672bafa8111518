// SPDX-License-Identifier: Apache-2.0
#include "kafka/open.h"

#include <utility>

#include "os/library.h"

namespace protium {
namespace {

Result<KafkaEnds> Open(const KafkaRequest& request) {
  const std::string file = "libprotium_kafka.so", needed_for = "topics of Kafka";
  PT_LET(void* const entry, OpenBeside(file, "protium_open_kafka", needed_for,
                                       "apt-get install librdkafka-dev && ./dev build"));
  KafkaEnds ends;
  if (reinterpret_cast<KafkaEntry>(entry)(kKafkaLibraryVersion, request, ends)) return ends;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace

Result<std::unique_ptr<StreamSource>> OpenKafkaSource(const KafkaSourceOptions& options) {
  PT_LET(KafkaEnds ends, Open({.source = &options}));
  return std::move(ends.source);
}

Result<std::unique_ptr<StreamSink>> OpenKafkaSink(const KafkaSinkOptions& options) {
  PT_LET(KafkaEnds ends, Open({.sink = &options}));
  return std::move(ends.sink);
}

Result<int32_t> CountPartitions(const KafkaConnection& connection) {
  PT_LET(const KafkaEnds ends, Open({.topic = &connection}));
  return ends.partitions;
}

}  // namespace protium
