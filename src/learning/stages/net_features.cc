// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/net_feed.h"
#include "stages/net_made.h"
#include "stages/net_pool.h"
#include "stages/row.h"
#include "stages/stage_file.h"
#include "statistics/lists.h"

// What a net of an ONNX file computes, once a row, as columns: all outputs, or chosen ones, or any
// value that a node of its graph makes. ONNX Runtime computes on one thread, always as many rows
// at a time, so a row's bits do not depend on others (onnx_runtime/net.h). Learns nothing but what
// the file is. Spark ML has no such stage.

namespace protium {
namespace {

constexpr int64_t kRowsOfANet = 64;  // Of pictures or texts these take about a second.

struct NetFeaturesOptions {
  std::string id;
  Inputs inputs;
  std::string model;
  Columns values;
  Columns columns;
  std::vector<VectorColumn> lengths;
  Pool pool = Pool::kNone;
  std::string mask;
  bool alone = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs,
          {.help = "the columns that the net reads: of the names of its inputs, or in their "
                   "order; numbers, texts and lists of numbers"});
    visit("model", model,
          {.help = "an ONNX file, absolute or below the folder of the tables; a saved model "
                   "carries a copy",
           .filled = "a file"});
    visit("values", values,
          {.help = "which outputs of the net, or other values that its nodes make; unless set, "
                   "all outputs"});
    visit("columns", columns,
          {.help = "the names of the new columns, one for each value; unless set, <id>__<value>"});
    visit("lengths", lengths,
          {.help = "of lists whose type does not tell their length and of which the net takes "
                   "any: [{ column, length }]"});
    visit("pool", pool,
          {.help = "of values for each place of a row, such as each piece of a text: their mean, "
                   "or those of the first place"});
    visit("mask", mask,
          {.help = "an input, a list of numbers that are 0 where a place is padding: the mean is "
                   "without these"});
    visit("alone", alone,
          {.help = "computes each row by itself: for nets that mix the rows of a computation, as "
                   "those do that find the range of their numbers anew (dynamic quantisation)"});
  }
};

// What decides the stage's columns and bits, as in stages.json.
struct LearnedNet {
  std::string sha256;
  Json numerics = Json::object();
  std::vector<FedColumn> fed;
  std::vector<MadeColumn> made;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("sha256", sha256);
    visit("numerics", numerics);
    visit("fed", fed);
    visit("made", made);
  }
};

class NetFeaturesStage : public BatchStage {
 public:
  NetFeaturesStage(const NetFeaturesOptions& options, StageNames names)
      : BatchStage(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t i) const override {
    return learned_.made[i].type();
  }
  int64_t output_length(size_t i) const override { return learned_.made[i].length(); }
  int64_t rows_a_batch() const override { return kRowsOfANet; }
  std::vector<size_t> inputs_of(size_t) const override {
    std::vector<size_t> all;
    for (size_t i = 0; i < inputs().size(); ++i) all.push_back(i);
    return all;
  }
  Status CheckType(const arrow::DataType& type) const override {
    const bool text = type.id() == arrow::Type::STRING;
    if (text || IsNumberList(type) || CheckNumeric(type).ok()) return Status::OK();
    return Status::TypeError("numbers, texts or lists of numbers");
  }

  // Computes a row of zeros: what cannot work is refused before any row is read.
  Status SeeInputs(std::span<const StageColumn> inputs, const Analyze&) override {
    PT_TRY(OpenNet());
    learned_.fed.clear();
    for (const StageColumn& input : inputs) {
      PT_LET(learned_.fed.emplace_back(), FedBy(input));
    }
    PT_LET(feed_, NetFeed::Make(net_->inputs(), learned_.fed));
    for (size_t i = 0; i < inputs.size(); ++i) PT_TRY(CheckFed(i, inputs[i]));
    PT_LET(std::vector<NetTensor> made, net_->Run(feed_.Probe()));
    PT_TRY(net_->CheckRowsApart(feed_.Probe(), made));
    PT_TRY(CheckMask(inputs));
    PT_TRY(PoolAll(nullptr, 0, made));
    return NameColumns(made);
  }

  std::vector<Need> Needs() const override { return {}; }
  Status Learn(std::span<const State>) override { return Status::OK(); }
  Json learned() const override { return Json::array({FieldsToJson(learned_)}); }

  Status Restore(const Json& json) override {
    std::vector<LearnedNet> learned;
    PT_TRY(FieldsFromJson(json, id(), learned));
    PT_TRY(OpenNet());
    if (learned.size() != 1 || learned[0].made.size() != net_->outputs().size() ||
        learned[0].fed.size() != inputs().size()) {
      return Fail({.exit = Exit::kInput,
                   .what = "the learned state of stage \"" + id() + "\" does not fit its net"});
    }
    PT_TRY(CheckStageFile("net", id(), options_.model, net_->sha256(), learned[0].sha256));
    // The bits are those of this machine's runtime and processor.
    learned[0].numerics = learned_.numerics;
    learned_ = std::move(learned[0]);
    PT_LET(feed_, NetFeed::Make(net_->inputs(), learned_.fed));
    Columns columns;
    for (const MadeColumn& each : learned_.made) columns.push_back(each.column);
    SetOutputs(std::move(columns));
    return Status::OK();
  }

