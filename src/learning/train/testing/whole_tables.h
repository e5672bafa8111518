// SPDX-License-Identifier: Apache-2.0
// A net whose tables have gradients like any other parameter: what rows are compared with.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tensor/net.h"

namespace protium {

class WholeTables final : public Net {
 public:
  explicit WholeTables(std::unique_ptr<Net> net)
      : net_(std::move(net)), parameters_(net_->parameters()) {
    for (Variable& each : parameters_) each.table = false;
  }
  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return net_->buffers(); }
  int64_t least_rows() const override { return net_->least_rows(); }
  int64_t members() const override { return net_->members(); }
  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) override {
    net_->Bind(std::move(parameters), std::move(buffers));
  }
  void Initialise(uint64_t key) override { net_->Initialise(key); }
  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override {
    return net_->Forward(rows, training);
  }
  void Backward(const FloatValues& outputs, const GradientSink& sink) override {
    net_->Backward(outputs, sink);
  }

 private:
  std::unique_ptr<Net> net_;
  std::vector<Variable> parameters_;
};

}  // namespace protium
