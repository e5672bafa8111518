// SPDX-License-Identifier: Apache-2.0
#include "local/lake_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "base/text.h"
#include "duckdb/fault.h"
#include "local/source_faults.h"
#include "local/store_key.h"
#include "objects/put_new.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/new_file.h"
#include "os/publish.h"
#include "sources/object_store.h"
#include "sources/password.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Readers take a file each in parallel, and rewrite whole files.
constexpr const char* kFileSize = "256MB";

// The values of folders are written as texts, and Delta's texts of moments have no zone.
std::string SelectText(const std::string& rows, const std::vector<LakeColumn>& columns,
                       const std::vector<std::string>& partitions) {
  std::string list;
  for (const LakeColumn& column : columns) {
    const bool folder = std::ranges::count(partitions, column.name) > 0;
    const bool moment = column.type == "TIMESTAMP WITH TIME ZONE";
    list += fmt::format("{0}CAST({1} AS {2}) AS {1}", list.empty() ? "" : ", ",
                        DuckDbName(column.name), folder && moment ? "TIMESTAMP" : column.type);
  }
  return "SELECT " + list + " FROM " + rows;
}

// How the files number their columns, if they do.
std::string FieldIds(const std::vector<LakeColumn>& columns) {
  std::string ids;
  for (const LakeColumn& column : columns) {
    if (column.field_id.empty()) continue;
    ids += (ids.empty() ? "" : ", ") + DuckDbName(column.name) + ": " + column.field_id;
  }
  return ids.empty() ? "" : "FIELD_IDS {" + ids + "}, ";
}

std::string CopyText(const std::string& select, const std::string& folder, const std::string& name,
                     const std::vector<LakeColumn>& columns,
                     const std::vector<std::string>& partitions) {
  std::string by;
  for (const std::string& each : partitions) by += (by.empty() ? "" : ", ") + DuckDbName(each);
  return fmt::format(
      "COPY ({}) TO {} (FORMAT parquet, COMPRESSION snappy, {}{}, OVERWRITE_OR_IGNORE, "
      "FILENAME_PATTERN {}, RETURN_STATS)",
      select, DuckDbText(folder), FieldIds(columns),
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
Json StatisticsIn(duckdb_vector vector, idx_t row, const std::vector<LakeColumn>& columns) {
  Json least = Json::object(), most = Json::object(), nulls = Json::object();
  const duckdb_list_entry entry =
      static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector))[row];
  const duckdb_vector pairs = duckdb_list_vector_get_child(vector);
  const duckdb_vector names = duckdb_struct_vector_get_child(pairs, 0);
  const duckdb_vector facts = duckdb_struct_vector_get_child(pairs, 1);
  for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    const std::string name = TextIn(names, i);
    const auto column = std::ranges::find_if(
        columns, [&](const LakeColumn& each) { return InQuotes(each.name, '"') == name; });
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
LakeFile FileIn(const duck::Chunk& chunk, idx_t row, const std::string& folder,
                const std::vector<LakeColumn>& columns) {
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

Status SyncFile(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd && ::fsync(fd.get()) == 0) return Status::OK();
  return SystemFault("write " + path.string(), errno);
}

Status Sync(const std::string& folder, const std::vector<LakeFile>& files) {
  std::set<fs::path> folders = {folder};
  for (const LakeFile& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    PT_TRY(SyncFile(path));
    for (fs::path at = path.parent_path(); folders.insert(at).second;) at = at.parent_path();
  }
  for (const fs::path& each : folders) PT_TRY(SyncFolder(each));
  return Status::OK();
}

}  // namespace

Result<std::vector<LakeFile>> WriteLakeFiles(const duck::Connection& connection,
                                             const Source& target, const std::string& name,
                                             const std::string& rows,
                                             const std::vector<LakeColumn>& columns,
                                             const std::vector<std::string>& partitions) {
  const std::string folder = TableFolder(target.file);
  const bool here = !IsObjectPlace(target.file);
  if (here) PT_TRY(MakeFolder(folder));
  const std::string copy =
      CopyText(SelectText(rows, columns, partitions), folder, name, columns, partitions);
  duck::Answer answer;
  if (duckdb_query(connection.get(), copy.c_str(), answer.out()) == DuckDBError) {
    return WriteFault(target, DuckDbFault(duckdb_result_error(answer.out()),
                                          duckdb_result_error_type(answer.out())));
  }
  std::vector<LakeFile> files;
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

void RemoveLakeFiles(const Source& target, const std::string& name) {
  if (IsObjectPlace(target.file)) return;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(TableFolder(target.file), error), end;
       !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(name)) files.push_back(at->path());
  }
  for (const fs::path& file : files) fs::remove(file, error);
}

Status PublishLakeFile(const fs::path& draft, const fs::path& target) {
  PT_TRY(SyncFile(draft));
  std::error_code error;
  fs::rename(draft, target, error);
  if (error) return SystemFault("write " + target.string(), error.value());
  return SyncFolder(target.parent_path());
}

std::string MarkOf(const Store& store) { return "protium " + store.run + " " + store.output; }

int64_t MillisNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Result<bool> PutLakeFile(const duck::Connection& connection, const Source& target,
                         const std::string& place, std::string_view text) {
  if (!IsObjectPlace(place)) {
    PT_TRY(MakeFolder(fs::path(place).parent_path()));
    return WriteNewFile(place, text);
  }
  PT_LET(const S3Access access, FindStoreKey(connection, target));
  const Result<bool> put = PutNewObject(access, place, text);
  PT_TRY(WithoutPassword(put.status(), access.secret));
  if (*put) return true;
  // An earlier try may have arrived although its answer was lost.
  const std::string read = "(SELECT content FROM read_blob(" + DuckDbText(DuckDbPath(place)) + "))";
  PT_LET(const std::string there, duck::AskText(connection, "SELECT sha256" + read));
  return there == Sha256Hex(text);
}

Status CheckNoNulls(const duck::Connection& connection, const std::string& rows,
                    const std::vector<LakeColumn>& columns, const std::string& place) {
  for (const LakeColumn& column : columns) {
    if (column.nullable) continue;
    PT_LET(const std::string nulls,
           duck::AskText(connection,
                         fmt::format("SELECT CAST(count(*) AS VARCHAR) FROM {} WHERE {} IS NULL",
                                     rows, DuckDbName(column.name))));
    if (nulls == "0") continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("{} of the rows have no \"{}\", which the table needs", nulls,
                                     column.name),
                 .where = place,
                 .kept = "the table as it was"});
  }
  return Status::OK();
}

}  // namespace protium
