// SPDX-License-Identifier: Apache-2.0
#include "local/local_engine.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "base/fault.h"
#include "column/group_batches.h"
#include "duckdb/query.h"
#include "format/file_writer.h"
#include "local/database.h"
#include "local/explainer.h"
#include "local/inputs.h"
#include "local/object_copies.h"
#include "local/plain_stream.h"
#include "local/query_tables.h"
#include "local/questions.h"
#include "local/source_tables.h"
#include "local/store.h"
#include "plan/aggregates.h"
#include "sources/source.h"

// How a plan is run: a task's rows come straight from the workers if only limits and selections of
// columns follow. Everything else is one SELECT (QueryTables): tables of materialised nodes below
// it are made first, once for all queries, and results of tasks below it are copied into tables for
// this query; then DuckDB streams the SELECT. There may be several databases (stores). A database
// that has run SQL text written by a person opens, from then on, only files that were admitted
// before; a plan over other files gets a new database, into which kept tables are copied when they
// are needed.

namespace protium {
namespace {

class LocalEngine : public Engine {
 public:
  LocalEngine(LocalOptions options, std::unique_ptr<Workers> workers)
      : options_(std::move(options)),
        stored_(StoredTables::Open(options_.store, options_.run, options_.fresh)),
        copies_(stored_ == nullptr ? nullptr : stored_->store(), options_.spill),
        answers_(options_.fresh ? nullptr : Kept()),
        workers_(std::move(workers)) {
    AddStore();
  }

  Result<SchemaPtr> Analyze(const Plan& plan, const Call&) override {
    PT_TRY(FirstError(plan));
    // We report a missing file ourselves, before DuckDB would fail on it with its own message.
    PT_TRY(CheckFiles(plan));
    if (const auto* task = std::get_if<MapTask>(&plan->verb)) return task->output;
    PT_LET(TableStore * store, StoreFor(plan));
    auto tables = store->kept.Ready();
    Questions questions(*store->database, &answers_, WhatDecides(plan, tables));
    PT_LET(const std::string select, SelectAt(*store, questions, plan, std::move(tables)));
    auto schema = questions.Schema(select);
    PT_TRY(RefineStatus(schema.status(), plan));
    return schema;
  }

  Result<BatchStreamPtr> Execute(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    PT_TRY(CheckFiles(plan));
    return Open(plan, call);
  }

  Result<int64_t> Run(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    PT_TRY(CheckFiles(plan));
    if (const auto* store = std::get_if<Store>(&plan->verb)) {
      PT_LET(const BatchStreamPtr rows, Open(plan->inputs.front(), call));
      return StoreRows(ForDatabase(), *rows, *store, call);
    }
    const auto* write = std::get_if<Write>(&plan->verb);
    PT_LET(BatchStreamPtr stream, Open(write == nullptr ? plan : plan->inputs.front(), call));
    if (write == nullptr) return Drain(*stream, nullptr);
    PT_LET(auto file, FileWriter::Make(write->format, write->path, stream->schema()));
    PT_LET(const int64_t rows, Drain(*stream, file.get()));
    PT_TRY(file->Commit());
    return rows;
  }

  Result<EnginePlan> Explain(const Plan& plan, const Call& call) override {
    PT_TRY(FirstError(plan));
    if (const auto* store = std::get_if<Store>(&plan->verb)) {
      PT_TRY(CheckTarget(ForDatabase(), *store));
    }
    PT_TRY(CheckFiles(plan));
    PT_LET(TableStore * store, StoreFor(plan));
    Questions questions(*store->database, &answers_, WhatDecides(plan, {}));
    Explainer explainer(questions, workers_.get(), stored_.get(), call);
    auto explained = explainer.Explain(plan);
    PT_TRY(RefineStatus(explained.status(), plan));
    return explained;
  }

  Result<Source> Pin(const Source& source, const Call&) override {
    PT_LET(Database * database, Unlocked());
    return database->PinSource(source);
  }

  Result<std::vector<ObjectCopy>> CopyHere(const Source& source, const Call& call) override {
    PT_LET(Database * database, Unlocked());
    PT_TRY(database->OpenPlace(source));
    return copies_.Take(*database, source, call);
  }

  Result<Admission> Admit(const Demand& demand, const Call&) override {
    if (workers_ == nullptr) return NoWorkers();
    const GangSpec& gang = demand.gang;
    Admission admission;
    PT_LET(admission.ranks, workers_->Placement(gang));
    PT_LET(admission.waits_for, workers_->WaitsFor(gang));
    // Ranks with devices are started after the devices are leased, since a process sees only those
    // that it was started with.
    if (gang.gpus_per_worker == 0) workers_->Expect(gang.ranks(), demand.torch);
    return admission;
  }

