// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "stages/row.h"
#include "stages/window_numbers.h"

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

class ExpandingStage : public HistoryStage {
 public:
  ExpandingStage(const ExpandingOptions& options, StageNames names)
      : HistoryStage(options, std::move(names)), options_(options) {
    Columns outputs;
    for (size_t i = 0; i < num_values(); ++i) {
      for (const WindowNumber each : options_.of) {
        outputs.push_back(fmt::format("{}__{}__{}", inputs()[i], id(), NameOf(each)));
      }
    }
    SetOutputs(std::move(outputs));
  }

  std::vector<size_t> inputs_of(size_t i) const override { return {i / options_.of.size()}; }
  Reach reach() const override { return {}; }

 protected:
  std::string SqlOf(size_t i, WindowCalls& calls) const override {
    const size_t input = i / options_.of.size();
    const std::string frame =
        fmt::format("ROWS BETWEEN UNBOUNDED PRECEDING AND {} PRECEDING", options_.lag);
    return NumberOver(options_.of[i % options_.of.size()], inputs()[input], ValueName(input),
                      Over(frame), options_.least, calls);
  }

 private:
  ExpandingOptions options_;
};

}  // namespace

StageRow ExpandingRow() {
  StageRow row = MakeStageRow<ExpandingStage, ExpandingOptions>(
      "expanding",
      "means, sums, extremes of all earlier rows of the same series: <input>__<id>__mean");
  row.reads_history = true;
  return row;
}

}  // namespace protium
