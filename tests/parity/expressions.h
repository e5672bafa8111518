// SPDX-License-Identifier: Apache-2.0
// Random expressions over the columns of the table `typed`, the same ones for the same seed.
#pragma once

#include <string>
#include <vector>

#include "random.h"

namespace protium {

struct Expression {
  std::string text;
  bool total = false;  // A total over all rows, such as sum(price) / 3.
};

class Expressions {
 public:
  explicit Expressions(uint64_t seed) : random_(seed) {}

  Expression Next();

 private:
  size_t Draw(size_t below) { return random_.Draw(below); }
  const char* OneOf(const std::vector<const char*>& choices) { return random_.OneOf(choices); }

  std::string Any(int depth);
  std::string Number(int depth);
  std::string NumberLeaf();
  std::string NumberCall(int depth);
  std::string Text(int depth);
  std::string Date(int depth);
  std::string Moment(int depth);
  std::string Truth(int depth);
  std::string Comparison(int depth);
  std::string Total(int depth);
  std::string Case(const std::string& a, const std::string& b, int depth);

  Random random_;
};

}  // namespace protium
