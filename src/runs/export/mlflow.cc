// SPDX-License-Identifier: Apache-2.0
#include "export/mlflow.h"

#include <fmt/format.h>
#include <protium/version.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "export/mlflow_run.h"
#include "os/file.h"
#include "run/folder.h"
#include "run/summary.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostFiles = 2000;

// Sends one run; the member functions are in the order in which Send() calls them.
class MlflowSender {
 public:
  MlflowSender(const SendOptions& options, const RunFacts& facts, Service& service)
      : options_(options), facts_(facts), service_(service) {}

  Result<Sent> Send() {
    PT_LET(experiment_, FindExperiment());
    if (!options_.again) PT_TRY(RefuseTwice());
    PT_LET(MlflowRun run, MlflowRun::Create(service_, Start()));
    const double ended = SecondsOf(TextAt(facts_.run, "ended"));
    const Status filled = Fill(run);
    if (!filled.ok()) {
      // If this fails, too, the first failure says more.
      (void)run.End("FAILED", ended);
      return filled;
    }
    const std::string& state = TextAt(facts_.run, "state");
    PT_TRY(run.End(state == "done"      ? "FINISHED"
                   : state == "running" ? "RUNNING"
                   : state == "failed"  ? "FAILED"
                                        : "KILLED",
                   ended));
    sent_.where = fmt::format("{}/#/experiments/{}/runs/{}", options_.uri, experiment_, run.id());
    return std::move(sent_);
  }

 private:
  Result<std::string> FindExperiment() {
    const std::string& job = TextAt(facts_.run, "name");
    const std::string name = job.empty() ? "protium" : job;
    const std::string path = std::string(kMlflowApi) + "experiments/get-by-name?experiment_name=";
    PT_LET(const ServiceAnswer found, service_.Get(path + UrlPath(name)));
    if (found.status == 200) {
      return TextAt(found.body.value("experiment", Json()), "experiment_id");
    }
    // 404: no experiment with this name exists yet.
    if (found.status != 404) return service_.Refused("experiments/get-by-name", found);
    PT_LET(const Json made, AskMlflow(service_, "experiments/create", {{"name", name}}));
    return TextAt(made, "experiment_id");
  }

  Status RefuseTwice() {
    // MLflow requires backticks around a key with a point.
    PT_LET(const Json found,
           AskMlflow(service_, "runs/search",
                     {{"experiment_ids", {experiment_}},
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

  // Tags that begin with "mlflow." are shown on MLflow's page; RefuseTwice() finds the run by
  // "protium.run".
  MlflowStart Start() const {
    return {.experiment = experiment_,
            .name = facts_.id,
            .started = SecondsOf(TextAt(facts_.run, "started")),
            .tags = {{"mlflow.runName", facts_.id},
                     {"mlflow.source.type", "JOB"},
                     {"mlflow.source.name", "protium"},
                     {"mlflow.note.content", TextAt(facts_.run, "note")},
                     {"protium.run", facts_.id},
                     {"protium.version", PROTIUM_VERSION},
                     {"protium.weights_sha256", TextAt(facts_.result, "weights_sha256")}}};
  }

  Status Fill(MlflowRun& run) {
    PT_TRY(run.LogParams(facts_.settings));
    PT_TRY(SendMetrics(run));
    for (std::string& each : run.LeftOut()) sent_.left_out.push_back(std::move(each));
    PT_TRY(SendTrialsToMlflow(service_, experiment_, run.id(), facts_, sent_.left_out));
    return SendFiles(run);
  }

  Status SendMetrics(MlflowRun& run) const {
    for (const auto& [name, points] : facts_.series) PT_TRY(run.LogPoints(name, points));
    // Final values are at the last step, beside the curves, as "test/rmse" and "baseline/rmse".
    const double ended = SecondsOf(TextAt(facts_.run, "ended"));
    const Json all = facts_.result.value("metrics", Json());
    const int64_t step = WholeAt(facts_.result, "steps");
    for (const char* side : {"test", "baseline"}) {
      const Json values = all.is_object() ? all.value(side, Json()) : Json();
      if (!values.is_object()) continue;
      for (const auto& [name, value] : values.items()) {
        if (!value.is_number()) continue;
        const std::vector<SeriesPoint> last = {{step, ended, value.get<double>()}};
        PT_TRY(run.LogPoints(fmt::format("{}/{}", side, name), last));
      }
    }
    return run.Flush();
  }

  // Servers that store artifacts themselves accept them over HTTP; for others, only MLflow's own
  // client knows how to store them.
  Status SendFiles(const MlflowRun& run) {
    constexpr std::string_view kOwn = "mlflow-artifacts:/";
    if (!run.artifacts().starts_with(kOwn)) {
      sent_.left_out.push_back(fmt::format(
          "the model's files: the server keeps artifacts at {}, not itself (mlflow server "
          "--serve-artifacts)",
          run.artifacts()));
      return Status::OK();
    }
    folder_ = run.artifacts().substr(kOwn.size());
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
    return PutMlmodel(model, run.id());
  }

  Status PutMlmodel(const fs::path& model, const std::string& id) {
    PT_LET(const TemporaryFolder scratch, TemporaryFolder::Make());
    const fs::path file = scratch.path() / "MLmodel";
    PT_TRY(WriteFile(file, MlmodelText(model, TextAt(facts_.run, "ended"), id)));
    return Put(file, "model/MLmodel");
  }

  Status Put(const fs::path& file, const std::string& as) {
    const std::string path = "/api/2.0/mlflow-artifacts/artifacts/" + UrlPath(folder_ + "/" + as);
    PT_LET(const ServiceAnswer answer, service_.Put(path, file));
    return answer.status == 200 ? Status::OK() : service_.Refused("the file " + as, answer);
  }

  const SendOptions& options_;
  const RunFacts& facts_;
  Service& service_;
  std::string experiment_, folder_;
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
