// SPDX-License-Identifier: Apache-2.0
#include "model/sampled_shapley.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace protium {
namespace {

// A model of numbers, of which some are read through a category or a list, with products of
// neighbours; `products` 0: linear.
class Games : public testing::Test {
 protected:
  // The table: numbers, a category, a list of two; `sources` features share names of columns.
  void Make(size_t numbers, Columns sources, size_t outputs = 1) {
    RowColumns columns{.categories = {"category"}, .lists = {{"list", 2}}};
    for (size_t i = 0; i < numbers; ++i) columns.numeric.push_back("n" + std::to_string(i));
    schema_ = MakeRowSchema(columns);
    sources_ = std::move(sources);
    outputs_ = outputs;
    rows_ = Draw(12);
    background_ = Draw(10);
  }

  std::vector<std::byte> Draw(int64_t rows) {
    std::vector<std::byte> all(size_t(rows * schema_.width()));
    std::uniform_real_distribution<float> number(-1, 1);
    for (int64_t i = 0; i < rows; ++i) {
      std::byte* const row = all.data() + i * schema_.width();
      for (const RowField& field : schema_.fields()) {
        for (int64_t e = 0; e < field.elements(); ++e) {
          const float x = number(random_);
          const int32_t category = int32_t(3 * std::abs(x));
          const void* const from =
              field.element == RowElement::kInt32 ? static_cast<const void*>(&category) : &x;
          std::memcpy(row + field.offset + 4 * e, from, 4);
        }
      }
    }
    return all;
  }

  // All numbers of a row, the category as one of them.
  std::vector<double> Numbers(const PackedRows& rows, int64_t i) const {
    std::vector<double> all;
    const size_t numbers = schema_.Find(kNumericField)->columns.size();
    all.assign(rows.floats(kNumericField).at(i), rows.floats(kNumericField).at(i) + numbers);
    all.push_back(*rows.ints(kCategoriesField).at(i));
    all.insert(all.end(), rows.floats("list").at(i), rows.floats("list").at(i) + 2);
    return all;
  }

  double Output(const std::vector<double>& numbers, size_t output) const {
    double sum = double(output);
    for (size_t i = 0; i < numbers.size(); ++i) {
      sum += numbers[i] * double((i + output) % 4 + 1);
      sum += products_ * numbers[i] * numbers[(i + 1) % numbers.size()];
    }
    return double(float(sum));
  }

  PredictPacked Predict() {
    return [this](const PackedRows& rows, std::span<float> out) {
      most_ = std::max(most_, rows.size());
      for (int64_t i = 0; i < rows.size(); ++i) {
        const auto numbers = Numbers(rows, i);
        for (size_t o = 0; o < outputs_; ++o) {
          out[size_t(i) * outputs_ + o] = float(Output(numbers, o));
        }
      }
      return Status::OK();
    };
  }

  PackedRows Rows(const std::vector<std::byte>& bytes) const {
    return {schema_, bytes.data(), int64_t(bytes.size()) / schema_.width()};
  }

  RowExplanations Explain(int32_t samples = 1) {
    const PackedRows background = Rows(background_);
    std::vector<int32_t> chosen;
    for (int64_t i = 0; i < Rows(rows_).size(); ++i)
      chosen.push_back(int32_t(i) % int32_t(outputs_));
    auto explained = SampleShapley(Rows(rows_), chosen, int32_t(outputs_),
                                   {sources_, samples, &background}, Predict());
    EXPECT_TRUE(explained.ok()) << explained.status();
    return *explained;
  }

