// SPDX-License-Identifier: Apache-2.0
#include "stream/divided_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "run/printable.h"
#include "run/terminal.h"
#include "stream/stream_status.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPartition = "partition-";

void Add(const Json& part, Json& sum) {
  for (const char* key : {"batches", "rows", "dead", "waiting"}) {
    sum[key] = WholeAt(sum, key) + WholeAt(part, key);
  }
  sum["rows_per_second"] = NumberAt(sum, "rows_per_second") + NumberAt(part, "rows_per_second");
  sum["at_ms"] = std::max(WholeAt(sum, "at_ms"), WholeAt(part, "at_ms"));
  const Json latency = part.value("latency_ms", Json::object());
  for (const char* key : {"p50", "p99"}) {
    Json& longest = sum["latency_ms"][key];
    longest = std::max(longest.is_number() ? longest.get<double>() : 0, NumberAt(latency, key));
  }
  for (const char* key : {"unit", "model", "shadow", "error"}) {
    if (part.contains(key) && !sum.contains(key)) sum[key] = part[key];
  }
}

// The whole stream runs if any of its partitions does.
std::string StateOf(const Json& partitions) {
  constexpr std::array<const char*, 5> kStates = {"running", "paused", "failed", "cut off",
                                                  "ended"};
  for (const char* state : kStates) {
    const auto has = [&](const Json& each) { return TextAt(each, "state") == state; };
    if (std::ranges::any_of(partitions, has)) return state;
  }
  return "ended";
}

}  // namespace

fs::path PartitionFolder(const fs::path& folder, int32_t partition) {
  return folder / fmt::format("{}{}", kPartition, partition);
}

std::vector<std::pair<int32_t, fs::path>> PartitionFolders(const fs::path& folder) {
  std::vector<std::pair<int32_t, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPartition)) continue;
    const auto number = AllAsNumber<int32_t>(std::string_view(name).substr(kPartition.size()));
    if (number) found.emplace_back(*number, entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<Json> ReadDividedStatus(const fs::path& folder) {
  Json sum = Json::object(), partitions = Json::array();
  for (const auto& [number, path] : PartitionFolders(folder)) {
    Result<Json> part = ReadStreamStatus(path);
    if (!part.ok()) continue;  // It has not begun.
    (*part)["partition"] = number;
    Add(*part, sum);
    partitions.push_back(*std::move(part));
  }
  sum["state"] = StateOf(partitions);
  sum["partitions"] = std::move(partitions);
  return sum;
}

std::string PartitionsText(const Json& partitions) {
  std::string text;
  for (const Json& each : partitions) {
    const std::string state = TextAt(each, "state");
    const bool runs = state == "running" || state == "paused";
    text += fmt::format("          partition {}: {}{}, {} rows, waiting: {} {}\n",
                        WholeAt(each, "partition"), Printable(state),
                        runs ? fmt::format(" by pid {}", WholeAt(each, "pid")) : "",
                        Grouped(WholeAt(each, "rows")), Grouped(WholeAt(each, "waiting")),
                        Printable(TextAt(each, "unit")));
  }
  return text;
}

}  // namespace protium
