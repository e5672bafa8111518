// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stages/column_stage.h"
#include "stages/row.h"

// ln(1 + x), ln(x), log2(x), log10(x), sign(x) ln(1 + |x|), or exp(x) - 1. Learns nothing. NULL
// stays NULL, NaN stays NaN; where a logarithm has no value (up to 0 for ln, up to -1 for log1p),
// the result is NULL as in Spark's SQL, not -inf or NaN. Spark ML has no such class.
//
// ln, log1p and expm1 are those of Java's StrictMath on both engines; the embedded one computes
// them itself (base/strict_math.h). log2 and log10 divide ln by the double nearest to ln 2 or ln
// 10: one correctly rounded quotient, hence the same everywhere. The price is that log10 of 1000 is
// 2.9999999999999996 and so differs from Spark SQL's log10().

namespace protium {
namespace {

enum class Logarithm { kLog1p, kLn, kLog2, kLog10, kSigned, kExpm1 };
EnumNames<Logarithm> Names(Logarithm) {
  return {{{Logarithm::kLog1p, "log1p"},
           {Logarithm::kLn, "ln"},
           {Logarithm::kLog2, "log2"},
           {Logarithm::kLog10, "log10"},
           {Logarithm::kSigned, "signed_log1p"},
           {Logarithm::kExpm1, "expm1"}}};
}

struct LogTransformOptions : ColumnOptions {
  Logarithm how = Logarithm::kLog1p;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("how", how,
          {.help = "log1p is ln(1 + x), signed_log1p that of |x| with the sign of x, expm1 undoes "
                   "log1p"});
  }
};

class LogTransformStage : public FormulaStage {
 public:
  LogTransformStage(const LogTransformOptions& options, StageNames names)
      : FormulaStage(std::move(names)), how_(options.how) {}

 protected:
  Expr ExprOf(size_t i) const override {
    const Expr x = NumberOf(inputs()[i]);
    switch (how_) {
      case Logarithm::kLog1p:
        return MakeCall("log1p", {x});
      case Logarithm::kLn:
        return MakeCall("ln", {x});
      case Logarithm::kLog2:
        return MakeCall("ln", {x}) / Lit(0x1.62e42fefa39efp-1);
      case Logarithm::kLog10:
        return MakeCall("ln", {x}) / Lit(0x1.26bb1bbb55516p+1);
      case Logarithm::kSigned:
        // -0.0 is not below 0 and keeps its sign through log1p.
        return MakeCall("if", {x < Lit(0.0), MakeCall("negate", {MakeCall("log1p", {Negated(x)})}),
                               MakeCall("log1p", {x})});
      case Logarithm::kExpm1:
        return MakeCall("expm1", {x});
    }
    return x;
  }

 private:
  static Expr Negated(const Expr& x) { return MakeCall("negate", {x}); }

  Logarithm how_;
};

}  // namespace

StageRow LogTransformRow() {
  return MakeStageRow<LogTransformStage, LogTransformOptions>(
      "log_transform", "logarithms of numbers; NULL where there is none, as in Spark's SQL");
}

}  // namespace protium
