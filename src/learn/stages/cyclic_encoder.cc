// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <span>

#include "learn/catalogue.h"
#include "learn/stages/column_stage.h"

namespace protium {
namespace {

// How it works. Engines' sines differ in the last bit, sums and products do not. So a turn is cut
// into quarters q and a rest r from -1/2 to 1/2 of a quarter, whose sine and cosine are
// polynomials. Three projections, as r stands in the polynomials many times.

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

// The series of the sine and the cosine of r quarters, in r * r; what is left out is below 1e-18.
// (pi / 2)^n / n! with the signs of the series, rounded once.
constexpr std::array kSine = {0x1.921fb54442d18p+0,  -0x1.4abbce625be53p-1,  0x1.466bc6775aae2p-4,
                              -0x1.32d2cce62bd86p-8, 0x1.50783487ee782p-13,  -0x1.e3074fde8871fp-19,
                              0x1.e8f434d018d63p-25, -0x1.6fadb9f155744p-31, 0x1.aaec32af93359p-38};
constexpr std::array kCosine = {
    0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+0,  0x1.03c1f081b5ac4p-2,
    -0x1.55d3c7e3cbffap-6, 0x1.e1f506891babbp-11,  -0x1.a6d1f2a204a8cp-16,
    0x1.f9d38a3763cc3p-22, -0x1.b6e24f44b128fp-28, 0x1.20c62c2f2d7f5p-34};

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

 protected:
  Expr ExprOf(size_t i) const override { return Col(outputs()[i]); }

 private:
  std::string Name(const char* what, size_t i, const Columns& columns) const {
    return FreeName("__" + std::string(what) + "__" + inputs()[i] + "__" + id(), columns);
  }

  NamedExpr Turns(size_t i, const Columns& columns) const {
    const Expr turns = (NumberOf(inputs()[i]) - Lit(options_.start)) / Lit(options_.period);
    return {Name("turns", i, columns), turns};
  }

  // The part of the last turn, in quarters. Numbers from 2^52 on are whole, and floor() of the
  // largest is not to be trusted; times 0 they are 0, and infinities NaN.
  NamedExpr Quarters(size_t i, const Columns& columns) const {
    const Expr turns = Col(Name("turns", i, columns));
    const Expr part = turns - MakeCall("cast_double", {MakeCall("floor", {turns})});
    const Expr inside =
        MakeCall("if", {MakeCall("abs", {turns}) >= Lit(0x1p52), turns * Lit(0.0), part});
    return {Name("quarters", i, columns), IfNan(turns, turns, inside) * Lit(4.0)};
  }

  // From -1/2 to 1/2 of a quarter.
  NamedExpr Rests(size_t i, const Columns& columns) const {
    const Expr quarters = Col(Name("quarters", i, columns));
    return {Name("rest", i, columns), quarters - Nearest(quarters)};
  }

  // 0 to 4.
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

  // By the quarter, of which the fourth is the first again.
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
