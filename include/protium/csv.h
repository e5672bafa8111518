// SPDX-License-Identifier: Apache-2.0
// How CSV text becomes cells. Quoting is RFC 4180's: a cell may be wrapped in double quotes, and
// two of them inside mean one. Implemented by the room format.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace protium {

// One text or several: {.null = "NA"} or {.null = {"NA", "N/A"}}. An empty one counts as none.
struct NullTexts {
  std::vector<std::string> all;
  NullTexts() = default;
  NullTexts(const char* text) : NullTexts(std::string(text)) {}
  NullTexts(std::string text) { Add(std::move(text)); }
  NullTexts(std::initializer_list<std::string> texts)
      : NullTexts(std::vector<std::string>(texts)) {}
  NullTexts(std::vector<std::string> texts) {
    for (std::string& text : texts) Add(std::move(text));
  }
  bool empty() const { return all.empty(); }

 private:
  void Add(std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
  }
};

// Types of columns by their names, in the names that `protium inspect` shows: {"zip", "string"}.
struct ColumnTypes {
  std::vector<std::pair<std::string, std::string>> all;
};

// The character encoding of a file. UTF-16 must begin with a byte order mark; UTF-8 may.
enum class Encoding { kUtf8, kUtf16, kLatin1, kWindows1252 };

// What happens to a row with too few or too many cells: it is an error; it is padded with NULLs
// (and surplus cells must be empty); or it is skipped and counted.
enum class Ragged { kRefuse, kPad, kSkip };

// A cell whose text equals one of `null` is NULL, and so is an empty cell unless it is quoted.
struct CsvOptions {
  NullTexts null;
  std::string delimiter = ",";  // Or "auto": whichever of comma, semicolon, tab and | fits.
  bool header = true;
  Encoding encoding = Encoding::kUtf8;
  std::string decimal = ".";  // Or ",": the mark in 3,5.
  std::string comment;        // Lines that begin with this character are skipped; empty: none.
  bool trim = false;          // Drop blanks around cells.
  Ragged ragged = Ragged::kRefuse;
  ColumnTypes types;  // Of columns whose type must not be inferred.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("null", null,
          {.help = "for CSV: how missing values are written, besides empty cells; one text or a "
                   "list"});
    visit("delimiter", delimiter,
          {.help = "for CSV: the character between cells, or \"auto\" to find it"});
    visit("header", header, {.help = "for CSV: whether the first line names the columns"});
    visit("encoding", encoding, {.help = "for CSV: how characters are written"});
    visit("decimal", decimal, {.help = "for CSV: the mark in 3.5, \".\" or \",\""});
    visit("comment", comment, {.help = "for CSV: lines that begin with this are left out"});
    visit("trim", trim, {.help = "for CSV: whether blanks around cells are dropped"});
    visit("ragged", ragged,
          {.help = "for CSV: rows with too few or too many cells are an error, filled up with "
                   "NULLs, or left out and counted"});
    visit("types", types,
          {.help = "types of columns that are not to be inferred: { zip = \"string\" }"});
  }
};

}  // namespace protium
