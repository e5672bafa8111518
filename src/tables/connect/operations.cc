// SPDX-License-Identifier: Apache-2.0
#include "connect/operations.h"

#include <algorithm>

namespace protium::connect {

namespace {

// These calls are only a courtesy to the server and must not delay the end of a job.
constexpr RetryPolicy kOnce{.tries = 0};

}  // namespace

Operations::Operations(std::shared_ptr<Wire> wire)
    : wire_(std::move(wire)),
      tag_("protium-" + wire_->session_id() + "-" + NewUuid()),
      teller_([this](const std::stop_token& ended) { Report(ended); }) {}

Operations::~Operations() {
  {
    const std::lock_guard lock(mutex_);
    last_ = Clock::now() + kPartingLimit;
  }
  teller_.request_stop();
  teller_.join();
}

void Operations::Begin(const std::string& id) {
  const std::lock_guard lock(mutex_);
  running_.insert(id);
}

void Operations::WasRead(const std::string& id, const std::string& response_id) {
  const std::lock_guard lock(mutex_);
  if (running_.count(id) == 0) return;
  // Overwrites an older response that was not reported yet: one call releases both.
  told_next_[id] = response_id;
  changed_.notify_one();
}

void Operations::End(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (running_.erase(id) == 0) return;
  // An empty response stands for the whole operation.
  told_next_[id].clear();
  changed_.notify_one();
}

bool Operations::any() const {
  const std::lock_guard lock(mutex_);
  return !running_.empty();
}

void Operations::EndAll() {
  std::unique_lock lock(mutex_);
  for (const std::string& id : running_) told_next_[id].clear();
  running_.clear();
  changed_.notify_one();
  told_.wait_until(lock, Clock::now() + kPartingLimit,
                   [this] { return told_next_.empty() && !telling_; });
}

void Operations::Report(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  while (true) {
    // Returns at once when the thread is to stop; pending notifications are sent all the same,
    // until last_.
    changed_.wait(lock, ended, [this] { return !told_next_.empty(); });
    if (told_next_.empty() || Clock::now() >= last_) return;
    const auto next = told_next_.extract(told_next_.begin());
    telling_ = true;
    lock.unlock();
    Release(next.key(), next.mapped());
    lock.lock();
    telling_ = false;
    told_.notify_all();
  }
}

void Operations::Release(const std::string& id, const std::string& response_id) {
  proto::ReleaseExecuteRequest request;
  request.set_operation_id(id);
  if (response_id.empty()) {
    request.mutable_release_all();
  } else {
    request.mutable_release_until()->set_response_id(response_id);
  }
  proto::ReleaseExecuteResponse response;
  const Status status = wire_->Ask("release a result", &Wire::Stub::ReleaseExecute, request,
                                   &response, Call{}, kPartingLimit, kOnce);
  (void)status;  // See invariant 1.
}

void Operations::Interrupt(const std::string& id) {
  const Status status = InterruptOperation(id, Call{}).status();
  (void)status;  // The server drops operations without a client by itself, only later.
}

Result<std::vector<std::string>> Operations::InterruptTag(const std::string& tag,
                                                          const Call& call) {
  proto::InterruptRequest request;
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_TAG);
  request.set_operation_tag(tag);
  return AskInterrupt(std::move(request), call);
}

Result<std::vector<std::string>> Operations::InterruptAll(const Call& call) {
  proto::InterruptRequest request;
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_ALL);
  return AskInterrupt(std::move(request), call);
}

Result<std::vector<std::string>> Operations::InterruptOperation(const std::string& id,
                                                                const Call& call) {
  proto::InterruptRequest request;
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_OPERATION_ID);
  request.set_operation_id(id);
  return AskInterrupt(std::move(request), call);
}

Result<std::vector<std::string>> Operations::AskInterrupt(proto::InterruptRequest request,
                                                          const Call& call) {
  proto::InterruptResponse response;
  PT_TRY(wire_->Ask("interrupt", &Wire::Stub::Interrupt, std::move(request), &response, call,
                    kPartingLimit, kOnce));
  return std::vector<std::string>(response.interrupted_ids().begin(),
                                  response.interrupted_ids().end());
}

}  // namespace protium::connect
