// SPDX-License-Identifier: Apache-2.0
// Windows: OVER, frames, and WINDOW. Spark examines the frame as it is written, of which DuckDB's
// tree says less: a frame that a function cannot have, and bounds that are not constants, are
// refused here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "sql_text/spark_reader.h"

namespace protium {
namespace {

using Kind = Token::Kind;

// The frame that a function accepts; empty: none.
struct FixedFrame {
  std::string_view function;
  std::string_view unit;
};

// Functions of the position among the rows: their frame, if written, begins with the first row and
// ends with the current one.
constexpr FixedFrame kFixedFrames[] = {{"cume_dist", "RANGE"},
                                       {"dense_rank", "ROWS"},
                                       {"lag", ""},
                                       {"lead", ""},
                                       {"median", ""},
                                       {"ntile", "ROWS"},
                                       {"percent_rank", "ROWS"},
                                       {"percentile_cont", ""},
                                       {"percentile_disc", ""},
                                       {"rank", "ROWS"},
                                       {"row_number", "ROWS"}};

const FixedFrame* FindFixedFrame(std::string_view function) {
  const auto* const found = std::ranges::find(kFixedFrames, function, &FixedFrame::function);
  return found == std::end(kFixedFrames) ? nullptr : found;
}

}  // namespace

// OVER w, OVER (w) or OVER (...), for a call of `function`, in lower case.
Status SparkReader::Over(const std::string& function) {
  sql_.Skip();
  if (!sql_.Is("(")) {
    Name();
    return Status::OK();
  }
  const size_t open = sql_.at();
  const bool name = sql_.IsKind(Kind::kName, 1) || sql_.IsKind(Kind::kWord, 1);
  const bool begins =
      sql_.IsOneOf({"PARTITION", "ORDER", "DISTRIBUTE", "SORT", "CLUSTER", "ROWS", "RANGE"}, 1);
  if (name && !begins && !sql_.Is(")", 2)) {
    return Refuse("a window adds to a window that has a name",
                  "Spark takes a named window as it is", "write the whole window in OVER (...)");
  }
  const std::string around = std::exchange(frame_, "");
  PT_TRY(Parentheses(Inside::kWindow));
  const std::string frame = std::exchange(frame_, around);
  const FixedFrame* const fixed = FindFixedFrame(function);
  if (fixed == nullptr || frame.empty()) return Status::OK();
  const std::string first = fmt::format("{} UNBOUNDED PRECEDING", fixed->unit);
  const bool same =
      frame == first ||
      frame == fmt::format("{} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", fixed->unit);
  if (same && !fixed->unit.empty()) return Status::OK();
  return sql_.Refuse(open, fmt::format("function \"{}\" is given a frame", function),
                     fixed->unit.empty() ? "Spark computes it without one"
                                         : "Spark computes it over " + first + " alone",
                     "leave the frame out");
}

// Whether ROWS or RANGE begins a window's frame; after BY or a comma it names a column.
bool SparkReader::AtFrame() const {
  if (!sql_.IsOneOf({"ROWS", "RANGE"})) return false;
  const Token& before = sql_.TokenAt(sql_.at() - 1);
  return !before.Is("BY") && !before.Is(",");
}

Status SparkReader::Frame() {
  const size_t first = sql_.at();
  sql_.Skip();
  const bool between = sql_.Is("BETWEEN");
  if (between) sql_.Skip();
  PT_LET(const double lower, Bound());
  if (between) {
    if (!sql_.Is("AND")) return Refuse("a window's frame has no AND");
    sql_.Skip();
    PT_LET(const double upper, Bound());
    if (lower > upper) {
      return sql_.Refuse(first, "a window's frame ends before it begins",
                         "Spark requires the lower bound first", "swap the two bounds");
    }
  }
  frame_.clear();
  for (size_t place = first; place < sql_.at(); ++place) {
    frame_ += (frame_.empty() ? "" : " ") + sql_.TokenAt(place).word;
  }
  return Status::OK();
}

// The bound's distance in rows from the current one if it is a plain number, negative before it;
// NaN otherwise.
Result<double> SparkReader::Bound() {
  if (sql_.IsOneOf({"UNBOUNDED", "CURRENT"})) {
    sql_.Skip(2);
    return std::nan("");
  }
  const size_t first = sql_.at();
  const bool rows = sql_.TokenAt(first - 1).Is("ROWS") || sql_.TokenAt(first - 2).Is("ROWS");
  const bool name = sql_.IsKind(Kind::kName) || (sql_.IsKind(Kind::kWord) && !sql_.Is("INTERVAL") &&
                                                 !sql_.Is("(", 1) && !sql_.IsKind(Kind::kText, 1));
  const std::string_view text = sql_.TokenText(first);
  const bool broken = rows && sql_.IsKind(Kind::kNumber) &&
                      text.find_first_not_of("0123456789") != std::string_view::npos;
  if (name || broken) {
    return Refuse(fmt::format("the bound of a window's frame is {}", Here()),
                  name ? "Spark takes constants alone"
                       : "Spark counts rows in whole numbers of "
                         "32 bits",
                  "write a whole number");
  }
  const bool number = sql_.IsKind(Kind::kNumber) && sql_.IsOneOf({"PRECEDING", "FOLLOWING"}, 1);
  PT_LET(const Term term, Value());
  Enclose(term);
  if (!sql_.IsOneOf({"PRECEDING", "FOLLOWING"})) {
    return Refuse("a window's frame has neither PRECEDING nor FOLLOWING");
  }
  const double sign = sql_.Is("PRECEDING") ? -1 : 1;
  sql_.Skip();
  return number ? sign * std::strtod(std::string(text).c_str(), nullptr) : std::nan("");
}

bool SparkReader::AtWindowClause() const {
  return sql_.Is("WINDOW") && sql_.Is("AS", 2) && sql_.Is("(", 3);
}

// WINDOW w AS (...), v AS (...)
Status SparkReader::WindowClause() {
  do {
    sql_.Skip();
    Name();
    sql_.Skip();
    PT_TRY(Parentheses(Inside::kWindow));
  } while (sql_.Is(",") && sql_.Is("AS", 2) && sql_.Is("(", 3));
  return Status::OK();
}

}  // namespace protium
