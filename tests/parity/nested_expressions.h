// SPDX-License-Identifier: Apache-2.0
// Random expressions over lists, structures, maps, JSON, texts that are not numbers, and zones.
#pragma once

#include <string>

#include "expressions.h"
#include "nested_values.h"
#include "random.h"

namespace protium {

// The rows that they are evaluated on, as a table of a FROM.
extern const char* const kNestedRows;

class NestedExpressions {
 public:
  explicit NestedExpressions(uint64_t seed) : random_(seed) {}

  Expression Next();

 private:
  std::string Cast(int depth);
  // An expression that fails on some rows, guarded by one that excludes them.
  std::string Guarded();
  std::string Zoned(int depth);
  std::string Total(int depth);
  std::string ExtremeBy();

  Random random_;
  NestedValues values_{random_};
};

}  // namespace protium
