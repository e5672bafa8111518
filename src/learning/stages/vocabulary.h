// SPDX-License-Identifier: Apache-2.0
// The base of stages that learn a vocabulary from each column of lists of texts: the texts within
// the limits, most occurrences first, ties by bytes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stages/batch_stage.h"
#include "statistics/lists.h"

namespace protium {

struct TokenVocabulary {
  std::string input;
  std::string output;
  std::vector<std::string> keys;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("keys", keys);
  }
};

class VocabularyStage : public BatchStage {
 public:
  VocabularyStage(StageNames names, VocabularyLimits limits)
      : BatchStage(std::move(names)), limits_(limits) {}

  Status CheckType(const arrow::DataType& type) const override { return CheckTokens(type); }
  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kTokens); }
  // Refuses a column in which no text is within the limits.
  Status Learn(std::span<const State> states) override;
  Json learned() const override { return FieldsToJson(learned_); }
  Status Restore(const Json& learned) override;
  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& inputs) const override;

 protected:
  using Positions = std::unordered_map<std::string_view, int64_t>;
  // Computes the output of one column of lists; `positions` are those of the texts in its
  // vocabulary.
  virtual Result<std::shared_ptr<arrow::Array>> ComputeOne(const TokenLists& lists,
                                                           const Positions& positions) const = 0;

 private:
  void FindPositions();

  VocabularyLimits limits_;
  std::vector<TokenVocabulary> learned_;
  std::vector<Positions> positions_;  // By input; the texts are those of learned_.
};

}  // namespace protium
