// SPDX-License-Identifier: Apache-2.0
// The columns that stages and the net read and make, as values of the graph.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "onnx/onnx.h"
#include "onnx_graph/graph.h"

namespace protium::onnx {

class Cells {
 public:
  // `columns`: name to type, as in schema.json. `categories`: columns whose texts are looked up.
  Cells(Graph& graph, std::map<std::string, std::string> columns, std::set<std::string> categories);

  void Set(const std::string& column, Value value) { values_[column] = std::move(value); }
  // A column as float64, with NaN for NULL.
  Result<Value> Number(const std::string& column);
  // A column of dates or times of the table as float64: the graph takes seconds since 1970.
  Result<Value> Time(const std::string& column);
  // The position of a column's text among the keys, as int64: keys.size() for other texts, one more
  // for NULL.
  Result<Value> Place(const std::string& column, const std::vector<std::string>& keys);
  // A column of the table whose rows are lists of so many numbers, as float32 [rows, length].
  Result<Value> List(const std::string& column, int64_t length);
  // An output of a stage or an input of the graph, unconverted.
  Result<Value> At(const std::string& column);

  const std::vector<OnnxColumn>& inputs() const { return inputs_; }
  // Columns of whole numbers used as categories: NULL cannot be passed for them.
  const std::set<std::string>& without_null() const { return without_null_; }
  // Columns of dates and times, which come as seconds.
  const std::set<std::string>& times() const { return times_; }

 private:
  Result<Value> Open(const std::string& column);
  Value PlaceOfText(const Value& value, std::vector<std::string> keys);

  Graph& graph_;
  const std::map<std::string, std::string> columns_;
  const std::set<std::string> categories_;
  std::map<std::string, Value> values_;
  std::vector<OnnxColumn> inputs_;
  std::set<std::string> without_null_;
  std::set<std::string> times_;
};

// The fault for what a graph cannot express.
Status CannotSay(const std::string& what, const std::string& why);

}  // namespace protium::onnx
