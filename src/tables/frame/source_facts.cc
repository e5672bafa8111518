// SPDX-License-Identifier: Apache-2.0
#include "frame/source_facts.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/mentions.h"
#include "base/text.h"
#include "column/schema.h"
#include "sources/row_sum.h"
#include "sources/source.h"

namespace protium {
namespace {

constexpr int64_t kMostSummedRows = 1'000'000;

// The first cell of what the server itself answers to a query, as text; empty for NULL. Its plan
// holds no SQL text: after that, the embedded database could open no further source.
Result<std::string> AskServer(Engine& engine, Source server, std::string query, const Call& call) {
  server.table.clear();
  server.query = std::move(query);
  const Plan plan = MakePlan(NamedTable{"asked", std::move(server)});
  PT_LET(const BatchStreamPtr stream, engine.Execute(plan, Quiet(call)));
  std::string text;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) return text;
    if (batch->num_rows() == 0) continue;
    PT_LET(const auto cell, batch->column(0)->GetScalar(0));
    text = cell->is_valid ? cell->ToString() : "";
  }
}

Result<int64_t> CountHere(Engine& engine, const Plan& table, const Call& call) {
  const Plan ones = MakePlan(Project{{{"one", Lit({int64_t{1}})}}}, {table});
  PT_LET(const BatchStreamPtr stream, engine.Execute(ones, Quiet(call)));
  int64_t rows = 0;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) return rows;
    rows += batch->num_rows();
  }
}

// A query that is no SELECT cannot stand in another one: its rows are counted here.
Result<int64_t> CountRows(Engine& engine, const Plan& table, const Source& source,
                          const Call& call) {
  if (!RowOf(source.kind).server) return CountHere(engine, table, call);
  const auto counted = AskServer(engine, source, CountQuery(source), call);
  if (!counted.ok() && source.query.empty()) return counted.status();
  const auto rows = counted.ok() ? AllAsNumber<int64_t>(*counted) : std::nullopt;
  return rows ? *rows : CountHere(engine, table, call);
}

// Servers that only speak PostgreSQL's protocol may lack its hashes, and a query that is no SELECT
// cannot stand in ours.
bool TakesNoSums(const Source& source, const Status& status) {
  return !source.query.empty() ||
         Mentions(FaultOf(status).what, {"does not exist", "could not identify", "unknown function",
                                         "not supported", "syntax error"});
}

Result<std::string> SumRows(Engine& engine, const Source& source, const arrow::Schema& schema,
                            const Call& call) {
  if (!RowOf(source.kind).server) return std::string();
  const auto sum = AskServer(engine, source, SumQuery(source, schema), call);
  if (sum.ok()) return fmt::format("{} {}", SumWord(source.kind), *sum);
  if (!TakesNoSums(source, sum.status())) return sum.status();
  call.Send(Note{fmt::format("the number of rows of {} is noted, but not their sum: {}",
                             DescribeSource(source), FaultOf(sum.status()).what)});
  return std::string();
}

// Where the server's log of writes, or a pinned source, stands.
std::string PositionOf(Engine& engine, const Source& source, const Call& call) {
  if (const std::string pinned = PinnedPosition(source); !pinned.empty()) return pinned;
  if (source.kind != SourceKind::kPostgres) return {};
  const auto position =
      AskServer(engine, source,
                "SELECT CAST(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
                "ELSE pg_current_wal_lsn() END AS text) AS position",
                call);
  // A user without the right to ask has a table nevertheless.
  return position.ok() ? *position : std::string();
}

// The number of rows, and the sum.
Status AddContents(Engine& engine, const Plan& table, const Source& source,
                   const arrow::Schema& schema, const Call& call, SourceFacts& facts) {
  PT_LET(facts.rows, CountRows(engine, table, source, call));
  const bool pinned = !PinnedPosition(source).empty();
  if (pinned || facts.rows > kMostSummedRows) return Status::OK();
  PT_LET(facts.sum, SumRows(engine, source, schema, call));
  return Status::OK();
}

Status CompareContents(const SourceFacts& was, const SourceFacts& now, const Call& call) {
  if (now.rows != was.rows) {
    return SourceChanged(was, fmt::format("it had {} rows, now it has {}", was.rows, now.rows));
  }
  if (now.sum == was.sum) return Status::OK();
  if (AreOfOneKind(was.sum, now.sum)) {
    return SourceChanged(was, "it has as many rows as before, but other values");
  }
  call.Send(
      Note{fmt::format("of {} only the number of rows is compared: the sums of its rows were "
                       "not taken in the same way",
                       was.source)});
  return Status::OK();
}

}  // namespace

Call Quiet(const Call& call) {
  Call quiet = call;
  quiet.events = nullptr;
  return quiet;
}

std::string PinnedPosition(const Source& source) {
  if (source.version) return fmt::format("version {}", *source.version);
  if (source.kind == SourceKind::kIceberg && source.file.ends_with(".json")) return source.file;
  if (source.objects.empty()) return {};
  return "objects " + ObjectsDigest(source.objects);
}

Status SourceChanged(const SourceFacts& was, std::string how) {
  return Fail({.exit = Exit::kInput,
               .what = was.source + " is not the one this run started with",
               .why = std::move(how),
               .fix = "start a new run",
               .kept = "the run's checkpoints"});
}

Result<SourceFacts> ReadSourceFacts(Engine& engine, const Plan& table, const Source& source,
                                    const Call& call) {
  SourceFacts facts{.source = DescribeSource(source)};
  facts.position = PositionOf(engine, source, call);
  PT_LET(const SchemaPtr schema, engine.Analyze(table, Quiet(call)));
  facts.columns = Describe(*schema);
  PT_TRY(AddContents(engine, table, source, *schema, call, facts));
  return facts;
}

Status CompareWithSource(Engine& engine, const Plan& table, const Source& source,
                         const SourceFacts& was, const Call& call) {
  PT_LET(const SchemaPtr schema, engine.Analyze(table, Quiet(call)));
  const std::string columns = Describe(*schema);
  if (columns != was.columns) {
    return SourceChanged(was,
                         fmt::format("its columns were {}; now they are {}", was.columns, columns));
  }
  SourceFacts now{.position = PositionOf(engine, source, call)};
  if (!now.position.empty() && now.position == was.position) return Status::OK();
  PT_TRY(AddContents(engine, table, source, *schema, call, now));
  return CompareContents(was, now, call);
}

}  // namespace protium
