// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "engine/kind.h"
#include "events/events.h"
#include "frame/session_state.h"
#include "metrics/decision.h"
#include "metrics/diagnostics.h"
#include "model/average_options.h"
#include "model/kept_history.h"
#include "model/model_state.h"
#include "model/net_library.h"
#include "model/preview.h"
#include "model/stage_files.h"
#include "model/train.h"
#include "model/train_average.h"
#include "model/train_on.h"
#include "os/file.h"
#include "pipeline/decimal_columns.h"
#include "pipeline/estimator.h"
#include "pipeline/make_rows.h"
#include "pipeline/named_baseline.h"
#include "pipeline/no_values.h"
#include "pipeline/profile.h"
#include "pipeline/share_rows.h"
#include "pipeline/torch_folder.h"
#include "protium/pipeline.h"
#include "run/terminal.h"
#include "store/store_folder.h"

namespace protium {
namespace {

// The order of fitting, cheapest refusals first:
//
// 1. Place(): settings, columns, types, the net's file. No row is read.
// 2. The event "pipeline" reports what is about to happen; AdmitGang() refuses a gang that can
//    never be seated, and starts workers early so that they load LibTorch while the SQL runs.
//    TakeContinued() takes the kept training that train.continues names, into the run folder.
// 3. MakeRows() evaluates the table once, counts its rows and refuses an empty one.
// 4. LearnStages() fits the stages, or reads what they learned if the run is resumed.
// 5. Train() runs the gang, which resumes automatically from a matching checkpoint.

// Overrides the options of the only estimator by the settings train.*, gang.*, net.*, trees.* and
// loss.*.
Status ApplySettings(const SessionState& session, std::vector<StageOptions>& stages) {
  Json given = Json::object();
  for (const char* name : {"train", "gang", "net", "trees", "loss"}) {
    const Json settings = session.Settings(name);
    if (!settings.empty()) given[name] = settings;
  }
  if (given.empty()) return Status::OK();
  PT_LET(const Catalogue catalogue, WithBuiltIns(session.options().catalogue));
  const auto estimators = std::ranges::count_if(
      stages, [&](const StageOptions& each) { return IsEstimator(catalogue, each.kind); });
  // Settings do not say which estimator they are for.
  if (estimators != 1) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = "the settings train, gang, net, trees and loss need exactly one estimator, and "
                 "there are " +
                 std::to_string(estimators)});
  }
  PT_LET(const auto found, FindEstimator(stages, catalogue));
  AnyOptions& own = stages[found->at].options;
  own = LaidOver(own.ToJson(), given);
  return found->kind->Read(own, "").status();
}

// Finds the files that the estimator's options name.
Status FindFiles(const FilesFrom& from, Chain& chain) {
  if (!chain.estimator) return Status::OK();
  return chain.estimator->kind->FindFiles(from, chain.estimator->path,
                                          chain.options.back().options);
}

// The placed stages and net, and the rows that they learn from.
struct Placed {
  Chain chain;
  Plan table;
};

Result<Placed> Place(const Pipeline& given, const DataFrame& train, UseSettings settings,
                     SchemaPtr schema = nullptr) {
  const SessionState& session = StateOf(train.session());
  // Building a plan never fails; an error stored in it is reported before anything else.
  PT_TRY(FirstError(train.plan()));
  Pipeline pipeline = given;
  if (settings == UseSettings::kYes) {
    PT_LET(pipeline, WithSettings(given, session));
  }
  if (schema == nullptr) {
    PT_LET(schema, train.Schema());
  }
  const Plan table = WithoutDecimals(train.plan(), schema);
  PT_LET(Catalogue catalogue, WithBuiltIns(session.options().catalogue));
  PT_LET(const auto named, WithSeasonFound(pipeline.stages(), train, catalogue));
  const auto stages = WithFilesBelow(named, session.options().base);
  Result<Chain> placed =
      PlaceStages(stages, *schema, std::move(catalogue), AnalyzeWith(StateOf(train.session())));
  if (!placed.ok()) return ExplainNoValues(train, *schema, placed.status());
  Chain& chain = *placed;
  chain.base = session.options().base;
  const SessionOptions& options = session.options();
  PT_TRY(FindFiles({chain.base, session.folder(), options.resume, options.store}, chain));
  return Placed{std::move(chain), table};
}

