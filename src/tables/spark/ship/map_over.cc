// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/map_over.h"

#include <arrow/api.h>
#include <protium/version.h>

#include <utility>

namespace protium {
namespace {

// The worker's field pythonVer: Spark passes it on unread, and it gives the worker the release it
// is talking to.
std::string WorkerVersion(const std::string& spark) {
  return "protium " PROTIUM_VERSION ";spark=" + spark;
}

}  // namespace

Result<connect::Relation> MapOver(connect::Relation input, const arrow::Schema& columns,
                                  const SparkCommand& command, const std::string& version,
                                  std::optional<int32_t> profile) {
  connect::MapTaskSpec spec{.function_name = command.task,
                            .version = WorkerVersion(version),
                            .output = command.output,
                            .columns = columns.field_names(),
                            .barrier = command.gang && !command.lease,
                            .profile_id = profile};
  PT_LET(spec.command, EncodeCommand(command));
  return connect::MapPartitions(std::move(input), spec);
}

Result<connect::Relation> MapOverFiles(const SparkCommand& command, const std::string& version,
                                       std::optional<int32_t> profile) {
  // One row per partition, which only means that the partition exists.
  const int32_t tasks = command.lease ? 1 : command.world;
  const auto ids = arrow::schema({arrow::field("id", arrow::int64())});
  return MapOver(connect::Range(0, tasks, tasks), *ids, command, version, profile);
}

}  // namespace protium
