// SPDX-License-Identifier: Apache-2.0
// Random expressions over the columns of the table `typed`, the same ones for the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

struct Expression {
  std::string text;
  bool total = false;  // It is one of all rows, such as sum(price) / 3.
};

class Expressions {
 public:
  explicit Expressions(uint64_t seed) : state_(seed) {}

  Expression Next();

 private:
  // Fewer than `below`.
  size_t Draw(size_t below);
  const char* OneOf(const std::vector<const char*>& choices);

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

  uint64_t state_;
};

}  // namespace protium
