// SPDX-License-Identifier: Apache-2.0
// Each node becomes a SELECT around that of its input, and the engine's optimiser makes one plan of
// the whole. Inputs that the engine has already computed are read by name instead. The writer's own
// names begin with pt_. A split is written in one of three ways: as a filter by the column of a
// kept table that carries it (MarkedBelow), as a call of the dialect's function, or as MD5 in SQL.
#include "sql/writer.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fault.h"
#include "base/nearest.h"
#include "plan/part_side.h"
#include "plan/row_cuts.h"

namespace protium {
namespace {

// The engines' parsers are recursive: a deeper plan would overflow their stacks.
constexpr int kMaxDepth = 500;
// Above this number, keys are joined from a table if the engine can make one.
constexpr size_t kMostKeysInText = 200;

class Writer {
 public:
  explicit Writer(const SqlContext& context) : context_(context), dialect_(*context.dialect) {}

  // A SELECT of the plan's rows.
  Result<std::string> Select(const Plan& plan) {
    PT_CHECK(plan != nullptr);
    if (const auto table = context_.tables.find(plan.get()); table != context_.tables.end()) {
      return "SELECT " + ListColumns(table->second) + " FROM " + table->second.table;
    }
    if (++depth_ > kMaxDepth) return Status::CapacityError("the plan is nested too deeply");
    auto text = std::visit([&](const auto& verb) { return Lower(verb, plan->inputs); }, plan->verb);
    --depth_;
    return text;
  }

  std::vector<std::string> TakeNotExact() { return std::move(not_exact_); }
  std::vector<std::string> TakeVaries() { return std::move(varies_); }
  std::vector<WrittenSql> TakeTexts() { return std::move(texts_); }

 private:
  using Inputs = std::vector<Plan>;

  Result<std::string> Input(const Inputs& inputs) {
    PT_CHECK(inputs.size() == 1);
    PT_LET(std::string text, Select(inputs.front()));
    return "(" + text + ")";
  }

  Result<std::string> Lower(const Scan& scan, const Inputs&) {
    // Spark's scans are tables that the engine has named: Select() finds them earlier.
    if (dialect_.scan != nullptr) {
      return dialect_.scan(scan, context_.expected_rows ? context_.expected_rows(scan) : -1);
    }
    return Fail({.exit = Exit::kBug, .what = "the engine names no table for " + scan.table});
  }

  Result<std::string> Lower(const NamedTable& table, const Inputs&) {
    if (dialect_.named != nullptr) return dialect_.named(table);
    return Fail({.exit = Exit::kBug, .what = "the engine names no table for " + table.name});
  }

  Result<std::string> Lower(const Sql& sql, const Inputs& inputs) {
    PT_CHECK(sql.names.size() == inputs.size());
    std::vector<std::string> texts;
    for (const Plan& input : inputs) {
      PT_LET(texts.emplace_back(), Select(input));
    }
    // The inputs are written first: the check needs their schemas.
    RelationSql checked{sql.text, {}, {}};
    if (context_.check) {
      PT_LET(checked, context_.check(sql, texts));
    }
    for (std::string& note : checked.not_exact) not_exact_.push_back(std::move(note));
    for (std::string& note : checked.varies) varies_.push_back(std::move(note));
    for (WrittenSql& text : checked.texts) texts_.push_back(std::move(text));
    std::string with;
    for (size_t i = 0; i < inputs.size(); ++i) {
      with += fmt::format("{}{} AS ({})", i == 0 ? "WITH " : ", ",
                          QuoteName(sql.names[i], dialect_), texts[i]);
    }
    // The line breaks keep a -- comment at the end of the user's text from swallowing the
    // parenthesis.
    return fmt::format("{} SELECT * FROM (\n{}\n)", with, checked.text);
  }

  Result<std::string> Lower(const Filter& filter, const Inputs& inputs) {
    PT_LET(std::string from, Input(inputs));
    PT_LET(std::string predicate, ExprText(filter.predicate, dialect_));
    return "SELECT * FROM " + from + " WHERE " + predicate;
  }

