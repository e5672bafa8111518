// SPDX-License-Identifier: Apache-2.0
// Who takes part in a run. Any thread: the feeding one adds workers, the watching one newcomers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "workers/member.h"

namespace protium {

// Members are removed only with the list, so pointers to them stay valid as long.
class Members {
 public:
  // Adds what `start` makes. If the list is closed, starts nothing and returns nullptr. The list is
  // locked meanwhile, so no process is being started when Close() returns.
  Result<Member*> Add(const std::function<Result<std::unique_ptr<Member>>()>& start);
  // The run is over: no more members are added. CloseIfDone() closes only if all members are done,
  // atomically.
  void Close();
  bool CloseIfDone();

  std::vector<Member*> All() const;
  std::vector<Member*> Running() const;  // Those that are not done.
  // nullptr: no such member.
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
