// SPDX-License-Identifier: Apache-2.0
#include "model/train_average.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "model/average_file.h"
#include "model/average_options.h"
#include "model/blend.h"
#include "model/net_rows.h"
#include "model/train.h"
#include "os/file.h"
#include "protium/events.h"
#include "run/terminal.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Makes the chain that of one member, and of the average again at the end.
class AsMember {
 public:
  AsMember(Chain& chain, const AverageMember& member)
      : chain_(chain), kind_(chain.estimator->kind), options_(chain.options.back()) {
    chain.estimator->kind = member.kind;
    chain.options.back().kind = member.stage;
    chain.options.back().options = member.options;
  }
  ~AsMember() {
    chain_.estimator->kind = kind_;
    chain_.options.back() = options_;
  }
  AsMember(const AsMember&) = delete;
  AsMember& operator=(const AsMember&) = delete;

 private:
  Chain& chain_;
  std::shared_ptr<const EstimatorKind> kind_;
  StageOptions options_;
};

// What decides a member's training, apart from where and with how much memory.
std::string IdentityOf(TrainConfig config) {
  config.resume = false;
  config.memory_bytes = 0;
  config.scratch.clear();
  config.shared = {};
  return Sha256Hex(Dump(FieldsToJson(config)));
}

// The members of a run that have been trained: {"IDENTITY": TrainResult}.
class TrainedMembers {
 public:
  static Result<TrainedMembers> Open(const SessionState& session) {
    TrainedMembers out;
    out.file_ = session.folder() / "members.json";
    std::error_code ignored;
    if (!session.options().resume || !fs::exists(out.file_, ignored)) return out;
    PT_LET(const std::string text, ReadFile(out.file_));
    const Result<Json> json = ParseJson(text);
    if (!json.ok()) return Annotate(json.status(), out.file_.string());
    out.members_ = *json;
    return out;
  }
  // nullopt: it is still to be trained.
  Result<std::optional<TrainResult>> Find(const std::string& identity) const {
    if (!members_.contains(identity)) return std::optional<TrainResult>();
    TrainResult result;
    PT_TRY(Annotate(FieldsFromJson(members_[identity], "", result), file_.string()));
    std::error_code ignored;
    if (!fs::exists(result.weights, ignored)) return std::optional<TrainResult>();
    return std::optional(std::move(result));
  }
  Status Add(const std::string& identity, const TrainResult& result) {
    members_[identity] = FieldsToJson(result);
    return WriteFile(file_, Pretty(members_));
  }

 private:
  fs::path file_;
  Json members_ = Json::object();
};

Result<TrainResult> TrainMember(SessionState& session, Chain& chain, const TrainRows& rows,
                                size_t member, const ConfigOf& config_of, TrainedMembers& trained) {
  PT_LET(const auto options, chain.options.back().options.Read<AverageOptions>(""));
  PT_LET(const AverageMember of, MemberOf(options, member, chain.estimator->path + "."));
  const AsMember as(chain, of);
  TrainConfig config = config_of(chain);
  config.folder = (fs::path(config.folder) / fmt::format("member-{}", member)).string();
  const std::string identity = IdentityOf(config);
  PT_LET(const std::optional<TrainResult> known, trained.Find(identity));
  if (known) return *known;
  PT_LET(const TrainResult result, Train(session, chain, rows, config));
  PT_TRY(trained.Add(identity, result));
  return result;
}

arrow::FieldVector OutputFields() {
  return {arrow::field("labels", arrow::list(arrow::float64())),
          arrow::field("weight", arrow::float64()),
          arrow::field("outputs", arrow::list(arrow::float32()))};
}

// The members' outputs for the validation rows, with the stages applied as in training.
Plan OutputsPlan(const Chain& chain, const TrainRows& rows, const OutputsConfig& config,
                 const Analyze& analyze) {
  const bool classes = OfClasses(config.net.objective.kind);
  Columns columns = LearnedFrom(chain), wanted = chain.estimator->categorical;
  columns.push_back(rows.held_out);
  const auto add = [&](const std::string& column) {
    if (column.empty() || std::ranges::count(wanted, column) > 0) return;
    wanted.push_back(column);
  };
  for (const std::string& each : chain.estimator->numeric) add(each);
  for (const ScaledLabel& each : config.net.objective.labels) add(each.column);
  add(config.weight);
  Plan applied = ApplyStages(chain, MakePlan(Filter{Col(rows.held_out)}, {rows.all}), columns,
                             wanted, RowUse::kLearning, analyze);
  if (classes) {
    applied = WithClasses(std::move(applied), config.net.objective);
    std::erase(wanted, config.net.objective.labels.front().column);
    wanted.push_back(kClassColumn);
  }
  return MakePlan(MapTask{.task = kOutputsTask,
                          .config = Dump(FieldsToJson(config)),
                          .output = arrow::schema(OutputFields()),
                          .workers = chain.estimator->options.gang.workers.max,
                          .role = MapTask::Role::kScore},
                  {WithColumns(std::move(applied), wanted, {})});
}

