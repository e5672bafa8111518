// SPDX-License-Identifier: Apache-2.0
#include "gang/runner_task.h"

#include <arrow/type.h>

#include "base/fault.h"
#include "gang/placement.h"
#include "protium/runner.h"

namespace protium {

namespace {

Status ReportWhere(RunnerRank& rank) {
  TaskContext& context = rank.context;
  PT_LET(const auto hosts, context.AllGather(context.host()));
  const OnHost here = FindOnHost(hosts, context.rank());
  rank.local_rank = here.rank;
  rank.local_world = here.world;
  return Status::OK();
}

}  // namespace

std::string RunnerConfig(const Json& args, const std::string& folder) {
  return Dump({{"args", args}, {"folder", folder}});
}

SchemaPtr RunnerColumns() { return arrow::schema({arrow::field("value", arrow::utf8())}); }

Task RunnerTask(RunnerFunction function) {
  return [function = std::move(function)](TaskContext& context) -> Status {
    PT_LET(const Json config, ParseJson(context.config()));
    const Json args = config.value("args", Json::object());
    RunnerRank rank{.context = context, .args = args, .folder = TextAt(config, "folder")};
    PT_TRY(ReportWhere(rank));
    PT_LET(const Json value, function(rank));
    // Unread input would keep the driver waiting.
    while (true) {
      PT_LET(const auto batch, context.input().Next());
      if (!batch) break;
    }
    if (context.rank() != 0 || !context.output_schema()->Equals(RunnerColumns())) {
      return Status::OK();
    }
    return EmitJson(context, value);
  };
}

}  // namespace protium
