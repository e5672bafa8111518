// SPDX-License-Identifier: Apache-2.0
#include "kafka/open.h"
#include "kafka/topic_sink.h"
#include "kafka/topic_source.h"

extern "C" bool protium_open_kafka(int32_t version, const protium::KafkaRequest& request,
                                   protium::KafkaEnds& ends) {
  if (version != protium::kKafkaLibraryVersion) return false;
  if (request.source != nullptr) ends.source = protium::OpenTopicSource(*request.source);
  if (request.sink != nullptr) ends.sink = protium::OpenTopicSink(*request.sink);
  if (request.topic != nullptr) ends.partitions = protium::CountTopicPartitions(*request.topic);
  return true;
}
