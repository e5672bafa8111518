// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/task_transit.h"

#include <arrow/array/array_binary.h>
#include <arrow/array/builder_binary.h>

#include <algorithm>

#include "os/file.h"
#include "spark_worker/lease_words.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Other texts name no files.
Json ConfigOf(const SparkCommand& command) {
  auto json = ParseJson(command.config);
  return json.ok() ? *std::move(json) : Json();
}

std::string Relative(const std::string& path, const std::string& root) {
  return fs::path(path).lexically_relative(root).string();
}

bool IsWithin(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

Result<std::shared_ptr<arrow::Array>> MovedTexts(const arrow::StringArray& texts,
                                                 const Moved& there) {
  arrow::StringBuilder moved;
  for (int64_t i = 0; i < texts.length(); ++i) {
    PT_TRY(texts.IsNull(i) ? moved.AppendNull() : moved.Append(there.Within(texts.GetString(i))));
  }
  return moved.Finish();
}

}  // namespace

std::string MeetingOf(const std::string& events) { return fs::path(events).filename().string(); }

std::vector<std::string> SentFor(const SparkCommand& command) {
  const std::string& root = command.transit->root;
  std::vector<std::string> sent = Moved(root, root).Below(ConfigOf(command));
  sent.push_back(Relative(command.events, root));
  return sent;
}

bool GrowsInTransit(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".log") ||
         path.ends_with(std::string("/") + kLeaseFile);
}

TaskTransit::TaskTransit(TemporaryFolder folder, const SparkCommand& command)
    : folder_(std::move(folder)),
      here_(command.transit->root, folder_.path()),
      there_(folder_.path(), command.transit->root),
      events_(Relative(command.events, command.transit->root)),
      named_(here_.Below(ConfigOf(command))),
      follows_(command.lease && command.lease->bends) {}

Result<std::unique_ptr<TaskTransit>> TaskTransit::Make(SparkCommand& command,
                                                       const std::string& task) {
  if (!command.transit) return std::unique_ptr<TaskTransit>();
  PT_LET(TemporaryFolder folder, TemporaryFolder::Make());
  std::unique_ptr<TaskTransit> made(new TaskTransit(std::move(folder), command));
  PT_TRY(made->Open(command, task));
  return made;
}

Status TaskTransit::Open(SparkCommand& command, const std::string& task) {
  PT_LET(const ObjectPlace place, ObjectPlace::Parse(command.transit->place));
  PT_LET(auto store, ObjectStore::Open(place));
  TransitTerms terms{.folder = folder_.path(),
                     .meeting = MeetingOf(command.events),
                     .writer = task,
                     .sends = {"."},
                     .takes = [this](const std::string& path) { return Takes(path); },
                     .grows = GrowsInTransit,
                     .leader = kDriverInTransit};
  // Tasks without a gang have nothing to tell each other.
  if (!command.gang) terms.from = {kDriverInTransit};
  meeting_ = TransitFolder::Make(std::move(store), std::move(terms));
  command.events = here_.Path(command.events);
  command.log = here_.Path(command.log);
  PT_TRY(MakeFolder(command.events));
  if (!command.log.empty()) PT_TRY(MakeFolder(command.log));
  if (!named_.empty()) command.config = Dump(here_.Paths(ConfigOf(command)));
  PT_TRY(meeting_->Exchange());
  began_ = true;
  meeting_->Start();
  return Status::OK();
}

// What the driver and other ranks say, but not their events; of the config's files what is there
// when the task begins. A rank that may have to write the checkpoints of another needs all of them.
bool TaskTransit::Takes(const std::string& path) const {
  if (IsWithin(path, events_)) {
    const std::string name = fs::path(path).filename().string();
    return !name.ends_with(".jsonl") && !name.starts_with("rows-");
  }
  if (began_ && !follows_) return false;
  return std::ranges::any_of(named_, [&](const auto& each) { return IsWithin(path, each); });
}

Result<std::shared_ptr<arrow::RecordBatch>> TaskTransit::ForDriver(
    const arrow::RecordBatch& batch) const {
  arrow::ArrayVector columns = batch.columns();
  for (auto& each : columns) {
    if (each->type_id() != arrow::Type::STRING) continue;
    PT_LET(each, MovedTexts(static_cast<const arrow::StringArray&>(*each), there_));
  }
  return arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
}

}  // namespace protium
