// SPDX-License-Identifier: Apache-2.0
#include "format/csv.h"

#include <arrow/api.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "format/cell_type.h"
#include "format/csv_options.h"
#include "format/csv_rows.h"
#include "format/csv_scan.h"
#include "format/csv_types.h"
#include "format/file.h"
#include "format/kind.h"
#include "os/machine.h"

// Inference reads every row, since engines that guess from the first rows guess differently. A file
// is mapped, checked for UTF-8 as a whole, and its header read; then rows are inferred in parallel,
// cut at line breaks, if that is safe (no quotes). Each part widens types on its own, and Unite()
// joins them in any order. If any part finds an error, one thread reads the file again from the
// start, since only it knows line numbers.

namespace protium {
namespace {

constexpr size_t kPartBytes = 4 << 20;  // A smaller part is not worth starting a thread.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string At(const std::string& path, int64_t line) { return fmt::format("{}:{}", path, line); }

// Eight characters at a time and without a branch, so at memory speed.
bool IsAscii(std::string_view text) {
  uint64_t any = 0, word = 0;
  for (; text.size() >= sizeof(word); text.remove_prefix(sizeof(word))) {
    std::memcpy(&word, text.data(), sizeof(word));
    any |= word;
  }
  for (const char each : text) any |= uint64_t(each) & 0x80;
  return (any & 0x8080808080808080) == 0;
}

// Looks at every character only in blocks that are not plain ASCII; such a block is extended to the
// end of a line, which no multi-byte character spans.
bool IsUtf8(std::string_view text) {
  constexpr size_t kBlock = 4096;
  while (!text.empty()) {
    size_t taken = std::min(kBlock, text.size());
    if (!IsAscii(text.substr(0, taken))) {
      taken = std::min(text.find('\n', taken), text.size());
      if (!arrow::util::ValidateUTF8(text.substr(0, taken))) return false;
    }
    text.remove_prefix(taken);
  }
  return true;
}

// Checks the whole file at once, which is fastest if all is well; only if not, looks for the line.
Status CheckUtf8(std::string_view text, const std::string& path) {
  arrow::util::InitializeUTF8();
  if (IsUtf8(text)) return Status::OK();
  int64_t line = 1;
  while (!text.empty()) {
    const std::string_view first = text.substr(0, text.find('\n'));
    if (!arrow::util::ValidateUTF8(std::string_view(first))) break;
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    ++line;
  }
  return Fail(
      {.exit = Exit::kInput,
       .what = "the text is not UTF-8",
       .where = At(path, line),
       .fix = "say how its characters are written: encoding = \"windows-1252\" or \"latin-1\"; or "
              "convert it: iconv -f latin1 -t utf-8 " +
              path + " > " + path + ".utf8"});
}

// Checks lines alone; rows of quoted cells may have many lines, and are measured as they are read.
Status CheckLineLengths(std::string_view text, const std::string& path) {
  std::string_view rest = text;
  while (rest.size() > kLongestCsvRow) {
    const std::string_view window = rest.substr(0, kLongestCsvRow + 1);
    const size_t feed = window.rfind('\n');
    const size_t end = feed != window.npos ? feed : window.rfind('\r');
    if (end == window.npos) {
      const std::string_view before = text.substr(0, text.size() - rest.size());
      return RowTooLong(path, 1 + std::count(before.begin(), before.end(), '\n'));
    }
    rest.remove_prefix(end + 1);
  }
  return Status::OK();
}

// An open file whose names have been read; its rows come next.
struct Table {
  std::unique_ptr<MappedFile> file;
  std::unique_ptr<CsvScanner> scanner;
  std::vector<std::string> names;
  std::vector<CsvCell> cells;
  bool pending = false;  // Without a header the first row is already in `cells`.

