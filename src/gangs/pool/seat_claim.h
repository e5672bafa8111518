// SPDX-License-Identifier: Apache-2.0
// A gang's claim to seats of this machine, as its driver sees it: the pool's orders about it, and
// what the gang says back. Without a pool, or with one that cannot be used, nobody arbitrates, and
// every answer is yes.
//
//   claim     {who, label, min, max, cores, bytes, priority, weight}
//                                          its connection's only claim, which ends with it
//   adopt     {the same, workers}          to a new pool: what the gang holds already
//   again                                  the claim that has paused asks again
//   grow, give_back {workers}              one more, if there is room now; so many less
// of the pool:
//   order     {kind, workers, why}         kind: grant, wait, refuse, offer, shrink, pause
//   held      {workers}                    the answer to all but claim, adopt and again
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "os/link.h"
#include "pool/claim.h"

namespace protium {

// What the pool last said about a claim.
struct SeatOrders {
  bool arbitrated = false;  // There is a pool.
  int32_t granted = 0;      // Seats that the gang holds.
  std::string why;          // Why it waits, or for whom it makes room.
  std::string refused;      // Why it can never fit.
  int32_t most = 0;         // As many as it may keep; 0: it is to pause.
};

Json ClaimToJson(const Claim& wish);
Result<Claim> ClaimFromJson(const Json& json);

// Thread-safe.
class SeatClaim {
 public:
  // `who` of the wish: the gang and its run. An empty socket: no pool is looked for.
  SeatClaim(std::filesystem::path socket, Claim wish)
      : socket_(std::move(socket)), wish_(std::move(wish)) {}

  // Asks for the seats, for the first time or after a pause; Look() shows the answer.
  void Ask();
  // Reads what the pool has said, and waits until `deadline` for something new. Without a pool the
  // gang has all that it asks for; one that has been started since is told what the gang holds. A
  // gang that waits when its pool ends waits another second for the next one.
  SeatOrders Look(Deadline deadline);
  // Asks for one more; returns whether it was granted.
  bool Grow();
  // The gang has so many less; if it holds none then, it has paused.
  void GiveBack(int32_t workers);

 private:
  void Attach();
  void Adopt();
  void GrantAll();
  void Lose();
  void AwaitNext(Deadline deadline);
  void Read(Deadline deadline, bool until_held);
  void Take(const Json& order);
  void Send(const Json& message);

  const std::filesystem::path socket_;
  const Claim wish_;
  std::mutex mutex_;
  std::unique_ptr<Link> link_;
  bool given_up_ = false;  // The pool that is there cannot be used.
  bool asked_ = false;     // The pool has met the claim.
  bool waits_ = false;     // Has asked, and was granted nothing since.
  bool held_ = false;      // The answer to the last request has come.
  Clock::time_point attach_at_{};
  Clock::time_point next_by_{};  // How long it waits for the next pool.
  SeatOrders now_;
};

}  // namespace protium
