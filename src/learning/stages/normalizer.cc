// SPDX-License-Identifier: Apache-2.0
#include "stages/column_stage.h"
#include "stages/row.h"

// x / norm for each input, where the norm is that of the inputs of one row: sqrt(sum of x * x), sum
// of |x|, or the largest |x|. Learns nothing. A NULL or NaN in any input makes all outputs of its
// row NULL or NaN; a row of zeros stays as it is. An infinite input becomes NaN, and the finite
// ones of its row 0. Numbers whose squares or sum would leave a double's range are first scaled by
// a power of two, which changes no bit of other rows.
//
// Spark ML's Normalizer takes a vector column and any p of at least 1, and its squares overflow
// beyond 1e154; here p is 1, 2 or infinity, since other powers differ between the engines. Sums,
// products, quotients and square roots are correctly rounded by IEEE 754, and their order is fixed,
// so both engines compute the same bits.

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

  // Each projection reads the columns of the one below: the largest size, the norm of the scaled
  // numbers, and on top the outputs.
  Plan Apply(Plan rows, const Columns& columns) const override {
    const std::string size = FreeName("__size__" + id(), columns);
    const std::string length = FreeName("__length__" + id(), columns);
    Columns there = columns;
    rows = WithColumns(std::move(rows), there, {{size, Largest()}});
    there.push_back(size);
    rows = WithColumns(std::move(rows), there, {{length, Length(size)}});
    std::vector<NamedExpr> added;
    there.push_back(length);
    for (size_t i = 0; i < inputs().size(); ++i) {
      const Expr x = NumberOf(inputs()[i]);
      added.push_back({outputs()[i], MakeCall("if", {Col(length) == Lit(0.0), x,
                                                     x * Factor(size) / Col(length)})});
    }
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  // The largest |x| of a row. greatest() skips NULLs on both engines; the sum is NULL if any part
  // is, which shows the difference. NaN is ordered above every number, so it wins by itself.
  Expr Largest() const {
    std::vector<Expr> sizes;
    for (const std::string& input : inputs()) sizes.push_back(MakeCall("abs", {NumberOf(input)}));
    if (sizes.size() == 1) return sizes.front();
    const Expr sum = Added(sizes);
    return IfNull(sum, sum, MakeCall("greatest", sizes));
  }

  // A factor that scales numbers whose squares or sum could overflow, or whose squares could
  // vanish, to where neither happens; 1 for all others. A product with a power of two is exact.
  static Expr Factor(const std::string& size) {
    const Expr large = MakeCall("if", {Col(size) > Lit(0x1p500), Lit(0x1p-600), Lit(1.0)});
    return MakeCall("if", {Col(size) < Lit(0x1p-450), Lit(0x1p600), large});
  }

  Expr Length(const std::string& size) const {
    std::vector<Expr> parts;
    for (const std::string& input : inputs()) {
      const Expr x = NumberOf(input) * Factor(size);
      parts.push_back(norm_ == Norm::kL2 ? x * x : MakeCall("abs", {x}));
    }
    if (norm_ == Norm::kL2) return MakeCall("sqrt", {Added(parts)});
    return norm_ == Norm::kL1 ? Added(parts) : Col(size) * Factor(size);
  }

  // Sums of doubles depend on their order, so it is fixed: that of the inputs.
  static Expr Added(const std::vector<Expr>& parts) {
    Expr sum = parts.front();
    for (size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
    return sum;
  }

  Norm norm_;
};

}  // namespace

StageRow NormalizerRow() {
  return MakeStageRow<NormalizerStage, NormalizerOptions>(
      "normalizer", "divides the numbers of each row by their norm; a row of zeros stays");
}

}  // namespace protium
