// SPDX-License-Identifier: Apache-2.0
#include "gang/runner_task.h"

#include <arrow/array/builder_binary.h>
#include <arrow/type.h>

#include "base/fault.h"
#include "protium/runner.h"

namespace protium {

namespace {

Status TellWhere(RunnerRank& rank) {
  TaskContext& context = rank.context;
  PT_LET(const auto hosts, context.AllGather(context.host()));
  rank.local_world = 0;
  for (size_t r = 0; r < hosts.size(); ++r) {
    if (hosts[r] != context.host()) continue;
    ++rank.local_world;
    rank.local_rank += int32_t(r) < context.rank();
  }
  return Status::OK();
}

Status EmitValue(TaskContext& context, const Json& value) {
  arrow::StringBuilder builder;
  PT_TRY(builder.Append(Dump(value)));
  PT_LET(const auto column, builder.Finish());
  return context.Emit(*arrow::RecordBatch::Make(RunnerColumns(), 1, {column}));
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
    PT_TRY(TellWhere(rank));
    PT_LET(const Json value, function(rank));
    // What it left unread would keep the driver waiting.
    while (true) {
      PT_LET(const auto batch, context.input().Next());
      if (!batch) break;
    }
    if (context.rank() != 0 || !context.output_schema()->Equals(RunnerColumns())) {
      return Status::OK();
    }
    return EmitValue(context, value);
  };
}

}  // namespace protium
