// SPDX-License-Identifier: Apache-2.0
// Who takes part in a run. Any thread: the feeding one adds workers, the watching one newcomers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "workers/member.h"

namespace protium {

// Members stay until the list goes, so pointers to them are good as long.
class Members {
 public:
  // Adds what `start` makes; nullptr, and nothing is started, once the list is closed. It is locked
  // meanwhile, so that by Close() no process is on its way.
  Result<Member*> Add(const std::function<Result<std::unique_ptr<Member>>()>& start);
  // The run is over: nobody comes any more. CloseIfDone() where all that came are done: so nobody
  // comes in between.
  void Close();
  bool CloseIfDone();

  std::vector<Member*> All() const;
  std::vector<Member*> Running() const;  // Those that are not done.
  // nullptr: there is none.
  Member* Find(int32_t rank) const;
  int32_t count() const;
  bool AllDone() const;

 private:
  bool AllAreDone() const;  // `mutex_` is held.

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Member>> members_;
  bool closed_ = false;
};

}  // namespace protium
