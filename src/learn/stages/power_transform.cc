// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "learn/catalogue.h"
#include "learn/stages/column_stage.h"

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

// (exp(log)^power - 1) / power without losing digits where the two are nearly equal; its limit, the
// logarithm itself, for the power 0.
Expr Raised(Expr log, double power) {
  return power == 0 ? log : MakeCall("expm1", {std::move(log) * Lit(power)}) / Lit(power);
}

class PowerTransformStage : public PlainStage {
 public:
  PowerTransformStage(const PowerTransformOptions& options, StageNames names)
      : PlainStage(std::move(names)), how_(options.how), lambda_(options.lambda) {}

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
  // Of logarithms that every engine has to the bit, not of powers, which none has like another.
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
