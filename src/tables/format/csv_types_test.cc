// SPDX-License-Identifier: Apache-2.0
#include "format/csv_types.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace protium {
namespace {

using Types = std::vector<CellType>;

CsvOptions MakeOptions() { return {.null = "NA"}; }

// Returns what the scanner finds in all rows of `text`; nothing if it refuses one, or if lines do
// not end with `line_end`.
std::optional<Types> ScanTypes(std::string_view text, std::string_view line_end, size_t columns) {
  const CsvOptions options = MakeOptions();
  Types types(columns, CellType::kNone);
  CsvScanner scanner(text, ',', "t.csv");
  std::vector<CsvCell> cells;
  while (true) {
    const auto more = scanner.Next(cells);
    if (!more.ok() || (*more && cells.size() != columns)) return std::nullopt;
    if (!*more) break;
    for (size_t i = 0; i < columns; ++i) Widen(cells[i], options, types[i]);
  }
  if (!scanner.line_end().empty() && scanner.line_end() != line_end) return std::nullopt;
  return types;
}

// The same with the fast path for plain rows. `plain` receives the length of their text.
std::optional<Types> QuickTypes(std::string_view text, std::string_view line_end, size_t columns,
                                size_t& plain) {
  const CsvOptions options = MakeOptions();
  Types types(columns, CellType::kNone);
  plain = WidenByPlainRows(text, line_end, options, types);
  const auto rest = ScanTypes(text.substr(plain), line_end, columns);
  if (!rest) return std::nullopt;
  for (size_t i = 0; i < columns; ++i) types[i] = Unite(types[i], (*rest)[i]);
  return types;
}

// Cells that the fast path reads as numbers or leaves to others, and similar ones.
const std::vector<std::string> kCells = {"",
                                         "NA",
                                         "N",
                                         "NAN",
                                         "NaN",
                                         "0",
                                         "7",
                                         "-7",
                                         "-",
                                         "--1",
                                         "+1",
                                         "1-",
                                         "007",
                                         "12345678901234",
                                         "123456789012345",
                                         "1234567890123456",
                                         "-123456789012345678",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "99999999999999999999",
                                         "1.5",
                                         "-1.5",
                                         ".5",
                                         "5.",
                                         ".",
                                         "-.",
                                         "1.2.3",
                                         "1e3",
                                         "-1.5E-7",
                                         "Inf",
                                         "infinity",
                                         "-inf",
                                         "nan",
                                         "0x1f",
                                         "1 ",
                                         " 1",
                                         "1:2",
                                         "1/2",
                                         "true",
                                         "FALSE",
                                         "2013-01-31",
                                         "2013-02-30",
                                         "2013-01-31T05:00:00Z",
                                         "2013-01-31 05:00",
                                         "word",
                                         "a text that is longer than one block of 16 bytes",
                                         "\"7\"",
                                         "\"a,b\"",
                                         "a\"b",
                                         "\xc3\xa9"};

TEST(CsvTypes, PlainRowsAreReadAsTheScannerReadsThem) {
  std::mt19937 random(11);
  const auto pick = [&](size_t below) { return random() % below; };
  int64_t quick = 0;
  for (int round = 0; round < 4000; ++round) {
    const size_t columns = 1 + pick(5);
    // Few kinds of cells per table, or every column would be text.
    std::vector<std::string> cells;
    for (size_t i = 0; i < 1 + pick(4); ++i) cells.push_back(kCells[pick(kCells.size())]);
    const std::string line_end = pick(4) == 0 ? "\r\n" : "\n";
    std::string text;
    for (size_t rows = pick(30); rows > 0; --rows) {
      const size_t given = pick(400) == 0 ? columns + 1 : columns;
      for (size_t i = 0; i < given; ++i) text += (i == 0 ? "" : ",") + cells[pick(cells.size())];
      text += pick(300) == 0 ? "\r" : pick(100) == 0 ? line_end + line_end : line_end;
    }
    if (pick(3) == 0 && !text.empty()) text.pop_back();
    size_t plain = 0;
    EXPECT_EQ(QuickTypes(text, line_end, columns, plain), ScanTypes(text, line_end, columns))
        << text;
    quick += static_cast<int64_t>(plain);
    ASSERT_LE(plain, text.size());
  }
  EXPECT_GT(quick, 400'000);
}

TEST(CsvTypes, ReadsPlainRowsUpToTheLastFew) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + ",1.5,NA,word\n";
  size_t plain = 0;
  EXPECT_EQ(QuickTypes(text, "\n", 4, plain),
            (Types{CellType::kInt64, CellType::kDouble, CellType::kNone, CellType::kText}));
  EXPECT_GT(plain + 40, text.size());
}

TEST(CsvTypes, StopsBeforeAQuotedCell) {
  const std::string first = "1,2\n3,4\n", text = first + "5,\"6\"\n" + std::string(100, '7');
  Types types(2, CellType::kNone);
  EXPECT_EQ(WidenByPlainRows(text, "\n", MakeOptions(), types), first.size());
}

}  // namespace
}  // namespace protium
