// SPDX-License-Identifier: Apache-2.0
#include "local/local_engine.h"

#include <mutex>
#include <set>

#include "base/fault.h"
#include "format/file_writer.h"
#include "local/database.h"
#include "local/explainer.h"
#include "local/inputs.h"
#include "local/kept_tables.h"
#include "local/plain_stream.h"
#include "local/query.h"
#include "local/sql_reader.h"

namespace protium {
namespace {

// A database with the tables that were made in it.
struct Place {
  explicit Place(const DatabaseOptions& options) : database(std::make_shared<Database>(options)) {}
  const std::shared_ptr<Database> database;
  KeptTables kept;
  KeyTables keys;
};

class LocalEngine : public Engine {
 public:
  LocalEngine(LocalOptions options, std::unique_ptr<Workers> workers)
      : options_(std::move(options)), workers_(std::move(workers)) {
    AddPlace();
  }

  Result<SchemaPtr> Analyze(const Plan& plan, const Call&) override {
    PT_TRY(FirstError(plan));
    PT_TRY(CheckFiles(plan));
    if (const auto* task = std::get_if<MapTask>(&plan->verb)) return task->output;
    PT_LET(Place * place, PlaceFor(plan));
    PT_LET(const duck::Connection connection, place->database->Connect());
    PT_LET(const RelationSql sql, WriteWith(*place, connection, plan, place->kept.Ready()));
    PT_LET(const std::string select, Select(connection, sql, plan));
    auto schema = SchemaOf(connection, select);
    PT_TRY(Sharpen(schema.status(), plan));
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
    PT_TRY(CheckFiles(plan));
    PT_LET(Place * place, PlaceFor(plan));
    PT_LET(const duck::Connection connection, place->database->Connect());
    Explainer explainer(connection, workers_.get());
    auto explained = explainer.Explain(plan);
    PT_TRY(Sharpen(explained.status(), plan));
    return explained;
  }

  void Expect(int32_t workers, bool torch) override {
    if (workers_ != nullptr) workers_->Expect(workers, torch);
  }

  std::string address() const override { return options_.address; }

 private:
  using Tables = std::unordered_map<const Node*, KeptRows>;
  // Of rows that no ORDER BY orders. What workers make of them comes in any order anyway.
  enum class Order { kKept, kAny };

  Place& AddPlace() {
    const DatabaseOptions options{options_.memory_bytes, options_.threads, options_.spill.string()};
    return *places_.emplace_back(std::make_unique<Place>(options));
  }

  // Where queries over `plan` run. Once text has run, a database opens no files but those that were
  // named before, and nothing can be added: plans over other files get a database of their own.
  Result<Place*> PlaceFor(const Plan& plan) {
    const std::lock_guard lock(mutex_);
    const std::vector<std::string> files = FilesOf(plan);
    files_.insert(files.begin(), files.end());
    Place* place = places_.back().get();
    if (!place->database->Admit(files)) {
      place = &AddPlace();
      place->database->Admit({files_.begin(), files_.end()});
    }
    if (HasSqlText(plan)) PT_TRY(place->database->Lock());
    return place;
  }