  Expr Reads(size_t i) const override {
    return learned_.fed[i].length > 0 || feed_.TakesText(i) ? Col(inputs()[i])
                                                            : NumberOf(inputs()[i]);
  }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& columns) const override {
    const int64_t rows = columns.front()->length();
    std::vector<bool> valid(size_t(rows), true);
    std::vector<MadeRows> made;
    for (const MadeColumn& each : learned_.made) made.emplace_back(each);
    std::optional<NumberLists> mask;
    if (!options_.mask.empty()) {
      PT_LET(mask, NumberLists::Of(*columns[MaskAt()]));
    }
    const bool cuts = mask && CutsPadding();
    for (int64_t begin = 0; begin < rows; begin += net_->height()) {
      const int64_t now = std::min(net_->height(), rows - begin);
      PT_LET(std::vector<NetTensor> fed, feed_.Tensors(columns, begin, now, valid));
      if (cuts && valid[size_t(begin)]) CutPadding(mask->At(begin), fed);
      PT_LET(std::vector<NetTensor> outputs, net_->Run(std::move(fed)));
      PT_TRY(PoolAll(mask ? &*mask : nullptr, begin, outputs));
      for (size_t i = 0; i < made.size(); ++i) PT_TRY(made[i].Add(outputs[i]));
    }
    arrow::ArrayVector arrays;
    for (const MadeRows& each : made) {
      PT_LET(arrays.emplace_back(), each.Finish(valid));
    }
    return arrays;
  }

 private:
  Status OpenNet() {
    if (net_) return Status::OK();
    if (options_.model.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "stage \"" + id() + "\" names no net",
                   .where = "model",
                   .fix = "model = \"net.onnx\""});
    }
    PT_LET(net_, OnnxNet::Open(options_.model, options_.values, options_.alone));
    learned_.sha256 = net_->sha256();
    PT_LET(learned_.numerics, NumericsOfOnnx());
    return Status::OK();
  }

  // The input that is the mask; as many as there are inputs: none.
  size_t MaskAt() const {
    return size_t(std::ranges::find(inputs(), options_.mask) - inputs().begin());
  }

  Status CheckMask(std::span<const StageColumn> columns) const {
    if (options_.mask.empty()) return Status::OK();
    const auto refuse = [&](std::string what, std::string fix) {
      return Fail(
          {.exit = Exit::kUsage, .what = std::move(what), .where = "mask", .fix = std::move(fix)});
    };
    if (options_.pool == Pool::kNone) {
      return refuse("a mask is for pooled values", "pool = \"mean\", or leave mask out");
    }
    const size_t at = MaskAt();
    if (at < columns.size() && IsNumberList(*columns[at].type)) return Status::OK();
    return refuse("\"" + options_.mask + "\" is no input with lists of numbers",
                  "name one of the inputs, such as the mask of a subword_tokenizer");
  }

  // Whether each row is computed as long as it is: by itself, by a net that takes any number of
  // places.
  bool CutsPadding() const {
    const int64_t places = learned_.fed[MaskAt()].length;
    return net_->height() == 1 && places > 0 &&
           std::ranges::all_of(learned_.fed,
                               [&](const auto& fed) { return fed.length == places; }) &&
           std::ranges::all_of(net_->inputs(),
                               [](const NetValue& input) {
                                 return input.shape.size() == 2 && input.shape[1] == kAnyLength;
                               }) &&
           net_->inputs().size() == learned_.fed.size();
  }

  Status PoolAll(const NumberLists* mask, int64_t begin, std::vector<NetTensor>& outputs) const {
    if (options_.pool == Pool::kNone) return Status::OK();
    for (NetTensor& each : outputs) {
      PT_LET(each, PoolPlaces(each, options_.pool, mask, begin));
    }
    return Status::OK();
  }

  // Lists have the length that the option, their type or else the net's input of that name says.
  Result<FedColumn> FedBy(const StageColumn& column) const {
    FedColumn fed{.input = column.name, .length = column.length};
    for (const VectorColumn& each : options_.lengths) {
      if (each.column == column.name) fed.length = each.length;
    }
    if (!IsNumberList(*column.type) || fed.length > 0) return fed;
    for (const NetValue& each : net_->inputs()) {
      const bool only = net_->inputs().size() == 1 && inputs().size() == 1;
      if (each.name != column.name && !only) continue;
      fed.length = 1;
      for (size_t i = 1; i < each.shape.size(); ++i) fed.length *= each.shape[i];
    }
    if (fed.length > 0) return fed;
    return Fail({.exit = Exit::kUsage,
                 .what = "the length of the lists in \"" + column.name + "\" is not known",
                 .where = "lengths",
                 .fix = "lengths = [{ column = \"" + column.name + "\", length = 8 }]"});
  }

  Status CheckFed(size_t i, const StageColumn& column) const {
    const bool text = column.type->id() == arrow::Type::STRING;
    if (text == feed_.TakesText(i)) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("column \"{}\" is {}, and the net takes {} there", column.name,
                                     TypeText(*column.type), NameOf(feed_.element_of(i))),
                 .where = "inputs"});
  }

  Status NameColumns(const std::vector<NetTensor>& made) {
    if (!options_.columns.empty() && options_.columns.size() != made.size()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("{} columns are named, and the net makes {}",
                                       options_.columns.size(), made.size()),
                   .where = "columns"});
    }
    learned_.made.clear();
    Columns columns;
    for (size_t i = 0; i < made.size(); ++i) {
      const std::string& output = net_->outputs()[i].name;
      columns.push_back(options_.columns.empty() ? id() + "__" + output : options_.columns[i]);
      PT_LET(learned_.made.emplace_back(), ColumnOf(output, columns.back(), made[i]));
    }
    SetOutputs(std::move(columns));
    return Status::OK();
  }

  NetFeaturesOptions options_;
  std::optional<OnnxNet> net_;
  NetFeed feed_;
  LearnedNet learned_;
};

}  // namespace

StageRow NetFeaturesRow() {
  return MakeStageRow<NetFeaturesStage, NetFeaturesOptions>(
      "net_features", "the outputs of a net in an ONNX file, as columns");
}

}  // namespace protium
