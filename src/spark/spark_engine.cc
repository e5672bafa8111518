// SPDX-License-Identifier: Apache-2.0
#include "spark/spark_engine.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "spark/deployment.h"
#include "spark/gang_rows.h"
#include "spark/lowering.h"
#include "spark/slots.h"
#include "spark/spark_explainer.h"
#include "spark/spark_session.h"
#include "spark/spark_tables.h"
#include "spark/tasks_run.h"

namespace protium {
namespace {

constexpr char kSessionNote[] = "spark-session";

class SparkEngine : public Engine {
 public:
  SparkEngine(std::unique_ptr<SparkSession> session, SparkSettings settings, JobFolder folder,
              std::filesystem::path logs, std::filesystem::path note)
      : settings_(settings),
        logs_(std::move(logs)),
        note_(std::move(note)),
        folder_(std::move(folder)),
        session_(std::move(session)),
        deployment_(*session_, std::move(settings)) {}

  ~SparkEngine() override {
    std::error_code ignored;
    if (!note_.empty()) std::filesystem::remove(note_, ignored);
  }

  Result<SchemaPtr> Analyze(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    if (const auto* task = std::get_if<MapTask>(&plan->verb)) return task->output;
    PT_LET(const SparkTable table, LowerPlan(plan, Context(call, nullptr)));
    return table.schema;
  }

  Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    const auto* task = std::get_if<MapTask>(&plan->verb);
    if (task != nullptr && task->gang) {
      PT_LET(auto batches, RunGang(*task, plan->inputs, call));
      return StreamOf(task->output, std::move(batches));
    }
    PT_LET(Operation operation, Prepare(plan, call));
    const auto open = [this, table = operation.table, call] {
      return session_->Execute(table.relation, Options("query"), call);
    };
    if (operation.tasks.empty()) return open();
    return StreamWithTasks(open, deployment_, std::move(operation.tasks), call);
  }

  Result<int64_t> Run(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    const auto* write = std::get_if<Write>(&plan->verb);
    if (write == nullptr) return Count(plan, call);
    PT_LET(const Operation operation, Prepare(plan->inputs.front(), call));
    const WriteTarget target{write->format, write->path};
    auto rows = WriteTable(*session_, operation.table, target, Options("write"), call);
    if (!rows.ok() && !operation.tasks.empty()) {
      PT_LET(const bool again, deployment_.SendMissing(rows.status(), call));
      if (again) rows = WriteTable(*session_, operation.table, target, Options("write"), call);
    }
    PT_TRY(rows.status());
    PT_TRY(TellEvents(operation.tasks, call));
    return rows;
  }

  Result<EnginePlan> Explain(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    SparkExplainer explainer(*session_, settings_, Context(call, nullptr), call);
    return explainer.Explain(plan);
  }

  // Executors start workers when tasks come.
  void Expect(int32_t, bool) override {}

  std::string address() const override { return session_->address(); }

 private:
  // What one call of the engine submits.
  struct Operation {
    SparkTable table;
    EventFolders tasks;  // Of its tasks without a gang.
  };

  struct Kept {
    Plan plan;            // Keeps the node's address from being used again.
    WrittenRows written;  // `files` has no schema where the rows lie in none.
  };

  ExecuteOptions Options(const std::string& name) const {
    return {.name = name, .explain = Explainer(name, session_->address())};
  }

  // `tasks` is null where no task is to run: their rows are left out then.
  LoweringContext Context(const Call& call, EventFolders* tasks) {
    LoweringContext context{.describe =
                                [this, call](const connect::Relation& relation) {
                                  return session_->Schema(relation, call);
                                },
                            .local_table =
                                [this, call](const SchemaPtr& schema, const auto& batches) {
                                  return session_->LocalTable(schema, batches, call);
                                }};
    context.doubled_quotes = !session_->version().starts_with("4.0.");
    const std::lock_guard lock(mutex_);
    for (const auto& [node, kept] : kept_) context.kept[node] = kept.written.relation;
    if (tasks != nullptr) {
      context.map = [this, call, tasks](const MapTask& task, const SparkTable& input) {
        return TaskRelation(task, input, call, *tasks);
      };
    }
    return context;
  }

  Result<Operation> Prepare(const Plan& plan, const Call& call) {
    PT_TRY(KeepBelow(plan, call));
    Operation operation;
    PT_LET(operation.table, LowerPlan(plan, Context(call, &operation.tasks)));
    return operation;
  }