  Result<bool> Next() {
    if (pending) {
      pending = false;
      return true;
    }
    cells.resize(names.size());  // Shows the scanner whether this is a table of one column.
    PT_LET(const bool more, scanner->Next(cells));
    return more;
  }
};

Result<Table> OpenTable(const std::string& path, const CsvOptions& options) {
  PT_TRY(CheckCsvOptions(options));
  Table table;
  PT_LET(table.file, MappedFile::Open(path));
  PT_TRY(RefuseOtherThanText(table.file->text(), path));
  PT_TRY(CheckUtf8(table.file->text(), path));
  PT_TRY(CheckLineLengths(table.file->text(), path));
  std::string_view text = table.file->text();
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  table.scanner = std::make_unique<CsvScanner>(text, options.delimiter.front(), path);
  PT_LET(const bool any, table.scanner->Next(table.cells));
  if (!any) {
    return Fail({.exit = Exit::kInput, .what = "the file is empty", .where = path});
  }
  // Engines treat such lines differently.
  if (table.scanner->line() > 1) {
    return Fail({.exit = Exit::kInput,
                 .what = "the file begins with an empty line",
                 .where = At(path, 1),
                 .fix = options.header ? "begin it with the names of the columns"
                                       : "begin it with the first row"});
  }
  PT_LET(table.names, CsvNames(table.cells, options, path, 1));
  table.pending = !options.header;
  return table;
}

void Widen(const std::vector<CsvCell>& cells, const CsvOptions& options,
           std::vector<CellType>& types) {
  for (size_t i = 0; i < types.size(); ++i) Widen(cells[i], options, types[i]);
}

Status InferRows(const std::string& path, const CsvOptions& options, Table& table,
                 std::vector<CellType>& types) {
  while (true) {
    const size_t before = table.scanner->rest().size();
    PT_LET(const bool more, table.Next());
    if (!more) return Status::OK();
    if (before - table.scanner->rest().size() > kLongestCsvRow) {
      return RowTooLong(path, table.scanner->line());
    }
    if (table.cells.size() != types.size()) {
      return WrongCellCount(path, table.scanner->line(), table.cells.size(), types.size());
    }
    Widen(table.cells, options, types);
  }
}

// Cuts the text into one part per core, each beginning with a row, if every line break is known to
// end one: in text without quotes. Otherwise the whole is one part.
std::vector<std::string_view> CutIntoParts(std::string_view text) {
  const size_t most = text.size() / kPartBytes;
  // Within quotes a line break may be text, and only a scan from the start can decide that.
  if (most < 2 || std::memchr(text.data(), '"', text.size()) != nullptr) return {text};
  // A part per core, but none smaller than kPartBytes.
  const size_t bytes = text.size() / std::min<size_t>(most, ReadMachine().cores);
  std::vector<std::string_view> parts;
  while (text.size() > bytes) {
    const size_t end = text.find('\n', bytes);
    if (end == text.npos) break;
    parts.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// Infers from the remaining rows of `table`, in several threads; returns false if a row is
// malformed: only a reader of all rows knows its line.
bool InferParts(const std::string& path, const CsvOptions& options, const Table& table,
                std::vector<CellType>& types) {
  const std::vector<std::string_view> parts = CutIntoParts(table.scanner->rest());
  if (parts.size() < 2) return false;
  std::vector<std::vector<CellType>> found(parts.size(), types);
  std::vector<std::future<Status>> inferring;
  for (size_t i = 0; i < parts.size(); ++i) {
    inferring.push_back(std::async(std::launch::async, [&, i] {
      const std::string_view line_end = table.scanner->line_end();
      const size_t plain = WidenByPlainRows(parts[i], line_end, options, found[i]);
      Table part{.names = table.names};
      part.scanner =
          std::make_unique<CsvScanner>(parts[i].substr(plain), options.delimiter.front(), path);
      PT_TRY(InferRows(path, options, part, found[i]));
      // All lines of a file end in the same way; a part knows only its own.
      if (part.scanner->line_end().empty() || part.scanner->line_end() == line_end) {
        return Status::OK();
      }
      return Status::Invalid("mixed line endings");
    }));
  }
  bool all = true;
  for (auto& each : inferring) all = each.get().ok() && all;
  if (!all) return false;
  for (const std::vector<CellType>& each : found) {
    for (size_t i = 0; i < types.size(); ++i) types[i] = Unite(types[i], each[i]);
  }
  return true;
}

Status InferOne(const std::string& path, const CsvOptions& options, Table& table,
                std::vector<CellType>& types) {
  if (std::exchange(table.pending, false)) Widen(table.cells, options, types);
  if (InferParts(path, options, table, types)) return Status::OK();
  return InferRows(path, options, table, types);
}

Status CheckOne(const std::string& path, const CsvOptions& options, Table& table,
                const arrow::Schema& schema) {
  const auto columns = static_cast<size_t>(schema.num_fields());
  if (table.names.size() != columns) return WrongCellCount(path, 1, table.names.size(), columns);
  while (true) {
    PT_LET(const bool more, table.Next());
    if (!more) return Status::OK();
    const int64_t line = table.scanner->line();
    if (table.cells.size() != columns)
      return WrongCellCount(path, line, table.cells.size(), columns);
    for (size_t i = 0; i < columns; ++i) {
      const CsvCell& cell = table.cells[i];
      const auto& field = *schema.field(static_cast<int>(i));
      if (IsNull(cell, options) || IsCell(cell.text, CellTypeOf(*field.type()))) continue;
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("column \"{}\" holds {}, which is not {}", field.name(),
                                       QuotedCell(CsvText(cell)), TypeText(*field.type())),
                   .where = At(path, line),
                   .fix = FixOfCell(field.name(), CsvText(cell))});
    }
  }
}

}  // namespace

Result<CsvOptions> WithDelimiter(const std::string& path, const CsvOptions& options) {
  CsvOptions found = options;
  if (options.delimiter != "auto" && !MayHaveTabs(path, options)) return found;
  PT_LET(const CsvRows rows, CsvRows::Open(path, options));
  found.delimiter = rows.delimiter();
  return found;
}

Result<CsvTable> InferCsv(const std::vector<std::string>& paths, const CsvOptions& options) {
  if (paths.empty()) return Fail({.exit = Exit::kUsage, .what = "no file to read"});
  std::vector<std::string> names;
  std::vector<CellType> types;
  bool broken = false;
  for (const std::string& path : paths) {
    PT_LET(Table table, OpenTable(path, options));
    if (names.empty()) {
      names = table.names;
      types.resize(names.size(), CellType::kNone);
    } else if (names != table.names) {
      return Fail({.exit = Exit::kInput,
                   .what = "the columns differ from those of " + paths.front(),
                   .where = At(path, 1)});
    }
    PT_TRY(InferOne(path, options, table, types));
    broken = broken || table.scanner->broken();
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < names.size(); ++i) {
    fields.push_back(arrow::field(names[i], ArrowType(types[i])));
  }
  // If the delimiter is a blank, a row of nulls looks like an empty line.
  const bool empty_rows = names.size() == 1 || options.delimiter.front() <= ' ';
  const bool loose = std::ranges::find(types, CellType::kLooseDouble) != types.end();
  return CsvTable{arrow::schema(fields), !broken && !empty_rows, loose};
}

Result<SchemaPtr> WithKnownTypes(const std::vector<std::string>& paths, const CsvOptions& options,
                                 const SchemaPtr& inferred, const arrow::Schema& known) {
  arrow::FieldVector fields = inferred->fields();
  bool doubtful = false;
  for (auto& field : fields) {
    const auto wanted = known.GetFieldByName(field->name());
    if (wanted == nullptr) continue;
    // `type` is the column's previous type, `found` what these files look like.
    const CellType type = CellTypeOf(*wanted->type()), found = CellTypeOf(*field->type());
    // pandas, for one, writes a column of whole numbers with gaps as 7.0: by default its integers
    // cannot be NULL.
    if (type == found || (type == CellType::kInt64 && found == CellType::kDouble)) continue;
    field = field->WithType(ArrowType(type));
    const bool fits = type == CellType::kText || Unite(found, type) == type;
    doubtful = doubtful || !fits;
  }
  SchemaPtr schema = arrow::schema(std::move(fields));
  if (doubtful) PT_TRY(CheckCsv(paths, options, *schema));
  return schema;
}

Status CheckCsv(const std::vector<std::string>& paths, const CsvOptions& options,
                const arrow::Schema& schema) {
  for (const std::string& path : paths) {
    PT_LET(Table table, OpenTable(path, options));
    PT_TRY(CheckOne(path, options, table, schema));
  }
  return Status::OK();
}

}  // namespace protium
