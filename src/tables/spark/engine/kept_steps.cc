// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/kept_steps.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <utility>
#include <vector>

namespace protium {
namespace {

bool IsRowByRow(const Verb& verb) {
  return std::holds_alternative<Filter>(verb) || std::holds_alternative<Project>(verb) ||
         std::holds_alternative<Split>(verb) || std::holds_alternative<MarkSplit>(verb) ||
         std::holds_alternative<Lookup>(verb);
}

// Compares names and types; whether a column may hold nulls makes no difference to a task.
bool SameColumns(const arrow::Schema& a, const arrow::Schema& b) {
  if (a.num_fields() != b.num_fields()) return false;
  for (int i = 0; i < a.num_fields(); ++i) {
    const auto &one = *a.field(i), &other = *b.field(i);
    if (one.name() != other.name() || !one.type()->Equals(*other.type())) return false;
  }
  return true;
}

// The element of a list has another name in Parquet files than in Spark's schemas, so that equal
// types would compare as different.
bool AnyNested(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (arrow::is_nested(field->type()->id())) return true;
  }
  return false;
}

// Turns nodes into steps, from the kept table upwards.
class Steps {
 public:
  Steps(const Node* kept, const KeptRows& rows, const SchemaPtr& schema)
      : kept_(kept), rows_(rows), steps_(schema) {}

  bool Take(const Plan& plan) {
    if (plan.get() == kept_) return true;
    if (!IsRowByRow(plan->verb) || plan->inputs.size() != 1 || !Take(plan->inputs.front())) {
      return false;
    }
    return std::visit([this](const auto& verb) { return Add(verb); }, plan->verb);
  }

  // Drops the columns of marks: they must be gone before a step that sees all columns.
  bool HideMarks() {
    if (!std::exchange(marks_, false)) return true;
    return steps_.Add(Plain());
  }

  RowSteps Finish() { return std::move(steps_); }

 private:
  Project Plain() const {
    Project plain;
    for (const std::string& column : rows_.columns) plain.columns.push_back({column, Col(column)});
    return plain;
  }

  bool Add(const Filter& filter) { return steps_.Add(filter); }

  bool Add(const Split& split) {
    // A split that Spark marked when it wrote the rows is read from its column.
    const KeptMark* const mark = Mark(split.by, split.part, split.seed);
    if (mark == nullptr) return Cut(split);
    const Expr side = Col(mark->column);
    return steps_.Add(Filter{split.side == Split::Side::kPart ? side : !side});
  }

  bool Add(const MarkSplit& split) {
    const KeptMark* const mark = Mark(split.by, split.part, split.seed);
    if (mark == nullptr) return HideMarks() && steps_.Add(split);
    marks_ = false;
    Project marked = Plain();
    marked.columns.push_back({split.column, Col(mark->column)});
    return steps_.Add(marked);
  }

  // A split by no column in particular hashes all columns of the table, without those of marks.
  bool Cut(Split split) {
    if (marks_ && split.by.empty()) split.by = rows_.columns;
    return steps_.Add(split);
  }

  template <class Other>
  bool Add(const Other& verb) {
    return HideMarks() && steps_.Add(verb);
  }

  const KeptMark* Mark(const Columns& by, double part, int64_t seed) const {
    return marks_ ? rows_.Find(by, part, seed) : nullptr;
  }

  const Node* const kept_;
  const KeptRows& rows_;
  RowSteps steps_;
  // Whether the rows still have the columns of marks.
  bool marks_ = !rows_.marks.empty();
};

}  // namespace

const Node* FindSource(const Plan& plan) {
  if (std::holds_alternative<Materialize>(plan->verb)) return plan.get();
  if (!IsRowByRow(plan->verb) || plan->inputs.size() != 1) return nullptr;
  return FindSource(plan->inputs.front());
}

std::vector<KeptMark> CutsToMark(const Plan& whole, const Node* kept, const SchemaPtr& schema) {
  std::vector<KeptMark> cuts = FindCuts(whole, kept);
  std::erase_if(cuts, [&](const KeptMark& cut) {
    return RowSteps(schema).Add(Split{.by = cut.by, .part = cut.part, .seed = cut.seed});
  });
  return cuts;
}

std::optional<RowSteps> StepsFrom(const Node* kept, const KeptRows& rows, const SchemaPtr& files,
                                  const Plan& plan, const arrow::Schema& wanted) {
  if (AnyNested(*files)) return std::nullopt;
  Steps steps(kept, rows, files);
  if (!steps.Take(plan) || !steps.HideMarks()) return std::nullopt;
  RowSteps made = steps.Finish();
  if (!SameColumns(*made.schema(), wanted)) return std::nullopt;
  return made;
}

}  // namespace protium
