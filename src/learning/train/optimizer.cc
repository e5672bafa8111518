// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "recipe/moves_rows.h"
#include "train/name_pattern.h"
#include "train/state_tensors.h"
#include "train/update_kernels.h"

namespace protium {
namespace {

constexpr int64_t kAlignFloats = 16;  // As Weights aligns parameters.

std::span<const int64_t> IdsWithin(std::span<const int64_t> ascending, int64_t begin, int64_t end) {
  const auto from = std::ranges::lower_bound(ascending, begin);
  return {from, std::ranges::lower_bound(ascending, end)};
}

}  // namespace

Result<std::vector<double>> ParameterRates(const std::vector<ParameterOptions>& options,
                                           const std::vector<Variable>& parameters,
                                           const std::string& where,
                                           const std::vector<Variable>& buffers) {
  std::vector<double> rates(parameters.size(), 1);
  // From the last to the first, so that the first matching entry wins.
  for (size_t o = options.size(); o-- > 0;) {
    if (NamesStatistics(options[o].name, parameters, buffers)) continue;
    PT_LET(const std::vector<size_t> found,
           FindByPattern(options[o].name, parameters, fmt::format("{}.{}.name", where, o)));
    for (const size_t i : found) rates[i] = options[o].rate;
  }
  return rates;
}

Result<Optimizer> Optimizer::Make(const Choice& choice, Weights& weights, std::vector<double> rates,
                                  int32_t threads, bool whole_tables, const OptimizerPart& part) {
  PT_LET(std::unique_ptr<UpdateRule> rule, MakeUpdateRule(choice));
  if (rates.empty()) rates.assign(weights.parts().size(), 1);
  Optimizer out(std::move(rule), weights, std::move(rates),
                !whole_tables && MovesReadRowsOnly(choice), part);
  out.threads_ = threads;
  PT_TRY(out.MakeState());
  return out;
}

Status Optimizer::Change(const Choice& choice) {
  PT_LET(std::unique_ptr<UpdateRule> rule, MakeUpdateRule(choice));
  if (rule->state() != rule_->state()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the optimizer's state would be another one in mid-training",
                 .where = "train.changes",
                 .fix = "leave momentum 0 where it is 0, and above 0 where it is above 0"});
  }
  rule_ = std::move(rule);
  return Status::OK();
}

void Optimizer::SetRates(std::vector<double> rates) {
  rates_ = std::move(rates);
  all_learn_ = std::ranges::find(rates_, 0.0) == rates_.end();
}

Optimizer::Optimizer(std::unique_ptr<UpdateRule> rule, Weights& weights, std::vector<double> rates,
                     bool by_rows, const OptimizerPart& part)
    : rule_(std::move(rule)),
      weights_(&weights),
      layout_(GradientLayout::Of(weights, by_rows)),
      part_(part),
      steps_(weights.parts().size()) {
  SetRates(std::move(rates));
  LayOutState();
}

Status Optimizer::MakeState() {
  int64_t own_size = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Range own = OwnRange(i);
    own_offsets_.push_back(own_size);
    own_size += shared() ? (own.end - own.begin) * StateWidth(i) : state_parts_[i].count;
  }
  for (const FloatMemory& each : part_.state) {
    PT_CHECK(each.size() == own_size);
    if (!part_.begun && rule_->initial() != 0) std::ranges::fill(each.floats(), rule_->initial());
  }
  state_ = part_.state;
  for (size_t i = state_.size(); i < rule_->state().size(); ++i) {
    PT_LET(FloatMemory made, FloatMemory::Make(own_size, part_.disk));
    if (rule_->initial() != 0) std::ranges::fill(made.floats(), rule_->initial());
    state_.push_back(std::move(made));
  }
  gathered_.resize(state_.size() + 1);
  return Status::OK();
}

// What lies between two parameters in the weights also lies there in the state.
void Optimizer::LayOutState() {
  const auto& parts = weights_->parts();
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t end = i + 1 < parts.size() ? parts[i + 1].offset : weights_->size();
    int64_t room = end - parts[i].offset;
    if (rule_->state_by_row() && std::ranges::find(layout_.tables, i) != layout_.tables.end()) {
      const int64_t rows = weights_->parameter(i).shape[0];
      room = (rows + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
    }
    state_parts_.push_back({state_size_, room});
    state_size_ += room;
  }
}

