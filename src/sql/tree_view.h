// SPDX-License-Identifier: Apache-2.0
// A typed look at one node of DuckDB's parsed tree (json_serialize_sql). The tree itself stays
// JSON, which json_deserialize_sql takes back; what looks at it asks here and knows no key of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace protium::tree {

// What a node is: its "class", or the "type" of statements and tables, which have no class.
enum class Kind {
  kOther,  // Also what is no node.
  kBetween,
  kCase,
  kCast,
  kColumn,
  kComparison,
  kConjunction,
  kConstant,
  kFunction,
  kLambda,
  kOperator,
  kSelect,
  kStar,
  kSubquery,
  kTable,
  kTableFunction,
  kWindow,
};
Kind FindKind(const Json& node);

// Read once; changes nothing. The node outlives it and does not change meanwhile.
class View {
 public:
  explicit View(const Json& node);

  Kind kind() const { return kind_; }
  bool Is(Kind kind) const { return kind_ == kind; }
  const Json& json() const { return node_; }

  // What tells operators of one kind apart: "ARRAY_EXTRACT".
  const std::string& type() const;

  // Of calls and windows the function, in lower case; else empty.
  const std::string& function() const { return function_; }
  bool Calls(std::string_view function) const {
    return kind_ == Kind::kFunction && function_ == function;
  }

  // The arguments of a call, the operands of an operator.
  size_t num_arguments() const;
  const Json& argument(size_t i) const;
  // An argument that is a constant text; nullptr for everything else.
  const std::string* ArgumentText(size_t i) const;

  // Where it begins in the text that was parsed; nothing for nodes that were made.
  std::optional<uint64_t> place() const;

 private:
  const Json& node_;
  Kind kind_;
  std::string function_;
};

}  // namespace protium::tree
