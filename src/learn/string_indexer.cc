// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <utility>

#include "learn/stage.h"

namespace protium {
namespace {

struct Vocabulary {
  std::string input;
  std::string output;
  std::vector<std::string> keys;
  std::optional<int64_t> unseen;   // The index of values not in `keys`; none: NULL or an error.
  std::optional<int64_t> missing;  // The index of NULL.
  int64_t cardinality = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("keys", keys);
    visit("unseen", unseen);
    visit("missing", missing);
    visit("cardinality", cardinality);
  }
};

class StringIndexerStage : public Stage {
 public:
  StringIndexerStage(const StringIndexerOptions& options, StageNames names)
      : Stage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type() const override { return arrow::int64(); }

  Status CheckType(const arrow::DataType& type) const override {
    const auto id = type.id();
    const bool text = id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING;
    if (text || id == arrow::Type::BOOL || arrow::is_integer(id)) return Status::OK();
    return Status::TypeError("text, whole numbers or booleans");
  }

  std::vector<Need> Needs() const override {
    std::vector<Need> needs;
    for (const std::string& input : inputs()) needs.push_back({StateKind::kTexts, {input}});
    return needs;
  }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      const auto& counts = std::get<TextCounts>(states[i]);
      if (options_.missing == Unseen::kError && counts.missing() > 0) {
        return Fail({.exit = Exit::kInput,
                     .what = "column \"" + inputs()[i] + "\" has " +
                             std::to_string(counts.missing()) + " NULLs in the training rows",
                     .fix = "set missing = \"own_index\" or \"null\""});
      }
      learned_.push_back(Make(i, counts.ByFrequency()));
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Vocabulary>(learned, names()));
    for (size_t i = 0; i < learned_.size(); ++i) {
      if (FieldsEqual(learned_[i], Make(i, learned_[i].keys))) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "the indices of stage \"" + id() + "\" do not fit its keys"});
    }
    return Status::OK();
  }

  int64_t cardinality(size_t i) const override {
    return i < learned_.size() ? learned_[i].cardinality : 0;
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    for (const Vocabulary& each : learned_) {
      rows =
          MakePlan(Lookup{.column = each.input,
                          .output = each.output,
                          .keys = std::make_shared<const std::vector<std::string>>(each.keys),
                          .unseen = options_.unseen == Unseen::kError ? std::optional<int64_t>(-1)
                                                                      : each.unseen,
                          .missing = options_.missing == Unseen::kError ? std::optional<int64_t>(-2)
                                                                        : each.missing},
                   {std::move(rows)});
    }
    return WithErrors(std::move(rows), columns);
  }

 private:
  Vocabulary Make(size_t i, std::vector<std::string> keys) const {
    Vocabulary made{.input = inputs()[i], .output = outputs()[i]};
    made.cardinality = int64_t(keys.size());
    made.keys = std::move(keys);
    if (options_.unseen == Unseen::kOwnIndex) made.unseen = made.cardinality++;
    if (options_.missing == Unseen::kOwnIndex) made.missing = made.cardinality++;
    return made;
  }

  // Rows that a policy forbids make the query fail with the column's name.
  Plan WithErrors(Plan rows, const Columns& columns) const {
    if (options_.unseen != Unseen::kError && options_.missing != Unseen::kError) return rows;
    std::vector<NamedExpr> checked;
    for (const Vocabulary& each : learned_) {
      const std::string start = "column \"" + each.input + "\" has ";
      Expr fail_unseen = CallOf("error", {Lit(start + "a value never seen in training")});
      Expr fail_missing = CallOf("error", {Lit(start + "a NULL")});
      Expr inner = CallOf(
          "if", {Col(each.output) == Lit(int64_t{-2}), std::move(fail_missing), Col(each.output)});
      checked.push_back({each.output, CallOf("if", {Col(each.output) == Lit(int64_t{-1}),
                                                    std::move(fail_unseen), std::move(inner)})});
    }
    return WithColumns(std::move(rows), columns, std::move(checked));
  }

  StringIndexerOptions options_;
  std::vector<Vocabulary> learned_;
};

}  // namespace

std::unique_ptr<Stage> MakeStage(const StringIndexerOptions& options, StageNames names) {
  return std::make_unique<StringIndexerStage>(options, std::move(names));
}

}  // namespace protium
