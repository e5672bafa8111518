// SPDX-License-Identifier: Apache-2.0
// How the ranks of a barrier stage see that the others live, before they can talk to each other.
// Until then nothing else tells a rank that was stopped or hangs from one that starts slowly.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/call.h"

namespace protium {

// From its making to its end, a thread changes this rank's sign, a small file in the folder of
// events, and looks whether those of the others change; both every `period`.
class RankSigns {
 public:
  struct Options {
    std::filesystem::path folder;
    int32_t rank = 0;
    int32_t world = 0;
    // Spark's number of the task. The tasks of a try of the stage have successive numbers, so those
    // of an earlier try are at least `world` below.
    int64_t task = 0;
    // For how long a sign that was seen once may stay as it is.
    std::chrono::milliseconds deadline{60'000};
    std::chrono::milliseconds period{1'000};
  };
  // `stop` is the task's.
  RankSigns(Options options, std::stop_token stop);

  // Says that this rank is about to meet the others, and waits until all say so, until `latest`, or
  // until over() is requested. Whether all said so.
  bool AwaitReady(Deadline latest);

  // Requested when the task is to stop, or when a rank fell silent.
  std::stop_token over() const { return over_.get_token(); }
  // Exit kStalled, with the rank's number, when one fell silent; otherwise OK. Any thread.
  Status silence() const;

 private:
  struct Sign {
    std::string text;
    Deadline changed;
  };
  void Watch(const std::stop_token& ended);
  // The rank of a file of this try of the stage whose name begins so.
  std::optional<int32_t> RankIn(const std::string& name, const std::string& prefix) const;
  void Change();
  void Look();
  int32_t CountReady() const;

  const Options options_;
  std::stop_source over_;
  std::stop_callback<std::function<void()>> stopped_;
  int64_t changes_ = 0;               // Of the thread, as the next line.
  std::map<std::string, Sign> seen_;  // By file.
  mutable std::mutex mutex_;
  std::optional<int32_t> silent_;  // Guarded by mutex_.
  std::jthread thread_;
};

}  // namespace protium
