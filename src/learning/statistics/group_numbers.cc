// SPDX-License-Identifier: Apache-2.0
#include "statistics/group_numbers.h"

#include <arrow/array.h>

#include <cmath>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

constexpr size_t kMostGroups = 10'000;
constexpr int64_t kMostPairs = 20'000'000;

// GroupKey() and KeyAt() must agree to the byte.
constexpr const char* kNullPart = "\x1e";
constexpr char kBetweenParts = '\x1f';

std::string KeyAt(std::span<const std::shared_ptr<arrow::Array>> parts, int64_t row) {
  std::string key;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& texts = static_cast<const arrow::StringArray&>(*parts[i]);
    if (i > 0) key += kBetweenParts;
    key += texts.IsValid(row) ? std::string(texts.GetView(row)) : kNullPart;
  }
  return key;
}

}  // namespace

Status GroupNumbers::Count(const std::string& key, double number, int64_t count) {
  NumberCounts& numbers = groups_[key];
  const size_t before = numbers.counts().size();
  PT_TRY(numbers.Merge({.number = number, .count = count}));
  pairs_ += int64_t(numbers.counts().size() - before);
  if (groups_.size() <= kMostGroups && pairs_ <= kMostPairs) return Status::OK();
  const bool groups = groups_.size() > kMostGroups;
  return Fail({.exit = Exit::kNoRoom,
               .what = groups ? "more than 10000 groups of rows"
                              : "more than 20000000 pairs of a group and a number",
               .fix = "group by columns with fewer values"});
}

Status GroupNumbers::Add(std::span<const std::shared_ptr<arrow::Array>> columns) {
  const auto parts = columns.first(columns.size() - 1);
  bool typed = !parts.empty() && columns.back()->type_id() == arrow::Type::DOUBLE;
  for (const auto& part : parts) typed = typed && part->type_id() == arrow::Type::STRING;
  if (!typed) return Status::TypeError("groups are of doubles by texts");
  const auto& numbers = static_cast<const arrow::DoubleArray&>(*columns.back());
  for (int64_t row = 0; row < numbers.length(); ++row) {
    if (numbers.IsNull(row) || std::isnan(numbers.Value(row))) continue;
    PT_TRY(Count(KeyAt(parts, row), numbers.Value(row), 1));
  }
  return Status::OK();
}

Status GroupNumbers::Emit(const EmitRow& emit) const {
  for (const auto& [key, numbers] : groups_) {
    for (const auto& [number, count] : numbers.counts()) {
      PT_TRY(emit({.text = key, .number = number, .count = count}));
    }
  }
  return Status::OK();
}

Status GroupNumbers::Merge(const StateRow& row) {
  if (!row.text || !row.number) return Status::Invalid("a group without a key or a number");
  return Count(*row.text, *row.number, row.count);
}

NumberCounts GroupNumbers::All() const {
  NumberCounts all;
  for (const auto& [key, numbers] : groups_) {
    for (const auto& [number, count] : numbers.counts()) {
      // Fewer numbers than the groups hold, so there is room for them.
      PT_CHECK(all.Merge({.number = number, .count = count}).ok());
    }
  }
  return all;
}

Expr GroupKey(const Columns& by) {
  std::vector<Expr> parts;
  for (const std::string& column : by) {
    parts.push_back(MakeCall(
        "coalesce", {MakeCall("cast_string", {Col(column)}), Lit(std::string(kNullPart))}));
  }
  return MakeCall("join_text", std::move(parts));
}

}  // namespace protium
