// SPDX-License-Identifier: Apache-2.0
#include "stream/verify.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "stream/event_join.h"
#include "stream/event_windows.h"
#include "stream/folder_sink.h"
#include "stream/stream_ends.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

constexpr int64_t kMostBytes = int64_t{4} << 30;

class Verifying {
 public:
  Verifying(const StreamRequest& request, fs::path scratch)
      : request_(request),
        options_(*request.job.file.stream),
        scratch_(std::move(scratch)),
        form_{.folder = scratch_, .owner = "verify", .partition = request.partition} {}

  Status Open(const Intent& first, const std::stop_token& stop) {
    PT_LET(const LoadedModel* const model, ModelOf(first));
    PT_LET(shape_, ShapeOf(request_.job.file, model));
    const EndsContext context{.job = request_.job,
                              .folder = request_.folder,
                              .note = [](const std::string&) {},
                              .partition = request_.partition,
                              .once = true};
    PT_TRY(OpenSourceOf(context, stop));
    if (source_ == nullptr) return NoFiles();
    PT_LET(form_.format, SinkFormat(request_.job.file));
    tables_.emplace(request_.job, shape_.other_tables);
    PT_LET(read_, tables_->Read());
    if (options_.window) {
      PT_LET(windows_, EventWindows::Make(*options_.window, source_->schema()));
    }
    return Status::OK();
  }

  // What a batch leaves behind for those after it.
  Status Pass(const Intent& intent) {
    if (!windows_ && !join_) return Status::OK();
    PT_LET(const StreamRows read, source_->Read(intent.stretch));
    if (join_) return join_->Add(*read.rows, *read.other).status();
    return windows_->Add(*read.rows).status();
  }

  // Adds the batch to `result`.
  Status Check(const Intent& intent, VerifyResult& result) {
    const auto made = Make(intent);
    if (!made.ok()) {
      result.unknown.push_back(
          fmt::format("batch {}: {}", intent.number, FaultOf(made.status()).what));
      return Status::OK();
    }
    const std::string name = BatchFileName(intent.number, form_.format, form_.partition);
    const fs::path there = SinkFolder(request_.job.file) / name;
    const bool rows = *made > 0, exists = IsRegularFile(there);
    if (rows != exists) {
      result.differ.push_back(fmt::format("batch {}: {}", intent.number,
                                          rows ? "its file is missing: " + there.string()
                                               : there.string() + " should not be there"));
      return Status::OK();
    }
    if (rows) {
      PT_LET(const std::string ours, ReadFile(scratch_ / name, kMostBytes));
      PT_LET(const std::string theirs, ReadFile(there, kMostBytes));
      if (ours != theirs) {
        result.differ.push_back(
            fmt::format("batch {}: {} has other bytes", intent.number, there.string()));
        return Status::OK();
      }
      fs::remove(scratch_ / name);
    }
    ++result.equal;
    return Status::OK();
  }

 private:
  static Status NoFiles() {
    return Fail({.exit = Exit::kInput,
                 .what = "none of the files is there that batches would be made again of",
                 .where = "stream.source",
                 .fix = "put them back as they were"});
  }

  // Loaded once for each of the models.
  Result<const LoadedModel*> ModelOf(const Intent& intent) {
    if (intent.model.empty()) return nullptr;
    std::shared_ptr<const LoadedModel>& model = models_[intent.model];
    if (model == nullptr) {
      PT_LET(auto loaded, LoadStreamModel(TextAt(intent.facts, "model_folder")));
      if (loaded->sha256 != intent.model) {
        return Fail({.exit = Exit::kInput,
                     .what = "the model that scored it is gone from " + loaded->folder.string()});
      }
      model = std::move(loaded);
    }
    return model.get();
  }

