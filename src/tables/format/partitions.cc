// SPDX-License-Identifier: Apache-2.0
#include "format/partitions.h"

#include <arrow/api.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "column/cells.h"
#include "format/cell_type.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNull = "__HIVE_DEFAULT_PARTITION__";

// A folder "year=2013". Spark's PartitioningUtils shows how it treats such folders.
struct Level {
  std::string folder;
  std::string name;
  std::string value;  // As it is written.
};

// Undoes %20 as Spark does (ExternalCatalogUtils.unescapePathName): two hex digits are one code
// point, not one byte of UTF-8, and a % without them stands for itself.
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t code = 0;
    const char* const digits = text.data() + i + 1;
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    if (!escape) {
      plain += text[i];
      continue;
    }
    if (code < 0x80) {
      plain += static_cast<char>(code);
    } else {
      plain += static_cast<char>(0xC0 | (code >> 6));
      plain += static_cast<char>(0x80 | (code & 0x3F));
    }
    i += 2;
  }
  return plain;
}

// Escapes what Spark escapes (ExternalCatalogUtils.charToEscape).
std::string Escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "\"#%'*/:=?\\{[]^\x7f";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && kSpecial.find(c) == kSpecial.npos) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", byte);
    }
  }
  return escaped;
}

// For a folder without "=", name and value stay empty. Values stay escaped: types are found before
// they are unescaped.
Level ParseLevel(const std::string& folder) {
  const size_t equals = folder.find('=');
  if (equals == std::string::npos) return {.folder = folder};
  return {folder, Unescaped(std::string_view(folder).substr(0, equals)), folder.substr(equals + 1)};
}

Status PartitionFault(std::string what, const std::string& where, std::string fix,
                      std::string why = {}) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = where,
               .why = std::move(why),
               .fix = std::move(fix)});
}

Status CheckLevel(const Level& level, const std::string& path) {
  const std::string quoted = "the folder \"" + level.folder + "\"";
  if (level.name.empty()) {
    return PartitionFault(quoted + " names no column", path, "rename it: NAME=VALUE");
  }
  if (level.value.empty()) {
    return PartitionFault(
        quoted + " has no value", path,
        fmt::format("rename it: {}=VALUE, or {}={} for NULL", level.name, level.name, kNull));
  }
  arrow::util::InitializeUTF8();
  const bool text = arrow::util::ValidateUTF8(std::string_view(level.folder)) &&
                    Unescaped(level.folder).find('\0') == std::string::npos;
  if (text) return Status::OK();
  return PartitionFault(quoted + " holds bytes that are not UTF-8 text", path, "rename it");
}

// Returns the folders with a value between `root` and the file, from above. All engines find them
// if they follow each other from the root on; other folders may come after them.
Result<std::vector<Level>> ParseLevels(const std::string& path, const std::string& root) {
  std::vector<Level> levels;
  std::string other;
  for (const fs::path& part : fs::path(path).parent_path().lexically_relative(root)) {
    if (part == ".") continue;
    Level level = ParseLevel(part.string());
    if (level.folder.find('=') == std::string::npos) {
      other = level.folder;
      continue;
    }
    if (!other.empty()) {
      return PartitionFault(fmt::format("the folder \"{}\" is above \"{}\"", other, level.folder),
                            path, "put folders with values first, right below " + root);
    }
    PT_TRY(CheckLevel(level, path));
    levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<std::string> ListNames(const std::vector<Level>& levels) {
  std::vector<std::string> names;
  for (const Level& level : levels) names.push_back(level.name);
  return names;
}

std::string Listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Status NoFolder(const std::string& name, const std::vector<std::string>& found,
                const std::string& path, const std::string& root) {
  const std::string near = Suggest(name, found);
  return PartitionFault(
      fmt::format("no folder of this file gives the partition column \"{}\"", name), path,
      near.empty() ? fmt::format("put the file below a folder {}=VALUE", name) : near,
      fmt::format("the folders between {} and the file give: {}", root, Listed(found)));
}

// Each column has one folder, and each folder is one of the columns.
Status MatchFolders(const std::vector<std::string>& names, const std::vector<Level>& levels,
                    const std::string& path, const std::string& root) {
  const std::vector<std::string> found = ListNames(levels);
  for (const std::string& name : names) {
    const auto count = std::count(found.begin(), found.end(), name);
    if (count == 0) return NoFolder(name, found, path, root);
    if (count > 1) {
      return PartitionFault(fmt::format("{} folders give the partition column \"{}\"", count, name),
                            path, "leave one of them");
    }
  }
  for (const Level& level : levels) {
    if (std::find(names.begin(), names.end(), level.name) != names.end()) continue;
    return PartitionFault(
        fmt::format("partitions does not name \"{}\", which the folder \"{}\" gives", level.name,
                    level.folder),
        path, fmt::format("partitions = [\"{}\"]", fmt::join(found, "\", \"")));
  }
  return Status::OK();
}

// Checks the user's request before looking at any folder.
Status CheckOnce(const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    const bool again = std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i),
                                 names[i]) != names.begin() + static_cast<ptrdiff_t>(i);
    if (!again && !names[i].empty()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = again ? "partitions names \"" + names[i] + "\" twice"
                               : "partitions holds an empty name",
                 .fix = "partitions = [\"year\", \"month\"]"});
  }
  return Status::OK();
}

