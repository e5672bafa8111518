// SPDX-License-Identifier: Apache-2.0
// How the ranks of a barrier stage see that the others are alive before they can connect. Until
// then nothing else distinguishes a rank that was stopped or hangs from one that starts slowly.
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
#include <utility>

#include "base/call.h"

namespace protium {

// What a rank has seen of the signs of others: a file each, which they change, in a folder. One
// thread, except CountReady().
class SeenSigns {
 public:
  struct Options {
    std::filesystem::path folder;
    int32_t rank = 0;
    int32_t world = 0;
    // Spark's number of the task. The tasks of one try of the stage have consecutive numbers, so
    // those of an earlier try are at least `world` below.
    int64_t task = 0;
    // How long a sign that was seen once may stay unchanged.
    std::chrono::milliseconds deadline{60'000};
  };
  explicit SeenSigns(Options options) : options_(std::move(options)) {}

  // Reads the signs as they are now. Returns the rank whose sign has not changed for the deadline,
  // if any.
  std::optional<int32_t> FindSilent(Deadline now);
  // Returns how many ranks have announced that they are about to meet the others.
  int32_t CountReady() const;

 private:
  struct Sign {
    std::string text;
    Deadline changed;
  };
  // Returns the rank of a file of this try of the stage whose name begins with `prefix`.
  std::optional<int32_t> RankIn(const std::string& name, const std::string& prefix) const;

  const Options options_;
  std::map<std::string, Sign> seen_;  // By file.
};

// While it exists, a thread changes this rank's sign and checks whether those of the others change;
// both every `period`.
class RankSigns {
 public:
  // `stop` is the task's.
  RankSigns(SeenSigns::Options options, std::stop_token stop,
            std::chrono::milliseconds period = std::chrono::seconds(1));

  // Announces that this rank is about to meet the others, and waits until all have done so, until
  // `latest`, or until over() is requested. Returns whether all have.
  bool AwaitReady(Deadline latest);

  // Requested when the task is to stop, or when a rank fell silent.
  std::stop_token over() const { return over_.get_token(); }
  // kStalled, with the rank's number, if one fell silent; otherwise OK. Any thread.
  Status silence() const;

 private:
  void Watch(const std::stop_token& ended, std::chrono::milliseconds period);
  void Change();
  void Look();

  const SeenSigns::Options options_;
  std::stop_source over_;
  std::stop_callback<std::function<void()>> stopped_;
  int64_t changes_ = 0;  // Used by the thread.
  SeenSigns others_;
  mutable std::mutex mutex_;
  std::optional<int32_t> silent_;  // Guarded by mutex_.
  std::jthread thread_;
};

}  // namespace protium