  Result<std::vector<DatabaseTable>> ListTables(const Source& source, const Call&) override {
    return ListSourceTables(ForDatabase(), source);
  }

  LocalStore* Kept() override { return stored_ == nullptr ? nullptr : stored_->store(); }

  RowsName NameRows(const Plan& plan, const Call& call) override {
    if (Kept() == nullptr) return {};
    TakeKept(plan, call);
    TableContents contents;
    for (const auto& [node, rows] : ReadyTables()) {
      if (!rows.content.empty()) contents[node] = rows.content;
    }
    return IsSteady(plan, contents) ? stored_->NameRows(plan, contents) : RowsName{};
  }

  std::string address() const override { return options_.address; }

 private:
  // The order of rows that no ORDER BY sorts. DuckDB is faster and uses less memory if it need not
  // preserve the files' order, so it does for workers only if they keep it (workers/workers.h).
  enum class Order { kKept, kAny };

  static Status NoWorkers() { return Status::NotImplemented("this engine has no workers"); }

  DatabaseOptions ForDatabase() const {
    return {options_.memory_bytes, options_.threads, options_.spill.string()};
  }

  TableStore& AddStore() {
    TableStore& store = *stores_.emplace_back(std::make_unique<TableStore>(ForDatabase()));
    // Where nothing is kept, the database is needed in any case.
    if (Kept() == nullptr || options_.fresh) store.database->Warm();
    if (stored_ != nullptr && !stored_->folder().empty())
      store.database->Admit({stored_->folder()});
    return store;
  }

  // Adds a store with all that plans have named.
  Result<TableStore*> AddOpenStore() {
    TableStore& store = AddStore();
    store.database->Admit({files_.begin(), files_.end()});
    for (const Source& source : sources_) PT_TRY(store.database->OpenSource(source));
    return &store;
  }

  // A database that may open what no plan has named yet; it lives as long as the engine.
  Result<Database*> Unlocked() {
    const std::lock_guard lock(mutex_);
    if (stores_.back()->database->locked()) PT_TRY(AddOpenStore().status());
    return stores_.back()->database.get();
  }

  // Returns the store in which queries over `plan` run; locks its database if the plan contains SQL
  // text.
  Result<TableStore*> StoreFor(const Plan& plan) {
    const std::lock_guard lock(mutex_);
    const std::vector<std::string> files = ListFiles(plan);
    const std::vector<Source> sources = ListSources(plan);
    files_.insert(files.begin(), files.end());
    TableStore* store = stores_.back().get();
    if (!store->database->Admit(files, sources)) {
      PT_LET(store, AddOpenStore());
    }
    for (const Source& source : sources) {
      PT_TRY(store->database->OpenSource(source));
      if (!Named(source)) sources_.push_back(source);
    }
    if (HasSqlText(plan)) PT_TRY(store->database->Lock());
    return store;
  }

  bool Named(const Source& source) const {
    return std::ranges::any_of(
        sources_, [&](const Source& each) { return SourceKey(each) == SourceKey(source); });
  }

  std::unordered_map<const Node*, KeptRows> ReadyTables() {
    const std::lock_guard lock(mutex_);
    std::unordered_map<const Node*, KeptRows> ready;
    for (const auto& store : stores_) ready.merge(store->kept.Ready());
    return ready;
  }

  // Takes tables below the plan that earlier runs have kept.
  void TakeKept(const Plan& plan, const Call& call) {
    if (!CheckFiles(plan).ok()) return;
    const auto store = StoreFor(plan);
    if (store.ok()) MakeQueryTables(**store, plan, call).Take();
  }

  // Whether the SQL texts above kept tables give the same rows in every run.
  bool IsSteady(const Plan& plan, const TableContents& contents) {
    if (!HoldsSql(plan, contents)) return true;
    const auto varies = [&]() -> Result<std::vector<std::string>> {
      PT_LET(TableStore * store, StoreFor(plan));
      auto tables = store->kept.Ready();
      Questions questions(*store->database, &answers_, WhatDecides(plan, tables));
      std::vector<std::string> notes;
      PT_TRY(SelectAt(*store, questions, plan, std::move(tables), &notes).status());
      return notes;
    };
    const auto found = varies();
    return found.ok() && found->empty();
  }

  static bool HoldsSql(const Plan& plan, const TableContents& contents) {
    if (contents.contains(plan.get())) return false;
    return std::holds_alternative<Sql>(plan->verb) ||
           std::ranges::any_of(plan->inputs,
                               [&](const Plan& input) { return HoldsSql(input, contents); });
  }

