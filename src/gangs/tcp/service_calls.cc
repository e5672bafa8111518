// SPDX-License-Identifier: Apache-2.0
// What other threads request from the service: each takes its mutex and leaves a letter.
#include <fmt/format.h>
#include <sys/eventfd.h>

#include "base/fault.h"
#include "tcp/service.h"

namespace protium {
namespace {

// How long to wait for what a rank sent on its service connection after its other one closed.
constexpr std::chrono::seconds kLastWordsTime{2};
// Enough concurrent blocks to hide the round trip.
constexpr size_t kBlocksAhead = 4;

std::string CauseText(const Status& cause) {
  std::string text = Dump(StatusToJson(cause));
  if (text.size() <= TcpService::kMostCauseBytes) return text;
  return Dump(StatusToJson(Status::UnknownError(FaultOf(cause).what.substr(0, 1000))));
}

}  // namespace

Status TcpService::Check() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

Status TcpService::Abort(const Status& cause) {
  const std::lock_guard lock(mutex_);
  if (!cause_.ok()) return cause_;
  cause_ = cause.ok() ? Status::Cancelled("aborted") : cause;
  const std::string text = CauseText(cause_);
  for (int32_t r = 0; r < int32_t(names_.size()); ++r) {
    if (r != rank_) Post({r, {.kind = TcpFrame::Kind::kAbort}, text});
  }
  eventfd_write(failed_.get(), 1);
  changed_.notify_all();
  return cause_;
}

void TcpService::Post(Letter letter) {
  letters_.push_back(std::move(letter));
  eventfd_write(posted_.get(), 1);
}

void TcpService::Enter(const Request& request) {
  const std::lock_guard lock(mutex_);
  doing_ = request;
}

void TcpService::Leave() {
  const std::lock_guard lock(mutex_);
  doing_.reset();
}

Status TcpService::GoneFault(int32_t rank) const {
  const std::lock_guard lock(mutex_);
  std::string what = fmt::format("rank {} is gone", rank);
  if (doing_) what += "; the others were waiting for it in " + Describe(*doing_);
  return Fail({.exit = Exit::kRemote, .what = what, .where = names_[size_t(rank)]});
}

Status TcpService::AbortGone(int32_t rank) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLastWordsTime, [&] { return !cause_.ok() || ended_[size_t(rank)]; });
  }
  return Abort(GoneFault(rank));
}

void TcpService::Open(uint32_t number, std::span<const std::byte> memory) {
  const std::lock_guard lock(mutex_);
  windows_[number] = memory;
}

void TcpService::Close(uint32_t number) {
  const std::lock_guard lock(mutex_);
  windows_.erase(number);
}

Status TcpService::Read(int32_t rank, uint32_t number, int64_t offset, std::span<std::byte> into) {
  std::vector<uint64_t> tickets;
  while (!into.empty() || !tickets.empty()) {
    while (!into.empty() && tickets.size() < kBlocksAhead) {
      const size_t bytes = std::min(into.size(), size_t(kMostBlockBytes));
      const std::lock_guard lock(mutex_);
      const uint64_t ticket = next_ticket_++;
      awaited_[ticket] = {.into = into.first(bytes)};
      // The lock covers `awaited_` and the letter together: the reply may come before this thread
      // continues.
      Post({rank,
            {.kind = TcpFrame::Kind::kRead,
             .window = number,
             .extra = uint32_t(bytes),
             .ticket = ticket,
             .offset = offset},
            {}});
      tickets.push_back(ticket);
      offset += int64_t(bytes);
      into = into.subspan(bytes);
    }
    PT_TRY(Await(rank, tickets));
  }
  return Status::OK();
}

// Several reads run at once; their blocks come in any order. Takes the first ticket's block; if
// that fails, gives up all of them.
Status TcpService::Await(int32_t rank, std::vector<uint64_t>& tickets) {
  std::unique_lock lock(mutex_);
  const uint64_t first = tickets.front();
  const auto over = [&] { return !cause_.ok() || ended_[size_t(rank)] || awaited_[first].done; };
  const bool in_time = changed_.wait_for(lock, options_.deadline, over);
  const Awaited awaited = awaited_[first];
  if (awaited.done && !awaited.refused && cause_.ok()) {
    awaited_.erase(first);
    tickets.erase(tickets.begin());
    return Status::OK();
  }
  for (const uint64_t ticket : tickets) awaited_.erase(ticket);
  lock.unlock();
  if (awaited.refused) {
    return Abort(Fail({.exit = Exit::kBug,
                       .what = fmt::format("rank {} has no such window, or has closed it", rank)}));
  }
  if (in_time) return Abort(GoneFault(rank));
  return Abort(
      Fail({.exit = Exit::kStalled,
            .what = fmt::format("rank {} did not answer a read of its window within {:g} s", rank,
                                double(options_.deadline.count()) / 1000)}));
}

}  // namespace protium
