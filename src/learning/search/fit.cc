// SPDX-License-Identifier: Apache-2.0
#include "search/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stop_token>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "events/events.h"
#include "frame/sub_session.h"
#include "inference/prediction_times.h"
#include "model/preview.h"
#include "os/file.h"
#include "pipeline/objective.h"
#include "run/event_log.h"
#include "search/trial_order.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRequestFile = "fit.json";
constexpr const char* kResultFile = "result.json";
constexpr const char* kEventsFile = "events.jsonl";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kStagesFile = "stages.json";  // Written by fitting; a resumed fit reads it.

// Whether the next fit would fail like this one, whatever its options.
bool EndsSearch(const Status& status) {
  const Fault fault = FaultOf(status);
  switch (fault.exit) {
    case Exit::kEnvironment:
    case Exit::kRemote:
    case Exit::kBug:
    case Exit::kStopped:
      return true;
    case Exit::kNoRoom:
      // A full disk is full for all. How much memory a fit needs depends on its options.
      return fault.what.find("ran out of memory") == fault.what.npos;
    default:
      return false;
  }
}

Result<Json> ReadJson(const fs::path& file) {
  PT_LET(const std::string text, ReadFile(file));
  return ParseJson(text);
}

// Adds what Explain() leaves out: the texts of SQL, and what tasks are told.
void AddTexts(const Plan& plan, std::set<const Node*>& seen, std::string& text) {
  if (plan == nullptr || !seen.insert(plan.get()).second) return;
  if (const auto* sql = std::get_if<Sql>(&plan->verb)) text += sql->text + "\n";
  if (const auto* task = std::get_if<MapTask>(&plan->verb)) text += task->config + "\n";
  for (const Plan& input : plan->inputs) AddTexts(input, seen, text);
}

// What is fitted, on which rows; by how many workers changes nothing. A folder of another fit, such
// as one whose program has since changed, is not continued.
Json Identity(const FitRequest& request) {
  Json identity = {{"pipeline", StagesToJson(request.pipeline.stages())},
                   {"metric", request.metric}};
  identity["pipeline"].back().erase("gang");  // The estimator comes last.
  std::string rows;
  std::set<const Node*> seen;
  for (const Plan& plan : {request.learning, request.held_out}) {
    if (plan) rows += Explain(plan);
    AddTexts(plan, seen, rows);
  }
  identity["rows_sha256"] = Sha256Hex(rows);
  return identity;
}

// A name for what the stages and the label learn, made from everything that decides it; this
// excludes the kind's own options, the gang, and what is only measured.
std::string NameOfLearned(const FitRequest& request) {
  Json decides = StagesToJson(request.pipeline.stages());
  // The estimator comes last.
  Json& estimator = decides.back();
  estimator = FieldsToJson(request.estimator);
  estimator.erase("gang");
  for (const char* other : {"metrics", "best"}) estimator["train"].erase(other);
  return Sha256Hex(Dump(decides) + Explain(request.learning)).substr(0, 32) + ".json";
}

// Uses what stages have learned in an earlier trial; returns whether there was one.
Result<bool> TakeLearned(const FitRequest& request) {
  const fs::path shared = request.learned / NameOfLearned(request);
  if (!fs::exists(shared) || fs::exists(request.folder / kStagesFile)) return false;
  PT_LET(const std::string text, ReadFile(shared));
  PT_TRY(WriteFile(request.folder / kStagesFile, text));
  return true;
}

Status GiveLearned(const FitRequest& request) {
  const fs::path own = request.folder / kStagesFile;
  const fs::path shared = request.learned / NameOfLearned(request);
  if (!fs::exists(own) || fs::exists(shared)) return Status::OK();
  PT_LET(const std::string text, ReadFile(own));
  PT_TRY(MakeFolder(request.learned));
  return WriteFile(shared, text);
}

// Empties the folder unless it holds this very fit of this run; returns whether it did.
Result<bool> Enter(const FitRequest& request, bool resume) {
  const Json identity = Identity(request);
  const fs::path file = request.folder / kRequestFile;
  if (resume && fs::exists(file)) {
    const Result<Json> there = ReadJson(file);
    if (there.ok() && *there == identity) return true;
  }
  std::error_code error;
  fs::remove_all(request.folder, error);
  PT_TRY(MakeFolder(request.folder));
  PT_TRY(WriteFile(file, Pretty(identity)));
  return false;
}

