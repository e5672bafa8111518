// SPDX-License-Identifier: Apache-2.0
#include "local/query_tables.h"

#include "duckdb/operator_times.h"
#include "duckdb/query.h"
#include "events/events.h"
#include "local/inputs.h"
#include "local/plain_stream.h"
#include "local/plain_types.h"

// Tables are made depth first, each by its own QueryTables over the nodes below it: a Materialize
// is computed if no store has it yet; a task's output is copied into a table of this query alone.

namespace protium {

Result<std::string> SelectAt(TableStore& store, const duck::Connection& connection,
                             const Plan& plan, std::unordered_map<const Node*, KeptRows> tables) {
  PT_LET(const RelationSql sql,
         WriteFor(connection, plan, std::move(tables), [&store](const Lookup& lookup) {
           return store.keys.Get(store.database, lookup);
         }));
  auto select = WithPlainTypes(connection, sql.text);
  PT_TRY(RefineStatus(PlaceInOriginal(select.status(), sql.text, sql.texts), plan));
  return select;
}

Status QueryTables::MakeBelow(const Plan& plan) {
  if (tables_.count(plan.get()) > 0) return Status::OK();
  if (std::holds_alternative<Materialize>(plan->verb)) {
    PT_LET(tables_[plan.get()], FindOrFill(plan));
    return Status::OK();
  }
  if (std::holds_alternative<MapTask>(plan->verb)) {
    PT_LET(KeptTable table, Ingest(plan));
    tables_[plan.get()] = {.table = table.name()};
    held_.push_back(std::move(table));
    return Status::OK();
  }
  for (const Plan& input : plan->inputs) PT_TRY(MakeBelow(input));
  return Status::OK();
}

Status QueryTables::KeepBelow(const Plan& plan) {
  if (std::holds_alternative<Materialize>(plan->verb)) return FindOrFill(plan).status();
  for (const Plan& input : plan->inputs) PT_TRY(KeepBelow(input));
  return Status::OK();
}

Result<KeptRows> QueryTables::FindOrFill(const Plan& plan) {
  return store_.kept.Get(plan, call_, [&] { return Fill(plan); });
}

Result<KeptTables::Made> QueryTables::Fill(const Plan& plan) {
  if (TableStore* other = sources_.elsewhere(plan, store_)) return CopyFrom(*other, plan);
  const Plan& input = plan->inputs.front();
  // Rows of tasks do not exist in the database, so they are copied into the table from the stream.
  if (!std::holds_alternative<MapTask>(input->verb) && !IsPlainOverTask(input)) {
    return Compute(plan);
  }
  PT_LET(KeptTable table, Ingest(input));
  return KeptTables::Made{std::move(table)};
}

// The table gets a column for the sides of every split that the query makes of it.
Result<KeptTables::Made> QueryTables::Compute(const Plan& plan) {
  const Plan& input = plan->inputs.front();
  QueryTables below(store_, input, sources_, call_);
  PT_TRY(below.Make());
  PT_LET(const duck::Connection connection, store_.database->Connect());
  PT_LET(const std::string select, below.Select(connection));
  PT_LET(KeptSelect kept, WriteKept(connection, select, FindCuts(query_, plan.get())));
  PT_LET(KeptTable table, KeptTable::Name(store_.database));
  const auto& name = std::get<Materialize>(plan->verb).name;
  PT_LET(const duck::Connection beside, store_.database->Connect());
  const std::string create = "CREATE TABLE " + table.name() + " AS " + kept.text;
  PT_TRY(CountOperatorTimes(connection));
  const auto made = RunStatement(connection, beside, create, call_, name);
  PT_TRY(RefineStatus(made.status(), input));
  const QueryRan run{.name = name, .measured = OperatorTimes(connection)};
  if (run.measured.contains("operators")) call_.Send(run);
  return KeptTables::Made{std::move(table), std::move(kept.rows)};
}

// Copies all columns that the other store has made, including marks of splits.
Result<KeptTables::Made> QueryTables::CopyFrom(TableStore& other, const Plan& plan) {
  PT_LET(duck::Connection connection, other.database->Connect());
  KeptRows rows = other.kept.Ready().at(plan.get());
  const std::string select = "SELECT * FROM " + rows.table;
  PT_LET(const BatchStreamPtr stream, StreamQuery(std::move(connection), select, call_, "copy"));
  PT_LET(KeptTable table, KeptTable::Fill(store_.database, *stream));
  return KeptTables::Made{std::move(table), std::move(rows)};
}

Result<KeptTable> QueryTables::Ingest(const Plan& plan) {
  PT_LET(BatchStreamPtr stream, sources_.open(plan));
  return KeptTable::Fill(store_.database, *stream);
}

}  // namespace protium
