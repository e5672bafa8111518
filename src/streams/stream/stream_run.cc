// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_run.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "stream/batches.h"
#include "stream/dead_letters.h"
#include "stream/stream_ends.h"

namespace protium {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr milliseconds kPatience{200};
constexpr milliseconds kNap{50};
// Of one of two streams that are joined, until that is noted.
constexpr milliseconds kSilent{10'000};

// Sleeps, but not past a request to stop.
void Nap(milliseconds time, const std::stop_token& stop) {
  const auto end = SteadyClock::now() + time;
  while (!stop.stop_requested() && SteadyClock::now() < end) {
    std::this_thread::sleep_for(std::min<SteadyClock::duration>(kNap, end - SteadyClock::now()));
  }
}

const LoadedModel* Now(const std::optional<NamedModel>& model) {
  return model ? model->now().get() : nullptr;
}

// What metrics call the stream: "live", or "live/3" of a partition.
std::string LabelOf(const StreamRequest& request) {
  const std::string name = request.folder.filename().string();
  if (!request.partition) return name;
  return fmt::format("{}/{}", request.folder.parent_path().filename().string(), *request.partition);
}

bool IsPaused(const StreamRequest& request) {
  std::error_code error;
  const fs::path whole = request.partition ? request.folder.parent_path() : request.folder;
  return fs::exists(whole / kPauseFile, error);
}

}  // namespace

StreamRun::StreamRun(StreamRequest request)
    : request_(std::move(request)),
      options_(*request_.job.file.stream),
      status_(request_.folder, LabelOf(request_)) {}

StreamRun::~StreamRun() = default;

Result<std::unique_ptr<StreamRun>> StreamRun::Open(StreamRequest request,
                                                   const std::stop_token& stop) {
  std::unique_ptr<StreamRun> run(new StreamRun(std::move(request)));
  PT_LET(run->log_, StreamLog::Open(run->request_.folder));
  PT_TRY(run->OpenTraining());
  PT_TRY(run->OpenModels());
  const Status ends = run->OpenEnds(stop);
  if (!ends.ok() && !stop.stop_requested()) return ends;
  if (!ends.ok()) run->source_.reset();
  if (run->source_ == nullptr) return run;  // There was no first event.
  PT_TRY(run->OpenSteps());
  PT_TRY(run->source_->Start(run->log_->past()));
  return run;
}

Status StreamRun::OpenModels() {
  if (!options_.model.empty()) PT_TRY(model_.emplace(options_.model, request_.find_model).Load());
  if (!options_.shadow.empty()) {
    PT_TRY(shadow_.emplace(options_.shadow, request_.find_model).Load());
  }
  PT_LET(shape_, ShapeOf(request_.job.file, Now(model_)));
  return Status::OK();
}

Status StreamRun::OpenEnds(const std::stop_token& stop) {
  const EndsContext context{.job = request_.job,
                            .folder = request_.folder,
                            .note = request_.note,
                            .stop = stop,
                            .partition = request_.partition,
                            .once = request_.once};
  PT_LET(sink_, OpenSink(context));
  if (options_.join) {
    PT_LET(other_shape_, ShapeOfOther(request_.job.file));
    PT_LET(source_, OpenSources(context, shape_, other_shape_, stop));
    return Status::OK();
  }
  PT_LET(source_, OpenSource(context, shape_, stop));
  return Status::OK();
}

// Before the models: their tag may have to be moved.
Status StreamRun::OpenTraining() {
  if (!options_.train) return Status::OK();
  PT_LET(training_,
         StreamTraining::Open({.job = request_.job,
                               .folder = request_.folder,
                               .runs = request_.runs,
                               .note = request_.note,
                               .fits = [this](const LoadedModel& model) { return Fits(model); }},
                              *log_));
  return Status::OK();
}

Status StreamRun::Fits(const LoadedModel& model) {
  StepsOptions options = steps_->options();
  if (shape_.own_sql) options.sql = TextAt(model.etl, "sql");
  StreamSteps steps(std::move(options));
  PT_LET(auto tables, tables_->Read());
  PT_TRY(steps.UseTables(std::move(tables)));
  PT_LET(const SchemaPtr rows, steps.Check(&model));
  PT_LET(const SchemaPtr now, steps_->Check(Now(model_)));
  if (rows->Equals(*now)) return Status::OK();
  return Status::Invalid("its rows would have other columns");
}

Status StreamRun::Train() {
  if (training_ == nullptr) return Status::OK();
  PT_TRY(training_->Tick(*model_->now()));
  status_.Training(training_->facts());
  return Status::OK();
}

Status StreamRun::AwaitTrainings(const std::stop_token& stop) {
  PT_TRY(Train());
  while (training_ != nullptr && training_->busy() && !stop.stop_requested()) {
    Nap(kNap, stop);
    PT_TRY(RefreshModels());
    PT_TRY(Train());
    Show("running");
  }
  // The status names the model that the last one may have made.
  return RefreshModels();
}

Status StreamRun::OpenWindows() {
  if (!options_.window) return Status::OK();
  PT_LET(windows_, EventWindows::Make(*options_.window, source_->schema()));
  const Json facts = log_->last().value("window", Json::object());
  return windows_->Load(request_.folder, log_->totals().batches, facts);
}

Status StreamRun::OpenJoin() {
  if (!options_.join) return Status::OK();
  PT_LET(join_, EventJoin::Make(*options_.join, source_->schema(), other_shape_.columns));
  bounds_.emplace(JoinBoundsOptions{.events = shape_.table,
                                    .other = options_.join->table,
                                    .most = options_.join->waiting,
                                    .patience = request_.once ? milliseconds(0) : kSilent,
                                    .note = request_.note},
                  SteadyClock::now());
  return join_->Load(request_.folder, log_->totals().batches,
                     log_->last().value("join", Json::object()));
}

Status StreamRun::OpenSteps() {
  PT_TRY(OpenWindows());
  PT_TRY(OpenJoin());
  tables_.emplace(request_.job, shape_.other_tables);
  PT_TRY(tables_->Check());
  steps_.emplace(StepsOf(shape_, options_, windows_ ? windows_->schema() : source_->schema()));
  PT_TRY(ReadTables());
  PT_LET(const SchemaPtr rows, steps_->Check(Now(model_)));
  if (training_ != nullptr) {
    PT_TRY(training_->Check(source_->schema(), *model_->now(), shape_.own_sql ? shape_.table : ""));
  }
  return sink_->Start(*rows);
}

Json StreamRun::Facts() const {
  Json facts = Json::object();
  if (model_) facts["model_folder"] = model_->now()->folder.string();
  if (!tables_->stamps().empty()) facts["tables"] = tables_->stamps();
  return facts;
}

// The model that a batch began with, wherever its name points now; the current one if that model is
// gone: nobody has seen rows of the batch.
Result<std::shared_ptr<const LoadedModel>> StreamRun::ModelOf(const Intent& intent, bool written) {
  if (!model_ || intent.model == model_->now()->sha256) {
    return model_ ? model_->now() : nullptr;
  }
  const auto former = LoadStreamModel(TextAt(intent.facts, "model_folder"));
  if (former.ok() && (*former)->sha256 == intent.model) return former;
  if (written) return model_->now();
  request_.note(fmt::format(
      "the model with which batch {} began is gone: the current one scores it", intent.number));
  PT_TRY(log_->Begin({.number = intent.number,
                      .stretch = intent.stretch,
                      .model = model_->now()->sha256,
                      .facts = Facts()}));
  return model_->now();
}

Status StreamRun::Recover() {
  if (!log_->open()) return Status::OK();
  const Intent intent = *log_->open();
  PT_LET(const auto newest, sink_->Newest());
  const bool written = newest && *newest >= intent.number;
  request_.note(fmt::format("batch {} had begun and not ended: {}", intent.number,
                            written ? "its rows are there" : "it is made again"));
  PT_LET(const auto model, ModelOf(intent, written));
  return Make(model.get(), written);
}

Result<StepsResult> StreamRun::Apply(StreamRows& read, const LoadedModel* model) {
  if (join_) {
    bounds_->Came(read, SteadyClock::now());
    PT_LET(EventJoin::Joined joined, join_->Add(*read.rows, *read.other));
    std::ranges::move(joined.dead, std::back_inserter(read.dead));
    if (joined.events->num_rows() == 0) return NoRows(model);
    PT_TRY(UseTables(joined.other));
    return steps_->Apply(*joined.events, model, Now(shadow_));
  }
  if (!windows_) return steps_->Apply(*read.rows, model, Now(shadow_));
  PT_LET(EventWindows::Closed closed, windows_->Add(*read.rows));
  std::ranges::move(closed.dead, std::back_inserter(read.dead));
  if (closed.events->num_rows() == 0) return NoRows(model);
  return steps_->Apply(*closed.events, model, Now(shadow_));
}

Result<StepsResult> StreamRun::NoRows(const LoadedModel* model) const {
  PT_LET(const SchemaPtr schema, steps_->Check(model));
  StepsResult none;
  PT_LET(none.rows, arrow::RecordBatch::MakeEmpty(schema));
  return none;
}

// Makes the batch that the log says has begun.
Status StreamRun::Make(const LoadedModel* model, bool written) {
  const auto began = SteadyClock::now();
  const Intent intent = *log_->open();
  PT_LET(StreamRows read, source_->Read(intent.stretch));
  PT_LET(StepsResult made, Apply(read, model));
  std::ranges::move(made.dead, std::back_inserter(read.dead));
  PT_TRY(WriteDeadLetters(request_.folder / "dead", intent.number, read.dead));
  if (!written) PT_TRY(sink_->Write({.number = intent.number, .rows = made.rows}));
  if (training_ != nullptr) {
    PT_LET(const auto kept, Without(read.rows, made.failed));
    PT_TRY(training_->Keep(*kept));
  }
  Json facts = Json::object();
  PT_TRY(SaveWaiting(intent.number, facts));
  const int64_t rows = made.rows->num_rows();
  PT_TRY(log_->End({.rows = rows, .dead = int64_t(read.dead.size())}, facts));
  if (windows_) EventWindows::RemoveBefore(request_.folder, intent.number);
  if (join_) EventJoin::RemoveBefore(request_.folder, intent.number);
  PT_TRY(source_->Done(intent.stretch));
  if (log_->long_enough()) PT_TRY(log_->Shorten(source_->State()));
  status_.Wrote(rows, read, began);
  if (made.shadow) status_.Compared(*made.shadow);
  return Status::OK();
}

Status StreamRun::SaveWaiting(int64_t number, Json& facts) const {
  if (windows_) {
    PT_TRY(windows_->Save(request_.folder, number));
    facts["window"] = windows_->facts();
  }
  if (!join_) return Status::OK();
  facts["join"] = join_->facts();
  return join_->Save(request_.folder, number);
}

Status StreamRun::ReadTables() {
  PT_LET(read_, tables_->Read());
  if (!join_) return steps_->UseTables(std::exchange(read_, {}));
  PT_LET(auto none, arrow::RecordBatch::MakeEmpty(join_->other_schema()));
  return UseTables(std::move(none));
}

Status StreamRun::UseTables(std::shared_ptr<arrow::RecordBatch> joined) {
  std::vector<MemoryTable> tables = read_;
  tables.push_back({.name = options_.join->table, .rows = std::move(joined)});
  return steps_->UseTables(std::move(tables));
}

// The SQL of the current model, if the stream uses that and it is another.
Status StreamRun::UseModelsSql() {
  std::string sql = TextAt(model_->now()->etl, "sql");
  if (!shape_.own_sql || sql == shape_.sql) return Status::OK();
  shape_.sql = std::move(sql);
  steps_.emplace(StepsOf(shape_, options_, steps_->options().columns));
  return ReadTables();
}

Status StreamRun::RefreshModels() {
  if (model_ && model_->Refresh()) {
    request_.note(fmt::format("from batch {} on: {} is the model in {}", log_->totals().batches,
                              model_->name(), model_->now()->folder.string()));
    PT_TRY(UseModelsSql());
    PT_TRY(steps_->Check(model_->now().get()).status());
  }
  if (shadow_) shadow_->Refresh();
  return Status::OK();
}

Status StreamRun::RefreshTables() {
  if (!tables_->Changed()) return Status::OK();
  PT_TRY(ReadTables());
  request_.note(fmt::format("from batch {} on: tables that have changed", log_->totals().batches));
  return Status::OK();
}

Result<BatchLimits> StreamRun::Limits() const {
  BatchLimits limits{.rows = options_.batch.rows, .gather = milliseconds(options_.batch.ms)};
  if (options_.rate > 0) limits.rows = std::min(limits.rows, options_.rate);
  if (bounds_) PT_TRY(bounds_->Limit(*join_, limits));
  return limits;
}

Result<bool> StreamRun::MakeNext(const std::stop_token& stop) {
  PT_LET(const BatchLimits limits, Limits());
  PT_LET(const Json stretch, source_->Next(limits, kPatience, stop));
  // Behind the waiting, during which the name may have moved; also when nothing came, so that a new
  // model is loaded before there are events for it.
  PT_TRY(RefreshModels());
  PT_TRY(RefreshTables());
  if (stretch.is_null() && bounds_) bounds_->NothingCame(*join_, SteadyClock::now());
  if (stretch.is_null()) return false;
  const LoadedModel* const model = Now(model_);
  PT_TRY(log_->Begin({.number = log_->totals().batches,
                      .stretch = stretch,
                      .model = model == nullptr ? "" : model->sha256,
                      .facts = Facts()}));
  const int64_t before = log_->totals().rows;
  PT_TRY(Make(model, /*written=*/false));
  KeepToRate(log_->totals().rows - before, stop);
  return true;
}

void StreamRun::KeepToRate(int64_t rows, const std::stop_token& stop) const {
  if (options_.rate > 0) Nap(milliseconds(rows * 1000 / options_.rate), stop);
}

void StreamRun::WaitWhilePaused(const std::stop_token& stop) {
  bool said = false;
  while (!stop.stop_requested() && IsPaused(request_)) {
    if (!std::exchange(said, true)) request_.note("paused; protium stream resume continues");
    Show("paused");
    Nap(kPatience, stop);
  }
  if (said && !stop.stop_requested()) request_.note("continues");
}

void StreamRun::Show(const std::string& state, bool now, const std::string& error) {
  if (!now && !status_.due()) return;
  const auto lag = source_ == nullptr ? StreamLag{.unit = "files"} : source_->Lag();
  if (windows_) status_.Waits(windows_->waiting());
  if (join_) status_.Join(bounds_->Facts(*join_, SteadyClock::now()));
  status_.Model(model_ ? &*model_ : nullptr, shadow_ ? &*shadow_ : nullptr);
  status_.Show(state, log_->totals(), lag.ok() ? *lag : StreamLag(), error);
}

Status StreamRun::Work(const std::stop_token& stop) {
  PT_TRY(Recover());
  PT_TRY(RefreshModels());
  // The process may have died between a batch and the training that was due with it.
  PT_TRY(Train());
  Show("running", true);
  while (!stop.stop_requested()) {
    WaitWhilePaused(stop);
    PT_LET(const bool made, MakeNext(stop));
    PT_TRY(Train());
    Show("running");
    if (request_.once && !made) return AwaitTrainings(stop);
  }
  return Status::OK();
}

Status StreamRun::Run(const std::stop_token& stop) {
  const Status worked = source_ == nullptr ? Status::OK() : Work(stop);
  if (worked.ok()) {
    Show("ended", true);
    return worked;
  }
  Fault fault = FaultOf(worked);
  Show("failed", true, fault.what);
  if (fault.kept.empty()) {
    fault.kept = fmt::format("{} batches, {} rows; started again, the stream continues after them",
                             totals().batches, totals().rows);
  }
  return Fail(std::move(fault));
}

}  // namespace protium
