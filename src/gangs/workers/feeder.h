// SPDX-License-Identifier: Apache-2.0
// Sends the batches of a run's input to the members that take them.
//
// 1. A batch goes to the member with room that was sent the fewest; a member has room while fewer
//    than kWindow of its batches are not taken (workers/slots.h). Newcomers and servers of a gang
//    get none.
// 2. Small batches are joined, since each costs a message and a slot; where rows take long, large
//    ones are cut instead (MapTask::rows_a_batch).
// 3. If a batch is available and every member has had one, another member is requested.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "column/coalesce.h"
#include "column/stream.h"
#include "workers/members.h"

namespace protium {

class Feeder {
 public:
  // `grow` adds a member if one more is allowed; `on_send` learns of each batch before it is sent.
  // `members` must outlive it.
  Feeder(Members& members, std::function<Status()> grow, std::function<void(const Member&)> on_send)
      : members_(members), grow_(std::move(grow)), on_send_(std::move(on_send)) {}

  // Feeds all of `input`, in batches of at most `rows_a_batch` rows unless that is 0. Returns when
  // it has ended, when nobody wants more, or when Close() was called. Call once, on its own thread.
  void Feed(BatchStreamPtr input, int64_t rows_a_batch = 0);

  // The rest is for any thread. Something has changed: a member may have room, or be done.
  void Look();
  // Nobody wants more.
  void Close();
  // Set when Feed() is done: OK, or why reading or sending failed.
  std::optional<Status> end() const;

 private:
  Status FeedAll(BatchStream& input, Coalescer coalescer);
  // Sends a batch to a member; waits until one has room. Returns false if nobody wants more.
  Result<bool> Deliver(const arrow::RecordBatch& batch);
  bool EachHasOne() const;
  Member* Pick() const;

  Members& members_;
  const std::function<Status()> grow_;
  const std::function<void(const Member&)> on_send_;
  std::map<const Member*, int64_t> sent_;  // Batches. Used by the feeding thread.
  mutable std::mutex mutex_;               // Guards what follows.
  std::condition_variable changed_;
  bool closed_ = false;
  std::optional<Status> end_;
};

}  // namespace protium
