// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/lowering.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "connect/types.h"
#include "engine/result_columns.h"
#include "plan/aggregates.h"
#include "spark/engine/parquet_types.h"
#include "spark/ship/tables.h"
#include "sql/writer.h"
#include "sql_text/doubled_quotes.h"

// A node that is a table of its own (files, kept rows, a task's result) becomes a named relation;
// everything between such nodes is written as SQL by the folder sql, which asks the server for the
// types of each text whose types it needs. The result's columns are then cast to types that our
// tables support.

namespace protium {
namespace {

using connect::NamedRelation;
using connect::Relation;

// Returns the expression that converts a column to a type that tables support
// (engine/result_columns.h). The session's zone is UTC, so that TIMESTAMP_NTZ shows UTC's time.
std::string FindConversion(const arrow::DataType& type) {
  if (type.id() == arrow::Type::LIST) {
    // Items are converted one by one, however deeply nested.
    const std::string item = FindConversion(*type.field(0)->type());
    const std::string parameter = fmt::format("pt_item_{}", item.size());
    return item.empty() ? ""
                        : "transform({}, " + parameter + " -> " +
                              fmt::format(fmt::runtime(item), parameter) + ")";
  }
  if (type.id() == arrow::Type::NA) return "CAST({} AS STRING)";
  if (type.id() != arrow::Type::TIMESTAMP) return "";
  const bool zoned = !static_cast<const arrow::TimestampType&>(type).timezone().empty();
  return zoned ? "CAST({} AS TIMESTAMP_NTZ)" : "";
}

// Spark allows duplicate names in a result, our batches do not.
Result<std::string> ConvertedList(const arrow::Schema& schema) {
  std::vector<ResultColumn> columns;
  for (const auto& field : schema.fields()) {
    columns.push_back(
        {field->name(), connect::SparkName(field->name()), FindConversion(*field->type())});
  }
  return ConvertedColumns(columns);
}

class Lowering {
 public:
  // `depth`: the number of tasks around it whose input this plan is part of.
  explicit Lowering(const LoweringContext& context, int32_t depth = 0)
      : context_(context), depth_(depth) {}

  Result<SparkTable> Lower(const Plan& plan) {
    PT_CHECK(plan != nullptr);
    if (IsTable(plan) && !HasMarks(plan)) {
      SparkTable table;
      PT_LET(table.relation, Table(plan));
      PT_LET(table.schema, context_.describe(table.relation));
      PT_LET(const std::string list, ConvertedList(*table.schema));
      if (list.empty()) return table;
      return Plain({"SELECT * FROM " + Add("rows", std::move(table.relation)), {}, {}});
    }
    PT_TRY(Name(plan));
    PT_LET(RelationSql sql, WriteSql(plan, Context()));
    return Plain(std::move(sql));
  }

 private:
  bool IsTable(const Plan& plan) const {
    return std::holds_alternative<Scan>(plan->verb) ||
           std::holds_alternative<NamedTable>(plan->verb) || context_.kept.count(plan.get()) > 0 ||
           (std::holds_alternative<MapTask>(plan->verb) && context_.map);
  }

  bool HasMarks(const Plan& plan) const {
    const auto kept = context_.kept.find(plan.get());
    return kept != context_.kept.end() && !kept->second.rows.marks.empty();
  }

  Result<Relation> Table(const Plan& plan) {
    if (const auto kept = context_.kept.find(plan.get()); kept != context_.kept.end()) {
      return kept->second.relation;
    }
    if (const auto* scan = std::get_if<Scan>(&plan->verb)) {
      return Files(*scan, plan.get() == context_.streamed);
    }
    if (const auto* table = std::get_if<NamedTable>(&plan->verb)) return Named(*table);
    const auto& task = std::get<MapTask>(plan->verb);
    PT_CHECK(plan->inputs.size() == 1);
    // The rows of a group come to one partition, one after the other.
    const Plan rows = InGroups(
        task, plan->inputs.front(),
        "DISTRIBUTE BY " + NameList(task.groups) + " SORT BY " + OrderList(GroupOrder(task)));
    PT_LET(const SparkTable input, Lowering(context_, depth_ + 1).Lower(rows));
    return context_.map(task, rows, input);
  }