  Result<std::string> Lower(const Project& project, const Inputs& inputs) {
    PT_LET(std::string from, Input(inputs));
    if (project.columns.empty()) {
      return Fail({.exit = Exit::kUsage, .what = "a projection needs at least one column"});
    }
    std::string list;
    for (const NamedExpr& column : project.columns) {
      PT_LET(std::string text, ExprText(column.expr, dialect_));
      list += (list.empty() ? "" : ", ") + text + " AS " + QuoteName(column.name, dialect_);
    }
    return "SELECT " + list + " FROM " + from;
  }

  // The parts of a split's SELECT. `side` is a predicate, true on the part's side and never NULL.
  struct Cut {
    std::string from;
    std::string columns;
    std::string side;
  };

  // Both verbs write the same predicate: one filters by it, the other shows it as a column.
  Result<std::string> Lower(const Split& split, const Inputs& inputs) {
    PT_LET(const Cut cut, WriteCut(split, inputs));
    return "SELECT " + cut.columns + " FROM " + cut.from + " WHERE " +
           (split.side == Split::Side::kPart ? cut.side : "NOT " + cut.side);
  }

  Result<std::string> Lower(const MarkSplit& split, const Inputs& inputs) {
    PT_LET(const Cut cut, WriteCut(split, inputs));
    return "SELECT " + cut.columns + ", " + cut.side + " AS " + QuoteName(split.column, dialect_) +
           " FROM " + cut.from;
  }

  template <class Verb>
  Result<Cut> WriteCut(const Verb& split, const Inputs& inputs) {
    const KeptRows* const kept = inputs.size() == 1 ? MarkedBelow(inputs.front()) : nullptr;
    const KeptMark* const mark =
        kept == nullptr ? nullptr : kept->Find(split.by, split.part, split.seed);
    Cut cut;
    if (mark != nullptr) {
      // The filters in between are written by WithMarks(), since Select() would omit the marks.
      PT_LET(cut.from, WithMarks(inputs.front(), *kept));
      cut.columns = ListColumns(*kept);
      cut.side = QuoteName(mark->column, dialect_);
      return cut;
    }
    PT_LET(cut.from, Input(inputs));
    PT_LET(cut.side, PartSide(cut.from, split.by, split.part, split.seed));
    cut.columns = "*";
    return cut;
  }

  // The kept table with marks of which `plan` is a selection, by filters and by splits that it
  // carries itself; nullptr if there is none.
  const KeptRows* MarkedBelow(const Plan& plan) const {
    if (const auto table = context_.tables.find(plan.get()); table != context_.tables.end()) {
      return table->second.marks.empty() ? nullptr : &table->second;
    }
    const auto* const split = std::get_if<Split>(&plan->verb);
    if ((split == nullptr && !std::holds_alternative<Filter>(plan->verb)) ||
        plan->inputs.size() != 1) {
      return nullptr;
    }
    const KeptRows* const kept = MarkedBelow(plan->inputs.front());
    if (kept == nullptr || split == nullptr) return kept;
    return kept->Find(split->by, split->part, split->seed) == nullptr ? nullptr : kept;
  }

  // The rows of `plan` together with the columns of the marks; `kept` is MarkedBelow(plan). The
  // SELECT of such a plan would omit them, and the split above it could not read its own.
  Result<std::string> WithMarks(const Plan& plan, const KeptRows& kept) {
    if (context_.tables.count(plan.get()) > 0) return kept.table;
    if (++depth_ > kMaxDepth) return Status::CapacityError("the plan is nested too deeply");
    PT_LET(const std::string from, WithMarks(plan->inputs.front(), kept));
    --depth_;
    std::string where;
    if (const auto* split = std::get_if<Split>(&plan->verb)) {
      const KeptMark& mark = *kept.Find(split->by, split->part, split->seed);
      where = (split->side == Split::Side::kPart ? "" : "NOT ") + QuoteName(mark.column, dialect_);
    } else {
      PT_LET(where, ExprText(std::get<Filter>(plan->verb).predicate, dialect_));
    }
    return "(SELECT * FROM " + from + " WHERE " + where + ")";
  }

