// SPDX-License-Identifier: Apache-2.0
// How CSV text becomes cells. Quoting is RFC 4180's: a cell may be wrapped in double quotes, and
// two of them inside mean one. Implemented by the room format.
#pragma once

#include <string>

namespace protium {

// A cell whose text equals `null` is NULL, and so is an empty cell unless it is quoted.
struct CsvOptions {
  std::string null;
  std::string delimiter = ",";
  bool header = true;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("null", null, {.help = "for CSV: how missing values are written, besides empty cells"});
    visit("delimiter", delimiter, {.help = "for CSV: the character between cells"});
    visit("header", header, {.help = "for CSV: whether the first line names the columns"});
  }
};

}  // namespace protium
