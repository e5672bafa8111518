// SPDX-License-Identifier: Apache-2.0
#include "export/mlflow.h"

#include <fmt/format.h>
#include <protium/version.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "base/utf8.h"
#include "os/file.h"
#include "run/folder.h"
#include "run/summary.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kApi = "/api/2.0/mlflow/";
constexpr size_t kMetricsAtOnce = 1000, kParamsAtOnce = 100;  // The server accepts no more.
constexpr size_t kMostText = 500;  // Of a parameter: the limit that servers of all versions accept.
constexpr size_t kMostFiles = 2000;

// Makes a name that the server accepts: letters, digits, "_", "-", ".", " ", ":" and "/".
std::string NameOf(const std::string& name) {
  std::string made;
  for (const char c : name) {
    const bool plain = std::isalnum(uint8_t(c)) != 0 ||
                       std::string_view("_-. :/").find(c) != std::string_view::npos;
    made += plain ? c : '_';
  }
  // The server accepts no longer ones.
  return made.substr(0, 250);
}

// Converts seconds since 1970 to milliseconds, which MLflow uses for all times.
int64_t Millis(double seconds) { return std::isfinite(seconds) ? int64_t(seconds * 1000) : 0; }

// Sends one run; the member functions are in the order in which Send() calls them.
class MlflowSender {
 public:
  MlflowSender(const SendOptions& options, const RunFacts& facts, Service& service)
      : options_(options), facts_(facts), service_(service) {}

  Result<Sent> Send() {
    PT_LET(experiment_, FindExperiment());
    if (!options_.again) PT_TRY(RefuseTwice());
    PT_TRY(CreateRun());
    const Status filled = Fill();
    if (!filled.ok()) {
      // If this fails, too, the first failure says more.
      (void)End("FAILED");
      return filled;
    }
    const std::string& state = TextAt(facts_.run, "state");
    PT_TRY(End(state == "done"      ? "FINISHED"
               : state == "running" ? "RUNNING"
               : state == "failed"  ? "FAILED"
                                    : "KILLED"));
    sent_.where = fmt::format("{}/#/experiments/{}/runs/{}", options_.uri, experiment_, id_);
    return std::move(sent_);
  }

 private:
  Result<Json> Ask(const std::string& what, const Json& request) {
    PT_LET(const ServiceAnswer answer, service_.Post(std::string(kApi) + what, Dump(request)));
    if (answer.status == 200) return answer.body;
    return service_.Refused(what, answer);
  }

  Result<std::string> FindExperiment() {
    const std::string& job = TextAt(facts_.run, "name");
    const std::string name = job.empty() ? "protium" : job;
    const std::string path = std::string(kApi) + "experiments/get-by-name?experiment_name=";
    PT_LET(const ServiceAnswer found, service_.Get(path + UrlPath(name)));
    if (found.status == 200) {
      return TextAt(found.body.value("experiment", Json()), "experiment_id");
    }
    // 404: no experiment with this name exists yet.
    if (found.status != 404) return service_.Refused("experiments/get-by-name", found);
    PT_LET(const Json made, Ask("experiments/create", {{"name", name}}));
    return TextAt(made, "experiment_id");
  }

