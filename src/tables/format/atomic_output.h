// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all, as an output stream for Arrow's writers.
#pragma once

#include <arrow/io/interfaces.h>

#include <span>
#include <utility>

#include "os/file.h"

namespace protium {

// Passes Arrow's bytes to the file and stores the first failure: Arrow's writers may wrap the
// status of their output, which would lose the exit code for a full disk.
class AtomicOutput : public arrow::io::OutputStream {
 public:
  explicit AtomicOutput(AtomicFile file) : file_(std::move(file)) {}
  Status Write(const void* data, int64_t bytes) override {
    if (failure_.ok()) {
      failure_ =
          file_.Write(std::span(static_cast<const std::byte*>(data), static_cast<size_t>(bytes)));
    }
    return failure_;
  }
  Status Close() override {
    closed_ = true;
    return failure_;
  }
  bool closed() const override { return closed_; }
  Result<int64_t> Tell() const override { return file_.written(); }
  Status Commit() {
    PT_TRY(failure_);
    return file_.Commit();
  }
  // Returns the failure of the disk if there was one, else `status` from Arrow.
  Status Explain(const Status& status) const { return failure_.ok() ? status : failure_; }

 private:
  AtomicFile file_;
  Status failure_;
  bool closed_ = false;
};

}  // namespace protium
