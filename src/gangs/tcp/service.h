// SPDX-License-Identifier: Apache-2.0
// What runs beside the operations: heartbeats, spreading the first cause of a failure to all ranks,
// and reads of windows. One thread per rank, over its own connections, so that neither a rank that
// computes nor a full connection of an operation delays it.
//
// 1. The thread owns the connections; others leave letters for it and are woken through descriptors
//    or `changed_`.
// 2. A connection that closes without a kBye means that its rank died: all ranks are notified at
//    once.
// 3. The first cause wins; every later call fails with it.
//
// Wire format, little-endian: frames of 32 bytes (TcpFrame) followed by `bytes` bytes.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collective/request.h"
#include "tcp/connection.h"

namespace protium {

// The head of a frame, as it is sent.
struct TcpFrame {
  enum class Kind : uint32_t {
    kBeat,
    kAbort,    // Followed by the cause as JSON.
    kBye,      // The sender ends normally.
    kRead,     // Window, ticket, offset; requests `extra` bytes.
    kBlock,    // Ticket; followed by the bytes.
    kRefused,  // Ticket: no such window, or it has no such bytes.
  };
  Kind kind = Kind::kBeat;
  uint32_t bytes = 0;
  uint32_t window = 0;
  uint32_t extra = 0;
  uint64_t ticket = 0;
  int64_t offset = 0;
};
static_assert(sizeof(TcpFrame) == 32);

struct ServiceOptions {
  std::chrono::milliseconds deadline{60'000};
  std::chrono::milliseconds heartbeat{1'000};
  std::chrono::milliseconds unreachable_after{10'000};
};

class TcpService {
 public:
  static constexpr uint32_t kMostBlockBytes = 1 << 20;
  static constexpr uint32_t kMostCauseBytes = 64 << 10;  // Below kMostBlockBytes.

  // connections[r] leads to rank r, the own one is empty; names[r] is rank r's name in messages.
  static Result<std::shared_ptr<TcpService>> Start(
      int32_t rank, std::vector<std::unique_ptr<TcpConnection>> connections,
      std::vector<std::string> names, const ServiceOptions& options);
  ~TcpService();  // Says goodbye to all.

  // OK until something failed; from then on the first cause. Any thread.
  Status Check() const;
  // Stores `cause` if it is the first, sends it to all ranks, and returns the first. Does not wait.
  // Any thread.
  Status Abort(const Status& cause);
  // Readable from the first failure on.
  int failed_fd() const { return failed_.get(); }

  // Sets the operation that the calling thread is in, for the error if a rank dies during it.
  void Enter(const Request& request);
  void Leave();
  // Rank `rank` closed its connection for operations: aborts with the cause that it sent before, if
  // any. Waits up to 2 s for it.
  Status AbortGone(int32_t rank);

  // Lets other ranks read `memory` as window `number` until it is closed. Close() waits for a read
  // in progress; the memory may be freed after that.
  void Open(uint32_t number, std::span<const std::byte> memory);
  void Close(uint32_t number);
  // Reads from another rank's window, in blocks of at most 1 MiB, several at a time. Fails at the
  // deadline, or when the rank ends. The calling thread only.
  Status Read(int32_t rank, uint32_t number, int64_t offset, std::span<std::byte> into);

 private:
  // A rank as the service's thread sees it.
  struct Peer {
    std::unique_ptr<TcpConnection> connection;
    std::string out;  // Not sent yet, from `sent` on.
    size_t sent = 0;
    TcpFrame frame;
    std::string body;
    size_t filled = 0;  // Of the frame and then of the body.
    std::chrono::milliseconds silent{0};
    bool bye = false;
  };
  struct Letter {
    int32_t to = 0;
    TcpFrame frame;
    std::string body;
  };
  struct Awaited {
    std::span<std::byte> into;
    bool done = false;
    bool refused = false;
  };

  TcpService(int32_t rank, std::vector<std::string> names, const ServiceOptions& options);
  void Run();
  void Wait(Deadline until);
  void Beat();
  void TakeLetters();
  static void Queue(Peer& peer, const TcpFrame& frame, std::string_view body);
  void SendSome(int32_t rank);
  void ReceiveSome(int32_t rank);
  bool ReceiveFrame(int32_t rank);
  bool MakeRoom(int32_t rank);
  Status HandleFrame(int32_t rank);
  Status Answer(int32_t rank);
  Status Deliver(int32_t rank, bool refused);
  void HearAbort(int32_t rank);
  void End(int32_t rank);
  void SayGoodbye();
  Status GoneFault(int32_t rank) const;
  void Post(Letter letter);  // With the mutex held.
  Status Await(int32_t rank, std::vector<uint64_t>& tickets);

  const int32_t rank_;
  const std::vector<std::string> names_;
  const ServiceOptions options_;
  UniqueFd failed_;
  UniqueFd posted_;          // Readable when there are letters, or the thread is to end.
  std::vector<Peer> peers_;  // Used by the service's thread only.

  mutable std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  Status cause_;
  bool stop_ = false;
  std::vector<Letter> letters_;
  std::vector<bool> ended_;  // Said goodbye, or closed.
  std::optional<Request> doing_;
  std::map<uint32_t, std::span<const std::byte>> windows_;
  std::map<uint64_t, Awaited> awaited_;
  uint64_t next_ticket_ = 1;

  std::jthread thread_;
};

}  // namespace protium
