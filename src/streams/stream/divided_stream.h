// SPDX-License-Identifier: Apache-2.0
// A topic that several processes share. Each partition is a stream of its own (stream_run.h), with
// a log in a folder of its own, and belongs to the process that holds the lock of that log.
//
// 1. Processes see each other by their locks (instances.h), and from their number follows how many
//    partitions each may hold.
// 2. One that holds too many ends some after the batches that they are at, while its others go on.
//    One that holds too few takes partitions that are free.
// 3. A process that dies loses its locks with its life. Who takes a partition after it reads the
//    log and goes on as after any death: what was begun is made again, to the same bytes.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>

#include "stream/instances.h"
#include "stream/stream_run.h"

namespace protium {

// One thread, and one for each partition that it holds.
class DividedStream {
 public:
  // Asks for the partitions. Of `request`, `folder` is that of the whole.
  static Result<std::unique_ptr<DividedStream>> Open(StreamRequest request,
                                                     const std::stop_token& stop);
  ~DividedStream();

  // Works until `stop` is set; or, if it runs once, until nothing is left in the partitions that no
  // other process holds. A fault of one partition ends it.
  Status Run(const std::stop_token& stop);

  // What this process has written.
  StreamTotals written() const;

 private:
  // A partition that this process holds, or is about to.
  struct Part;

  DividedStream(StreamRequest request, Instances instances, int32_t partitions);
  Status Work(const std::stop_token& stop);
  // Takes leave of those that have ended, and returns the fault of the first that failed.
  Status Reap();
  void KeepToShare();
  bool Elsewhere(int32_t partition) const;
  bool AllDone() const;
  void Begin(int32_t partition);
  void Recount();
  void Work(int32_t partition, Part& part) const;
  StreamRequest RequestOf(int32_t partition) const;

  StreamRequest request_;
  Instances instances_;
  int32_t partitions_;
  std::chrono::steady_clock::time_point counted_;
  InstancePlace place_;
  StreamTotals written_;
  std::set<int32_t> done_;  // If it runs once: where nothing was left.
  mutable std::mutex notes_;
  std::map<int32_t, std::unique_ptr<Part>> parts_;  // Last: their threads use the others.
};

}  // namespace protium
