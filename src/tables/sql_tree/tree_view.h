// SPDX-License-Identifier: Apache-2.0
// A typed view of one node of DuckDB's parsed tree (json_serialize_sql). The tree itself stays
// JSON, which json_deserialize_sql takes back; code that inspects it uses this view and needs to
// know no keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace protium::tree {

// What a node is, by its "class", or by its "type" if it is a statement or a table, which have no
// class.
enum class Kind {
  kOther,  // Anything else, also JSON that is not a node.
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

// Reads the node once and changes nothing. The node outlives the view and must not change in the
// meantime.
class View {
 public:
  explicit View(const Json& node);

  Kind kind() const { return kind_; }
  bool Is(Kind kind) const { return kind_ == kind; }
  const Json& json() const { return node_; }

  // DuckDB's name for the kind of operator, statement or table: "ARRAY_EXTRACT".
  const std::string& type() const;

  // The function of a call or window, in lower case; empty for everything else.
  const std::string& function() const { return function_; }
  bool Calls(std::string_view function) const {
    return kind_ == Kind::kFunction && function_ == function;
  }

  // The arguments of a call or the operands of an operator. `i` is below num_arguments().
  size_t num_arguments() const;
  const Json& argument(size_t i) const;
  // The text of an argument that is a constant text; nullptr for everything else, also if there is
  // no such argument.
  const std::string* ArgumentText(size_t i) const;

  // The offset in the parsed text at which the node begins; nullopt for nodes that were built.
  std::optional<uint64_t> place() const;

 private:
  const Json& node_;
  Kind kind_;
  std::string function_;
};

}  // namespace protium::tree
