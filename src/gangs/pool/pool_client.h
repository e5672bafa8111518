// SPDX-License-Identifier: Apache-2.0
// A driver's side of the pool: idle workers, attached in less than a millisecond. Everything works
// without a pool; one that does not answer in time, or cannot be used, is not asked again.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "os/link.h"
#include "os/subprocess.h"
#include "pool/profile.h"

namespace protium {

// How long a driver waits for any answer of the pool.
inline constexpr std::chrono::milliseconds kPoolPatience{200};

// Connects and says who calls: "flights-20261126-m6bw". kInput: no pool runs; anything else is why
// it cannot be used.
Result<std::unique_ptr<Link>> AttachToPool(const std::filesystem::path& socket,
                                           const std::string& who);
// The same over a connection (ConnectToPool). kInput: the pool has ended meanwhile.
Result<std::unique_ptr<Link>> AttachOver(UniqueFd connection, const std::string& who);
// Sends a request and waits for the answer. kInput: the pool has ended.
Result<Frame> AskPool(Link& pool, const Json& request);

// What the pool at `socket` says of itself, as `protium pool status --json` prints it. kInput: no
// pool runs, or none is looked for (an empty socket).
Result<Json> PoolState(const std::filesystem::path& socket);

// A worker that a zygote has forked: it has become a child like one started by this process.
struct PooledWorker {
  Subprocess process;
  std::shared_ptr<Link> link;
};

// What a worker shall be.
struct PooledWish {
  std::filesystem::path program;
  EnvironmentList environment;  // On top of this process's.
  bool torch = false;
  std::filesystem::path log;  // Empty: this process's stderr.
};

// Thread-safe. Attaches when it is first asked.
class PoolClient {
 public:
  // An empty socket: no pool is looked for.
  PoolClient(std::filesystem::path socket, std::string who)
      : socket_(std::move(socket)), who_(std::move(who)) {}

  // Returns up to `count` workers, as many as the pool has at once; often none, when it has not yet
  // met the program.
  std::vector<PooledWorker> Take(const PooledWish& wish, int32_t count);
  // Why the pool that is there cannot be used, once; then, and while it can be, empty.
  std::string TakeNote();

 private:
  Result<Frame> AskAny(const Json& request);
  Result<std::vector<PooledWorker>> Ask(const PooledWish& wish, int32_t count);
  void GiveUp(const Status& why);

  const std::filesystem::path socket_;
  const std::string who_;
  std::mutex mutex_;
  std::unique_ptr<Link> link_;
  bool given_up_ = false;
  std::string note_;
};

}  // namespace protium
