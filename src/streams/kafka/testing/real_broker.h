// SPDX-License-Identifier: Apache-2.0
// A broker of Kafka that tests start, and what they do to it beside the room's own code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "os/subprocess.h"
#include "os/temporary_folder.h"

namespace protium::testing {

struct TestMessage {
  int32_t partition = 0;
  std::optional<std::string> value;  // nullopt: null.
  int64_t time_ms = 0;               // 0: now.
};

// Ends with this object, and with this process.
class RealBroker {
 public:
  // `why` says what is missing, if it is null.
  static std::unique_ptr<RealBroker> Start(std::string& why);
  ~RealBroker();

  const std::string& address() const { return address_; }
  // Where the user "protium" needs the password "of-the-broker".
  const std::string& password_address() const { return password_address_; }

  void MakeTopic(const std::string& topic, int32_t partitions);
  void AddPartitions(const std::string& topic, int32_t partitions);
  // Removes what lies before an offset.
  void Shorten(const std::string& topic, int32_t partition, int64_t before);
  void Send(const std::string& topic, const std::vector<TestMessage>& messages);
  // In a transaction, which is then committed, aborted or left open for its producer's death.
  enum class End { kCommit, kAbort, kLeave };
  void SendInTransaction(const std::string& topic, const std::vector<TestMessage>& messages,
                         const std::string& transactional_id, End end);
  // The values of all committed messages, by partition.
  std::map<int32_t, std::vector<std::string>> ReadAll(const std::string& topic);
  // What a group has committed; -1: nothing.
  int64_t Committed(const std::string& group, const std::string& topic, int32_t partition);

  // As kill() sends it to the broker.
  void Signal(int signal);
  // Kills it; returns when it is there again, with its data.
  void Kill();

 private:
  RealBroker(TemporaryFolder folder) : folder_(std::move(folder)) {}
  std::filesystem::path state() const { return folder_.path() / "broker"; }
  // scripts/kafka-broker WORD of its state.
  bool Do(const std::string& word);

  TemporaryFolder folder_;
  Spawner spawner_;
  std::string address_, password_address_;
};

}  // namespace protium::testing
