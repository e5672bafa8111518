// SPDX-License-Identifier: Apache-2.0
#include "tcp/window.h"

#include "base/copy.h"
#include "base/fault.h"
#include "os/memfd.h"

namespace protium {
namespace {

class TcpWindow : public Window {
 public:
  TcpWindow(std::shared_ptr<TcpService> service, int32_t rank, uint32_t number,
            std::vector<int64_t> bytes_of, Mapping memory)
      : service_(std::move(service)),
        rank_(rank),
        number_(number),
        bytes_of_(std::move(bytes_of)),
        memory_(std::move(memory)) {
    service_->Open(number_, own());
  }
  ~TcpWindow() override { service_->Close(number_); }

  std::span<std::byte> own() override { return {memory_.data(), size_t(size(rank_))}; }
  int64_t size(int32_t rank) const override { return bytes_of_.at(size_t(rank)); }

  Status Read(int32_t rank, int64_t offset, std::span<std::byte> into) override {
    PT_TRY(CheckWindowRead(*this, int32_t(bytes_of_.size()), rank, offset, int64_t(into.size())));
    PT_TRY(service_->Check());
    if (into.empty()) return Status::OK();
    if (rank != rank_) return service_->Read(rank, number_, offset, into);
    CopyBytes(into.data(), memory_.data() + offset, int64_t(into.size()));
    return Status::OK();
  }

  const std::byte* Direct(int32_t rank) const override {
    return rank == rank_ ? memory_.data() : nullptr;
  }

  void Release(int64_t offset, int64_t bytes) override { memory_.Release(offset, bytes); }

 private:
  std::shared_ptr<TcpService> service_;
  int32_t rank_;
  uint32_t number_;
  std::vector<int64_t> bytes_of_;
  Mapping memory_;
};

// A memfd as on one host, because Mapping::Release() can return its pages.
Result<Mapping> MakeMemory(int64_t bytes) {
  PT_LET(const Memfd memory,
         Memfd::Make("protium-window", RoundUpToPages(std::max<int64_t>(bytes, 1))));
  return memory.Map();
}

}  // namespace

Result<std::unique_ptr<Window>> MakeTcpWindow(Traffic& traffic, uint32_t number, int64_t bytes) {
  Steps none;
  PT_TRY(traffic.Run({.operation = Operation::kWindow, .length = bytes}, none));
  std::vector<int64_t> bytes_of;
  for (int32_t r = 0; r < traffic.world(); ++r) bytes_of.push_back(traffic.Asked(r).length);
  const Status valid = CheckWindowSizes(bytes_of);
  if (!valid.ok()) return traffic.Abort(valid);
  auto memory = MakeMemory(bytes);
  if (!memory.ok()) return traffic.Abort(Annotate(memory.status(), "making a window"));
  return std::unique_ptr<Window>(new TcpWindow(traffic.shared_service(), traffic.rank(), number,
                                               std::move(bytes_of), std::move(*memory)));
}

}  // namespace protium
