// SPDX-License-Identifier: Apache-2.0
// Offsets of a topic's partitions: as stretches of a stream, and as where a stream starts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "kafka/client.h"

namespace protium {

// By partition.
using Offsets = std::map<int32_t, int64_t>;

// {"topic": "visits", "from": {"0": 12}, "to": {"0": 40}, "messages": 28}: offsets `from` up to and
// without `to`. Offsets between may be taken by other than messages, such as ends of transactions.
struct TopicStretch {
  std::string topic;
  Offsets from;
  Offsets to;
  int64_t messages = 0;
  // In Avro: numbers of schemas that messages have and the registry has not. Written if there are
  // any, as "unknown_schemas": [7].
  std::vector<int32_t> unknown_schemas = {};
};
Json StretchToJson(const TopicStretch& stretch);
// Refuses (kInput) what is no stretch of `topic`.
Result<TopicStretch> StretchFromJson(const Json& json, const std::string& topic);

// Returns where partitions 0 to `partitions` - 1 start: "earliest", "latest", a time, or offsets
// "0:4711, 1:12". Refuses (kUsage) any other text, and partitions that there are not.
Result<Offsets> StartOffsets(const KafkaClient& client, int32_t partitions,
                             const std::string& start);

// Fails (kInput) with the figures if the topic no longer has all from these offsets on.
Status CheckStillThere(const KafkaClient& client, const Offsets& from);

RdPartitions PartitionList(const std::string& topic, const Offsets& offsets);

}  // namespace protium
