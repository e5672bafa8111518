// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint_writer.h"

#include <sys/resource.h>

#include <cerrno>
#include <exception>
#include <utility>

#include "base/copy.h"
#include "base/fault.h"
#include "os/past_cache.h"

namespace protium {

CheckpointWriter::CheckpointWriter(CheckpointFolder folder, int32_t keep)
    : keep_(keep), folder_(std::move(folder)), thread_([this] { Run(); }) {}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Status CheckpointWriter::Copy::Take(std::span<const NamedTensor> tensors,
                                    const std::shared_ptr<const void>& owner) {
  owner_ = owner;
  if (owner_) {
    memory_.reset();
    bytes_ = 0;
    tensors_.assign(tensors.begin(), tensors.end());
    return Status::OK();
  }
  size_t bytes = 0;
  for (const NamedTensor& each : tensors) bytes += each.data.size();
  if (bytes != bytes_) {
    memory_.reset();  // Freed before the new memory is allocated: both are never needed.
    const auto page = size_t(kPastCachePage);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, (bytes / page + 1) * page)));
    bytes_ = memory_ ? bytes : 0;
    if (!memory_)
      return SystemFault("copy a checkpoint of " + std::to_string(bytes) + " bytes", ENOMEM);
  }
  tensors_.assign(tensors.begin(), tensors.end());
  std::byte* at = memory_.get();
  for (NamedTensor& each : tensors_) {
    const size_t size = each.data.size();
    CopyBytes(at, each.data.data(), int64_t(size));
    each.data = {at, size};
    at += size;
  }
  return Status::OK();
}

void CheckpointWriter::Copy::Release() {
  if (!owner_) return;
  tensors_.clear();
  owner_.reset();
}

Status CheckpointWriter::Write(CheckpointState state, std::span<const NamedTensor> weights,
                               std::span<const NamedTensor> optimizer,
                               std::shared_ptr<const void> owner) {
  std::unique_lock lock(mutex_);
  AwaitIdle(lock);
  PT_TRY(failed_);
  state_ = std::move(state);
  PT_TRY(weights_.Take(weights, owner));
  PT_TRY(optimizer_.Take(optimizer, owner));
  best_weights_ = std::exchange(next_best_, {});
  busy_ = true;
  changed_.notify_all();
  return Status::OK();
}

Status CheckpointWriter::KeepBest(int64_t step, std::span<const NamedTensor> weights,
                                  std::shared_ptr<const void> owner) {
  next_best_.step = -1;
  PT_TRY(next_best_.weights.Take(weights, owner));
  next_best_.step = step;
  return Status::OK();
}

Result<std::vector<WrittenCheckpoint>> CheckpointWriter::TakeWritten() {
  const std::lock_guard lock(mutex_);
  PT_TRY(failed_);
  return std::exchange(written_, {});
}

Result<std::vector<WrittenCheckpoint>> CheckpointWriter::Finish() {
  std::unique_lock lock(mutex_);
  AwaitIdle(lock);
  PT_TRY(failed_);
  return std::exchange(written_, {});
}

bool CheckpointWriter::idle() {
  const std::lock_guard lock(mutex_);
  return !busy_ && failed_.ok();
}

// A disk that does not respond blocks the thread in the kernel, as it would block the training; the
// gang's deadline notices that no step comes.
void CheckpointWriter::AwaitIdle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !busy_; });
}

void CheckpointWriter::Run() {
  // Ranks have priority where they need all cores. In Linux each thread has its own nice value.
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || ending_; });
    if (!busy_) return;
    lock.unlock();
    Result<WrittenCheckpoint> written = WriteOne(std::move(state_));
    lock.lock();
    if (written.ok()) {
      written_.push_back(std::move(*written));
    } else {
      failed_ = written.status();
    }
    busy_ = false;
    changed_.notify_all();
  }
}

Result<WrittenCheckpoint> CheckpointWriter::WriteOne(CheckpointState state) {
  try {
    if (state.best.xxh3.empty() && state.best.step == best_.step) {
      state.best.xxh3 = best_.xxh3;
    }
    const bool kept = best_weights_.step == state.best.step;
    const auto best = kept ? best_weights_.weights.tensors() : std::span<const NamedTensor>();
    PT_LET(auto path, folder_.Write(state, weights_.tensors(), optimizer_.tensors(), keep_, best));
    best_weights_ = {};
    weights_.Release();
    optimizer_.Release();
    best_ = state.best;
    return WrittenCheckpoint{std::move(path), std::move(state)};
  } catch (const std::exception& error) {
    return Fail(
        {.exit = Exit::kNoRoom, .what = "a checkpoint could not be written", .why = error.what()});
  }
}

}  // namespace protium
