// SPDX-License-Identifier: Apache-2.0
// Steps, and SQL, are a prepared query over a table of the rows in memory, in the caller's own
// small database, which opens no file. The query is prepared once; a call only costs running it.
#include "engine/row_queries.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/fault.h"
#include "duckdb/chunk_batches.h"
#include "duckdb/fault.h"
#include "duckdb/query.h"
#include "engine/library.h"
#include "local/database.h"
#include "local/given_rows.h"
#include "local/kept_tables.h"
#include "local/plain_types.h"
#include "local/questions.h"
#include "local/sql_reader.h"

namespace protium {
namespace {

// One thread, which preserves the order of rows; and memory for the largest batch that is scored.
constexpr int64_t kMemoryBytes = int64_t{1} << 30;

// Under which names the plans of tables are read.
using KeptByNode = std::unordered_map<const Node*, KeptRows>;

// What all queries share, and the connection on which they run. Destroyed in reverse.
struct Place {
  std::shared_ptr<Database> database =
      std::make_shared<Database>(DatabaseOptions{.memory_bytes = kMemoryBytes, .threads = 1});
  duck::Connection connection;
  GivenTables tables;
  std::mutex mutex;  // Held while the connection is used.
  // How often a table or view was made or dropped: DuckDB binds a query anew, in each call, once
  // that has happened since it was prepared.
  int64_t changes = 0;

  Status Open() {
    PT_LET(connection, database->Connect());
    PT_TRY(RegisterGivenRows(connection, tables));
    // Text that a person wrote must not read files.
    return database->Lock();
  }
};

// A table of the place, by the name under which queries read it. The caller that makes or drops it
// holds the mutex.
class NamedRows {
 public:
  static Result<NamedRows> Make(Place& place, const SchemaPtr& columns) {
    PT_LET(auto table, GivenTable::Make(place.connection, columns));
    NamedRows rows(place, place.tables.Add(std::move(table)));
    ++place.changes;
    PT_TRY(duck::Do(place.connection, fmt::format("CREATE VIEW {} AS SELECT * FROM pt_given({})",
                                                  rows.name(), rows.number_)));
    return rows;
  }
  NamedRows(NamedRows&& other) noexcept
      : place_(std::exchange(other.place_, nullptr)), number_(other.number_) {}
  NamedRows& operator=(NamedRows&&) = delete;
  ~NamedRows() {
    if (place_ == nullptr) return;
    ++place_->changes;
    (void)duck::Do(place_->connection, "DROP VIEW IF EXISTS " + name());
    place_->tables.Remove(number_);
  }

  std::string name() const { return fmt::format("pt_rows_{}", number_); }
  GivenTable& table() const { return *place_->tables.Find(number_); }
  const Place& place() const { return *place_; }

 private:
  NamedRows(Place& place, int64_t number) : place_(&place), number_(number) {}

  Place* place_;  // Null after a move.
  int64_t number_;
};

// A copy of rows as a table of the place. As NamedRows.
class CopiedTable {
 public:
  static Result<CopiedTable> Make(Place& place, const arrow::RecordBatch& rows) {
    PT_LET(NamedRows given, NamedRows::Make(place, rows.schema()));
    CopiedTable table(place, given.name() + "_copy");
    ++place.changes;
    given.table().Show(arrow::RecordBatch::Make(rows.schema(), rows.num_rows(), rows.columns()));
    const Status copied =
        duck::Do(place.connection,
                 fmt::format("CREATE TABLE {} AS SELECT * FROM {}", table.name(), given.name()));
    given.table().Clear();
    PT_TRY(copied);
    return table;
  }
  CopiedTable(CopiedTable&& other) noexcept
      : place_(std::exchange(other.place_, nullptr)), name_(std::move(other.name_)) {}
  CopiedTable& operator=(CopiedTable&&) = delete;
  ~CopiedTable() {
    if (place_ == nullptr) return;
    ++place_->changes;
    (void)duck::Do(place_->connection, "DROP TABLE IF EXISTS " + name_);
  }

  const std::string& name() const { return name_; }

 private:
  CopiedTable(Place& place, std::string name) : place_(&place), name_(std::move(name)) {}

  Place* place_;  // Null after a move.
  std::string name_;
};

// A query over the given rows, prepared once. Whoever calls or destroys it holds the mutex.
struct Prepared {
  NamedRows rows;
  std::vector<CopiedTable> others;
  std::unique_ptr<KeyTables> keys;
  std::string select;
  SchemaPtr schema;
  // Prepared after so many changes of the place.
  mutable duck::Prepared query;
  mutable int64_t changes = 0;

  Result<std::shared_ptr<arrow::RecordBatch>> Over(const arrow::RecordBatch& given) const {
    PT_TRY(PrepareAgain());
    GivenTable& table = rows.table();
    table.Show(arrow::RecordBatch::Make(given.schema(), given.num_rows(), given.columns()));
    auto made = Run();
    table.Clear();
    PT_TRY(made);
    return *made == nullptr ? arrow::RecordBatch::MakeEmpty(schema) : made;
  }

 private:
  // What DuckDB binds anew in a call it forgets after it.
  Status PrepareAgain() const {
    if (changes == rows.place().changes) return Status::OK();
    PT_LET(query, duck::Prepare(rows.place().connection, select));
    changes = rows.place().changes;
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Run() const {
    duck::Answer answer;
    if (duckdb_execute_prepared(query.get(), answer.out()) == DuckDBError) {
      return DuckDbFault(duckdb_result_error(answer.out()), duckdb_result_error_type(answer.out()));
    }
    PT_LET(const auto batches, ChunkBatches::Make(schema));
    while (true) {
      const duck::Chunk chunk(duckdb_fetch_chunk(*answer.out()));
      if (chunk.get() == nullptr) return batches->Take();
      PT_TRY(batches->Add(chunk.get()));
    }
  }
};

// Takes turns with the others of its place.
class Turns {
 public:
  Turns(std::shared_ptr<Place> place, Prepared prepared)
      : place_(std::move(place)), prepared_(std::move(prepared)) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns() {
    const std::lock_guard lock(place_->mutex);
    prepared_.reset();
  }