// The gang's node without the task's config: enough to describe and admit the gang before any stage
// has learned.
Plan GangOver(const Chain& chain, Plan rows) {
  const GangSpec& gang = chain.estimator->options.gang;
  return MakePlan(MapTask{.task = chain.estimator->kind->task(),
                          .output = arrow::schema({arrow::field("json", arrow::utf8())}),
                          .workers = gang.workers.max,
                          .gang = gang,
                          .role = MapTask::Role::kTrain,
                          .needs = {.torch = chain.NeedsLibTorch(gang.gpus_per_worker > 0)}},
                  {std::move(rows)});
}

// Refuses, before any row is read, a gang that can never be seated. A gang that must wait is only
// announced: its seats may be free by the time its rows are made.
Status AdmitGang(SessionState& session, const Chain& chain, const TrainRows& rows) {
  if (!chain.estimator) return Status::OK();
  const GangSpec& gang = chain.estimator->options.gang;
  const Demand demand{.gang = gang,
                      .torch = chain.NeedsLibTorch(gang.gpus_per_worker > 0),
                      .plan = GangOver(chain, rows.all)};
  PT_LET(const Admission admission, session.engine().Admit(demand, session.call()));
  // On other machines only their workers know what is installed.
  const bool here = KindOf(session.engine().address()).runs_here;
  if (gang.gpus_per_worker > 0 && here) PT_TRY(CheckGpuLibraries());
  if (admission.waits_for.empty()) return Status::OK();
  session.call().Send(Waiting{admission.waits_for});
  return Status::OK();
}

TrainConfig ConfigFor(SessionState& session, const Chain& chain, const TrainRows& rows,
                      const Learned& learned) {
  const EstimatorOptions& options = chain.estimator->options;
  TrainConfig config{.net = MakeNetConfig(chain, learned),
                     .scaled = ScaledInPacking(chain, *arrow::schema({})),
                     .extensions = chain.extensions,
                     .weight = options.weight,
                     .group = options.group,
                     .unseen_class = options.unseen_class,
                     .threshold_by = options.threshold.metric,
                     .calibration = options.calibration,
                     .seasons = rows.held_out.empty() ? std::vector<int64_t>()
                                                      : SeasonsIn(chain.estimator->scales),
                     .held_out = rows.held_out,
                     .loss = options.loss};
  chain.estimator->kind->Configure(chain.options.back().options, config);
  config.folder = (session.folder() / "checkpoints").string();
  // Weights belong to the features that they were trained on: other stages, or another library of
  // the net, change the hash, and checkpoints with another hash are refused.
  std::string rest = Dump(LearnedToJson(chain, learned));
  for (const NetLibrary& each : chain.extensions) rest += each.sha256;
  config.stages_sha256 = Sha256Hex(rest);
  config.resume = session.options().resume;
  config.memory_bytes = RowsMemory(session.options());
  config.scratch = RowsScratch(session);
  if (chain.estimator->options.gang.gpus_per_worker > 0) config.device = GivenDeviceUse();
  config.servers = chain.estimator->options.gang.servers;
  config.deadline = chain.estimator->options.gang.deadline;
  config.shared = SharedWith(session, chain, rows.all, config);
  return config;
}

// A resumed run reads what its stages learned instead of fitting them again: checkpoints match only
// that, by hash (TrainConfig::stages_sha256).
Result<Learned> LearnStages(SessionState& session, const TrainRows& rows, int64_t count,
                            Chain& chain) {
  PT_CHECK(!session.folder().empty());
  const auto file = session.folder() / "stages.json";
  std::error_code ignored;
  if (session.options().resume && std::filesystem::exists(file, ignored)) {
    PT_LET(const std::string text, ReadFile(file));
    Result<Json> json = ParseJson(text);
    if (!json.ok()) return Annotate(json.status(), file.string());
    Result<Learned> learned = LearnedFromJson(*json, chain, AnalyzeWith(session));
    return learned.ok() ? learned : Annotate(learned.status(), file.string());
  }
  const auto since = Clock::now();
  std::optional<StagesBefore> before;
  if (chain.estimator) {
    PT_LET(before, chain.estimator->kind->KeptStages(chain.options.back().options));
  }
  PT_LET(const Learned learned, FitStages(session, rows.learning, count, chain, before));
  session.record().AddSeconds("fit", since);
  PT_TRY(WriteFile(file, Pretty(LearnedToJson(chain, learned))));
  return learned;
}

