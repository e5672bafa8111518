// SPDX-License-Identifier: Apache-2.0
#include "stream/look_at_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "base/utf8.h"
#include "os/file.h"
#include "stream/divided_status.h"
#include "stream/stream_status.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostTail = 1 << 20;  // Bytes of a log, or of a file of dead letters.
constexpr size_t kMostText = 300;       // Of what a dead letter holds.

// Names of folders directly in that of the streams, and nothing that leads out of it.
bool IsName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

// The folders that have a log of their own: one, or one for each partition.
std::vector<std::pair<std::optional<int32_t>, fs::path>> LogFolders(const fs::path& folder) {
  std::vector<std::pair<std::optional<int32_t>, fs::path>> all;
  for (const auto& [partition, path] : PartitionFolders(folder)) all.emplace_back(partition, path);
  if (all.empty()) all.emplace_back(std::nullopt, folder);
  return all;
}

// The last whole lines of a file that are JSON objects.
std::vector<Json> LastObjects(const fs::path& file) {
  std::vector<Json> objects;
  std::istringstream lines(ReadTail(file, kMostTail));
  for (std::string line; std::getline(lines, line);) {
    auto object = ParseJson(line);
    if (object.ok() && object->is_object()) objects.push_back(*std::move(object));
  }
  return objects;
}

void AddPartition(const std::optional<int32_t>& partition, Json& object) {
  if (partition) object["partition"] = *partition;
}

// The newest first: a batch's line that it has begun stands before the one that it has ended.
std::vector<Json> BatchesOf(const fs::path& folder, const std::optional<int32_t>& partition) {
  std::map<int64_t, Json, std::greater<>> batches;
  for (const Json& line : LastObjects(folder / "log.jsonl")) {
    const int64_t began = WholeAt(line, "began", -1), ended = WholeAt(line, "ended", -1);
    if (began >= 0) {
      Json& batch = batches[began];
      batch = {{"batch", began}, {"model", TextAt(line, "model")}, {"ended", false}};
      AddPartition(partition, batch);
    }
    const auto found = batches.find(ended);
    if (found == batches.end()) continue;
    found->second["ended"] = true;
    found->second["rows"] = WholeAt(line, "rows");
    found->second["dead"] = WholeAt(line, "dead");
  }
  std::vector<Json> list;
  for (auto& [number, batch] : batches) list.push_back(std::move(batch));
  return list;
}

// In the order of the files' times, newest first, from as many partitions as there are.
std::vector<std::pair<fs::file_time_type, Json>> LettersOf(const fs::path& folder,
                                                           const std::optional<int32_t>& partition,
                                                           size_t most) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "dead", error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files, std::greater<>());
  std::vector<std::pair<fs::file_time_type, Json>> letters;
  for (const fs::path& file : files) {
    if (letters.size() >= most) break;
    const auto time = fs::last_write_time(file, error);
    const std::string name = file.stem().string();
    const auto batch = AllAsNumber<int64_t>(std::string_view(name).substr(name.rfind('-') + 1));
    std::vector<Json> objects = LastObjects(file);
    std::ranges::reverse(objects);
    for (Json& letter : objects) {
      if (letters.size() >= most) break;
      for (const char* key : {"text", "hex"}) {
        if (letter.contains(key)) letter[key] = Shortened(TextAt(letter, key), kMostText);
      }
      if (batch) letter["batch"] = *batch;
      AddPartition(partition, letter);
      letters.emplace_back(time, std::move(letter));
    }
  }
  return letters;
}

Json NewestBatches(const fs::path& folder, size_t most) {
  std::vector<Json> all;
  for (const auto& [partition, path] : LogFolders(folder)) {
    std::vector<Json> some = BatchesOf(path, partition);
    some.resize(std::min(some.size(), most));
    std::ranges::move(some, std::back_inserter(all));
  }
  // Partitions count their batches by themselves.
  std::ranges::stable_sort(all, std::greater<>(),
                           [](const Json& each) { return WholeAt(each, "batch"); });
  all.resize(std::min(all.size(), most));
  return all;
}

Json NewestLetters(const fs::path& folder, size_t most) {
  std::vector<std::pair<fs::file_time_type, Json>> all;
  for (const auto& [partition, path] : LogFolders(folder)) {
    std::ranges::move(LettersOf(path, partition, most), std::back_inserter(all));
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const auto& each) { return each.first; });
  Json letters = Json::array();
  for (auto& [time, letter] : all) {
    if (letters.size() == most) break;
    letters.push_back(std::move(letter));
  }
  return letters;
}

}  // namespace

Json ListStreams(const fs::path& streams, size_t most) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(streams, error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  Json list = Json::array();
  for (const std::string& name : names) {
    if (list.size() == most) break;
    Result<Json> status = ReadStreamStatus(streams / name);
    if (!status.ok()) continue;
    (*status)["stream"] = name;
    list.push_back(*std::move(status));
  }
  return list;
}

Result<Json> LookAtStream(const fs::path& streams, const std::string& name,
                          const LookLimits& limits) {
  if (!IsName(name) || !fs::is_directory(streams / name)) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("there is no stream \"{}\"", Shortened(name, 100)),
                 .where = streams.string(),
                 .fix = "choose one of the list of streams"});
  }
  const fs::path folder = streams / name;
  PT_LET(Json status, ReadStreamStatus(folder));
  return Json{{"stream", name},
              {"folder", folder.string()},
              {"status", std::move(status)},
              {"batches", NewestBatches(folder, limits.batches)},
              {"letters", NewestLetters(folder, limits.letters)}};
}

}  // namespace protium
