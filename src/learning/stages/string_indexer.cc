// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <utility>

#include "stages/row.h"

namespace protium {
namespace {

// The index of a value is its position among the keys, most frequent first, ties by bytes (as
// Spark's StringIndexer orders them by default). The engine finds it by a Lookup: a joined table of
// texts, so that a vocabulary of millions does not become a giant expression. Unseen values and
// NULL have indices of their own after the keys, or become NULL, or fail the query. Values in fewer
// than `min_count` rows are no keys: they get the index of unseen ones, as scikit-learn's
// OneHotEncoder has it with min_frequency. A column that is NULL in all training rows has no keys
// and still works.
//
// Spark ML's StringIndexer refuses unseen values and NULL unless handleInvalid says otherwise,
// where "keep" is one index for both and "skip" drops the rows; its indices are doubles.

struct Vocabulary {
  std::string input;
  std::string output;
  std::vector<std::string> keys;
  std::optional<int64_t> unseen;   // The index of values not in `keys`; none: NULL or an error.
  std::optional<int64_t> missing;  // The index of NULL; likewise.
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

  std::shared_ptr<arrow::DataType> output_type(size_t) const override { return arrow::int64(); }
  bool makes_indices() const override { return true; }
  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kTexts); }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      const auto& counts = std::get<TextCounts>(states[i]);
      if (options_.missing == Unseen::kError) {
        PT_TRY(
            CheckMissing(counts.missing(), inputs()[i], "set missing = \"own_index\" or \"null\""));
      }
      std::vector<std::string> keys = counts.ByFrequency();
      while (!keys.empty() && counts.FindCount(keys.back()) < options_.min_count) keys.pop_back();
      learned_.push_back(Make(i, std::move(keys)));
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Vocabulary>(learned, names()));
    for (size_t i = 0; i < learned_.size(); ++i) {
      // Everything but the keys follows from the keys and the options, so any difference in the
      // file is an error in it.
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
      rows = MakePlan(
          Lookup{.column = each.input,
                 .output = each.output,
                 .keys = std::make_shared<const std::vector<std::string>>(each.keys),
                 .unseen = options_.unseen == Unseen::kError ? std::optional(kForbiddenUnseen)
                                                             : each.unseen,
                 .missing = options_.missing == Unseen::kError ? std::optional(kForbiddenMissing)
                                                               : each.missing},
          {std::move(rows)});
    }
    // A Lookup cannot fail for a row; it returns a forbidden index, which the projection above
    // turns into an error.
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

  // Makes the query fail for rows that "error" forbids, naming the column.
  Plan WithErrors(Plan rows, const Columns& columns) const {
    if (options_.unseen != Unseen::kError && options_.missing != Unseen::kError) return rows;
    std::vector<NamedExpr> checked;
    for (const Vocabulary& each : learned_) {
      checked.push_back({each.output, AllowedIndex(each.output, each.input)});
    }
    return WithColumns(std::move(rows), columns, std::move(checked));
  }

  StringIndexerOptions options_;
  std::vector<Vocabulary> learned_;
};

}  // namespace

StageRow StringIndexerRow() {
  return MakeStageRow<StringIndexerStage, StringIndexerOptions>(
      "string_indexer", "turns text or whole numbers into 0, 1, 2, ... by frequency, then value");
}

}  // namespace protium
