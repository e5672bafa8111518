// SPDX-License-Identifier: Apache-2.0
// A pool as it is handed over, and taken over: connections with their workers and claims. The rest
// is in zygotes_handover.cc.
#include <unistd.h>

#include <algorithm>

#include "base/fault.h"
#include "pool/arbiter.h"
#include "pool/pool_daemon.h"

namespace protium {

namespace {

using Workers = std::vector<std::pair<pid_t, UniqueFd>>;

Json WorkersToHandOver(Workers& workers, PoolHandover& handover) {
  Json all = Json::array();
  for (auto& [pid, process] : workers) {
    all.push_back({{"pid", pid}, {"process", handover.Put(std::move(process))}});
  }
  return all;
}

Workers HandedWorkers(const Json& json, PoolHandover& handover) {
  Workers workers;
  for (const Json& each : json) {
    UniqueFd process = handover.Take(each, "process");
    if (process) workers.emplace_back(pid_t(WholeAt(each, "pid")), std::move(process));
  }
  return workers;
}

}  // namespace

PoolHandover PoolDaemon::HandOver() {
  Step("hand over");
  audit_.End();
  PoolHandover handover{.listener = std::move(listener_)};
  Json drivers = Json::array();
  int64_t asked = -1;
  for (Driver& each : drivers_) {
    // What it has half said would be lost; it comes again.
    if (each.speaks) continue;
    if (each.asked_to_restart) asked = int64_t(drivers.size());
    drivers.push_back({{"link", handover.Put(each.link->TakeSocket())},
                       {"pid", each.pid},
                       {"who", each.who},
                       {"greeted", each.greeted},
                       {"served", each.served},
                       {"claim", each.claim},
                       {"workers", WorkersToHandOver(each.workers, handover)}});
  }
  Json claims = ClaimsToHandOver(arbiter_->known());
  Json zygotes = zygotes_.HandOver(handover);
  handover.state = {{"since", since_},
                    {"settled", TicksOf(settled_)},
                    {"last_claim", last_claim_},
                    {"asked", asked},
                    {"quotas", QuotasToJson(quotas_)},
                    {"drivers", std::move(drivers)},
                    {"claims", std::move(claims)},
                    {"zygotes", std::move(zygotes)}};
  return handover;
}

PoolDaemon::PoolDaemon(PoolSettings settings, PoolHandover handover)
    : PoolDaemon(std::move(settings), std::move(handover.listener)) {
  if (handover.state.is_object() && TakeOver(handover)) return;
  // They come again, and say what they hold.
  drivers_.clear();
  SettleUntil(Clock::now() + settings_.settle);
}

// False: its claims cannot be read.
bool PoolDaemon::TakeOver(PoolHandover& handover) {
  Step("take over");
  const Json& state = handover.state;
  auto claims = HandedClaims(state.value("claims", Json::array()));
  if (!claims.ok()) return false;
  since_ = WholeAt(state, "since", since_);
  last_claim_ = WholeAt(state, "last_claim");
  // Those that it was started with count, if there are any.
  if (quotas_.empty()) quotas_ = QuotasFromJson(state.value("quotas", Json::object()));
  const int64_t asked = WholeAt(state, "asked", -1);
  int64_t place = 0;
  for (const Json& each : state.value("drivers", Json::array())) {
    const bool asks = place++ == asked;
    UniqueFd socket = handover.Take(each, "link");
    if (!socket) continue;
    Driver& driver = AddDriver(std::move(socket), pid_t(WholeAt(each, "pid")));
    driver.who = TextAt(each, "who");
    driver.greeted = each.value("greeted", false);
    driver.served = each.value("served", false);
    driver.claim = WholeAt(each, "claim");
    driver.workers = HandedWorkers(each.value("workers", Json::array()), handover);
    if (!asks) continue;
    Step("answer");
    AnswerRestart(driver, TextAt(state, "failed"));
  }
  noted_ = IsServing();
  // Those whose connection was not handed over come again.
  const size_t lost = std::erase_if(*claims, [&](const KnownClaim& each) {
    return std::ranges::find(drivers_, each.number, &Driver::claim) == drivers_.end();
  });
  arbiter_ = std::make_unique<Arbiter>(Shared(), std::move(*claims));
  const auto now = Clock::now();
  const auto settled = lost == 0 ? TimeAt(state, "settled") : now + settings_.settle;
  if (now < settled) SettleUntil(settled);
  zygotes_.TakeOver(state.value("zygotes", Json::object()), handover);
  Step("taken over");
  return true;
}

void PoolDaemon::AnswerRestart(Driver& driver, const std::string& failed) {
  (void)driver.link->Send(failed.empty() ? Json{{"type", "restarted"}, {"pid", ::getpid()}}
                                         : Json{{"type", "refused"}, {"why", failed}});
}

}  // namespace protium
