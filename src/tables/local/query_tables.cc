// SPDX-License-Identifier: Apache-2.0
#include "local/query_tables.h"

#include "base/fault.h"
#include "duckdb/operator_times.h"
#include "duckdb/query.h"
#include "events/events.h"
#include "local/inputs.h"
#include "local/plain_stream.h"
#include "local/plain_types.h"
#include "local/table_content.h"

// Tables are made depth first, each by its own QueryTables over the nodes below it: a Materialize
// is computed if no store has it yet; a task's output is copied into a table of this query alone.

namespace protium {
namespace {

// What the store gives up for a query that found no room.
constexpr int64_t kGivenWay = int64_t{1} << 30;

bool IsForLackOfRoom(const Status& status, const std::filesystem::path& file) {
  const Fault fault = FaultOf(status);
  return fault.exit == Exit::kNoRoom || fault.what.find(file.string()) != std::string::npos;
}

}  // namespace

Result<std::string> SelectAt(TableStore& store, Questions& questions, const Plan& plan,
                             std::unordered_map<const Node*, KeptRows> tables,
                             std::vector<std::string>* varies) {
  PT_LET(const RelationSql sql,
         WriteFor(questions, plan, std::move(tables), [&store](const Lookup& lookup) {
           return store.keys.Get(store.database, lookup);
         }));
  if (varies != nullptr) *varies = sql.varies;
  auto select = questions.PlainTypes(sql.text);
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

void QueryTables::TakeBelow(const Plan& plan) {
  if (!std::holds_alternative<Materialize>(plan->verb)) {
    for (const Plan& input : plan->inputs) TakeBelow(input);
    return;
  }
  const auto take = [&]() -> Result<KeptTables::Made> {
    TableCause cause;
    if (auto taken = TakeStored(plan, cause)) return std::move(*taken);
    return Status::KeyError("not kept");
  };
  (void)store_.kept.Get(plan, call_, take);
}

std::optional<KeptTables::Made> QueryTables::TakeStored(const Plan& plan, TableCause& cause) {
  StoredTables* const stored = sources_.stored;
  if (stored == nullptr) return {};
  Questions asking(*store_.database, nullptr, {});
  cause = stored->CauseOf(
      plan, [&](const Source& source) { return asking.SourceName(source); }, call_);
  return stored->Find(store_.database, cause, std::get<Materialize>(plan->verb).name, call_);
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

// Taken from an earlier run if one has kept these very rows. Whether they may be kept is known only
// when the query is written, after what lies below it was made; what was kept once is found before.
Result<KeptTables::Made> QueryTables::Compute(const Plan& plan) {
  StoredTables* const stored = sources_.stored;
  TableCause cause{.refused = "there is no store"};
  if (auto taken = TakeStored(plan, cause)) return std::move(*taken);
  QueryTables below(store_, plan->inputs.front(), sources_, call_);
  PT_TRY(below.Make());
  Questions questions(*store_.database, sources_.answers, below.Decides());
  std::vector<std::string> varies;
  PT_LET(const std::string select, below.Select(questions, &varies));
  PT_LET(KeptSelect kept, WriteKept(questions, select, FindCuts(query_, plan.get())));
  PT_LET(const duck::Connection connection, store_.database->Connect());
  if (cause.refused.empty() && varies.empty()) {
    auto draft = stored->Begin(cause, call_);
    if (draft) return CreateToKeep(connection, plan, kept, std::move(*draft));
    // The one that was waited for has it.
    const std::string& name = std::get<Materialize>(plan->verb).name;
    if (auto taken = stored->Find(store_.database, cause, name, call_)) return std::move(*taken);
  }
  return Create(connection, plan, kept);
}

Result<KeptTables::Made> QueryTables::Create(const duck::Connection& connection, const Plan& plan,
                                             const KeptSelect& kept) {
  PT_LET(KeptTable table, KeptTable::Name(store_.database));
  PT_TRY(RunCreate(connection, plan, table.name(), kept.text));
  return KeptTables::Made{std::move(table), kept.rows};
}

// A disk without room for the file costs a second try, in memory and the spill folder.
Result<KeptTables::Made> QueryTables::CreateToKeep(const duck::Connection& connection,
                                                   const Plan& plan, const KeptSelect& kept,
                                                   TableDraft draft) {
  const auto since = Clock::now();
  const auto made = [&]() -> Result<std::pair<KeptTable, int64_t>> {
    PT_LET(KeptTable table, KeptTable::InFile(store_.database, draft.file()));
    PT_LET(const int64_t rows, RunCreate(connection, plan, table.name(), kept.text));
    PT_TRY(table.Finish());
    return std::pair(std::move(table), rows);
  };
  auto table = made();
  if (!table.ok() && IsForLackOfRoom(table.status(), draft.file())) {
    call_.Send(Note{"the table is not kept: " + FaultOf(table.status()).what});
    sources_.stored->GiveWay(kGivenWay);
    return Create(connection, plan, kept);
  }
  PT_TRY(table);
  const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
  KeptRows rows = kept.rows;
  const auto content = TableContent(connection, table->first.name(), rows);
  const bool done = sources_.stored->Keep(
      std::move(draft), rows,
      {.rows = table->second, .content = content.ValueOr(""), .seconds = seconds}, call_);
  if (done) rows.content = content.ValueOr("");
  return KeptTables::Made{std::move(table->first), std::move(rows)};
}

// The table gets a column for the sides of every split that the query makes of it.
Result<int64_t> QueryTables::RunCreate(const duck::Connection& connection, const Plan& plan,
                                       const std::string& table, const std::string& select) {
  const auto& name = std::get<Materialize>(plan->verb).name;
  PT_LET(const duck::Connection beside, store_.database->Connect());
  PT_TRY(CountOperatorTimes(connection));
  const auto made =
      RunStatement(connection, beside, "CREATE TABLE " + table + " AS " + select, call_, name);
  PT_TRY(RefineStatus(made.status(), plan->inputs.front()));
  const QueryRan run{.name = name, .measured = OperatorTimes(connection)};
  if (run.measured.contains("operators")) call_.Send(run);
  return made;
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
