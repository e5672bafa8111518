// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "stages/window_stage.h"

// Numbers of each input over all rows of the series up to `lag` rows before, as
// <input>__<id>__<number>. As pandas' expanding(). A model keeps the whole history of its inputs.

namespace protium {
namespace {

struct ExpandingOptions : HistoryOptions {
  int64_t lag = 1;
  std::vector<WindowNumber> of = {WindowNumber::kMean};
  int64_t least = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    HistoryOptions::Fields(visit);
    visit("lag", lag, {.help = "how many rows before each row the latest is", .at_least = 1});
    visit("of", of, {.help = "what to compute: mean, sum, min, max, count"});
    visit("least", least, {.help = "with fewer values, the result is NULL", .at_least = 1});
  }

  Status Check(const std::string& path) const {
    PT_TRY(CheckNumbers(of, path));
    if (std::ranges::find(of, WindowNumber::kStd) == of.end()) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "expanding does not compute std",
                 .where = path + ".of",
                 .why = "each row would add up all rows before it",
                 .fix = "use rolling, with as many rows as matter"});
  }
};

class ExpandingStage : public WindowStage {
 public:
  ExpandingStage(const ExpandingOptions& options, StageNames names)
      : WindowStage(options, options.of, options.least, std::move(names)), lag_(options.lag) {}

  Reach reach() const override { return {.nearest = lag_}; }

 protected:
  std::string Frame() const override {
    return fmt::format("ROWS BETWEEN UNBOUNDED PRECEDING AND {} PRECEDING", lag_);
  }

 private:
  int64_t lag_;
};

}  // namespace

StageRow ExpandingRow() {
  return MakeHistoryRow<ExpandingStage, ExpandingOptions>(
      "expanding",
      "means, sums, extremes of all earlier rows of the same series: <input>__<id>__mean");
}

}  // namespace protium
