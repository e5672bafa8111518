// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <cmath>
#include <utility>

#include "stages/column_stage.h"
#include "stages/row.h"

// (sum of labels of the value's rows + smoothing * overall mean) / (number of those rows +
// smoothing). Learns exact sums per value and part of the rows. NULL is a value of its own; values
// not seen in training get the overall mean. Rows whose label is NULL or NaN are left out of
// learning; an infinite label is refused; without any row the means are 0. Texts, whole numbers and
// booleans are identified by their text.
//
// A row must not see its own label, or the net would read it from there. So a hash divides the
// training rows into parts (Stage::parts), and a training or validation row gets the mean over the
// other parts (`without`); all other rows get the mean over all training rows (`means`).
//
// Spark ML's TargetEncoder weights the value's mean with n / (n + smoothing), which is the same
// except for rounding; it takes indices instead of texts, and includes a row's own label, as parts
// = 1 does. Means are computed here, once, from sums without rounding error; engines only choose
// among literals.

namespace protium {
namespace {

struct TargetEncoderOptions : ColumnOptions {
  std::string label;
  double smoothing = 10;
  int64_t parts = 5;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("label", label,
          {.help = "the numeric column whose mean encodes a value",
           .filled = "the name of a column"});
    visit("smoothing", smoothing,
          {.help = "number of rows with the overall mean to add to those of each value; Spark's "
                   "smoothing",
           .at_least = 0});
    visit(
        "parts", parts,
        {.help =
             "number of parts that the training rows are cut into; each row gets the mean over the "
             "other parts; 1: the mean over all rows, including itself, as in Spark",
         .at_least = 1,
         .below = 101});
  }
};

// The smoothed means of the values: over all training rows, or over all but those of one part.
struct Means {
  double all = 0;              // The overall mean, also that of values not among the keys.
  std::vector<double> values;  // By key.
  double missing = 0;          // Of NULL; the overall mean if no training row has NULL.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("all", all);
    visit("values", values);
    visit("missing", missing);
  }
  bool IsSound(size_t keys) const {
    bool sound = values.size() == keys && std::isfinite(all) && std::isfinite(missing);
    for (const double value : values) sound = sound && std::isfinite(value);
    return sound;
  }
};

struct Encoding {
  std::string input;
  std::string output;
  std::vector<std::string> keys;  // By bytes.
  Means means;                    // Of all training rows.
  std::vector<Means> without;     // Over all but part i; empty if there is only one part.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("keys", keys);
    visit("means", means);
    visit("without", without);
  }
};

class TargetEncoderStage : public LearningStage<Encoding> {
 public:
  TargetEncoderStage(const TargetEncoderOptions& options, StageNames names)
      : LearningStage(std::move(names)), options_(options) {}

  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }
  Columns learns_from() const override { return {options_.label}; }
  int64_t parts() const override { return options_.parts; }

  std::vector<Need> Needs() const override {
    std::vector<Need> needs;
    for (const std::string& input : inputs()) {
      needs.push_back({StateKind::kGroups, {input, options_.label, PartColumn(options_.parts)}});
    }
    return needs;
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    return EncodeByKey(std::move(rows), columns, entries(),
                       [](const Expr& position, const Encoding& learned) {
                         return MeanAt(position, learned.means);
                       });
  }

  Plan ApplyToLearned(Plan rows, const Columns& columns) const override {
    if (options_.parts == 1) return Apply(std::move(rows), columns);
    return EncodeByKey(
        std::move(rows), columns, entries(), [this](const Expr& position, const Encoding& learned) {
          const Expr part = Col(PartColumn(options_.parts));
          // Parts are numbered from 0, and the last needs no comparison.
          Expr mean = MeanAt(position, learned.without.back());
          for (size_t i = 0; i + 1 < learned.without.size(); ++i) {
            mean = MakeCall("if",
                            {part == Lit(int64_t(i)), MeanAt(position, learned.without[i]), mean});
          }
          return mean;
        });
  }

 protected:
  Result<Encoding> LearnOne(const std::string& input, const State& state) const override {
    const auto& groups = std::get<GroupSums>(state);
    Encoding learned;
    for (const auto& [text, parts] : groups.sums()) {
      if (text) learned.keys.push_back(*text);
    }
    // No part has the number -1, so this leaves none out.
    PT_LET(learned.means, MeansOf(groups, -1, input));
    for (int64_t part = 0; options_.parts > 1 && part < options_.parts; ++part) {
      PT_LET(Means means, MeansOf(groups, part, input));
      learned.without.push_back(std::move(means));
    }
    return learned;
  }

  bool IsSound(const Encoding& learned) const override {
    const size_t parts = options_.parts > 1 ? size_t(options_.parts) : 0;
    bool sound = learned.means.IsSound(learned.keys.size()) && learned.without.size() == parts;
    for (const Means& each : learned.without) sound = sound && each.IsSound(learned.keys.size());
    return sound;
  }

 private:
  // The count and sum of a text over all parts except `left_out`.
  static GroupSums::Sum SumOf(const std::map<int64_t, GroupSums::Sum>& parts, int64_t left_out) {
    GroupSums::Sum sum;
    for (const auto& [part, each] : parts) {
      if (part == left_out) continue;
      sum.count += each.count;
      sum.sum.Merge(each.sum);
    }
    return sum;
  }

  Result<Means> MeansOf(const GroupSums& groups, int64_t left_out, const std::string& input) const {
    GroupSums::Sum all;
    for (const auto& [text, parts] : groups.sums()) {
      const GroupSums::Sum sum = SumOf(parts, left_out);
      all.count += sum.count;
      all.sum.Merge(sum.sum);
    }
    // With few rows all of them may be in the part that is left out: then 0 is used as the mean.
    Means means{.all = all.count == 0 ? 0 : all.sum.Rounded() / double(all.count)};
    means.missing = means.all;
    for (const auto& [text, parts] : groups.sums()) {
      const double mean = Smoothed(SumOf(parts, left_out), means.all);
      if (text) {
        means.values.push_back(mean);
      } else {
        means.missing = mean;
      }
    }
    PT_TRY(CheckSpread(means.IsSound(means.values.size()), options_.label));
    return means;
  }

  // A value without rows gets the overall mean, also with smoothing = 0, where it would be 0 / 0.
  double Smoothed(const GroupSums::Sum& sum, double all) const {
    if (sum.count == 0) return all;
    return (sum.sum.Rounded() + options_.smoothing * all) /
           (double(sum.count) + options_.smoothing);
  }

  // The literal at a position: keys first, then unseen values, then NULL, as the Lookup numbers
  // them. Neighbours rarely have equal means, so steps as in frequency_encoder would save nothing.
  static Expr MeanAt(const Expr& position, const Means& means) {
    std::vector<Expr> arguments = {position};
    for (const double value : means.values) arguments.push_back(Lit(value));
    arguments.push_back(Lit(means.all));
    arguments.push_back(Lit(means.missing));
    return MakeCall("pick", std::move(arguments));
  }

  TargetEncoderOptions options_;
};

}  // namespace

StageRow TargetEncoderRow() {
  return MakeStageRow<TargetEncoderStage, TargetEncoderOptions>(
      "target_encoder",
      "the mean label of the training rows with the same text or whole number, out of fold for "
      "the training rows themselves");
}

}  // namespace protium
