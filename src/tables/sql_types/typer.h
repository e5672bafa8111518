// SPDX-License-Identifier: Apache-2.0
// Derives the type of every expression of a parsed tree by Spark's rules, and rewrites the
// expression so that DuckDB computes it in those types: otherwise DuckDB widens decimals, compares
// text with numbers and divides by its own rules. What the two engines cannot be made to compute
// alike is refused by name.
//
// Reading order: sql_type (types, and their common type), scope (names), typer_queries (SELECT,
// WITH, unions), typer_tables (FROM), typer_expressions (names, constants, casts), typer_operators
// (conditions, CASE), typer_calls, calls (rules by a function's name) and one file for each family
// of rules.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "sql_tree/sql_type.h"
#include "sql_types/scope.h"
#include "sql_types/select_parts.h"

namespace protium {

// What the typer asks of the engine. Nothing is run; at most, statements are prepared.
struct TypeSource {
  // Returns the columns of a table that the text knows by this name, in lower case.
  std::function<Result<std::vector<SqlColumn>>(const std::string& table)> columns;
  // Returns DuckDB's name for the type of a SELECT's only column; "" if DuckDB refuses the SELECT
  // or the rules do not know the name of the type.
  std::function<std::string(const std::string& select)> type;
  // Returns the position of a node in the user's text, for messages.
  std::function<std::string(const Json& node)> place;
  // Returns the user's text from where a node begins; empty where that is not known.
  std::function<std::string_view(const Json& node)> text;
};

// Walks one statement once, bottom up: types flow from operands to results. Refusals are kUsage
// with a position.
class Typer {
 public:
  explicit Typer(const TypeSource& source) : source_(source) {}

  // Whether any query reads a name of WITH.
  bool Reads(const std::string& lower) const { return read_.contains(lower); }

  // Types and rewrites a query; returns its columns as an unnamed relation.
  Result<Relation> Query(Json& node, const Scope* outer);

  // Types and rewrites an expression. DuckDB computes it in the type returned, unless that is
  // unknown.
  Result<SqlType> Expression(Json& node, const Scope& scope);

  // Types all nodes of a list.
  Result<std::vector<SqlType>> Each(Json& nodes, const Scope& scope);

  // Casts all nodes to their common type, and returns it. Refuses if there is none; `at` is the
  // node to name in the message, and `what` ("CASE") says whose values they are.
  Result<SqlType> Unify(const std::string& what, const Json& at, const std::vector<Json*>& nodes,
                        const std::vector<SqlType>& types);

  // Types what must be true or false, such as WHERE. Text is accepted only with `reads_text`, where
  // Spark casts it: beside AND, OR and NOT.
  Status Condition(Json& node, const Scope& scope, bool reads_text = false);

  // Types an expression that rows are ordered by, and replaces it with one that DuckDB orders as
  // Spark does.
  Result<SqlType> OrderExpression(Json& node, const Scope& scope);
  // Refuses what contains a map: Spark neither orders nor partitions by maps.
  Status RequireOrder(const Json& node, const SqlType& type) const;

  // Types s['a'], m['k'] and (expression).a, given the type of what precedes.
  Result<SqlType> Extract(Json& node, const SqlType& type);

  // Returns the type that DuckDB gives a call of `function` with arguments of these types; unknown
  // if one of them is unknown. Asks DuckDB once for each distinct call.
  SqlType AskType(const std::string& function, const std::vector<SqlType>& types);

  // The same for comparisons: structs are matched by the positions of fields, and their parts only
  // where no digit is lost, or by CommonType() if `wide`. Refuses if one of them contains a map.
  Result<SqlType> UnifyNested(const std::string& what, const Json& at,
                              const std::vector<Json*>& nodes, std::vector<SqlType> types,
                              bool wide = false);
  // Returns the type that DuckDB's SQL calls by this name; unknown if the rules do not know it.
  SqlType TypeNamed(const std::string& duck_name);

  // To be called where doubles are added: their sum depends on the order of rows.
  void NoteDoubles(const Json& call, const std::string& name);
  // What was noted, with its position and what to write instead.
  const std::vector<std::string>& doubles() const { return doubles_; }

  Status Refuse(const Json& node, std::string what, std::string why, std::string fix) const;
  Status RefuseCast(const Json& node, const SqlType& from, const SqlType& to) const;

  // The columns that a function such as explode() makes: lists of their values, and their names.
  struct Generated {
    std::vector<Json> lists;
    std::vector<SqlColumn> columns;
    bool open = false;  // Made from structs, whose fields become the columns.
  };

 private:
  // A select list that is being rewritten.
  struct Selection {
    Json list = Json::array();
    Relation made;
    Json* from = nullptr;  // The tables of the SELECT.
    bool apart = false;    // Whether generators become separate tables.
    bool spread = false;   // Whether * is written as its columns.
  };