  // A place that has made the table of `plan` already, other than `own`.
  Place* OtherPlaceOf(const Plan& plan, const Place& own) {
    const std::lock_guard lock(mutex_);
    for (const auto& place : places_) {
      if (place.get() != &own && place->kept.Ready().contains(plan.get())) return place.get();
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

  static Result<std::string> Select(const duck::Connection& connection, const RelationSql& sql,
                                    const Plan& plan) {
    auto select = WithPlainTypes(connection, sql.text);
    PT_TRY(Sharpen(PlaceInOriginal(select.status(), sql.text, sql.texts), plan));
    return select;
  }

  static Result<RelationSql> WriteWith(Place& place, const duck::Connection& connection,
                                       const Plan& plan, Tables tables) {
    return WriteFor(connection, plan, std::move(tables), [&place](const Lookup& lookup) {
      return place.keys.Get(place.database, lookup);
    });
  }

  // Rows of tasks go straight through where only limits and choices of columns follow; everything
  // else is a query.
  Result<BatchStreamPtr> Open(const Plan& plan, const Call& call, Order order = Order::kKept) {
    if (const auto* task = std::get_if<MapTask>(&plan->verb)) return Map(*task, plan, call);
    if (IsPlainOverTask(plan)) {
      PT_LET(BatchStreamPtr input, Open(plan->inputs.front(), call));
      return PlainStream(plan, std::move(input));
    }
    PT_LET(Place * place, PlaceFor(plan));
    Tables tables;
    std::vector<KeptTable> held;
    PT_TRY(Prepare(*place, plan, plan, call, tables, held));
    PT_LET(duck::Connection connection, place->database->Connect());
    if (order == Order::kAny) {
      PT_TRY(duck::Do(connection, "SET SESSION preserve_insertion_order = false"));
    }
    PT_LET(const RelationSql sql, WriteWith(*place, connection, plan, std::move(tables)));
    PT_LET(const std::string select, Select(connection, sql, plan));
    auto stream = StreamQuery(std::move(connection), select, call, "query");
    PT_TRY(Sharpen(stream.status(), plan));
    return HoldingStream(std::move(*stream), std::move(held), plan);
  }

  Result<BatchStreamPtr> Map(const MapTask& task, const Plan& plan, const Call& call) {
    if (workers_ == nullptr) return Status::NotImplemented("this engine has no workers");
    if (plan->inputs.size() != 1) return Status::Invalid("a task needs one input");
    const Plan input = plan->inputs.front();
    // What is kept below is made once, before workers start, not anew for every attempt.
    PT_LET(Place * place, PlaceFor(input));
    PT_TRY(KeepBelow(*place, input, input, call));
    return workers_->Map(
        task, [this, input, call] { return Open(input, call, Order::kAny); }, call);
  }

  Status KeepBelow(Place& place, const Plan& plan, const Plan& whole, const Call& call) {
    if (std::holds_alternative<Materialize>(plan->verb)) {
      return Keep(place, plan, whole, call).status();
    }
    for (const Plan& input : plan->inputs) PT_TRY(KeepBelow(place, input, whole, call));
    return Status::OK();
  }

  // Makes every table below `plan` that the query over `whole` will read by name.
  Status Prepare(Place& place, const Plan& plan, const Plan& whole, const Call& call,
                 Tables& tables, std::vector<KeptTable>& held) {
    if (tables.count(plan.get()) > 0) return Status::OK();
    if (std::holds_alternative<Materialize>(plan->verb)) {
      PT_LET(tables[plan.get()], Keep(place, plan, whole, call));
      return Status::OK();
    }
    if (std::holds_alternative<MapTask>(plan->verb)) {
      PT_LET(KeptTable table, Ingest(place, plan, call));
      tables[plan.get()] = {.table = table.name()};
      held.push_back(std::move(table));
      return Status::OK();
    }
    for (const Plan& input : plan->inputs) PT_TRY(Prepare(place, input, whole, call, tables, held));
    return Status::OK();
  }

  // The table carries the sides of the cuts that `whole` makes of it.
  Result<KeptRows> Keep(Place& place, const Plan& plan, const Plan& whole, const Call& call) {
    return place.kept.Get(plan, call, [&]() -> Result<KeptTables::Made> {
      if (Place* other = OtherPlaceOf(plan, place)) return Copy(*other, place, plan, call);
      const Plan& input = plan->inputs.front();
      if (std::holds_alternative<MapTask>(input->verb) || IsPlainOverTask(input)) {
        PT_LET(KeptTable table, Ingest(place, input, call));
        return KeptTables::Made{std::move(table)};
      }
      return Make(place, plan, whole, call);
    });
  }

  Result<KeptTables::Made> Make(Place& place, const Plan& plan, const Plan& whole,
                                const Call& call) {
    const Plan& input = plan->inputs.front();
    Tables tables;
    std::vector<KeptTable> held;
    PT_TRY(Prepare(place, input, input, call, tables, held));
    PT_LET(const duck::Connection connection, place.database->Connect());
    PT_LET(const RelationSql sql, WriteWith(place, connection, input, std::move(tables)));
    PT_LET(const std::string select, Select(connection, sql, plan));
    PT_LET(KeptSelect kept, WriteKept(connection, select, CutsOf(whole, plan.get())));
    PT_LET(KeptTable table, KeptTable::Name(place.database));
    const auto& name = std::get<Materialize>(plan->verb).name;
    PT_LET(const duck::Connection beside, place.database->Connect());
    const std::string create = "CREATE TABLE " + table.name() + " AS " + kept.text;
    const auto made = RunStatement(connection, beside, create, call, name);
    PT_TRY(Sharpen(made.status(), input));
    return KeptTables::Made{std::move(table), std::move(kept.rows)};
  }

  // With all columns that the other place has made, marks of cuts among them.
  static Result<KeptTables::Made> Copy(Place& from, const Place& to, const Plan& plan,
                                       const Call& call) {
    PT_LET(duck::Connection connection, from.database->Connect());
    KeptRows rows = from.kept.Ready().at(plan.get());
    const std::string select = "SELECT * FROM " + rows.table;
    PT_LET(const BatchStreamPtr stream, StreamQuery(std::move(connection), select, call, "copy"));
    PT_LET(KeptTable table, KeptTable::Fill(to.database, *stream));
    return KeptTables::Made{std::move(table), std::move(rows)};
  }

  Result<KeptTable> Ingest(const Place& place, const Plan& plan, const Call& call) {
    PT_LET(BatchStreamPtr stream, Open(plan, call));
    return KeptTable::Fill(place.database, *stream);
  }

  const LocalOptions options_;
  std::mutex mutex_;                            // Guards what follows.
  std::vector<std::unique_ptr<Place>> places_;  // The last one is for new plans.
  std::set<std::string> files_;                 // All that plans have named.
  std::unique_ptr<Workers> workers_;            // Ends first: its streams read from the tables.
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
