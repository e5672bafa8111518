// SPDX-License-Identifier: Apache-2.0
// For tests: ranks one of which dies in the middle of a collective operation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collective/communicator.h"

namespace protium {

// Wraps `ranks`, which must outlive it, so that this rank fails instead of making the collective
// call with number `life`, counted from 0. It is dead when its communicator has been destroyed,
// which is up to the caller.
class MortalRanks final : public Communicator {
 public:
  MortalRanks(Communicator& ranks, int life) : ranks_(ranks), life_(life) {}
  bool dead() const { return life_ < 0; }
  int life() const { return life_; }  // Calls that are left.
  int32_t rank() const override { return ranks_.rank(); }
  int32_t world() const override { return ranks_.world(); }
  Status AllReduce(Buffer inout, Op op) override {
    PT_TRY(Live());
    return ranks_.AllReduce(inout, op);
  }
  Status Broadcast(std::span<std::byte> inout, int32_t root) override {
    PT_TRY(Live());
    return ranks_.Broadcast(inout, root);
  }
  Result<std::vector<std::string>> AllGather(std::string_view message) override {
    PT_TRY(Live());
    return ranks_.AllGather(message);
  }
  Status Barrier(std::string_view name) override {
    PT_TRY(Live());
    return ranks_.Barrier(name);
  }
  Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) override {
    PT_TRY(Live());
    return ranks_.MakeWindow(bytes);
  }
  Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) override {
    PT_TRY(Live());
    return ranks_.MakeTree(spec);
  }
  // A dead rank sends nothing.
  void Abort(const Status& cause) override {
    if (!dead()) ranks_.Abort(cause);
  }

 private:
  Status Live() { return --life_ < 0 ? Status::Cancelled("it is dead") : Status::OK(); }
  Communicator& ranks_;
  int life_;
};

}  // namespace protium
