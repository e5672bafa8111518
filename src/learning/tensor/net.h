// SPDX-License-Identifier: Apache-2.0
// What is trained: a function of packed rows with parameters, forward and backward.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/sparse_rows.h"
#include "format/safetensors.h"
#include "tensor/batch.h"
#include "tensor/device.h"
#include "tensor/values.h"

namespace protium {

struct IdTables;

// Whole numbers of buffers are stored as float32, which is exact up to here.
inline constexpr int64_t kMostWhole = int64_t{1} << 24;

struct Variable {
  std::string name;
  std::vector<int64_t> shape;
  bool whole = false;  // A buffer of whole numbers, none above kMostWhole.
  // A parameter [rows, width] of which the rows of a batch read a few rows each: the net can add
  // their gradients to GradientSink::tables.
  bool table = false;
  // The column of ids (id_tables.h) that number the rows of this table; -1: none.
  int64_t ids = -1;
  int64_t count() const {
    int64_t n = 1;
    for (const int64_t dimension : shape) n *= dimension;
    return n;
  }
};

// Where one shard's gradient is written: values for each parameter, of its shape.
struct GradientSink {
  std::span<const FloatValues> parameters;
  bool add = false;          // Add to the values, in one addition per element; else overwrite.
  std::span<float> defined;  // Grows by 1 for every parameter that got a gradient.
  // By parameter: not null for a table whose gradient goes there, row by row, instead of to
  // `parameters`, which has no memory for it. Empty: there is none.
  std::span<SparseRows* const> tables = {};
};

// One copy of a net on one rank; one thread. Its functions may throw: callers go through Guard().
// Given the same rows, weights and key they return the same bits.
class Net {
 public:
  virtual ~Net() = default;
  // What it learns, and what else it carries along; float32, in a fixed order.
  virtual const std::vector<Variable>& parameters() const = 0;
  virtual const std::vector<Variable>& buffers() const = 0;
  // What is stored with these and never changes: the ids of its rows (tensor/id_tables.h).
  // Borrowed.
  virtual std::vector<NamedTensor> constants() const { return {}; }
  // The ids of Variable::ids, among the constants; nullptr: there are none.
  virtual std::shared_ptr<const IdTables> ids() const { return nullptr; }
  // The fewest rows a training forward works on.
  virtual int64_t least_rows() const = 0;
  // Whether it can compute where NetInputs::device says, if that is a device with its own memory.
  virtual bool runs_on_devices() const { return false; }
  // Whether Forward() without training returns the same bits for a row among any number of rows.
  virtual bool rows_apart() const { return false; }
  // Whether Forward() without training, from now on, multiplies by weights of 8 bits
  // (nets/int8_panels.h). Returns false, and nothing changes, for nets that cannot.
  virtual bool PredictInInt8(bool) { return false; }
  // How many outputs each row has in training, each with a loss of its own: those of all rows by
  // the first member, then those by the next. A prediction has one.
  virtual int64_t members() const { return 1; }
  // Sets the memory of parameters and buffers, where the net computes; called before anything
  // below.
  virtual void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) = 0;
  // Sets parameters and buffers to their values at the start of training.
  virtual void Initialise(uint64_t key) = 0;
  // Returns [rows, outputs] or, with `training`, [members * rows, outputs], where it computes,
  // valid until the next call. With `training`, the key of all randomness of this forward, it may
  // draw and update buffers, and Backward may follow.
  virtual FloatValues Forward(const BatchRows& rows, const uint64_t* training) = 0;
  // `outputs`: the derivative of the loss by every output of the last Forward, in its shape.
  virtual void Backward(const FloatValues& outputs, const GradientSink& sink) = 0;
};

// What a net is made for.
struct NetInputs {
  RowSchema rows;                       // It reads the features among them.
  std::vector<int64_t> cardinalities;   // One per element of the field "categories".
  std::shared_ptr<const IdTables> ids;  // Of the field "ids"; nullptr: there is none.
  int64_t outputs = 1;                  // For each row.
  // Training forwards compute under LibTorch's autocast to bfloat16. Parameters, gradients and
  // outputs stay float32. Not for nets with kernels of their own.
  bool bfloat16 = false;
  ComputeDevice device;  // Where it computes.
  int32_t threads = 1;   // How many share the work of one forward or backward.

  // Elements of a field, 0 if it does not exist.
  int64_t Width(std::string_view field) const {
    const RowField* const found = rows.Find(field);
    return found == nullptr ? 0 : found->elements();
  }
};

using NetBuilder =
    std::function<Result<std::unique_ptr<Net>>(const Json& options, const NetInputs& inputs)>;
using NetTable = std::map<std::string, NetBuilder, std::less<>>;

// Builds the net `name` of the table; an unknown name is refused with the nearest one.
Result<std::unique_ptr<Net>> BuildNet(const NetTable& table, const std::string& name,
                                      const Json& options, const NetInputs& inputs);

}  // namespace protium
