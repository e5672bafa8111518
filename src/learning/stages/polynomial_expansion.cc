// SPDX-License-Identifier: Apache-2.0
#include "stages/column_stage.h"
#include "stages/row.h"

// All products of 1 to `degree` of the inputs, repetitions included. Learns nothing. A product is
// NULL or NaN if one of its factors is; infinities and overflow follow IEEE 754.
//
// The outputs and their order are those of Spark ML's PolynomialExpansion, as columns instead of a
// vector. Spark multiplies from the last input on and stops at a product of 0: for three or more
// factors its last bit may differ, and 0 times NaN may be 0 there. Here factors are multiplied in
// the order of the inputs, each product rounded once, so both engines compute the same bits.

namespace protium {
namespace {

struct PolynomialExpansionOptions {
  std::string id;
  Inputs inputs;
  int32_t degree = 2;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("degree", degree,
          {.help = "largest number of factors in a product", .at_least = 2, .below = 6});
  }
};

// The inputs that are the factors of a product, in descending order: for the inputs a and b, [1, 0,
// 0] is a * a * b.
using Factors = std::vector<size_t>;

// Appends to `all` the products of `so_far` with up to `degree` factors out of the first `inputs`
// inputs. This is Spark's recursion, and so its order: a, aa, b, ab, bb.
void AddProducts(size_t inputs, int32_t degree, const Factors& so_far, std::vector<Factors>& all) {
  if (inputs == 0) {
    if (!so_far.empty()) all.push_back(so_far);
    return;
  }
  Factors factors = so_far;
  for (int32_t power = 0; power <= degree; ++power) {
    AddProducts(inputs - 1, degree - power, factors, all);
    factors.push_back(inputs - 1);
  }
}

// Refuses an expansion of more than 2,000 columns: there are C(inputs + degree, degree) - 1 of
// them.
Status CheckProducts(size_t inputs, int32_t degree) {
  constexpr double kMost = 2000;
  // Computed in double, which cannot overflow here. The constant 1, an empty product, is counted.
  double products = 1;
  for (int32_t i = 1; i <= degree; ++i) products = products * double(inputs + size_t(i)) / i;
  if (products - 1 <= kMost) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "products of up to " + std::to_string(degree) + " out of " +
                       std::to_string(inputs) + " columns are more than 2000",
               .fix = "expand fewer columns, or with degree = 2"});
}

class PolynomialExpansionStage : public FormulaStage {
 public:
  PolynomialExpansionStage(const PolynomialExpansionOptions& options, StageNames names)
      : FormulaStage(std::move(names)) {
    AddProducts(inputs().size(), options.degree, {}, products_);
    Columns outputs;
    for (const Factors& factors : products_) {
      std::string name = id();
      for (size_t i = factors.size(); i-- > 0;) name += "__" + inputs()[factors[i]];
      outputs.push_back(std::move(name));
    }
    SetOutputs(std::move(outputs));
  }

  std::vector<size_t> inputs_of(size_t i) const override { return products_[i]; }

 protected:
  // Factors descend, so reading them backwards multiplies in the order of the inputs.
  Expr ExprOf(size_t i) const override {
    const Factors& factors = products_[i];
    Expr product = NumberOf(inputs()[factors.back()]);
    for (size_t each = factors.size() - 1; each-- > 0;) {
      product = product * NumberOf(inputs()[factors[each]]);
    }
    return product;
  }

 private:
  std::vector<Factors> products_;
};

}  // namespace

StageRow PolynomialExpansionRow() {
  StageRow row = MakeStageRow<PolynomialExpansionStage, PolynomialExpansionOptions>(
      "polynomial_expansion", "products of the inputs: <id>__<a>__<b>");
  // Checked before the stage is made, since its constructor lists all products, and not earlier,
  // since an input { stage = ... } may stand for many columns.
  row.make = [make = row.make](const Json& options,
                               StageNames names) -> Result<std::unique_ptr<Stage>> {
    PT_TRY(CheckProducts(names.inputs.size(), options.value("degree", 2)));
    return make(options, std::move(names));
  };
  return row;
}

}  // namespace protium
