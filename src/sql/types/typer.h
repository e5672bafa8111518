// SPDX-License-Identifier: Apache-2.0
// Types every expression of a parsed tree by Spark's rules and spells it so that DuckDB computes it
// in those types. What the two engines cannot be brought to mean alike is refused by name.
//
// Reading order: sql_type (types and where they meet), scope (names), typer_queries (SELECT, FROM,
// unions), typer_expressions (what is no call), calls (rules by a function's name) with one file a
// rule.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "sql/types/scope.h"
#include "sql/types/sql_type.h"

namespace protium {

// What typing may ask.
struct TypeSource {
  // The columns of a table that the text knows by name.
  std::function<Result<std::vector<SqlColumn>>(const std::string& table)> columns;
  // The name that DuckDB has for the type of a SELECT's only column; "" where it takes none such.
  std::function<std::string(const std::string& select)> type;
  // Where a node stands in the text, for messages.
  std::function<std::string(const Json& node)> place;
};

class Typer {
 public:
  explicit Typer(const TypeSource& source) : source_(source) {}

  // Types a query; gives its columns.
  Result<Relation> Query(Json& node, const Scope* outer);

  // Types an expression; DuckDB computes it in that type afterwards.
  Result<SqlType> Expression(Json& node, const Scope& scope);

  Result<std::vector<SqlType>> Each(Json& nodes, const Scope& scope);

  // Casts all to the type that they have in common. `what` names them in the refusal.
  Result<SqlType> Unify(const std::string& what, const Json& at, const std::vector<Json*>& nodes,
                        const std::vector<SqlType>& types);

  // What stands where true or false is asked for. Text passes where Spark reads it.
  Status Condition(Json& node, const Scope& scope, bool reads_text = false);

  // The type that DuckDB gives a call of a function with arguments of these types.
  SqlType AskType(const std::string& function, const std::vector<SqlType>& types);

  Status Refuse(const Json& node, std::string what, std::string why, std::string fix) const;

 private:
  Result<Relation> Select(Json& node, const Scope* outer);
  Status SelectList(Json& list, Scope& scope, Relation& made);
  Status Modifiers(Json& node, const Scope& scope);
  Result<Relation> SetOperation(Json& node, const Scope* outer);
  Result<Relation> Recursive(Json& node, const Scope* outer);
  Status Ctes(Json& node, const Scope* outer);

  Status From(Json& node, Scope& scope);
  Result<Relation> Table(const Json& node);
  Result<Relation> Values(Json& node, const Scope& scope);
  Result<Relation> TableFunction(Json& node, const Scope& scope);
  Status Join(Json& node, Scope& scope);
  Status Using(const Json& node, Scope& scope, size_t right);

  SqlType Constant(Json& node);
  Result<SqlType> Column(Json& node, const Scope& scope);
  Result<SqlType> ExplicitCast(Json& node, const Scope& scope);
  Result<SqlType> IntervalCast(const Json& cast) const;
  Result<SqlType> CaseWhen(Json& node, const Scope& scope);
  Result<SqlType> Compare(Json& node, const Scope& scope);
  Status CompareSides(Json& at, Json& left, Json& right, SqlType a, SqlType b);
  Result<SqlType> Between(Json& node, const Scope& scope);
  Result<SqlType> Conjunction(Json& node, const Scope& scope);
  Result<SqlType> Operator(Json& node, const Scope& scope);
  Result<SqlType> Subquery(Json& node, const Scope& scope);
  Result<SqlType> Function(Json& node, const Scope& scope);
  Result<SqlType> Window(Json& node, const Scope& scope);
  Result<std::vector<SqlType>> Arguments(Json& node, const Scope& scope);

  const TypeSource& source_;
  std::map<std::string, Relation> ctes_;    // Those in scope, by lower-case names.
  std::map<std::string, Relation> tables_;  // Asked for before, as are `asked_` by their SELECT.
  std::map<std::string, SqlType> asked_;
};

// Casts the columns of a query, where they differ, to the types wanted.
void RecastColumns(Json& query, const std::vector<SqlColumn>& from,
                   const std::vector<SqlColumn>& to);

// In a condition that filters, null is false anyhow: what was made never null, so that it is as in
// Spark, is undone where it would keep DuckDB from a semi join.
void KeepJoins(Json& condition);

// Types a whole statement's tree, as json_serialize_sql gives it and CheckSql leaves it.
Status TypeStatement(Json& tree, const TypeSource& source);

}  // namespace protium
