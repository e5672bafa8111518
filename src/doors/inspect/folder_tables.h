// SPDX-License-Identifier: Apache-2.0
// The tables in a folder by name, as `protium sql` offers them to a query.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "column/source.h"
#include "protium/csv.h"
#include "protium/session.h"

namespace protium {

// Where a table lies: a file, or a folder with files of one format.
struct TablePlace {
  std::string name;
  std::filesystem::path path;
};

// The files in the folder that are tables by their ending, by their names without ending, and the
// folders in it that hold such files, by their own names; sorted. Hidden ones are left out, and
// what leads nowhere, such as a link to itself, with a note on stderr. An unreadable folder is a
// fault of Exit::kInput.
Result<std::vector<TablePlace>> ListTables(const std::filesystem::path& folder);

// "name=path" as TablePlace; anything else is a fault of Exit::kUsage.
Result<TablePlace> ReadTablePlace(const std::string& text);

// Gives the session those tables whose names occur in the query, in any case, as a table of that
// name in the query's spelling: reading a CSV file's types takes time, and nobody asked for the
// others. Two places of one name that the query mentions are a fault of Exit::kUsage, and so are
// options of CSV where none of the tables has them. `open` opens the table at a place.
Status NameTables(
    Session& session, const std::string& sql, const std::vector<TablePlace>& places,
    const CsvOptions& csv,
    const std::function<DataFrame(const std::filesystem::path&, const CsvOptions&)>& open);

// Whether a folder is a table: it holds files of a table's format.
bool HoldsTable(const std::filesystem::path& folder);

// The table at a place; `known` as Reader::Csv() has it.
DataFrame OpenPlace(Session& session, const std::filesystem::path& place, const CsvOptions& csv,
                    const SchemaPtr& known = nullptr);

// The format by the ending or, for others, the first bytes; of a folder that of its files, Parquet
// before others.
Format FormatOfPlace(const std::filesystem::path& path);

}  // namespace protium
