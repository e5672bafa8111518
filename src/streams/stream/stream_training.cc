// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_training.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "engine/row_queries.h"
#include "job/read_job.h"
#include "metrics/metrics.h"
#include "os/publish.h"
#include "run/list.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

namespace {

// More trainings than this do not wait for one that is slower than the events.
constexpr size_t kMostWaiting = 10;

Status TrainFault(std::string what, std::string fix, std::string where = "stream.train") {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix),
               .kept = "nothing was started"});
}

// Moves a folder, also to another file system: there it appears whole.
Status MoveFolder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::rename(from, to, error);
  if (!error) return SyncFolder(to.parent_path());
  const fs::path draft = to.parent_path() / ("." + to.filename().string());
  fs::remove_all(draft, error);
  fs::copy(from, draft, fs::copy_options::recursive, error);
  if (!error) fs::rename(draft, to, error);
  if (error) return SystemFault("move " + from.string() + " to " + to.string(), error.value());
  fs::remove_all(from, error);
  return SyncFolder(to.parent_path());
}

}  // namespace

StreamTraining::StreamTraining(TrainingSetting setting, StreamLog& log)
    : setting_(std::move(setting)),
      options_(*setting_.job.file.stream->train),
      log_(log),
      events_(setting_.folder / "rows"),
      counted_since_(SteadyClock::now()) {}

StreamTraining::~StreamTraining() {
  stop_.request_stop();
  if (running_.valid()) running_.wait();
}

fs::path StreamTraining::FolderOf(int64_t number) const {
  return fs::absolute(setting_.folder / "trainings" / std::to_string(number)).lexically_normal();
}

Result<std::unique_ptr<StreamTraining>> StreamTraining::Open(TrainingSetting setting,
                                                             StreamLog& log) {
  std::unique_ptr<StreamTraining> training(new StreamTraining(std::move(setting), log));
  PT_TRY(training->ReadJob());
  if (log.training().is_object()) {
    PT_TRY(FieldsFromJson(log.training(), "training", training->state_));
  }
  const auto& last = training->state_.last;
  if (last && last->promoted && !last->moved) PT_TRY(training->Promote());
  return training;
}

Status StreamTraining::ReadJob() {
  if (setting_.runs.string().find("://") != std::string::npos) {
    return TrainFault("a stream that trains has its runs in a folder of this machine",
                      "--runs-dir DIR");
  }
  job_file_ = fs::absolute(setting_.job.settings.file).parent_path() / options_.job;
  PT_LET(const Job job, protium::ReadJob(job_file_, {}));
  const std::string where = job_file_.string();
  if (!job.estimator || job.file.search || job.file.folds) {
    return TrainFault(job.estimator ? "the job that trains has [search] or [folds]"
                                    : "the job that is to train has no estimator",
                      "name the job of one training", where);
  }
  if (job.file.tables.all.size() != 1) {
    return TrainFault(fmt::format("the job that trains reads {} tables: a stream trains on its "
                                  "events alone, which have the label",
                                  job.file.tables.all.size()),
                      "name a job with one table", where);
  }
  table_ = job.file.tables.all.front().first;
  sql_ = job.file.etl.sql;
  if (table_.find_first_of(".\"' ") != table_.npos) {
    return TrainFault("the table of the job that trains has a name with dots or blanks", "", where);
  }
  if (options_.metric.empty()) return Status::OK();
  return FindMetric(options_.metric).status();
}

Status StreamTraining::Check(const SchemaPtr& events, const LoadedModel& live,
                             const std::string& live_table) {
  live_table_ = live_table;
  if (live.folder.extension() == ".onnx") {
    return TrainFault("trainings do not begin from an ONNX file",
                      "name a model's folder, run or tag");
  }
  SchemaPtr rows = events;
  if (!sql_.empty()) {
    PT_LET(const auto queries, OpenRowQueries("the SQL of streams"));
    const auto query =
        queries->Prepare(TableQueryText{.sql = sql_, .table = table_, .columns = events});
    if (!query.ok()) {
      Fault fault = FaultOf(query.status());
      fault.where = job_file_.string();
      fault.why = "its SQL must read what the events of the stream have, the label as well";
      return Fail(std::move(fault));
    }
    rows = (*query)->schema();
  }
  for (const std::string& label : live.labels) {
    if (rows->GetFieldIndex(label) >= 0) continue;
    return TrainFault(fmt::format("the events have no label \"{}\" to train on", label),
                      "labels that come later are not joined: write them into the events");
  }
  return Status::OK();
}

Status StreamTraining::Keep(const arrow::RecordBatch& events) {
  return events_.Keep(log_.totals().batches, events);
}

Status StreamTraining::Note() { return log_.Training(FieldsToJson(state_)); }

