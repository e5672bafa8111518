// SPDX-License-Identifier: Apache-2.0
#include "learn/catalogue.h"
#include "learn/stages/column_stage.h"

// x / norm for each input, where the norm is that of the inputs of one row: sqrt(sum of x * x), sum
// of |x|, or the largest |x|. Learns nothing. A NULL or NaN in any input makes all outputs of its
// row NULL or NaN; a row of zeros stays as it is. An infinite norm, also that of squares beyond the
// largest double (|x| above 1e154), makes finite inputs 0 and infinite ones NaN.
//
// Spark ML's Normalizer takes a vector column and any p of at least 1; here p is 1, 2 or infinity,
// since other powers differ between the engines. Sums, products, quotients and square roots are
// correctly rounded by IEEE 754, and their order is fixed, so both engines give the same bits.

namespace protium {
namespace {

enum class Norm { kL2, kL1, kMax };
EnumNames<Norm> Names(Norm) {
  return {{{Norm::kL2, "l2"}, {Norm::kL1, "l1"}, {Norm::kMax, "max"}}};
}

struct NormalizerOptions : ColumnOptions {
  Norm norm = Norm::kL2;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("norm", norm,
          {.help =
               "the norm that becomes 1: l2, l1 or max, the largest absolute value; Spark's p = 2, "
               "1 and inf"});
  }
};

class NormalizerStage : public PlainStage {
 public:
  NormalizerStage(const NormalizerOptions& options, StageNames names)
      : PlainStage(std::move(names)), norm_(options.norm) {}

  std::vector<size_t> inputs_of(size_t) const override {
    std::vector<size_t> all;
    for (size_t i = 0; i < inputs().size(); ++i) all.push_back(i);
    return all;
  }

  // The norm is a column of its own while the stage is applied: each output divides by it, and
  // would otherwise repeat the whole sum.
  Plan Apply(Plan rows, const Columns& columns) const override {
    const std::string length = FreeName("__length__" + id(), columns);
    rows = WithColumns(std::move(rows), columns, {{length, Length()}});
    std::vector<NamedExpr> added;
    for (size_t i = 0; i < inputs().size(); ++i) {
      const Expr x = NumberOf(inputs()[i]);
      added.push_back(
          {outputs()[i], MakeCall("if", {Col(length) == Lit(0.0), x, x / Col(length)})});
    }
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 protected:
  Expr ExprOf(size_t i) const override { return Col(outputs()[i]); }

 private:
  // Sums of doubles depend on their order, so it is fixed: that of the inputs.
  Expr Length() const {
    std::vector<Expr> parts;
    for (size_t i = 0; i < inputs().size(); ++i) parts.push_back(Part(i));
    Expr sum = parts.front();
    for (size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
    if (norm_ == Norm::kL2) return MakeCall("sqrt", {sum});
    if (norm_ == Norm::kL1 || parts.size() == 1) return sum;
    // greatest() skips NULLs on both engines; the sum, NULL if any part is, tells them apart. NaN
    // is ordered above every number, so it wins by itself.
    return IfNull(sum, sum, MakeCall("greatest", parts));
  }

  Expr Part(size_t i) const {
    const Expr x = NumberOf(inputs()[i]);
    return norm_ == Norm::kL2 ? x * x : MakeCall("abs", {x});
  }

  Norm norm_;
};

}  // namespace

StageRow NormalizerRow() {
  return MakeStageRow<NormalizerStage, NormalizerOptions>(
      "normalizer", "divides the numbers of each row by their norm; a row of zeros stays");
}

}  // namespace protium
