// SPDX-License-Identifier: Apache-2.0
#include "kafka/offsets.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "flow/start_time.h"

namespace protium {
namespace {

Json OffsetsToJson(const Offsets& offsets) {
  Json json = Json::object();
  for (const auto& [partition, offset] : offsets) json[std::to_string(partition)] = offset;
  return json;
}

std::optional<Offsets> OffsetsFromJson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  Offsets offsets;
  for (const auto& [key, value] : json.items()) {
    const auto partition = AllAsNumber<int32_t>(key);
    if (!partition || *partition < 0 || !value.is_number_integer()) return std::nullopt;
    offsets[*partition] = value.get<int64_t>();
    if (offsets[*partition] < 0) return std::nullopt;
  }
  return offsets;
}

std::vector<int32_t> UnknownSchemas(const Json& json) {
  std::vector<int32_t> ids;
  const Json given = json.value("unknown_schemas", Json());
  if (!given.is_array()) return ids;
  for (const Json& each : given) {
    if (each.is_number_integer()) ids.push_back(each.get<int32_t>());
  }
  return ids;
}

Status RefuseStart(const std::string& what) {
  return Fail({.exit = Exit::kUsage,
               .what = what,
               .where = "stream.source.start",
               .fix = "\"earliest\", \"latest\", a time in UTC such as \"2026-11-01 12:00:00\", or "
                      "offsets of partitions: \"0:4711, 1:12\"",
               .kept = "nothing was started"});
}

// "0:4711, 1:12"; none if the text has another form.
std::optional<Offsets> OffsetsFromText(std::string_view text) {
  Offsets offsets;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = Trimmed(text.substr(0, comma));
    const size_t colon = part.find(':');
    if (colon == part.npos) return std::nullopt;
    const auto partition = AllAsNumber<int32_t>(part.substr(0, colon));
    const auto offset = AllAsNumber<int64_t>(Trimmed(part.substr(colon + 1)));
    if (!partition || !offset || *partition < 0 || *offset < 0) return std::nullopt;
    offsets[*partition] = *offset;
    if (comma == text.npos) return offsets;
    text.remove_prefix(comma + 1);
  }
}

// The first offset of each partition whose message is not older; the end if there is none.
Result<Offsets> OffsetsAt(const KafkaClient& client, int32_t partitions, int64_t since_ms) {
  Offsets times;
  for (int32_t each = 0; each < partitions; ++each) times[each] = since_ms;
  const RdPartitions list = PartitionList(client.topic(), times);
  const auto error = rd_kafka_offsets_for_times(client.handle(), list.get(),
                                                int(client.connection().patience.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return client.FaultFor(error, "asking for offsets");
  Offsets offsets;
  for (int i = 0; i < list->cnt; ++i) {
    const auto& found = list->elems[i];
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return client.FaultFor(found.err, "asking for offsets");
    }
    offsets[found.partition] = found.offset;
    if (found.offset >= 0) continue;
    PT_LET(const auto marks, client.Watermarks(found.partition));
    offsets[found.partition] = marks.second;
  }
  return offsets;
}

}  // namespace

Json StretchToJson(const TopicStretch& stretch) {
  Json json = {{"topic", stretch.topic},
               {"from", OffsetsToJson(stretch.from)},
               {"to", OffsetsToJson(stretch.to)},
               {"messages", stretch.messages}};
  if (!stretch.unknown_schemas.empty()) json["unknown_schemas"] = stretch.unknown_schemas;
  return json;
}

Result<TopicStretch> StretchFromJson(const Json& json, const std::string& topic) {
  const auto at = [&](const char* key) {
    return json.is_object() && json.contains(key) ? OffsetsFromJson(json[key]) : std::nullopt;
  };
  const auto from = at("from"), to = at("to");
  const std::string& named = TextAt(json, "topic");
  if (from && to && named == topic) {
    return TopicStretch{named, *from, *to, WholeAt(json, "messages"), UnknownSchemas(json)};
  }
  const bool other = !named.empty() && named != topic;
  return Fail(
      {.exit = Exit::kInput,
       .what = other ? fmt::format("the stream has read topic {} so far, not {}", named, topic)
                     : "the log of the stream has no offsets of a topic: " + Dump(json),
       .where = "stream.source.topic",
       .fix = "give a stream of another topic a folder of its own"});
}

Result<Offsets> StartOffsets(const KafkaClient& client, int32_t partitions,
                             const std::string& start) {
  const auto named = OffsetsFromText(start);
  const bool earliest = start == kEarliest || named;
  if (!earliest && start != kLatest) {
    const auto since_ms = StartTimeMs(start);
    if (!since_ms) return RefuseStart(fmt::format("\"{}\" is not a position to start at", start));
    return OffsetsAt(client, partitions, *since_ms);
  }
  Offsets offsets;
  for (int32_t each = 0; each < partitions; ++each) {
    PT_LET(const auto marks, client.Watermarks(each));
    offsets[each] = earliest ? marks.first : marks.second;
  }
  for (const auto& [partition, offset] : named.value_or(Offsets())) {
    if (partition >= partitions) {
      return RefuseStart(fmt::format("topic {} has no partition {}: it has {}", client.topic(),
                                     partition, partitions));
    }
    offsets[partition] = offset;
  }
  return offsets;
}

Status CheckStillThere(const KafkaClient& client, const Offsets& from) {
  for (const auto& [partition, offset] : from) {
    PT_LET(const auto marks, client.Watermarks(partition));
    const auto [low, high] = marks;
    if (low <= offset && offset <= high) continue;
    const std::string place = fmt::format("{}[{}]", client.topic(), partition);
    return Fail(
        {.exit = Exit::kInput,
         .what = low > offset
                     ? fmt::format("{} has lost {} offsets that were not read: it begins at "
                                   "{}, and the stream continues at {}",
                                   place, low - offset, low, offset)
                     : fmt::format("{} is not the topic that was read: it ends at {}, and "
                                   "the stream continues at {}",
                                   place, high, offset),
         .where = fmt::format("topic {} at {}", client.topic(), client.connection().servers),
         .why = low > offset ? "Kafka keeps messages for a time (retention.ms) or up to a "
                               "size only"
                             : "it was deleted and made again, or its servers lost messages",
         .fix = "a stream with a new folder starts where stream.source.start says"});
  }
  return Status::OK();
}

RdPartitions PartitionList(const std::string& topic, const Offsets& offsets) {
  RdPartitions list(rd_kafka_topic_partition_list_new(int(offsets.size())));
  for (const auto& [partition, offset] : offsets) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  }
  return list;
}

}  // namespace protium
