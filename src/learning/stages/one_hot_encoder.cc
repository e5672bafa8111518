// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "stages/row.h"

namespace protium {
namespace {

// A column of 0.0 and 1.0 for each value of an input. Spark ML's OneHotEncoder takes indices, makes
// a vector, and drops the last category by default; this stage takes the values themselves, makes
// columns named after them, and drops the first, the most frequent, only if `drop_first` is set.
//
// Learning fixes the keys of each input, by frequency. Applying first looks up each value's
// position among the keys (a Lookup, with one index past the end for unseen values and the next for
// NULL), then compares that index with constants: one column of 0.0 and 1.0 per key with its own
// column, one `other` for all further keys and, if so chosen, unseen values, and one `missing`. The
// last projection drops the index columns.

enum class UnseenHot { kZeros, kOther, kError };
EnumNames<UnseenHot> Names(UnseenHot) {
  return {
      {{UnseenHot::kZeros, "zeros"}, {UnseenHot::kOther, "other"}, {UnseenHot::kError, "error"}}};
}

enum class MissingHot { kZeros, kOwnColumn, kError };
EnumNames<MissingHot> Names(MissingHot) {
  return {{{MissingHot::kZeros, "zeros"},
           {MissingHot::kOwnColumn, "own_column"},
           {MissingHot::kError, "error"}}};
}

struct OneHotEncoderOptions {
  std::string id;
  Inputs inputs;
  std::optional<int64_t> max_categories;
  UnseenHot unseen = UnseenHot::kZeros;
  MissingHot missing = MissingHot::kZeros;
  bool drop_first = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("max_categories", max_categories,
          {.help = "the most frequent values get a column each, the rest share `other`; unless "
                   "set, every value gets one",
           .at_least = 1});
    visit("unseen", unseen, {.help = "what happens to values not seen in training"});
    visit("missing", missing, {.help = "what happens to NULL; its own column is `missing`"});
    visit("drop_first", drop_first, {.help = "leaves out the column of the most frequent value"});
  }
};

// More columns than this indicate an identifier or a mistake.
constexpr size_t kMostValues = 1000;

struct Hots {
  std::string input;
  // By frequency. Keys without a column of their own are stored only if unseen values must be
  // distinguished from them; with unseen = "other" both use the same column.
  std::vector<std::string> keys;
  Columns outputs;  // Of the keys with a column of their own, then `other`, then `missing`.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("keys", keys);
    visit("outputs", outputs);
  }
};

// A value as part of a column name that every engine and file format accepts. Different values may
// become the same name; Unique() makes them different.
std::string SafeName(const std::string& value) {
  constexpr size_t kLongest = 40;
  std::string safe;
  for (const char c : value.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    safe += plain ? c : '_';
  }
  return safe.empty() ? "empty" : safe;
}

class OneHotEncoderStage : public Stage {
 public:
  OneHotEncoderStage(const OneHotEncoderOptions& options, StageNames names)
      : Stage(std::move(names)), options_(options) {}

