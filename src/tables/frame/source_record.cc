// SPDX-License-Identifier: Apache-2.0
#include "frame/source_record.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "base/text.h"
#include "column/schema.h"
#include "os/file.h"
#include "sources/source.h"
#include "sources/source_name.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostSummedRows = 1'000'000;

// What sources.json holds.
struct Stored {
  std::string run;
  std::vector<std::string> keys;
  std::vector<SourceFacts> facts;
  std::vector<std::string> pinned;
  std::vector<SourcePin> pins;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("run", run);
    visit("pinned", pinned);
    visit("pins", pins);
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

// A server counts its own rows.
Result<int64_t> CountRows(Engine& engine, const Plan& table, const Source& source,
                          const Call& call) {
  if (RowOf(source.kind).server && !source.table.empty()) {
    Source count = source;
    count.query =
        "SELECT count(*) AS counted FROM " + QuotedName(source.table, QuoteOf(source.kind));
    count.table.clear();
    PT_LET(const std::string text,
           AskText(engine, MakePlan(NamedTable{"counted", std::move(count)}), call));
    return AllAsNumber<int64_t>(text).value_or(0);
  }
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

// What never changes without a new name.
std::string PinnedPosition(const Source& source) {
  if (source.version) return fmt::format("version {}", *source.version);
  if (source.kind == SourceKind::kIceberg && source.file.ends_with(".json")) return source.file;
  if (source.objects.empty()) return {};
  return "objects " + ObjectsDigest(source.objects);
}

// Where the server's log of writes, or a pinned source, stands.
Result<std::string> PositionOf(Engine& engine, const Source& source, const Call& call) {
  if (const std::string pinned = PinnedPosition(source); !pinned.empty()) return pinned;
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
  PT_LET(facts.rows, CountRows(engine, table, source, call));
  const bool pinned = !PinnedPosition(source).empty();
  if (pinned || facts.rows > kMostSummedRows) return facts;
  PT_LET(facts.sum, SumRows(engine, table, *schema, call));
  return facts;
}

// Objects that came since are of no concern: the list says what is read.
Status CompareObjects(const Source& source, const std::vector<SourceObject>& was,
                      const std::vector<SourceObject>& now) {
  std::map<std::string, const SourceObject*> here;
  for (const SourceObject& object : now) here.emplace(object.place, &object);
  const SourceFacts facts{.source = DescribeSource(source)};
  for (const SourceObject& object : was) {
    const auto found = here.find(object.place);
    if (found == here.end()) return Changed(facts, "the object " + object.place + " is gone");
    const SourceObject& other = *found->second;
    if (other.bytes != object.bytes || other.changed != object.changed) {
      return Changed(facts, fmt::format("the object {} had {} bytes and was of {}; now it has {} "
                                        "and is of {}",
                                        object.place, object.bytes, object.changed, other.bytes,
                                        other.changed));
    }
  }
  return Status::OK();
}

Source WithPin(Source source, const SourcePin& pin) {
  source.file = pin.place;
  source.version = pin.version;
  source.as_of.clear();
  source.objects = pin.objects;
  return source;
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
  for (size_t i = 0; i < std::min(stored.pinned.size(), stored.pins.size()); ++i) {
    record.pins_.emplace(stored.pinned[i], stored.pins[i]);
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

Status SourceRecord::AddCopies(const Source& source, const std::vector<ObjectCopy>& copies) {
  Sha256 sha256;
  for (const ObjectCopy& copy : copies) sha256.Add(copy.sha256);
  const SourceFacts now{.source = DescribeSource(source),
                        .rows = -1,
                        .sum = "sha256 " + sha256.Hex(),
                        .position = PinnedPosition(source)};
  const auto [known, fresh] = facts_.emplace(SourceKey(source), now);
  if (fresh) return Save();
  if (known->second.sum == now.sum) return Status::OK();
  return Changed(known->second, "its objects have the same sizes and times, but other bytes");
}

Result<Source> SourceRecord::PinOf(Engine& engine, const Source& source, const Call& call) {
  const std::string key = SourceKey(source);
  const auto known = pins_.find(key);
  if (known == pins_.end()) {
    PT_LET(Source pinned, engine.Pin(source, Quiet(call)));
    if (SourceKey(pinned) == key) return pinned;
    pins_.emplace(key, SourcePin{pinned.file, pinned.version, pinned.objects});
    PT_TRY(Save());
    return pinned;
  }
  const SourcePin& pin = known->second;
  if (!pin.objects.empty()) {
    PT_LET(const Source now, engine.Pin(source, Quiet(call)));
    PT_TRY(CompareObjects(source, pin.objects, now.objects));
  }
  return WithPin(source, pin);
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
  for (const auto& [key, pin] : pins_) {
    stored.pinned.push_back(key);
    stored.pins.push_back(pin);
  }
  for (const auto& [key, facts] : facts_) {
    stored.keys.push_back(key);
    stored.facts.push_back(facts);
  }
  return WriteFile(file_, Pretty(FieldsToJson(stored)));
}

}  // namespace protium
