// SPDX-License-Identifier: Apache-2.0
#include "trees/boosting_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fault.h"
#include "rows/key.h"
#include "trees/features.h"
#include "trees/leaf_quantile.h"
#include "trees/part_rows.h"
#include "trees/predict.h"

namespace protium {
namespace {

// What a hash is drawn for, besides rounding.
constexpr int64_t kRowsTag = int64_t{1} << 40;
constexpr int64_t kColumnsTag = int64_t{1} << 41;

constexpr size_t kFewestColumns = 8;

// How many rows the reported loss is expected to be measured on.
constexpr double kLossRows = 20'000;
constexpr double kLossUnit = 1 << 20;

// Keys below this are a share of all.
uint64_t BoundOf(double share) {
  return share >= 1 ? ~uint64_t{0} : uint64_t(std::ldexp(share, 64));
}

int32_t Position(std::span<const ForestColumn> columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &ForestColumn::name);
  return int32_t(found - columns.begin());
}

// Names were checked with the options.
ColumnRules RulesOf(const BoostSpec& spec) {
  ColumnRules rules;
  rules.directions.resize(spec.columns.size());
  for (const MonotoneColumn& each : spec.trees.monotone) {
    rules.directions[size_t(Position(spec.columns, each.column))] =
        each.direction == Direction::kRising ? 1 : -1;
  }
  for (const auto& names : spec.trees.interactions) {
    std::vector<int32_t>& list = rules.together.emplace_back();
    for (const std::string& name : names) list.push_back(Position(spec.columns, name));
  }
  return rules;
}

}  // namespace

Result<std::unique_ptr<BoostingRows>> BoostingRows::Make(const BoostSpec& spec,
                                                         const BoostInput& input,
                                                         Communicator& communicator) {
  std::unique_ptr<BoostingRows> out(new BoostingRows(spec, input, communicator));
  PT_TRY(out->Prepare());
  return out;
}

Status BoostingRows::Prepare() {
  PT_LET(loss_, MakeTreeLoss(spec_.loss, spec_.target));
  rules_ = RulesOf(spec_);
  PT_LET(bins_, MakeBins(in_.rows, spec_.columns, spec_.trees.bins, communicator_));
  const BinRoom room{in_.memory_bytes, in_.scratch};
  PT_LET(rows_, BinnedRows::Make(in_.rows, bins_, room));
  PT_LET(targets_, ReadTargets(in_.rows, spec_.target, spec_.class_weights));
  PT_TRY(ReadKeys());
  if (in_.validation != nullptr) {
    PT_LET(validation_rows_, BinnedRows::Make(*in_.validation, bins_, room));
  }
  const auto rows = size_t(targets_.rows), outputs = size_t(spec_.target.outputs());
  margins_.resize(rows * outputs);
  if (validation_rows_) validation_margins_.resize(size_t(validation_rows_->rows()) * outputs);
  pairs_.resize(rows);
  words_.resize(rows);
  chosen_.resize(rows);
  std::iota(chosen_.begin(), chosen_.end(), uint32_t{0});
  PT_LET(grower_, Grower::Make(spec_.trees, *rows_, bins_, rules_, communicator_));
  return Status::OK();
}

Status BoostingRows::ReadKeys() {
  const uint64_t bound = BoundOf(kLossRows / double(in_.rows.total_rows()));
  PT_TRY(ForOwnRows(in_.rows, [&](const PackedRows& block) {
    const size_t first = keys_.size();
    keys_.resize(first + size_t(block.size()));
    WriteHighKeys(block.row(0), block.schema().width(), std::span(keys_).subspan(first));
    return Status::OK();
  }));
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] <= bound) sample_.push_back(uint32_t(i));
  }
  return Status::OK();
}

int64_t BoostingRows::disk_bytes() const {
  return rows_->disk_bytes() + (validation_rows_ ? validation_rows_->disk_bytes() : 0);
}