  Result<Relation> Named(const NamedTable& table) {
    return table.source ? context_.open(*table.source) : connect::Table(table.name);
  }

  Result<std::string> UriOf(const std::string& path) const {
    PT_LET(const std::string address, context_.file(path));
    return FileUri(address);
  }

  static Result<Relation> ReadFiles(const Scan& scan, const std::vector<std::string>& paths) {
    switch (scan.format) {
      case Format::kCsv:
        return connect::ReadCsv(paths, scan.schema, scan.csv, scan.rows_are_lines);
      case Format::kJsonLines:
        return connect::ReadJsonLines(paths, scan.schema);
      default:
        return connect::ReadParquet(paths, ForSpark(*scan.schema));
    }
  }

  Result<Relation> Files(const Scan& scan, bool streamed) const {
    if (scan.schema == nullptr) return Status::Invalid("table ", scan.table, " has no schema");
    std::vector<std::string> paths;
    for (const std::string& path : scan.paths) {
      PT_LET(std::string uri, UriOf(path));
      paths.push_back(std::move(uri));
    }
    PT_LET(Relation files, ReadFiles(scan, paths));
    if (streamed) {
      PT_LET(files, context_.follow(scan, std::move(files)));
    }
    if (scan.partitions.columns != nullptr) {
      // Spark appends the folders' columns in the order of the folders; the scan's schema has its
      // own order.
      PT_LET(const std::string root, UriOf(scan.partitions.root));
      files = connect::SelectColumns(connect::WithFolders(std::move(files), root),
                                     scan.schema->field_names());
    }
    if (scan.format != Format::kParquet) return files;
    return Readable(std::move(files), *scan.schema);
  }

  static SchemaPtr ForSpark(const arrow::Schema& schema) {
    arrow::FieldVector fields = schema.fields();
    for (auto& field : fields) field = field->WithType(TypeForSpark(field->type()));
    return arrow::schema(std::move(fields));
  }

  // Returns the column as it was read, or an expression for it. Most writers of Parquet leave NaN
  // out of a column's bounds, by which Spark drops rows that a comparison would keep: NaN is the
  // greatest number. Spark does not do so with an expression over a column, and nanvl(x, x) is x.
  static Result<std::string> ReadableColumn(const arrow::Field& field) {
    const std::string name = connect::SparkName(field.name());
    if (arrow::is_floating(field.type()->id())) {
      return fmt::format("nanvl({0}, {0}) AS {0}", name);
    }
    if (!IsCastAfterReading(*field.type())) return name;
    PT_LET(const std::string type, connect::SparkType(*FinalTypeForSpark(field.type())));
    return fmt::format("CAST({0} AS {1}) AS {0}", name, type);
  }

  static Result<Relation> Readable(Relation files, const arrow::Schema& schema) {
    std::vector<std::string> columns;
    bool any = false;
    for (const auto& field : schema.fields()) {
      PT_LET(const std::string column, ReadableColumn(*field));
      any = any || column != connect::SparkName(field->name());
      columns.push_back(column);
    }
    return any ? connect::Project(std::move(files), columns) : files;
  }

  // Names the tables that the SQL of `plan` will read. A node that is used twice is named once.
  Status Name(const Plan& plan) {
    if (names_.count(plan.get()) > 0) return Status::OK();
    if (IsTable(plan)) {
      PT_LET(Relation relation, Table(plan));
      const auto* scan = std::get_if<Scan>(&plan->verb);
      KeptRows& rows = names_[plan.get()];
      if (HasMarks(plan)) rows = context_.kept.at(plan.get()).rows;
      rows.table = Add(scan == nullptr ? "result" : scan->table, std::move(relation));
      return Status::OK();
    }
    if (std::holds_alternative<MapTask>(plan->verb)) return Status::OK();
    for (const Plan& input : plan->inputs) PT_TRY(Name(input));
    return Status::OK();
  }