std::optional<size_t> Optimizer::TableOf(size_t parameter) const {
  const auto found = std::ranges::find(layout_.tables, parameter);
  if (found == layout_.tables.end()) return std::nullopt;
  return size_t(found - layout_.tables.begin());
}

int64_t Optimizer::StateWidth(size_t parameter) const {
  const auto table = TableOf(parameter);
  return table && !rule_->state_by_row() ? layout_.widths[*table] : 1;
}

// Whole rows, or whole cache lines with the padding behind the last.
Optimizer::Range Optimizer::RangeOf(size_t parameter, int32_t rank) const {
  const bool rows = TableOf(parameter).has_value();
  const int64_t unit = rows ? 1 : kAlignFloats;
  const int64_t units =
      rows ? weights_->parameter(parameter).shape[0] : state_parts_[parameter].count / unit;
  return {units * rank / part_.world * unit, units * (rank + 1) / part_.world * unit};
}

std::vector<Weights::Part> Optimizer::StateOf(int32_t rank) const {
  std::vector<Weights::Part> out;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Range range = RangeOf(i, rank);
    const int64_t width = StateWidth(i);
    out.push_back(
        {state_parts_[i].offset + range.begin * width, (range.end - range.begin) * width});
  }
  return out;
}

std::vector<Weights::Part> Optimizer::MovedBy(int32_t rank, const Gradient& gradient,
                                              std::span<const float> defined) const {
  std::vector<Weights::Part> out;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (!Moves(i, defined)) continue;
    const Range range = RangeOf(i, rank);
    const int64_t offset = weights_->parts()[i].offset;
    const auto table = TableOf(i);
    if (!table) {
      out.push_back({offset + range.begin, range.end - range.begin});
      continue;
    }
    const int64_t width = layout_.widths[*table];
    for (const int64_t id : IdsWithin(gradient.sum.tables[*table].ids, range.begin, range.end)) {
      out.push_back({offset + id * width, width});
    }
  }
  return out;
}

// Parameters first .. end - 1, which are neighbours of the same rate and number of steps, with the
// padding between them.
bool Optimizer::StepWhole(const Gradient& gradient, size_t first, size_t end) {
  const auto& weights = weights_->parts();
  if (!shared()) {
    const int64_t until = end < weights.size() ? weights[end].offset : weights_->size();
    return StepRange(gradient, first, {0, until - weights[first].offset});
  }
  bool finite = true;
  for (size_t i = first; i < end; ++i) finite = StepRange(gradient, i, OwnRange(i)) && finite;
  return finite;
}

// Each element is a chain of its own, so parts give the same bits as the whole. Threads are started
// each time, which costs nothing compared with a part of this size.
bool Optimizer::StepRange(const Gradient& gradient, size_t parameter, const Range& range) {
  constexpr int64_t kLeast = 1 << 20;
  const int64_t count = range.end - range.begin;
  if (count == 0) return true;
  const int64_t parts = std::clamp<int64_t>(count / kLeast, 1, threads_);
  std::vector<char> finite(size_t(parts), 1);
  const auto run = [&](int64_t part) {
    const int64_t from = count * part / parts, to = count * (part + 1) / parts;
    finite[size_t(part)] = StepPart(gradient, range.begin + from, to - from, parameter) ? 1 : 0;
  };
  std::vector<std::jthread> others;
  for (int64_t part = 1; part < parts; ++part) others.emplace_back(run, part);
  run(0);
  others.clear();  // Waits for them.
  return std::ranges::find(finite, 0) == finite.end();
}

// `begin`: from the start of the parameter.
bool Optimizer::StepPart(const Gradient& gradient, int64_t begin, int64_t count, size_t parameter) {
  std::vector<float*> state;
  for (const FloatMemory& each : state_) {
    state.push_back(each.data() + own_offsets_[parameter] + begin - OwnRange(parameter).begin);
  }
  return rule_->Update(
      {.scale = {.divisor = gradient.divisor, .factor = gradient.factor, .limit = gradient.limit},
       .sum = gradient.sum.whole.data() + layout_.parts[parameter].offset + begin,
       .count = count,
       .weights = weights_->parameters().data() + weights_->parts()[parameter].offset + begin,
       .state = state,
       .step = steps_[parameter],
       .rate = gradient.rate * rates_[parameter]});
}