  // The features of the source of feature `f`, as positions in Numbers(): the list is one feature.
  std::vector<size_t> PositionsOf(size_t f) const {
    std::vector<size_t> all;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i] != sources_[f]) continue;
      all.push_back(i);
      if (i + 1 == sources_.size()) all.push_back(i + 1);
    }
    return all;
  }
  // First features of the sources.
  std::vector<size_t> Players() const {
    std::vector<size_t> first;
    for (size_t f = 0; f < sources_.size(); ++f) {
      if (std::ranges::find(sources_, sources_[f]) - sources_.begin() == ptrdiff_t(f)) {
        first.push_back(f);
      }
    }
    return first;
  }

  // What `player` changes the output by, after the players of `before`.
  double Adds(int64_t row, int64_t background, size_t output, const std::vector<size_t>& before,
              size_t player) const {
    std::vector<double> mixed = Numbers(Rows(background_), background);
    const std::vector<double> own = Numbers(Rows(rows_), row);
    const auto take = [&](size_t of) {
      for (const size_t i : PositionsOf(of)) mixed[i] = own[i];
    };
    for (const size_t each : before) take(each);
    const double without = Output(mixed, output);
    take(player);
    return Output(mixed, output) - without;
  }

  // The mean of that over all orders and background rows, by their definition; and its spread.
  struct Exact {
    double mean = 0;
    double deviation = 0;
  };
  Exact ExactOf(int64_t row, size_t output, size_t player) const {
    std::vector<size_t> others = Players();
    std::erase(others, player);
    const size_t sets = size_t{1} << others.size();
    double sum = 0, squares = 0, all = 0;
    for (size_t set = 0; set < sets; ++set) {
      std::vector<size_t> before;
      for (size_t o = 0; o < others.size(); ++o) {
        if ((set >> o & 1) != 0) before.push_back(others[o]);
      }
      const double orders = std::tgamma(double(before.size()) + 1) *
                            std::tgamma(double(others.size() - before.size()) + 1);
      for (int64_t b = 0; b < Rows(background_).size(); ++b) {
        const double adds = Adds(row, b, output, before, player);
        sum += orders * adds;
        squares += orders * adds * adds;
        all += orders;
      }
    }
    return {sum / all, std::sqrt(std::max(0.0, squares / all - sum / all * sum / all))};
  }

  void ExpectSums(const RowExplanations& explained) {
    const size_t features = sources_.size();
    for (int64_t i = 0; i < Rows(rows_).size(); ++i) {
      const size_t output = size_t(i) % outputs_;
      double sum = explained.mean[output];
      for (size_t f = 0; f < features; ++f) sum += explained.by_feature[size_t(i) * features + f];
      EXPECT_NEAR(sum, Output(Numbers(Rows(rows_), i), output), 1e-9) << i;
    }
  }

  // Sources of `numbers` numbers, a category and a list: each its own.
  static Columns Apart(size_t numbers) {
    Columns sources;
    for (size_t i = 0; i < numbers + 2; ++i) sources.push_back("c" + std::to_string(i));
    return sources;
  }

  std::mt19937 random_{7};
  RowSchema schema_;
  Columns sources_;
  size_t outputs_ = 1;
  double products_ = 0.5;
  std::vector<std::byte> rows_, background_;
  int64_t most_ = 0;  // Rows of the largest block.
};

TEST_F(Games, AreExactForFewSources) {
  // Two numbers and the list are one column of the table, another number and the category too.
  Make(4, {"a", "b", "a", "c", "b", "a"}, 2);
  const RowExplanations explained = Explain();
  for (int64_t i = 0; i < 12; ++i) {
    for (size_t f = 0; f < 6; ++f) {
      const bool first = f == 0 || f == 1 || f == 3;
      const double exact = first ? ExactOf(i, size_t(i) % 2, f).mean : 0;
      EXPECT_NEAR(explained.by_feature[size_t(i) * 6 + f], exact, 1e-6) << i << " " << f;
    }
  }
  ExpectSums(explained);
}

TEST_F(Games, OfOneSourceAreAllOfIt) {
  Make(2, {"a", "a", "a", "a"});
  ExpectSums(Explain());
}

TEST_F(Games, AreWithinTheBoundOfSamples) {
  Make(7, Apart(7));
  for (const int32_t samples : {1, 20}) {
    const RowExplanations explained = Explain(samples);
    ExpectSums(explained);
    double worst = 0;
    for (int64_t i = 0; i < 4; ++i) {
      for (size_t f = 0; f < 9; ++f) {
        const Exact exact = ExactOf(i, 0, f);
        const double error = std::abs(explained.by_feature[size_t(i) * 9 + f] - exact.mean);
        // Orders are drawn as pairs: no worse than half as many.
        worst = std::max(worst, error / (exact.deviation / std::sqrt(10.0 * samples)));
      }
    }
    EXPECT_LT(worst, 4) << samples;
    EXPECT_GT(worst, 0) << samples;
  }
}

TEST_F(Games, OfSumsAreExact) {
  products_ = 0;
  Make(30, Apart(30));
  const RowExplanations explained = Explain();
  std::vector<double> mean(33);
  for (int64_t b = 0; b < 10; ++b) {
    const auto numbers = Numbers(Rows(background_), b);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += numbers[i] / 10;
  }
  for (int64_t i = 0; i < 12; ++i) {
    const auto numbers = Numbers(Rows(rows_), i);
    for (size_t f = 0; f < 31; ++f) {
      const double exact = (numbers[f] - mean[f]) * double(f % 4 + 1);
      EXPECT_NEAR(explained.by_feature[size_t(i) * 32 + f], exact, 2e-5) << i << " " << f;
    }
  }
  ExpectSums(explained);
}

TEST_F(Games, DependOnTheRowAlone) {
  Make(9, Apart(9), 3);
  const RowExplanations together = Explain();
  const std::vector<std::byte> all = rows_;
  const auto width = size_t(schema_.width());
  for (size_t i = 0; i < 12; i += 3) {
    rows_.assign(all.begin() + ptrdiff_t(i * width), all.begin() + ptrdiff_t((i + 1) * width));
    const RowExplanations alone = Explain();
    for (size_t f = 0; f < 11; ++f) {
      EXPECT_EQ(alone.by_feature[f], together.by_feature[i * 11 + f]) << i << " " << f;
    }
  }
}

TEST_F(Games, TakeManyColumnsInBlocks) {
  Make(500, Apart(500), 3);
  rows_.resize(size_t(schema_.width()));
  ExpectSums(Explain());
  EXPECT_LE(most_ * schema_.width(), int64_t{4} << 20);
  EXPECT_GT(most_, 100);
}

}  // namespace
}  // namespace protium