  // Returns the table's name as SQL spells it, unique in the query. Spark makes the tables views
  // while it reads a query and drops them afterwards: those of an inner query, separated by a task,
  // must have other names, or Spark would drop the outer one's; so must those of other queries.
  std::string Add(const std::string& about, Relation relation) {
    const std::string within = depth_ > 0 ? fmt::format("in{}_", depth_) : "";
    std::string name = fmt::format("pt_{}{}{}_{}", context_.query, within, tables_.size(), about);
    // A point would divide a view's name into several.
    std::replace(name.begin(), name.end(), '.', '_');
    tables_.push_back({name, std::move(relation)});
    return connect::SparkName(name);
  }

  SqlContext Context() {
    return {
        .dialect = &SparkDialect(),
        .tables = names_,
        .describe = [this](const std::string& sql) { return Describe(sql); },
        .check = [this](const Sql& sql, const std::vector<std::string>&) -> Result<RelationSql> {
          return RelationSql{context_.doubled_quotes ? sql.text : WithoutDoubledQuotes(sql.text),
                             {kNotExamined},
                             {}};
        },
        .key_table = [this](const Lookup& lookup) { return Keys(lookup); }};
  }

  Result<SchemaPtr> Describe(const std::string& sql) {
    return context_.describe(connect::Sql(sql, tables_));
  }

  // Returns a lookup's keys as a table of (key, position), which SQL joins.
  Result<std::string> Keys(const Lookup& lookup) {
    arrow::StringBuilder keys;
    arrow::Int64Builder positions;
    for (size_t i = 0; i < lookup.keys->size(); ++i) {
      PT_TRY(keys.Append((*lookup.keys)[i]));
      PT_TRY(positions.Append(int64_t(i)));
    }
    const auto schema = arrow::schema(
        {arrow::field("pt_key", arrow::utf8()), arrow::field("pt_position", arrow::int64())});
    PT_LET(const auto key, keys.Finish());
    PT_LET(const auto position, positions.Finish());
    PT_LET(Relation table,
           context_.local_table(
               schema, {arrow::RecordBatch::Make(schema, key->length(), {key, position})}));
    return Add("keys", std::move(table));
  }

  Result<SparkTable> Plain(RelationSql sql) {
    PT_LET(SchemaPtr schema, Describe(sql.text));
    PT_LET(const std::string list, ConvertedList(*schema));
    // Described again, since the casts change the types.
    if (!list.empty()) {
      sql.text = "SELECT " + list + " FROM (" + sql.text + ")";
      PT_LET(schema, Describe(sql.text));
    }
    return SparkTable{connect::Sql(sql.text, tables_), std::move(schema), std::move(sql.text),
                      std::move(sql.not_exact)};
  }

  const LoweringContext& context_;
  const int32_t depth_;
  std::vector<NamedRelation> tables_;
  std::unordered_map<const Node*, KeptRows> names_;
};

}  // namespace

Result<SparkTable> LowerPlan(const Plan& plan, const LoweringContext& context) {
  return Lowering(context).Lower(plan);
}

Result<SparkTable> LowerMarks(const SparkTable& table, const LoweringContext& context,
                              KeptRows& kept) {
  if (kept.marks.empty()) return table;
  kept.columns = table.schema->field_names();
  // An empty node that represents the table in a plan of its own.
  const Plan rows = MakePlan(Sql{});
  LoweringContext inner = context;
  inner.kept[rows.get()] = {.relation = table.relation};
  return LowerPlan(WithMarks(rows, kept.columns, kept.marks), inner);
}

}  // namespace protium
