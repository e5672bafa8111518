// SPDX-License-Identifier: Apache-2.0
// GroupSums (state.h): for each text and part of the rows, the count and exact sum of a number.
// target_encoder learns its means from them. A group travels as a row whose text is JSON of text,
// part and sum; its count travels in the count column.
#include <arrow/array.h>

#include <cmath>

#include "base/fault.h"
#include "statistics/state.h"

namespace protium {
namespace {

// An exact sum takes 1.1 kB (base/exact_sum.h): these are about 60 MB in every worker, and as many
// literals in the SQL. A column with more texts is better hashed first.
constexpr size_t kMostSums = 50'000;

struct GroupText {
  std::optional<std::string> text;
  int64_t part = 0;
  Json sum;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("text", text);
    visit("part", part);
    visit("sum", sum);
  }
};

}  // namespace

Result<GroupSums::Sum*> GroupSums::Find(const std::optional<std::string>& text, int64_t part) {
  std::map<int64_t, Sum>& parts = sums_[text];
  const auto found = parts.find(part);
  if (found != parts.end()) return &found->second;
  if (++kept_ <= kMostSums) return &parts[part];
  return Fail({.exit = Exit::kNoRoom,
               .what = "more than 50000 pairs of a text and a part to add up numbers for",
               .fix = "use fewer parts, a frequency_encoder or a hasher"});
}

Status GroupSums::Add(const arrow::Array& texts, const arrow::Array& values,
                      const arrow::Array& parts) {
  if (texts.type_id() != arrow::Type::STRING || values.type_id() != arrow::Type::DOUBLE ||
      parts.type_id() != arrow::Type::DOUBLE) {
    return Status::TypeError("sums are of doubles by texts");
  }
  const auto& text = static_cast<const arrow::StringArray&>(texts);
  const auto& value = static_cast<const arrow::DoubleArray&>(values);
  const auto& part = static_cast<const arrow::DoubleArray&>(parts);
  for (int64_t i = 0; i < texts.length(); ++i) {
    // A row without a label has nothing to add, not even to its text's count.
    if (value.IsNull(i) || std::isnan(value.Value(i)) || part.IsNull(i)) continue;
    std::optional<std::string> key;
    if (text.IsValid(i)) key = text.GetString(i);
    PT_LET(Sum* const sum, Find(key, static_cast<int64_t>(part.Value(i))));
    ++sum->count;
    sum->sum.Add(value.Value(i));
  }
  return Status::OK();
}

Status GroupSums::Emit(const EmitRow& emit) const {
  for (const auto& [text, parts] : sums_) {
    for (const auto& [part, sum] : parts) {
      const GroupText row{text, part, sum.sum.ToJson()};
      PT_TRY(emit({.text = Dump(FieldsToJson(row)), .count = sum.count}));
    }
  }
  return Status::OK();
}

Status GroupSums::Merge(const StateRow& row) {
  // The row has crossed a process boundary: text that is not a group's JSON is a fault, not a
  // crash.
  PT_LET(const Json json, ParseJson(row.text.value_or("")));
  GroupText group;
  PT_TRY(FieldsFromJson(json, "state", group));
  PT_LET(const ExactSum more, ExactSum::FromJson(group.sum));
  PT_LET(Sum* const sum, Find(group.text, group.part));
  sum->count += row.count;
  sum->sum.Merge(more);
  return Status::OK();
}

}  // namespace protium
