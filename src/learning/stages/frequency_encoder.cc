// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <utility>

#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// How often a value occurs in the training rows: its count, or its count divided by the number of
// rows. Learns the counts of every text (whole numbers and booleans by their text, docs/stages.md)
// and of NULL, which is a value of its own; values not seen in training become 0. Spark ML has no
// such class.
//
// To apply it, a Lookup finds a value's position among the keys, which are sorted by count. Equal
// counts are therefore neighbours, and the count is a step function of the position with as many
// steps as there are different counts: at most about sqrt(2 * rows), however many keys there are.
// The result is one of the literals, so both engines agree.

namespace protium {
namespace {

enum class Frequency { kShare, kCount };
EnumNames<Frequency> Names(Frequency) {
  return {{{Frequency::kShare, "share"}, {Frequency::kCount, "count"}}};
}

struct FrequencyEncoderOptions : ColumnOptions {
  Frequency how = Frequency::kShare;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("how", how,
          {.help =
               "share of all training rows, or number of rows; 0 for values not seen in training"});
  }
};

struct Frequencies {
  std::string input;
  std::string output;
  std::vector<std::string> keys;  // By frequency.
  std::vector<int64_t> counts;    // Of each key; descending.
  int64_t missing = 0;            // Rows with NULL, which is a value of its own.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("keys", keys);
    visit("counts", counts);
    visit("missing", missing);
  }
};

class FrequencyEncoderStage : public LearningStage<Frequencies> {
 public:
  FrequencyEncoderStage(const FrequencyEncoderOptions& options, StageNames names)
      : LearningStage(std::move(names)), how_(options.how) {}

  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }
  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kTexts); }

  Plan Apply(Plan rows, const Columns& columns) const override {
    return EncodeByKey(std::move(rows), columns, entries(),
                       [this](const Expr& position, const Frequencies& learned) {
                         return FrequencyAt(position, learned);
                       });
  }

 protected:
  Result<Frequencies> LearnOne(const std::string&, const State& state) const override {
    const auto& texts = std::get<TextCounts>(state);
    Frequencies learned{.keys = texts.ByFrequency(), .missing = texts.missing()};
    for (const std::string& key : learned.keys) learned.counts.push_back(texts.FindCount(key));
    return learned;
  }

  // Ascending counts would break FrequencyAt(), whose bounds are positions.
  bool IsSound(const Frequencies& learned) const override {
    bool sound = learned.keys.size() == learned.counts.size() && learned.missing >= 0;
    for (size_t i = 0; i < learned.counts.size(); ++i) {
      sound = sound && learned.counts[i] > 0;
      sound = sound && (i == 0 || learned.counts[i - 1] >= learned.counts[i]);
    }
    return sound;
  }

 private:
  Expr FrequencyAt(const Expr& position, const Frequencies& learned) const {
    int64_t rows = learned.missing;
    for (const int64_t count : learned.counts) rows += count;
    // Divided here, once per step: the engines only choose among literals.
    const auto value = [&](int64_t count) {
      return how_ == Frequency::kCount || count == 0 ? double(count) : double(count) / double(rows);
    };
    // Steps by position: the counts of the keys, then 0 at the position of unseen values, then the
    // count of NULL.
    std::vector<Expr> bounds;
    std::vector<Expr> values;
    for (size_t i = 0; i < learned.counts.size(); ++i) {
      if (i > 0 && learned.counts[i] == learned.counts[i - 1]) continue;
      if (i > 0) bounds.push_back(Lit(int64_t(i)));
      values.push_back(Lit(value(learned.counts[i])));
    }
    if (!learned.keys.empty()) bounds.push_back(Lit(int64_t(learned.keys.size())));
    values.push_back(Lit(0.0));
    bounds.push_back(Lit(int64_t(learned.keys.size()) + 1));
    values.push_back(Lit(value(learned.missing)));
    return Stepped(position, bounds, values);
  }

  Frequency how_;
};

}  // namespace

StageRow FrequencyEncoderRow() {
  return MakeStageRow<FrequencyEncoderStage, FrequencyEncoderOptions>(
      "frequency_encoder", "how often a text, whole number or NULL occurs in the training rows");
}

}  // namespace protium
