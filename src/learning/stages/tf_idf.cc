// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <cmath>

#include "base/strict_math.h"
#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Counts of words, from count_vectorizer or hashing_tf, times how rare each word is: ln((rows + 1)
// / (rows that have it + 1)), and 0 for one that fewer than `min_doc_freq` rows have. NULL stays
// NULL and is left out of learning; a list of another length is refused.
//
// Spark ML's IDF does the same with Java's Math.log, whose last bit may differ from StrictMath's.

namespace protium {
namespace {

struct TfIdfOptions : ColumnOptions {
  int64_t min_doc_freq = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("min_doc_freq", min_doc_freq,
          {.help = "words in fewer training rows count 0", .at_least = 0});
  }
};

struct Rarity {
  std::string input;
  std::string output;
  std::vector<double> idf;  // By position.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("idf", idf);
  }
};

class TfIdfStage : public BatchStage {
 public:
  TfIdfStage(const TfIdfOptions& options, StageNames names)
      : BatchStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::float64());
  }
  int64_t output_length(size_t i) const override { return lengths_[i]; }
  Status CheckType(const arrow::DataType& type) const override { return CheckNumbers(type); }
  Status SeeInputs(std::span<const StageColumn> inputs, const Analyze&) override {
    lengths_.clear();
    for (const StageColumn& input : inputs) lengths_.push_back(input.length);
    return Status::OK();
  }

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kPositive); }
  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      const auto& counts = std::get<PositiveCounts>(states[i]);
      PT_TRY(CheckSomeValue(counts.rows(), inputs()[i]));
      Rarity made{.input = inputs()[i], .output = outputs()[i]};
      for (const int64_t rows : counts.counts()) {
        const double rarity = StrictLog(double(counts.rows() + 1) / double(rows + 1));
        made.idf.push_back(rows < options_.min_doc_freq ? 0 : rarity);
      }
      learned_.push_back(std::move(made));
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }
  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Rarity>(learned, names()));
    for (const Rarity& each : learned_) {
      bool sound = !each.idf.empty();
      for (const double idf : each.idf) sound = sound && idf >= 0 && std::isfinite(idf);
      if (sound) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "the values that stage \"" + id() + "\" learned from \"" + each.input +
                           "\" are damaged"});
    }
    return Status::OK();
  }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& inputs) const override {
    arrow::ArrayVector outputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      PT_LET(const NumberLists lists, NumberLists::Of(*inputs[i]));
      PT_LET(outputs.emplace_back(), ComputeOne(lists, learned_[i]));
    }
    return outputs;
  }

 private:
  static Result<std::shared_ptr<arrow::Array>> ComputeOne(const NumberLists& lists,
                                                          const Rarity& rarity) {
    const auto length = int64_t(rarity.idf.size());
    std::vector<double> weighted(size_t(lists.rows() * length));
    std::vector<bool> valid(size_t(lists.rows()));
    for (int64_t row = 0; row < lists.rows(); ++row) {
      PT_TRY(CheckLength(lists, row, length, rarity.input));
      valid[size_t(row)] = !lists.IsNull(row);
      const auto list = lists.At(row);
      for (size_t i = 0; i < list.size(); ++i) {
        weighted[size_t(row * length) + i] = list[i] * rarity.idf[i];
      }
    }
    return MakeLists(weighted, length, valid);
  }

  TfIdfOptions options_;
  std::vector<int64_t> lengths_;  // Of the inputs' lists, as far as known.
  std::vector<Rarity> learned_;
};

}  // namespace

StageRow TfIdfRow() {
  return MakeStageRow<TfIdfStage, TfIdfOptions>(
      "tf_idf", "weights counts of words by how few training rows have them");
}

}  // namespace protium
