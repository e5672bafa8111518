// SPDX-License-Identifier: Apache-2.0
// A topic as the source of a stream. Partitions are assigned, not subscribed to: where the stream
// goes on stands in its own log, and offsets that are committed to its group are for tools that
// show lag.
//
// 1. A stretch (offsets.h) has the partitions that it read of; the first after Start() has all, so
//    that where the others began is known, too.
// 2. Rows are in the order of partitions, then of offsets, whenever a stretch is read.
#pragma once

#include "kafka/open.h"

namespace protium {

Result<std::unique_ptr<StreamSource>> OpenTopicSource(const KafkaSourceOptions& options);
Result<int32_t> CountTopicPartitions(const KafkaConnection& connection);

}  // namespace protium