  // Evaluates what has to be there before the plan itself is submitted.
  Status KeepBelow(const Plan& plan, const Call& call) {
    if (IsKept(plan)) return Status::OK();
    for (const Plan& input : plan->inputs) PT_TRY(KeepBelow(input, call));
    if (const auto* kept = std::get_if<Materialize>(&plan->verb)) {
      return Keep(plan, plan->inputs.front(), kept->name, call);
    }
    const auto* task = std::get_if<MapTask>(&plan->verb);
    if (task == nullptr || !task->gang) return Status::OK();
    PT_LET(auto batches, RunGang(*task, plan->inputs, call));
    PT_LET(auto relation, session_->LocalTable(task->output, batches, call));
    const std::lock_guard lock(mutex_);
    kept_[plan.get()] = {plan, {.relation = std::move(relation), .schema = task->output}};
    return Status::OK();
  }

  std::optional<Kept> KeptOf(const Plan& plan) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(plan.get());
    if (found == kept_.end()) return std::nullopt;
    return found->second;
  }

  bool IsKept(const Plan& plan) const {
    const std::lock_guard lock(mutex_);
    return kept_.count(plan.get()) > 0;
  }

  Status Keep(const Plan& node, const Plan& input, const std::string& name, const Call& call) {
    Operation operation;
    PT_LET(operation.table, LowerPlan(input, Context(call, &operation.tasks)));
    const auto write = [&] {
      return WriteRows(*session_, operation.table, folder_.New(name), name, Options(name), call);
    };
    auto written = write();
    if (!written.ok() && !operation.tasks.empty()) {
      PT_LET(const bool again, deployment_.SendMissing(written.status(), call));
      if (again) written = write();
    }
    PT_TRY(written.status());
    PT_TRY(TellEvents(operation.tasks, call));
    const std::lock_guard lock(mutex_);
    kept_[node.get()] = {node, *std::move(written)};
    return Status::OK();
  }

  Result<connect::Relation> TaskRelation(const MapTask& task, const SparkTable& input,
                                         const Call& call, EventFolders& tasks) {
    PT_TRY(deployment_.Use(NeedsTorch(task.task), call));
    tasks.push_back(folder_.New("events-" + task.task));
    PT_TRY(MakeFolder(tasks.back()));
    const SparkCommand command{.task = task.task,
                               .config = task.config,
                               .output = task.output,
                               .events = tasks.back().string()};
    return MapOver(input.relation, *input.schema, command, session_->version(), {});
  }

  Result<int64_t> Count(const Plan& plan, const Call& call) {
    PT_LET(const BatchStreamPtr stream, Execute(plan, call));
    int64_t rows = 0;
    while (true) {
      PT_LET(const auto batch, stream->Next());
      if (batch == nullptr) return rows;
      rows += batch->num_rows();
    }
  }

  Result<arrow::RecordBatchVector> RunGang(const MapTask& task, const std::vector<Plan>& inputs,
                                           const Call& call) {
    if (inputs.size() != 1) return Status::Invalid("a task needs one input");
    GangRows gang{.session = *session_,
                  .deployment = deployment_,
                  .folder = folder_,
                  .settings = settings_,
                  .logs = logs_,
                  .options = Options("gang " + task.task)};
    PT_TRY(gang.Admit(task, call));
    PT_LET(const Operation operation, Prepare(inputs.front(), call));
    const std::optional<Kept> kept = KeptOf(inputs.front());
    const bool in_files = kept && kept->written.files.schema != nullptr;
    PT_TRY(gang.Gather(operation.table, RowsBelow(inputs.front()),
                       in_files ? &kept->written : nullptr, call));
    return gang.Run(task, call);
  }

  // The most rows of a kept table below; -1 where none is.
  int64_t RowsBelow(const Plan& plan) const {
    if (const auto kept = KeptOf(plan)) return kept->written.files.rows;
    int64_t most = -1;
    for (const Plan& input : plan->inputs) most = std::max(most, RowsBelow(input));
    return most;
  }

  const SparkSettings settings_;
  const std::filesystem::path logs_;
  const std::filesystem::path note_;  // Of the session's id; see OpenSession.
  JobFolder folder_;                  // Goes after the session.
  std::unique_ptr<SparkSession> session_;
  Deployment deployment_;
  mutable std::mutex mutex_;
  std::map<const Node*, Kept> kept_;
};

}  // namespace

Result<std::unique_ptr<Engine>> OpenSparkEngine(const EngineRequest& request) {
  const auto note = request.folder.empty() ? request.folder : request.folder / kSessionNote;
  PT_LET(std::unique_ptr<SparkSession> session, OpenSession(request.address, note));
  PT_LET(JobFolder folder, JobFolder::Make(request.folder));
  const auto logs = request.folder.empty() ? std::filesystem::path() : request.folder / "logs";
  return std::make_unique<SparkEngine>(std::move(session), request.spark, std::move(folder), logs,
                                       note);
}

}  // namespace protium

extern "C" bool protium_open_spark(int32_t version, const protium::EngineRequest& request,
                                   protium::Result<std::unique_ptr<protium::Engine>>& engine) {
  if (version != protium::kEngineLibraryVersion) return false;
  engine = protium::OpenSparkEngine(request);
  return true;
}
