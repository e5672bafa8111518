// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "stages/history_stage.h"

// The value of each input so many rows before, as <input>__<id>__<lag>; NULL where there is no such
// row. Spark ML has no such class; SQL's lag() over a window.

namespace protium {
namespace {

struct LagOptions : HistoryOptions {
  std::vector<int64_t> lags = {1};
  template <class Visit>
  void Fields(Visit& visit) {
    HistoryOptions::Fields(visit);
    visit("lags", lags, {.help = "how many rows of the series before each row, 1 or more each"});
  }

  Status Check(const std::string& path) const {
    const bool once = std::set<int64_t>(lags.begin(), lags.end()).size() == lags.size();
    const bool back = std::ranges::all_of(lags, [](int64_t lag) { return lag >= 1; });
    if (once && back && !lags.empty()) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = lags.empty() ? "no lags are named"
                         : once       ? "a lag is below 1"
                                      : "a lag is named twice",
                 .where = path + ".lags",
                 .why = once && !back ? "a row would see itself, or a later one" : ""});
  }
};

class LagStage : public HistoryStage {
 public:
  LagStage(const LagOptions& options, StageNames names)
      : HistoryStage(options, std::move(names)), lags_(options.lags) {
    std::vector<std::string> endings;
    for (const int64_t lag : lags_) endings.push_back(std::to_string(lag));
    NameOutputs(endings);
  }

  Reach reach() const override {
    return {.rows = *std::ranges::max_element(lags_), .nearest = *std::ranges::min_element(lags_)};
  }

 protected:
  std::string SqlOf(size_t i, WindowCalls& calls) const override {
    const std::string value = ValueName(InputOf(i));
    return calls.Add(fmt::format("lag({}, {}) {}", value, lags_[EndingOf(i)], Over("")));
  }

 private:
  std::vector<int64_t> lags_;
};

}  // namespace

StageRow LagRow() {
  return MakeHistoryRow<LagStage, LagOptions>(
      "lag", "values of earlier rows of the same series: <input>__<id>__<lag>");
}

}  // namespace protium
