// SPDX-License-Identifier: Apache-2.0
#include "local/delta_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "duckdb/fault.h"
#include "local/source_faults.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/publish.h"
#include "sources/object_store.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/quoted.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Readers take a file each in parallel, and rewrite whole files.
constexpr const char* kFileSize = "256MB";

// The values of folders are written as texts, and Delta's texts of moments have no zone.
std::string SelectText(const std::string& rows, const std::vector<DeltaColumn>& columns,
                       const std::vector<std::string>& partitions) {
  std::string list;
  for (const DeltaColumn& column : columns) {
    const bool folder = std::ranges::count(partitions, column.name) > 0;
    const bool moment = column.type == "TIMESTAMP WITH TIME ZONE";
    list += fmt::format("{0}CAST({1} AS {2}) AS {1}", list.empty() ? "" : ", ",
                        DuckDbName(column.name), folder && moment ? "TIMESTAMP" : column.type);
  }
  return "SELECT " + list + " FROM " + rows;
}

std::string CopyText(const std::string& select, const std::string& folder, const std::string& name,
                     const std::vector<std::string>& partitions) {
  std::string by;
  for (const std::string& each : partitions) by += (by.empty() ? "" : ", ") + DuckDbName(each);
  return fmt::format(
      "COPY ({}) TO {} (FORMAT parquet, COMPRESSION snappy, {}, OVERWRITE_OR_IGNORE, "
      "FILENAME_PATTERN {}, RETURN_STATS)",
      select, DuckDbText(folder),
      by.empty() ? fmt::format("FILE_SIZE_BYTES '{}'", kFileSize) : "PARTITION_BY (" + by + ")",
      DuckDbText(name + "-{i}"));
}

std::string TextIn(duckdb_vector vector, idx_t row) {
  return std::string(
      duck::ViewText(static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector))[row]));
}

bool IsNull(duckdb_vector vector, idx_t row) {
  uint64_t* const valid = duckdb_vector_get_validity(vector);
  return valid != nullptr && !duckdb_validity_row_is_valid(valid, row);
}

// A map of texts.
Json TextsIn(duckdb_vector vector, idx_t row) {
  Json texts = Json::object();
  if (IsNull(vector, row)) return texts;
  const duckdb_list_entry entry =
      static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector))[row];
  const duckdb_vector pairs = duckdb_list_vector_get_child(vector);
  const duckdb_vector keys = duckdb_struct_vector_get_child(pairs, 0);
  const duckdb_vector values = duckdb_struct_vector_get_child(pairs, 1);
  for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    texts[TextIn(keys, i)] = IsNull(values, i) ? Json() : Json(TextIn(values, i));
  }
  return texts;
}

// Whole numbers and days have bounds that are exact, and NaN is none of them.
bool HasBounds(const std::string& type) {
  return type == "BIGINT" || type == "INTEGER" || type == "SMALLINT" || type == "TINYINT" ||
         type == "DATE";
}

// The smallest and the greatest value of the columns, and how many are NULL: a map of texts by the
// quoted names of columns.
Json StatisticsIn(duckdb_vector vector, idx_t row, const std::vector<DeltaColumn>& columns) {
  Json least = Json::object(), most = Json::object(), nulls = Json::object();
  const duckdb_list_entry entry =
      static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector))[row];
  const duckdb_vector pairs = duckdb_list_vector_get_child(vector);
  const duckdb_vector names = duckdb_struct_vector_get_child(pairs, 0);
  const duckdb_vector facts = duckdb_struct_vector_get_child(pairs, 1);
  for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    const std::string name = TextIn(names, i);
    const auto column = std::ranges::find_if(
        columns, [&](const DeltaColumn& each) { return InQuotes(each.name, '"') == name; });
    if (column == columns.end() || !HasBounds(column->type)) continue;
    const Json found = TextsIn(facts, i);
    const auto value = [&](const char* key) {
      const std::string text = TextAt(found, key);
      return column->type == "DATE" ? Json(text) : Json(AllAsNumber<int64_t>(text).value_or(0));
    };
    if (found.contains("min") && found.contains("max")) {
      least[column->name] = value("min");
      most[column->name] = value("max");
    }
    if (found.contains("null_count")) {
      nulls[column->name] = AllAsNumber<int64_t>(TextAt(found, "null_count")).value_or(0);
    }
  }
  return {{"minValues", least}, {"maxValues", most}, {"nullCount", nulls}};
}

// The columns of COPY ... RETURN_STATS: the file's name, its rows, its bytes, those of its footer,
// what is known of its columns, and the values of its folders.
DeltaFile FileIn(const duck::Chunk& chunk, idx_t row, const std::string& folder,
                 const std::vector<DeltaColumn>& columns) {
  const auto column = [&](idx_t i) { return duckdb_data_chunk_get_vector(chunk.get(), i); };
  const auto number = [&](idx_t i) {
    return static_cast<int64_t>(static_cast<uint64_t*>(duckdb_vector_get_data(column(i)))[row]);
  };
  return {.path = TextIn(column(0), row).substr(folder.size() + 1),
          .bytes = number(2),
          .rows = number(1),
          .partitions = TextsIn(column(5), row),
          .statistics = StatisticsIn(column(4), row, columns)};
}

Status WriteFault(const Source& target, const Status& status) {
  Fault fault = FaultOf(IsObjectPlace(target.file) ? PlaceFault(target, status) : status);
  fault.where = target.file;
  fault.kept = "the table as it was";
  return Fail(std::move(fault));
}

Status Sync(const std::string& folder, const std::vector<DeltaFile>& files) {
  std::set<fs::path> folders = {folder};
  for (const DeltaFile& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return SystemFault("write " + path.string(), errno);
    for (fs::path at = path.parent_path(); folders.insert(at).second;) at = at.parent_path();
  }
  for (const fs::path& each : folders) PT_TRY(SyncFolder(each));
  return Status::OK();
}

}  // namespace

Result<std::vector<DeltaFile>> WriteDeltaFiles(const duck::Connection& connection,
                                               const Source& target, const std::string& name,
                                               const std::string& rows,
                                               const std::vector<DeltaColumn>& columns,
                                               const std::vector<std::string>& partitions) {
  const std::string folder = TableFolder(target.file);
  const bool here = !IsObjectPlace(target.file);
  if (here) PT_TRY(MakeFolder(folder));
  const std::string copy =
      CopyText(SelectText(rows, columns, partitions), folder, name, partitions);
  duck::Answer answer;
  if (duckdb_query(connection.get(), copy.c_str(), answer.out()) == DuckDBError) {
    return WriteFault(target, DuckDbFault(duckdb_result_error(answer.out()),
                                          duckdb_result_error_type(answer.out())));
  }
  std::vector<DeltaFile> files;
  while (true) {
    const duck::Chunk chunk(duckdb_fetch_chunk(*answer.out()));
    if (chunk.get() == nullptr) break;
    for (idx_t i = 0; i < duckdb_data_chunk_get_size(chunk.get()); ++i) {
      files.push_back(FileIn(chunk, i, folder, columns));
    }
  }
  if (here) PT_TRY(Sync(folder, files));
  return files;
}

void RemoveDeltaFiles(const Source& target, const std::string& name) {
  if (IsObjectPlace(target.file)) return;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(TableFolder(target.file), error), end;
       !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(name)) files.push_back(at->path());
  }
  for (const fs::path& file : files) fs::remove(file, error);
}

}  // namespace protium
