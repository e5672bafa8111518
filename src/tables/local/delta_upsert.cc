// SPDX-License-Identifier: Apache-2.0
#include "local/delta_upsert.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/fault.h"
#include "base/percent.h"
#include "base/text.h"
#include "local/lake_upsert.h"
#include "local/source_faults.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

constexpr const char* kFiles = "pt_delta_files";

std::string FileName(const Json& file) { return TextAt(file, "path"); }

Status Refuse(const Store& store, const std::string& feature, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the Delta table has {}, which an upsert of the embedded engine "
                                   "does not keep",
                                   feature),
               .where = store.target.file,
               .why = std::move(why),
               .fix = "replace the table, append to it, or upsert with Spark's own MERGE",
               .kept = "the table as it was"});
}

class Rewriting {
 public:
  Rewriting(const duck::Connection& connection, const Store& store, const std::string& rows,
            const std::vector<LakeColumn>& columns, const std::vector<std::string>& partitions)
      : connection_(connection),
        store_(store),
        upsert_(connection, store, rows, columns),
        columns_(columns),
        partitions_(partitions) {}

  Result<DeltaRewrite> Find(const std::vector<Json>& files) {
    DeltaRewrite rewrite{.rows = upsert_.NewRows()};
    PT_TRY(AddFiles(files));
    PT_TRY(upsert_.MakeKeys());
    PT_LET(const std::vector<size_t> allowed, AllowKeys(files));
    PT_LET(const std::vector<size_t> held, HoldKeys(files, allowed));
    std::vector<Json> removed;
    for (const size_t at : held) removed.push_back(files[at]);
    if (!removed.empty()) {
      PT_LET(const std::string kept, Existing(removed));
      rewrite.rows = upsert_.NewRowsBeside(kept);
    }
    rewrite.removed = std::move(removed);
    return rewrite;
  }

 private:
  // The place of a file that the log names.
  Result<std::string> PlaceOfFile(const Json& file) const {
    const std::string path = PercentDecoded(FileName(file)).value_or(FileName(file));
    const bool outside = path.empty() || path.front() == '/' || path.find(':') < path.find('/') ||
                         path.find("../") != path.npos;
    if (outside) return Refuse(store_, "files outside of its folder", path);
    return TableFolder(store_.target.file) + "/" + path;
  }

  // Names the files with their numbers and the values that their folders stand for.
  Status AddFiles(const std::vector<Json>& files) {
    std::string names = "place, number", lines;
    for (size_t i = 0; i < partitions_.size(); ++i) names += fmt::format(", p{}", i);
    for (size_t i = 0; i < files.size(); ++i) {
      if (!MemberOf(files[i], "deletionVector").is_null()) {
        return Refuse(store_, "deletion vectors (the feature deletionVectors)",
                      "rows of " + FileName(files[i]) + " are marked as deleted");
      }
      PT_LET(const std::string place, PlaceOfFile(files[i]));
      lines += fmt::format("{}({}, {}", lines.empty() ? "" : ", ", DuckDbText(place), i);
      for (const std::string& each : partitions_) {
        const std::string value = TextAt(MemberOf(files[i], "partitionValues"), each);
        lines += ", " + (value.empty() ? std::string("CAST(NULL AS VARCHAR)") : DuckDbText(value));
      }
      lines += ")";
    }
    if (files.empty()) return Status::OK();
    const std::string make = fmt::format(
        "CREATE OR REPLACE TEMP TABLE {} AS SELECT * FROM (VALUES {}) t({})", kFiles, lines, names);
    return PlaceFault(store_.target, duck::Do(connection_, make));
  }

  // The rows of some files, with the table's columns and the numbers of their files. A column that
  // was added later is in none of the older files.
  Result<std::string> Existing(const std::vector<Json>& files) {
    std::string list;
    for (const Json& file : files) {
      PT_LET(const std::string place, PlaceOfFile(file));
      list += (list.empty() ? "" : ", ") + DuckDbText(DuckDbPath(place));
    }
    const std::string read = fmt::format(
        "read_parquet([{}], filename = 'pt_place', union_by_name = true, hive_partitioning = "
        "false)",
        list);
    const auto prepared = duck::Prepare(connection_, "SELECT * FROM " + read);
    PT_TRY(PlaceFault(store_.target, prepared.status()));
    std::set<std::string> there;
    for (const duck::Column& each : duck::DescribeColumns(*prepared))
      there.insert(Lower(each.name));
    std::string columns = "f.number AS pt_number";
    for (const LakeColumn& each : columns_) {
      const auto folder = std::ranges::find(partitions_, each.name);
      const std::string from = folder != partitions_.end()
                                   ? fmt::format("f.p{}", folder - partitions_.begin())
                               : there.contains(Lower(each.name)) ? "t." + DuckDbName(each.name)
                                                                  : std::string("NULL");
      columns += fmt::format(", CAST({} AS {}) AS {}", from, each.type, DuckDbName(each.name));
    }
    return fmt::format("SELECT {} FROM {} t JOIN {} f ON t.pt_place = f.place", columns, read,
                       kFiles);
  }