  Status RefuseTwice() {
    // MLflow requires backticks around a key with a point.
    PT_LET(const Json found,
           Ask("runs/search", {{"experiment_ids", {experiment_}},
                               {"filter", fmt::format("tags.`protium.run` = '{}'", facts_.id)},
                               {"max_results", 1}}));
    const Json runs = found.value("runs", Json());
    if (!runs.is_array() || runs.empty()) return Status::OK();
    const Json info = runs[0].is_object() ? runs[0].value("info", Json()) : Json();
    const std::string& id = TextAt(info, "run_id");
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} has run {} already, as {}", options_.uri, facts_.id, id),
                 .fix = "--force to send it once more, as another run"});
  }

  Status CreateRun() {
    Json tags = Json::array();
    const auto tag = [&](const std::string& key, const std::string& value) {
      if (!value.empty()) tags.push_back({{"key", key}, {"value", value.substr(0, 5000)}});
    };
    // Tags that begin with "mlflow." are shown on MLflow's page; RefuseTwice() finds the run by
    // "protium.run".
    tag("mlflow.runName", facts_.id);
    tag("mlflow.source.type", "JOB");
    tag("mlflow.source.name", "protium");
    tag("mlflow.note.content", TextAt(facts_.run, "note"));
    tag("protium.run", facts_.id);
    tag("protium.version", PROTIUM_VERSION);
    tag("protium.weights_sha256", TextAt(facts_.result, "weights_sha256"));
    PT_LET(const Json made,
           Ask("runs/create", {{"experiment_id", experiment_},
                               {"run_name", facts_.id},
                               {"start_time", Millis(SecondsOf(TextAt(facts_.run, "started")))},
                               {"tags", tags}}));
    const Json info = made.value("run", Json::object()).value("info", Json());
    id_ = TextAt(info, "run_id");
    artifacts_ = TextAt(info, "artifact_uri");
    if (!id_.empty()) return Status::OK();
    return Fail({.exit = Exit::kRemote, .what = options_.uri + " made a run without a run_id"});
  }

  Status Fill() {
    PT_TRY(SendParams());
    PT_TRY(SendMetrics());
    return SendFiles();
  }

  Status SendParams() {
    Json params = Json::array();
    for (const auto& [key, value] : facts_.settings.items()) {
      std::string text = value.is_string() ? value.get<std::string>() : Dump(value);
      if (text.size() > kMostText) {
        ++cut_;
        text = CutText(text, kMostText);
      }
      params.push_back({{"key", NameOf(key)}, {"value", std::move(text)}});
    }
    if (cut_ > 0) {
      sent_.left_out.push_back(
          fmt::format("the ends of {} settings of more than {} bytes", cut_, kMostText));
    }
    return Batches("params", params, kParamsAtOnce);
  }

  Status SendMetrics() {
    Json metrics = Json::array();
    int64_t odd = 0;
    const auto add = [&](const std::string& name, double value, double time, int64_t step) {
      if (!std::isfinite(value)) {
        ++odd;
        return;
      }
      metrics.push_back(
          {{"key", NameOf(name)}, {"value", value}, {"timestamp", Millis(time)}, {"step", step}});
    };
    for (const auto& [name, points] : facts_.series) {
      for (const SeriesPoint& point : points) add(name, point.value, point.time, point.step);
    }
    // Final values are at the last step, beside the curves, as "test/rmse" and "baseline/rmse".
    const double ended = SecondsOf(TextAt(facts_.run, "ended"));
    const Json all = facts_.result.value("metrics", Json());
    const Json steps = facts_.result.value("steps", Json());
    for (const char* side : {"test", "baseline"}) {
      const Json values = all.is_object() ? all.value(side, Json()) : Json();
      if (!values.is_object()) continue;
      for (const auto& [name, value] : values.items()) {
        if (!value.is_number()) continue;
        add(fmt::format("{}/{}", side, name), value.get<double>(), ended,
            steps.is_number() ? steps.get<int64_t>() : 0);
      }
    }
    if (odd > 0) sent_.left_out.push_back(fmt::format("{} points that are not finite", odd));
    return Batches("metrics", metrics, kMetricsAtOnce);
  }

  Status Batches(const char* what, const Json& list, size_t at_once) {
    for (size_t begin = 0; begin < list.size(); begin += at_once) {
      const size_t end = std::min(list.size(), begin + at_once);
      const Json some(list.begin() + std::ptrdiff_t(begin), list.begin() + std::ptrdiff_t(end));
      PT_TRY(Ask("runs/log-batch", {{"run_id", id_}, {what, some}}).status());
    }
    return Status::OK();
  }

  // Servers that store artifacts themselves accept them over HTTP; for others, only MLflow's own
  // client knows how to store them.
  Status SendFiles() {
    constexpr std::string_view kOwn = "mlflow-artifacts:/";
    if (!artifacts_.starts_with(kOwn)) {
      sent_.left_out.push_back(fmt::format(
          "the model's files: the server keeps artifacts at {}, not itself (mlflow server "
          "--serve-artifacts)",
          artifacts_));
      return Status::OK();
    }
    folder_ = artifacts_.substr(kOwn.size());
    // "mlflow-artifacts://host:port/..." names the server, too.
    if (folder_.starts_with('/')) folder_.erase(0, std::min(folder_.find('/', 1), folder_.size()));
    while (folder_.starts_with('/')) folder_.erase(0, 1);
    for (const char* file : {"report.html", "result.json", "job.json", "profile.json"}) {
      std::error_code ignored;
      if (fs::exists(options_.run / file, ignored)) PT_TRY(Put(options_.run / file, file));
    }
    const fs::path model = options_.run / "model";
    std::error_code error;
    if (!fs::exists(model / "model.json", error)) {
      sent_.left_out.push_back("a model: the run has none");
      return Status::OK();
    }
    size_t files = 0;
    for (fs::recursive_directory_iterator it(model, error), end; it != end && !error;
         it.increment(error)) {
      if (!it->is_regular_file(error)) continue;
      if (++files > kMostFiles) break;
      PT_TRY(Put(it->path(), "model/" + fs::relative(it->path(), model).generic_string()));
    }
    if (error) return SystemFault("read " + model.string(), error.value());
    if (files > kMostFiles) {
      sent_.left_out.push_back(fmt::format("a model: it has more than {} files", kMostFiles));
      return Status::OK();
    }
    // Last: this file makes MLflow recognise the folder as a model.
    return PutMlmodel(model);
  }

  Status PutMlmodel(const fs::path& model) {
    PT_LET(const TemporaryFolder scratch, TemporaryFolder::Make());
    const fs::path file = scratch.path() / "MLmodel";
    PT_TRY(WriteFile(file, MlmodelText(model, TextAt(facts_.run, "ended"), id_)));
    return Put(file, "model/MLmodel");
  }

  Status Put(const fs::path& file, const std::string& as) {
    const std::string path = "/api/2.0/mlflow-artifacts/artifacts/" + UrlPath(folder_ + "/" + as);
    PT_LET(const ServiceAnswer answer, service_.Put(path, file));
    return answer.status == 200 ? Status::OK() : service_.Refused("the file " + as, answer);
  }

  Status End(const char* status) {
    Json request = {{"run_id", id_}, {"status", status}};
    const double ended = SecondsOf(TextAt(facts_.run, "ended"));
    if (ended > 0) request["end_time"] = Millis(ended);
    return Ask("runs/update", request).status();
  }

  const SendOptions& options_;
  const RunFacts& facts_;
  Service& service_;
  std::string experiment_, id_, artifacts_, folder_;
  size_t cut_ = 0;
  Sent sent_;
};

