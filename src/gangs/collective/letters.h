// SPDX-License-Identifier: Apache-2.0
// Letters from one rank to another on the same machine, between collective calls: nobody else takes
// part in them or waits.
//
// 1. A rank has a box for each other in its window. Only it writes them: the letter, then,
//    released, the number of letters so far. So whoever sees the number sees the letter.
// 2. A box holds one letter. A rank may write the next once the other has answered, or once a
//    collective call has shown that the letter was taken.
// 3. Whoever waits sees within a fraction of a millisecond that the letter is there or that the
//    other has left, and gives up at its deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

struct LettersSpec {
  std::vector<int64_t> most_bytes;  // Of this rank's letters, by receiver; 0: it sends none.
  std::chrono::duration<double> deadline{60};
};

// What a rank does between two looks at its letters: nothing at first, then it sleeps for a
// fraction of a millisecond.
class ShortSleeps {
 public:
  void Sleep();

 private:
  int count_ = 0;
};

// One thread.
class Letters {
 public:
  // Collective. Refuses ranks on several machines.
  static Result<std::unique_ptr<Letters>> Make(const LettersSpec& spec, Communicator& communicator);

  // Where the next letter to this rank is written.
  std::span<std::byte> Box(int32_t rank);
  void Send(int32_t rank, int64_t bytes);
  // The rank's next letter, if it is there. Valid until this rank sends to it again.
  std::optional<std::span<const std::byte>> Take(int32_t rank);
  // Waits for it. Fails if the rank leaves, or at the deadline.
  Result<std::span<const std::byte>> Await(int32_t rank);
  // Others that wait for this rank fail from now on.
  void Leave();
  bool HasLeft(int32_t rank) const;
  std::chrono::duration<double> deadline() const { return spec_.deadline; }

 private:
  Letters(const LettersSpec& spec, std::unique_ptr<Window> window, int32_t rank);

  LettersSpec spec_;
  std::unique_ptr<Window> window_;
  int32_t rank_;
  std::vector<uint64_t> taken_;  // Of each rank's letters.
};

}  // namespace protium