// Values with escapes are text, since Spark undoes escapes only for text.
CellType TypeOfValue(const std::string& value) {
  if (value == kNull) return CellType::kNone;
  for (const CellType type : {CellType::kInt64, CellType::kDate}) {
    if (IsCell(value, type)) return type;
  }
  return CellType::kText;
}

// Returns the narrowest type for the values so far and one more. Whole numbers and dates share no
// type but text, and no other type is recognised.
CellType Widened(CellType type, const std::string& value) {
  const CellType next = TypeOfValue(value);
  if (next == CellType::kNone || type == next) return type;
  return type == CellType::kNone ? next : CellType::kText;
}

// One column of folders while it is read.
struct Column {
  std::string name;
  CellType type = CellType::kNone;
  std::string text;  // The path of the first file whose value made it text.
};

// Returns the column with its type in `known` if its values fit, else with the type found.
Result<std::shared_ptr<arrow::Field>> TypeColumn(const Column& column, const SchemaPtr& known) {
  const auto found = arrow::field(column.name, ArrowType(column.type));
  const auto wanted = known == nullptr ? nullptr : known->GetFieldByName(column.name);
  if (wanted == nullptr || wanted->type()->Equals(found->type())) return found;
  const bool fits = wanted->type()->id() == arrow::Type::STRING || column.type == CellType::kNone;
  if (fits) return wanted;
  return PartitionFault(
      fmt::format("the partition column \"{}\" was {} before and is {} now", column.name,
                  TypeText(*wanted->type()), TypeText(*found->type())),
      column.text, "rename the folder whose value does not fit");
}

// Adds the values of one file's folders, which MatchFolders() has matched to the columns.
void Add(const std::vector<Level>& levels, const std::string& path, std::vector<Column>& columns,
         Partitions& partitions) {
  std::vector<std::optional<std::string>>& row = partitions.values.emplace_back();
  for (Column& column : columns) {
    const auto level = std::find_if(levels.begin(), levels.end(),
                                    [&](const Level& each) { return each.name == column.name; });
    const CellType before = std::exchange(column.type, Widened(column.type, level->value));
    if (before != column.type) column.text = path;
    row.push_back(level->value == kNull ? std::nullopt : std::optional(Unescaped(level->value)));
  }
}

}  // namespace

std::string ColumnOfFolder(const std::string& folder) { return ParseLevel(folder).name; }

std::string PartitionName(const std::string& column, const std::string* value) {
  return Escaped(column) + "=" + (value == nullptr ? std::string(kNull) : Escaped(*value));
}

Result<Partitions> ReadPartitions(const std::vector<std::string>& paths, const std::string& root,
                                  const std::vector<std::string>& names, const SchemaPtr& known) {
  PT_TRY(CheckOnce(names));
  Partitions partitions{.root = root};
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({.name = name});
  std::vector<std::string> order;
  for (const std::string& path : paths) {
    PT_LET(const std::vector<Level> levels, ParseLevels(path, root));
    PT_TRY(MatchFolders(names, levels, path, root));
    if (order.empty()) order = ListNames(levels);
    if (order != ListNames(levels)) {
      return PartitionFault("the folders give " + Listed(ListNames(levels)) +
                                ", those of the first file " + Listed(order),
                            path, "nest the folders in one order",
                            "the first file is " + paths.front());
    }
    Add(levels, path, columns, partitions);
  }
  arrow::FieldVector fields;
  for (const Column& column : columns) {
    PT_LET(fields.emplace_back(), TypeColumn(column, known));
  }
  partitions.columns = arrow::schema(std::move(fields));
  return partitions;
}

Result<SchemaPtr> WithPartitions(const SchemaPtr& files, const Partitions& partitions) {
  arrow::FieldVector fields = files->fields();
  for (const auto& field : partitions.columns->fields()) {
    for (const auto& each : fields) {
      if (Lower(each->name()) != Lower(field->name())) continue;
      return PartitionFault(
          fmt::format("the column \"{}\" is in the files and in the names of their "
                      "folders",
                      field->name()),
          partitions.root, "leave it out of the files", "it is unclear which of the two counts");
    }
    fields.push_back(field);
  }
  return arrow::schema(std::move(fields));
}

}  // namespace protium
