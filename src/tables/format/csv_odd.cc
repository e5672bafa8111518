// SPDX-License-Identifier: Apache-2.0
#include "format/csv_odd.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "column/schema.h"
#include "format/cell_type.h"
#include "format/csv_rows.h"
#include "format/csv_syntax.h"
#include "format/csv_types.h"

namespace protium {
namespace {

constexpr size_t kMostTexts = 5;
constexpr int64_t kRowsBeforeGivingUp = 10'000;
// Matching cells required per odd one that is not a word for a null.
constexpr int64_t kPerOdd = 9;

// Whether the comma in a number may group thousands, as in 1,234 but not in 0,234 or 12,5.
bool MayGroup(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  const size_t comma = number.find(',');
  return comma >= 1 && comma <= 3 && number.size() == comma + 4 && number.front() != '0';
}

// The cells of one text column so far.
struct Doubtful {
  size_t place;  // The column's position.
  CellType type = CellType::kNone;
  int64_t fitting = 0;
  int64_t unknown = 0;  // Odd cells that hold no word for a missing value.
  OddColumn odd{.maybe_groups = true};
  bool lost = false;  // No option helps.

  void Read(const CsvCell& cell, const CsvOptions& options, const std::string& path, int64_t line) {
    CellType found = TypeOfCell(cell.text);
    if (found == CellType::kText && !cell.quoted) found = WithOptions(cell.text, options);
    const CellType both = Unite(type, found);
    if (found != CellType::kText && both != CellType::kText) {
      type = both;
      ++fitting;
      return;
    }
    if (++odd.cells == 1) odd.where = fmt::format("{}:{}", path, line);
    std::string text = CsvText(cell);
    const std::string inner(Trimmed(text, " \t"));
    if (!cell.quoted && inner != text && IsNullSpelling(inner)) {
      odd.trim = true;
      text = inner;
    }
    if (!IsNullSpelling(text)) ++unknown;
    if (std::find(odd.texts.begin(), odd.texts.end(), text) == odd.texts.end()) {
      lost = lost || odd.texts.size() == kMostTexts;
      if (!lost) odd.texts.push_back(std::move(text));
    }
  }

  CellType WithOptions(std::string_view text, const CsvOptions& options) {
    const std::string_view inner = Trimmed(text, " \t");
    if (inner.size() < text.size() && !inner.empty() && !options.trim) {
      const CellType found = TypeOfCell(inner);
      odd.trim = odd.trim || found != CellType::kText;
      return found;
    }
    if (options.decimal == "," || std::count(text.begin(), text.end(), ',') != 1 ||
        text.find('.') != text.npos) {
      return CellType::kText;
    }
    std::string point(text);
    point[point.find(',')] = '.';
    const bool number = IsCell(point, CellType::kDouble);
    odd.decimal_comma = odd.decimal_comma || number;
    odd.maybe_groups = odd.maybe_groups && !(number && !MayGroup(text));
    return number ? CellType::kDouble : CellType::kText;
  }

  bool Fixable() const {
    const bool any = odd.cells > 0 || odd.trim || odd.decimal_comma;
    return any && !lost && fitting > 0 && fitting >= unknown * kPerOdd;
  }
};

Status ReadDoubtful(const std::string& path, const CsvOptions& options,
                    std::vector<Doubtful>& all) {
  PT_LET(CsvRows rows, CsvRows::Open(path, options));
  for (int64_t count = 0;; ++count) {
    PT_LET(const bool more, rows.Next());
    if (!more) return Status::OK();
    for (Doubtful& each : all) {
      const CsvCell& cell = rows.cells()[each.place];
      if (each.lost || IsNull(cell, options)) continue;
      each.Read(cell, options, path, rows.line());
    }
    if (count % kRowsBeforeGivingUp != kRowsBeforeGivingUp - 1) continue;
    std::erase_if(all, [](const Doubtful& each) { return each.lost; });
    if (all.empty()) return Status::OK();
  }
}

}  // namespace

Result<std::vector<OddColumn>> FindOddColumns(const std::vector<std::string>& paths,
                                              const CsvOptions& options,
                                              const arrow::Schema& schema) {
  std::vector<Doubtful> doubtful;
  PT_LET(const CsvRows first, CsvRows::Open(paths.front(), options));
  for (size_t i = 0; i < first.names().size(); ++i) {
    const auto field = schema.GetFieldByName(first.names()[i]);
    if (field == nullptr || field->type()->id() != arrow::Type::STRING) continue;
    doubtful.push_back({.place = i});
    doubtful.back().odd.column = field->name();
  }
  for (const std::string& path : paths) {
    if (doubtful.empty()) break;
    PT_TRY(ReadDoubtful(path, options, doubtful));
  }
  std::vector<OddColumn> odd;
  for (Doubtful& each : doubtful) {
    if (!each.Fixable()) continue;
    PT_LET(each.odd.type, TypeName(*ArrowType(each.type)));
    each.odd.maybe_groups = each.odd.maybe_groups && each.odd.decimal_comma;
    odd.push_back(std::move(each.odd));
  }
  return odd;
}

CsvOptions WithFixes(const std::vector<OddColumn>& odd, const CsvOptions& options) {
  CsvOptions fixed = options;
  for (const OddColumn& each : odd) {
    fixed.trim = fixed.trim || each.trim;
    const bool comma = each.decimal_comma && !each.maybe_groups && options.delimiter != ",";
    if (comma) fixed.decimal = ",";
    if (!std::ranges::all_of(each.texts, IsNullSpelling)) continue;
    for (const std::string& text : each.texts) {
      if (std::ranges::find(fixed.null.all, text) == fixed.null.all.end()) {
        fixed.null.all.push_back(text);
      }
    }
  }
  return fixed;
}

}  // namespace protium