  Status OpenSourceOf(const EndsContext& context, const std::stop_token& stop) {
    if (!options_.join) {
      PT_LET(source_, OpenSource(context, shape_, stop));
      return Status::OK();
    }
    PT_LET(EventShape other, ShapeOfOther(request_.job.file));
    PT_LET(source_, OpenSources(context, shape_, other, stop));
    if (source_ == nullptr) return Status::OK();
    PT_LET(join_, EventJoin::Make(*options_.join, source_->schema(), other.columns));
    return Status::OK();
  }

  // Prepares the SQL unless that of the batch before was the same.
  Status UseSqlOf(const LoadedModel* model) {
    const std::string before = shape_.sql;
    if (shape_.own_sql) shape_.sql = TextAt(model->etl, "sql");
    if (steps_ && shape_.sql == before) return Status::OK();
    steps_.emplace(StepsOf(shape_, options_, windows_ ? windows_->schema() : source_->schema()));
    if (join_) return Status::OK();  // With what each batch joins.
    const Status used = steps_->UseTables(read_);
    if (!used.ok()) steps_.reset();
    return used;
  }

  // Writes the batch into the scratch folder; returns the number of its rows.
  Result<int64_t> Make(const Intent& intent) {
    PT_LET(const LoadedModel* const model, ModelOf(intent));
    const Json tables = intent.facts.value("tables", Json::object());
    if (tables != tables_->stamps()) {
      return Fail({.exit = Exit::kInput, .what = "other tables of the job have changed since"});
    }
    PT_LET(const StreamRows read, source_->Read(intent.stretch));
    PT_TRY(UseSqlOf(model));
    BatchPtr events = read.rows;
    if (join_) {
      PT_LET(const EventJoin::Joined joined, join_->Add(*events, *read.other));
      events = joined.events;
      if (events->num_rows() == 0) return 0;
      std::vector<MemoryTable> tables = read_;
      tables.push_back({.name = options_.join->table, .rows = joined.other});
      PT_TRY(steps_->UseTables(std::move(tables)));
    }
    if (windows_) {
      PT_LET(const EventWindows::Closed closed, windows_->Add(*events));
      events = closed.events;
      if (events->num_rows() == 0) return 0;
    }
    PT_LET(const StepsResult made, steps_->Apply(*events, model, nullptr));
    PT_TRY(FolderSink(form_).Write({.number = intent.number, .rows = made.rows}));
    return made.rows->num_rows();
  }

  const StreamRequest& request_;
  const StreamOptions& options_;
  fs::path scratch_;
  FolderSinkOptions form_;
  EventShape shape_;
  std::unique_ptr<StreamSource> source_;
  std::optional<SideTables> tables_;
  std::optional<EventWindows> windows_;
  std::optional<EventJoin> join_;
  std::vector<MemoryTable> read_;
  std::optional<StreamSteps> steps_;
  std::map<std::string, std::shared_ptr<const LoadedModel>> models_;
};

}  // namespace

Result<VerifyResult> VerifyStream(const StreamRequest& request, int64_t from, int64_t to,
                                  const std::stop_token& stop) {
  if (!request.job.file.stream->sink.folder) {
    return Fail({.exit = Exit::kUsage,
                 .what = "what lies in a topic or a table cannot be compared batch by batch",
                 .where = "stream.sink",
                 .fix = "streams whose sink is a folder can be verified"});
  }
  // Which windows a batch closes, and what it joins, depends on all events before it.
  const StreamOptions& stream = *request.job.file.stream;
  const bool all = stream.window || stream.join;
  PT_LET(const std::vector<Intent> ended, EndedBatches(request.folder, all ? 0 : from, to));
  VerifyResult result;
  if (ended.empty()) return result;
  PT_LET(const auto scratch, TemporaryFolder::Make());
  Verifying verifying(request, scratch.path());
  PT_TRY(verifying.Open(ended.front(), stop));
  for (const Intent& intent : ended) {
    if (stop.stop_requested()) return Status::Cancelled("stopped");
    PT_TRY(intent.number < from ? verifying.Pass(intent) : verifying.Check(intent, result));
  }
  return result;
}

}  // namespace protium
