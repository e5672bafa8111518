// SPDX-License-Identifier: Apache-2.0
#include "connect/streaming.h"

#include <fmt/format.h>

#include <utility>

namespace protium::connect {

Relation AsStream(Relation read, const Options& more) {
  read.mutable_read()->set_is_streaming(true);
  auto& options = *read.mutable_read()->mutable_data_source()->mutable_options();
  for (const auto& [key, value] : more) options[key] = value;
  return read;
}

Command WriteStream(Relation input, const StreamWrite& write) {
  Command command;
  auto* start = command.mutable_write_stream_operation_start();
  *start->mutable_input() = std::move(input);
  start->set_format(write.format);
  if (!write.path.empty()) start->set_path(write.path);
  start->mutable_options()->insert(write.options.begin(), write.options.end());
  start->set_output_mode("append");
  start->set_query_name(write.name);
  if (write.every) {
    start->set_processing_time_interval(fmt::format("{} milliseconds", write.every->count()));
  } else {
    start->set_available_now(true);
  }
  return command;
}

Command AskQuery(const proto::StreamingQueryInstanceId& query, AboutQuery what) {
  Command command;
  auto* ask = command.mutable_streaming_query_command();
  *ask->mutable_query_id() = query;
  switch (what) {
    case AboutQuery::kStatus:
      ask->set_status(true);
      break;
    case AboutQuery::kProgress:
      ask->set_recent_progress(true);
      break;
    case AboutQuery::kException:
      ask->set_exception(true);
      break;
    case AboutQuery::kStop:
      ask->set_stop(true);
      break;
  }
  return command;
}

}  // namespace protium::connect
