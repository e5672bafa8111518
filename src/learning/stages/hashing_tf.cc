// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <cstring>

#include "base/murmur.h"
#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Lists of words as lists of `num_features` counts, where a hash of the word is its position.
// Learns nothing; different words may share a position. A NULL list has no words; NULL elements are
// left out. Positions are those of Spark ML's HashingTF: MurmurHash3 (32 bits, seed 42) of the
// UTF-8 bytes, modulo num_features. Spark's lists are sparse, and have 262,144 numbers by default.

namespace protium {
namespace {

struct HashingTfOptions : ColumnOptions {
  int64_t num_features = 1024;
  bool binary = false;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("num_features", num_features,
          {.help = "the length of each list", .at_least = 1, .below = 1000001});
    visit("binary", binary, {.help = "1 for any count above 0"});
  }
};

// MurmurHash3_x86_32. Spark SQL's hash() differs: it mixes in the last bytes one by one.
uint32_t MurmurHash(std::string_view text, uint32_t seed) {
  uint32_t hash = seed;
  size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    uint32_t block = 0;
    std::memcpy(&block, text.data() + i, sizeof block);
    hash = MurmurMix(hash, block);
  }
  uint32_t rest = 0;
  for (size_t shift = 0; i < text.size(); ++i, shift += 8) {
    rest |= uint32_t(static_cast<unsigned char>(text[i])) << shift;
  }
  return MurmurEnd(hash ^ MurmurWord(rest), text.size());
}

class HashingTfStage : public LearnsNothing<BatchStage> {
 public:
  HashingTfStage(const HashingTfOptions& options, StageNames names)
      : LearnsNothing(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::float64());
  }
  int64_t output_length(size_t) const override { return options_.num_features; }
  Status CheckType(const arrow::DataType& type) const override { return CheckTokens(type); }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& inputs) const override {
    arrow::ArrayVector outputs;
    for (const auto& input : inputs) {
      PT_LET(const TokenLists lists, TokenLists::Of(*input));
      PT_LET(outputs.emplace_back(), ComputeOne(lists));
    }
    return outputs;
  }

 private:
  Result<std::shared_ptr<arrow::Array>> ComputeOne(const TokenLists& lists) const {
    const int64_t length = options_.num_features;
    std::vector<double> counts(size_t(lists.rows() * length));
    for (int64_t row = 0; row < lists.rows(); ++row) {
      for (const std::string_view word : lists.At(row)) {
        // The remainder of the signed hash, made positive.
        const auto hash = int64_t(static_cast<int32_t>(MurmurHash(word, 42)));
        const int64_t at = (hash % length + length) % length;
        double& count = counts[size_t(row * length + at)];
        count = options_.binary ? 1 : count + 1;
      }
    }
    return MakeLists(counts, length, {});
  }

  HashingTfOptions options_;
};

}  // namespace

StageRow HashingTfRow() {
  return MakeStageRow<HashingTfStage, HashingTfOptions>(
      "hashing_tf", "counts the words of lists by their hash, without learning");
}

}  // namespace protium