// The figures of result.json.
void RecordTraining(RunRecord& record, const Chain& chain, const TrainResult& trained) {
  const EstimatorOptions& options = chain.estimator->options;
  record.Set("workers", ToJson(options.gang.workers));
  if (options.gang.servers > 0) record.Set("servers", options.gang.servers);
  const Json training = chain.estimator->kind->DescribeTraining(chain.options.back().options);
  if (training.contains("shards")) record.Set("shards", training["shards"]);
  if (training.contains("staleness")) record.Set("staleness", training["staleness"]);
  if (training.contains("rounds")) record.Set("rounds", trained.steps);
  record.Set("steps", trained.steps);
  record.Set("weights_sha256", trained.weights_sha256);
  Json validation = trained.validation;
  if (trained.validation_rows > 0) validation["rows"] = trained.validation_rows;
  record.Set("metrics.validation", std::move(validation));
  record.Set("rows", trained.rows);
  record.Set("best_epoch", trained.best_epoch);
  record.Set("history", trained.history);
  record.Set("wait_share", trained.wait_share);
  record.Set("fingerprint", trained.fingerprint);
  if (!options.train.baseline.empty()) {
    record.Set("baseline_column", options.train.baseline);
  }
  if (trained.unseen_rows > 0) record.Set("unseen_validation_rows", trained.unseen_rows);
  if (!trained.importance.is_null()) record.Set("importance", trained.importance);
  if (!trained.splits.is_null()) record.Set("splits", trained.splits);
  if (trained.disk_bytes > 0) record.Set("rows_on_disk_bytes", trained.disk_bytes);
  if (!trained.diagnostics.empty()) record.Set("diagnostics.validation", trained.diagnostics);
}

// Prints the fitted threshold and calibration; the model has them in full.
void ReportDecision(SessionState& session, const EstimatorOptions& options,
                    const Decision& decision) {
  RunRecord& record = session.record();
  record.Set("labels", ListLabels(options));
  if (decision.cut != 0) record.Set("threshold", decision.threshold());
  if (options.calibration != Calibration::kNone) {
    record.Set("calibration.by", fields::Write(options.calibration));
    if (decision.outputs.empty()) record.Set("calibration.temperature", decision.temperature);
  }
  if (options.threshold.metric.empty()) return;
  std::ostringstream says;
  says.precision(4);
  says << "a row counts as positive above the probability " << decision.threshold() << ", where "
       << options.threshold.metric << " is highest on the validation rows";
  session.call().Send(Note{says.str()});
}

void ReportUnseen(SessionState& session, const TrainResult& trained) {
  if (trained.unseen_rows == 0) return;
  session.call().Send(
      Note{Grouped(trained.unseen_rows) +
           " validation rows have classes that no training row has: they are left out"});
}

// The columns that fitting read, with the types that a model's schema.json gives them.
SchemaPtr InputSchema(const Chain& chain) {
  arrow::FieldVector fields;
  for (const std::string& name : chain.sources) {
    fields.push_back(arrow::field(name, chain.Find(name)->type));
  }
  return arrow::schema(std::move(fields));
}

// The inputs by name; an open stage's as the user wrote it.
Columns ListInputs(const Chain& chain, const PlacedStage& placed) {
  Columns inputs = placed.stage->inputs();
  for (const size_t maker : placed.awaits) {
    inputs.push_back("{ stage = \"" + chain.stages[maker].stage->id() + "\" }");
  }
  return inputs;
}