Status StreamTraining::AddDue() {
  const StreamTotals& totals = log_.totals();
  const int64_t more = totals.rows - state_.due_rows;
  const auto now = SteadyClock::now();
  const bool by_rows = options_.rows > 0 && more >= options_.rows;
  const bool by_time =
      options_.minutes > 0 && more > 0 &&
      now - counted_since_ >= std::chrono::duration<double, std::ratio<60>>(options_.minutes);
  if (!by_rows && !by_time) return Status::OK();
  counted_since_ = now;
  state_.waiting.push_back(
      {.number = state_.next++, .batches = totals.batches, .rows = totals.rows});
  state_.due_rows = totals.rows;
  if (state_.waiting.size() > kMostWaiting) {
    setting_.note(fmt::format("training {} is skipped: the events come faster than it trains",
                              state_.waiting.front().number));
    state_.waiting.erase(state_.waiting.begin());
    ++state_.skipped;
  }
  return Note();
}

Status StreamTraining::Begin(const LoadedModel& live) {
  state_.open = TrainingBegun{.due = state_.waiting.front(),
                              .model = live.sha256,
                              .model_folder = fs::absolute(live.folder).string()};
  state_.waiting.erase(state_.waiting.begin());
  return Note();
}

void StreamTraining::Start() {
  setting_.note(fmt::format("training {} begins, on events before batch {}",
                            state_.open->due.number, state_.open->due.batches));
  TrainingOrder order{.job = job_file_,
                      .table = table_,
                      .live_table = live_table_,
                      .sql = !sql_.empty(),
                      .events = setting_.folder / "rows",
                      .folder = FolderOf(state_.open->due.number),
                      .options = options_,
                      .begun = *state_.open};
  running_ = std::async(std::launch::async, [order = std::move(order), stop = stop_.get_token()] {
    return Train(order, stop);
  });
}

Status StreamTraining::MayReplace(const LoadedModel& live, const TrainingEnded& ended) const {
  if (live.sha256 != state_.open->model) {
    return Status::Invalid("the tag is another model's since the training began");
  }
  PT_LET(const auto trained, LoadStreamModel(ended.model));
  return setting_.fits(*trained);
}

Status StreamTraining::Take(const LoadedModel& live) {
  TrainingEnded ended = running_.get();
  if (ended.promoted) {
    const Status may = MayReplace(live, ended);
    if (!may.ok()) ended.why = FaultOf(may).what;
    ended.promoted = may.ok();
  }
  if (ended.promoted) {
    const fs::path run = fs::path(ended.model).parent_path();
    ended.model = (fs::absolute(setting_.runs) / run.filename() / "model").string();
  }
  (ended.failed ? state_.failed : ended.promoted ? state_.promoted : state_.refused) += 1;
  std::error_code ignored;
  // The one before was kept for people to look at.
  fs::remove_all(FolderOf(ended.number - 1), ignored);
  state_.last = std::move(ended);
  state_.open.reset();
  PT_TRY(Note());
  if (!state_.last->promoted) {
    setting_.note(Told());
  } else if (const Status moved = Promote(); !moved.ok()) {
    setting_.note("the tag is not moved: " + FaultOf(moved).what);
  }
  int64_t needed = log_.totals().batches;
  for (const TrainingDue& each : state_.waiting) needed = std::min(needed, each.batches);
  events_.Remove(needed, options_.newest);
  return Status::OK();
}

// Each step may have been done by a process that died.
Status StreamTraining::Promote() {
  const fs::path run = fs::path(state_.last->model).parent_path();
  const fs::path made = FolderOf(state_.last->number) / "runs" / run.filename();
  std::error_code ignored;
  if (!fs::exists(run, ignored)) PT_TRY(MoveFolder(made, run));
  constexpr std::string_view kTag = "tag:";
  PT_TRY(MoveTag(setting_.runs, setting_.job.file.stream->model.substr(kTag.size()), run));
  state_.last->moved = true;
  setting_.note(Told());
  return Note();
}

std::string StreamTraining::Told() const {
  const TrainingEnded& last = *state_.last;
  if (last.failed) return fmt::format("training {} failed: {}", last.number, last.why);
  const std::string judged =
      fmt::format("training {} on {} events: {} {:.6g}, of the live model {:.6g}, on {} newer ones",
                  last.number, Grouped(last.rows), last.metric, last.trained, last.live,
                  Grouped(last.held_out));
  if (last.promoted)
    return judged + ": promoted, " + fs::path(last.model).parent_path().filename().string();
  return judged + ": not promoted, " + last.why;
}

Status StreamTraining::Tick(const LoadedModel& live) {
  const bool ended =
      running_.valid() && running_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (ended) return Take(live);  // The next one begins with the model that this may have made.
  PT_TRY(AddDue());
  if (!state_.open && !state_.waiting.empty()) PT_TRY(Begin(live));
  if (state_.open && !running_.valid()) Start();
  return Status::OK();
}

Json StreamTraining::facts() const {
  Json facts = {{"running", state_.open ? Json(state_.open->due.number) : Json()},
                {"waiting", state_.waiting.size()},
                {"promoted", state_.promoted},
                {"refused", state_.refused},
                {"failed", state_.failed},
                {"skipped", state_.skipped}};
  if (state_.last) facts["last"] = FieldsToJson(*state_.last);
  return facts;
}

}  // namespace protium