  bool learns_outputs() const override { return true; }
  std::vector<size_t> inputs_of(size_t i) const override {
    size_t input = 0;
    for (; i >= learned_[input].outputs.size(); ++input) i -= learned_[input].outputs.size();
    return {input};
  }
  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kTexts); }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      PT_LET(Hots hots, LearnOne(inputs()[i], std::get<TextCounts>(states[i])));
      learned_.push_back(std::move(hots));
    }
    return NameOutputs();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(const std::vector<Hots> given, ReadLearned<Hots>(learned, names()));
    learned_ = given;
    PT_TRY(NameOutputs());
    if (FieldsEqual(learned_, given)) return Status::OK();
    return Fail({.exit = Exit::kInput,
                 .what = "the columns of stage \"" + id() + "\" do not fit its keys"});
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    Columns there = columns;
    std::vector<NamedExpr> added;
    for (const Hots& each : learned_) {
      const std::string index = IndexName(each, columns);
      rows = MakePlan(Lookup{.column = each.input,
                             .output = index,
                             .keys = std::make_shared<const std::vector<std::string>>(each.keys),
                             .unseen = UnseenIndex(each),
                             .missing = MissingIndex(each)},
                      {std::move(rows)});
      there.push_back(index);
      AddHots(each, index, added);
    }
    return WithColumns(WithAllowed(std::move(rows), columns, there), columns, std::move(added));
  }

 private:
  Result<Hots> LearnOne(const std::string& input, const TextCounts& counts) const {
    if (options_.missing == MissingHot::kError) {
      PT_TRY(CheckMissing(counts.missing(), input, "set missing = \"zeros\" or \"own_column\""));
    }
    Hots hots{.input = input, .keys = counts.ByFrequency()};
    PT_TRY(CheckSomeValue(int64_t(hots.keys.size()), input));
    const size_t own = OwnColumns(hots);
    if (own > kMostValues) {
      return Fail({.exit = Exit::kInput,
                   .what = "column \"" + input + "\" has " + std::to_string(hots.keys.size()) +
                           " values, and each would get a column",
                   .fix = "set max_categories = 50, or use a string_indexer"});
    }
    // Keys beyond their own columns fall into `other`, as unseen values do, so the lookup need not
    // know them.
    if (options_.unseen == UnseenHot::kOther) hots.keys.resize(own);
    return hots;
  }

  // How many keys have a column of their own, including the dropped first one.
  size_t OwnColumns(const Hots& hots) const {
    const auto most = size_t(options_.max_categories.value_or(int64_t(hots.keys.size())));
    return std::min(most, hots.keys.size());
  }

  // Whether there is a column for texts without one of their own: keys beyond max_categories, or
  // unseen values that must differ from all zeros.
  bool HasOther(const Hots& hots) const {
    return OwnColumns(hots) < hots.keys.size() || options_.unseen == UnseenHot::kOther;
  }

  size_t FirstKey() const { return options_.drop_first ? 1 : 0; }

  // Names depend only on the options, the keys and their order, so that Restore() can check them.
  Status NameOutputs() {
    std::set<std::string> taken;
    Columns outputs;
    for (Hots& hots : learned_) {
      hots.outputs.clear();
      const std::string start = hots.input + "__" + id() + "__";
      const bool missing = options_.missing == MissingHot::kOwnColumn;
      // Reserved first: a value called "other" must not take the name of the column.
      if (HasOther(hots)) taken.insert(Lower(start + "other"));
      if (missing) taken.insert(Lower(start + "missing"));
      for (size_t i = FirstKey(); i < OwnColumns(hots); ++i) {
        hots.outputs.push_back(Unique(start + SafeName(hots.keys[i]), taken));
      }
      if (HasOther(hots)) hots.outputs.push_back(start + "other");
      if (missing) hots.outputs.push_back(start + "missing");
      outputs.insert(outputs.end(), hots.outputs.begin(), hots.outputs.end());
    }
    SetOutputs(outputs);
    if (!outputs.empty()) return Status::OK();
    return Fail({.exit = Exit::kInput,
                 .what = "stage \"" + id() +
                         "\" makes no column: each input has one value, and "
                         "drop_first leaves it out",
                 .fix = "leave the stage out, or set drop_first = false"});
  }

  // Case-insensitive, since engines are: to them "JFK" and "jfk" would be one column.
  static std::string Unique(const std::string& name, std::set<std::string>& taken) {
    std::string unique = name;
    for (int number = 2; !taken.insert(Lower(unique)).second; ++number) {
      unique = name + "_" + std::to_string(number);
    }
    return unique;
  }

  int64_t UnseenIndex(const Hots& hots) const {
    return options_.unseen == UnseenHot::kError ? kForbiddenUnseen : int64_t(hots.keys.size());
  }
  int64_t MissingIndex(const Hots& hots) const {
    return options_.missing == MissingHot::kError ? kForbiddenMissing
                                                  : int64_t(hots.keys.size()) + 1;
  }

  // The column of indices, which exists only while the stage is applied.
  std::string IndexName(const Hots& hots, const Columns& columns) const {
    std::string name = "__index__" + hots.input + "__" + id();
    while (std::find(columns.begin(), columns.end(), name) != columns.end()) name += "_";
    return name;
  }

  // Makes the query fail for rows that "error" forbids, naming the column.
  Plan WithAllowed(Plan rows, const Columns& columns, const Columns& with_indices) const {
    if (options_.unseen != UnseenHot::kError && options_.missing != MissingHot::kError) return rows;
    std::vector<NamedExpr> checked;
    for (size_t i = 0; i < learned_.size(); ++i) {
      const std::string& index = with_indices[columns.size() + i];
      checked.push_back({index, AllowedIndex(index, learned_[i].input)});
    }
    return WithColumns(std::move(rows), columns, std::move(checked));
  }

  // In the order of outputs: own columns, `other`, `missing`. `other` covers the indices from the
  // first key without a column to the last key or, if unseen values belong to it, one further.
  void AddHots(const Hots& hots, const std::string& index, std::vector<NamedExpr>& added) const {
    const Expr at = Col(index), one = Lit(1.0), zero = Lit(0.0);
    const auto add = [&](Expr hot) { added.push_back({outputs()[added.size()], std::move(hot)}); };
    const auto add_where = [&](int64_t i) { add(MakeCall("if", {at == Lit(i), one, zero})); };
    const auto own = int64_t(OwnColumns(hots)), keys = int64_t(hots.keys.size());
    for (auto i = int64_t(FirstKey()); i < own; ++i) add_where(i);
    if (HasOther(hots)) {
      const int64_t end = options_.unseen == UnseenHot::kOther ? keys + 1 : keys;
      add(MakeCall("if", {at >= Lit(own), MakeCall("if", {at >= Lit(end), zero, one}), zero}));
    }
    if (options_.missing == MissingHot::kOwnColumn) add_where(keys + 1);
  }

  OneHotEncoderOptions options_;
  std::vector<Hots> learned_;
};

}  // namespace

StageRow OneHotEncoderRow() {
  return MakeStageRow<OneHotEncoderStage, OneHotEncoderOptions>(
      "one_hot_encoder",
      "turns text or whole numbers into a column of 0 and 1 per value: <input>__<id>__<value>");
}

}  // namespace protium
