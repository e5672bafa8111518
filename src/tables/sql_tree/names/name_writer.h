// SPDX-License-Identifier: Apache-2.0
// Writes expressions as Spark spells them in names of columns: operators in parentheses, text
// without quotes, casts that Spark itself adds omitted, and omitted arguments filled in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql_tree/names/column_name.h"

namespace protium {

// Writes one expression. Functions return the spelling of a node.
class NameWriter {
 public:
  explicit NameWriter(const NameSource& source) : source_(source) {}

  std::string Expression(const Json& node);

 private:
  using Texts = std::vector<std::string>;

  // column_name.cc
  std::string Column(const Json& node);
  std::string Cast(const Json& node);
  std::string Case(const Json& node);
  std::string Comparison(const Json& node);
  std::string Conjunction(std::string_view word, std::span<const std::string> sides) const;
  std::string Operator(const Json& node);
  std::string Subquery(const Json& node);
  std::string Lambda(const Json& node);
  Texts Each(const Json& nodes);
  std::string Orders(const Json& nodes);
  // Whether the user's text has this word where the node begins.
  bool Begins(const Json& node, std::string_view word) const;

  // named_constants.cc
  std::string Constant(const Json& node) const;
  // A literal that was written as a cast of its text: 7L, 1.5D, DATE '2013-12-31', TRUE. Empty for
  // a cast that the user wrote.
  std::string TypedConstant(const Json& cast) const;
  // INTERVAL '1' DAY for a node made from INTERVAL 1 DAY; empty for everything else.
  std::string Interval(const Json& node) const;

  // named_calls.cc
  std::string Call(const Json& node);
  std::string Sign(const std::string& sign, const Json& node);
  std::string Trim(const std::string& name, const Json& node, const Texts& arguments) const;
  std::string Position(const Json& node, const Texts& arguments) const;
  std::string Like(const std::string& name, const Texts& arguments) const;
  std::string LikeAny(const Json& node, const Texts& arguments) const;
  std::string Plain(const std::string& name, const Json& node, Texts arguments);
  std::string Extract(const Json& node);
  Texts Arguments(const Json& node);

  // named_times.cc
  // Dates and times plus or minus something; empty for other sums.
  std::string MovedTime(bool plus, const Json& left, const Json& right);
  SqlType TimeType(const Json& node) const;

  // named_windows.cc
  std::string Window(const Json& node);
  std::string Frame(const Json& window);
  std::string Bound(const Json& window, const char* side);

  const NameSource& source_;
  Texts parameters_;  // Of the lambdas around the node, in lower case.
};

// Joined with ", ".
std::string Listed(std::span<const std::string> texts);

// A double or float as Java writes it: 1.0E-10.
std::string JavaNumber(double value);
std::string JavaNumber(float value);

// Spark's name of the type that a cast of the tree names: DECIMAL(10,2), ARRAY<INT>.
std::string CastTypeName(const Json& type);

}  // namespace protium
