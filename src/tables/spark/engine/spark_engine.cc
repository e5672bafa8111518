// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/spark_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "format/file_writer.h"
#include "format/object_files.h"
#include "gang/task_book.h"
#include "os/file.h"
#include "sources/source.h"
#include "spark/engine/explainer.h"
#include "spark/engine/fair_pool.h"
#include "spark/engine/kept_steps.h"
#include "spark/engine/lowering.h"
#include "spark/engine/spark_session.h"
#include "spark/engine/stored_parquet.h"
#include "spark/engine/tasks_run.h"
#include "spark/gang/capacity.h"
#include "spark/gang/run.h"
#include "spark/page/own_page.h"
#include "spark/ship/deployment.h"
#include "spark/ship/map_over.h"
#include "spark/ship/tables.h"
#include "spark/sources/delta.h"
#include "spark/sources/embedded.h"
#include "spark/sources/lake_tables.h"
#include "spark/sources/source_tables.h"
#include "spark/stream/spark_stream.h"

// How a plan is run: what must exist before the plan is submitted is made first, inputs before
// users (KeepBelow): a Materialize is written to Parquet files, a gang is run and its result kept
// as a table of the driver's. The rest is one operation on the server, including tasks without a
// gang. Kept rows stay until the engine ends, so that a node is evaluated once however many plans
// contain it. An operation that fails because an executor lacks the program is sent again
// (Deployment).

namespace protium {
namespace {

constexpr char kSessionNote[] = "spark-session";

std::vector<std::filesystem::path> LibrariesOf(const JobFolder& folder) {
  return folder.transit() == nullptr ? std::vector<std::filesystem::path>()
                                     : folder.transit()->libraries();
}

class SparkEngine : public Engine {
 public:
  SparkEngine(std::unique_ptr<SparkSession> session, SparkSettings settings, JobFolder folder,
              std::filesystem::path logs, std::filesystem::path note, const EngineRequest& request,
              PageHints page, std::string warning)
      : settings_(settings),
        logs_(std::move(logs)),
        note_(std::move(note)),
        folder_(std::move(folder)),
        session_(std::move(session)),
        deployment_(*session_, std::move(settings), request.program, LibrariesOf(folder_)),
        keys_(*session_),
        embedded_({.address = "local",
                   .folder = request.folder,
                   .spill = request.spill,
                   .memory_bytes = request.memory_bytes,
                   .store = request.store,
                   .fresh = request.fresh}),
        sources_(*session_, keys_, embedded_),
        stored_(*session_, embedded_, request),
        page_(std::make_shared<OwnPage>(std::move(page))),
        warning_(std::move(warning)) {}

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
    Warn(call);
    const auto* task = std::get_if<MapTask>(&plan->verb);
    if (task != nullptr && task->gang) {
      PT_LET(auto batches, GatherAndRun(*task, plan->inputs, call));
      return MakeStream(task->output, std::move(batches));
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
    Warn(call);
    if (const auto* store = std::get_if<Store>(&plan->verb)) {
      if (store->target.kind == SourceKind::kDelta) {
        return StoreInLake(plan->inputs.front(), *store, call);
      }
      PT_LET(const BatchStreamPtr rows, Execute(plan->inputs.front(), call));
      return embedded_.Store(*rows, *store);
    }
    const auto* write = std::get_if<Write>(&plan->verb);
    if (write == nullptr) return Count(plan, call);
    PT_LET(const Operation operation, Prepare(plan->inputs.front(), call));
    PT_TRY(CheckHolds(*operation.table.schema, write->format));
    const WriteTarget target{write->format, write->path};
    // Another try replaces whatever the previous one left.
    PT_LET(const int64_t rows, deployment_.Run(
                                   [&] {
                                     return WriteTable(*session_, operation.table, target,
                                                       folder_.transit(), Options("write"), call);
                                   },
                                   call));
    PT_TRY(ReportEvents(operation.tasks, call));
    return rows;
  }

