// SPDX-License-Identifier: Apache-2.0
#include "operators.h"

#include <fmt/format.h>

#include <span>

namespace protium {
namespace {

// The loosest first.
enum class Level { kOr, kAnd, kNot, kPredicate, kCompare, kOr2, kXor, kAnd2, kShift, kSum, kTimes };
enum class Form { kInfix, kPrefix, kSuffix, kOperand };

struct Part {
  std::string text;
  Level level = Level::kTimes;
  Form form = Form::kOperand;
};

const std::vector<Part>& Operators() {
  using enum Level;
  using enum Form;
  static const std::vector<Part> operators = {{"OR", kOr, kInfix},
                                              {"AND", kAnd, kInfix},
                                              {"NOT", kNot, kPrefix},
                                              {"!", kNot, kPrefix},
                                              {"BETWEEN b AND", kPredicate, kInfix},
                                              {"NOT BETWEEN b AND", kPredicate, kInfix},
                                              {"LIKE", kPredicate, kInfix},
                                              {"NOT RLIKE", kPredicate, kInfix},
                                              {"IS DISTINCT FROM", kPredicate, kInfix},
                                              {"IN (a, b)", kPredicate, kSuffix},
                                              {"IS NOT NULL", kPredicate, kSuffix},
                                              {"=", kCompare, kInfix},
                                              {"<>", kCompare, kInfix},
                                              {"<", kCompare, kInfix},
                                              {"!<", kCompare, kInfix},
                                              {"<=>", kCompare, kInfix},
                                              {"|", kOr2, kInfix},
                                              {"^", kXor, kInfix},
                                              {"&", kAnd2, kInfix},
                                              {"<<", kShift, kInfix},
                                              {">>", kShift, kInfix},
                                              {"+", kSum, kInfix},
                                              {"-", kSum, kInfix},
                                              {"||", kSum, kInfix},
                                              {"*", kTimes, kInfix},
                                              {"/", kTimes, kInfix},
                                              {"%", kTimes, kInfix},
                                              {"DIV", kTimes, kInfix},
                                              {"-", kTimes, kPrefix},
                                              {"+", kTimes, kPrefix},
                                              {"~", kTimes, kPrefix}};
  return operators;
}

using Parts = std::span<const Part>;
using Grouped = std::optional<std::string>;

Grouped Group(Parts parts, bool value);

Grouped GroupAt(Parts parts, size_t at, bool value) {
  const Grouped left = Group(parts.first(at), value);
  const bool suffix = parts[at].form == Form::kSuffix;
  if (suffix && at + 1 < parts.size()) return std::nullopt;
  const Grouped right = suffix ? "" : Group(parts.subspan(at + 1), value);
  if (!left || !right) return std::nullopt;
  return fmt::format("({} {} {})", *left, parts[at].text, *right);
}

// Returns the position of the last operator of this level between operands.
std::optional<size_t> FindLast(Parts parts, Level level) {
  for (size_t at = parts.size(); at-- > 0;) {
    const bool between = parts[at].form == Form::kInfix || parts[at].form == Form::kSuffix;
    if (between && parts[at].level == level) return at;
  }
  return std::nullopt;
}

size_t CountLevel(Parts parts, Level level) {
  size_t count = 0;
  for (const Part& part : parts) count += part.level == level ? 1 : 0;
  return count;
}

// In a `value` nothing is negated and no predicate occurs.
Grouped Group(Parts parts, bool value) {
  using enum Level;
  if (!value) {
    if (const auto at = FindLast(parts, kOr)) return GroupAt(parts, *at, false);
    if (const auto at = FindLast(parts, kAnd)) return GroupAt(parts, *at, false);
    if (parts.front().level == kNot) {
      const Grouped rest = Group(parts.subspan(1), false);
      return rest ? Grouped(fmt::format("({} {})", parts.front().text, *rest)) : std::nullopt;
    }
  }
  if (CountLevel(parts, kNot) > 0 || CountLevel(parts, kPredicate) > (value ? 0 : 1))
    return std::nullopt;
  for (const Level level : {kPredicate, kCompare, kOr2, kXor, kAnd2, kShift, kSum, kTimes}) {
    if (const auto at = FindLast(parts, level)) return GroupAt(parts, *at, true);
  }
  if (parts.size() == 1) return parts.front().text;
  const Grouped rest = Group(parts.subspan(1), true);
  return rest ? Grouped(fmt::format("({} {})", parts.front().text, *rest)) : std::nullopt;
}

void Add(const Part& op, size_t& operands, std::vector<Part>& parts) {
  const auto operand = [&] { return Part{std::string(1, static_cast<char>('a' + operands++))}; };
  if (op.form == Form::kPrefix) {
    size_t at = parts.size();
    while (at > 0 && parts[at - 1].form == Form::kSuffix) --at;
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at - 1), op);
    return;
  }
  parts.push_back(op);
  if (op.form == Form::kInfix) parts.push_back(operand());
}

std::string JoinText(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : " ") + part.text;
  return text;
}

}  // namespace

std::vector<Precedence> AllOperators(size_t operators) {
  std::vector<Precedence> all;
  size_t count = 1;
  for (size_t i = 0; i < operators; ++i) count *= Operators().size();
  for (size_t number = 0; number < count; ++number) {
    std::vector<Part> parts = {{"a"}};
    size_t operands = 1, rest = number;
    for (size_t i = 0; i < operators; ++i, rest /= Operators().size()) {
      Add(Operators()[rest % Operators().size()], operands, parts);
    }
    all.push_back({JoinText(parts), Group(parts, false)});
  }
  return all;
}

}  // namespace protium
