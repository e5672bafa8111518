// SPDX-License-Identifier: Apache-2.0
#include "local/inputs.h"

#include <arrow/type.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <unordered_set>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/schema.h"
#include "format/csv.h"
#include "format/file.h"
#include "local/source_faults.h"
#include "sources/source.h"

namespace protium {
namespace {

constexpr size_t kFirstBytes = 65536;

// The end of the messages of pt_micros_column and pt_narrow_column.
constexpr std::string_view kNanos = ", which has nanoseconds";
constexpr std::string_view kBeyondInt64 = ", an overflow of int64";

using Visit = std::function<Status(const Scan&)>;

using VisitNamed = std::function<Status(const NamedTable&)>;

Status EachNamed(const Plan& plan, std::unordered_set<const Node*>& seen, const VisitNamed& visit) {
  if (!seen.insert(plan.get()).second) return Status::OK();
  if (const auto* table = std::get_if<NamedTable>(&plan->verb)) return visit(*table);
  for (const Plan& input : plan->inputs) PT_TRY(EachNamed(input, seen, visit));
  return Status::OK();
}

// A plan is a graph: a node that is used twice is visited once.
Status EachScan(const Plan& plan, std::unordered_set<const Node*>& seen, const Visit& visit) {
  if (!seen.insert(plan.get()).second) return Status::OK();
  if (const auto* scan = std::get_if<Scan>(&plan->verb)) return visit(*scan);
  for (const Plan& input : plan->inputs) PT_TRY(EachScan(input, seen, visit));
  return Status::OK();
}

bool HasSqlText(const Plan& plan, std::unordered_set<const Node*>& seen) {
  if (!seen.insert(plan.get()).second) return false;
  return std::holds_alternative<Sql>(plan->verb) ||
         std::any_of(plan->inputs.begin(), plan->inputs.end(),
                     [&](const Plan& input) { return HasSqlText(input, seen); });
}

// The name in `what` between the first `before` and the next double quote.
std::string Quoted(const std::string& what, const std::string& before) {
  const size_t at = what.find(before);
  if (at == std::string::npos) return {};
  const size_t begin = at + before.size();
  return what.substr(begin, what.find('"', begin) - begin);
}

// The two forms in which DuckDB reports an unknown column.
std::string UnknownColumn(const std::string& what) {
  const std::string of_table = Quoted(what, "does not have a column named \"");
  return of_table.empty() ? Quoted(what, "eferenced column \"") : of_table;
}

bool HoldsType(const arrow::DataType& type, arrow::Type::type wanted) {
  if (arrow::is_nested(type.id())) {
    return std::any_of(type.fields().begin(), type.fields().end(),
                       [&](const auto& field) { return HoldsType(*field->type(), wanted); });
  }
  const bool nanos =
      wanted != arrow::Type::TIMESTAMP ||
      (type.id() == wanted &&
       static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::NANO);
  return type.id() == wanted && nanos;
}

// The file of the first table below whose column of that name has the type; "" if there is none.
std::string FileOfColumn(const Plan& plan, const std::string& column, arrow::Type::type type) {
  std::string file;
  std::unordered_set<const Node*> seen;
  (void)EachScan(plan, seen, [&](const Scan& scan) {
    const int at = scan.schema == nullptr ? -1 : FindField(*scan.schema, column);
    if (!file.empty() || at < 0 || scan.paths.empty()) return Status::OK();
    if (HoldsType(*scan.schema->field(at)->type(), type)) file = scan.paths.front();
    return Status::OK();
  });
  return file;
}

// For a value that does not fit the result's types (pt_narrow_column, pt_micros_column), says where
// it came from and what helps.
Status ExplainColumn(const Status& status, const std::string& column, const Plan& plan) {
  Fault fault = FaultOf(status);
  const bool times = fault.what.ends_with(kNanos);
  fault.where = FileOfColumn(plan, column, times ? arrow::Type::TIMESTAMP : arrow::Type::UINT64);
  fault.why = times ? "tables have times in microseconds" : "tables have whole numbers of 64 bits";
  fault.fix = times ? "drop them in the SQL: date_trunc('MICROSECOND', " + column + ")"
                    : "in the SQL, CAST(" + column + " AS DECIMAL(38,0)) keeps all digits";
  return Fail(std::move(fault));
}

// Names the nearest columns of the tables below, for messages in which DuckDB named none.
Status SuggestColumn(const Status& status, const std::string& unknown, const Plan& plan) {
  std::vector<std::string> known;
  std::unordered_set<const Node*> seen;
  PT_TRY(EachScan(plan, seen, [&](const Scan& scan) {
    for (const std::string& name : scan.schema->field_names()) known.push_back(name);
    return Status::OK();
  }));
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  Fault fault = FaultOf(status);
  fault.what = "no column \"" + unknown + "\" here";
  fault.fix = Suggest(unknown, known);
  return Fail(std::move(fault));
}

}  // namespace

std::vector<std::string> ListFiles(const Plan& plan) {
  std::vector<std::string> files;
  std::unordered_set<const Node*> seen;
  (void)EachScan(plan, seen, [&](const Scan& scan) {
    files.insert(files.end(), scan.paths.begin(), scan.paths.end());
    return Status::OK();
  });
  for (const Source& source : ListSources(plan)) {
    for (std::string& place : OpenedFor(source)) files.push_back(std::move(place));
  }
  return files;
}

std::vector<Source> ListSources(const Plan& plan) {
  std::map<std::string, Source> sources;
  std::unordered_set<const Node*> seen;
  (void)EachNamed(plan, seen, [&](const NamedTable& table) {
    if (table.source) sources.emplace(SourceKey(*table.source), *table.source);
    return Status::OK();
  });
  std::vector<Source> all;
  for (auto& [key, source] : sources) all.push_back(std::move(source));
  return all;
}

bool HasSqlText(const Plan& plan) {
  std::unordered_set<const Node*> seen;
  return HasSqlText(plan, seen);
}

Status CheckFiles(const Plan& plan) {
  for (const Source& source : ListSources(plan)) {
    const SourceKindRow& row = RowOf(source.kind);
    if (!row.server && !row.folder) PT_TRY(ReadFileFacts(source.file).status());
  }
  std::unordered_set<const Node*> seen;
  return EachScan(plan, seen, [](const Scan& scan) {
    for (const std::string& path : scan.paths) PT_TRY(ReadFileFacts(path).status());
    return Status::OK();
  });
}

int64_t ExpectedRows(const Scan& scan) {
  if (scan.format != Format::kCsv || scan.paths.empty()) return -1;
  int64_t bytes = 0;
  for (const std::string& path : scan.paths) {
    const Result<FileFacts> facts = ReadFileFacts(path);
    if (!facts.ok()) return -1;
    bytes += facts->bytes;
  }
  std::string first(kFirstBytes, '\0');
  std::ifstream file(scan.paths.front(), std::ios::binary);
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<size_t>(file.gcount()));
  if (first.empty()) return -1;
  // Cells with line breaks make the estimate too high, which is harmless: it only affects the order
  // of joins.
  const auto lines = std::count(first.begin(), first.end(), '\n');
  return bytes * std::max<int64_t>(lines, 1) / static_cast<int64_t>(first.size());
}

Status RefineStatus(const Status& status, const Plan& plan) {
  if (status.ok()) return status;
  const Fault fault = FaultOf(status);
  const std::string unknown = UnknownColumn(fault.what);
  if (!unknown.empty() && fault.fix.empty()) return SuggestColumn(status, unknown, plan);
  if (fault.what.ends_with(kNanos) || fault.what.ends_with(kBeyondInt64)) {
    return ExplainColumn(status, Quoted(fault.what, "column \""), plan);
  }
  if (fault.what.find("CSV") == std::string::npos) return ExplainStore(ListSources(plan), status);
  std::unordered_set<const Node*> seen;
  PT_TRY(EachScan(plan, seen, [](const Scan& scan) {
    return scan.format == Format::kCsv ? CheckCsv(scan.paths, scan.csv, *SchemaOfFiles(scan))
                                       : Status::OK();
  }));
  return status;
}

}  // namespace protium
