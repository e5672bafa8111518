// SPDX-License-Identifier: Apache-2.0
#include "stream/engine_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "engine/address.h"
#include "engine/kind.h"
#include "frame/session_state.h"
#include "onnx_runtime/net.h"
#include "os/file.h"
#include "stream/engine_ends.h"
#include "stream/engine_limits.h"
#include "stream/folder_sink.h"
#include "stream/stream_ends.h"

namespace protium {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr milliseconds kBetweenQuestions{250};
// Spark's own, in the folder that it writes to.
constexpr const char* kSinkLog = "_spark_metadata";

void Nap(const std::stop_token& stop) {
  const auto end = SteadyClock::now() + kBetweenQuestions;
  while (!stop.stop_requested() && SteadyClock::now() < end) {
    std::this_thread::sleep_for(milliseconds(25));
  }
}

// A model whose rows are not scored one by one cannot be part of a query over a stream.
Status CheckModel(const LoadedModel& model) {
  const auto refuse = [&](const char* what) {
    return Fail({.exit = Exit::kUsage,
                 .what = what,
                 .where = "stream.model: " + model.folder.string(),
                 .fix = "engine = \"local\"",
                 .kept = "nothing was started"});
  };
  if (IsOnnxFile(model.folder)) return refuse("a stream on Spark has no models in ONNX files");
  if (model.scorer.ReadsHistory()) {
    return refuse("a stream on Spark has no models that read earlier rows");
  }
  return Status::OK();
}

}  // namespace

Status CheckSameEngine(const JobFile& job, const fs::path& folder) {
  const bool theirs = EngineRunsStream(job);
  const bool other =
      theirs ? IsRegularFile(folder / "log.jsonl") || fs::is_directory(folder / "instances")
             : fs::is_directory(folder / kCheckpointFolder);
  if (!other) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the stream was begun {} Spark, and would begin anew {}",
                                   theirs ? "without" : "on", theirs ? "there" : "here"),
               .where = folder.string(),
               .fix = "give the job another name and sink, or go on with the engine before",
               .kept = "nothing was started"});
}

EngineStream::EngineStream(StreamRequest request)
    : request_(std::move(request)),
      options_(*request_.job.file.stream),
      status_(request_.folder, request_.folder.filename().string()) {
  request_.folder = fs::absolute(request_.folder).lexically_normal();
}

EngineStream::~EngineStream() = default;

Result<std::unique_ptr<EngineStream>> EngineStream::Open(StreamRequest request,
                                                         const std::stop_token& stop) {
  PT_TRY(CheckEngineStream(request.job.file));
  PT_TRY(CheckSameEngine(request.job.file, request.folder));
  std::unique_ptr<EngineStream> stream(new EngineStream(std::move(request)));
  PT_TRY(MakeFolder(stream->request_.folder));
  PT_LET(stream->lock_, LockStream(stream->request_.folder));
  PT_TRY(stream->CheckSink());
  stream->ReadTotals();
  PT_LET(const bool known, stream->OpenRows(stop));
  if (!known) return stream;
  PT_TRY(stream->OpenEngineSession(stop));
  const LoadedModel* const model = stream->model_ ? stream->model_->now().get() : nullptr;
  PT_LET(const EngineRows rows, RowsOnEngine(*stream->session_, stream->request_.job,
                                             stream->shape_, *stream->form_, model));
  PT_TRY(stream->Start(rows, stop));
  return stream;
}

Result<bool> EngineStream::OpenRows(const std::stop_token& stop) {
  if (!options_.model.empty()) {
    PT_TRY(model_.emplace(options_.model, request_.find_model).Load());
    PT_TRY(CheckModel(*model_->now()));
  }
  PT_LET(shape_, ShapeOf(request_.job.file, model_ ? model_->now().get() : nullptr));
  const EndsContext context{.job = request_.job,
                            .folder = request_.folder,
                            .note = request_.note,
                            .stop = stop,
                            .once = request_.once};
  PT_LET(form_, FormOfSource(context, shape_, stop));
  return form_.has_value();
}

