// SPDX-License-Identifier: Apache-2.0
#include "page/changes.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "frame/session_state.h"
#include "inference/json_answer.h"
#include "inference/json_rows.h"
#include "run/labels.h"
#include "run/list.h"
#include "run/remove.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostRows = 1000;
constexpr size_t kMostModels = 4;
constexpr size_t kMostTags = 32;

Result<Json> ObjectOf(const std::string& body, const char* shape) {
  const Result<Json> json = ParseJson(body);
  if (json.ok() && json->is_object()) return json;
  return Fail({.exit = Exit::kInput, .what = "the body is not a JSON object", .fix = shape});
}

Status BadTags() {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("\"tags\" must be a list of at most {} texts", kMostTags)});
}

Result<std::vector<std::string>> TagsOf(const Json& list) {
  if (!list.is_array() || list.size() > kMostTags) return BadTags();
  std::vector<std::string> tags;
  for (const Json& each : list) {
    if (!each.is_string()) return BadTags();
    // A tag given twice counts once.
    if (std::ranges::find(tags, each.get<std::string>()) == tags.end()) {
      tags.push_back(each.get<std::string>());
    }
  }
  return tags;
}

}  // namespace

Result<Json> LabelRun(const fs::path& runs, const fs::path& run, const std::string& body) {
  PT_LET(const Json given, ObjectOf(body, R"({"tags": ["best-so-far"], "note": "with weather"})"));
  const RunLabels before = ReadLabels(run);
  RunLabels labels = before;
  if (given.contains("tags")) {
    PT_LET(labels.tags, TagsOf(given["tags"]));
    for (const std::string& tag : labels.tags) {
      // Tags that the run already has were checked when they were given.
      if (std::ranges::find(before.tags, tag) != before.tags.end()) continue;
      PT_TRY(CheckTag(tag));
      PT_TRY(CheckTagIsFree(runs, tag, run));
    }
  }
  if (given.contains("note")) {
    if (!given["note"].is_string()) {
      return Fail({.exit = Exit::kInput, .what = "\"note\" must be a text"});
    }
    labels.note = given["note"].get<std::string>();
    PT_TRY(CheckNote(labels.note));
  }
  // Only after all checks: labels are set together or not at all.
  PT_TRY(WriteLabels(run, labels));
  return Json{{"tags", labels.tags}, {"note", labels.note}};
}

Result<Json> RemoveWholeRun(const fs::path& run) {
  // Measured while it still exists.
  const int64_t bytes = FolderBytes(run);
  PT_TRY(RemoveRun(run));
  return Json{{"removed", run.filename().string()}, {"bytes", bytes}};
}

Result<std::string> RunModels::Score(const fs::path& run, const std::string& body) {
  // Parsed without columns before a model is loaded for it.
  PT_LET(const JsonRows shape, ReadJsonRows(body, arrow::Schema({}), kMostRows));
  if (shape.form != JsonForm::kRows || shape.batch->num_rows() == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("\"rows\" must be a list of 1 to {} objects", kMostRows),
                 .fix = "protium predict, or protium serve, for more"});
  }
  PT_LET(const Scorer scorer, ModelOf(run));
  PT_LET(const JsonRows read, ReadJsonRows(body, *scorer.input(), kMostRows));
  PT_LET(const auto scored, scorer.Score(*read.batch));
  return "{\"predictions\":" + RowsToJson(*scored) + "}";
}

// Requests for other models wait while one is loaded, which takes a fraction of a second, once.
Result<Scorer> RunModels::ModelOf(const fs::path& run) {
  const fs::path folder = run / "model";
  // Taken before the model is read: one that replaces it meanwhile has another time, and the next
  // request loads it.
  std::error_code error;
  const auto written = fs::last_write_time(folder / "model.json", error);
  if (error) {
    return Fail(
        {.exit = Exit::kInput, .what = "the run " + run.filename().string() + " has no model"});
  }
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(ready_, folder, &Ready::folder);
  if (found != ready_.end() && found->written == written) {
    std::rotate(found, found + 1, ready_.end());
    // A copy, which remains valid when the model is dropped from the list.
    return ready_.back().scorer;
  }
  if (found != ready_.end()) ready_.erase(found);
  // Closed at the end of this function: a Scorer no longer needs it.
  PT_LET(const auto session, OpenSession({.engine = "local[1]"}));
  PT_LET(const PipelineModel model, PipelineModel::Load(*session, folder));
  PT_LET(Scorer scorer, Scorer::Make(model));
  if (ready_.size() == kMostModels) ready_.erase(ready_.begin());
  ready_.push_back({folder, written, std::move(scorer)});
  return ready_.back().scorer;
}

}  // namespace protium