Json DescribeStages(const Chain& chain) {
  Json stages = Json::array();
  for (size_t i = 0; i < chain.stages.size(); ++i) {
    const PlacedStage& each = chain.stages[i];
    stages.push_back({{"id", each.stage->id()},
                      {"kind", chain.options[i].kind},
                      {"inputs", ListInputs(chain, each)},
                      {"outputs", each.awaits.empty() ? each.stage->outputs() : Columns()},
                      {"level", each.level}});
  }
  return stages;
}

Preview MakePreview(const SessionState& session, const Chain& chain, const TrainRows& rows) {
  Preview preview{.pipeline = StagesToJson(chain.options),
                  .stages = DescribeStages(chain),
                  .training = Json::object(),
                  .plan = rows.all};
  if (!chain.estimator) return preview;
  preview.training = chain.estimator->kind->DescribeTraining(chain.options.back().options);
  preview.training.update(DescribePacked(session.options(), *chain.estimator));
  preview.plan = GangOver(chain, rows.all);
  return preview;
}

}  // namespace

// The stages that make categorical inputs give their cardinalities, the numbers of rows of the
// net's embeddings, and must have learned.
NetConfig MakeNetConfig(const Chain& chain, const Learned& learned) {
  const PlacedEstimator& estimator = *chain.estimator;
  NetConfig net{.net = estimator.kind->Predicts(chain.options.back().options),
                .numeric = estimator.numeric,
                .lists = estimator.lists,
                .objective = learned.objective};
  for (const std::string& column : estimator.categorical) {
    const Stage& maker = *chain.stages[chain.Find(column)->maker].stage;
    const auto& outputs = maker.outputs();
    const size_t at = std::find(outputs.begin(), outputs.end(), column) - outputs.begin();
    net.categorical.push_back({column, maker.makes_ids() ? kAnyId : maker.cardinality(at)});
  }
  std::ranges::stable_partition(
      net.categorical, [](const CategoricalColumn& each) { return each.cardinality != kAnyId; });
  return net;
}

Result<Pipeline> PipelineFromJson(const Json& list, const std::shared_ptr<const Catalogue>& own) {
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  PT_LET(std::vector<StageOptions> stages, StagesFromJson(list, "pipeline", catalogue));
  for (size_t i = 0; i < stages.size(); ++i) {
    const StageRow* const row = *FindRow(catalogue.stages, "kind of stage", stages[i].kind, "");
    if (row->estimator == nullptr) continue;
    const std::string path = "pipeline." + std::to_string(i);
    PT_LET(EstimatorOptions options, row->estimator->Read(stages[i].options, path));
    // Checks only this: a search may still change what the other defaults depend on.
    AnyOptions own = stages[i].options;
    PT_TRY(row->estimator->Complete(options, own, path, catalogue));
  }
  return Pipeline(std::move(stages));
}

Json PreviewToJson(const Preview& preview) {
  return {
      {"pipeline", preview.pipeline}, {"stages", preview.stages}, {"training", preview.training}};
}

Result<Preview> MakePreview(const Pipeline& pipeline, const DataFrame& train, UseSettings settings,
                            SchemaPtr columns) {
  PT_LET(const Placed placed, Place(pipeline, train, settings, std::move(columns)));
  return MakePreview(StateOf(train.session()), placed.chain, RowsFor(placed.chain, placed.table));
}

Result<Columns> ColumnsRead(const Pipeline& pipeline, const DataFrame& train) {
  PT_LET(const Placed placed, Place(pipeline, train, UseSettings::kYes));
  return placed.chain.sources;
}

Result<Json> DescribeKept(const Pipeline& pipeline, const DataFrame& train) {
  SessionState& session = StateOf(train.session());
  PT_LET(Placed placed, Place(pipeline, train, UseSettings::kYes));
  const TrainRows rows = RowsFor(placed.chain, placed.table);
  PT_LET(const int64_t count, DataFrame(train.session(), rows.kept).Count());
  Json kept = Json::array();
  PT_LET(const auto learned, LearnFromKept(session, rows.learning, count, placed.chain, kept));
  const bool average = placed.chain.options.back().kind == kAverageEstimator;
  if (!learned || !placed.chain.estimator || average) return kept;
  const TrainConfig config = ConfigFor(session, placed.chain, rows, *learned);
  Json about = DescribeStoredRows(session, placed.chain, rows, config);
  if (!about.is_null()) kept.push_back(std::move(about));
  return kept;
}