  // Returns a store other than `own` that has already made the table of `plan`.
  TableStore* FindOtherStore(const Plan& plan, const TableStore& own) {
    const std::lock_guard lock(mutex_);
    for (const auto& store : stores_) {
      if (store.get() != &own && store->kept.Ready().contains(plan.get())) return store.get();
    }
    return nullptr;
  }

  static Result<int64_t> Drain(BatchStream& stream, FileWriter* file) {
    int64_t rows = 0;
    while (true) {
      PT_LET(const auto batch, stream.Next());
      if (batch == nullptr) return rows;
      if (file != nullptr) PT_TRY(file->Write(*batch));
      rows += batch->num_rows();
    }
  }

  QueryTables MakeQueryTables(TableStore& store, const Plan& query, const Call& call) {
    return {store,
            query,
            {[this, call](const Plan& plan) { return Open(plan, call); },
             [this](const Plan& plan, const TableStore& own) { return FindOtherStore(plan, own); },
             stored_.get(), &answers_},
            call};
  }

  // Such as the input of a gang whose rows are packed already: only its columns count.
  static bool IsEmpty(const Plan& plan) {
    const auto* const limit = std::get_if<Limit>(&plan->verb);
    return limit != nullptr && limit->rows == 0;
  }

  // Rows of tasks go straight through if only limits and selections of columns follow; everything
  // else is a query.
  Result<BatchStreamPtr> Open(const Plan& plan, const Call& call, Order order = Order::kKept) {
    if (IsEmpty(plan)) {
      PT_LET(const SchemaPtr schema, Analyze(plan->inputs.front(), call));
      return MakeStream(schema, {});
    }
    if (const auto* task = std::get_if<MapTask>(&plan->verb)) return Map(*task, plan, call);
    if (IsPlainOverTask(plan)) {
      PT_LET(BatchStreamPtr input, Open(plan->inputs.front(), call));
      return PlainStream(plan, std::move(input));
    }
    PT_LET(TableStore * store, StoreFor(plan));
    QueryTables tables = MakeQueryTables(*store, plan, call);
    PT_TRY(tables.Make());
    Questions questions(*store->database, &answers_, tables.Decides());
    PT_LET(const std::string select, tables.Select(questions));
    PT_LET(duck::Connection connection, store->database->Connect());
    if (order == Order::kAny) {
      PT_TRY(duck::Do(connection, "SET SESSION preserve_insertion_order = false"));
    }
    auto stream = StreamQuery(std::move(connection), select, call, "query");
    PT_TRY(RefineStatus(stream.status(), plan));
    return HoldingStream(std::move(*stream), tables.TakeHeld(), plan);
  }

  Result<BatchStreamPtr> Map(const MapTask& task, const Plan& plan, const Call& call) {
    if (workers_ == nullptr) return NoWorkers();
    PT_CHECK(plan->inputs.size() == 1);
    // The rows of a task over groups come group by group; see WholeGroups().
    const Plan input =
        InGroups(task, plan->inputs.front(), "ORDER BY " + OrderList(GroupOrder(task)));
    // Kept tables are made before workers start, and only once, not again for every attempt.
    PT_LET(TableStore * store, StoreFor(input));
    PT_TRY(MakeQueryTables(*store, input, call).Keep());
    return workers_->Map(
        task,
        [this, input, call, groups = task.groups,
         order = KeepsOrder(task) ? Order::kKept : Order::kAny]() -> Result<BatchStreamPtr> {
          PT_LET(BatchStreamPtr rows, Open(input, call, order));
          if (groups.empty()) return rows;
          return WholeGroups(std::move(rows), groups);
        },
        call);
  }

  const LocalOptions options_;
  // Guards stores_, files_ and sources_.
  std::mutex mutex_;
  // Null without a store. Tables of the stores below lie in its files.
  std::unique_ptr<StoredTables> stored_;
  ObjectCopies copies_;
  Answers answers_;
  // The last one is for new plans; all live as long as the engine.
  std::vector<std::unique_ptr<TableStore>> stores_;
  // All files and sources that plans have named.
  std::set<std::string> files_;
  std::vector<Source> sources_;
  // Declared last, so that it is destroyed first: its streams read from the tables.
  std::unique_ptr<Workers> workers_;
};

}  // namespace

Result<std::unique_ptr<Engine>> MakeLocalEngine(LocalOptions options) {
  PT_LET(std::unique_ptr<Workers> workers, Workers::Make(options.workers));
  return MakeLocalEngine(std::move(options), std::move(workers));
}

std::unique_ptr<Engine> MakeLocalEngine(LocalOptions options, std::unique_ptr<Workers> workers) {
  return std::make_unique<LocalEngine>(std::move(options), std::move(workers));
}

}  // namespace protium