  std::string ListColumns(const KeptRows& kept) const {
    if (kept.marks.empty()) return "*";
    std::string list;
    for (const std::string& column : kept.columns) {
      list += (list.empty() ? "" : ", ") + QuoteName(column, dialect_);
    }
    return list;
  }

  Result<std::string> Lower(const Lookup& lookup, const Inputs& inputs) {
    PT_LET(std::string from, Input(inputs));
    const std::vector<std::string> none;
    const auto& keys = lookup.keys == nullptr ? none : *lookup.keys;
    // A key that repeats would multiply rows in a join.
    if (std::set<std::string_view>(keys.begin(), keys.end()).size() != keys.size()) {
      return Fail(
          {.exit = Exit::kInput,
           .what = "the keys for looking up column \"" + lookup.column + "\" are not unique",
           .fix = "fit the model again; its list of values was changed"});
    }
    // From text, as all whole literals are: see LiteralText in dialect.cc.
    const auto otherwise = [&](const std::optional<int64_t>& value) {
      return value ? fmt::format("CAST('{}' AS {})", *value, dialect_.types.int64)
                   : fmt::format("CAST(NULL AS {})", dialect_.types.int64);
    };
    const std::string column = "pt_t." + QuoteName(lookup.column, dialect_);
    const std::string missing = otherwise(lookup.missing), unseen = otherwise(lookup.unseen);
    const auto select = [&](const std::string& position) {
      return fmt::format(
          "SELECT pt_t.*, CASE WHEN {} IS NULL THEN {} ELSE {} END AS {} FROM {} pt_t", column,
          missing, position, QuoteName(lookup.output, dialect_), from);
    };
    // An empty VALUES is not valid SQL.
    if (keys.empty()) return select(unseen);
    const std::string text = fmt::format("CAST({} AS {})", column, dialect_.types.text);
    if (!dialect_.key_place.empty() && keys.size() <= kMostKeysInText) {
      return fmt::format("SELECT pt_t.*, {}({}, {}, {}, [{}]) AS {} FROM {} pt_t",
                         dialect_.key_place, text, missing, unseen, KeyList(keys),
                         QuoteName(lookup.output, dialect_), from);
    }
    // A left join: rows whose text is not a key stay, with a NULL position.
    PT_LET(const std::string table, KeyTable(lookup));
    return select(fmt::format("coalesce(CAST(pt_k.pt_position AS {}), {})", dialect_.types.int64,
                              unseen)) +
           fmt::format(" LEFT JOIN {} ON {} = pt_k.pt_key", table, text);
  }

  std::string KeyList(const std::vector<std::string>& keys) const {
    std::string list;
    for (const std::string& key : keys)
      list += (list.empty() ? "" : ", ") + QuoteText(key, dialect_);
    return list;
  }

  // The keys of a lookup as pt_k(pt_key, pt_position).
  Result<std::string> KeyTable(const Lookup& lookup) {
    const auto& keys = *lookup.keys;
    if (context_.key_table && keys.size() > kMostKeysInText) {
      PT_LET(std::string table, context_.key_table(lookup));
      return table + " AS pt_k";
    }
    std::string values;
    for (size_t i = 0; i < keys.size(); ++i) {
      values += fmt::format("{}({}, {})", i == 0 ? "" : ", ", QuoteText(keys[i], dialect_), i);
    }
    return "(VALUES " + values + ") AS pt_k(pt_key, pt_position)";
  }

  Result<std::string> Lower(const Materialize&, const Inputs& inputs) {
    PT_CHECK(inputs.size() == 1);
    return Select(inputs.front());
  }

