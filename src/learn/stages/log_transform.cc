// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "learn/catalogue.h"
#include "learn/stages/column_stage.h"

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

class LogTransformStage : public PlainStage {
 public:
  LogTransformStage(const LogTransformOptions& options, StageNames names)
      : PlainStage(std::move(names)), how_(options.how) {}

 protected:
  // Every engine has ln, log1p and expm1 to the bit (base/strict_math.h); the other bases are one
  // division by the double nearest to their logarithm.
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
