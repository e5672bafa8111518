// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <span>

#include "stages/column_stage.h"
#include "stages/row.h"

// sin and cos of 2 pi (x - start) / period, so that 23 o'clock is next to 0. Learns nothing. NULL
// and NaN stay in both columns, infinities become NaN. Spark ML has no such class.
//
// The engines' own sin() and cos() differ in the last bit, while sums and products are rounded the
// same everywhere. So the angle is reduced to q quarter turns and a rest r of at most half a
// quarter; the sine and cosine of r are polynomials (Taylor series), and q determines which of the
// two, and with which sign, each output is. At whole quarters the results are exactly 0, 1 and -1.
// Intermediate values are columns of their own, since r occurs in the polynomials dozens of times,
// and an expression that is used twice is written out twice.

namespace protium {
namespace {

struct CyclicEncoderOptions {
  std::string id;
  Inputs inputs;
  double period = 24;
  double start = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("period", period,
          {.help = "length of a cycle: 24 for hours, 7 for days of the week, 12 for months",
           .above = 0});
    visit("start", start, {.help = "where a cycle begins: sine 0 and cosine 1"});
  }
};

// The Taylor series of sine and cosine of r quarter turns, as polynomials in r * r: coefficients
// (pi / 2)^n / n! with alternating signs, each rounded once. At r = 1/2 the first term left out is
// 2e-18, far below the rounding of a double near 0.7 (5e-17).
constexpr std::array kSine = {0x1.921fb54442d18p+0,  -0x1.4abbce625be53p-1,  0x1.466bc6775aae2p-4,
                              -0x1.32d2cce62bd86p-8, 0x1.50783487ee782p-13,  -0x1.e3074fde8871fp-19,
                              0x1.e8f434d018d63p-25, -0x1.6fadb9f155744p-31, 0x1.aaec32af93359p-38};
constexpr std::array kCosine = {
    0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+0,  0x1.03c1f081b5ac4p-2,
    -0x1.55d3c7e3cbffap-6, 0x1.e1f506891babbp-11,  -0x1.a6d1f2a204a8cp-16,
    0x1.f9d38a3763cc3p-22, -0x1.b6e24f44b128fp-28, 0x1.20c62c2f2d7f5p-34};

// Horner's rule, from the last term: one product and one sum per term, in an order that models
// guarantee (docs/model-folder.md).
Expr Series(const Expr& square, std::span<const double> terms) {
  Expr sum = Lit(terms.back());
  for (size_t i = terms.size() - 1; i-- > 0;) sum = sum * square + Lit(terms[i]);
  return sum;
}

class CyclicEncoderStage : public PlainStage {
 public:
  CyclicEncoderStage(const CyclicEncoderOptions& options, StageNames names)
      : PlainStage(std::move(names)), options_(options) {
    Columns outputs;
    for (const std::string& input : inputs()) {
      for (const char* of : {"__sin", "__cos"}) outputs.push_back(input + "__" + id() + of);
    }
    SetOutputs(std::move(outputs));
  }

  std::vector<size_t> inputs_of(size_t i) const override { return {i / 2}; }

  // Three projections below the last one, each on the columns of the one before.
  Plan Apply(Plan rows, const Columns& columns) const override {
    Columns there = columns;
    for (const auto& step :
         {&CyclicEncoderStage::Turns, &CyclicEncoderStage::Quarters, &CyclicEncoderStage::Rests}) {
      std::vector<NamedExpr> added;
      for (size_t i = 0; i < inputs().size(); ++i) added.push_back((this->*step)(i, columns));
      rows = WithColumns(std::move(rows), there, added);
      for (const NamedExpr& each : added) there.push_back(each.name);
    }
    std::vector<NamedExpr> added;
    for (size_t i = 0; i < inputs().size(); ++i) AddWave(i, columns, added);
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  std::string Name(const char* what, size_t i, const Columns& columns) const {
    return FreeName("__" + std::string(what) + "__" + inputs()[i] + "__" + id(), columns);
  }

  NamedExpr Turns(size_t i, const Columns& columns) const {
    const Expr turns = (NumberOf(inputs()[i]) - Lit(options_.start)) / Lit(options_.period);
    return {Name("turns", i, columns), turns};
  }

  // The fraction of the turn, in quarters: 0 up to 4. Doubles from 2^52 on are whole, so their
  // fraction is 0; floor() must not get them, since it returns a BIGINT, which is wrong beyond
  // 2^63. Times 0 they become 0, and infinities NaN: an infinite number of turns has no angle.
  NamedExpr Quarters(size_t i, const Columns& columns) const {
    const Expr turns = Col(Name("turns", i, columns));
    const Expr part = turns - MakeCall("cast_double", {MakeCall("floor", {turns})});
    const Expr inside =
        MakeCall("if", {MakeCall("abs", {turns}) >= Lit(0x1p52), turns * Lit(0.0), part});
    return {Name("quarters", i, columns), IfNan(turns, turns, inside) * Lit(4.0)};
  }

  // The rest after the nearest quarter: -1/2 to 1/2. The subtraction is exact.
  NamedExpr Rests(size_t i, const Columns& columns) const {
    const Expr quarters = Col(Name("quarters", i, columns));
    return {Name("rest", i, columns), quarters - Nearest(quarters)};
  }

  // The nearest whole quarter, 0 to 4; a half is rounded up.
  static Expr Nearest(const Expr& quarters) {
    Expr nearest = Lit(0.0);
    for (const double q : {1.0, 2.0, 3.0, 4.0}) {
      nearest = MakeCall("if", {quarters >= Lit(q - 0.5), Lit(q), nearest});
    }
    return nearest;
  }

  void AddWave(size_t i, const Columns& columns, std::vector<NamedExpr>& added) const {
    const Expr rest = Col(Name("rest", i, columns));
    const Expr quarter = Nearest(Col(Name("quarters", i, columns)));
    const Expr sine = rest * Series(rest * rest, kSine);
    const Expr cosine = Series(rest * rest, kCosine);
    const Expr minus_sine = Lit(0.0) - sine, minus_cosine = Lit(0.0) - cosine;
    added.push_back({outputs()[2 * i], OneOf(quarter, sine, cosine, minus_sine, minus_cosine)});
    added.push_back({outputs()[2 * i + 1], OneOf(quarter, cosine, minus_sine, minus_cosine, sine)});
  }

  // One of four, by the quarter; quarter 4 is quarter 0 of the next turn.
  static Expr OneOf(const Expr& quarter, const Expr& first, const Expr& second, const Expr& third,
                    const Expr& fourth) {
    const Expr high = MakeCall("if", {quarter == Lit(3.0), fourth, first});
    const Expr middle = MakeCall("if", {quarter == Lit(2.0), third, high});
    return MakeCall("if", {quarter == Lit(1.0), second, middle});
  }

  CyclicEncoderOptions options_;
};

}  // namespace

StageRow CyclicEncoderRow() {
  return MakeStageRow<CyclicEncoderStage, CyclicEncoderOptions>(
      "cyclic_encoder",
      "sine and cosine of periodic numbers, such as hours: <input>__<id>__sin and __cos");
}

}  // namespace protium
