// SPDX-License-Identifier: Apache-2.0
// A window (communicator.h) of ranks on one machine, each of which has mapped the bytes of all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/copy.h"
#include "collective/communicator.h"
#include "collective/request.h"
#include "os/memfd.h"

namespace protium {

// The memory of a rank has at least as many bytes as its window.
class MappedWindow : public Window {
 public:
  MappedWindow(int32_t rank, std::vector<int64_t> bytes_of, std::vector<Mapping> memory)
      : rank_(rank), bytes_of_(std::move(bytes_of)), memory_(std::move(memory)) {}

  std::span<std::byte> own() override {
    return {memory_[size_t(rank_)].data(), size_t(size(rank_))};
  }
  int64_t size(int32_t rank) const override { return bytes_of_.at(size_t(rank)); }

  Status Read(int32_t rank, int64_t offset, std::span<std::byte> into) override {
    PT_TRY(CheckWindowRead(*this, int32_t(bytes_of_.size()), rank, offset, int64_t(into.size())));
    CopyBytes(into.data(), Direct(rank) + offset, int64_t(into.size()));
    return Status::OK();
  }

  const std::byte* Direct(int32_t rank) const override { return memory_[size_t(rank)].data(); }

  void Release(int64_t offset, int64_t bytes) override {
    memory_[size_t(rank_)].Release(offset, bytes);
  }

 private:
  int32_t rank_;
  std::vector<int64_t> bytes_of_;
  std::vector<Mapping> memory_;
};

}  // namespace protium
