// SPDX-License-Identifier: Apache-2.0
// An optimiser over all weights of a net, which lie in one flat piece of memory (tensor/weights.h).
// It decides which parameters move in a step and at which rate; the arithmetic is that of an
// UpdateRule. Every element is computed by one chain of IEEE operations, so neither ranges nor
// vector width change bits.
//
// Ranks may share it (shared_optimizer.h): then each has the state of its part of every parameter
// and moves this part alone.
//
// Tables are learned row by row if the rule leaves other rows alone (MovesReadRowsOnly()): their
// gradients come as rows, and a step takes time by these. Where the rule would also move the whole
// table (sgd, adagrad), the bits are the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "collective/sparse_rows.h"
#include "format/safetensors.h"
#include "protium/training.h"
#include "tensor/weights.h"
#include "train/float_memory.h"
#include "train/gradient_layout.h"
#include "train/row_planes.h"
#include "train/update_rule.h"

namespace protium {

// A gradient summed over all shards: in a leaf (GradientLayout), and rows of tables.
struct GradientSum {
  std::span<const float> whole;
  std::span<const SummedRows> tables = {};  // One per GradientLayout::tables.
};

// A gradient as the reduction returns it. Its value is sum / divisor * factor, clamped to
// [-limit, limit], where `sum` is over all shards, `divisor` is the sum of the rows' weights and
// `factor` that of clipping. Scaled while it is read, so that the sum is read once.
struct Gradient {
  GradientSum sum;
  float divisor = 1;
  float factor = 1;
  float limit = std::numeric_limits<float>::infinity();
  double rate = 1;  // Multiplies the learning rate: schedule and plateau of this step.
};

// Returns the factor of each parameter's learning rate, in the order of `parameters`: that of the
// first entry of `options` whose pattern matches its name, else 1. A pattern that matches no
// parameter is a fault of Exit::kUsage at `where`, the key of the options, unless it matches
// statistics among the buffers (NamesStatistics()).
Result<std::vector<double>> ParameterRates(const std::vector<ParameterOptions>& options,
                                           const std::vector<Variable>& parameters,
                                           const std::string& where = "train.parameters",
                                           const std::vector<Variable>& buffers = {});

// Which of the ranks that share an optimiser this is, and where its state lies: in `state`, by
// state of the rule, or in what FloatMemory::Make() makes.
struct OptimizerPart {
  int32_t rank = 0;
  int32_t world = 1;
  std::filesystem::path disk = {};
  std::vector<FloatMemory> state = {};  // Of StateSize() floats each.
  bool begun = false;                   // `state` is what another process has left there.
};

// Called by one thread. Every rank holds a complete one, or its part, and passes it the same sums,
// so all get the same weights.
class Optimizer {
 public:
  // For these weights, which must outlive it. `rates` has one factor per parameter
  // (ParameterRates()); empty: all are 1. A rate of 0 freezes the parameter. All state begins at
  // the rule's initial value. `threads` share the work on large nets. `whole_tables`: it becomes
  // one that moves whole tables.
  static Result<Optimizer> Make(const Choice& choice, Weights& weights,
                                std::vector<double> rates = {}, int32_t threads = 1,
                                bool whole_tables = false, const OptimizerPart& part = {});

  // From the next step on has the options of `choice`, of the same name, and keeps its state.
  // Refuses (Exit::kUsage) options with other state, such as momentum where there was none.
  Status Change(const Choice& choice);

  // From the next step on has these factors, as Make() takes them. What was frozen begins with the
  // state that it has, which is the initial one if it has never learned.
  void SetRates(std::vector<double> rates);

  // Where the gradients are to lie.
  const GradientLayout& layout() const { return layout_; }

  // Moves every parameter that is not frozen and whose `defined` is not 0 by one step, or this
  // rank's part of it. Returns false when a gradient was NaN or infinite: the weights are unusable
  // then, and training has to return to a checkpoint.
  bool Step(const Gradient& gradient, std::span<const float> defined);

  // Moves the rows of these of GradientLayout::tables as Step() does, which must follow with all
  // but these rows, once it is known that all ranks have moved theirs.
  bool MoveRows(const Gradient& gradient, std::span<const float> defined,
                std::span<const size_t> tables);

