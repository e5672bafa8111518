// SPDX-License-Identifier: Apache-2.0
#include "local/engine/inputs.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <unordered_set>

#include "base/fault.h"
#include "base/nearest.h"
#include "format/csv.h"
#include "format/file.h"

namespace protium {
namespace {

constexpr size_t kFirstBytes = 65536;

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

// The two forms in which DuckDB says that a column is unknown.
std::string UnknownColumn(const std::string& what) {
  const std::string of_table = Quoted(what, "does not have a column named \"");
  return of_table.empty() ? Quoted(what, "eferenced column \"") : of_table;
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
  for (std::string& file : ListDatabases(plan)) files.push_back(std::move(file));
  return files;
}

std::vector<std::string> ListDatabases(const Plan& plan) {
  std::set<std::string> files;
  std::unordered_set<const Node*> seen;
  (void)EachNamed(plan, seen, [&](const NamedTable& table) {
    if (!table.file.empty()) files.insert(table.file);
    return Status::OK();
  });
  return {files.begin(), files.end()};
}

bool HasSqlText(const Plan& plan) {
  std::unordered_set<const Node*> seen;
  return HasSqlText(plan, seen);
}

Status CheckFiles(const Plan& plan) {
  for (const std::string& file : ListDatabases(plan)) PT_TRY(ReadFileFacts(file).status());
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
  // Cells with line breaks make the guess too high, which does no harm: it only orders joins.
  const auto lines = std::count(first.begin(), first.end(), '\n');
  return bytes * std::max<int64_t>(lines, 1) / static_cast<int64_t>(first.size());
}

Status RefineStatus(const Status& status, const Plan& plan) {
  if (status.ok()) return status;
  const Fault fault = FaultOf(status);
  const std::string unknown = UnknownColumn(fault.what);
  if (!unknown.empty() && fault.fix.empty()) return SuggestColumn(status, unknown, plan);
  if (fault.what.find("CSV") == std::string::npos) return status;
  std::unordered_set<const Node*> seen;
  PT_TRY(EachScan(plan, seen, [](const Scan& scan) {
    return scan.format == Format::kCsv ? CheckCsv(scan.paths, scan.csv, *SchemaOfFiles(scan))
                                       : Status::OK();
  }));
  return status;
}

}  // namespace protium
