// SPDX-License-Identifier: Apache-2.0
#include "stages/vocabulary.h"

#include "base/fault.h"

namespace protium {

Status VocabularyStage::Learn(std::span<const State> states) {
  learned_.clear();
  for (size_t i = 0; i < states.size(); ++i) {
    TokenVocabulary made{.input = inputs()[i], .output = outputs()[i]};
    made.keys = std::get<TokenCounts>(states[i]).Vocabulary(limits_);
    if (made.keys.empty()) {
      return Fail({.exit = Exit::kInput,
                   .what = "no text of column \"" + inputs()[i] + "\" is in enough training rows",
                   .fix = "lower min_df, or leave the column out of \"" + id() + "\""});
    }
    learned_.push_back(std::move(made));
  }
  FindPositions();
  return Status::OK();
}

Status VocabularyStage::Restore(const Json& learned) {
  PT_LET(learned_, ReadLearned<TokenVocabulary>(learned, names()));
  FindPositions();
  for (size_t i = 0; i < learned_.size(); ++i) {
    const size_t keys = learned_[i].keys.size();
    if (keys > 0 && keys <= size_t(limits_.size) && positions_[i].size() == keys) continue;
    return Fail({.exit = Exit::kInput,
                 .what = "the vocabulary that stage \"" + id() + "\" learned from \"" +
                         learned_[i].input + "\" is damaged"});
  }
  return Status::OK();
}

// Views into learned_, which does not change until the next call.
void VocabularyStage::FindPositions() {
  positions_.clear();
  for (const TokenVocabulary& each : learned_) {
    Positions& positions = positions_.emplace_back();
    for (const std::string& key : each.keys) positions.emplace(key, int64_t(positions.size()));
  }
}

Result<arrow::ArrayVector> VocabularyStage::Compute(const arrow::ArrayVector& inputs) const {
  arrow::ArrayVector outputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    PT_LET(const TokenLists lists, TokenLists::Of(*inputs[i]));
    PT_LET(outputs.emplace_back(), ComputeOne(lists, positions_[i]));
  }
  return outputs;
}

}  // namespace protium
