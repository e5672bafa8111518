// SPDX-License-Identifier: Apache-2.0
#include "frame/source_record.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <random>
#include <utility>

#include "base/fault.h"
#include "column/schema.h"
#include "os/file.h"
#include "sources/source.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostSummedRows = 1'000'000;

// What sources.json holds.
struct Stored {
  std::string run;
  std::vector<std::string> keys;
  std::vector<SourceFacts> facts;
  Json versions = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("run", run);
    visit("versions", versions);
    visit("keys", keys);
    visit("sources", facts);
  }
};

// The first cell of a query's result as text; empty for NULL.
Result<std::string> AskText(Engine& engine, const Plan& plan, const Call& call) {
  PT_LET(const BatchStreamPtr stream, engine.Execute(plan, call));
  std::string text;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) return text;
    if (batch->num_rows() == 0) continue;
    PT_LET(const auto cell, batch->column(0)->GetScalar(0));
    text = cell->is_valid ? cell->ToString() : "";
  }
}

// Calls `visit` with every batch of the plan's rows. These plans hold no SQL text: after that, the
// embedded database could open no further source.
Status EachBatch(Engine& engine, const Plan& plan, const Call& call,
                 const std::function<void(const arrow::RecordBatch&)>& visit) {
  PT_LET(const BatchStreamPtr stream, engine.Execute(plan, call));
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) return Status::OK();
    visit(*batch);
  }
}

Result<int64_t> CountRows(Engine& engine, const Plan& table, const Call& call) {
  const Plan ones = MakePlan(Project{{{"one", Lit({int64_t{1}})}}}, {table});
  int64_t rows = 0;
  PT_TRY(EachBatch(engine, ones, call,
                   [&](const arrow::RecordBatch& batch) { rows += batch.num_rows(); }));
  return rows;
}

// Bytes and nested values take no part in the sum: they have no text that all engines agree on.
bool IsSummed(const arrow::DataType& type) {
  return !arrow::is_nested(type.id()) && !arrow::is_base_binary_like(type.id());
}

// A hash of 32 bits of a row's texts; `salt` makes another one of them.
Expr HashOf(const std::vector<Expr>& texts, const std::string& salt) {
  std::vector<Expr> all = {Lit({salt})};
  all.insert(all.end(), texts.begin(), texts.end());
  return MakeCall("cast_int64", {MakeCall("hash_text", std::move(all))});
}

Result<std::string> SumRows(Engine& engine, const Plan& table, const arrow::Schema& schema,
                            const Call& call) {
  std::vector<Expr> texts;
  for (const auto& field : schema.fields()) {
    const bool text = field->type()->id() == arrow::Type::STRING;
    if (!IsSummed(*field->type()) && !text) continue;
    const Expr column = Col(field->name());
    texts.push_back(MakeCall("coalesce", {text ? column : MakeCall("cast_string", {column}),
                                          Lit({std::string("\x02")})}));
  }
  if (texts.empty()) return std::string();
  const Plan hashes =
      MakePlan(Project{{{"a", HashOf(texts, "a")}, {"b", HashOf(texts, "b")}}}, {table});
  uint64_t sums[2] = {0, 0};  // They wrap around.
  PT_TRY(EachBatch(engine, hashes, call, [&](const arrow::RecordBatch& batch) {
    for (int column = 0; column < 2; ++column) {
      const auto& values = static_cast<const arrow::Int64Array&>(*batch.column(column));
      for (int64_t i = 0; i < values.length(); ++i) sums[column] += uint64_t(values.Value(i));
    }
  }));
  return fmt::format("{}:{}", sums[0], sums[1]);
}

// Where the server's log of writes stands.
Result<std::string> PositionOf(Engine& engine, const Source& source, const Call& call) {
  if (source.kind != SourceKind::kPostgres) return std::string();
  Source position = source;
  position.table.clear();
  position.query =
      "SELECT CAST(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
      "ELSE pg_current_wal_lsn() END AS text) AS position";
  auto text = AskText(engine, MakePlan(NamedTable{"position", std::move(position)}), call);
  // A user without the right to ask has a table nevertheless.
  return text.ok() ? text : std::string();
}

Status Changed(const SourceFacts& was, std::string how) {
  return Fail({.exit = Exit::kInput,
               .what = was.source + " is not the one this run started with",
               .why = std::move(how),
               .fix = "start a new run",
               .kept = "the run's checkpoints"});
}

// Events of these queries would look like steps of the job.
Call Quiet(const Call& call) {
  Call quiet = call;
  quiet.events = nullptr;
  return quiet;
}