// An earlier command's result; nullopt if it cannot be read or lacks a metric, so that it is
// computed again.
std::optional<FitResult> ReadResult(const fs::path& folder, const FitRequest& request) {
  if (!fs::exists(folder / kResultFile)) return std::nullopt;
  const Result<Json> json = ReadJson(folder / kResultFile);
  FitResult result;
  if (!json.ok() || !FieldsFromJson(*json, "result", result).ok()) return std::nullopt;
  const bool lacks = std::ranges::any_of(
      request.also, [&](const std::string& name) { return !result.measured.contains(name); });
  if (result.value && lacks) return std::nullopt;
  return result;
}

// Copies the whole result of the same fit of another run.
Status TakeEarlier(const FitRequest& request) {
  if (request.earlier.empty()) return Status::OK();
  const Result<Json> identity = ReadJson(request.earlier / kRequestFile);
  if (!identity.ok() || *identity != Identity(request)) return Status::OK();
  const auto result = ReadResult(request.earlier, request);
  if (!result || !result->value || (request.follow && result->curve.empty())) return Status::OK();
  // Last of all the result, which says that the fit is over.
  for (const char* name : {kStagesFile, kEventsFile, kResultFile}) {
    if (!fs::exists(request.earlier / name)) continue;
    PT_LET(const std::string text, ReadFile(request.earlier / name));
    PT_TRY(WriteFile(request.folder / name, text));
  }
  return Status::OK();
}

// Copies the checkpoints that the fit goes on from, and what was reported until there. They appear
// at once: a kill leaves all or none.
Result<bool> TakeCheckpoints(const FitRequest& request) {
  const fs::path own = request.folder / kCheckpoints, theirs = request.parent / kCheckpoints;
  if (request.parent.empty() || fs::exists(own) || !fs::exists(theirs)) return false;
  const fs::path draft = request.folder / "checkpoints.draft";
  std::error_code error;
  fs::remove_all(draft, error);
  fs::copy(theirs, draft, fs::copy_options::recursive, error);
  if (!error) {
    fs::copy_file(request.parent / kEventsFile, request.folder / kEventsFile,
                  fs::copy_options::overwrite_existing, error);
  }
  if (!error) fs::rename(draft, own, error);
  if (!error) return true;
  return Fail(
      {.exit = error == std::errc::no_space_on_device ? Exit::kNoRoom : Exit::kEnvironment,
       .what = "cannot copy the checkpoints of " + request.parent.string() + ": " + error.message(),
       .where = own.string(),
       .fix = "free some disk space there, and resume the run"});
}

// Deletes the checkpoints and the copies of weights and nets: with many trials they would fill a
// disk, and nothing reads them any more.
void Tidy(const FitRequest& request) {
  std::set<std::string> kept = {kRequestFile, kResultFile, kEventsFile, kStagesFile};
  if (request.keeps_checkpoints) kept.insert(kCheckpoints);
  const fs::path& folder = request.folder;
  std::error_code ignored;
  std::vector<fs::path> rest;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!kept.contains(entry.path().filename().string())) rest.push_back(entry.path());
  }
  for (const fs::path& each : rest) fs::remove_all(each, ignored);
}

Result<double> ReadMetric(const Json& measured, const std::string& metric) {
  const Json value = measured.value(metric, Json());
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} has no value on the rows that were held out", metric),
               .fix = "hold out more rows, or choose another metric"});
}

// Adds what the clock measures, if it is asked for.
Status MeasureTimes(Session& session, const FitRequest& request, const PipelineModel& model,
                    Json& measured) {
  if (!IsTimed(request.metric) && !std::ranges::any_of(request.also, IsTimed)) return Status::OK();
  const DataFrame rows(session, request.held_out ? request.held_out : request.learning);
  PT_LET(const PredictionTimes times, TimePredictions(model, rows));
  measured["latency_us"] = times.latency_us;
  measured["predict_seconds"] = times.seconds_a_million;
  return Status::OK();
}

Status Measure(Session& session, const FitRequest& request, FitResult& result) {
  PT_LET(const PipelineModel model,
         FitAsGiven(request.pipeline, DataFrame(session, request.learning)));
  if (request.held_out) {
    const DataFrame held_out(session, request.held_out);
    const DataFrame scored = model.Transform(held_out, ListLabels(request.estimator));
    PT_TRY(model.Explain(scored.Run().status()));
  }
  const Json results = StateOf(session).record().results();
  result.best_epoch = results.value("best_epoch", int64_t{0});
  result.measured = results.value("metrics", Json::object())
                        .value(request.held_out ? "test" : "validation", Json::object());
  result.measured.erase("rows");
  PT_TRY(MeasureTimes(session, request, model, result.measured));
  for (const std::string& name : request.also) {
    PT_TRY(ReadMetric(result.measured, name).status());
  }
  PT_LET(result.value, ReadMetric(result.measured, request.metric));
  return Status::OK();
}

