// SPDX-License-Identifier: Apache-2.0
// A folder that several machines see, behind the store of each: what is missing here is looked for
// there and copied here, and what is worth the way is put there. No server, no lock.
//
// 1. An object appears there by one rename, whole, and never changes. Two machines may make the
//    same: the second finds the first's, and drops its own.
// 2. What comes from there is compared with its checksums before anything reads it.
// 3. Whatever touches the folder runs in a lane (lane.h). A folder that is slow to death, full,
//    read-only or damaged fails nothing: it is said once, and passed by.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "store/lane.h"
#include "store/manifest.h"

namespace protium {

// Whether an object is worth the way to a shared folder: it is small, or reading it there takes
// less time than making it again.
bool IsWorthSharing(int64_t bytes, double seconds);

// One thread at a time.
class SharedTier {
 public:
  struct Options {
    std::filesystem::path folder;
    std::chrono::milliseconds patience{2000};  // For every step there, such as 4 MiB of a file.
    // For tests: called on the lane before each step. May be empty.
    std::function<void(std::string_view)> step;
  };
  explicit SharedTier(Options options);
  // Waits for what is being put there, as long as it gets on.
  ~SharedTier() = default;

  // The manifest of an object there; none if there is none.
  std::optional<Manifest> Peek(const std::string& cause);
  // Copies the parts of an object into the folder `to`, which is the caller's, and compares them
  // with their checksums; an object that is damaged is removed there. False if they cannot be had:
  // what is in `to` then is to be thrown away.
  bool Copy(const Manifest& manifest, const std::filesystem::path& to);
  // Puts an object there, some time later, if it is worth the way and not there yet; another one of
  // the same name but other contents is replaced. `lease` keeps it here meanwhile.
  void Offer(const Manifest& manifest, const std::filesystem::path& object,
             std::shared_ptr<const void> lease);

  // What a user should know, since the last call.
  std::vector<std::string> TakeNotes();
  const std::filesystem::path& folder() const { return options_.folder; }

 private:
  struct Notes {
    std::mutex mutex;
    std::vector<std::string> texts;
    bool unread = false;     // A fault of reading was said,
    bool unwritten = false;  // and one of writing: nothing is offered any more.
  };
  bool Run(const std::string& doing, Lane::Job job, Clock::duration most);

  const Options options_;
  const std::shared_ptr<Notes> notes_;  // The lanes' jobs have it, too.
  Lane asks_;
  Lane offers_;
};

}  // namespace protium