  Result<Source> Pin(const Source& source, const Call& call) override {
    if (!RowOf(source.kind).folder) return source;
    PT_TRY(keys_.Give(source, call));
    if (source.kind == SourceKind::kDelta) return PinDelta(*session_, source, call);
    PT_LET(Engine* const embedded, embedded_.Open());
    return embedded->Pin(source, call);
  }

  // The driver finds the columns of the copies, as it does of files here; Spark reads the objects.
  Result<std::vector<ObjectCopy>> CopyHere(const Source& source, const Call& call) override {
    PT_TRY(keys_.Give(source, call));
    PT_TRY(CheckReach(*session_, source, call));
    PT_LET(Engine* const embedded, embedded_.Open());
    PT_LET(auto copies, embedded->CopyHere(source, call));
    const std::lock_guard lock(mutex_);
    copied_[PathAtStore(ObjectRoot(source))] = ObjectRoot(source);
    for (size_t i = 0; i < copies.size(); ++i) copied_[copies[i].path] = source.objects[i].place;
    return copies;
  }

  Result<EnginePlan> Explain(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    Warn(call);
    if (const auto* store = std::get_if<Store>(&plan->verb)) {
      PT_TRY(CheckTarget(*store, call));
    }
    SparkExplainer explainer(*session_, settings_, Context(call, nullptr), stored_, call);
    return explainer.Explain(plan);
  }

  // Executors start workers only when tasks come, and what other jobs hold is unknown: this only
  // checks that the gang fits, and that the program can be sent to them.
  Result<Admission> Admit(const Demand& demand, const Call& call) override {
    Admission admission;
    PT_TRY(deployment_.Check());
    PT_LET(admission.ranks, PlanRanks(*session_, settings_, demand.gang, call));
    return admission;
  }

  std::string address() const override { return session_->address(); }

  // Its tasks write no events: nobody would read them, and they would never end.
  Result<std::unique_ptr<StreamQuery>> Follow(const StreamQuerySpec& spec, const Call& call) {
    PT_TRY(FirstError(spec.plan));
    Warn(call);
    LoweringContext context = Context(call, nullptr);
    context.streamed = spec.events.scan;
    context.follow = FollowerOf(*session_, spec.events, call);
    if (const auto* lake = std::get_if<Source>(&spec.sink)) PT_TRY(keys_.Give(*lake, call));
    context.map = [this, call](const MapTask& task, const Plan&,
                               const SparkTable& input) -> Result<connect::Relation> {
      PT_TRY(deployment_.Use(task.needs.torch, call));
      return MapOver(input.relation, *input.schema, CommandOf(task), session_->version(), {});
    };
    PT_LET(const SparkTable table, LowerPlan(spec.plan, context));
    return StartSparkStream(*session_, deployment_, table, spec, call);
  }

 private:
  // A table that does not exist yet is no fault; a server without Delta or a store that refuses is.
  // What the driver will write, its own engine checks.
  Status CheckTarget(const Store& store, const Call& call) {
    if (store.target.kind == SourceKind::kIceberg) {
      PT_LET(Engine* const embedded, embedded_.Open());
      const Plan rows = MakePlan(Sql{.text = "SELECT 1 AS one", .names = {}});
      return embedded->Explain(MakePlan(store, {rows}), call).status();
    }
    if (store.target.kind != SourceKind::kDelta) return Status::OK();
    const Status found = Pin(store.target, call).status();
    return !found.ok() && FaultOf(found).exit != Exit::kInput ? found : Status::OK();
  }

  // What one call of the engine submits after everything below it is kept.
  struct Operation {
    SparkTable table;
    // Event folders of its tasks without a gang.
    EventFolders tasks;
  };

  struct Kept {
    // Held so that the node's address, which is the key, is not reused for another node.
    Plan plan;
    // `files` has no schema if the rows are not in files.
    WrittenRows written;
    KeptRows rows = {};
    std::shared_ptr<const StoredObject> lease = {};  // Of rows that the store has.
  };

