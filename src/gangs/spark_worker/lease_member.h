// SPDX-License-Identifier: Apache-2.0
// A rank of a lease: a member of a gang on Spark whose ranks are ordinary tasks. It follows the
// driver's calls through the folder that all reach. The ranks of a generation find each other by
// their cards, which the driver relays, and connect directly (tcp/candidate.h). Rows are shared as
// files of that folder, which every rank maps.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gang/doing.h"
#include "gang/gang_member.h"
#include "spark_worker/command.h"
#include "spark_worker/lease_talk.h"

namespace protium {

class LeaseMember final : public GangMember {
 public:
  // `talk`, `doing` and `command` must outlive it; it receives lines from its construction on.
  LeaseMember(GangMemberSpec spec, LeaseTalk& talk, Doing& doing, const SparkCommand& command,
              LeasePlace place);

  // Collective over the ranks that are in from the start. Call once, not for a newcomer.
  Status JoinFirst();
  Result<std::vector<SharedPart>> Share(SharedPart own) override;
  Result<Communicator*> Enter(const Status& failed) override;

 private:
  void Hear(const Json& line);
  void HearCall(const Json& line);
  Result<std::unique_ptr<Communicator>> Join(int64_t generation, int32_t rank, int32_t world,
                                             const std::stop_token& over);
  Result<std::vector<std::string>> AwaitCards(int64_t generation, const std::stop_token& over);
  Result<std::vector<SharedPart>> OpenParts(const std::vector<int64_t>& memories) const;
  std::filesystem::path File(const std::string& name) const;
  void Say(const Json& what) override { talk_.Say(what); }
  Status Give(SharedPart own) override;

  const std::chrono::milliseconds deadline_;
  const std::stop_token stop_;
  LeaseTalk& talk_;
  Doing& doing_;
  const SparkCommand& command_;
  const LeasePlace place_;

  std::mutex mutex_;
  std::condition_variable_any came_;
  std::map<int64_t, std::vector<std::string>> cards_;  // By generation.
  bool over_ = false;
};

}  // namespace protium