Result<std::vector<float>> BoostingRows::FirstOutputs() {
  const int64_t outputs = spec_.target.outputs();
  std::vector<float> first(static_cast<size_t>(outputs));
  std::ranges::fill(margins_, 0.0F);
  loss_->Begin(margins_, targets_);
  for (int64_t o = 0; o < outputs; ++o) {
    float& at = first[size_t(o)];
    if (const auto level = loss_->level(o)) {
      std::vector<float> labels(pairs_.size());
      for (size_t i = 0; i < labels.size(); ++i) {
        labels[i] = targets_.labels[i * size_t(targets_.labels_per_row) + size_t(loss_->label(o))];
      }
      const std::span<const uint32_t> all = chosen_;
      PT_LET(const auto found,
             LeafQuantiles(std::span(&all, 1), labels, targets_.weights, *level, communicator_));
      at = found[0];
      continue;
    }
    // A constant's best value, by Newton's method.
    constexpr int kMostSteps = 50;
    constexpr float kSettled = 1e-6F;
    std::vector<float> margins(pairs_.size());
    for (int step = 0; step < kMostSteps; ++step) {
      std::ranges::fill(margins, at);
      loss_->Gradients(o, margins, targets_, pairs_);
      PT_LET(const float next, FirstOutput(o, pairs_, at));
      const bool settled = std::fabs(next - at) <= kSettled * (1 + std::fabs(at));
      at = next;
      if (settled || !loss_->bends()) break;
    }
  }
  return first;
}

// Collective. One step from the constant `from`, whose pairs these are.
Result<float> BoostingRows::FirstOutput(int64_t output, std::span<const GradientPair> pairs,
                                        float from) {
  PT_LET(const Grid grid, MakeGrid(pairs, communicator_));
  RoundToGrid(pairs, keys_, DrawOfTree(spec_.train.seed, -1 - output), grid, words_);
  std::array<int64_t, 2> sums{};
  for (const uint64_t word : words_) {
    sums[0] += int32_t(uint32_t(word >> 32));
    sums[1] += uint32_t(word);
  }
  PT_TRY(communicator_.AllReduce(AsBuffer(std::span(sums)), Op::kSum));
  const double hessian = grid.HessianOf(sums[1]);
  if (hessian <= 0) return from;
  double step = loss_->Step(grid.GradientOf(sums[0]), hessian);
  if (loss_->most_step() > 0) step = std::clamp(step, -loss_->most_step(), loss_->most_step());
  return float(from + step);
}

Status BoostingRows::PredictInto(const ShardedRows& rows, const Forest& forest,
                                 std::span<float> margins) const {
  const BatchForest fast(forest);
  const auto outputs = size_t(forest.outputs());
  const auto count = size_t(CountOwnRows(rows));
  std::vector<float> features, out;
  size_t at = 0;
  return ForOwnRows(rows, [&](const PackedRows& block) {
    features.resize(size_t(block.size()) * forest.columns.size());
    out.resize(size_t(block.size()) * outputs);
    CopyFeatures(block, features);
    fast.Predict(features, block.size(), out);
    for (size_t i = 0; i < size_t(block.size()); ++i, ++at) {
      for (size_t o = 0; o < outputs; ++o) margins[o * count + at] = out[i * outputs + o];
    }
    return Status::OK();
  });
}

Status BoostingRows::StartAt(const Forest& forest) {
  PT_TRY(PredictInto(in_.rows, forest, margins_));
  if (in_.validation == nullptr) return Status::OK();
  return PredictInto(*in_.validation, forest, validation_margins_);
}

Result<std::vector<Tree>> BoostingRows::Grow(int64_t round) {
  clipped_ = 0;
  if (spec_.trees.rows < 1) chosen_ = ChooseRows(round);
  loss_->Begin(margins_, targets_);
  std::vector<Tree> trees;
  for (int64_t o = 0; o < spec_.target.outputs(); ++o) {
    PT_LET(Tree tree, GrowOne(round, o));
    trees.push_back(std::move(tree));
  }
  return trees;
}