  Result<Relation> Select(Json& node, const Scope* outer);
  Status Columns(Json& select, Scope& scope, Selection& to);
  Status SelectColumn(Json& select, size_t index, Scope& scope, Selection& to);
  Status Star(Json& star, const Scope& scope, Selection& to);
  Status Generator(Json& column, Scope& scope, Selection& to);
  Status PlaceHere(Generated made, Scope& scope, Selection& to);
  Status PlaceApart(Generated made, Selection& to);
  Status Groupings(Json& select) const;
  Status CheckLimit(Json& modifier, const Scope& scope);
  Status CheckDistinctOrder(const Json& order, const Json& select, const Relation& made) const;
  Status CheckOrderName(const Json& order, const Json& select, const Relation& made) const;
  std::string NameOf(const Json& select, size_t index, const Scope& scope) const;
  Result<std::vector<SqlType>> Groups(Json& select, const Scope& scope, const Relation& made);
  Status Modifiers(Json& node, const Scope& scope, const Relation& made);
  Status RefuseNestedOrders(Json& node, const Relation& made) const;
  Status RefuseMaps(const Json& at, const std::string& what, const Relation& made) const;
  Result<Relation> SetOperation(Json& node, const Scope* outer);
  Result<Relation> Recursive(Json& node, const Scope* outer);
  Status Ctes(Json& node, const Scope* outer);
  Status Rename(const Json& at, const std::string& name, const Json& names, Relation& made) const;

  // For one side of a join: where its relations and outputs begin in the scope.
  struct JoinPlaces {
    size_t relation = 0, output = 0;
  };

  Status From(Json& node, Scope& scope);
  Result<Relation> FromQuery(Json& query, Scope& scope);
  Result<Relation> Table(const Json& node);
  Result<Relation> Values(Json& node, const Scope& scope);
  Result<Relation> TableFunction(Json& node, const Scope& scope);
  void NameAll(Json& tables);
  Status Join(Json& node, Scope& scope);
  Status Natural(Json& node, Scope& scope, JoinPlaces left, JoinPlaces right) const;
  Status Using(const Json& node, Scope& scope, JoinPlaces left, JoinPlaces right);
  Status ConditionWithin(Json& node, Scope& scope) const;
  Status Pivot(Json& node, const Scope& scope);
  Result<Json> PivotQuery(Json& node, const Scope& within) const;
  Result<Json> UnpivotQuery(Json& node, const Scope& within) const;

  SqlType Constant(Json& node);
  Result<SqlType> Column(Json& node, const Scope& scope);
  Status CheckColumn(const Json& node, const Scope& scope) const;
  Result<SqlType> ExplicitCast(Json& node, const Scope& scope);
  Result<SqlType> IntervalCast(const Json& cast, const SqlType& from) const;
  Result<SqlType> CaseWhen(Json& node, const Scope& scope);
  Result<SqlType> Compare(Json& node, const Scope& scope);
  Status CompareSides(Json& at, Json& left, Json& right, SqlType a, SqlType b);
  Status CompareNested(const Json& at, Json& left, Json& right, const std::vector<SqlType>& types);
  Status RefuseField(const Json& node, const SqlType& type, const std::string& name) const;
  Result<SqlType> Between(Json& node, const Scope& scope);
  Result<SqlType> Conjunction(Json& node, const Scope& scope);
  Result<SqlType> Operator(Json& node, const Scope& scope);
  Result<SqlType> Grouping(Json& node, const Scope& scope);
  Result<SqlType> Subquery(Json& node, const Scope& scope);
  Status CheckQueryWithin(const Json& node, std::string_view within, bool correlated) const;
  Result<SqlType> Function(Json& node, const Scope& scope);
  Status TakePercentiles(const Json& node, Json& order, const SqlType& type) const;
  Result<SqlType> Window(Json& node, const Scope& scope);
  Result<std::vector<SqlType>> Arguments(Json& node, const Scope& scope);

  void Wrap(Json& node, const Relation& made) const;

  const TypeSource& source_;
  std::map<std::string, Relation> ctes_;    // In scope, by names in lower case.
  std::set<std::string> read_;              // Names of WITH that some FROM mentions.
  std::map<std::string, Relation> tables_;  // Asked for before.
  std::map<std::string, SqlType> asked_;
  std::vector<std::string> doubles_;
  int named_ = 0;            // Number of tables that were given a name.
  std::string_view within_;  // "ON" or "ORDER BY" while its expression is typed.
  int in_windows_ = 0;       // How many windows surround what is being typed.
};

// Whether tables are joined by USING or NATURAL.
bool JoinsUsing(const Json& table);

// Puts a SELECT with casts around a query if a known type of its columns differs from the wanted
// one. Both lists have the same length; names are taken from `to`.
void RecastColumns(Json& query, const std::vector<SqlColumn>& from,
                   const std::vector<SqlColumn>& to);

// In a condition that filters, undoes the rewriting that makes x IN (SELECT ...) false instead of
// null as in Spark: a filter drops both, and DuckDB makes a semi join only of the plain form.
void KeepJoins(Json& condition);

// What types say of a statement.
struct TypedStatement {
  std::vector<std::string> unread;   // Names of its WITH that no query reads.
  bool ties = false;                 // Whether a window depends on the order of rows that tie.
  std::vector<std::string> doubles;  // Where doubles are added, and what to write instead.
};

// Types and rewrites a statement's tree, as CheckSql() leaves it. The first refusal ends it. DuckDB
// does not look at names of WITH that are not read.
Result<TypedStatement> TypeStatement(Json& tree, const TypeSource& source);

}  // namespace protium