  // The files whose bounds allow each column of a key.
  Result<std::vector<size_t>> AllowKeys(const std::vector<Json>& files) {
    std::vector<size_t> allowed(files.size());
    std::iota(allowed.begin(), allowed.end(), size_t{0});
    for (const std::string& key : store_.keys) {
      if (allowed.empty()) break;
      PT_LET(allowed, AskNumbers("number", AllowText(key, BoundsText(files, allowed, key))));
    }
    return allowed;
  }

  // For each file the smallest key that is not below its own, by which it is decided.
  std::string AllowText(const std::string& key, const std::string& bounds) const {
    return fmt::format(
        "(SELECT b.number FROM (SELECT number, TRY_CAST(lo AS {0}) AS lo, TRY_CAST(hi AS {0}) AS "
        "hi FROM (VALUES {1}) v(number, lo, hi)) b ASOF LEFT JOIN (SELECT DISTINCT {2} AS v FROM "
        "{3}) k ON b.lo <= k.v WHERE b.lo IS NULL OR b.hi IS NULL OR k.v <= b.hi)",
        upsert_.TypeOf(key), bounds, DuckDbName(key), LakeUpsert::kKeys);
  }

  std::string BoundsText(const std::vector<Json>& files, const std::vector<size_t>& of,
                         const std::string& key) const {
    std::string lines;
    for (const size_t at : of) {
      const auto [lo, hi] = BoundsOf(files[at], key);
      const auto text = [](const Json& value) {
        if (value.is_null()) return std::string("CAST(NULL AS VARCHAR)");
        return DuckDbText(value.is_string() ? value.get<std::string>() : Dump(value));
      };
      lines += fmt::format("{}({}, {}, {})", lines.empty() ? "" : ", ", at, text(lo), text(hi));
    }
    return lines;
  }

  // The least and the greatest value of a file's column; null where that is not known. Of moments,
  // writers leave out the end of the second, and floats may be NaN, which is in no bounds.
  std::pair<Json, Json> BoundsOf(const Json& file, const std::string& key) const {
    if (std::ranges::count(partitions_, key) > 0) {
      const Json value = MemberOf(MemberOf(file, "partitionValues"), key);
      return {value, value};
    }
    static constexpr std::string_view kTypes[] = {"BIGINT",  "INTEGER", "SMALLINT",
                                                  "TINYINT", "DATE",    "VARCHAR"};
    if (std::ranges::count(kTypes, upsert_.TypeOf(key)) == 0) return {};
    const Json statistics = ParseJson(TextAt(file, "stats")).ValueOr(Json());
    const auto bound = [&](const char* values) {
      const Json value = MemberOf(MemberOf(statistics, values), key);
      // Writers cut long texts.
      return value.is_string() && value.get_ref<const std::string&>().size() >= 32 ? Json() : value;
    };
    return {bound("minValues"), bound("maxValues")};
  }

  // The numbers of files that a query has in a column, sorted.
  Result<std::vector<size_t>> AskNumbers(const std::string& column, const std::string& from) {
    const auto text = duck::AskText(
        connection_, fmt::format("SELECT coalesce(string_agg(DISTINCT CAST({} AS VARCHAR), ' '), "
                                 "'') FROM {}",
                                 column, from));
    PT_TRY(PlaceFault(store_.target, text.status()));
    std::vector<size_t> all;
    std::istringstream numbers(*text);
    for (size_t at = 0; numbers >> at;) all.push_back(at);
    std::ranges::sort(all);
    return all;
  }

  // The files with a row whose key is that of a new one, among those that are `allowed`.
  Result<std::vector<size_t>> HoldKeys(const std::vector<Json>& files,
                                       const std::vector<size_t>& allowed) {
    std::vector<Json> read;
    for (const size_t at : allowed) read.push_back(files[at]);
    if (read.empty()) return std::vector<size_t>();
    PT_LET(const std::string existing, Existing(read));
    return AskNumbers("pt_number", upsert_.Matched(existing));
  }

  const duck::Connection& connection_;
  const Store& store_;
  LakeUpsert upsert_;
  const std::vector<LakeColumn>& columns_;
  const std::vector<std::string>& partitions_;
};

}  // namespace

Result<DeltaRewrite> FindRewrite(const duck::Connection& connection, const Store& store,
                                 const std::string& rows, const std::vector<Json>& files,
                                 const std::vector<LakeColumn>& columns,
                                 const std::vector<std::string>& partitions) {
  return Rewriting(connection, store, rows, columns, partitions).Find(files);
}

}  // namespace protium