  // Rows have no order here, so the engine chooses which of them stay.
  Result<std::string> Lower(const Limit& limit, const Inputs& inputs) {
    PT_LET(std::string from, Input(inputs));
    if (limit.rows < 0) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("limit must not be negative, got {}", limit.rows)});
    }
    not_exact_.push_back("limit: which rows are kept depends on the engine's order");
    varies_.push_back(not_exact_.back());
    return fmt::format("SELECT * FROM {} LIMIT {}", from, limit.rows);
  }

  Result<std::string> Lower(const MapTask& task, const Inputs&) {
    PT_CHECK(task.output != nullptr);
    std::string list;
    for (const auto& field : task.output->fields()) {
      PT_LET(std::string type, TypeText(*field->type(), dialect_));
      list += fmt::format("{}CAST(NULL AS {}) AS {}", list.empty() ? "" : ", ", type,
                          QuoteName(field->name(), dialect_));
    }
    // No FROM: both engines accept a SELECT without a table, and no row passes.
    return "SELECT " + list + " WHERE 1 = 0";
  }

  Result<std::string> Lower(const Write&, const Inputs& inputs) {
    PT_CHECK(inputs.size() == 1);
    return Select(inputs.front());
  }

  Result<std::string> Lower(const Store&, const Inputs& inputs) {
    PT_CHECK(inputs.size() == 1);
    return Select(inputs.front());
  }

  Result<std::string> Lower(const Broken& broken, const Inputs&) { return broken.status; }

  // The predicate that is true on the part's side.
  Result<std::string> PartSide(const std::string& from, const Columns& by, double part,
                               int64_t seed) {
    // Written so that NaN is refused, too.
    if (!(part > 0 && part < 1)) {
      return Fail(
          {.exit = Exit::kUsage,
           .what = fmt::format("the share of a split must be between 0 and 1, got {}", part)});
    }
    PT_LET(SchemaPtr schema, context_.describe("SELECT * FROM " + from));
    const Columns columns = by.empty() ? schema->field_names() : by;
    // Hexadecimal digits of one length and case compare the same as text and as numbers.
    const std::string bound = PartBound(part);
    const bool whole = !dialect_.part_side.empty();
    std::string text = fmt::format("'{}'", seed);
    if (whole) text += fmt::format(", '{}'", bound);
    for (const std::string& name : columns) {
      PT_LET(auto type, FindType(*schema, name));
      if (whole) {
        text += ", " + Cell(name, *type);
        continue;
      }
      text += fmt::format(" || coalesce('+' || CAST(length({0}) AS {1}) || ':' || {0}, '-')",
                          CanonicalText(name, *type), dialect_.types.text);
    }
    if (whole) return fmt::format("{}({})", dialect_.part_side, text);
    return fmt::format("(substr(md5({}), 1, 13) < '{}')", text, bound);
  }

  // The column itself if the dialect's function accepts its type, otherwise its text.
  std::string Cell(const std::string& column, const arrow::DataType& type) {
    return HasCutText(type) ? QuoteName(column, dialect_) : CanonicalText(column, type);
  }

  Result<std::shared_ptr<arrow::DataType>> FindType(const arrow::Schema& schema,
                                                    const std::string& name) {
    if (const auto field = schema.GetFieldByName(name)) return field->type();
    return Fail({.exit = Exit::kUsage,
                 .what = "the split names column \"" + name + "\", which the table does not have",
                 .fix = Suggest(name, schema.field_names())});
  }

  std::string CanonicalText(const std::string& column, const arrow::DataType& type) {
    const std::string name = QuoteName(column, dialect_);
    if (!arrow::is_floating(type.id())) {
      return fmt::format("CAST({} AS {})", name, dialect_.types.text);
    }
    // Up to 2^53 doubles hold every whole number, and both engines write a whole number the same
    // way.
    not_exact_.push_back("split by " + column + ": engines format fractional doubles differently");
    return fmt::format(
        "CASE WHEN abs({0}) < 9007199254740992 AND {0} = floor({0}) THEN CAST(CAST({0} AS {1}) AS "
        "{2}) ELSE CAST({0} AS {2}) END",
        name, dialect_.types.int64, dialect_.types.text);
  }

  const SqlContext& context_;
  const Dialect& dialect_;
  int depth_ = 0;
  std::vector<std::string> not_exact_;
  std::vector<std::string> varies_;
  std::vector<WrittenSql> texts_;
};

}  // namespace

Result<RelationSql> WriteSql(const Plan& plan, const SqlContext& context) {
  Writer writer(context);
  PT_LET(std::string text, writer.Select(plan));
  std::vector<std::string> notes = writer.TakeNotExact();
  std::sort(notes.begin(), notes.end());
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
  return RelationSql{std::move(text), std::move(notes), writer.TakeTexts(), writer.TakeVaries()};
}

}  // namespace protium