  // Floats of one state of the rule for the weights of this net, whose tables are learned row by
  // row.
  static int64_t StateSize(const UpdateRule& rule, const Net& net);

  // The L2 norm of the gradient `sum`, without the frozen parameters, whose gradients have no
  // effect.
  double Norm(const GradientSum& sum) const;

  // Sets all state to what it was at first.
  void Reset();

  // Of a table whose rows servers hold (train/served_tables.h): the weights, then each state.
  std::vector<RowPlane> RowPlanes(size_t table);
  // Weights and state of all parameters but those `without`, and how many steps each of all
  // parameters has made; borrowed.
  std::vector<std::span<std::byte>> Others(std::span<const size_t> without);

  // All state, borrowed, as it goes into a checkpoint, but what ranks hold in parts. Load() reads a
  // checkpoint's, of these parts the own ones; it refuses missing tensors and other shapes, naming
  // `where`.
  std::vector<NamedTensor> Tensors();
  Status Load(const Safetensors& file, const std::string& where);

  bool shared() const { return part_.world > 1; }
  // With parts: the weights that a rank moved in the step of this gradient, in a fixed order.
  std::vector<Weights::Part> MovedBy(int32_t rank, const Gradient& gradient,
                                     std::span<const float> defined) const;
  // With parts: the names of the state's tensors, whose complete shape is {state_size()}; the own
  // part of each; and where a rank's part lies in the complete one, piece by piece.
  std::vector<std::string> StateNames() const { return rule_->state(); }
  int64_t state_size() const { return state_size_; }
  float initial_state() const { return rule_->initial(); }
  std::span<float> own_state(size_t tensor) { return state_[tensor].floats(); }
  std::vector<Weights::Part> StateOf(int32_t rank) const;

 private:
  Optimizer(std::unique_ptr<UpdateRule> rule, Weights& weights, std::vector<double> rates,
            bool by_rows, const OptimizerPart& part);
  void LayOutState();
  Status MakeState();
  // A range of a parameter's floats or, of a table that is learned row by row, of its rows.
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
  };
  Range RangeOf(size_t parameter, int32_t rank) const;
  Range OwnRange(size_t parameter) const { return RangeOf(parameter, part_.rank); }
  // Of a table that is learned row by row: its number among these.
  std::optional<size_t> TableOf(size_t parameter) const;
  bool Moves(size_t parameter, std::span<const float> defined) const {
    return defined[parameter] != 0 && rates_[parameter] > 0;
  }
  // Floats of state behind each unit of RangeOf().
  int64_t StateWidth(size_t parameter) const;
  bool StepWhole(const Gradient& gradient, size_t first, size_t end);
  bool StepRange(const Gradient& gradient, size_t parameter, const Range& range);
  bool StepPart(const Gradient& gradient, int64_t begin, int64_t count, size_t parameter);
  bool StepTable(const Gradient& gradient, size_t table);
  bool StepRows(const Gradient& gradient, size_t table, std::span<const int64_t> ids,
                const float* sum);
  void Carry(bool back, size_t table, std::span<const int64_t> ids);
  // The weights of a table, 0, or one of its states, counted from 1: where row 0 is or, in the
  // state of a part, would be.
  RowPlane PlaneOf(size_t table, size_t plane);

  std::unique_ptr<UpdateRule> rule_;
  Weights* weights_;
  GradientLayout layout_;
  OptimizerPart part_;
  int32_t threads_ = 1;
  std::vector<double> rates_;
  bool all_learn_ = true;           // No parameter is frozen.
  std::vector<int64_t> steps_;      // Made by each parameter.
  std::vector<FloatMemory> state_;  // The own part of each of the rule's state().
  // Of complete state, by parameter. As Weights::parts(), but for tables with state by row.
  std::vector<Weights::Part> state_parts_;
  int64_t state_size_ = 0;
  // Where the state of the own range of each parameter begins in state_.
  std::vector<int64_t> own_offsets_;
  // Rows of a table on their way through the rule: weights, then each state.
  std::vector<std::vector<float>> gathered_;
};

}  // namespace protium