// MLflow's types of columns.
std::string MlflowType(const std::string& type) {
  if (type.starts_with("int64") || type.starts_with("uint")) return "long";
  if (type.starts_with("int")) return "integer";
  if (type.starts_with("bool")) return "boolean";
  if (type == "float" || type == "float32") return "float";
  if (type.starts_with("double") || type == "float64" || type.starts_with("decimal"))
    return "double";
  if (type.starts_with("timestamp") || type.starts_with("date")) return "datetime";
  return "string";
}

}  // namespace

// JSON's texts and lists are valid YAML.
std::string MlmodelText(const fs::path& model, const std::string& created,
                        const std::string& mlflow_run) {
  const Json schema = ReadJson(model / "schema.json");
  Json inputs = Json::array();
  const Json columns = schema.value("input", Json());
  for (const Json& each : columns.is_array() ? columns : Json::array()) {
    const std::string& name = TextAt(each, "name");
    if (name.empty()) continue;
    inputs.push_back(
        {{"type", MlflowType(TextAt(each, "type"))}, {"name", name}, {"required", true}});
  }
  std::string text = fmt::format(
      "artifact_path: model\nflavors:\n  protium:\n    data: .\n    protium_version: {}\n",
      Dump(PROTIUM_VERSION));
  text += fmt::format("run_id: {}\nutc_time_created: {}\n", Dump(mlflow_run), Dump(created));
  if (!inputs.empty()) {
    // MLflow expects the columns of a signature as JSON inside a text, hence Dump() twice.
    text += fmt::format("signature:\n  inputs: {}\n  outputs: null\n  params: null\n",
                        Dump(Dump(inputs)));
  }
  return text;
}

Result<Sent> SendToMlflow(const SendOptions& options, const RunFacts& facts, Service& service) {
  return MlflowSender(options, facts, service).Send();
}

}  // namespace protium
