// SPDX-License-Identifier: Apache-2.0
// The tables that a query reads by name: those of the materialised nodes and tasks below it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/call.h"
#include "duckdb/handles.h"
#include "engine/engine.h"
#include "local/database.h"
#include "local/kept_tables.h"
#include "local/questions.h"
#include "local/sql_reader.h"
#include "local/stored_tables.h"
#include "plan/node.h"

namespace protium {

// A database with the tables that were made in it. Thread-safe.
struct TableStore {
  explicit TableStore(const DatabaseOptions& options)
      : database(std::make_shared<Database>(options)) {}
  const std::shared_ptr<Database> database;
  KeptTables kept;
  KeyTables keys;
};

// What is needed from the engine to make a query's tables.
struct TableSources {
  // Returns the rows of a plan, as the engine runs it.
  std::function<Result<BatchStreamPtr>(const Plan& plan)> open;
  // Returns a store other than `own` that has already made the table of a plan; null if none has.
  std::function<TableStore*(const Plan& plan, const TableStore& own)> elsewhere;
  // Tables of earlier runs; null: none.
  StoredTables* stored = nullptr;
  Answers* answers = nullptr;
};

// Writes the query of `plan` for `store`, over `tables`, which must exist; makes only the tables of
// lookups' keys. Sets what may differ between two runs in `varies`, unless that is null.
Result<std::string> SelectAt(TableStore& store, Questions& questions, const Plan& plan,
                             std::unordered_map<const Node*, KeptRows> tables,
                             std::vector<std::string>* varies = nullptr);

// The tables of one query. Used once, by one thread; `store` must outlive it.
class QueryTables {
 public:
  QueryTables(TableStore& store, Plan query, TableSources sources, Call call)
      : store_(store),
        query_(std::move(query)),
        sources_(std::move(sources)),
        call_(std::move(call)) {}

  // Makes everything that the query reads by name.
  Status Make() { return MakeBelow(query_); }
  // Makes only the tables that are kept for later queries too.
  Status Keep() { return KeepBelow(query_); }
  // Takes those of them that earlier runs have kept; makes none.
  void Take() { TakeBelow(query_); }
  // Returns the query over the tables that were made; call it after Make(), once.
  Result<std::string> Select(Questions& questions, std::vector<std::string>* varies = nullptr) {
    return SelectAt(store_, questions, query_, std::move(tables_), varies);
  }
  // What decides the answers to questions about it, before that: WhatDecides().
  std::string Decides() const { return WhatDecides(query_, tables_); }
  // Hands over the tables of this query alone, which must last as long as it runs.
  std::vector<KeptTable> TakeHeld() { return std::move(held_); }

 private:
  // Goes down to the first Materialize or MapTask on every path: their tables cover what is below.
  Status MakeBelow(const Plan& plan);
  Status KeepBelow(const Plan& plan);
  void TakeBelow(const Plan& plan);
  Result<KeptRows> FindOrFill(const Plan& plan);
  // Makes the table of a Materialize node: copied from another store, taken from a task or from an
  // earlier run, or computed.
  Result<KeptTables::Made> Fill(const Plan& plan);
  Result<KeptTables::Made> Compute(const Plan& plan);
  // The table of an earlier run, if one has kept these very rows; what decides them.
  std::optional<KeptTables::Made> TakeStored(const Plan& plan, TableCause& cause);
  Result<KeptTables::Made> Create(const duck::Connection& connection, const Plan& plan,
                                  const KeptSelect& kept);
  // The same in a file, which goes into the store.
  Result<KeptTables::Made> CreateToKeep(const duck::Connection& connection, const Plan& plan,
                                        const KeptSelect& kept, TableDraft draft);
  // Runs the statement that makes `table`; returns its number of rows.
  Result<int64_t> RunCreate(const duck::Connection& connection, const Plan& plan,
                            const std::string& table, const std::string& select);
  Result<KeptTables::Made> CopyFrom(TableStore& other, const Plan& plan);
  Result<KeptTable> Ingest(const Plan& plan);

  TableStore& store_;
  const Plan query_;
  const TableSources sources_;
  const Call call_;
  std::unordered_map<const Node*, KeptRows> tables_;
  std::vector<KeptTable> held_;
};

}  // namespace protium
