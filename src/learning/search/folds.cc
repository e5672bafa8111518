// SPDX-License-Identifier: Apache-2.0
#include "search/folds.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/splitmix.h"
#include "column/cells.h"
#include "frame/session_state.h"
#include "pipeline/train_rows.h"
#include "plan/time_cut.h"
#include "stages/stage.h"

namespace protium {
namespace {

constexpr const char* kNumber = "__fold_";  // Followed by the repeat, from 0.

// A different seed for each repeat, and none that a test split or validation rows use: with their
// seed the rows with the lowest hashes would already be gone, and the first folds would be small.
int64_t SeedOf(int64_t seed, int32_t repeat) {
  constexpr uint64_t kOfFolds = 0x464f4c4453;
  const uint64_t state = SplitMix(uint64_t(seed) + kSplitMixStep);
  return int64_t(SplitMix(state ^ (kOfFolds + uint64_t(repeat))) >> 1);
}

constexpr const char* kBefore = "__before";  // Of folds in time: NumberInTime().

Plan NumberFoldsInTime(const Plan& table, const FoldOptions& options) {
  const TimeFolds folds{.time = options.by_time, .folds = options.k, .gap = options.gap};
  return NumberInTime(folds, std::string(kNumber) + "0", kBefore, table);
}

Status CheckTimeOf(const arrow::Schema& schema, const std::string& time, const std::string& where) {
  const auto field = schema.GetFieldByName(time);
  if (field == nullptr) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("folds need column \"{}\", which does not exist", time),
                 .where = where,
                 .fix = Suggest(time, schema.field_names())});
  }
  const Status fits = CheckTime(*field->type());
  if (fits.ok()) return fits;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" is {}, not {}", time, TypeText(*field->type()),
                                   fits.message()),
               .where = where});
}

// The rows of a query: (fold, class, count). Without classes the texts are empty.
struct Group {
  int64_t fold = 0;
  std::string label;
  int64_t rows = 0;
};

Result<std::vector<Group>> ReadGroups(Session& session, const Plan& plan) {
  PT_LET(const BatchStreamPtr stream, DataFrame(session, plan).Stream());
  std::vector<Group> groups;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (!batch) return groups;
    const auto& fold = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& label = static_cast<const arrow::StringArray&>(*batch->column(1));
    const auto& rows = static_cast<const arrow::Int64Array&>(*batch->column(2));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      groups.push_back({fold.Value(i), std::string(label.GetView(i)), rows.Value(i)});
    }
  }
}

// How many rows of each class, or of all if `label` is a literal, each fold has.
Result<std::vector<Group>> CountGroups(Session& session, const Plan& kept, int32_t repeat,
                                       Expr label) {
  const std::string number = kNumber + std::to_string(repeat);
  const Plan rows = MakePlan(
      Project{{{"fold", Col(number)}, {"label", MakeCall("cast_string", {std::move(label)})}}},
      {kept});
  return ReadGroups(session,
                    MakePlan(Sql{.text = "SELECT fold, label, count(*) AS num_rows FROM rows "
                                         "WHERE label IS NOT NULL GROUP BY fold, label",
                                 .names = {"rows"}},
                             {rows}));
}

}  // namespace

Result<Folds> Folds::Make(const DataFrame& table, const FoldOptions& options,
                          const std::string& path) {
  PT_LET(const SchemaPtr schema, table.Schema());
  Folds folds;
  folds.options_ = options;
  folds.path_ = path;
  folds.columns_ = schema->field_names();
  for (size_t i = 0; i < options.by.size(); ++i) {
    if (schema->GetFieldIndex(options.by[i]) >= 0) continue;
    return Fail(
        {.exit = Exit::kInput,
         .what = fmt::format("folds need column \"{}\", which does not exist", options.by[i]),
         .where = fmt::format("{}.by.{}", path, i),
         .fix = Suggest(options.by[i], folds.columns_)});
  }
  if (!options.by_time.empty()) {
    PT_TRY(CheckTimeOf(*schema, options.by_time, path + ".by_time"));
    folds.kept_ = MakePlan(Materialize{"folds"}, {NumberFoldsInTime(table.plan(), options)});
    return folds;
  }
  // All columns are named: the columns of one repeat must not change the hashes of the next.
  const Columns& by = options.by.empty() ? folds.columns_ : options.by;
  Plan marked = table.plan();
  std::vector<NamedExpr> numbers;
  for (int32_t repeat = 0; repeat < options.repeats; ++repeat) {
    NamedExpr& number = numbers.emplace_back(NamedExpr{kNumber + std::to_string(repeat), {}});
    marked = NumberParts(std::move(marked), by, options.k, SeedOf(options.seed, repeat), number);
  }
  folds.kept_ = MakePlan(Materialize{"folds"},
                         {WithColumns(std::move(marked), folds.columns_, std::move(numbers))});
  return folds;
}