Status CheckOnNames(const Pipeline& pipeline, const std::optional<Columns>& columns,
                    const std::shared_ptr<const Catalogue>& own,
                    const std::filesystem::path& base) {
  PT_LET(Catalogue catalogue, WithBuiltIns(own));
  PT_LET(std::optional<Chain> chain,
         PlaceOnNames(WithFilesBelow(pipeline.stages(), base), columns, std::move(catalogue)));
  if (!chain) return Status::OK();
  return FindFiles({.base = base, .store = DefaultStoreFolder()}, *chain);
}

Result<Pipeline> WithSettings(const Pipeline& pipeline, const SessionState& session) {
  std::vector<StageOptions> stages = pipeline.stages();
  PT_TRY(ApplySettings(session, stages));
  PT_TRY(session.CheckSettings());
  return Pipeline(std::move(stages));
}

Result<PipelineModel> Pipeline::Fit(const DataFrame& train) const {
  PT_TRY(FirstError(train.plan()));
  PT_LET(const Pipeline settled, WithSettings(*this, StateOf(train.session())));
  return FitAsGiven(settled, train);
}

static Result<TrainResult> TrainEstimator(SessionState& session, Chain& chain,
                                          const TrainRows& rows, const Learned& learned,
                                          std::optional<ContinuedTraining>& continued) {
  const auto config_of = [&](const Chain& of) { return ConfigFor(session, of, rows, learned); };
  if (chain.options.back().kind == kAverageEstimator) {
    return TrainAverage(session, chain, rows, learned, config_of);
  }
  if (continued) return TrainOn(session, chain, rows, config_of(chain), *continued);
  return Train(session, chain, rows, config_of(chain));
}

Result<PipelineModel> FitAsGiven(const Pipeline& pipeline, const DataFrame& train) {
  SessionState& session = StateOf(train.session());
  PT_LET(Placed placed, Place(pipeline, train, UseSettings::kNo));
  Chain& chain = placed.chain;
  const TrainRows rows = RowsFor(chain, placed.table);
  session.record().Know(OwnMetrics(session.options().catalogue));
  session.call().Send(PipelinePlaced{PreviewToJson(MakePreview(session, chain, rows))});
  PT_TRY(AdmitGang(session, chain, rows));
  PT_LET(std::optional<ContinuedTraining> continued, TakeContinued(session, chain));
  PT_LET(const int64_t count, MakeRows(train.session(), chain, rows));
  // After the rows, so that a run refused for its input leaves no copies behind.
  if (chain.estimator) {
    PT_TRY(chain.estimator->kind->KeepFiles(session.folder(), chain.options.back().options));
  }
  PT_TRY(KeepExtensions(session.folder(), chain));
  PT_LET(const Learned learned, LearnStages(session, rows, count, chain));
  ModelState state{.session = &train.session(), .learned = learned, .input = InputSchema(chain)};
  PT_LET(state.history, KeepHistory(session, chain, rows.kept));
  if (chain.estimator) {
    state.gpus_per_worker = chain.estimator->options.gang.gpus_per_worker;
    PT_LET(state.trained, TrainEstimator(session, chain, rows, learned, continued));
    RecordTraining(session.record(), chain, state.trained);
    ReportUnseen(session, state.trained);
    ReportDecision(session, chain.estimator->options, state.trained.decision);
    const std::vector<std::string>& classes = learned.objective.classes;
    if (classes.size() <= Diagnostics::kMostClasses) session.record().Set("classes", classes);
    state.learned.objective.decision = state.trained.decision;
    state.net = MakeNetConfig(chain, state.learned);
  }
  state.chain = std::make_shared<const Chain>(std::move(chain));
  PT_LET(state.profile, KeptProfile(session, state.chain->needed));
  return PipelineModel(std::make_shared<const ModelState>(std::move(state)));
}

}  // namespace protium
