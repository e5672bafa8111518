// SPDX-License-Identifier: Apache-2.0
// The pool: one process per user and machine that keeps workers warm and gives out seats. It ends
// by itself after an hour without drivers. Programs go on when it ends, however it does.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/link.h"
#include "os/machine.h"
#include "pool/claim.h"
#include "pool/handover.h"
#include "pool/idle_audit.h"
#include "pool/place.h"
#include "pool/quotas.h"
#include "pool/zygotes.h"

namespace protium {

class Arbiter;

struct PoolSettings {
  std::filesystem::path socket;
  std::filesystem::path log;
  std::chrono::seconds idle{3600};  // Ends after as long without programs.
  // After a pool that ended while programs had something of it nothing is granted for as long:
  // these say meanwhile what they hold (SeatClaim looks every 2 s).
  std::chrono::milliseconds settle{2500};
  // What is guaranteed to programs of a label (PoolMachine::quotas).
  Quotas quotas;
  IdleAuditSettings audit = {};
  // For tests: called before each step that others notice. May be empty.
  std::function<void(std::string_view)> step;
};

// Its cores, and nine tenths of its memory: the rest is for what no gang has asked for.
PoolMachine WhatGangsMayHave(const Machine& machine);

// One thread.
class PoolDaemon {
 public:
  PoolDaemon(PoolSettings settings, PoolListener listener);
  // Goes on with what another has handed over. What cannot be read is left out: its drivers come
  // again.
  PoolDaemon(PoolSettings settings, PoolHandover handover);
  ~PoolDaemon();
  // Serves until it is stopped, has been idle, or a driver's `pool stop` or `pool restart`.
  Status Serve(const std::stop_token& stop);

  struct Successor {
    std::filesystem::path program;  // Empty: nobody is to take its place.
    std::vector<std::string> arguments;
  };
  // Who takes its place when Serve() has ended.
  const Successor& successor() const { return successor_; }
  // What that one needs. Nothing is left here.
  PoolHandover HandOver();

 private:
  // A process that is connected.
  struct Driver {
    std::unique_ptr<Link> link;
    pid_t pid = -1;
    std::string who;
    bool greeted = false;
    bool served = false;  // It has had workers or a claim; others only look.
    bool speaks = false;  // A part of a message has come.
    bool asked_to_restart = false;
    int64_t claim = 0;                                // The number of its claim; 0: it has none.
    std::vector<std::pair<pid_t, UniqueFd>> workers;  // Process ids and pidfds.
  };

  void Step(std::string_view name) const {
    if (settings_.step) settings_.step(name);
  }
  void Round(int wake);
  void Accept();
  Driver& AddDriver(UniqueFd socket, pid_t pid);
  void Hear(Driver& driver);
  Status Answer(Driver& driver, const Frame& frame);
  Status Greet(Driver& driver, const Json& hello);
  Status GiveWorkers(Driver& driver, const Json& request);
  Status HearClaim(Driver& driver, const Frame& frame);
  Status HearRestart(Driver& driver, const Json& request);
  PoolMachine Shared() const;
  bool TakeOver(PoolHandover& handover);
  static void AnswerRestart(Driver& driver, const std::string& failed);
  void Serves(Driver& driver);
  bool IsServing() const;
  // Others may hold what this pool has not heard of.
  void SettleUntil(Clock::time_point until);
  Result<Claim> ReadClaim(const Driver& driver, const Json& request) const;
  void SendOrders();
  void ForgetGone();
  bool IsGone(const Driver& driver) const;
  void Drop(Driver& driver);
  Json State();
  void Look(Clock::time_point now);

  const PoolSettings settings_;
  Quotas quotas_;
  PoolListener listener_;
  const Json place_;
  int64_t since_;  // Unix time.
  Machine machine_;
  Zygotes zygotes_;
  IdleAudit audit_;
  std::unique_ptr<Arbiter> arbiter_;
  int64_t last_claim_ = 0;
  std::list<Driver> drivers_;
  std::vector<const Driver*> gone_;
  Clock::time_point look_at_{};
  Clock::time_point measured_{};
  Clock::time_point busy_{};  // When a program was last connected.
  Clock::time_point settled_{};
  bool noted_ = false;  // NoteServed().
  bool stopping_ = false;
  Successor successor_;
};

}  // namespace protium