Result<Tree> BoostingRows::GrowOne(int64_t round, int64_t output) {
  const int64_t number = round * spec_.target.outputs() + output;
  loss_->Gradients(output, MarginsOf(output), targets_, pairs_);
  PT_LET(const Grid grid, MakeGrid(pairs_, communicator_));
  clipped_ += grid.clipped;
  RoundToGrid(pairs_, keys_, DrawOfTree(spec_.train.seed, number), grid, words_);
  PT_LET(Grown grown, grower_->Grow(grid, words_, chosen_, ChooseColumns(number)));
  if (const auto level = loss_->level(output)) {
    PT_TRY(TakeQuantiles(grown, output, *level));
  }
  if (loss_->most_step() > 0) {
    const auto most = float(loss_->most_step() * spec_.trees.learning_rate);
    for (TreeNode& node : grown.tree.nodes) node.value = std::clamp(node.value, -most, most);
  }
  MoveMargins(grown, output);
  return std::move(grown.tree);
}

Status BoostingRows::TakeQuantiles(Grown& grown, int64_t output, double level) {
  std::vector<float> left(pairs_.size());
  const std::span<const float> margins = MarginsOf(output);
  const auto stride = size_t(targets_.labels_per_row);
  const float* const labels = targets_.labels.data() + loss_->label(output);
  for (size_t i = 0; i < left.size(); ++i) left[i] = labels[i * stride] - margins[i];
  std::vector<std::span<const uint32_t>> leaves;
  for (const Grown::Leaf& leaf : grown.leaves) leaves.push_back(leaf.rows);
  PT_LET(const auto values, LeafQuantiles(leaves, left, targets_.weights, level, communicator_));
  for (size_t l = 0; l < leaves.size(); ++l) {
    grown.tree.nodes[size_t(grown.leaves[l].node)].value =
        float(spec_.trees.learning_rate * values[l]);
  }
  return Status::OK();
}

void BoostingRows::MoveMargins(const Grown& grown, int64_t output) {
  const std::span<float> margins = MarginsOf(output);
  if (chosen_.size() == margins.size()) {
    for (const Grown::Leaf& leaf : grown.leaves) {
      const float value = grown.tree.nodes[size_t(leaf.node)].value;
      for (const uint32_t row : leaf.rows) margins[row] += value;
    }
  } else {
    AddLeaves(*rows_, grown.tree, grown.rules, margins);
  }
  if (!validation_rows_) return;
  const auto rows = size_t(validation_rows_->rows());
  AddLeaves(*validation_rows_, grown.tree, grown.rules,
            std::span(validation_margins_).subspan(size_t(output) * rows, rows));
}

std::vector<uint32_t> BoostingRows::ChooseRows(int64_t round) const {
  const uint64_t draw = DrawOfTree(spec_.train.seed, kRowsTag + round);
  const uint64_t bound = BoundOf(spec_.trees.rows);
  std::vector<uint32_t> chosen;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (DrawOfRow(draw, keys_[i]) <= bound) chosen.push_back(uint32_t(i));
  }
  return chosen;
}

// Exactly the share of the columns, or kFewestColumns: with few columns every tree needs them all.
std::vector<int32_t> BoostingRows::ChooseColumns(int64_t tree) const {
  std::vector<int32_t> columns(spec_.columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  if (spec_.trees.columns >= 1) return columns;
  const uint64_t draw = DrawOfTree(spec_.train.seed, kColumnsTag + tree);
  const auto count = size_t(std::ceil(spec_.trees.columns * double(columns.size())));
  std::ranges::sort(columns, {}, [&](int32_t column) { return DrawOfRow(draw, uint64_t(column)); });
  columns.resize(std::min(columns.size(), std::max(count, kFewestColumns)));
  std::ranges::sort(columns);
  return columns;
}

LossSample BoostingRows::SampleLoss() const {
  LossSample sums;
  const auto outputs = size_t(spec_.target.outputs()), rows = size_t(targets_.rows);
  std::vector<float> margins(outputs);
  for (const uint32_t row : sample_) {
    for (size_t o = 0; o < outputs; ++o) margins[o] = margins_[o * rows + row];
    const std::span<const float> labels(
        targets_.labels.data() + row * size_t(targets_.labels_per_row),
        size_t(targets_.labels_per_row));
    const double weight = targets_.weights[row];
    constexpr double kMost = 1e12;  // Far from the end of whole numbers, even summed.
    sums.loss += std::llround(std::clamp(weight * loss_->LossOf(margins, labels), -kMost, kMost) *
                              kLossUnit);
    sums.weight += std::llround(std::min(weight, kMost) * kLossUnit);
  }
  return sums;
}

}  // namespace protium
