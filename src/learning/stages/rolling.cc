// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/units.h"
#include "stages/window_stage.h"

// Numbers of each input over a window that moves with the row and ends before it, as
// <input>__<id>__<number>. The window is so many rows, of which the latest is `lag` rows before, or
// a length of time: the times above t - gap - over and up to t - gap, where t is the row's; without
// `gap` it holds what is before the row, and the one time t - over. As pandas' rolling(closed =
// "left"), which has min_periods where this has `least`.

namespace protium {
namespace {

struct RollingOptions : HistoryOptions {
  int64_t rows = 0;
  int64_t lag = 1;
  std::string over;
  std::string gap;
  std::vector<WindowNumber> of = {WindowNumber::kMean};
  int64_t least = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    HistoryOptions::Fields(visit);
    visit("rows", rows, {.help = "length of the window in rows of the series", .at_least = 0});
    visit("lag", lag,
          {.help = "rows: how many rows before each row the window's latest is", .at_least = 1});
    visit("over", over, {.help = "instead of rows: its length in time, such as \"7 days\""});
    visit("gap", gap,
          {.help = "over: how long before each row it ends, such as \"28 days\"; unless set, just "
                   "before the row"});
    visit("of", of, {.help = "what to compute: mean, sum, min, max, std, count"});
    visit("least", least,
          {.help = "with fewer values in the window, the result is NULL", .at_least = 1});
  }

  Status Check(const std::string& path) const {
    PT_TRY(CheckNumbers(of, path));
    if ((rows > 0) == !over.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = rows > 0 ? "the window is given in rows and in time"
                                    : "the length of the window is not set",
                   .where = path,
                   .fix = "set rows = 7, or over = \"7 days\""});
    }
    if (!over.empty() && lag != 1) return Wrong(path + ".lag", "counts rows", "gap");
    if (over.empty() && !gap.empty()) return Wrong(path + ".gap", "is a time", "lag");
    PT_TRY(CheckSpan(over, path + ".over"));
    return CheckSpan(gap, path + ".gap");
  }

 private:
  static Status Wrong(std::string where, const char* is, const char* instead) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("it {}, and the window does not", is),
                 .where = std::move(where),
                 .fix = fmt::format("set {} instead", instead)});
  }
  static Status CheckSpan(const std::string& text, const std::string& where) {
    if (text.empty() || MicrosOf(text).value_or(0) > 0) return Status::OK();
    return fields::Refuse(where, "a time such as \"7 days\" or \"12 hours\"", text);
  }
};

class RollingStage : public WindowStage {
 public:
  RollingStage(const RollingOptions& options, StageNames names)
      : WindowStage(options, options.of, options.least, std::move(names)), options_(options) {}

  Reach reach() const override {
    if (!measures_time())
      return {.rows = options_.rows + options_.lag - 1, .nearest = options_.lag};
    return {.micros = Span() + Gap()};
  }

 protected:
  bool measures_time() const override { return !options_.over.empty(); }

  std::string Frame() const override {
    const int64_t end = measures_time() ? Gap() : options_.lag;
    const int64_t length = measures_time() ? Span() : options_.rows;
    return fmt::format("{} BETWEEN {} PRECEDING AND {} PRECEDING",
                       measures_time() ? "RANGE" : "ROWS", end + length - 1, end);
  }

 private:
  int64_t Span() const { return MicrosOf(options_.over).value_or(0); }
  // A microsecond is the smallest step of time.
  int64_t Gap() const { return MicrosOf(options_.gap).value_or(1); }

  RollingOptions options_;
};

}  // namespace

StageRow RollingRow() {
  return MakeHistoryRow<RollingStage, RollingOptions>(
      "rolling", "means, sums, extremes of the last rows of the same series: <input>__<id>__mean");
}

}  // namespace protium