Expr Folds::InFold(int32_t fit) const {
  return Col(kNumber + std::to_string(RepeatOf(fit))) == Lit(int64_t{FoldOf(fit)});
}

Plan Folds::Learning(int32_t fit) const {
  if (!options_.by_time.empty()) {
    return WithColumns(MakePlan(Filter{Col(kBefore) < Lit(int64_t{fit})}, {kept_}), columns_, {});
  }
  return WithColumns(MakePlan(Filter{!InFold(fit)}, {kept_}), columns_, {});
}

Plan Folds::HeldOut(int32_t fit) const {
  return WithColumns(MakePlan(Filter{InFold(fit)}, {kept_}), columns_, {});
}

std::string Folds::Name(int32_t fit) const { return Name(RepeatOf(fit), FoldOf(fit)); }

std::string Folds::Name(int32_t repeat, int32_t fold) const {
  std::string name = fmt::format("fold {}", fold + 1);
  if (options_.repeats > 1) name += fmt::format(" of repeat {}", repeat + 1);
  return name;
}

Status Folds::CheckRows(Session& session, int32_t repeat) const {
  PT_LET(const auto groups, CountGroups(session, kept_, repeat, Lit(std::string("all"))));
  std::set<int64_t> filled;
  for (const Group& each : groups) filled.insert(each.fold);
  for (int32_t fold = 0; fold < options_.k; ++fold) {
    if (filled.contains(fold)) continue;
    return Fail({.exit = Exit::kInput,
                 .what = Name(repeat, fold) + " has no rows",
                 .where = path_ + ".k",
                 .why = fmt::format("the rows were cut into {} parts by {}", options_.k,
                                    options_.by.empty() ? "all columns" : Dump(Json(options_.by))),
                 .fix = "set fewer folds, or cut by columns with more different values"});
  }
  return Status::OK();
}

// The number of rows of each class in each fold is enough: a fold with none lacks the class, and
// one with all of them leaves none to learn from.
Status Folds::CheckClasses(Session& session, int32_t repeat, TargetKind kind,
                           const std::string& label) const {
  PT_LET(const auto groups, CountGroups(session, kept_, repeat, Col(label)));
  std::map<std::string, std::set<int64_t>> folds_of;
  for (const Group& each : groups) folds_of[each.label].insert(each.fold);
  for (int32_t fold = 0; fold < options_.k; ++fold) {
    for (const auto& [name, folds] : folds_of) {
      const bool holds_all = folds.contains(fold) && folds.size() == 1;
      const bool holds_none = kind == TargetKind::kTwoClasses && !folds.contains(fold);
      if (!holds_all && !holds_none) continue;
      const std::string which = Name(repeat, fold);
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("{} has {} rows of class \"{}\" of {}", which,
                                       holds_all ? "all" : "no", name, label),
                   .where = path_ + ".k",
                   .why = holds_all ? "the class could not be learned from the other folds"
                                    : "the metrics of two classes need rows of both",
                   .fix = "set fewer folds or another folds.seed, or leave classes with few rows "
                          "out in the SQL"});
    }
  }
  return Status::OK();
}

Status Folds::Check(Session& session, TargetKind kind, const std::string& label) const {
  for (int32_t repeat = 0; repeat < options_.repeats; ++repeat) {
    PT_TRY(CheckRows(session, repeat));
    if (!label.empty()) PT_TRY(CheckClasses(session, repeat, kind, label));
  }
  return Status::OK();
}

}  // namespace protium