  const SchemaPtr& schema() const { return prepared_->schema; }
  Result<std::shared_ptr<arrow::RecordBatch>> Over(const arrow::RecordBatch& given) const {
    const std::lock_guard lock(place_->mutex);
    return prepared_->Over(given);
  }

 private:
  std::shared_ptr<Place> place_;
  std::optional<Prepared> prepared_;  // Until the end.
};

class DuckDbRowQuery : public RowQuery {
 public:
  DuckDbRowQuery(std::shared_ptr<Place> place, Prepared prepared)
      : turns_(std::move(place), std::move(prepared)) {}
  const SchemaPtr& schema() const override { return turns_.schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& rows) const override {
    PT_LET(auto made, turns_.Over(rows));
    if (made->num_rows() == rows.num_rows()) return made;
    return Fail({.exit = Exit::kBug, .what = "a step has not a row for each row"});
  }

 private:
  Turns turns_;
};

class DuckDbTableQuery : public TableQuery {
 public:
  DuckDbTableQuery(std::shared_ptr<Place> place, Prepared prepared)
      : turns_(std::move(place), std::move(prepared)) {}
  const SchemaPtr& schema() const override { return turns_.schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Run(const arrow::RecordBatch& rows) const override {
    return turns_.Over(rows);
  }

 private:
  Turns turns_;
};

class DuckDbRowQueries : public RowQueries {
 public:
  explicit DuckDbRowQueries(std::shared_ptr<Place> place) : place_(std::move(place)) {}

  Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                  const SchemaPtr& columns) override {
    const std::lock_guard lock(place_->mutex);
    PT_LET(NamedRows named, NamedRows::Make(*place_, columns));
    const Plan rows = MakePlan(NamedTable{named.name()});
    Plan plan = rows;
    for (const Verb& step : steps) plan = MakePlan(step, {plan});
    KeptByNode tables = {{rows.get(), KeptRows{.table = named.name()}}};
    PT_LET(Prepared prepared, PrepareQuery(plan, tables, std::move(named), {}));
    return std::make_shared<const DuckDbRowQuery>(place_, std::move(prepared));
  }

  Result<std::shared_ptr<const TableQuery>> Prepare(const TableQueryText& text) override {
    Sql sql{.text = text.sql, .names = {text.table}};
    TableQueryPlan made{.rows = MakePlan(NamedTable{text.table}), .columns = text.columns};
    std::vector<Plan> inputs = {made.rows};
    for (const MemoryTable& each : text.others) {
      sql.names.push_back(each.name);
      inputs.push_back(MakePlan(NamedTable{each.name}));
      made.others.emplace_back(inputs.back(), each.rows);
    }
    made.plan = MakePlan(std::move(sql), std::move(inputs));
    return Prepare(made);
  }

  Result<std::shared_ptr<const TableQuery>> Prepare(const TableQueryPlan& plan) override {
    const std::lock_guard lock(place_->mutex);
    PT_LET(NamedRows named, NamedRows::Make(*place_, plan.columns));
    KeptByNode tables = {{plan.rows.get(), KeptRows{.table = named.name()}}};
    std::vector<CopiedTable> others;
    for (const auto& [node, rows] : plan.others) {
      PT_LET(CopiedTable copied, CopiedTable::Make(*place_, *rows));
      tables.emplace(node.get(), KeptRows{.table = copied.name()});
      others.push_back(std::move(copied));
    }
    PT_LET(Prepared prepared, PrepareQuery(plan.plan, tables, std::move(named), std::move(others)));
    return std::make_shared<const DuckDbTableQuery>(place_, std::move(prepared));
  }

 private:
  // Plans the query that makes `plan` of tables of the place.
  Result<Prepared> PrepareQuery(const Plan& plan, const KeptByNode& tables, NamedRows named,
                                std::vector<CopiedTable> others) {
    const duck::Connection& connection = place_->connection;
    auto keys = std::make_unique<KeyTables>();
    const auto key_table = [&](const Lookup& lookup) {
      return keys->Get(place_->database, lookup);
    };
    Questions questions(connection);
    PT_LET(const RelationSql sql, WriteFor(questions, plan, tables, key_table));
    auto select = WithPlainTypes(connection, sql.text);
    PT_TRY(PlaceInOriginal(select.status(), sql.text, sql.texts));
    PT_LET(duck::Prepared query, duck::Prepare(connection, *select));
    PT_LET(SchemaPtr schema, duck::ToArrow(connection, duck::DescribeColumns(query)));
    return Prepared{std::move(named),  std::move(others), std::move(keys), std::move(*select),
                    std::move(schema), std::move(query),  place_->changes};
  }

  std::shared_ptr<Place> place_;
};

Result<std::unique_ptr<RowQueries>> OpenRows() {
  auto place = std::make_shared<Place>();
  PT_TRY(place->Open());
  return std::make_unique<DuckDbRowQueries>(std::move(place));
}

}  // namespace
}  // namespace protium

extern "C" bool protium_open_rows(int32_t version,
                                  protium::Result<std::unique_ptr<protium::RowQueries>>& queries) {
  if (version != protium::kEngineLibraryVersion) return false;
  queries = protium::OpenRows();
  return true;
}
