// SPDX-License-Identifier: Apache-2.0
// Columns of lists as stages read them in workers, whichever of Arrow's list types they have, and
// the lists that stages make.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

// Lists of numbers as doubles; whole numbers beyond 2^53 are rounded. A NULL element is NaN. Does
// not need the column afterwards.
class NumberLists {
 public:
  // Returns a TypeError for any other column.
  static Result<NumberLists> Of(const arrow::Array& column);
  int64_t rows() const { return int64_t(begins_.size()); }
  bool IsNull(int64_t row) const { return begins_[size_t(row)] < 0; }
  // Empty for NULL.
  std::span<const double> At(int64_t row) const;

 private:
  std::vector<double> numbers_;
  std::vector<int64_t> begins_;  // -1: NULL.
  std::vector<int64_t> lengths_;
};

// Lists of texts; NULL elements are left out. Valid as long as the column.
class TokenLists {
 public:
  // Returns a TypeError for any other column.
  static Result<TokenLists> Of(const arrow::Array& column);
  int64_t rows() const { return int64_t(begins_.size()) - 1; }
  // Empty for NULL.
  std::span<const std::string_view> At(int64_t row) const;

 private:
  std::vector<std::string_view> tokens_;
  std::vector<size_t> begins_ = {0};
};

// Whether a column has lists of numbers, of any length; lists of texts.
bool IsNumberList(const arrow::DataType& type);
bool IsTokenList(const arrow::DataType& type);
// For Stage::CheckType().
Status CheckNumbers(const arrow::DataType& type);
Status CheckTokens(const arrow::DataType& type);

// Refuses (Exit::kInput) the list of a row if it has another length; NULL is accepted.
Status CheckLength(const NumberLists& lists, int64_t row, int64_t length,
                   const std::string& column);

// Makes a column of lists of one length. `numbers` has `length` entries for each row, NULL rows
// included. `valid` has a flag for each row, or is empty: no row is NULL.
Result<std::shared_ptr<arrow::Array>> MakeLists(const std::vector<double>& numbers, int64_t length,
                                                const std::vector<bool>& valid);
Result<std::shared_ptr<arrow::Array>> MakeLists(const std::vector<float>& numbers, int64_t length,
                                                const std::vector<bool>& valid);
Result<std::shared_ptr<arrow::Array>> MakeLists(const std::vector<int64_t>& numbers, int64_t length,
                                                const std::vector<bool>& valid);

}  // namespace protium
