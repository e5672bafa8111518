// SPDX-License-Identifier: Apache-2.0
#include "statistics/products.h"

#include <arrow/array.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "protium/fields.h"
#include "statistics/exact_mean.h"
#include "statistics/lists.h"

namespace protium {
namespace {

// A sum as it is emitted: the position counts the sums first, then the products.
struct OneSum {
  int64_t length = 0;
  int64_t position = 0;
  Json sum;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("length", length);
    visit("position", position);
    visit("sum", sum);
  }
};

}  // namespace

// A list of another length than the previous ones cannot be added to their sums.
Status Products::Resize(size_t length) {
  if (length > kMostNumbers) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = "lists of " + std::to_string(length) + " numbers are too long for pca",
                 .fix = "choose at most 256 of them"});
  }
  if (length == 0) return Fail({.exit = Exit::kInput, .what = "it holds an empty list"});
  if (sums_.empty()) {
    sums_.resize(length);
    products_.resize(length * (length + 1) / 2);
  }
  if (length == sums_.size()) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "its lists have different lengths, such as " + std::to_string(sums_.size()) +
                       " and " + std::to_string(length)});
}

size_t Products::At(size_t i, size_t j) const { return i * sums_.size() - i * (i + 1) / 2 + j; }

Status Products::Add(const arrow::Array& lists) {
  PT_LET(const NumberLists numbers, NumberLists::Of(lists));
  for (int64_t row = 0; row < numbers.rows(); ++row) {
    const std::span<const double> list = numbers.At(row);
    const auto missing = [](double x) { return std::isnan(x); };
    if (numbers.IsNull(row) || std::any_of(list.begin(), list.end(), missing)) continue;
    PT_TRY(Resize(list.size()));
    ++rows_;
    for (size_t i = 0; i < list.size(); ++i) {
      if (std::isinf(list[i])) {
        return Fail({.exit = Exit::kInput, .what = "it holds an infinite number"});
      }
      sums_[i].Add(list[i]);
      for (size_t j = i; j < list.size(); ++j) products_[At(i, j)].AddProduct(list[i], list[j]);
    }
  }
  return Status::OK();
}

Status Products::Emit(const EmitRow& emit) const {
  if (rows_ == 0) return Status::OK();
  const auto length = int64_t(sums_.size());
  for (int64_t i = 0; i < length + int64_t(products_.size()); ++i) {
    const ExactSum& sum = i < length ? sums_[size_t(i)] : products_[size_t(i - length)];
    PT_TRY(emit({.text = Dump(FieldsToJson(OneSum{length, i, sum.ToJson()}))}));
  }
  return emit({.count = rows_});
}

Status Products::Merge(const StateRow& row) {
  if (!row.text) {
    rows_ += row.count;
    return Status::OK();
  }
  // The row has crossed a process boundary: everything in it is checked before use.
  PT_LET(const Json json, ParseJson(*row.text));
  OneSum one;
  PT_TRY(FieldsFromJson(json, "state", one));
  if (one.length < 1) return Status::Invalid("sums of lists without a length");
  PT_TRY(Resize(size_t(one.length)));
  PT_LET(const ExactSum sum, ExactSum::FromJson(one.sum));
  const int64_t product = one.position - one.length;
  if (one.position < 0 || product >= int64_t(products_.size())) {
    return Status::Invalid("a sum of no position");
  }
  (product < 0 ? sums_[size_t(one.position)] : products_[size_t(product)]).Merge(sum);
  return Status::OK();
}

std::vector<double> Products::Means() const {
  std::vector<double> means;
  for (const ExactSum& sum : sums_) means.push_back(rows_ == 0 ? 0 : ExactMean(sum, rows_));
  return means;
}

std::vector<double> Products::Covariances() const {
  const size_t length = sums_.size();
  std::vector<double> covariances(length * length);
  if (rows_ < 2) return covariances;
  for (size_t i = 0; i < length; ++i) {
    for (size_t j = i; j < length; ++j) {
      const double covariance =
          CentredSum(products_[At(i, j)], sums_[i], sums_[j], rows_) / double(rows_ - 1);
      covariances[i * length + j] = covariances[j * length + i] = covariance;
    }
  }
  return covariances;
}

}  // namespace protium