// Its run folder keeps the id of the session, by which the next process ends a query that outlived
// this one.
Status EngineStream::OpenEngineSession(const std::stop_token& stop) {
  const JobEngine& engine = request_.job.file.engine;
  SessionOptions options{.engine = engine.address,
                         .folder = request_.folder / "engine",
                         .base = request_.job.file.data,
                         .engine_options = SettingsFor(engine.address, engine.own),
                         .catalogue = request_.job.catalogue};
  options.call = {.stop = stop, .events = [note = request_.note](const Json& event) {
                    if (TextAt(event, "type") == "warning") note(TextAt(event, "message"));
                  }};
  PT_LET(session_, OpenSession(std::move(options)));
  return Status::OK();
}

// Spark skips batches that the log in the folder has, by their numbers: a stream that begins anew
// would lose its first ones in silence.
Status EngineStream::CheckSink() const {
  if (!options_.sink.folder) return Status::OK();
  const fs::path sink = SinkFolder(request_.job.file);
  PT_TRY(TakeSinkFolder(sink, request_.folder.string()));
  const bool begun = fs::is_directory(request_.folder / kCheckpointFolder);
  if (begun || !fs::exists(sink / kSinkLog)) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = "the folder has the batches of another stream of Spark",
       .where = sink.string(),
       .fix = "give stream.sink another folder, or empty this one, _spark_metadata included",
       .kept = "nothing was started"});
}

Status EngineStream::Start(const EngineRows& rows, const std::stop_token& stop) {
  PT_LET(const SchemaPtr schema, rows.rows.Schema());
  StreamQuerySpec spec{.name = request_.job.file.name,
                       .plan = rows.rows.plan(),
                       .checkpoint = request_.folder / kCheckpointFolder,
                       .every = milliseconds(options_.batch.ms),
                       .once = request_.once};
  PT_LET(spec.events, EventsForEngine(options_, *form_, rows.events));
  PT_LET(spec.sink, SinkForEngine(request_.job.file, *schema));
  SessionState& state = StateOf(*session_);
  Call call = state.call();
  call.stop = stop;
  PT_LET(query_, StartStreamQuery(state.engine(), spec, call));
  return Status::OK();
}

void EngineStream::ReadTotals() {
  const auto before = ReadStreamStatus(request_.folder);
  if (!before.ok()) return;
  totals_.batches = WholeAt(*before, "batches");
  totals_.rows = WholeAt(*before, "rows");
  counted_ = WholeAt(before->value("engine", Json::object()), "counted");
}

void EngineStream::Take(const StreamQueryNow& now) {
  doing_ = now.doing;
  for (const StreamQueryBatch& batch : now.batches) {
    // Made again after a crash: it may have been counted before.
    if (batch.number < totals_.batches) continue;
    totals_.batches = batch.number + 1;
    totals_.rows += batch.written;
    written_.rows += batch.written;
    ++written_.batches;
    ++counted_;
    status_.Wrote(batch.written, {}, SteadyClock::now() - batch.took);
  }
}

void EngineStream::Show(const std::string& state, const std::string& error) {
  status_.Model(model_ ? &*model_ : nullptr, nullptr);
  status_.Engine({{"address", WithoutSecrets(request_.job.file.engine.address)},
                  {"doing", state == "running" ? doing_ : ""},
                  {"counted", counted_}});
  status_.Show(state, totals_, {.unit = options_.source.kafka ? "messages" : "files"}, error);
}

Status EngineStream::Work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto now = query_->Look({.stop = stop});
    if (!now.ok() && stop.stop_requested()) break;
    PT_TRY(now.status());
    Take(*now);
    if (status_.due()) Show("running");
    if (!now->active && request_.once) return Status::OK();
    if (!now->active) {
      return Fail({.exit = Exit::kRemote, .what = "somebody ended the query at the Spark server"});
    }
    Nap(stop);
  }
  PT_TRY(query_->Stop());
  // Batches that ended meanwhile.
  const auto last = query_->Look({});
  if (last.ok()) Take(*last);
  return Status::OK();
}

Status EngineStream::Run(const std::stop_token& stop) {
  const Status worked = query_ == nullptr ? Status::OK() : Work(stop);
  if (worked.ok()) {
    Show("ended");
    return worked;
  }
  Fault fault = FaultOf(worked);
  Show("failed", fault.what);
  if (fault.kept.empty()) {
    fault.kept = "the batches that have ended; started again, the stream continues after them";
  }
  return Fail(std::move(fault));
}

}  // namespace protium