// The metric after each epoch or round of a fit, one after another from 1 on. Those of an earlier
// command are read from its events. One thread at a time.
class Curve {
 public:
  explicit Curve(const FitRequest& request) : request_(request) {}

  void Read(const fs::path& events) {
    const Result<std::vector<Json>> read = ReadEvents(events);
    if (!read.ok()) return;
    for (const Json& each : *read) Take(each);
  }
  void Read(const FitResult& result) {
    for (const Json& each : result.curve) Add(each.is_number() ? each.get<double>() : std::nan(""));
  }
  void Take(const Json& event) {
    if (!Is<Validated>(event) || !event.contains(request_.metric)) return;
    const int64_t step = WholeAt(event, "epoch");
    const Json& value = event[request_.metric];
    if (step == int64_t(values_.size()) + 1) {
      Add(value.is_number() ? value.get<double>() : std::nan(""));
    }
    lacks_ = lacks_ || step > int64_t(values_.size());
  }
  // Whether somebody follows, and steps are missing: a kill came between what was saved and what
  // was noted.
  bool lacks() const { return lacks_ && request_.follow; }
  const Json& values() const { return values_; }

 private:
  void Add(double value) {
    values_.push_back(std::isnan(value) ? Json() : Json(value));
    if (request_.follow) request_.follow(int64_t(values_.size()), value);
  }

  const FitRequest& request_;
  Json values_ = Json::array();
  bool lacks_ = false;
};

Status Dropped() {
  return Fail({.exit = Exit::kStopped, .what = "the search ended before this trial"});
}

// A stop of the search or of this fit alone.
class EitherStop {
 public:
  EitherStop(const std::stop_token& a, const std::stop_token& b)
      : a_(a, Request{this}), b_(b, Request{this}) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    EitherStop* either;
    void operator()() const { either->source_.request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> a_, b_;
};

Result<FitResult> FitAnew(Session& parent, const FitRequest& request, Curve& curve, bool resume) {
  const std::stop_token stopped = StateOf(parent).options().call.stop;
  const EitherStop early(request.prune, request.drop);
  const EitherStop stop(stopped, early.token());
  PT_LET(const auto events, EventLog::Open(request.folder / kEventsFile));
  PT_LET(const auto session, OpenSubSession(parent, {.folder = request.folder,
                                                     .resume = resume,
                                                     .rows_memory_bytes = request.rows_memory_bytes,
                                                     .shared_rows = request.shared_rows,
                                                     .stop = stop.token(),
                                                     // The log remembers its first failure.
                                                     .events = [&](const Json& event) {
                                                       (void)events->Append(event);
                                                       curve.Take(event);
                                                     }}));
  const auto since = Clock::now();
  FitResult result;
  const Status status = Measure(*session, request, result);
  if (!status.ok() && request.drop.stop_requested()) return Dropped();
  PT_TRY(GiveLearned(request));
  result.seconds = std::chrono::duration<double>(Clock::now() - since).count();
  result.curve = curve.values();
  result.pruned = !status.ok() && request.prune.stop_requested() && !stopped.stop_requested() &&
                  (FaultOf(status).exit == Exit::kStopped || !EndsSearch(status));
  if (result.pruned) return result;
  if (!status.ok() && EndsSearch(status)) return status;
  result.error = StatusToJson(status);
  return result;
}

}  // namespace

Result<FitResult> RunFit(Session& parent, const FitRequest& request) {
  PT_LET(bool begun, Enter(request, StateOf(parent).options().resume));
  if (!begun) PT_TRY(TakeEarlier(request));
  std::optional<Curve> curve(std::in_place, request);
  if (const auto known = ReadResult(request.folder, request)) {
    curve->Read(*known);
    return *known;
  }
  PT_LET(const bool goes_on, TakeCheckpoints(request));
  if (begun || goes_on) curve->Read(request.folder / kEventsFile);
  PT_LET(const bool learned, TakeLearned(request));
  PT_LET(FitResult result, FitAnew(parent, request, *curve, begun || goes_on || learned));
  if (curve->lacks()) {
    // What was missed cannot be known but by doing it again.
    PT_LET(begun, Enter(request, false));
    curve.emplace(request);
    PT_LET(result, FitAnew(parent, request, *curve, false));
  }
  PT_TRY(WriteFile(request.folder / kResultFile, Pretty(FieldsToJson(result))));
  Tidy(request);
  return result;
}

void DropCheckpoints(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder / kCheckpoints, ignored);
}

}  // namespace protium
