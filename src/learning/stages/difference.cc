// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stages/history_stage.h"

// How much an input has changed: its value `lag` rows before minus the one `rows` rows before that,
// as <input>__<id>; NULL where either is missing. With lag = 0 the row's own value is the first of
// the two, as in pandas' diff(); of the label this would be a leak, and is refused.

namespace protium {
namespace {

struct DifferenceOptions : HistoryOptions {
  Columns outputs;
  int64_t rows = 1;
  int64_t lag = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    HistoryOptions::Fields(visit);
    visit("outputs", outputs, {.help = kOutputsHelp});
    visit("rows", rows, {.help = "how many rows lie between the two values", .at_least = 1});
    visit("lag", lag,
          {.help = "how many rows before each row the later of them is; 0: the row itself, which "
                   "the label may not be",
           .at_least = 0});
  }
};

class DifferenceStage : public HistoryStage {
 public:
  DifferenceStage(const DifferenceOptions& options, StageNames names)
      : HistoryStage(options, std::move(names)), rows_(options.rows), lag_(options.lag) {}
  Reach reach() const override { return {.rows = rows_ + lag_, .nearest = lag_}; }
  bool sees_own_row() const override { return lag_ == 0; }

 protected:
  std::string SqlOf(size_t i, WindowCalls& calls) const override {
    const auto before = [&](int64_t rows) {
      return rows == 0 ? ValueName(i)
                       : calls.Add(fmt::format("lag({}, {}) {}", ValueName(i), rows, Over("")));
    };
    const std::string later = before(lag_);
    return later + " - " + before(lag_ + rows_);
  }

 private:
  int64_t rows_;
  int64_t lag_;
};

}  // namespace

StageRow DifferenceRow() {
  return MakeHistoryRow<DifferenceStage, DifferenceOptions>(
      "difference", "how much a number changed between two earlier rows of the same series");
}

}  // namespace protium