// Some rows at a time go through the rule side by side: a call for each would take longer than its
// arithmetic, and these stay in the cache.
bool Optimizer::StepTable(const Gradient& gradient, size_t table) {
  constexpr size_t kRows = 128;
  const SummedRows& rows = gradient.sum.tables[table];
  const int64_t width = layout_.widths[table];
  const Range range = OwnRange(layout_.tables[table]);
  const std::span<const int64_t> own = IdsWithin(rows.ids, range.begin, range.end);
  const float* values = rows.values.data() + (own.data() - rows.ids.data()) * width;
  bool finite = true;
  for (size_t at = 0; at < own.size(); at += kRows) {
    const auto ids = own.subspan(at, std::min(kRows, own.size() - at));
    finite = StepRows(gradient, table, ids, values) && finite;
    values += int64_t(ids.size()) * width;
  }
  return finite;
}

bool Optimizer::StepRows(const Gradient& gradient, size_t table, std::span<const int64_t> ids,
                         const float* sum) {
  const size_t parameter = layout_.tables[table];
  Carry(false, table, ids);
  std::vector<float*> state;
  for (size_t i = 0; i < state_.size(); ++i) state.push_back(gathered_[i + 1].data());
  const bool finite = rule_->Update(
      {.scale = {.divisor = gradient.divisor, .factor = gradient.factor, .limit = gradient.limit},
       .sum = sum,
       .count = int64_t(ids.size()) * layout_.widths[table],
       .weights = gathered_[0].data(),
       .state = state,
       .step = steps_[parameter],
       .rate = gradient.rate * rates_[parameter],
       .row_width = layout_.widths[table]});
  Carry(true, table, ids);
  return finite;
}

RowPlane Optimizer::PlaneOf(size_t table, size_t plane) {
  const size_t parameter = layout_.tables[table];
  const int64_t width = plane > 0 && rule_->state_by_row() ? 1 : layout_.widths[table];
  if (plane == 0) {
    return {weights_->parameters().data() + weights_->parts()[parameter].offset, width};
  }
  const int64_t first = OwnRange(parameter).begin;
  return {state_[plane - 1].data() + own_offsets_[parameter] - first * width, width};
}

// Copies weights and state of these rows to `gathered_`, or back.
void Optimizer::Carry(bool back, size_t table, std::span<const int64_t> ids) {
  for (size_t i = 0; i < gathered_.size(); ++i) {
    const auto [base, width] = PlaneOf(table, i);
    gathered_[i].resize(ids.size() * size_t(width));
    float* packed = gathered_[i].data();
    for (const int64_t id : ids) {
      float* const row = base + id * width;
      if (back) std::copy_n(packed, width, row);
      if (!back) std::copy_n(row, width, packed);
      packed += width;
    }
  }
}

// Neighbouring parameters with the same rate and number of steps are moved together, including the
// padding between them. Padding stays zero: its gradients and weights are zero, and every rule
// makes a step of zero of those, whatever its state. Parameters count their own steps because
// Adam's bias corrections and Adagrad's rate depend on them: one that is rarely used is corrected
// as long as its moments are young.
bool Optimizer::Step(const Gradient& gradient, std::span<const float> defined) {
  bool finite = true;
  const size_t parameters = weights_->parts().size();
  const auto moves = [&](size_t i) { return Moves(i, defined); };
  size_t table = 0;  // The next one.
  const auto is_table = [&](size_t i) {
    return table < layout_.tables.size() && layout_.tables[table] == i;
  };
  for (size_t i = 0; i < parameters;) {
    const size_t first = i;
    if (is_table(i)) {
      if (moves(i)) {
        ++steps_[i];
        finite = StepTable(gradient, table) && finite;
      }
      ++table;
      ++i;
      continue;
    }
    if (!moves(i)) {
      ++i;
      continue;
    }
    const int64_t step = steps_[i] + 1;
    while (i < parameters && !is_table(i) && moves(i) && steps_[i] + 1 == step &&
           rates_[i] == rates_[first]) {
      steps_[i++] = step;
    }
    finite = StepWhole(gradient, first, i) && finite;
  }
  return finite;
}

bool Optimizer::MoveRows(const Gradient& gradient, std::span<const float> defined,
                         std::span<const size_t> tables) {
  bool finite = true;
  for (const size_t table : tables) {
    const size_t parameter = layout_.tables[table];
    if (!Moves(parameter, defined)) continue;
    // Counted when the step is complete.
    ++steps_[parameter];
    finite = StepTable(gradient, table) && finite;
    --steps_[parameter];
  }
  return finite;
}

