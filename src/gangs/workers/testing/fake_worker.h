// SPDX-License-Identifier: Apache-2.0
// Workers without a process: the other end of their channel shows what they were sent.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workers/idle_workers.h"
#include "workers/protocol.h"

namespace protium {

class FakeWorker {
 public:
  FakeWorker() {
    auto ends = Channel::Pair().ValueOrDie();
    worker_->link = std::make_shared<Link>(std::move(ends.first));
    end_ = std::make_unique<Link>(std::move(ends.second));
  }
  // Call once.
  std::unique_ptr<Worker> Take() { return std::move(worker_); }
  // Returns the types of the messages that it was sent since the last call.
  std::vector<std::string> Received() {
    std::vector<std::string> types;
    for (;;) {
      const auto frame = end_->Receive(Clock::now());
      if (!frame.ok() || !*frame) return types;
      types.push_back((*frame)->type);
    }
  }

 private:
  std::unique_ptr<Worker> worker_ = std::make_unique<Worker>();
  std::unique_ptr<Link> end_;
};

}  // namespace protium