// Adds the rows of a batch, without those of classes that were never learned.
Status AddRows(const arrow::RecordBatch& batch, const Target& target, MemberOutputs& rows) {
  const auto& labels = static_cast<const arrow::ListArray&>(*batch.column(0));
  const auto& weights = static_cast<const arrow::DoubleArray&>(*batch.column(1));
  const auto& outputs = static_cast<const arrow::ListArray&>(*batch.column(2));
  const auto& label = static_cast<const arrow::DoubleArray&>(*labels.values());
  const auto& output = static_cast<const arrow::FloatArray&>(*outputs.values());
  const int64_t width = target.outputs(), members = int64_t(rows.outputs.size());
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    const bool fits = labels.value_length(i) == target.label_count() &&
                      outputs.value_length(i) == width * members;
    if (!fits) return Status::UnknownError("the task outputs returned rows of another width");
    const double first = label.Value(labels.value_offset(i));
    if (OfClasses(target.kind) && first < 0) continue;
    for (int64_t l = 0; l < target.label_count(); ++l) {
      rows.labels.push_back(label.Value(labels.value_offset(i) + l));
    }
    rows.weights.push_back(weights.Value(i));
    for (int64_t m = 0; m < members; ++m) {
      const float* const from = output.raw_values() + outputs.value_offset(i) + m * width;
      rows.outputs[size_t(m)].insert(rows.outputs[size_t(m)].end(), from, from + width);
    }
  }
  return Status::OK();
}

Result<MemberOutputs> OutputsOf(SessionState& session, const Plan& plan, const Target& target,
                                size_t members) {
  MemberOutputs rows;
  rows.outputs.resize(members);
  PT_LET(const BatchStreamPtr stream, session.engine().Execute(plan, session.call()));
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) return rows;
    PT_TRY(AddRows(*batch, target, rows));
  }
}

// Of the whole, what the members' results say.
TrainResult Joined(const std::vector<TrainResult>& members) {
  TrainResult all = members.front();
  all.best_epoch = 0;
  all.splits = nullptr;
  all.importance = nullptr;
  all.history = Json::array();
  for (const TrainResult& each : members) {
    if (&each != &members.front()) all.steps += each.steps;
    if (all.background.empty()) all.background = each.background;
    all.fingerprint.update(each.fingerprint);
    all.disk_bytes = std::max(all.disk_bytes, each.disk_bytes);
    all.wait_share = std::max(all.wait_share, each.wait_share);
  }
  return all;
}

std::string MetricText(const std::string& metric, const Json& validation) {
  const Json value = validation.value(metric, Json());
  return metric + " " + (value.is_number() ? Figure(value.get<double>(), 4) : "unknown");
}

// Says in the run, and to the user, how much each member counts.
void Report(SessionState& session, const AverageOptions& options, const std::string& metric,
            const std::vector<double>& weights, const std::vector<TrainResult>& members,
            const Json& validation) {
  Json list = Json::array();
  std::string text;
  for (size_t m = 0; m < members.size(); ++m) {
    list.push_back({{"kind", options.of[m].name},
                    {"weight", weights[m]},
                    {"validation", members[m].validation},
                    {"weights_sha256", members[m].weights_sha256}});
    text += fmt::format("{}{} x {} ({})", m == 0 ? "" : " + ", weights[m], options.of[m].name,
                        MetricText(metric, members[m].validation));
  }
  session.record().Set("average", list);
  session.call().Send(Note{fmt::format("the average is {}: {} on the validation rows", text,
                                       MetricText(metric, validation))});
}

}  // namespace

Result<TrainResult> TrainAverage(SessionState& session, Chain& chain, const TrainRows& rows,
                                 const Learned& learned, const ConfigOf& config_of) {
  PT_LET(const auto options, chain.options.back().options.Read<AverageOptions>(""));
  PT_LET(TrainedMembers trained, TrainedMembers::Open(session));
  std::vector<TrainResult> members;
  std::vector<std::string> files;
  for (size_t m = 0; m < options.of.size(); ++m) {
    PT_LET(members.emplace_back(), TrainMember(session, chain, rows, m, config_of, trained));
    files.push_back(members.back().weights);
  }
  TrainResult out = Joined(members);
  out.weights = (session.folder() / "checkpoints" / "average.safetensors").string();
  std::vector<double> weights(members.size(), 1.0 / double(members.size()));
  PT_TRY(WriteAverage(out.weights, files, weights));
  const OutputsConfig config{.net = MakeNetConfig(chain, learned),
                             .weights = out.weights,
                             .weight = options.common.weight};
  const Target target = MakeTarget(config.net.objective);
  PT_LET(const MemberOutputs outputs,
         OutputsOf(session, OutputsPlan(chain, rows, config, AnalyzeWith(session)), target,
                   members.size()));
  const auto own = OwnMetrics(session.options().catalogue);
  const MeasureOptions& measure = chain.estimator->options.train;
  PT_LET(const MetricSpec best, FindMetric(measure.best, own));
  PT_LET(weights, ChooseWeights(outputs, target, best));
  PT_LET(out.weights_sha256, WriteAverage(out.weights, files, weights));
  std::vector<std::string> metrics = measure.metrics;
  if (std::ranges::count(metrics, measure.best) == 0) metrics.push_back(measure.best);
  Diagnostics diagnostics(target.kind);
  PT_LET(out.validation, MeasureBlend(outputs, weights, target, metrics, own, diagnostics));
  out.diagnostics = diagnostics.Drawn();
  out.decision = learned.objective.decision;
  Report(session, options, measure.best, weights, members, out.validation);
  return out;
}

}  // namespace protium
