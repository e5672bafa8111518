// SPDX-License-Identifier: Apache-2.0
#include "collective/self.h"

#include <sys/mman.h>

#include <mutex>

#include "base/copy.h"
#include "base/fault.h"
#include "collective/request.h"
#include "collective/subtrees.h"

namespace protium {
namespace {

// The first cause of failure, shared with the windows and trees made here.
class Cause {
 public:
  void Set(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
  }
  Status Get() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  Status status_;
};

// Mapped, not from the heap: Release() returns pages, and untouched ones cost nothing.
class SelfWindow : public Window {
 public:
  static Result<std::unique_ptr<Window>> Make(int64_t bytes) {
    const size_t mapped = size_t(std::max<int64_t>(bytes, 1));
    void* memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return Fail({.exit = Exit::kNoRoom,
                   .what = "no memory for a window of " + std::to_string(bytes) + " bytes"});
    }
    return std::unique_ptr<Window>(new SelfWindow(static_cast<std::byte*>(memory), bytes));
  }
  ~SelfWindow() override { munmap(memory_, size_t(std::max<int64_t>(bytes_, 1))); }

  std::span<std::byte> own() override { return {memory_, size_t(bytes_)}; }
  int64_t size(int32_t rank) const override { return rank == 0 ? bytes_ : 0; }

  Status Read(int32_t rank, int64_t offset, std::span<std::byte> into) override {
    PT_TRY(CheckWindowRead(*this, 1, rank, offset, int64_t(into.size())));
    CopyBytes(into.data(), memory_ + offset, int64_t(into.size()));
    return Status::OK();
  }

  const std::byte* Direct(int32_t rank) const override { return rank == 0 ? memory_ : nullptr; }

  void Release(int64_t offset, int64_t bytes) override {
    constexpr int64_t kPage = 4096;
    // Only pages entirely inside: the bytes beside the range may still be needed.
    const int64_t begin = (offset + kPage - 1) / kPage * kPage;
    const int64_t end = (offset + bytes) / kPage * kPage;
    if (begin < end) madvise(memory_ + begin, size_t(end - begin), MADV_DONTNEED);
  }

 private:
  SelfWindow(std::byte* memory, int64_t bytes) : memory_(memory), bytes_(bytes) {}

  std::byte* memory_;
  int64_t bytes_;
};

// One rank owns all leaves, so the whole tree is one subtree, whose sum the rank has written
// itself.
class SelfTree : public SumTree {
 public:
  SelfTree(const TreeSpec& spec, std::shared_ptr<Cause> cause)
      : memory_(size_t(spec.count)),
        own_(Subtrees(spec.leaves, 0, spec.leaves)),
        cause_(std::move(cause)) {
    own_[0].sum = memory_;
  }

  std::span<const Subtree> own() const override { return own_; }

  Result<std::span<const float>> Reduce() override {
    PT_TRY(cause_->Get());
    return std::span<const float>(memory_);
  }

 private:
  std::vector<float> memory_;
  std::vector<Subtree> own_;
  std::shared_ptr<Cause> cause_;
};

class SelfCommunicator : public Communicator {
 public:
  int32_t rank() const override { return 0; }
  int32_t world() const override { return 1; }
  Status AllReduce(Buffer inout, Op op) override { return cause_->Get(); }

  Status Broadcast(std::span<std::byte> inout, int32_t root) override {
    PT_TRY(cause_->Get());
    return root == 0 ? Status::OK() : NoSuchRoot(root, 1);
  }

  Result<std::vector<std::string>> AllGather(std::string_view message) override {
    PT_TRY(cause_->Get());
    return std::vector<std::string>{std::string(message)};
  }

  Status Barrier(std::string_view name) override { return cause_->Get(); }

  Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) override {
    PT_TRY(cause_->Get());
    PT_TRY(CheckWindowSizes({&bytes, 1}));
    return SelfWindow::Make(bytes);
  }

  Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) override {
    PT_TRY(cause_->Get());
    PT_TRY(CheckTreeSpec(spec, 1));
    return std::unique_ptr<SumTree>(new SelfTree(spec, cause_));
  }

  void Abort(const Status& cause) override {
    // An abort with an OK status is still an abort.
    cause_->Set(cause.ok() ? Status::Cancelled("aborted") : cause);
  }

 private:
  std::shared_ptr<Cause> cause_ = std::make_shared<Cause>();
};

}  // namespace

std::unique_ptr<Communicator> MakeSelfCommunicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace protium
