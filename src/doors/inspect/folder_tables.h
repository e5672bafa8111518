// SPDX-License-Identifier: Apache-2.0
// The tables in a folder by name, as `protium sql` offers them to queries.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "column/source.h"
#include "inspect/place.h"
#include "protium/csv.h"
#include "protium/session.h"

namespace protium {

struct TablePlace {
  std::string name;
  TypedPlace at;
};

// A table that cannot be read. Others beside it can.
struct BrokenTable {
  std::string name;
  Status why;
};
// Whether a failure is one of the table alone. Others, such as Ctrl-C or a full disk, are not.
bool IsOfTable(const Status& failure);
// "the file is empty (data/notes.csv)", one line.
std::string ReasonOf(const BrokenTable& table);

// Lists the files in the folder whose endings are those of tables, by their names without the
// ending, and the folders in it that hold such files, by their own names; sorted. Skips hidden ones
// and, with a note on stderr, links that lead nowhere, such as a link to itself. An unreadable
// folder is a fault of Exit::kInput.
Result<std::vector<TablePlace>> ListTables(const std::filesystem::path& folder);

// Reads "name=place" as a TablePlace; anything else is a fault of Exit::kUsage. `password` is that
// of a server.
Result<TablePlace> ReadTablePlace(const std::string& text, const PasswordPlace& password = {});

// Adds to the session only the tables whose names occur in the query, in any case, under the
// query's spelling: finding a CSV file's column types takes time. Two places with the same name
// that the query mentions are a fault of Exit::kUsage, and so are CSV options if they apply to none
// of the tables. `open` opens the table at a place. Returns those that cannot be read, which are
// not added: the word may be a column's.
Result<std::vector<BrokenTable>> NameTables(
    Session& session, const std::string& sql, const std::vector<TablePlace>& places,
    const CsvOptions& csv,
    const std::function<DataFrame(const TypedPlace&, const CsvOptions&)>& open);

// Whether a folder is a table: it holds files of a table's format.
bool HoldsTable(const std::filesystem::path& folder);

// Opens the table at a place; `known` is as in Reader::Csv().
DataFrame OpenPlace(Session& session, const TypedPlace& place, const CsvOptions& csv,
                    const SchemaPtr& known = nullptr);

// Returns the format by the ending or, for other endings, the first bytes; for a folder, the format
// of its files, preferring Parquet.
Format FormatOfPlace(const std::filesystem::path& path);

}  // namespace protium
