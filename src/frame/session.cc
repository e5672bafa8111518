// SPDX-License-Identifier: Apache-2.0
#include "frame/session.h"

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "column/metrics.h"
#include "frame/inputs.h"
#include "frame/open.h"
#include "frame/outputs.h"
#include "os/file.h"

namespace protium {
namespace {

// The place of a dotted key in nested objects, made when missing.
Json& At(Json& root, std::string_view key) {
  Json* place = &root;
  for (size_t begin = 0; begin <= key.size();) {
    const size_t end = std::min(key.find('.', begin), key.size());
    if (!place->is_object()) *place = Json::object();
    place = &(*place)[std::string(key.substr(begin, end - begin))];
    begin = end + 1;
  }
  return *place;
}

double SecondsSince(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Adds the state `more` to the state `into`, which may be null.
Status MergeState(const Json& more, Json& into) {
  PT_LET(MetricState state, MetricState::FromJson(more));
  if (into.is_object()) PT_TRY(state.Merge(into));
  into = state.ToJson();
  return Status::OK();
}

// Null when no row was scored.
Result<Json> ValuesOf(const Json& json, bool with_rows) {
  PT_LET(const MetricState state, MetricState::FromJson(json));
  if (state.rows() == 0) return Json();
  Json values = state.Values();
  if (with_rows) values["rows"] = state.rows();
  return values;
}

// [{"task", "ranks": [{"rank", "host", "cores", "gpus"}], "note"}], one a gang.
Json GangsOf(const Json& placement) {
  Json gangs = Json::array();
  for (const Json& each : placement) {
    Json gang = {{"task", each.value("task", "")}};
    const Json seats = each.value("ranks", Json());
    if (seats.is_object()) gang.update(seats);
    gangs.push_back(std::move(gang));
  }
  return gangs;
}

}  // namespace

Session::Session(SessionOptions options, std::unique_ptr<Engine> engine)
    : options_(std::move(options)), engine_(std::move(engine)) {}

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::Open(SessionOptions options) {
  if (!options.folder.empty()) {
    options.folder = std::filesystem::absolute(options.folder).lexically_normal();
    PT_TRY(MakeFolder(options.folder));
  }
  const auto file =
      options.folder.empty() ? std::filesystem::path() : options.folder / "inputs.json";
  PT_LET(InputRecord inputs, InputRecord::Open(file, options.resume));
  PT_TRY(FieldsFromJson(SettingsOf(options, "engine.spark"), "engine.spark", options.spark));
  PT_LET(std::unique_ptr<Engine> engine, OpenEngine(options));
  std::unique_ptr<Session> session(new Session(std::move(options), std::move(engine)));
  session->inputs_ = std::make_unique<InputRecord>(std::move(inputs));
  return session;
}

void Session::Table(const std::string& name, const DataFrame& frame) {
  Plan plan = frame.plan();
  if (const auto* scan = std::get_if<Scan>(&plan->verb); scan != nullptr && scan->table != name) {
    Scan named = *scan;
    named.table = name;
    plan = MakePlan(std::move(named));
  }
  for (auto& [each, kept] : tables_) {
    if (each != name) continue;
    kept = std::move(plan);
    return;
  }
  tables_.emplace_back(name, std::move(plan));
}

DataFrame Session::Table(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [each, plan] : tables_) {
    if (each == name) return {*this, plan};
    known.push_back(each);
  }
  return {*this, MakePlan(Broken{Fail({.exit = Exit::kUsage,
                                       .what = "there is no table \"" + name + "\"",
                                       .fix = Suggest(name, known)})})};
}

DataFrame Session::Sql(std::string text) {
  protium::Sql sql{.text = std::move(text)};
  std::vector<Plan> inputs;
  for (const auto& [name, plan] : tables_) {
    sql.names.push_back(name);
    inputs.push_back(plan);
  }
  return {*this, MakePlan(std::move(sql), std::move(inputs))};
}

std::string Session::Setting(const std::string& name, const std::string& fallback) const {
  asked_.insert(name);
  const auto found = options_.settings.find(name);
  if (found == options_.settings.end()) return fallback;
  return found->second.is_string() ? found->second.get<std::string>() : Dump(found->second);
}

Json Session::Settings(const std::string& group) const {
  asked_.insert(group);
  return SettingsOf(options_, group);
}

Status Session::CheckSettings() const {
  for (const auto& [key, value] : options_.settings) {
    const auto covers = [&key = key](const std::string& asked) {
      return key == asked || key.starts_with(asked + ".");
    };
    if (std::any_of(asked_.begin(), asked_.end(), covers)) continue;
    if (covers("engine.spark")) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown setting \"" + key + "\"",
                 .where = "--set " + key + "=" + Dump(value),
                 .fix = Suggest(key, std::vector<std::string>(asked_.begin(), asked_.end())),
                 .kept = "nothing was started"});
  }
  return Status::OK();
}