  // Once, with the first thing that is run or explained: opening the engine has no listener.
  void Warn(const Call& call) {
    std::string message;
    {
      const std::lock_guard lock(mutex_);
      message = std::exchange(warning_, {});
    }
    if (!message.empty()) call.Send(Warning{message});
  }

  ExecuteOptions Options(const std::string& name) const {
    page_->Begin();
    const auto more = [page = page_](const std::string& operation, bool operators) {
      return page->Read(operation, operators);
    };
    return {.name = name, .explain = Explainer(name, session_->address()), .more = more};
  }

  // `tasks` collects the event folders of the lowered tasks; null if no task is to run: then tasks'
  // rows are left out.
  LoweringContext Context(const Call& call, EventFolders* tasks) {
    LoweringContext context{
        .describe =
            [this, call](const connect::Relation& relation) {
              return session_->Schema(relation, call);
            },
        .open = [this, call](const Source& source) { return sources_.Open(source, call); },
        .local_table =
            [this, call](const SchemaPtr& schema, const auto& batches) {
              return session_->LocalTable(schema, batches, call);
            }};
    context.doubled_quotes = !session_->version().starts_with("4.0.");
    context.file = [this](const std::string& path) { return AddressOf(path); };
    const std::lock_guard lock(mutex_);
    context.query = fmt::format("q{}_", queries_++);
    for (const auto& [node, kept] : kept_) context.kept[node] = {kept.written.relation, kept.rows};
    if (tasks != nullptr) {
      context.map = [this, call, tasks](const MapTask& task, const Plan& rows,
                                        const SparkTable& input) {
        return TaskRelation(task, rows, input, call, *tasks);
      };
    }
    return context;
  }