Result<std::string> ColumnsOfSource(Engine& engine, const Plan& table, const Call& call) {
  PT_LET(const SchemaPtr schema, engine.Analyze(table, call));
  return Describe(*schema);
}

Status Compare(const SourceFacts& was, const SourceFacts& now) {
  if (now.rows != was.rows) {
    return Changed(was, fmt::format("it had {} rows, now it has {}", was.rows, now.rows));
  }
  if (now.sum == was.sum) return Status::OK();
  return Changed(was, "it has as many rows as before, but other values");
}

// `table` is the plan of the source, which is read once for the number of rows, and once more for
// the sum.
Result<SourceFacts> ReadSourceFacts(Engine& engine, const Plan& table, const Source& source,
                                    const Call& call) {
  SourceFacts facts{.source = DescribeSource(source)};
  PT_LET(facts.position, PositionOf(engine, source, call));
  PT_LET(const SchemaPtr schema, engine.Analyze(table, call));
  facts.columns = Describe(*schema);
  PT_LET(facts.rows, CountRows(engine, table, call));
  if (facts.rows > kMostSummedRows) return facts;
  PT_LET(facts.sum, SumRows(engine, table, *schema, call));
  return facts;
}

// By the names of the files of its log.
Result<int64_t> NewestDeltaVersion(const fs::path& folder) {
  int64_t newest = -1;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / "_delta_log", ignored)) {
    const std::string name = entry.path().filename().string();
    int64_t version = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), version);
    const std::string_view rest(end, name.data() + name.size());
    const bool named = rest == ".json" || rest.starts_with(".checkpoint");
    if (error == std::errc() && named) newest = std::max(newest, version);
  }
  if (newest >= 0) return newest;
  return Fail({.exit = Exit::kInput,
               .what = "the folder " + folder.string() + " is no Delta table",
               .why = "it has no log of versions, _delta_log"});
}

}  // namespace

Result<SourceRecord> SourceRecord::Open(fs::path file, bool resume) {
  SourceRecord record(std::move(file));
  std::error_code ignored;
  if (!resume || !fs::exists(record.file_, ignored)) return record;
  PT_LET(const std::string text, ReadFile(record.file_, 64 << 20));
  PT_LET(const Json json, ParseJson(text));
  Stored stored;
  PT_TRY(FieldsFromJson(json, "sources", stored));
  record.run_ = std::move(stored.run);
  for (const auto& [folder, version] : stored.versions.items()) {
    if (version.is_number_integer()) record.versions_[folder] = version.get<int64_t>();
  }
  for (size_t i = 0; i < std::min(stored.keys.size(), stored.facts.size()); ++i) {
    record.facts_.emplace(stored.keys[i], stored.facts[i]);
  }
  return record;
}

Status SourceRecord::Add(Engine& engine, const Plan& table, const Source& source,
                         const Call& call) {
  const std::string key = SourceKey(source);
  const auto known = facts_.find(key);
  if (known == facts_.end()) {
    PT_LET(SourceFacts facts, ReadSourceFacts(engine, table, source, Quiet(call)));
    facts_.emplace(key, std::move(facts));
    return Save();
  }
  const SourceFacts& was = known->second;
  PT_LET(const std::string columns, ColumnsOfSource(engine, table, Quiet(call)));
  if (columns != was.columns) {
    return Changed(was, fmt::format("its columns were {}; now they are {}", was.columns, columns));
  }
  PT_LET(const std::string position, PositionOf(engine, source, Quiet(call)));
  if (!position.empty() && position == was.position) return Status::OK();
  PT_LET(const SourceFacts now, ReadSourceFacts(engine, table, source, Quiet(call)));
  return Compare(was, now);
}

Result<int64_t> SourceRecord::VersionOf(const Source& source) {
  const auto known = versions_.find(source.file);
  if (known != versions_.end()) return known->second;
  PT_LET(const int64_t newest, NewestDeltaVersion(source.file));
  versions_.emplace(source.file, newest);
  PT_TRY(Save());
  return newest;
}

Result<std::string> SourceRecord::RunId() {
  if (!run_.empty()) return run_;
  std::random_device random;
  for (int i = 0; i < 4; ++i) run_ += fmt::format("{:08x}", random());
  PT_TRY(Save());
  return run_;
}

Status SourceRecord::Save() const {
  if (file_.empty()) return Status::OK();
  Stored stored{.run = run_};
  for (const auto& [folder, version] : versions_) stored.versions[folder] = version;
  for (const auto& [key, facts] : facts_) {
    stored.keys.push_back(key);
    stored.facts.push_back(facts);
  }
  return WriteFile(file_, Pretty(FieldsToJson(stored)));
}

}  // namespace protium
