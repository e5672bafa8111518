// SPDX-License-Identifier: Apache-2.0
// Random values, lists, structures, maps and JSON over the columns of the table `nested` and those
// of kNestedRows.
#pragma once

#include <string>

#include "random.h"

namespace protium {

enum class NestedKind { kInt, kDouble, kCents, kText };

// SQL of at most `depth` levels. `random` must outlive it.
class NestedValues {
 public:
  explicit NestedValues(Random& random) : random_(random) {}

  NestedKind AnyKind();
  std::string Value(NestedKind kind, int depth);
  std::string List(NestedKind kind, int depth);
  std::string OtherList(NestedKind kind, int depth);
  std::string Map(int depth);
  std::string Struct(int depth);
  std::string Nested(int depth);
  std::string Truth(int depth);
  std::string Json(int depth);

 private:
  std::string Leaf(NestedKind kind);
  // An element of a list, a value of a map or a field.
  std::string Part(NestedKind kind, int depth);
  std::string ListCall(NestedKind kind, int depth);
  std::string Text(int depth);

  Random& random_;
};

}  // namespace protium
