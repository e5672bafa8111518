// SPDX-License-Identifier: Apache-2.0
#include "kafka/open.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/unknown_name.h"
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

Status CheckTextMessages(const arrow::Schema& columns) {
  if (columns.num_fields() == 1) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("messages of text are one column, and [stream] has {}",
                                   columns.num_fields()),
               .where = "stream.columns",
               .fix = "columns = { text = \"string\" }",
               .kept = "nothing was started"});
}

Result<int> KeyColumn(const arrow::Schema& columns, const std::string& key) {
  if (key.empty()) return -1;
  const int at = columns.GetFieldIndex(key);
  if (at >= 0) return at;
  return UnknownName("column", key, columns.field_names(), "stream.sink.key");
}

Result<int> TextColumn(const arrow::Schema& columns, int key) {
  const int others = columns.num_fields() - (key >= 0 ? 1 : 0);
  if (others == 1) return key == 0 ? 1 : 0;
  return Fail({.exit = Exit::kUsage,
               .what = "messages of text hold one column beside the key, and there are " +
                       std::to_string(others),
               .where = "stream.sink.format",
               .fix = "name it: columns = [\"prediction\"]",
               .kept = "nothing was started"});
}

}  // namespace protium
