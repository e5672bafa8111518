// SPDX-License-Identifier: Apache-2.0
// The columns of net.json as what a net reads.
#pragma once

#include "base/json.h"
#include "onnx/cells.h"
#include "onnx_graph/net.h"

namespace protium::onnx {

// The net of net.json.
Result<GraphedNet> NetOf(const Json& net);

// Borrows both.
class ColumnsFeed : public NetFeed {
 public:
  ColumnsFeed(const Json& net, Cells& cells, Graph& graph)
      : net_(net), cells_(cells), graph_(graph) {}
  Result<Value> Numbers() override;  // Each is cast once, from float64.
  Result<Value> Category(size_t at) override;
  Result<Value> List(size_t at) override;

 private:
  const Json& net_;
  Cells& cells_;
  Graph& graph_;
};

}  // namespace protium::onnx
