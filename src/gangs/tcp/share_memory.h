// SPDX-License-Identifier: Apache-2.0
// Moves connected ranks to shared memory if all are on one host and it works. Being on one host is
// not enough: containers may share a network but not a file system, and some sandboxes drop
// descriptors that a socket passes. So it is tried, and ranks stay on TCP if it fails.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "collective/communicator.h"
#include "os/file.h"
#include "tcp/proof.h"

namespace protium {

// A Unix socket in a folder that only the owner may enter; its destructor removes both.
class SharedDoor {
 public:
  // Leaves the path empty if no socket can be opened in the system's temporary folder.
  void Open();
  const std::string& path() const { return path_; }
  std::span<const UniqueFd> sockets() const { return {&socket_, 1}; }

 private:
  std::optional<TemporaryFolder> folder_;
  std::string path_;
  UniqueFd socket_;
};

// Whether the cards allow it: all on one host, each with a path, and no rank refuses.
bool MayShare(const std::vector<Card>& cards);

// Collective, over a communicator of the same ranks: connects them by their Unix sockets, passes
// memory each way to check that it arrives, and returns a shared-memory communicator if that worked
// for all, else nullptr. An error only if `ranks` itself fails.
Result<std::unique_ptr<Communicator>> ShareMemoryIfPossible(const Membership& self,
                                                            const SharedDoor& door,
                                                            Communicator& ranks,
                                                            std::chrono::milliseconds deadline);

}  // namespace protium
