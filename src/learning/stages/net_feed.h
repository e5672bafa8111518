// SPDX-License-Identifier: Apache-2.0
// Which columns feed which inputs of an ONNX net, and their values as tensors.
//
// 1. If the columns are named as the inputs are, each feeds its own. Otherwise they feed the inputs
//    in order: an input of shape [rows, 4] takes four numbers or a list of four.
// 2. NULL is NaN for an input of fractions and "" for one of texts. A row with NULL in a list, or
//    where whole numbers or flags are fed, has no outputs: all of them are NULL.
#pragma once

#include <arrow/type_fwd.h>

#include <span>
#include <string>
#include <vector>

#include "onnx_runtime/net.h"
#include "stages/stage.h"

namespace protium {

// A column that feeds a net: its name and the length of its lists; 0 for numbers and texts.
struct FedColumn {
  std::string input;
  int64_t length = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("length", length);
  }
};

class NetFeed {
 public:
  NetFeed() = default;
  // Fails with Exit::kUsage for columns that the net's inputs cannot take, or too few or too many.
  static Result<NetFeed> Make(const std::vector<NetValue>& inputs, std::vector<FedColumn> columns);

  const std::vector<FedColumn>& columns() const { return columns_; }
  // Whether input `i` of the stage is a text.
  bool TakesText(size_t i) const { return element_of_[i] == NetElement::kString; }
  NetElement element_of(size_t i) const { return element_of_[i]; }

  // One tensor for each input of the net, of rows [begin, begin + rows) of `columns`. Numbers are
  // doubles, lists of any type. Clears valid[begin + i] of rows without outputs.
  Result<std::vector<NetTensor>> Tensors(const arrow::ArrayVector& columns, int64_t begin,
                                         int64_t rows, std::vector<bool>& valid) const;
  // One row of zeros and empty texts.
  std::vector<NetTensor> Probe() const;

 private:
  struct Slot {
    std::string name;
    NetElement element = NetElement::kNone;
    std::vector<int64_t> shape;  // Without the rows.
    int64_t width = 1;
    std::vector<size_t> columns;
  };
  Status Assign(const std::vector<NetValue>& inputs);
  Status Complete(const NetValue& input, Slot& slot) const;
  int64_t WidthOf(const Slot& slot) const;
  NetTensor Empty(const Slot& slot, int64_t rows) const;
  Status Fill(const Slot& slot, const arrow::ArrayVector& columns, int64_t begin, NetTensor& tensor,
              std::vector<bool>& valid) const;

  std::vector<FedColumn> columns_;
  std::vector<NetElement> element_of_;  // By column.
  std::vector<Slot> slots_;             // By input of the net.
};

}  // namespace protium
