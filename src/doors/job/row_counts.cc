// SPDX-License-Identifier: Apache-2.0
#include "job/row_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "format/parquet_rows.h"
#include "frame/session_state.h"
#include "plan/node.h"
#include "run/terminal.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "terminal/text_table.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSampleBytes = 64 << 10;

int64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : int64_t(bytes);
}

// Line ends in up to 64 KiB from `at` on.
struct Sample {
  int64_t bytes = 0, lines = 0;
};
Sample SampleAt(std::ifstream& file, int64_t at) {
  std::string part(size_t(kSampleBytes), '\0');
  file.clear();
  file.seekg(at);
  file.read(part.data(), std::streamsize(part.size()));
  part.resize(size_t(std::max<std::streamsize>(file.gcount(), 0)));
  return {int64_t(part.size()), std::count(part.begin(), part.end(), '\n')};
}

// Estimates the lines of a text file, by its size and the lines at its beginning, middle and end.
double LinesOf(const std::string& path, int64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file || bytes == 0) return 0;
  Sample all;
  const bool small = bytes <= 3 * kSampleBytes;
  for (int64_t at = 0; at < bytes; at += small ? kSampleBytes : (bytes - kSampleBytes) / 2) {
    const Sample sample = SampleAt(file, at);
    all.bytes += sample.bytes;
    all.lines += sample.lines;
    if (sample.bytes == 0 || (!small && at + kSampleBytes >= bytes)) break;
  }
  return all.bytes == 0 ? 0 : double(all.lines) * double(bytes) / double(all.bytes);
}

// Rounds to two digits: more would suggest precision.
int64_t Rounded(double number) {
  if (number < 100) return std::llround(number);
  const double unit = std::pow(10, std::floor(std::log10(number)) - 1);
  return int64_t(std::round(number / unit) * unit);
}

void Count(const Scan& scan, Json& told) {
  int64_t bytes = 0;
  for (const std::string& path : scan.paths) bytes += SizeOf(path);
  told["bytes"] = bytes;
  if (scan.format == Format::kParquet) {
    const auto rows = ReadParquetRows(scan.paths, {});
    if (!rows.ok()) return;
    told["rows"] = rows->all_rows;
    told["exact"] = true;
  } else if (scan.format == Format::kCsv) {
    double lines = 0;
    for (const std::string& path : scan.paths) {
      lines += std::max(0.0, LinesOf(path, SizeOf(path)) - (scan.csv.header ? 1 : 0));
    }
    told["rows"] = Rounded(lines);
    told["exact"] = false;
  }
}

// Asks each database once.
class Databases {
 public:
  explicit Databases(SessionState& session) : session_(session) {}

  void Count(const Source& source, Json& told) {
    told["place"] = DescribeSource(source);
    if (source.kind == SourceKind::kExcel) told["bytes"] = SizeOf(source.file);
    if (source.table.empty() || source.kind == SourceKind::kExcel) return;
    for (const DatabaseTable& each : TablesIn(source)) {
      if (!IsListedAs(each.name, source.table)) continue;
      if (each.rows >= 0) told["rows"] = each.rows;
      if (each.bytes >= 0) told["bytes"] = each.bytes;
      told["exact"] = false;
    }
  }

 private:
  // Without an answer nothing is known: a plan needs no estimates.
  const std::vector<DatabaseTable>& TablesIn(const Source& source) {
    const std::string place = PlaceOf(source);
    const auto known = tables_.find(place);
    if (known != tables_.end()) return known->second;
    return tables_[place] = session_.engine()
                                .ListTables(source, session_.call())
                                .ValueOr(std::vector<DatabaseTable>());
  }

  SessionState& session_;
  std::map<std::string, std::vector<DatabaseTable>> tables_;
};

std::string EstimateText(const Json& table) {
  std::string text;
  if (table.contains("rows")) {
    text = fmt::format("about {} rows", Grouped(table["rows"].get<int64_t>()));
  }
  if (table.contains("bytes")) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", BytesText(table["bytes"].get<double>()));
  }
  if (text.empty()) return "rows and bytes not known before it is read";
  return text + (table.contains("exact") ? ", as the database estimates" : "");
}

// What goes to the server or to the reader of the file.
std::string ReadsText(const Json& reads) {
  if (!reads.is_object()) return "read: not known";
  std::string columns;
  for (const Json& each : reads["columns"]) {
    columns += (columns.empty() ? "" : ", ") + each.get<std::string>();
  }
  if (columns.empty()) columns = "no columns, only rows";
  const std::string filters = reads.value("filters", "");
  return fmt::format("read: {}; where: {}", columns, filters.empty() ? "all rows" : filters);
}

}  // namespace

Json CountRows(Session& session) {
  Json all = Json::array();
  Databases databases(StateOf(session));
  for (const auto& [name, plan] : StateOf(session).tables()) {
    Json told = {{"table", name}};
    if (const Scan* const scan = std::get_if<Scan>(&plan->verb)) Count(*scan, told);
    const auto* const named = std::get_if<NamedTable>(&plan->verb);
    if (named != nullptr && named->source) databases.Count(*named->source, told);
    all.push_back(std::move(told));
  }
  return all;
}

std::string RowCountsText(const Json& tables, const Json& reads) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& each : tables) {
    std::string says = "rows not known before it is read";
    if (each.contains("place")) {
      const std::string place = each["place"].get<std::string>();
      rows.push_back({"  " + each["table"].get<std::string>(), place});
      rows.push_back({"", EstimateText(each)});
      rows.push_back({"", ReadsText(reads.value(place, Json()))});
      continue;
    }
    if (each.contains("rows")) {
      const std::string size = BytesText(each["bytes"].get<double>());
      says = each["exact"] == true ? fmt::format("{} rows", Grouped(each["rows"].get<int64_t>()))
                                   : fmt::format("about {} rows, estimated from samples of its {}",
                                                 Grouped(each["rows"].get<int64_t>()), size);
    }
    rows.push_back({"  " + each["table"].get<std::string>(), says});
  }
  return TextTable(rows);
}

}  // namespace protium
