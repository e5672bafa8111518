// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "stages/column_stage.h"
#include "stages/row.h"

// min(max(x, low), high), each end optional. Learns nothing. NULL and NaN stay, infinities become
// the limit on their side, and -0.0 stays -0.0 at a limit of 0. Spark ML has no such class.
//
// Uses comparisons rather than greatest() and least(), which skip NULLs on both engines and would
// turn a NULL into the limit. The result is x or a literal: nothing is rounded.

namespace protium {
namespace {

struct ClipOptions : ColumnOptions {
  std::optional<double> low;
  std::optional<double> high;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("low", low, {.help = "smaller numbers become this one; unless set, no lower limit"});
    visit("high", high, {.help = "larger numbers become this one; unless set, no upper limit"});
  }

  Status Check(const std::string& path) const {
    if (!low && !high) {
      return Fail({.exit = Exit::kUsage,
                   .what = "neither low nor high is set",
                   .where = path,
                   .fix = "set one of them"});
    }
    if (!low || !high || *low <= *high) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "low = " + Dump(fields::Short(*low)) +
                         " is above high = " + Dump(fields::Short(*high)),
                 .where = path + ".low"});
  }
};

class ClipStage : public FormulaStage {
 public:
  ClipStage(const ClipOptions& options, StageNames names)
      : FormulaStage(std::move(names)), low_(options.low), high_(options.high) {}

 protected:
  Expr ExprOf(size_t i) const override {
    const Expr x = NumberOf(inputs()[i]);
    Expr clipped = x;
    if (low_) clipped = MakeCall("if", {x < Lit(*low_), Lit(*low_), clipped});
    if (high_) clipped = MakeCall("if", {x > Lit(*high_), Lit(*high_), clipped});
    // Both engines order NaN above every number: without this it would become `high`.
    return IfNan(x, x, clipped);
  }

 private:
  std::optional<double> low_;
  std::optional<double> high_;
};

}  // namespace

StageRow ClipRow() {
  return MakeStageRow<ClipStage, ClipOptions>("clip",
                                              "limits numbers to low and high; NULL and NaN stay");
}

}  // namespace protium
