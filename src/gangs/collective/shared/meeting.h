// SPDX-License-Identifier: Apache-2.0
// How ranks of one host wait for each other: on a counter per rank in shared memory, first
// spinning, then sleeping (a futex). A sleeping rank checks every 20 ms whether the missing rank's
// process is gone or another rank failed. So a death is noticed at once, and a rank that hangs when
// its deadline is over.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "collective/shared/board.h"
#include "os/socket.h"

namespace protium {

// One rank's seat at the board. Calls come from one thread, except Abort().
class Meeting {
 public:
  // Collective: rank 0 makes the board and passes it to the others over their sockets. Each side
  // waits at most `deadline`.
  static Result<std::shared_ptr<Meeting>> Make(int32_t rank, std::vector<UniqueFd> peers,
                                               std::chrono::milliseconds deadline);

  int32_t rank() const { return rank_; }
  int32_t world() const { return int32_t(peers_.size()); }
  const Board& board() const { return board_; }

  // The half of the board that belongs to the next meeting.
  uint32_t half() const { return (meeting_ + 1) % 2; }
  // Rank `rank`'s request at the last Agree().
  const Request& Asked(int32_t rank) const;

  // Waits for all ranks and compares their requests. All memory that any rank wrote before is
  // visible afterwards. From here on an error on one rank is an error on all; it names a rank that
  // is late, is gone, or made another request.
  Status Agree(const Request& request);
  // A further meeting of the operation last agreed.
  Status Next();
  // Sends `fd` to every rank and receives one from each; by rank, the own one empty.
  Result<std::vector<UniqueFd>> Swap(int fd);

  Status Check() const { return board_.Cause(); }
  // Stores the first cause on the board, wakes all ranks, and returns the first cause. Any thread.
  Status Abort(const Status& cause);

 private:
  Meeting(int32_t rank, std::chrono::milliseconds deadline) : rank_(rank), deadline_(deadline) {}

  Status TakeBoard();
  Status ShareBoard();
  void Arrive();
  Status AwaitAll();
  bool Reached(int32_t rank) const;
  bool SpinFor(int32_t rank);
  Status SleepFor(int32_t rank);
  Status FindTheDead();
  Status Compare() const;
  Status BlameLate() const;
  Status SendFault(int32_t rank, const Status& sent, const char* doing) const;
  Status GoneFault(int32_t rank) const;
  Result<Message> ReceiveFrom(int32_t rank);

  int32_t rank_;
  std::chrono::milliseconds deadline_;  // How long a rank may keep the others waiting.
  std::vector<Channel> peers_;
  Board board_;
  bool may_spin_ = false;
  uint32_t vain_spins_ = 0;  // Spins in a row that did not see the arrival.
  uint32_t short_spins_ = 0;
  uint32_t meeting_ = 0;  // The last one that this rank arrived at.
  uint32_t agreed_ = 0;   // The last one that was an Agree().
};

}  // namespace protium