int64_t Optimizer::StateSize(const UpdateRule& rule, const Net& net) {
  int64_t floats = 0;
  for (const Variable& each : net.parameters()) {
    const int64_t count = rule.state_by_row() && each.table ? each.shape[0] : each.count();
    floats += (count + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
  }
  return floats;
}

// Each element belongs to the lane of its place among the weights, in which padding and the rows
// that are not here are zeros: the bits are those of whole tables. Without frozen parameters all
// are one sum.
double Optimizer::Norm(const GradientSum& sum) const {
  double squares = 0;
  SquareLanes lanes;
  size_t table = 0;
  for (size_t i = 0; i < rates_.size(); ++i) {
    const bool rows = table < layout_.tables.size() && layout_.tables[table] == i;
    const size_t t = rows ? table++ : table;
    if (rates_[i] <= 0) continue;
    if (rows) {
      const int64_t width = layout_.widths[t];
      const float* row = sum.tables[t].values.data();
      for (const int64_t id : sum.tables[t].ids) {
        AddSquares(row, width, id * width, lanes);
        row += width;
      }
    } else {
      const Weights::Part& part = layout_.parts[i];
      AddSquares(sum.whole.data() + part.offset, part.count, 0, lanes);
    }
    if (!all_learn_) squares += std::exchange(lanes, {}).Total();
  }
  return std::sqrt(all_learn_ ? lanes.Total() : squares);
}

void Optimizer::Reset() {
  std::ranges::fill(steps_, 0);
  for (const FloatMemory& each : state_) std::ranges::fill(each.floats(), rule_->initial());
}

std::vector<RowPlane> Optimizer::RowPlanes(size_t table) {
  std::vector<RowPlane> planes;
  for (size_t i = 0; i <= state_.size(); ++i) planes.push_back(PlaneOf(table, i));
  return planes;
}

std::vector<std::span<std::byte>> Optimizer::Others(std::span<const size_t> without) {
  std::vector<std::span<std::byte>> out;
  const auto add = [&](float* floats, const Weights::Part& part) {
    out.push_back(std::as_writable_bytes(std::span(floats + part.offset, size_t(part.count))));
  };
  for (size_t i = 0; i < weights_->parts().size(); ++i) {
    if (std::ranges::find(without, i) != without.end()) continue;
    add(weights_->parameters().data(), weights_->parts()[i]);
    for (const FloatMemory& each : state_) add(each.data(), state_parts_[i]);
  }
  out.push_back(std::as_writable_bytes(std::span(steps_)));
  return out;
}

std::vector<NamedTensor> Optimizer::Tensors() {
  std::vector<NamedTensor> out;
  out.push_back({"steps", "I64", {int64_t(steps_.size())}, std::as_bytes(std::span(steps_))});
  const std::vector<std::string> names = rule_->state();
  for (size_t i = 0; i < names.size() && !shared(); ++i) {
    out.push_back({names[i], "F32", {state_size_}, std::as_bytes(state_[i].floats())});
  }
  return out;
}

Status Optimizer::Load(const Safetensors& file, const std::string& where) {
  const auto refuse = [&](const std::string& name) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("optimiser state does not fit the net: {}", where),
                 .where = where,
                 .why = "tensor " + name + " is missing or of another shape"});
  };
  for (const NamedTensor& to : Tensors()) {
    if (!TakeTensor(file, to)) return refuse(to.name);
  }
  const std::vector<std::string> names = rule_->state();
  for (size_t i = 0; i < names.size() && shared(); ++i) {
    const NamedTensor* const from = file.Find(names[i]);
    const std::vector<int64_t> shape = {state_size_};
    if (from == nullptr || from->dtype != "F32" || from->shape != shape) return refuse(names[i]);
    std::byte* to = std::as_writable_bytes(state_[i].floats()).data();
    for (const Weights::Part& part : StateOf(part_.rank)) {
      const size_t bytes = size_t(part.count) * sizeof(float);
      std::memcpy(to, from->data.data() + part.offset * int64_t(sizeof(float)), bytes);
      to += bytes;
    }
  }
  return Status::OK();
}

}  // namespace protium
