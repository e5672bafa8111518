// SPDX-License-Identifier: Apache-2.0
// Steps are a prepared query over a table of the rows in memory, in the caller's own small
// database, which opens no file. The query is prepared once; a call only costs running it.
#include "engine/row_queries.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <mutex>
#include <optional>
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
#include "local/sql_reader.h"

namespace protium {
namespace {

// One thread, which preserves the order of rows; and memory for the largest batch that is scored.
constexpr int64_t kMemoryBytes = int64_t{1} << 30;

// What all queries share, and the connection on which they run. Destroyed in reverse.
struct Place {
  std::shared_ptr<Database> database =
      std::make_shared<Database>(DatabaseOptions{.memory_bytes = kMemoryBytes, .threads = 1});
  duck::Connection connection;
  GivenTables tables;
  std::mutex mutex;  // Held while the connection is used.

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
    PT_TRY(duck::Do(place.connection, fmt::format("CREATE VIEW {} AS SELECT * FROM pt_given({})",
                                                  rows.name(), rows.number_)));
    return rows;
  }
  NamedRows(NamedRows&& other) noexcept
      : place_(std::exchange(other.place_, nullptr)), number_(other.number_) {}
  NamedRows& operator=(NamedRows&&) = delete;
  ~NamedRows() {
    if (place_ == nullptr) return;
    (void)duck::Do(place_->connection, "DROP VIEW IF EXISTS " + name());
    place_->tables.Remove(number_);
  }

  std::string name() const { return fmt::format("pt_rows_{}", number_); }
  GivenTable& table() const { return *place_->tables.Find(number_); }

 private:
  NamedRows(Place& place, int64_t number) : place_(&place), number_(number) {}

  Place* place_;  // Null after a move.
  int64_t number_;
};

class DuckDbRowQuery : public RowQuery {
 public:
  // What a query reads and what it is.
  struct Parts {
    NamedRows rows;
    std::unique_ptr<KeyTables> keys;
    duck::Prepared prepared;
    SchemaPtr schema;
  };
  DuckDbRowQuery(std::shared_ptr<Place> place, Parts parts)
      : place_(std::move(place)),
        rows_(std::move(parts.rows)),
        keys_(std::move(parts.keys)),
        prepared_(std::move(parts.prepared)),
        schema_(std::move(parts.schema)) {}

  ~DuckDbRowQuery() override {
    const std::lock_guard lock(place_->mutex);
    prepared_ = {};
    keys_.reset();
    rows_.reset();
  }

  const SchemaPtr& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& rows) const override {
    const std::lock_guard lock(place_->mutex);
    GivenTable& table = rows_->table();
    table.Show(arrow::RecordBatch::Make(rows.schema(), rows.num_rows(), rows.columns()));
    auto made = Run();
    table.Clear();
    PT_TRY(made);
    if (*made == nullptr) return arrow::RecordBatch::MakeEmpty(schema_);
    if ((*made)->num_rows() == rows.num_rows()) return made;
    return Fail({.exit = Exit::kBug, .what = "a step has not a row for each row"});
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> Run() const {
    duck::Answer answer;
    if (duckdb_execute_prepared(prepared_.get(), answer.out()) == DuckDBError) {
      return DuckDbFault(duckdb_result_error(answer.out()), duckdb_result_error_type(answer.out()));
    }
    PT_LET(const auto batches, ChunkBatches::Make(schema_));
    while (true) {
      const duck::Chunk chunk(duckdb_fetch_chunk(*answer.out()));
      if (chunk.get() == nullptr) return batches->Take();
      PT_TRY(batches->Add(chunk.get()));
    }
  }

  std::shared_ptr<Place> place_;
  std::optional<NamedRows> rows_;  // Until the end.
  std::unique_ptr<KeyTables> keys_;
  duck::Prepared prepared_;
  SchemaPtr schema_;
};

class DuckDbRowQueries : public RowQueries {
 public:
  explicit DuckDbRowQueries(std::shared_ptr<Place> place) : place_(std::move(place)) {}

  Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                  const SchemaPtr& columns) override {
    const std::lock_guard lock(place_->mutex);
    const duck::Connection& connection = place_->connection;
    PT_LET(NamedRows named, NamedRows::Make(*place_, columns));
    const Plan rows = MakePlan(NamedTable{named.name()});
    auto keys = std::make_unique<KeyTables>();
    const auto key_table = [&](const Lookup& lookup) {
      return keys->Get(place_->database, lookup);
    };
    Plan plan = rows;
    for (const Verb& step : steps) plan = MakePlan(step, {plan});
    PT_LET(const RelationSql sql,
           WriteFor(connection, plan, {{rows.get(), KeptRows{.table = named.name()}}}, key_table));
    const auto select = WithPlainTypes(connection, sql.text);
    PT_TRY(PlaceInOriginal(select.status(), sql.text, sql.texts));
    PT_LET(duck::Prepared prepared, duck::Prepare(connection, *select));
    PT_LET(SchemaPtr schema, duck::ToArrow(connection, duck::DescribeColumns(prepared)));
    return std::make_shared<const DuckDbRowQuery>(
        place_, DuckDbRowQuery::Parts{std::move(named), std::move(keys), std::move(prepared),
                                      std::move(schema)});
  }

 private:
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
