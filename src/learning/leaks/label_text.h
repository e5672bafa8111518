// SPDX-License-Identifier: Apache-2.0
// Texts that hold the label: "sold for $215,000", "outcome: good".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace protium {

// Whether a word of a text is this one, in letters of either case; a word has letters and digits.
bool HoldsWord(std::string_view text, std::string_view word);

// Whether a number in a text is this one: "1,299.50" and "1299.5" are the same.
bool HoldsNumber(std::string_view text, double number);

// Counts in how many rows a column's texts hold the label of their own row, and in how many that of
// an earlier one.
class LabelInText {
 public:
  // `label` is the class, and `amount` the number if it is one.
  void Read(std::string_view text, const std::string& label, std::optional<double> amount);

  int64_t rows() const { return rows_; }
  int64_t without() const { return rows_ - own_; }
  // Whether 49 of 50 rows hold their own label, also without the most frequent one, and one in 50
  // that of an earlier row.
  bool telling() const;

 private:
  int64_t rows_ = 0, own_ = 0;
  int64_t asked_ = 0, others_ = 0;
  struct Count {
    int64_t rows = 0, own = 0;
  };
  std::map<std::string, Count> labels_;  // Not all of them, if there are very many.
  std::string last_, other_;  // The label of the row before, and the last that is not the same.
  std::optional<double> last_amount_, other_amount_;
  bool any_other_ = false;
};

}  // namespace protium