Json SettingsOf(const SessionOptions& options, const std::string& group) {
  Json all = Json::object();
  for (const auto& [key, value] : options.settings) {
    if (key == group && value.is_object()) {
      for (const auto& [inner, each] : value.items()) At(all, inner) = each;
    } else if (key.starts_with(group + ".")) {
      At(all, std::string_view(key).substr(group.size() + 1)) = value;
    }
  }
  return all;
}

std::filesystem::path Session::OutputPath(const std::filesystem::path& path) const {
  return (options_.folder / path).lexically_normal();
}

Status Session::CheckOutput(const std::filesystem::path& path) const {
  PT_TRY(RefuseUpward(path));
  const std::filesystem::path target = OutputPath(path);
  PT_TRY(RefuseInputs(*inputs_, target));
  if (!options_.folder.empty()) {
    const std::filesystem::path inside = target.lexically_relative(options_.folder);
    if (!inside.empty() && *inside.begin() != "..") return RefuseOwnFiles(inside);
  }
  const std::lock_guard lock(mutex_);
  const Json written = results_.value("output_rows", Json::object());
  return options_.force || written.contains(target.string()) ? Status::OK()
                                                             : RefuseExisting(target);
}

Result<Json> Session::Describe(const Plan& plan) {
  PT_LET(const EnginePlan explained, engine_->Explain(plan, call()));
  return Json{{"engine", engine_->address()},
              {"tree", Explain(plan)},
              {"sql", explained.sql},
              {"not_exact", explained.not_exact},
              {"placement", GangsOf(explained.placement)}};
}

Status Session::TellPlan(const Plan& plan, const Json& more) {
  PT_LET(Json told, Describe(plan));
  told.update(more);
  options_.planned(std::move(told));
  return Status::OK();
}

Status Session::NotRun() {
  return Fail({.exit = Exit::kStopped, .what = "nothing was run: only the plan was asked for"});
}

Call Session::call() {
  Call call = options_.call;
  call.events = [this](const Json& event) { Watch(event); };
  return call;
}

void Session::Watch(const Json& event) {
  const auto found = event.find("event");
  const std::string name =
      found != event.end() && found->is_string() ? found->get<std::string>() : "";
  if (name == "step") {
    const std::lock_guard lock(mutex_);
    Json& first = At(results_, "seconds.first_step");
    if (first.is_null()) first = SecondsSince(options_.started);
  } else if (name == "score_metrics") {
    MergeScores(event);
  }
  options_.call.Tell(event);
}

void Session::BeginScoring() {
  const std::lock_guard lock(mutex_);
  scores_ = Json::object();
}

// A state that cannot be read belongs to a task that is not ours: its metrics are left out.
void Session::MergeScores(const Json& event) {
  const std::lock_guard lock(mutex_);
  const std::pair<const char*, const char*> kinds[] = {{"model", "metrics.test"},
                                                       {"baseline", "metrics.baseline"}};
  for (const auto& [kind, key] : kinds) {
    const auto found = event.find(kind);
    if (found == event.end() || !found->is_object()) continue;
    if (!MergeState(*found, scores_[kind]).ok()) continue;
    Result<Json> values = ValuesOf(scores_[kind], std::string_view(kind) == "model");
    if (values.ok() && !values->is_null()) At(results_, key) = *std::move(values);
  }
}

void Session::Record(std::string_view key, Json value) {
  const std::lock_guard lock(mutex_);
  At(results_, key) = std::move(value);
}

void Session::AddOutput(const std::string& path, int64_t rows) {
  const std::lock_guard lock(mutex_);
  Json& outputs = results_["outputs"];
  if (!outputs.is_array()) outputs = Json::array();
  if (std::find(outputs.begin(), outputs.end(), path) == outputs.end()) outputs.push_back(path);
  results_["output_rows"][path] = rows;
}

void Session::AddSeconds(std::string_view what, Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  Json& seconds = At(results_, "seconds." + std::string(what));
  seconds = (seconds.is_number() ? seconds.get<double>() : 0) + SecondsSince(since);
}

Json Session::results() const {
  const std::lock_guard lock(mutex_);
  return results_;
}

}  // namespace protium
