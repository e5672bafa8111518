// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "stages/column_stage.h"
#include "stages/row.h"

// Box-Cox: (x^l - 1) / l, ln x for l = 0, NULL for x <= 0. Yeo-Johnson: ((x + 1)^l - 1) / l for x
// >= 0, -((1 - x)^(2 - l) - 1) / (2 - l) below 0, with log1p where the exponent is 0. Or sqrt(x),
// NaN below 0, or x * x. The power l is an option and is not estimated: nothing is learned. NULL
// stays NULL, NaN stays NaN. Spark ML has no such class; the formulas are those of Box and Cox
// (1964) and of Yeo and Johnson (2000).
//
// The engines' pow() differ in the last bit. Their ln, log1p and expm1 do not (base/strict_math.h),
// so x^l - 1 is computed as expm1(l ln x): the same bits everywhere.

namespace protium {
namespace {

enum class Power { kYeoJohnson, kBoxCox, kSqrt, kSquare };
EnumNames<Power> Names(Power) {
  return {{{Power::kYeoJohnson, "yeo_johnson"},
           {Power::kBoxCox, "box_cox"},
           {Power::kSqrt, "sqrt"},
           {Power::kSquare, "square"}}};
}

struct PowerTransformOptions : ColumnOptions {
  Power how = Power::kYeoJohnson;
  double lambda = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("how", how, {.help = "box_cox: NULL for 0 and below; sqrt: NaN below 0"});
    visit(
        "lambda", lambda,
        {.help = "the power of yeo_johnson and box_cox; 0: a logarithm, 1: x as it is, or x - 1"});
  }
};

Expr Negative(Expr x) { return MakeCall("negate", {std::move(x)}); }

// (x^power - 1) / power for the x whose logarithm is `log`; for power 0 the limit, `log` itself.
// expm1 retains the digits that subtracting 1 from a power near 1 would cancel.
Expr Raised(Expr log, double power) {
  return power == 0 ? log : MakeCall("expm1", {std::move(log) * Lit(power)}) / Lit(power);
}

class PowerTransformStage : public FormulaStage {
 public:
  PowerTransformStage(const PowerTransformOptions& options, StageNames names)
      : FormulaStage(std::move(names)), how_(options.how), lambda_(options.lambda) {}

 protected:
  Expr ExprOf(size_t i) const override {
    const Expr x = NumberOf(inputs()[i]);
    switch (how_) {
      case Power::kYeoJohnson:
        return YeoJohnson(x);
      case Power::kBoxCox:
        return Raised(MakeCall("ln", {x}), lambda_);
      case Power::kSqrt:
        return MakeCall("sqrt", {x});
      case Power::kSquare:
        return x * x;
    }
    return x;
  }

 private:
  // The power 1 is the identity, without the rounding of a logarithm and back. For NaN and NULL the
  // comparison with 0 is not met on either engine; the branch for x >= 0 passes them on.
  Expr YeoJohnson(const Expr& x) const {
    if (lambda_ == 1) return x;
    const Expr above = Raised(MakeCall("log1p", {x}), lambda_);
    const Expr below = Negative(Raised(MakeCall("log1p", {Negative(x)}), 2 - lambda_));
    return MakeCall("if", {x < Lit(0.0), below, above});
  }

  Power how_;
  double lambda_;
};

}  // namespace

StageRow PowerTransformRow() {
  return MakeStageRow<PowerTransformStage, PowerTransformOptions>(
      "power_transform", "powers of numbers, which make skewed columns more symmetric");
}

}  // namespace protium
