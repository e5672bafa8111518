// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/row.h"
#include "stages/stage_file.h"
#include "statistics/lists.h"
#include "subwords/tokenizer.h"

// A text becomes what a pretrained net reads of it: the ids of its pieces, which of them are no
// padding (1, else 0), and which text they are of (0: there is one). Each is a list of `length`
// numbers. NULL stays NULL. The pieces are those that Hugging Face's library finds with the same
// file. Learns nothing but what the file is. Spark ML has no such stage.

namespace protium {
namespace {

constexpr size_t kColumns = 3;  // Ids, mask, types.

struct SubwordTokenizerOptions {
  std::string id;
  Inputs inputs;
  std::string file;
  int64_t length = 128;
  bool lower_case = true;
  Columns columns;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = "the column of texts"});
    visit("file", file,
          {.help = "the tokenizer that the net was trained with: its tokenizer.json or vocab.txt, "
                   "absolute or below the folder of the tables; a saved model carries a copy",
           .filled = "a file"});
    visit("length", length,
          {.help = "how many pieces the net sees, with those that stand around each text; longer "
                   "texts are cut",
           .unit = "pieces",
           .at_least = 1,
           .below = 65537});
    visit("lower_case", lower_case,
          {.help = "of a vocab.txt: texts are turned to lower case, without accents; a "
                   "tokenizer.json says so itself"});
    visit("columns", columns,
          {.help = "the names of the new columns: ids, mask, types; unless set, <id>__ids and so "
                   "on"});
  }
};

// What decides the stage's columns, as in stages.json.
struct LearnedFile {
  std::string sha256;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("sha256", sha256);
  }
};

class SubwordTokenizerStage : public BatchStage {
 public:
  SubwordTokenizerStage(const SubwordTokenizerOptions& options, StageNames names)
      : BatchStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::int64());
  }
  int64_t output_length(size_t) const override { return options_.length; }
  std::vector<size_t> inputs_of(size_t) const override { return {0}; }
  Status CheckType(const arrow::DataType& type) const override {
    return type.id() == arrow::Type::STRING ? Status::OK() : Status::TypeError("text");
  }

  Status SeeInputs(std::span<const StageColumn>, const Analyze&) override {
    if (inputs().size() != 1) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("stage \"{}\" has {} texts", id(), inputs().size()),
                   .where = "inputs",
                   .fix = "one stage for each column of texts"});
    }
    if (!options_.columns.empty() && options_.columns.size() != kColumns) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("{} columns are named, and there are {}",
                                       options_.columns.size(), kColumns),
                   .where = "columns",
                   .fix = "columns = [\"input_ids\", \"attention_mask\", \"token_type_ids\"]"});
    }
    PT_TRY(OpenFile());
    NameColumns();
    return Status::OK();
  }

  std::vector<Need> Needs() const override { return {}; }
  Status Learn(std::span<const State>) override { return Status::OK(); }
  Json learned() const override { return Json::array({FieldsToJson(learned_)}); }

  Status Restore(const Json& json) override {
    std::vector<LearnedFile> learned;
    PT_TRY(FieldsFromJson(json, id(), learned));
    PT_TRY(OpenFile());
    const std::string sha256 = learned.size() == 1 ? learned[0].sha256 : "";
    PT_TRY(CheckStageFile("tokenizer", id(), options_.file, learned_.sha256, sha256));
    NameColumns();
    return Status::OK();
  }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& columns) const override {
    const auto& texts = static_cast<const arrow::StringArray&>(*columns.front());
    const size_t length = size_t(options_.length);
    std::vector<int64_t> ids(size_t(texts.length()) * length, tokenizer_->padding());
    std::vector<int64_t> mask(ids.size()), types(ids.size());
    std::vector<bool> valid(size_t(texts.length()));
    for (int64_t row = 0; row < texts.length(); ++row) {
      valid[size_t(row)] = texts.IsValid(row);
      if (texts.IsNull(row)) continue;
      const std::vector<int32_t> pieces = tokenizer_->Encode(texts.GetView(row), options_.length);
      const size_t at = size_t(row) * length;
      std::ranges::copy(pieces, ids.begin() + std::ptrdiff_t(at));
      std::fill_n(mask.begin() + std::ptrdiff_t(at), pieces.size(), 1);
    }
    arrow::ArrayVector lists;
    for (const auto* numbers : {&ids, &mask, &types}) {
      PT_LET(lists.emplace_back(), MakeLists(*numbers, options_.length, valid));
    }
    return lists;
  }

 private:
  Status OpenFile() {
    if (tokenizer_) return Status::OK();
    if (options_.file.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "stage \"" + id() + "\" names no tokenizer",
                   .where = "file",
                   .fix = "file = \"tokenizer.json\""});
    }
    PT_LET(tokenizer_, SubwordTokenizer::Open(options_.file, options_.lower_case));
    learned_.sha256 = tokenizer_->sha256();
    if (options_.length >= tokenizer_->SmallestLength()) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} pieces leave no room for the text", options_.length),
                 .where = "length",
                 .fix = "length = 128"});
  }

  void NameColumns() {
    Columns columns = options_.columns;
    if (columns.empty()) columns = {id() + "__ids", id() + "__mask", id() + "__types"};
    SetOutputs(std::move(columns));
  }

  SubwordTokenizerOptions options_;
  std::optional<SubwordTokenizer> tokenizer_;
  LearnedFile learned_;
};

}  // namespace

StageRow SubwordTokenizerRow() {
  return MakeStageRow<SubwordTokenizerStage, SubwordTokenizerOptions>(
      "subword_tokenizer", "splits texts into the tokens that a pretrained net reads, as ids");
}

}  // namespace protium
