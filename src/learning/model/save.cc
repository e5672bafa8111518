// SPDX-License-Identifier: Apache-2.0
// Saves and loads a model: PipelineModel::Save() and Load(). Loading places the saved pipeline on
// the saved training schema and restores what each stage learned, so a loaded model has the same
// Chain as a fitted one and all later code is shared. Every error in the files is a fault of
// Exit::kInput that names the file.
#include <arrow/type.h>

#include <utility>

#include "base/fault.h"
#include "column/schema.h"
#include "frame/outputs.h"
#include "frame/session_state.h"
#include "model/background.h"
#include "model/kept_history.h"
#include "model/model_folder.h"
#include "model/model_state.h"
#include "model/model_version1.h"
#include "model/net_library.h"
#include "model/onnx_model.h"
#include "model/stage_files.h"
#include "onnx_runtime/net.h"
#include "pipeline/explained.h"
#include "pipeline/history.h"
#include "pipeline/learned.h"

namespace protium {
namespace {

Result<Json> DescribeSchemas(const ModelState& state) {
  PT_LET(const Json training, SchemaToJson(*state.input));
  PT_LET(const Json output, SchemaToJson(*AddedColumns(state)));
  PT_LET(const Json input, SchemaToJson(*NeededColumns(state)));
  return Json{{"input", input}, {"output", output}, {"training", training}};
}

// A loaded model has the metrics that it was saved with; a fitted one has those of its run.
Json CollectMetrics(const ModelState& state) {
  if (!state.metrics.empty()) return state.metrics;
  Json metrics = Json::object();
  const Json results = StateOf(*state.session).record().results();
  if (results.contains("metrics")) metrics = results["metrics"];
  const TrainResult& trained = state.trained;
  metrics["training"] = {{"rows", trained.rows},
                         {"validation_rows", trained.validation_rows},
                         {"steps", trained.steps},
                         {"best_epoch", trained.best_epoch},
                         {"history", trained.history}};
  const Chain& chain = *state.chain;
  const bool rounds =
      chain.estimator &&
      chain.estimator->kind->DescribeTraining(chain.options.back().options).contains("rounds");
  if (rounds) metrics["training"]["rounds"] = trained.steps;
  if (!trained.rounded.is_null()) metrics["training"]["rounded"] = trained.rounded;
  if (!trained.importance.is_null()) metrics["importance"] = trained.importance;
  if (!trained.splits.is_null()) metrics["splits"] = trained.splits;
  return metrics;
}

// Prefixes an error in a file's contents with the file's name and makes it an input fault: the same
// checks are usage faults in a job file.
template <class T>
Result<T> Read(const std::filesystem::path& file, Result<T> result) {
  if (result.ok()) return result;
  Fault fault = FaultOf(result.status());
  fault.exit = Exit::kInput;
  fault.what = file.string() + ": " + fault.what;
  return Fail(std::move(fault));
}

Result<NetConfig> NetFromJson(const Json& json) {
  NetConfig net;
  PT_TRY(FieldsFromJson(json, "", net));
  return net;
}

Result<SchemaPtr> TrainingSchema(const Json& json) {
  if (!json.is_object() || !json.contains("training"))
    return Fail({.exit = Exit::kInput, .what = "no key \"training\""});
  return SchemaFromJson(json["training"]);
}

const Json& FileOr(const ModelFiles& files, const std::string& name, const Json& otherwise) {
  const auto found = files.json.find(name);
  return found == files.json.end() ? otherwise : found->second;
}

Status FindHistory(const std::filesystem::path& folder, const ModelFiles& files, const Chain& chain,
                   ModelState& state) {
  if (!ReadsHistory(chain)) return Status::OK();
  const auto found = files.others.find(kHistoryFile);
  if (found == files.others.end()) {
    return Fail({.exit = Exit::kInput,
                 .what = "model folder " + folder.string() +
                         " has stages that read earlier rows, but no " + kHistoryFile});
  }
  state.history = found->second.string();
  return Status::OK();
}

// net.json is for other programs. Here it follows from pipeline.json and stages.json; if they
// disagree, the folder has been tampered with or mixed up.
Status LoadNet(const std::filesystem::path& folder, const ModelFiles& files, ModelState& state) {
  if (files.weights.empty() || !files.json.contains("net.json")) {
    return Fail({.exit = Exit::kInput,
                 .what = "model folder " + folder.string() +
                         " has an estimator but no net.json or no weights.safetensors"});
  }
  PT_LET(state.net, Read(folder / "net.json", NetFromJson(files.json.at("net.json"))));
  const EstimatorKind& kind = *state.chain->estimator->kind;
  PT_LET(state.net.net,
         Read(folder / "net.json", kind.FromFolder(folder, state.net.net, state.chain->catalogue)));
  if (!FieldsEqual(state.net, MakeNetConfig(*state.chain, state.learned))) {
    return Fail({.exit = Exit::kInput,
                 .what = (folder / "net.json").string() + " does not fit pipeline.json and "
                                                          "stages.json"});
  }
  state.trained.weights = files.weights.string();
  state.trained.weights_sha256 = files.weights_sha256;
  const auto background = files.others.find(kBackgroundFile);
  if (background != files.others.end()) state.trained.background = background->second.string();
  state.trained.fingerprint = FileOr(files, "fingerprint.json", Json::object());
  return Status::OK();
}

}  // namespace

SchemaPtr AddedColumns(const ModelState& state) {
  const Chain& chain = *state.chain;
  // The estimator is the last of the options, and its columns have that position as their maker.
  arrow::FieldVector fields;
  for (const StageColumn& each : chain.columns) {
    const bool predicted = each.maker + 1 == int32_t(chain.options.size());
    if (each.maker >= 0 && (predicted || !chain.estimator)) {
      fields.push_back(arrow::field(each.name, each.type));
    }
  }
  return arrow::schema(std::move(fields));
}

SchemaPtr ScoredColumns(const ModelState& state) {
  arrow::FieldVector fields = AddedColumns(state)->fields();
  for (auto& each : ExplainedFields(state.explain)) fields.push_back(std::move(each));
  return arrow::schema(std::move(fields));
}

Status PipelineModel::Save(const std::filesystem::path& folder) const {
  PT_TRY(RefuseUpward(folder));
  SessionState& session = StateOf(*state_->session);
  const std::filesystem::path target = session.OutputPath(folder);
  PT_TRY(RefuseInputs(session.inputs(), target));
  ModelFiles files{.weights_sha256 = state_->trained.weights_sha256,
                   .weights = state_->trained.weights};
  std::vector<StageOptions> stages = WithFilesKept(state_->chain->options, files.others);
  files.json["stages.json"] = LearnedToJson(*state_->chain, state_->learned);
  PT_LET(files.json["schema.json"], DescribeSchemas(*state_));
  files.json["metrics.json"] = CollectMetrics(*state_);
  files.json["fingerprint.json"] = state_->trained.fingerprint;
  if (state_->chain->estimator) {
    const EstimatorKind& kind = *state_->chain->estimator->kind;
    NetConfig net = state_->net;
    net.net = kind.IntoFolder(std::move(net.net), files.others);
    stages.back().options = kind.WithPredicts(stages.back().options, net.net);
    files.json["net.json"] = FieldsToJson(net);
    const std::string& background = state_->trained.background;
    if (!background.empty()) files.others[kBackgroundFile] = background;
  }
  if (!state_->history.empty()) files.others[kHistoryFile] = state_->history;
  files.json["pipeline.json"] = StagesToJson(stages);
  if (!state_->etl.is_null()) files.json["etl.json"] = state_->etl;
  if (!state_->profile.is_null()) files.json["profile.json"] = state_->profile;
  PT_TRY(WriteModelFolder(target, files));
  session.record().Set("model", target.string());
  return Status::OK();
}

Result<PipelineModel> PipelineModel::Load(Session& session, const std::filesystem::path& folder) {
  if (IsOnnxFile(folder)) return LoadOnnxModel(session, folder);
  PT_LET(ModelFiles files, ReadModelFolder(folder));
  StateOf(session).AlsoReads(std::filesystem::absolute(folder));
  const auto& json = files.json;
  const bool logits = files.version == 1 && PredictsLogits(json.at("pipeline.json"));
  if (files.version == 1) PT_TRY(Annotate(UpgradeVersion1(files), folder.string()));
  PT_LET(Catalogue catalogue, WithBuiltIns(StateOf(session).options().catalogue));
  PT_LET(auto saved, Read(folder / "pipeline.json",
                          StagesFromJson(json.at("pipeline.json"), "pipeline", catalogue)));
  const auto stages = WithFilesFound(std::move(saved), files.others);
  StateOf(session).record().Know(OwnMetrics(StateOf(session).options().catalogue));
  ModelState state{.session = &session, .loaded = true, .measured = !logits};
  PT_LET(state.input, Read(folder / "schema.json", TrainingSchema(json.at("schema.json"))));
  const Analyze analyze = AnalyzeWith(StateOf(session));
  PT_LET(Chain chain, Read(folder / "pipeline.json",
                           PlaceStages(stages, *state.input, std::move(catalogue), analyze)));
  chain.base = StateOf(session).options().base;
  PT_TRY(KeepExtensions(StateOf(session).folder(), chain));
  if (chain.estimator) {
    AnyOptions& own = chain.options.back().options;
    const EstimatorKind& kind = *chain.estimator->kind;
    PT_LET(const Choice predicts, kind.FromFolder(folder, kind.Predicts(own), chain.catalogue));
    own = kind.WithPredicts(own, predicts);
  }
  PT_LET(state.learned,
         Read(folder / "stages.json", LearnedFromJson(json.at("stages.json"), chain, analyze)));
  PT_TRY(FindHistory(folder, files, chain, state));
  state.chain = std::make_shared<const Chain>(std::move(chain));
  state.metrics = FileOr(files, "metrics.json", Json::object());
  state.etl = FileOr(files, "etl.json", Json());
  state.profile = FileOr(files, "profile.json", Json());
  if (state.chain->estimator) PT_TRY(LoadNet(folder, files, state));
  return PipelineModel(std::make_shared<const ModelState>(std::move(state)));
}

}  // namespace protium
