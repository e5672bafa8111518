// SPDX-License-Identifier: Apache-2.0
// Random expressions over lists, structures, maps, JSON, texts that are no numbers, and zones: over
// the columns of the table `nested` and what kNestedRows makes of them.
#pragma once

#include <string>

#include "expressions.h"
#include "random.h"

namespace protium {

// The rows that they are asked of, as a table of a FROM.
extern const char* const kNestedRows;

class NestedExpressions {
 public:
  explicit NestedExpressions(uint64_t seed) : random_(seed) {}

  Expression Next();

 private:
  enum class Kind { kInt, kDouble, kCents, kText };

  Kind AnyKind();
  std::string Value(Kind kind, int depth);
  std::string Leaf(Kind kind);
  // An element of a list, a value of a map or a field.
  std::string Part(Kind kind, int depth);
  std::string List(Kind kind, int depth);
  std::string ListCall(Kind kind, int depth);
  std::string OtherList(Kind kind, int depth);
  std::string Map(int depth);
  std::string Struct(int depth);
  std::string Nested(int depth);
  std::string Text(int depth);
  std::string Truth(int depth);
  std::string Json(int depth);
  std::string Cast(int depth);
  // What fails on some rows, behind what leaves these out.
  std::string Guarded();
  std::string Zoned(int depth);
  std::string Total(int depth);
  std::string ExtremeBy();

  Random random_;
};

}  // namespace protium
