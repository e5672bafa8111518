// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/error_text.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "protium/fields.h"

namespace protium {

namespace {

constexpr std::string_view kOpen = "<<protium ";
constexpr std::string_view kClose = ">>";

struct DeviceFields {
  std::string name, address;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("address", address);
  }
};

struct FailureFields {
  // RankFailure::Kind and role, as far as a worker can report them.
  bool ended = false;
  bool gang = false;
  int32_t rank = 0;
  int32_t world = 1;
  std::string host;
  std::vector<DeviceFields> devices;
  Json status;
  int64_t at = 0;
  std::string log;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("ended", ended);
    visit("gang", gang);
    visit("rank", rank);
    visit("world", world);
    visit("host", host);
    visit("devices", devices);
    visit("status", status);
    visit("at", at);
    visit("log", log);
  }
};

// In JSON, angle brackets occur only inside strings, where they may be written by number, so the
// closing mark cannot appear inside.
std::string WithoutBrackets(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '>') {
      text += "\\u003e";
    } else if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

// The lines between the line with the marks and kBacktraceEnd.
std::string_view Backtrace(std::string_view after) {
  const size_t end = after.find(kBacktraceEnd);
  if (end == std::string_view::npos) return {};
  after = after.substr(0, end);
  return after.substr(std::min(after.find('\n') + 1, after.size()));
}

}  // namespace

Json FailureToJson(const RankFailure& failure) {
  FailureFields fields{.ended = failure.kind != RankFailure::Kind::kAnswered,
                       .gang = failure.role == "rank",
                       .rank = failure.rank,
                       .world = failure.world,
                       .host = failure.host,
                       .status = StatusToJson(failure.status),
                       .at = failure.at,
                       .log = failure.log.string()};
  for (const Device& each : failure.devices) fields.devices.push_back({each.name, each.address});
  return FieldsToJson(fields);
}

Result<RankFailure> FailureFromJson(const Json& json) {
  FailureFields fields;
  PT_TRY(FieldsFromJson(json, "failure", fields));
  if (!fields.status.is_object()) return Status::Invalid("a failure without a status");
  using Kind = RankFailure::Kind;
  RankFailure failure{.kind = fields.ended ? Kind::kEnded : Kind::kAnswered,
                      .role = fields.gang ? "rank" : "partition",
                      .rank = fields.rank,
                      .world = fields.world,
                      .host = fields.host,
                      .status = StatusFromJson(fields.status),
                      .at = fields.at,
                      .log = fields.log};
  for (const auto& each : fields.devices) failure.devices.push_back({each.name, each.address});
  return failure;
}

std::string WorkerErrorText(const RankFailure& failure) {
  return fmt::format("{} {} on {}: {}\n{}{}{}\n", failure.role, failure.rank, failure.host,
                     FaultOf(failure.status).what, kOpen,
                     WithoutBrackets(Dump(FailureToJson(failure))), kClose);
}

std::optional<RankFailure> FailureFromWorkerText(std::string_view text) {
  const size_t begin = text.find(kOpen);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + kOpen.size());
  const size_t end = text.find(kClose);
  if (end == std::string_view::npos) return std::nullopt;
  const auto json = ParseJson(text.substr(0, end));
  if (!json.ok()) return std::nullopt;
  auto failure = FailureFromJson(*json);
  if (!failure.ok()) return std::nullopt;
  if (failure->kind == RankFailure::Kind::kEnded) {
    failure->last_lines = Backtrace(text.substr(end + kClose.size()));
  }
  return std::move(*failure);
}

}  // namespace protium
