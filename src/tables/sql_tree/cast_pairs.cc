// SPDX-License-Identifier: Apache-2.0
#include "sql_tree/cast_pairs.h"

namespace protium {
namespace {

bool IsScalar(const SqlType& type) {
  return type != SqlType::kUnknown && type != SqlType::kNull && type != SqlType::kOther;
}

}  // namespace

bool HasCast(const SqlType& from, const SqlType& to) {
  if (!IsScalar(from) || !IsScalar(to) || from.kind == to.kind || to == SqlType::kText) return true;
  const bool text = from == SqlType::kText;
  if (from == SqlType::kBinary || to == SqlType::kBinary) return text;
  if (to.IsInterval()) return text;
  if (from.IsInterval()) return to.IsWhole() || to == SqlType::kDecimal;
  if (to == SqlType::kBoolean) return text || from.IsNumber();
  if (to == SqlType::kDate) return text || from == SqlType::kTimestamp;
  // Numbers are moments, which times without a zone are not.
  const SqlType local = SqlType::LocalTime();
  if (to == SqlType::kTimestamp) {
    return text || from == SqlType::kDate || (from.IsNumber() && to != local);
  }
  return text || from.IsNumber() || from == SqlType::kBoolean ||
         (from == SqlType::kTimestamp && from != local);
}

}  // namespace protium