  // Where executors read a file or a folder of this host.
  Result<std::string> AddressOf(const std::string& path) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = copied_.find(path); found != copied_.end()) return found->second;
    }
    RunTransit* const transit = folder_.transit();
    if (transit == nullptr) return path;
    if (std::filesystem::is_directory(path)) return transit->AddressOf(path);
    return transit->Put(path);
  }

  Result<Operation> Prepare(const Plan& plan, const Call& call) {
    PT_TRY(KeepBelow(plan, plan, call));
    Operation operation;
    PT_LET(operation.table, LowerPlan(plan, Context(call, &operation.tasks)));
    return operation;
  }

  // Evaluates what must exist before the plan itself is submitted, inputs first.
  Status KeepBelow(const Plan& plan, const Plan& whole, const Call& call) {
    if (IsKept(plan)) return Status::OK();
    for (const Plan& input : plan->inputs) PT_TRY(KeepBelow(input, whole, call));
    if (std::holds_alternative<Materialize>(plan->verb)) return Keep(plan, whole, call);
    const auto* task = std::get_if<MapTask>(&plan->verb);
    if (task == nullptr || !task->gang) return Status::OK();
    PT_LET(auto batches, GatherAndRun(*task, plan->inputs, call));
    PT_LET(auto relation, session_->LocalTable(task->output, batches, call));
    const std::lock_guard lock(mutex_);
    kept_[plan.get()] = {plan, {.relation = std::move(relation), .schema = task->output}};
    return Status::OK();
  }

  std::optional<Kept> FindKept(const Plan& plan) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(plan.get());
    if (found == kept_.end()) return std::nullopt;
    return found->second;
  }

  bool IsKept(const Plan& plan) const {
    const std::lock_guard lock(mutex_);
    return kept_.count(plan.get()) > 0;
  }

  // Writes a node's rows. The files contain the sides of those splits that their readers could not
  // compute.
  Status Keep(const Plan& node, const Plan& whole, const Call& call) {
    const std::string& name = std::get<Materialize>(node->verb).name;
    Operation operation;
    const LoweringContext context = Context(call, &operation.tasks);
    PT_LET(const SparkTable table, LowerPlan(node->inputs.front(), context));
    KeptRows rows{.table = {}, .marks = CutsToMark(whole, node.get(), table.schema)};
    PT_LET(operation.table, LowerMarks(table, context, rows));
    const auto cause = [&] { return stored_.CauseOf(node, operation.table, rows.marks, call); };
    const RowsCause before = cause();
    const auto take = [&] { return stored_.Find(before, name, operation.table.schema, call); };
    auto taken = take();
    auto draft = taken ? std::nullopt : stored_.Begin(before, call);
    // Another process may have made them meanwhile.
    if (!taken && !draft) taken = take();
    if (taken) {
      const std::lock_guard lock(mutex_);
      kept_[node.get()] = {node, std::move(taken->written), std::move(rows), taken->lease};
      return Status::OK();
    }
    const auto began = Clock::now();
    const auto write = [&] {
      return WriteRows(*session_, operation.table, folder_, name, Options(name), call);
    };
    PT_LET(auto written, deployment_.Run(write, call));
    PT_TRY(ReportEvents(operation.tasks, call));
    if (draft) {
      const std::chrono::duration<double> seconds = Clock::now() - began;
      stored_.Keep(std::move(*draft), before, cause(), written, seconds.count(), call);
    }
    const std::lock_guard lock(mutex_);
    kept_[node.get()] = {node, std::move(written), std::move(rows)};
    return Status::OK();
  }

  static SparkCommand CommandOf(const MapTask& task) {
    return {.task = task.task,
            .role = task.role,
            .torch = RunsInLibrary(task),
            .config = task.config,
            .groups = task.groups,
            .output = task.output};
  }

  // Returns the relation of a task without a gang. If it needs only the files of a kept table, its
  // partitions read them, as many as tasks fit the cluster at once.
  Result<connect::Relation> TaskRelation(const MapTask& task, const Plan& rows,
                                         const SparkTable& input, const Call& call,
                                         EventFolders& tasks) {
    PT_TRY(deployment_.Use(task.needs.torch, call));
    tasks.push_back({folder_.New("events-" + task.task)});
    PT_TRY(MakeFolder(tasks.back().folder));
    SparkCommand command = CommandOf(task);
    command.events = tasks.back().folder.string();
    if (const RunTransit* const transit = folder_.transit()) {
      command.transit = transit->terms();
      tasks.back().meeting = transit->Meet(command);
      PT_TRY(tasks.back().meeting->Exchange());
    }
    std::optional<WrittenRows> files = FindFiles(rows, *input.schema);
    const int columns = input.schema->num_fields();
    if (files && ChooseRowsBy(settings_.rows, files->files.rows, columns) == RowsBy::kFiles) {
      PT_LET(const Capacity capacity, ReadCapacity(*session_, call));
      command.world = std::max(1, capacity.cores / std::max(1, capacity.cores_per_task));
      command.rows = std::move(files->files);
      return MapOverFiles(command, session_->version(), {});
    }
    return MapOver(input.relation, *input.schema, command, session_->version(), {});
  }

  Result<int64_t> StoreInLake(const Plan& plan, const Store& store, const Call& call) {
    PT_TRY(keys_.Give(store.target, call));
    PT_LET(const Operation operation, Prepare(plan, call));
    const bool upserts = store.mode == StoreMode::kUpsert;
    const std::lock_guard lock(storing_);
    const auto write = [&]() -> Result<int64_t> {
      if (upserts) return Upsert(operation.table, store, call);
      return StoreInDelta(*session_, operation.table, store, Options("write"), call);
    };
    PT_LET(const int64_t rows, deployment_.Run(write, call));
    PT_TRY(ReportEvents(operation.tasks, call));
    return rows;
  }

  // A merge reads its rows more than once, and tasks would compute them each time.
  Result<int64_t> Upsert(const SparkTable& table, const Store& store, const Call& call) {
    PT_LET(const WrittenRows rows,
           WriteRows(*session_, table, folder_, "upsert", Options("write"), call));
    return UpsertInDelta(*session_, rows, store, Options("merge"), call);
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

  Result<arrow::RecordBatchVector> GatherAndRun(const MapTask& task,
                                                const std::vector<Plan>& inputs, const Call& call) {
    PT_CHECK(inputs.size() == 1);
    const GangEngine engine{.session = *session_,
                            .deployment = deployment_,
                            .folder = folder_,
                            .settings = settings_,
                            .logs = logs_,
                            .options = Options("gang " + task.task)};
    const Plan& rows = inputs.front();
    return RunGang(
        engine, task,
        [&]() -> Result<GangInput> {
          PT_LET(const Operation operation, Prepare(rows, call));
          return GangInput{.table = operation.table,
                           .rows_below = RowsBelow(rows),
                           .files = FindFiles(rows, *operation.table.schema)};
        },
        call);
  }

  // Returns the files of a kept table with the steps that make the rows of `plan` from them, if
  // possible; the rows then have exactly the columns `schema`.
  std::optional<WrittenRows> FindFiles(const Plan& plan, const arrow::Schema& schema) const {
    const Node* const source = FindSource(plan);
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(source);
    if (kept == kept_.end() || kept->second.written.files.schema == nullptr) return std::nullopt;
    WrittenRows written = kept->second.written;
    const auto steps = StepsFrom(source, kept->second.rows, written.files.schema, plan, schema);
    if (!steps) return std::nullopt;
    written.files.steps = steps->ToJson();
    return written;
  }

  // Returns an upper bound of the plan's rows from the kept tables below it; -1 if there are none.
  int64_t RowsBelow(const Plan& plan) const {
    if (const auto kept = FindKept(plan)) return kept->written.files.rows;
    int64_t most = -1;
    for (const Plan& input : plan->inputs) most = std::max(most, RowsBelow(input));
    return most;
  }

  const SparkSettings settings_;
  const std::filesystem::path logs_;
  // The file with the session's id; see OpenSession.
  const std::filesystem::path note_;
  // Before the session, so that it is destroyed after it: operations may still write to it.
  JobFolder folder_;
  std::unique_ptr<SparkSession> session_;
  Deployment deployment_;
  StoreKeys keys_;
  Embedded embedded_;
  SourceTables sources_;
  StoredParquet stored_;
  const std::shared_ptr<OwnPage> page_;
  std::mutex storing_;  // Held while rows go into a lake, one output after the other.
  mutable std::mutex mutex_;
  // mutex_ guards them.
  int64_t queries_ = 0;  // That were lowered.
  std::map<const Node*, Kept> kept_;
  std::map<std::string, std::string> copied_;  // Places at object stores, by those of their copies.
  std::string warning_;  // About the session's settings; empty once it was sent.
};

}  // namespace

Result<std::unique_ptr<Engine>> OpenSparkEngine(const EngineRequest& request) {
  const auto note = request.folder.empty() ? request.folder : request.folder / kSessionNote;
  SparkSettings settings;
  PT_TRY(FieldsFromJson(request.options, "engine.spark", settings));
  PT_LET(std::unique_ptr<SparkSession> session, OpenSession(request.address, note));
  std::string warning;
  if (!settings.pool.empty()) {
    PT_LET(warning, EnterPool(*session, settings.pool, {}));
  }
  PT_LET(const SparkAddress address, ParseSparkAddress(request.address));
  PT_LET(PageHints page, AskPageHints(*session, address.host, settings.page, {}));
  PT_LET(JobFolder folder, JobFolder::Make(request.folder, request.transit));
  const auto logs = request.folder.empty() ? std::filesystem::path() : request.folder / "logs";
  return std::make_unique<SparkEngine>(std::move(session), settings, std::move(folder), logs, note,
                                       request, std::move(page), std::move(warning));
}

Result<std::unique_ptr<StreamQuery>> FollowOnSpark(Engine& engine, const StreamQuerySpec& spec,
                                                   const Call& call) {
  return static_cast<SparkEngine&>(engine).Follow(spec, call);
}

}  // namespace protium
